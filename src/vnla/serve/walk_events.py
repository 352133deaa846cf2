"""Walks as events: an agent's walk as a whole, a person's step by step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from vnla.serve import events
from vnla.serve.agent_walk import AgentWalk, WalkStep
from vnla.serve.endings import ending
from vnla.serve.events import ACTIONS, Event, Mode
from vnla.serve.goals import sentence
from vnla.serve.persons import PersonsWalk
from vnla.serve.places import VisitorWorld
from vnla.serve.reduce import State

_DIGITS = 3
"""Of probabilities: a page shows no more."""


@dataclass(frozen=True)
class Typed:
    """What a person typed, and which stretches of it were understood."""

    text: str
    parts: list[tuple[int, int, bool]]


def walk_events(
    walk: AgentWalk,
    world: VisitorWorld,
    *,
    first: int = 0,
    answered: bool = False,
    waits: bool = False,
    typed: Mapping[int, Typed] | None = None,
    link: str | None = None,
    over: bool = True,
) -> Iterator[Event]:
    """Yield the steps of a walk from the `first` on, and its end if it is `over`.

    Of the first step only what follows a request is yielded if that is now `answered`. If the agent `waits`, the events end
    with its first request that no person has answered. `typed` has what persons wrote, beside what the agent read.
    """
    for number, step in enumerate(walk.steps[first:], start=first):
        if not (answered and number == first):
            yield stood_event(world, number, step.pose, walk.time - number, step.requests_left)
            if step.asked and waits and not step.by_person:
                yield _thought_event(step, decided=False)
                yield events.AskedEvent(step=number, by="agent")
                yield events.WaitsEvent(step=number, way=world.way(step.pose, walk.task), offer=step.advice or "")
                return
            if step.asked:
                yield events.AskedEvent(step=number, by="agent")
        if step.advice is not None:
            yield _advised_event(step, (typed or {}).get(number))
        yield _thought_event(step)
        yield events.ActedEvent(action=ACTIONS[step.action], pose=world.pose(step.pose_after))
    if over:
        yield ended_event(walk, world, link)


def told_again(state: State) -> Iterator[Event]:
    """Yield the events of a person's walk that is not over, as a session has them in its state."""
    yield events.BegunEvent(**state["begun"])
    for step in state["steps"]:
        number = step["step"]
        yield events.StoodEvent(**{name: step[name] for name in ("step", "pose", "steps_left", "requests_left", "ahead")})
        if step["asked"]:
            yield events.AskedEvent(step=number, by=step["asked"])
        if step["advised"]:
            yield events.AdvisedEvent(**step["advised"])
        if step["acted"]:
            yield events.ActedEvent(**step["acted"])


def begun_event(
    walk: AgentWalk | PersonsWalk, start: int, world: VisitorWorld, mode: Mode, episode: str, link: str | None = None
) -> events.BegunEvent:
    """Return how an episode begins, at the pose `start`."""
    return events.BegunEvent(
        mode=mode,
        episode=episode,
        house=world.places.name(world.house(walk.task)),
        sentence=sentence(walk.task.end_goal),
        time=walk.time,
        requests=walk.requests,
        k=walk.k,
        start=world.pose(start),
        link=link,
    )


def stood_event(world: VisitorWorld, step: int, pose: int, steps_left: int, requests_left: int) -> events.StoodEvent:
    """Return how a step begins."""
    where, ahead = world.pose(pose), world.ahead(pose)
    return events.StoodEvent(step=step, pose=where, steps_left=steps_left, requests_left=requests_left, ahead=ahead)


def ended_event(walk: AgentWalk | PersonsWalk, world: VisitorWorld, link: str | None = None) -> events.EndedEvent:
    """Return how a walk ended."""
    return events.EndedEvent(
        reason="stopped" if walk.stopped else "time",
        success=walk.success,
        metres=rounded_metres(walk.metres),
        goals=world.goals(walk.task),
        link=link,
        ending=ending(world, walk.task, walk.poses, success=walk.success, names=isinstance(walk, PersonsWalk)),
    )


def rounded_metres(metres: float) -> float:
    """Return a distance as events have it."""
    return round(metres, 2)


def _advised_event(step: WalkStep, typed: Typed | None) -> events.AdvisedEvent:
    if not step.by_person:
        return events.AdvisedEvent(by="advisor", text=step.advice or "", understood=step.advice)
    text, parts = (typed.text, typed.parts) if typed else (step.advice or "", [])
    return events.AdvisedEvent(by="visitor", text=text, understood=step.advice or None, parts=parts)


def _thought_event(step: WalkStep, *, decided: bool = True) -> events.ThoughtEvent:
    """Return the agent's probabilities; before it has an answer it has not `decided`."""
    return events.ThoughtEvent(
        before=_rounded(step.before),
        after=_rounded(step.after) if decided else [],
        ask=round(step.ask, _DIGITS),
        attention=[(word, round(weight, _DIGITS)) for word, weight in step.attention] if decided else [],
    )


def _rounded(probabilities: tuple[float, ...]) -> list[float]:
    return [round(each, _DIGITS) for each in probabilities]
