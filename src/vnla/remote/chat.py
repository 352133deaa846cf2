"""A chat model as a policy: `vnla evaluate --agent openai:MODEL --base-url URL`, for servers with chat completions.

Each answer is one request: a prompt with what there is now and a short history, and the picture if it sees. Replies are kept
on disk by the whole request, so that nothing is paid for twice; calls and tokens are capped, over all times that the command
goes on.
"""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vnla.common.errors import InputError
from vnla.common.files import read_text, write_text
from vnla.common.outside import is_whole, shown, unique_names, whole
from vnla.observation import PICTURES, TEXT, Observation
from vnla.remote.address import checksum
from vnla.remote.caller import Caller
from vnla.remote.folder import Journal
from vnla.remote.participant import ACTIONS, WIDTH, Answer, Fault
from vnla.remote.prompts import Prompt
from vnla.remote.protocol import WIDTHS, is_width, parsed, png, read_answer

PATH = "/chat/completions"
OBSERVES = {"picture": (PICTURES,), "text": (TEXT,), "both": (PICTURES, TEXT)}
"""What a chat model can be shown, and what it is made of."""
LARGEST = 1 << 20
"""Bytes of a reply."""
CHARACTERS = 4
"""That a token has about."""
PICTURE_TOKENS = 255
"""That a picture of at most 512 pixels takes about."""
REPLY_TOKENS = 60
_LONGEST = 1 << 16
_OBJECTS = 50
_MOST_MEMORY = 10_000  # steps
_MOST_TOKENS = 1 << 40  # of one call


class CapError(InputError):
    """As much was spent as may be."""


@dataclass
class Meter:
    """Counts calls and tokens, also those of earlier times, and refuses what would go beyond a cap."""

    max_calls: int | None = None
    max_tokens: int | None = None
    calls: int = 0
    tokens: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def recall(self, journal: Journal) -> None:
        """Count what a journal has."""
        for _, note in journal.read():
            if isinstance(note, dict) and note.get("path") == PATH:
                self.calls += 1
                self.tokens += note["tokens"] if is_whole(note.get("tokens"), 0, _MOST_TOKENS) else 0

    def reserve(self, tokens: int) -> None:
        """One more call, of about so many tokens."""
        with self._lock:
            for name, spent, most in (
                ("calls", self.calls + 1, self.max_calls),
                ("tokens", self.tokens + tokens, self.max_tokens),
            ):
                if most is not None and spent > most:
                    raise CapError(
                        f"--max-{name} {most:,} is reached after {self.calls:,} calls and {self.tokens:,} tokens; "
                        "what is done is kept: raise it and run the same command again"
                    )
            self.calls, self.tokens = self.calls + 1, self.tokens + tokens

    def settle(self, reserved: int, tokens: int) -> None:
        """How many tokens it was."""
        with self._lock:
            self.tokens += tokens - reserved


class Cache:
    """Replies by the whole request."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def key(self, url: str, body: Mapping[str, Any]) -> str:
        """What tells a request from every other."""
        return hashlib.sha256(json.dumps([url, body], sort_keys=True).encode()).hexdigest()

    def get(self, key: str) -> str | None:
        """The reply, if there is one."""
        try:
            return None if self._folder is None else read_text(self._place(self._folder, key), "a reply", LARGEST)
        except InputError:  # not there, damaged, or no file that was kept here
            return None

    def put(self, key: str, reply: str) -> None:
        """Keep a reply."""
        if self._folder is not None:
            write_text(self._place(self._folder, key), reply)

    @staticmethod
    def _place(folder: Path, key: str) -> Path:
        return folder / key[:2] / f"{key}.json"


@dataclass
class Thread:
    """What is kept of an episode."""

    history: list[str] = field(default_factory=list)
    seen: str = ""
    """What was in view, in words."""


class Chat:
    """Asks a chat model. Its state is the history of an episode, which grows in place."""

    concurrent = True

    def __init__(
        self,
        model: str,
        caller: Caller,
        prompt: Prompt,
        *,
        observe: str = "picture",
        width: int = WIDTH,
        options: Mapping[str, Any] | None = None,
        memory: int = 12,
        meter: Meter | None = None,
        cache: Path | None = None,
        journal: Journal | None = None,
    ) -> None:
        """`options` go into every request as they are; those that are None are left out. `memory` is the number of steps
        that it is reminded of."""
        if not model:
            raise InputError("agent openai: say which model, openai:MODEL")
        if not is_width(width):
            raise InputError(f"agent openai: width is {shown(width)}; expected {WIDTHS}")
        whole(memory, "agent openai: memory", 0, _MOST_MEMORY)
        if reserved := {"model", "messages", "stream"} & set(options or {}):
            raise InputError(f"agent openai: {min(reserved)} is no option of a request; it is filled in")
        try:
            json.dumps(options, allow_nan=False)
        except ValueError:
            raise InputError("agent openai: an option is not a finite number, which JSON does not have") from None
        self.name, self.observes, self.picture_width = f"openai:{model}", OBSERVES[observe], width
        self.meter = meter or Meter()
        self._model, self._call, self._prompt, self._memory = model, caller, prompt, memory
        self._options = {name: value for name, value in {"temperature": 0, **(options or {})}.items() if value is not None}
        if caller.is_secret_in(self.settings):
            raise InputError("agent openai: an option or the prompt has the key in it, which would be written down")
        self._cache, self._journal = Cache(cache), journal

    @property
    def settings(self) -> dict[str, Any]:
        """What determines its answers."""
        return {
            "model": self._model,
            "options": self._options,
            "memory": self._memory,
            "prompt": self._prompt.text,
        }

    def reset(self, instruction: str) -> Thread:  # noqa: ARG002
        """Nothing is asked yet."""
        return Thread()

    def act(self, observation: Observation, state: Thread) -> tuple[Answer | Fault, Thread]:
        """One request."""
        if observation["last"] is not None:
            state.history.append(_line(observation, state.seen))
        state.seen = observation.get(TEXT, "")
        reply = self._reply(observation, state)
        return reply if isinstance(reply, Fault) else read_reply(reply), state

    def body(self, now: Observation, thread: Thread) -> dict[str, Any]:
        """The request that asks for an answer."""
        system, user = self._prompt.filled(self._values(now, thread))
        content: Any = user
        if PICTURES in now:
            url = f"data:image/png;base64,{base64.b64encode(png(now[PICTURES])).decode('ascii')}"
            content = [{"type": "text", "text": user}, {"type": "image_url", "image_url": {"url": url}}]
        messages = [{"role": "system", "content": system}, {"role": "user", "content": content}]
        return {"model": self._model, "messages": messages, **self._options}

    def tokens(self, now: Observation, thread: Thread) -> int:
        """About how many a request and its reply take."""
        texts = sum(map(len, self._prompt.filled(self._values(now, thread))))
        return texts // CHARACTERS + PICTURE_TOKENS * (PICTURES in now) + REPLY_TOKENS

    def _reply(self, now: Observation, thread: Thread) -> str | Fault:
        """What the model said: from the cache, or from the server."""
        body = self.body(now, thread)
        key = self._cache.key(str(self._call.address), body)
        kept = said(self._cache.get(key) or "")
        if kept is not None:  # a file that is damaged is no fault of the model
            if self._journal is not None:
                self._journal.add({"cached": key, "episode": now["episode"], "turn": now["turn"]}, at_once=False)
            return kept
        about = self.tokens(now, thread)
        noted = {"episode": now["episode"], "turn": now["turn"], "key": key, "body": _noted(body)}

        def after(reply: bytes | Fault) -> dict[str, Any]:
            tokens = 0 if isinstance(reply, Fault) else used(reply, about)
            self.meter.settle(about, tokens)
            return {"tokens": tokens}

        reply = self._call(PATH, body, recorded=noted, before=lambda: self.meter.reserve(about), after=after)
        if isinstance(reply, Fault):
            return reply
        text = reply.decode("utf-8", "replace")
        words = said(text)
        if words is None:
            return Fault.MALFORMED
        self._cache.put(key, text)
        return words

    def _values(self, now: Observation, thread: Thread) -> dict[str, str]:
        past = thread.history[-self._memory :] if self._memory else []
        left = now["requests_left"]
        return {
            "actions": ", ".join(ACTIONS),
            "advice": now["advice"] or "nothing yet",
            "end_goal": now["end_goal"].removesuffix(" ."),
            "forward": "yes" if now["may_go_forward"] else "no",
            "history": "\n".join(past) or "nothing yet",
            "instruction": now["instruction"],
            "last": "you have just begun" if now["last"] is None else outcome(now["last"], now["advice"]),
            "requests_left": str(left) if now["may_request"] else f"{left} (not now)",
            "sight": now.get(TEXT) or "see the picture",
            "step": str(now["step"] + 1),
            "time_left": str(now["time_left"]),
        }


def outcome(last: Mapping[str, Any], advice: str | None) -> str:
    """What became of the last answer, in words."""
    done = last["action"] or "nothing"
    return {
        "moved": f"{done}: you walked {last['metres']:.1f} m",
        "turned": f"{done}: done",
        "stayed": f"{done}: nothing happened, that was not possible here",
        "answered": f'you asked and heard: "{advice}"',
        "error": f"your reply was not understood ({last['error']}); the step is lost",
    }.get(last["outcome"], done)


def _line(now: Observation, seen: str) -> str:
    """A line of the history: what was in view before, and what was done."""
    before = f"in view: {seen} → " if seen else ""
    return f"- {before}{outcome(now['last'], now['advice'])}"


def said(reply: str) -> str | None:
    """The words of a chat completion; None if it is none."""
    try:
        content = parsed(reply)["choices"][0]["message"]["content"]
        if isinstance(content, list):
            content = "".join(part["text"] for part in content if part.get("type") == "text")
    except (ValueError, LookupError, TypeError, AttributeError):
        return None
    return content[:_LONGEST] if isinstance(content, str) else None


def used(reply: bytes, about: int) -> int:
    """How many tokens a server says a completion took, or about how many."""
    try:
        total = parsed(reply)["usage"]["total_tokens"]
    except (ValueError, LookupError, TypeError):
        return about
    return total if is_whole(total, 0, _MOST_TOKENS) else about


def read_reply(text: str) -> Answer | Fault:
    """The first JSON object with an action or a request in what a model said; it may say something around it."""
    decoder, place = json.JSONDecoder(object_pairs_hook=unique_names), 0
    for _ in range(_OBJECTS):
        place = text.find("{", place)
        if place < 0:
            break
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            place += 1
            continue
        if isinstance(value, dict) and {"action", "request"} & set(value):
            return read_answer(_tidy(value))
        place = end
    return Fault.MALFORMED


def _tidy(value: dict[str, Any]) -> dict[str, Any]:
    """Models write an action in capitals, or as "request"; nothing else is forgiven."""
    action = value.get("action")
    action = action.strip().lower() if isinstance(action, str) else action
    return {"request": True} if action == "request" else {"action": action, "request": value.get("request")}


def _noted(body: dict[str, Any]) -> dict[str, Any]:
    """What is written down of a request: pictures as their checksums."""
    messages = []
    for message in body["messages"]:
        content = message["content"]
        if not isinstance(content, str):
            content = [
                part if part["type"] == "text" else {"type": "image_url", "image_url": checksum(part["image_url"]["url"])}
                for part in content
            ]
        messages.append({**message, "content": content})
    return {**body, "messages": messages}
