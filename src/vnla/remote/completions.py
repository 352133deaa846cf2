"""A server of chat completions (`POST /chat/completions`): asks it, keeps its replies, counts what they cost, and notes all.

A chat model that acts (`vnla.remote.chat`) and one that advises (`vnla.remote.chat_advisor`) ask the same way. Replies are
kept on disk by the whole request, so that nothing is paid for twice; calls and tokens are capped over all times that a
command goes on.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vnla.common.errors import InputError
from vnla.common.outside import is_whole
from vnla.remote.caller import Caller
from vnla.remote.evaluated_agent import Fault
from vnla.remote.folder import Journal
from vnla.remote.protocol import parsed
from vnla.remote.replies import PATH, is_completion
from vnla.remote.spending import MOST_TOKENS, Cache, Meter

CHARACTERS = 4
"""That a token has about."""
KEY_VARIABLE = "OPENAI_API_KEY"
"""Where the key is, unless another variable is named."""


class Completions:
    """Asks a server. Several threads may."""

    def __init__(
        self, caller: Caller, meter: Meter | None = None, cache: Path | None = None, journal: Journal | None = None
    ) -> None:
        """Replies are kept in the folder `cache`, calls are noted in `journal`: without them they are not."""
        self.caller, self.meter, self.journal, self._cache = caller, meter or Meter(), journal, Cache(cache)

    def ask(
        self,
        body: Mapping[str, Any],
        about: int,
        where: Mapping[str, Any],
        noted: Mapping[str, Any],
        *,
        counted: bool = True,
    ) -> str | Fault:
        """Return the completion for a request of about so many tokens: from the cache, or from the server.

        In the journal stand `where` it was asked, the key by which the reply is kept, and what is `noted` of the request.
        """
        key = self._cache.key(str(self.caller.address), body)
        kept = self._cache.get(key)
        if kept is not None and is_completion(kept):  # a file that is damaged is no fault of the model
            if self.journal is not None:
                self.journal.add({"cached": key, **where}, at_once=False)
            return kept

        def after(reply: bytes | Fault | None) -> dict[str, Any]:
            tokens = used(reply, about) if isinstance(reply, bytes) else 0
            self.meter.settle(about, tokens, calls=0 if reply is None else 1)
            return {"tokens": tokens}

        reply = self.caller(
            PATH, body, recorded={**where, "key": key, **noted}, before=lambda: self.meter.reserve(about), after=after,
            counted=counted,
        )  # fmt: skip
        if isinstance(reply, Fault):
            return reply
        text = reply.decode("utf-8", "replace")
        if is_completion(text):
            self._cache.put(key, text)
        return text


def used(reply: bytes, about: int) -> int:
    """How many tokens a server says a completion took, or about how many."""
    try:
        total = parsed(reply)["usage"]["total_tokens"]
    except (ValueError, LookupError, TypeError):
        return about
    return total if is_whole(total, 0, MOST_TOKENS) else about


def key_in(variable: str | None, usual: str | None, option: str) -> str | None:
    """Return the key in a variable of the environment that somebody named with an `option`, else in the `usual` one."""
    name = variable or usual
    if variable is not None and not os.environ.get(variable):
        raise InputError(f"{option} {variable}: the environment has no such variable, or it is empty")
    key = os.environ.get(name, "") if name else ""
    if not key.isascii() or any(not character.isprintable() for character in key):
        raise InputError(f"{name}: the key in this variable has characters that no header can carry")
    return key or None
