"""Candidates to go to, for a model that is shown what is all around: the exits of the viewpoint by number, nearest first.

A model that goes to candidate 3 names no action. It walks there by the first action of that exit (`exits[2]["action"]`),
again and again: turns, a look level, `forward`. Every action is one of the six and takes its time step, so an episode is the
same as if the model had named them. The walk ends where the model stands there, and wherever something happens that was not
to be expected: nothing at all, another distance, an advisor who acts in its place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from vnla.camera import HEADINGS
from vnla.observation import EXITS, Observation
from vnla.remote.evaluated_agent import ACTIONS, Answer

DEGREES = 360 // HEADINGS
MOST_ACTIONS = HEADINGS
"""Of one walk: half a turn, a look level and `forward` are fewer."""
LEVEL = 10.0
"""Degrees of elevation of an exit that are not worth a word."""
NEAR = 0.02
"""Metres by which two distances that were rounded may differ."""

Found = Sequence[Mapping[str, Any]]
"""Exits as they are observed."""


def listed(exits: Found) -> str:
    """A line for each candidate."""
    return "\n".join(f"{number}: {_told(each)}" for number, each in enumerate(exits, start=1)) or "none"


def sector(heading: float) -> int:
    """Which of the twelve headings a direction is nearest to, counted to the right from the agent's own."""
    return round(heading / DEGREES) % HEADINGS


def direction(degrees: float) -> str:
    """A heading from the agent's own, in words."""
    whole = round(degrees + 180) % 360 - 180
    if whole in (0, -180):
        return "behind you" if whole else "ahead"
    return f"{abs(whole)} degrees to the {'right' if whole > 0 else 'left'}"


def _told(each: Mapping[str, Any]) -> str:
    height = each["elevation"]
    rise = f", {abs(height):.0f} degrees {'up' if height > 0 else 'down'}" if abs(height) >= LEVEL else ""
    been = ", you came from there" if each["came_from"] else ", you were there before" if each["visited"] else ""
    return f"{direction(each['heading'])}, {each['metres']:.1f} m{rise}{been}"


@dataclass
class ExitWalk:
    """A walk to a candidate that is under way."""

    number: int
    metres: float
    done: list[str] = field(default_factory=list)
    """The names of the actions that were taken."""

    @classmethod
    def begin(cls, number: int, exits: Found) -> tuple[Answer, ExitWalk]:
        """The first action, and the walk."""
        walk = cls(number, exits[number - 1]["metres"])
        return walk._toward(exits), walk

    def onward(self, now: Observation) -> Answer | None:
        """The next action, None where the walk is over."""
        last, exits = now["last"], now[EXITS]
        goes_on = last["outcome"] == "turned" and not last["led"] and len(self.done) < MOST_ACTIONS
        if not goes_on or not self._is_among(exits):
            return None
        return self._toward(exits)

    def told(self, outcome: str, last: Mapping[str, Any]) -> str:
        """What became of it, in words; `outcome` is what became of its last action."""
        before = [f"{name}, " for name in self.done[:-1]]
        elsewhere = last["outcome"] == "moved" and abs(last["metres"] - self.metres) > NEAR
        where = f"; that is another place than candidate {self.number}" if elsewhere else ""
        short = "" if last["outcome"] == "moved" else "; you are not there"
        return f"go {self.number}: {''.join(before)}{outcome}{where}{short}"

    def _toward(self, exits: Found) -> Answer:
        name = exits[self.number - 1]["action"]
        self.done.append(name)
        return Answer(ACTIONS[name])

    def _is_among(self, exits: Found) -> bool:
        """Whether the exit is still there under its number: it is while the agent stays where it is."""
        return len(exits) >= self.number and abs(exits[self.number - 1]["metres"] - self.metres) <= NEAR
