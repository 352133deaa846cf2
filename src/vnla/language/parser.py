"""What somebody typed, as frames: the way back from `vnla.language.grammar`, and tolerant of what the grammar never says.

    parsed = parse("out of the kitchen, past the sofa, second door on the left")
    denoted = denote(parsed, around, pose, step)    # vnla.language.grounding: where that leads in a house

Words become tokens (`vnla.language.lexer`). One grammar puts their stretches in order (`vnla.language.discourse`), and
another makes clauses of each (`vnla.language.clauses`), one after the other. What no form takes is not understood. The
clause after a "not" is understood as what is not to be done. Nothing that somebody types is an error: parts of the text
tell what was understood, and `why` tells why nothing was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

from vnla.language.clauses import Groups, clause_grammar, longest
from vnla.language.discourse import PAUSES, Stretch, in_order
from vnla.language.frames import Frame, StopFrame
from vnla.language.lexer import LONGEST, UNKNOWN, Token, tokens

Part = tuple[int, int, bool]
"""From where to where in a text, and whether that was understood."""

_MOST_CLAUSES = 24
_VERBS = frozenset(("go", "turn", "look"))
EXAMPLE = "say for example: turn left, go to the sofa"


class Clause(NamedTuple):
    """One thing that is to be done: what it may be, the likeliest first, and the stretch of the text that says it.

    Landmarks have a noun, or several frames one each, but no thing yet: which one is meant is seen at a pose.
    """

    frames: tuple[Frame, ...]
    start: int
    end: int
    again: bool = False
    """Whether it is about what was named before."""
    vague: bool = False
    """Whether it says that one turns, or walks, but not how far."""
    after: str = ""
    """The token of the pause before it, if there is one: a comma, or the `&` of "and" and "then"."""


@dataclass(frozen=True)
class Parsed:
    """A text as it was understood, wherever it may be said."""

    clauses: tuple[Clause, ...]
    parts: tuple[Part, ...]
    why: str | None = None
    """Why nothing, or not all of it, was understood."""
    forbidden: tuple[Frame, ...] = ()
    """What is not to be done."""
    notes: tuple[str, ...] = ()
    """What somebody should know though it was understood: that 45 degrees are no turn, say."""


def parse(text: str) -> Parsed:
    """What a text says is to be done."""
    if not text.strip():
        return Parsed((), (), "nothing was said")
    row, stretches = in_order(_compounds(tokens(text)), text)
    said = _Said()
    for stretch in sorted(stretches, key=lambda each: each.start):
        _read(row, stretch, said)
    clauses = tuple(clause for stretch in stretches for clause in said.clauses.get(stretch.start, ()))[:_MOST_CLAUSES]
    parts = _parts(said.parts, len(text))
    notes = tuple(dict.fromkeys(filter(None, said.notes)))
    return Parsed(clauses, parts, _why(text, bool(clauses), parts, notes), tuple(said.forbidden), notes)


@dataclass
class _Said:
    """What was read so far."""

    clauses: dict[int, list[Clause]] = field(default_factory=dict)
    """Of each stretch, by where it begins."""
    parts: list[Part] = field(default_factory=list)
    forbidden: list[Frame] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    named: Groups = field(default_factory=dict)


def _read(row: Sequence[Token], stretch: Stretch, said: _Said) -> None:
    """The clauses of a stretch of tokens, and the tokens that belong to none."""
    if stretch.dropped is not None:
        said.parts += [(each.start, each.end, not stretch.dropped) for each in row[stretch.start : stretch.end]]
        said.notes.append(stretch.dropped)
        return
    row = row[: stretch.end]
    text = "".join(f"{each.kind} " for each in row)
    place = [0, *accumulate(len(each.kind) + 1 for each in row)]  # where each token begins in it
    index = {where: i for i, where in enumerate(place)}
    clauses = said.clauses.setdefault(stretch.start, [])
    at, stopping, forbidding = stretch.start, -1, False
    while at < len(row):
        if row[at].kind in PAUSES:
            at, forbidding = at + 1, False
            continue
        before = row[at - 1].kind if at and row[at - 1].kind in PAUSES else ""
        if clause_grammar().stop_at.match(text, place[at]):
            stopping, at = len(clauses), at + 1
        if row[at].kind == "not":
            said.parts.append((row[at].start, row[at].end, True))
            at, forbidding = at + 1, True
            continue
        aside = clause_grammar().aside.match(text, place[at])
        found = longest(text, place[at], said.named)
        if aside is not None and aside.end() >= found.end and stopping < len(clauses) and not forbidding:
            at = index[aside.end()]
            continue
        end, said.named = max(index[found.end], at + 1), found.named
        said.notes += found.notes
        if found.frames:
            start, stop = row[at].start, row[end - 1].end
            said.parts.append((start, stop, True))
            if forbidding:
                said.forbidden += found.frames
            else:
                clauses.append(Clause(found.frames, start, stop, found.again, found.vague, before))
        elif forbidding and row[at].kind != UNKNOWN:
            said.parts.append((row[at].start, row[at].end, True))  # "without turning"
        elif end > at + 1 or row[at].kind not in clause_grammar().soft:
            said.parts += [(each.start, each.end, False) for each in row[at:end]]
        forbidding = forbidding and not found.frames and row[at].kind not in _VERBS
        at = end
    if 0 <= stopping == len(clauses) - 1:
        clauses.append(Clause((StopFrame(),), clauses[-1].end, clauses[-1].end))


def _why(text: str, anything: bool, parts: Sequence[Part], notes: Sequence[str]) -> str | None:
    if not any(each.isalpha() and each.isascii() for each in text):
        return f"there is no word in it that could be read; {EXAMPLE}"
    if notes:
        return "; ".join(notes)
    if not anything:
        return f"nothing in it says where to go; {EXAMPLE}"
    if len(text) > LONGEST:
        return f"it is too long: only the first {LONGEST} characters were read"
    if not all(good for _, _, good in parts):
        return "not all of it was understood"
    return None


_DOORS = {"door", "gap", "way"}


def _compounds(row: Sequence[Token]) -> list[Token]:
    """The door of a room, and the hall door, as the room: it is the way there. A picture of flowers is a picture.
    Who is to go back, and is not told where to, turns around and goes. A comma with a "then" is a "then"."""
    kept: list[Token] = []
    for at, each in enumerate(row):
        before = kept[-1] if kept else Token(",", 0, 0)
        if each.kind == "back" and before.kind in PAUSES and (at + 1 == len(row) or row[at + 1].kind in PAUSES):
            kept += (Token(kind, each.start, each.end) for kind in ("turn", "around", ",", "go"))
        elif each.kind in _DOORS and before.kind.startswith("room"):
            kept[-1] = Token(before.kind, before.start, each.end)
        elif each.kind.startswith("room") and before.kind in _DOORS:
            kept[-1] = Token(each.kind, before.start, each.end)
        elif kept and each.kind in PAUSES and before.kind in PAUSES:
            kept[-1] = each if each.kind == "&" else before
        elif not (each.kind.startswith("thing") and before.kind.startswith("thing")):
            kept.append(each)
    return kept


def _parts(told: Sequence[Part], size: int) -> tuple[Part, ...]:
    """Stretches of the text in order, those that are strange and next to each other as one; what is too long is strange."""
    known: list[Part] = []
    for start, end, good in sorted(told):
        start = max(start, known[-1][1] if known else 0)  # tokens of one phrase may be of two clauses
        if good and start < end:
            known.append((start, end, True))
    strange = [each for each in told if not each[2] and all(each[1] <= start or each[0] >= end for start, end, _ in known)]
    strange += [(LONGEST, size, False)] if size > LONGEST else []
    parts: list[Part] = []
    for start, end, good in sorted([*known, *strange]):
        if parts and not good and not parts[-1][2]:
            parts[-1] = (parts[-1][0], max(end, parts[-1][1]), False)
        else:
            parts.append((start, end, good))
    return tuple(parts)
