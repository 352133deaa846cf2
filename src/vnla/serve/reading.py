"""What a person typed, as the page shows that it was understood."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from vnla.assistance.understanding import Known, Understood, end_goal
from vnla.serve.events import Frozen
from vnla.serve.goals import sentence
from vnla.serve.limits import ReadingTime

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


def of_advice(found: Understood) -> Reading:
    """Advice in the agent's words."""
    return Reading(understood=found.phrase, parts=found.parts, suggestions=found.suggestions)


def of_end_goal(text: str, known: Sequence[Known]) -> Reading:
    """One of the end-goals that are known, as people write it."""
    found = end_goal(text, known)
    meant = found.end_goal and sentence(found.end_goal)
    return Reading(understood=meant, parts=found.parts, suggestions=found.suggestions)
