"""An agent that acts one at a time, in words, and does not learn: it walks until it sees what was asked for.

vnla train runs/words --agent examples.one_at_a_time:Looking --iterations 0 --world worlds/small --tasks tasks/small
vnla evaluate runs/words
vnla watch runs/words
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from vnla import Glimpse, Nav, read_subgoal


@dataclass(frozen=True)
class State:
    """What it is after, what it was told to do next, and for how long it has gone its own way."""

    goal: frozenset[str]
    plan: tuple[Nav, ...] = ()
    alone: int = 0


class Looking:
    """Stops where the thing is in view, does as it is told, else walks straight on or turns, and asks now and then."""

    sees = ("text",)
    batched = False

    def __init__(self, patience: int = 4) -> None:
        self.patience = patience

    def begin(self, instruction: str) -> State:
        return State(frozenset(instruction.split("in one of")[0].split()) - {"find", "a", "an", "the", "."})

    def act(self, seen: Glimpse, state: State) -> tuple[tuple[Nav, bool], State]:
        if seen.asked:
            state = replace(state, plan=read_subgoal(seen.told), alone=0)
        if state.plan:
            return (state.plan[0], False), replace(state, plan=state.plan[1:])
        found = state.goal and state.goal <= set(seen.views["text"].split())
        onward = Nav.FORWARD if seen.last_action is not Nav.FORWARD or state.alone % 2 else Nav.RIGHT
        return (Nav.STOP if found else onward, state.alone >= self.patience), replace(state, alone=state.alone + 1)
