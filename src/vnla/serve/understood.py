"""What a person advises where an agent stands: by rules for turns and steps, and by what is there to be seen.

Turns and steps mean what the agent's advisor means by them (`vnla.assistance.understanding`). Whoever speaks of doors, rooms
and things is understood by the parser (`vnla.language.parser`), if the place is known: the agent hears the actions that this
leads to. What is in view of a house that has not been looked at yet is worked out from boxes, until that is done.
"""

from __future__ import annotations

import threading
from collections.abc import Container, Mapping
from itertools import groupby

from vnla.assistance import understanding
from vnla.assistance.advisor import Advisor
from vnla.assistance.phrases import COMMA, until_stop
from vnla.assistance.understanding import MOST_ACTIONS, Part, Understood
from vnla.camera import VIEWS, view_index
from vnla.houses.folder import WorldFolder
from vnla.houses.house import House
from vnla.language.advisor import GrammarAdvisor
from vnla.language.grammar import text_of
from vnla.language.grounding import denote
from vnla.language.parser import parse
from vnla.language.plainly import plain_words
from vnla.language.sights import plain_sights
from vnla.language.speaker.advisor import SpeakerAdvisor
from vnla.language.surroundings import Surroundings
from vnla.serve.events import Pose
from vnla.serve.places import PlaceNames
from vnla.world.actions import Nav


class Ears:
    """Understands advice for an agent with these words, in the houses of a world."""

    def __init__(
        self,
        folder: WorldFolder,
        places: PlaceNames,
        words: Container[str],
        advisor: Advisor,
        around: Mapping[str, Surroundings] | None = None,
    ) -> None:
        """With houses that have been looked at already."""
        self._folder, self._places, self._words = folder, places, words
        self._as_people = isinstance(advisor, GrammarAdvisor | SpeakerAdvisor)
        self._around: dict[str, Surroundings] = dict(around or {})

    def advice(self, text: str, pose: Pose | None = None) -> Understood:
        """What a text advises an agent at a pose, in words that it has."""
        by_rules = understanding.advice(text, self._words)
        if pose is None or (not _strange(by_rules.parts) and not self._as_people):
            return by_rules
        house, number = self._places.viewpoint(pose.viewpoint)
        around = self._surroundings(house)
        place = around.graph.ids.index(house.viewpoints[number].id) * VIEWS + view_index(pose.row, pose.heading)
        meant = denote(parse(text), around, place, around.after)
        phrase = self._worded(meant.plan)
        if phrase is None or (_strange(meant.parts) >= _strange(by_rules.parts) and not self._as_people):
            return by_rules
        return Understood(phrase, meant.parts)

    def _worded(self, plan: tuple[Nav, ...]) -> str | None:
        """A plan in the agent's words, as far as it listens; None if it lacks them."""
        plan = until_stop(plan[:MOST_ACTIONS])
        if not plan:
            return None
        if self._as_people:
            return text_of(plain_words(plan))
        phrases = [understanding.worded(list(run), self._words) for _, run in groupby(plan)]
        return f"{COMMA} ".join(phrase for each in phrases for phrase in each) if all(phrases) else None

    def _surroundings(self, house: House) -> Surroundings:
        """A house as it is known by now."""
        if house.name not in self._around:
            self._around[house.name] = Surroundings(house, plain_sights(house))
            threading.Thread(target=self._look, args=(house,), name=f"looking around in {house.name}", daemon=True).start()
        return self._around[house.name]

    def _look(self, house: House) -> None:
        """Find out what can be seen in a house: quick where somebody has, else a matter of seconds or minutes."""
        self._around[house.name] = Surroundings.of(self._folder, house)


def _strange(parts: tuple[Part, ...]) -> int:
    """How much of a text was not understood: letters."""
    return sum(end - start for start, end, good in parts if not good)
