"""Whether a sentence that somebody else wrote may be said of a plan: the reader takes it to the right place.

    judged("go past the sofa into the kitchen", around, actions, poses).kept

Every word has to be understood, so that nothing is said that nobody could check, and the way that it means has to end where
the plan ends. How many actions are meant is not told to the reader. A sentence that is kept may still be taken loosely: that
it is also true as frames mean it stands in `true`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from vnla.assistance.phrases import subgoal_text, until_stop
from vnla.language.grounding import denote
from vnla.language.parser import parse
from vnla.language.speaker.composing import stepping
from vnla.language.surroundings import Surroundings
from vnla.world.actions import Nav

LONGEST = 240
"""Characters of a sentence that is listened to."""
_PLAIN = re.compile(r"[A-Za-z0-9 ,.;:!?'’\"()-]+")


class SentenceVerdict(NamedTuple):
    """What became of a sentence."""

    kept: bool
    why: str
    """Why it was not kept; "" where it was."""
    true: bool = False
    """Whether all of it is so as frames mean it."""


def judged(text: str, around: Surroundings, actions: Sequence[Nav], poses: Sequence[int]) -> SentenceVerdict:
    """Whether a sentence may be said of a plan: `poses` are those of the house before each action and after the last."""
    if (refused := _refused(text)) is not None:
        return SentenceVerdict(False, refused)
    actions = until_stop(actions)
    end = poses[len(actions)]
    meant = denote(parse(text), around, poses[0], stepping(around, actions, list(poses)), guided=True)
    if meant.why is not None:
        return SentenceVerdict(False, f"not understood: {meant.why}")
    if meant.pose != end or (Nav.STOP in meant.plan) != (Nav.STOP in actions):
        return SentenceVerdict(False, f"it leads elsewhere: {subgoal_text(meant.plan) or 'nowhere'}")
    return SentenceVerdict(True, "", meant.true)


def is_answer(text: str) -> bool:
    """Whether a text may be an answer to a question back: a line of plain words."""
    return _refused(text) is None


def _refused(text: str) -> str | None:
    """Why a text is not even read: it is no line of plain words."""
    if not text.strip():
        return "it says nothing"
    if len(text) > LONGEST:
        return f"it has more than {LONGEST} characters"
    if "\n" in text.strip():
        return "it has several lines"
    return None if _PLAIN.fullmatch(text) else "it has characters that are in no sentence"
