"""What a person typed, as the page shows that it was understood."""

from __future__ import annotations

from collections.abc import Sequence

from vnla.serve.events import Frozen
from vnla.serve.goals import Sought
from vnla.tasks.vocabulary import Vocabulary

Parts = list[tuple[int, int, bool]]


class Reading(Frozen):
    """What was understood of a text, which stretches of it, and what could be said instead."""

    understood: str | None
    parts: Parts
    suggestions: tuple[str, ...] = ()


def of_advice(text: str, words: Vocabulary) -> Reading:
    """Advice in the agent's words."""
    from vnla.roles.understanding import advice

    found = advice(text, words)
    return Reading(understood=found.phrase, parts=[*found.parts])


def of_end_goal(text: str, known: Sequence[Sought]) -> Reading:
    """One of the end-goals that are known."""
    from vnla.roles.understanding import end_goal

    found = end_goal(text, known)
    return Reading(understood=found.end_goal, parts=[*found.parts], suggestions=tuple(found.suggestions))
