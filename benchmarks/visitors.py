"""Simulated visitors of a server: each has a WebSocket, does a step a second, and notes how long every answer takes."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

MODES = ("beat", "watch", "help")
PACE = 1.0
"""Seconds that a step takes: a walker's from one to the next, and those of an agent while they are looked at."""
ANSWERING = {"choice": 1.0, "text": 3.0}
"""Seconds in which a helper chooses an answer, or types one; people take longer."""
ARRIVING = 5.0
"""Seconds in which visitors come in, one after the other."""
PATIENCE = 30.0
"""Seconds after which an answer is lost."""

_ACTIONS = ("forward", "forward", "forward", "left", "right", "left", "right", "up", "down")
_ANSWERED = {
    "beat": ("stood",), "act": ("stood", "ended"), "ask": ("advised",), "watch": ("ended",),
    "help": ("waits", "ended"), "advise": ("waits", "ended"),
}  # fmt: skip
"""The events that end the answer to a message."""
_TEXTS = ("turn right and walk two steps", "please go forward", "turn around", "look up, then left")


class LostError(Exception):
    """An answer that did not come, or not as it should."""


@dataclass
class Tally:
    """What visitors have seen together."""

    latencies: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """Seconds that a visitor waits for an answer, by their mode: until its first step is there, or if that is more, how much
    later than a visitor who looks at each for `PACE` seconds a further step comes."""
    whole: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """Seconds to the end of each answer, by the visitor's mode."""
    steps: int = 0
    """That were told, of anybody's walk."""
    lost: Counter[str] = field(default_factory=Counter)
    """Why, and how often: an answer that did not come, events that are missing, a line that broke."""


@dataclass
class Visitor:
    """One of them."""

    line: ClientConnection
    tally: Tally
    dice: random.Random
    number: int = 0
    """The last event it has seen."""

    async def say(self, mode: str, kind: str, **message: Any) -> list[dict[str, Any]]:
        """Say something; the events of the answer."""
        now = asyncio.get_running_loop().time
        began, waited, due = now(), 0.0, 0.0
        await self.line.send(json.dumps({"kind": kind, "after": self.number, **message}))
        events = []
        async for event in self._answer(kind):
            events.append(event)
            if event["kind"] in ("acted", *_ANSWERED[kind]):
                waited = max(waited, now() - began - due)
                due += PACE
        self.tally.latencies[mode].append(waited)
        self.tally.whole[mode].append(now() - began)
        self.tally.steps += sum(event["kind"] == "acted" for event in events)
        return events

    async def _answer(self, kind: str) -> AsyncIterator[dict[str, Any]]:
        async with asyncio.timeout(PATIENCE):
            while True:
                answer = json.loads(await self.line.recv())
                if answer["kind"] != "event":
                    raise LostError(answer.get("why", f"answered {kind} with {answer['kind']}"))
                event = answer["event"]
                if event["number"] != self.number + 1:
                    raise LostError("events are missing")
                self.number = event["number"]
                yield event
                if event["kind"] in _ANSWERED[kind]:
                    return

    async def beat(self) -> None:
        """Walk at random, asking now and then; a new task when one is done."""
        due, left = asyncio.get_running_loop().time(), 0
        stood = (await self.say("beat", "beat"))[-1]
        while True:
            due += PACE
            await _until(due)
            left = stood.get("requests_left", 0)
            if stood["kind"] == "ended":
                stood = (await self.say("beat", "beat"))[-1]
            elif left and self.dice.random() < 0.2:
                await self.say("beat", "ask")
                stood = {**stood, "requests_left": 0}
            else:
                possible = [each for each in _ACTIONS if each != "forward" or stood["ahead"]]
                stood = (await self.say("beat", "act", action=self.dice.choice(possible)))[-1]

    async def watch(self) -> None:
        """One episode after the other, each looked at to its end."""
        while True:
            await _looked_at(await self.say("watch", "watch"))

    async def help(self) -> None:
        """Answer whatever the agent asks: in words, with the advisor's answer, or not at all."""
        events = await self.say("help", "help")
        while True:
            await _looked_at(events)
            last = events[-1]
            if last["kind"] == "ended":
                events = await self.say("help", "help")
                continue
            how = self.dice.choice(("choice", "text"))
            said = self.dice.choice(_TEXTS) if how == "text" else last["offer"] or None
            await asyncio.sleep(ANSWERING[how])
            events = await self.say("help", "advise", step=last["step"], **{how: said if self.dice.random() < 0.9 else None})


async def visit(
    address: str, count: int, seconds: float, modes: Sequence[str], seed: int,
    others: Coroutine[Any, Any, None] | None = None,
) -> Tally:  # fmt: skip
    """So many visitors for so long, in all modes in turn, each from an address of its own; `others` come meanwhile."""
    tally = Tally()
    each = ((i, modes[i % len(modes)], ARRIVING * i / count, random.Random(f"{seed} {i}")) for i in range(count))
    tasks = [asyncio.create_task(_visit(address, *visitor, tally)) for visitor in each]
    if others is not None:
        tasks.append(asyncio.create_task(others))
    await asyncio.sleep(seconds)
    for task in tasks:
        task.cancel()
    for result in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(result, Exception):
            raise result
    return tally


async def _visit(address: str, number: int, mode: str, after: float, dice: random.Random, tally: Tally) -> None:
    await asyncio.sleep(after)
    with _counted(tally):
        came = {"X-Forwarded-For": f"198.18.{number // 250}.{number % 250}"}
        async with connect(
            f"ws://{address}/ws", origin=f"http://{address}", max_size=None, additional_headers=came,  # type: ignore[arg-type]
        ) as line:  # fmt: skip
            await line.send(json.dumps({"kind": "hello"}))
            await line.recv()
            visitor = Visitor(line, tally, dice)
            await getattr(visitor, mode)()


@contextlib.contextmanager
def _counted(tally: Tally) -> Iterator[None]:
    try:
        yield
    except LostError as error:
        tally.lost[str(error)] += 1
    except ConnectionClosed as error:
        tally.lost[f"closed with {error.rcvd.code}" if error.rcvd else "closed without a code"] += 1
    except (TimeoutError, OSError) as error:
        tally.lost[type(error).__name__] += 1


async def _looked_at(events: Sequence[dict[str, Any]]) -> None:
    steps = sum(event["kind"] == "stood" for event in events)
    await asyncio.sleep(PACE * steps)


async def _until(due: float) -> None:
    await asyncio.sleep(max(0.0, due - asyncio.get_running_loop().time()))
