"""What a person typed, as the page shows that it was understood (`vnla.language.reader`).

What is in view of a house that nobody has looked at yet is worked out from boxes, until that is done.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Container, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from vnla.assistance.advisor import Advisor
from vnla.assistance.phrases import until_stop
from vnla.camera import VIEWS, view_index
from vnla.common.errors import InputError
from vnla.houses.folder import WorldFolder
from vnla.houses.house import House
from vnla.language.dialogue import Asking, QuestionBack, ask_back, choice_of
from vnla.language.grammar import text_of
from vnla.language.reader import LONGEST_ADVICE, TextReading, find_end_goal, read_advice
from vnla.language.readings import readings
from vnla.language.sights import plain_sights, sights_in_background
from vnla.language.surroundings import Surroundings
from vnla.language.wording import worded
from vnla.serve.absent import absent
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


class ClosePlan(Frozen):
    """One of two ways to understand a text that are almost as likely: for drawing, with the viewpoints it leads along."""

    understood: str
    actions: tuple[str, ...]
    viewpoints: tuple[str, ...]


class Reading(Frozen):
    """What was understood of a text, which stretches of it, what could be said instead, why not all was understood, and the
    two plans that it may mean where that is hardly clear."""

    understood: str | None
    parts: tuple[tuple[int, int, bool], ...]
    suggestions: tuple[str, ...]
    why: str | None = None
    plans: tuple[ClosePlan, ...] = ()
    absent: tuple[str, ...] = ()
    """What was named and is nowhere in the house."""


def of_advice(text: str, found: TextReading, house: House | None) -> Reading:
    """Advice in the agent's words, given in a house or in any."""
    plans = tuple(ClosePlan(**each._asdict()) for each in found.plans)
    return Reading(**{**found._asdict(), "plans": plans}, absent=absent(text, found.parts, house) if house else ())


def of_end_goal(text: str, known: Sequence[str], houses: Sequence[House]) -> Reading:
    """One of the end-goals that are known, as people write it, in one of these houses."""
    found = find_end_goal(text, known)
    nowhere = [set(absent(text, found.parts, house)) for house in houses]
    missing = tuple(name for name in absent(text, found.parts, houses[0]) if all(name in each for each in nowhere))
    return Reading(**{**found._asdict(), "understood": found.understood and sentence(found.understood)}, absent=missing)


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
        self._looking = threading.Lock()
        """Held while a house is looked at: one after the other."""

    def prepare(self, around: Mapping[str, Surroundings]) -> None:
        """Take houses that have been looked at: what is read in them does not change any more."""
        self._around.update(around)

    def read(self, text: str, pose: Pose | None = None) -> TextReading:
        """What a text advises an agent at a pose, or anywhere, in words that it has."""
        if pose is None:
            return read_advice(text, self._advisor, self._words)
        place = self._place(pose)
        found, house = read_advice(text, self._advisor, self._words, place), place[0].house
        names = {house.viewpoints[at].id: name for at, name in self._places.viewpoints(house).items()}
        plans = (each._replace(viewpoints=tuple(names[at] for at in each.viewpoints)) for each in found.plans)
        return found._replace(plans=tuple(plans))

    def ask_back(self, text: str, pose: Pose, asking: Asking) -> QuestionBack | None:
        """What to ask somebody whose text may mean several things there; None where it need not be asked."""
        around, here = self._place(pose)
        return ask_back(readings(text, around, here, around.after), around, here, asking)

    def chosen(self, answer: str, question: QuestionBack) -> str | None:
        """The reading that an answer chooses, in words that the agent has; None if none."""
        choice = choice_of(answer, question)
        plan = () if choice is None else question.readings[choice].plan
        return text_of(worded(until_stop(plan[:LONGEST_ADVICE]), self._advisor, self._words)) or None

    def _place(self, pose: Pose) -> tuple[Surroundings, int]:
        """A house, and the pose in it."""
        house, number = self._places.viewpoint(pose.viewpoint)
        around = self._surroundings(house)
        viewpoint = around.graph.ids.index(house.viewpoints[number].id)
        return around, viewpoint * VIEWS + view_index(pose.row, pose.heading)

    def shown(self, text: str, found: TextReading, pose: Pose | None) -> Reading:
        """Return a reading as the page shows it."""
        return of_advice(text, found, None if pose is None else self._places.viewpoint(pose.viewpoint)[0])

    def _surroundings(self, house: House) -> Surroundings:
        """A house as it is known by now."""
        if house.name not in self._around:
            self._around[house.name] = Surroundings(house, plain_sights(house))
            threading.Thread(target=self._look, args=(house,), name=f"looking around in {house.name}", daemon=True).start()
        return self._around[house.name]

    def _look(self, house: House) -> None:
        """Find out what can be seen in a house, which takes seconds; if that fails, boxes have to do."""
        with self._looking, contextlib.suppress(InputError):
            self._around[house.name] = Surroundings(house, sights_in_background(self._folder, house))
