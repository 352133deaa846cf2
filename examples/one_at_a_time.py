"""A policy that acts one episode at a time, in words, and does not learn: it walks until it sees what was asked for.

vnla evaluate --agent examples.one_at_a_time:Looking --world worlds/small --tasks tasks/small
vnla train runs/words --agent examples.one_at_a_time:Looking --iterations 0 --world worlds/small --tasks tasks/small
vnla evaluate runs/words
vnla watch runs/words
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from vnla import Nav, Observation, read_subgoal


@dataclass(frozen=True)
class State:
    """What it is after, what it is to do next, and for how long it has gone its own way."""

    goal: frozenset[str]
    plan: tuple[Nav, ...] = ()
    alone: int = 0


class Looking:
    """Stops where the thing is in view, does as it is told, else walks straight on or turns, and asks now and then."""

    observes = ("text",)

    def __init__(self, patience: int = 4) -> None:
        self.patience = patience

    def reset(self, instruction: str) -> State:
        return State(frozenset(instruction.split("in one of")[0].split()) - {"find", "a", "an", "the", "."})

    def hear(self, utterance: str, state: State) -> State:
        return replace(state, plan=read_subgoal(utterance), alone=0)

    def act(self, observation: Observation, state: State) -> tuple[tuple[Nav, bool], State]:
        if state.plan:
            return (state.plan[0], False), replace(state, plan=state.plan[1:])
        found = state.goal and state.goal <= set(observation["text"].split())
        onward = Nav.FORWARD if observation["last_action"] is not Nav.FORWARD or state.alone % 2 else Nav.RIGHT
        return (Nav.STOP if found else onward, state.alone >= self.patience), replace(state, alone=state.alone + 1)
