"""A study tried out by scripted participants before people come, over connections of their own to the real server.

They know what a browser knows and nothing else. A helper reads the plan and says where the way that is shown goes, in as
many actions as the advisor would; a walker does what the advisor says, and wanders about when there is nobody to ask. Their
habits differ: some answer nonsense, give up, reload the page in the middle of a task, close it for good, or withdraw. So
whoever makes a study sees beforehand every kind of row that its data will have.
"""

from __future__ import annotations

import asyncio
import json
import math
import random
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from socket import socket
from typing import Any, Literal

import uvicorn
from fastapi import FastAPI
from websockets.asyncio.client import ClientConnection, connect

from vnla.assistance.phrases import read_subgoal, subgoal_text
from vnla.common import files
from vnla.serve.events import ACTIONS
from vnla.serve.keys import new_key
from vnla.serve.limits import Limits
from vnla.serve.reduce import NOTHING, reduced
from vnla.serve.study.design import CONSENT, DESIGN, README
from vnla.world.actions import Nav

LIMITS = Limits(rate=1000, burst=1000, reading=1000, reading_burst=1000)
"""Scripted participants do not stop to think."""
_STEP = 30
_ALL = ("study", "refused")


@dataclass(frozen=True)
class Habit:
    """How somebody takes part."""

    name: str
    tells: Literal["the way", "the way kindly", "the wrong way", "nonsense", "nothing"] = "the way"
    """As a helper."""
    walks: Literal["asking", "about", "nowhere"] = "asking"
    """As a walker."""
    reloads: float = 0.0
    """How probably before each word."""
    gives_up: float = 0.0
    closes: int | None = None
    """After how many tasks they close the page for good."""
    withdraws: int | None = None


HABITS = (
    Habit("careful"),
    Habit("kind", tells="the way kindly"),
    Habit("reloading", reloads=0.2),
    Habit("lost", tells="the wrong way", walks="about"),
    Habit("impatient", gives_up=0.1),
    Habit("garbling", tells="nonsense"),
    Habit("careful again"),
    Habit("hasty", tells="nothing", walks="nowhere"),
    Habit("closing", closes=1),
    Habit("kind again", tells="the way kindly"),
    Habit("withdrawing", withdraws=2),
    Habit("careful once more"),
)


def copy(folder: Path, out: Path) -> None:
    """Copy a study into an empty folder, without anybody's data."""
    for name in (DESIGN, CONSENT, README):
        files.write_text(out / name, files.read_text(folder / name, "a file of a study"))
    new_key(out)


@contextmanager
def serving(app: FastAPI, listener: socket) -> Iterator[str]:
    """Run the server on a thread; yield its host and port."""
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", ws_max_size=LIMITS.message))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="serving", daemon=True)
    thread.start()
    host, port, *_ = listener.getsockname()
    try:
        yield f"{host}:{port}"
    finally:
        server.should_exit = True
        thread.join()


async def rehearse(
    host: str, count: int, seed: int, progress: Callable[[int, int], object], habits: Sequence[Habit] = HABITS
) -> list[tuple[Habit, str]]:
    """Let so many take part at once; return each one's habit, and how it ended."""
    done = 0

    async def one(number: int) -> tuple[Habit, str]:
        nonlocal done
        habit = habits[number % len(habits)]
        ended = await ScriptedParticipant(host, habit, random.Random(f"{seed} {number}")).take_part()
        done += 1
        progress(done, count)
        return habit, ended

    return list(await asyncio.gather(*map(one, range(count))))


class ScriptedParticipant:
    """A scripted participant."""

    def __init__(self, host: str, habit: Habit, chance: random.Random) -> None:
        self._host, self._habit, self._chance = host, habit, chance
        self._state = NOTHING
        self._status: dict[str, Any] = {}
        self._session: str | None = None
        self._refused: str | None = None
        self._connection: ClientConnection | None = None
        self._plan: dict[str, Any] = {}
        self._advice: list[str] = []

    async def take_part(self) -> str:
        """Take part from consent to the end, and return how it ended."""
        await self._open()
        await self._say("agree", version=self._status["version"], platform=f"{self._chance.random():.16f}"[2:])
        if self._status["phase"] == "consent":
            return str(self._refused)
        while self._status["phase"] in ("practice", "task"):
            if self._status["done"] == self._habit.closes:
                await self._close()
                return "closed the page"
            if self._status["done"] == self._habit.withdraws:
                await self._say("withdraw")
            elif self._status["begun"] and not self._status["over"]:
                await self._do()
            else:
                await self._say("next")
        await self._close()
        return str(self._status["phase"])

    async def _do(self) -> None:
        """Do one thing in a task."""
        if self._chance.random() < self._habit.reloads:
            await self._close()
            await self._open()
        elif self._chance.random() < self._habit.gives_up:
            await self._say("leave")
        elif self._state["begun"]["mode"] == "beat":
            await self._walk()
        else:
            await self._help()

    async def _walk(self) -> None:
        now = self._state["steps"][-1]
        if now["step"] == 0 and not now["asked"]:
            self._advice = []
        asking = self._habit.walks == "asking" and not self._advice and not now["asked"]
        if asking and now["requests_left"]:
            await self._say("ask", until=("advised", *_ALL))
            advised = self._state["steps"][-1]["advised"]
            self._advice = [ACTIONS[each] for each in read_subgoal(advised["text"])] if advised else []
        elif self._habit.walks == "nowhere":
            await self._act("stop")
        else:
            await self._act(self._advice.pop(0) if self._advice else self._wander(now))

    def _wander(self, now: dict[str, Any]) -> str:
        if self._chance.random() < 0.05:
            return "stop"
        return "forward" if now["ahead"] and self._chance.random() < 0.7 else self._chance.choice(("left", "right"))

    async def _act(self, action: str) -> None:
        await self._say("act", action=action, until=("stood", *_ALL))

    async def _help(self) -> None:
        waits = self._state["waits"]
        text = await self._words(waits["way"])
        await self._say("advise", step=waits["step"], text=text, until=("waits", *_ALL))
        if self._refused and text is not None:  # then in words that it surely understands
            await self._say("advise", step=waits["step"], text="go forward", until=("waits", *_ALL))

    async def _words(self, way: Sequence[str]) -> str | None:
        """Return what a helper says."""
        tells = self._habit.tells
        if tells == "nothing":
            return None
        if tells == "nonsense":
            return self._chance.choice(("hmm", "over there", "turn left", "the other one", "go on"))
        heading, plan = self._state["steps"][-1]["pose"]["heading"], []
        if tells == "the wrong way":
            heading += 6
        for here, there in pairwise(way):
            towards = await self._direction(here, there)
            turns = (towards - heading) % 12
            plan += [Nav.RIGHT] * turns if turns <= 6 else [Nav.LEFT] * (12 - turns)
            plan.append(Nav.FORWARD)
            heading = towards
        text = subgoal_text([*plan, Nav.STOP][: self._state["begun"]["k"]])
        return f"please {text}, thank you" if tells == "the way kindly" else text

    async def _direction(self, here: str, there: str) -> int:
        """Return the heading from a viewpoint to another."""
        house = self._state["begun"]["house"]
        if self._plan.get("house") != house:
            self._plan = await asyncio.to_thread(_fetched, f"http://{self._host}/plan/{house}-bare.json")
        (x, y, *_), (to_x, to_y, *_) = (self._plan["viewpoints"][each]["at"] for each in (here, there))
        return round(math.degrees(math.atan2(to_x - x, to_y - y)) / _STEP) % 12

    async def _open(self) -> None:
        self._connection = await connect(f"ws://{self._host}/ws", origin=f"http://{self._host}")  # type: ignore[arg-type]
        await self._say("hello", session=self._session)

    async def _close(self) -> None:
        assert self._connection is not None
        await self._connection.close()

    async def _say(self, kind: str, *, until: Sequence[str] = _ALL, **message: Any) -> None:
        """Send a message, and receive what follows from it up to a reply or event of such a kind."""
        assert self._connection is not None
        about = {"kind": kind, "after": self._state["number"], "at": round(1000 * time.time())}
        await self._connection.send(json.dumps(about | message))
        self._refused = None
        while self._hear(json.loads(await self._connection.recv())) not in until:
            pass

    def _hear(self, answer: dict[str, Any]) -> str:
        match answer["kind"]:
            case "welcome":
                self._session, self._state = answer["session"], answer["snapshot"]
            case "event":
                self._state = reduced([answer["event"]], self._state)
                return str(answer["event"]["kind"])
            case "refused":
                self._refused = answer["why"]
            case "study":
                self._status = answer
        return str(answer["kind"])


def _fetched(address: str) -> dict[str, Any]:
    with urllib.request.urlopen(address, timeout=60) as answer:
        found: dict[str, Any] = json.load(answer)
        return found
