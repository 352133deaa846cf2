"""A chat model as a policy: `vnla evaluate --agent openai:MODEL --base-url URL`, for servers with chat completions.

Each answer is one request: a prompt with what there is now and a short history, and the pictures if it sees. How a server is
asked, what is kept and what it may cost is `vnla.remote.completions`.

A model that is shown what is all around may go to a candidate; the actions that take it there are not asked for one by one
(`vnla.remote.candidates`). How it is to reply is found out once (`Chat.settle`) and written down.
"""

from __future__ import annotations

import base64
import json
import math
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from vnla.camera import HEADINGS, HEIGHT
from vnla.camera import WIDTH as FULL_WIDTH
from vnla.common.errors import InputError
from vnla.common.outside import shown, whole
from vnla.observation import EXITS, PICTURES, PICTURES_AROUND, TEXT, TEXT_AROUND, Observation
from vnla.remote.address import checksum
from vnla.remote.caller import Caller, NobodyAnswersError
from vnla.remote.candidates import ExitWalk, listed
from vnla.remote.completions import CHARACTERS, Completions
from vnla.remote.evaluated_agent import ACTIONS, WIDTH, Answer, Fault
from vnla.remote.folder import Journal
from vnla.remote.mosaic import COLUMNS, mosaic
from vnla.remote.prompts import IN_WORDS, Prompt, observed_keys
from vnla.remote.protocol import WIDTHS, is_width, png
from vnla.remote.replies import (
    AUTO,
    FORMS,
    JSON_SCHEMA,
    PATH,
    REPLIES,
    RESERVED,
    TOOLS,
    WRITTEN,
    GoTo,
    format_of,
    keeps_to,
    note_on,
    read_completion,
)
from vnla.remote.spending import Meter

TILE, TILE_TOKENS, PICTURE_TOKENS = 512, 170, 85
"""A picture takes about so many tokens for each square of 512 pixels, and so many besides."""
REPLY_TOKENS = 60
FEWEST_PICTURES = 1
_MOST_MEMORY = 10_000  # answers
_MOST_PICTURES = 100


@dataclass
class Thread:
    """What is kept of an episode."""

    history: list[str] = field(default_factory=list)
    seen: str = ""
    """What was in view, in words."""
    last: str = "you have just begun"
    """What became of the last answer, in words."""
    walk: ExitWalk | None = None
    """To a candidate, which is under way."""
    pictures: list[tuple[str, list[str]]] = field(default_factory=list)
    """What it was shown last: what is said of it, and the addresses of the pictures."""


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
        replies: str = WRITTEN,
        width: int = WIDTH,
        options: Mapping[str, Any] | None = None,
        memory: int = 12,
        pictures: int = FEWEST_PICTURES,
        meter: Meter | None = None,
        cache: Path | None = None,
        journal: Journal | None = None,
    ) -> None:
        """`options` go into every request as they are; those that are None are left out. `memory` is the number of answers
        that it is reminded of, `pictures` of those whose pictures it is shown, this one included."""
        if not model:
            raise InputError("agent openai: say which model, openai:MODEL")
        if not is_width(width):
            raise InputError(f"agent openai: width is {shown(width)}; expected {WIDTHS}")
        whole(memory, "agent openai: memory", 0, _MOST_MEMORY)
        whole(pictures, "agent openai: pictures", FEWEST_PICTURES, _MOST_PICTURES)
        if reserved := RESERVED & set(options or {}):
            raise InputError(f"agent openai: {min(reserved)} is no option of a request; it is filled in")
        if replies not in REPLIES:
            raise InputError(f"--replies {shown(replies)}: choose from {', '.join(REPLIES)}")
        if replies in (TOOLS, JSON_SCHEMA) and (form := FORMS & set(options or {})):
            raise InputError(f"agent openai: {min(form)} is an option, and --replies {replies} is another form of replies")
        try:
            json.dumps(options, allow_nan=False)
        except ValueError:
            raise InputError("agent openai: an option is not a finite number, which JSON does not have") from None
        self.name, self.observes, self.picture_width = f"openai:{model}", observed_keys(observe), width
        self.replies = WRITTEN if replies == AUTO and FORMS & set(options or {}) else replies
        self._model, self._prompt, self._memory, self._pictures = model, prompt, memory, pictures
        self._server = Completions(caller, meter, cache, journal)
        self._options = {name: value for name, value in {"temperature": 0, **(options or {})}.items() if value is not None}
        if caller.is_secret_in(self.settings):
            raise InputError("agent openai: an option or the prompt has the key in it, which would be written down")
        self._settling = threading.Lock()

    @property
    def meter(self) -> Meter:
        """What was spent."""
        return self._server.meter

    @property
    def settings(self) -> dict[str, Any]:
        """What determines its answers; what is as it always was goes without saying."""
        return {
            "model": self._model,
            "options": self._options,
            "memory": self._memory,
            "prompt": self._prompt.text,
            **({"pictures": self._pictures} if self._pictures != FEWEST_PICTURES else {}),
            **({"replies": self.replies} if self.replies != WRITTEN else {}),
        }

    def reset(self, instruction: str) -> Thread:  # noqa: ARG002
        """Nothing is asked yet."""
        return Thread()

    def act(self, observation: Observation, state: Thread) -> tuple[Answer | Fault, Thread]:
        """The next action on the way to a candidate, else one request."""
        onward = None if state.walk is None else state.walk.onward(observation)
        if onward is not None:
            return onward, state
        self._remember(observation, state)
        self.settle(observation, state)
        reply = self._reply(observation, state, self.replies)
        if self._pictures > FEWEST_PICTURES:
            state.pictures.append(("", self._shown(observation)))
            del state.pictures[: FEWEST_PICTURES - self._pictures]
        choice = reply if isinstance(reply, Fault) else read_completion(reply, len(observation.get(EXITS, ())))
        if not isinstance(choice, GoTo):
            return choice, state
        answer, state.walk = ExitWalk.begin(choice.number, observation[EXITS])
        return answer, state

    def _remember(self, now: Observation, thread: Thread) -> None:
        """Write into the history what became of the last answer."""
        if now["last"] is not None:
            became = outcome(now["last"], now["advice"])
            thread.last = became if thread.walk is None else thread.walk.told(became, now["last"])
            thread.history.append(f"- in view: {thread.seen} → {thread.last}" if thread.seen else f"- {thread.last}")
            if thread.pictures:
                thread.pictures[-1] = (thread.last, thread.pictures[-1][1])
        thread.walk = None
        around = now.get(TEXT_AROUND, "").partition(". ")[0]  # the room: all of it would fill the history
        thread.seen = now.get(TEXT) or (around and f"{around.removesuffix('.')}.")

    def body(self, now: Observation, thread: Thread, replies: str | None = None) -> dict[str, Any]:
        """The request that asks for an answer, in one of the forms of `REPLIES`."""
        kind, candidates = replies or self.replies, len(now.get(EXITS, ()))
        system, user = self._prompt.filled(self._values(now, thread))
        note = note_on(kind, candidates)
        content: Any = user
        if pictures := self._shown(now):
            earlier = [[_text(f"What you saw before; after it: {each}"), *_images(urls)] for each, urls in thread.pictures]
            content = [*(part for parts in earlier for part in parts), _text(user), *_images(pictures)]
        messages = [
            {"role": "system", "content": f"{system}\n\n{note}" if note else system},
            {"role": "user", "content": content},
        ]
        return {"model": self._model, "messages": messages, **format_of(kind, candidates), **self._options}

    def tokens(self, now: Observation, thread: Thread) -> int:
        """About how many a request and its reply take."""
        form = "" if self.replies in (AUTO, WRITTEN) else json.dumps(format_of(self.replies, len(now.get(EXITS, ()))))
        texts = sum(map(len, (*self._prompt.filled(self._values(now, thread)), form)))
        sizes = {PICTURES: self.picture_width, PICTURES_AROUND: self.picture_width * COLUMNS}
        each = sum(_picture_tokens(width, key) for key, width in sizes.items() if key in now)
        return texts // CHARACTERS + each * self._pictures + REPLY_TOKENS

    def settle(self, now: Observation, thread: Thread) -> None:
        """Find out, once, in which form the server gives replies, and write it down; or read what was written down."""
        if self.replies != AUTO:
            return
        with self._settling:
            if self.replies == AUTO:
                self.replies = self._recalled() or self._found(now, thread)

    def _recalled(self) -> str | None:
        """What was found out at an earlier time; of an evaluation that was begun before there was a choice, text."""
        found, journal = None, self._server.journal
        for _, note in journal.read() if journal is not None else ():
            if not isinstance(note, dict):
                continue
            if note.get("replies") in (TOOLS, JSON_SCHEMA, WRITTEN):
                found = note["replies"]
            elif note.get("path") == PATH and isinstance(note.get("request"), dict) and "replies" not in note["request"]:
                found = WRITTEN
        return found

    def _found(self, now: Observation, thread: Thread) -> str:
        """The first form that the server has; what it said to the others is written down with it."""
        tried: dict[str, str] = {}
        caller, journal = self._server.caller, self._server.journal
        for kind in (TOOLS, JSON_SCHEMA, WRITTEN):
            reply = self._reply(now, thread, kind, counted=False)
            if isinstance(reply, Fault) and reply in (Fault.LATE, Fault.NO_ANSWER):
                break
            if not isinstance(reply, Fault) and keeps_to(kind, reply):
                if journal is not None:
                    journal.add({"replies": kind, "tried": tried})
                return kind
            tried[kind] = caller.why if isinstance(reply, Fault) else "the reply was of another form"
        raise NobodyAnswersError(
            f"{caller.address}: gives no reply of any form ({caller.why}); what is done is kept: run the same"
            f" command again when it answers, or with --replies {WRITTEN}"
        )

    def _reply(self, now: Observation, thread: Thread, kind: str, *, counted: bool = True) -> str | Fault:
        """The completion: from the cache, or from the server."""
        body = self.body(now, thread, kind)
        where = {"episode": now["episode"], "turn": now["turn"]}
        noted = {"replies": kind, "body": _noted(body)}
        return self._server.ask(body, self.tokens(now, thread), where, noted, counted=counted)

    def _shown(self, now: Observation) -> list[str]:
        """The addresses of the pictures that it is shown now."""
        found = [now[PICTURES]] if PICTURES in now else []
        found += [mosaic(now[PICTURES_AROUND], now[EXITS])] if PICTURES_AROUND in now else []
        return [_address(each) for each in found]

    def _values(self, now: Observation, thread: Thread) -> dict[str, str]:
        past = thread.history[-self._memory :] if self._memory else []
        left = now["requests_left"]
        return {
            "actions": ", ".join(ACTIONS),
            "advice": now["advice"] or "nothing yet",
            "candidates": listed(now.get(EXITS, ())),
            "end_goal": now["end_goal"].removesuffix(" ."),
            "forward": "yes" if now["may_go_forward"] else "no",
            "history": "\n".join(past) or "nothing yet",
            "instruction": now["instruction"],
            "last": thread.last,
            "observes": "; and ".join(IN_WORDS[key] for key in self.observes if key in IN_WORDS),
            "requests_left": str(left) if now["may_request"] else f"{left} (not now)",
            "sight": " All around: ".join(now[key] for key in (TEXT, TEXT_AROUND) if now.get(key)) or "see the picture",
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
        "answered": f'you asked and heard: "{advice}"' if advice else "you asked and heard nothing",
        "error": f"your reply was not understood ({last['error']}); the step is lost",
    }.get(last["outcome"], done)


def _picture_tokens(width: int, key: str) -> int:
    rows = HEADINGS // COLUMNS if key == PICTURES_AROUND else 1
    height = (width // COLUMNS if rows > 1 else width) * HEIGHT / FULL_WIDTH * rows
    return PICTURE_TOKENS + TILE_TOKENS * math.ceil(width / TILE) * math.ceil(height / TILE)


def _address(picture: NDArray[Any]) -> str:
    return f"data:image/png;base64,{base64.b64encode(png(picture)).decode('ascii')}"


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _images(addresses: Sequence[str]) -> list[dict[str, Any]]:
    return [{"type": "image_url", "image_url": {"url": each}} for each in addresses]


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
