"""A scripted baseline: it does what the advisor says, else walks to what it seeks when that is in view, else explores.

It goes to the place it has not been to that takes the fewest actions, and stops when what it seeks is in view and near, or
when no place that it knows is nearer. It asks whenever it has nothing to go by: no advice left, nothing it seeks in view.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from vnla.assistance.phrases import read_subgoal
from vnla.common.errors import InputError
from vnla.observation import SYMBOLS, Observation
from vnla.remote.room_map import MapNode, Point, RoomMap
from vnla.tasks.end_goals import EndGoal, read_end_goal
from vnla.vision.symbols import Symbols
from vnla.world.actions import Nav


@dataclass
class ScriptState:
    """What a walker keeps of an episode."""

    sought: EndGoal
    places: RoomMap = field(default_factory=RoomMap)
    plan: list[Nav] = field(default_factory=list)
    """What is left of the advice."""
    found: Point | None = None
    """Where what it seeks is, once that was seen."""


class ScriptedPolicy:
    """See the module."""

    name = "scripted"
    observes = (SYMBOLS,)

    def __init__(self, asks: bool = True, near: float = 1.5) -> None:
        """`asks` for help; stops within so many metres of what it seeks."""
        self._asks, self._near = asks, near

    def reset(self, instruction: str) -> ScriptState:
        """Nothing is known yet."""
        return ScriptState(read_end_goal(instruction))

    def act(self, observation: Observation, state: ScriptState) -> tuple[tuple[Nav, bool], ScriptState]:
        """A request, or what to do."""
        _notice(state, observation)
        if self._asks and observation["may_request"] and not state.plan and state.found is None:
            return (Nav.STOP, True), state
        return (self._action(state, observation), False), state

    def _action(self, state: ScriptState, now: Observation) -> Nav:
        if state.plan:
            return state.plan.pop(0)
        if state.found is not None:
            return self._approach(state, state.found)
        return self.explore(state, now)

    def _approach(self, state: ScriptState, point: Point) -> Nav:
        """Towards what is sought, as near as one can get on places that are known."""
        places = state.places
        best = places.nearest(point, lambda place: state.sought.room in (None, place.room))
        here = places.all[places.here].point
        if best == places.here or math.dist(here, point) <= self._near:
            return Nav.STOP
        ways = places.steps_to()
        return places.toward(ways[best][1]) if best in ways else Nav.STOP

    def explore(self, state: ScriptState, now: Observation) -> Nav:
        """Towards the place it has not been to that costs least; or it looks around, where nothing is left or that is
        less."""
        places = state.places
        ways = places.steps_to()
        new = {each: steps for each, (steps, _) in ways.items() if not places.all[each].visited}
        costs = {each: steps + self.beyond(state, places.all[each]) for each, steps in new.items()}
        around = places.unlooked()
        if around is not None and (not costs or self.looks_around(state, min(costs.values()), abs(around), now)):
            return Nav.RIGHT if around > 0 else Nav.LEFT
        if not costs:
            return Nav.STOP
        return places.toward(ways[min(costs, key=lambda each: (costs[each], each))][1])

    def beyond(self, state: ScriptState, place: MapNode) -> float:  # noqa: ARG002
        """How many actions what is sought may be beyond a place: nobody knows."""
        return 0.0

    def looks_around(self, state: ScriptState, cost: float, turns: int, now: Observation) -> bool:  # noqa: ARG002
        """Whether to turn so often for something new rather than to go on: in the room that it seeks."""
        return state.sought.room is not None and state.places.all[state.places.here].room == state.sought.room


def _notice(state: ScriptState, now: Observation) -> None:
    """What became of the last action, what is in view, what the advisor said."""
    last = now["last"] or {"outcome": ""}
    if last["outcome"] == "moved":
        state.places.moved(last["metres"])
    elif last["outcome"] == "turned" and last["action"] is not None:
        state.places.turned(Nav[last["action"].upper()])
    symbols = Symbols.of(now[SYMBOLS])
    state.places.see(symbols)
    if state.sought.room in (None, symbols.room):
        seen = [thing for thing in symbols.things if thing.name == state.sought.thing]
        state.found = state.places.point_of(seen[0]) if seen else state.found
    if last["outcome"] == "answered":
        try:
            state.plan = list(read_subgoal(now["advice"] or ""))
        except InputError:
            state.plan = []  # an advisor whose language it does not know
