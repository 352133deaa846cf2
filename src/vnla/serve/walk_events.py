"""An agent's walk as events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from vnla.serve.agent_walk import AgentWalk, WalkStep
from vnla.serve.events import (
    ACTIONS,
    ActedEvent,
    AdvisedEvent,
    AskedEvent,
    BegunEvent,
    EndedEvent,
    Event,
    Mode,
    StoodEvent,
    ThoughtEvent,
    WaitsEvent,
)
from vnla.serve.goals import sentence
from vnla.serve.scene import VisitorWorld

_DIGITS = 3
"""Of probabilities: a page shows no more."""


@dataclass(frozen=True)
class Typed:
    """What a person typed, and which stretches of it were understood."""

    text: str
    parts: list[tuple[int, int, bool]]


def begun(walked: AgentWalk, scene: VisitorWorld, mode: Mode, episode: str, link: str | None) -> BegunEvent:
    """How an episode begins."""
    return BegunEvent(
        mode=mode,
        episode=episode,
        house=scene.places.name(scene.house(walked.task)),
        sentence=sentence(walked.task.end_goal),
        time=walked.time,
        requests=walked.requests,
        k=walked.k,
        start=scene.pose(walked.start),
        link=link,
    )


def told(
    walked: AgentWalk,
    scene: VisitorWorld,
    *,
    first: int = 0,
    answered: bool = False,
    waits: bool = False,
    typed: Mapping[int, Typed] | None = None,
    link: str | None = None,
) -> Iterator[Event]:
    """The steps of a walk from the `first` on, and its end; of the first only what follows a request that is now `answered`.

    If the agent `waits`, they end with its first request that no person has answered. What persons have `typed` is told
    beside what the agent read.
    """
    for number, step in enumerate(walked.steps[first:], start=first):
        if not (answered and number == first):
            yield stood(walked, scene, number)
            if step.asked and waits and not step.by_person:
                yield _thought(step, decided=False)
                yield AskedEvent(step=number, by="agent")
                yield WaitsEvent(step=number, way=scene.way(step.pose, walked.task), offer=step.told or "")
                return
            if step.asked:
                yield AskedEvent(step=number, by="agent")
        if step.told is not None:
            yield _advised(step, (typed or {}).get(number))
        yield _thought(step)
        yield ActedEvent(action=ACTIONS[step.action], pose=scene.pose(step.pose_after))
    yield EndedEvent(
        reason="stopped" if walked.stopped else "time",
        success=walked.success,
        metres=metres(walked.metres),
        goals=scene.goals(walked.task),
        link=link,
    )


def stood(walked: AgentWalk, scene: VisitorWorld, number: int) -> StoodEvent:
    """How a step begins."""
    step = walked.steps[number]
    return StoodEvent(
        step=number,
        pose=scene.pose(step.pose),
        steps_left=walked.time - number,
        requests_left=step.requests_left,
        ahead=scene.ahead(step.pose),
    )


def metres(exact: float) -> float:
    """A distance as it is told."""
    return round(exact, 2)


def _advised(step: WalkStep, typed: Typed | None) -> AdvisedEvent:
    if not step.by_person:
        return AdvisedEvent(by="advisor", text=step.told or "", understood=step.told)
    text, parts = (typed.text, typed.parts) if typed else (step.told or "", [])
    return AdvisedEvent(by="visitor", text=text, understood=step.told or None, parts=parts)


def _thought(step: WalkStep, *, decided: bool = True) -> ThoughtEvent:
    """What the agent thought; not yet `decided` before it has an answer."""
    return ThoughtEvent(
        before=_rounded(step.before),
        after=_rounded(step.after) if decided else [],
        ask=round(step.ask, _DIGITS),
        attention=[(word, round(weight, _DIGITS)) for word, weight in step.attention] if decided else [],
    )


def _rounded(probabilities: tuple[float, ...]) -> list[float]:
    return [round(each, _DIGITS) for each in probabilities]
