"""What a person typed, as the page shows that it was understood (`vnla.language.reader`).

What is in view of a house that nobody has looked at yet is worked out from boxes, until that is done.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Container, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from vnla.assistance.advisor import Advisor
from vnla.camera import VIEWS, view_index
from vnla.houses.folder import WorldFolder
from vnla.houses.house import House
from vnla.language.reader import TextReading, find_end_goal, read_advice
from vnla.language.sights import plain_sights
from vnla.language.surroundings import Surroundings
from vnla.serve.events import Frozen, Pose
from vnla.serve.goals import sentence
from vnla.serve.limits import ReadingTime
from vnla.serve.places import PlaceNames

Result = TypeVar("Result")

_READER = ThreadPoolExecutor(max_workers=1, thread_name_prefix="reading")
"""Reads one text after the other: a long one takes about a second, and walks and pictures need the processor too."""


async def in_turn(time: ReadingTime, read: Callable[[], Result]) -> Result:
    """What `read` returns, when the texts before it are read, on the reading time of a session."""
    return await asyncio.get_running_loop().run_in_executor(_READER, time.measure, read)


class Reading(Frozen):
    """What was understood of a text, which stretches of it, and what could be said instead."""

    understood: str | None
    parts: tuple[tuple[int, int, bool], ...]
    suggestions: tuple[str, ...]


def of_advice(found: TextReading) -> Reading:
    """Advice in the agent's words."""
    return Reading(**found._asdict())


def of_end_goal(text: str, known: Sequence[str]) -> Reading:
    """One of the end-goals that are known, as people write it."""
    found = find_end_goal(text, known)
    return Reading(**{**found._asdict(), "understood": found.understood and sentence(found.understood)})


class AdviceReader:
    """Reads advice to an agent with these words, in the houses of a world."""

    def __init__(
        self,
        folder: WorldFolder,
        places: PlaceNames,
        words: Container[str],
        advisor: Advisor,
        around: Mapping[str, Surroundings] | None = None,
    ) -> None:
        """With houses that have been looked at already."""
        self._folder, self._places, self._words, self._advisor = folder, places, words, advisor
        self._around: dict[str, Surroundings] = dict(around or {})

    def prepare(self, around: Mapping[str, Surroundings]) -> None:
        """Take houses that have been looked at: what is read in them does not change any more."""
        self._around.update(around)

    def read(self, text: str, pose: Pose | None = None) -> TextReading:
        """What a text advises an agent at a pose, or anywhere, in words that it has."""
        if pose is None:
            return read_advice(text, self._advisor, self._words)
        house, number = self._places.viewpoint(pose.viewpoint)
        around = self._surroundings(house)
        viewpoint = around.graph.ids.index(house.viewpoints[number].id)
        return read_advice(
            text, self._advisor, self._words, (around, viewpoint * VIEWS + view_index(pose.row, pose.heading))
        )

    def _surroundings(self, house: House) -> Surroundings:
        """A house as it is known by now."""
        if house.name not in self._around:
            self._around[house.name] = Surroundings(house, plain_sights(house))
            threading.Thread(target=self._look, args=(house,), name=f"looking around in {house.name}", daemon=True).start()
        return self._around[house.name]

    def _look(self, house: House) -> None:
        """Find out what can be seen in a house: quick where somebody has, else a matter of seconds or minutes."""
        self._around[house.name] = Surroundings.of(self._folder, house)
