"""The order in which what a sentence says is to be done: a grammar of its stretches, `data/sentence.lark`.

"Before you go forward, turn left", "left, no, right", "if you see a door, go through, otherwise turn": words such as these
stand between stretches of signs. Here they say which stretch comes first, which one another takes the place of, and what
depends on a condition. A sentence without such words is one stretch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput
from lark.lexer import Lexer

from vnla.language.meanings import Sign

PAUSES = frozenset((",", "&"))
_MARKS = {"before": "BEFORE", "after": "AFTER", "first": "FIRST", "fix": "FIX", "or": "OR", "if": "IF", "else": "OTHERWISE"}
_DONE = frozenset(
    ("go", "turn", "look", "enter", "leave", "use", "up", "down", "left", "right", "ahead", "begin", "past", "reach")
)
"""Signs with which something that is done begins: "before the door" is no order."""
IT_DEPENDS = "it depends on something that only you can see: say what to do, without “if”"
EITHER = "of two ways the first was taken"


@dataclass(frozen=True)
class Stretch:
    """Signs that belong together: where they begin and end in the row that a sentence is."""

    start: int
    end: int
    dropped: str | None = None
    """Why nothing of it is done; "" if that is as it should be."""


def in_order(row: Sequence[Sign], text: str) -> tuple[list[Sign], list[Stretch]]:
    """The signs of a sentence with corrections made, and its stretches in the order in which they are done."""
    row, tokens = list(row), list(_tokens(row, text))
    if all(token.type in ("SEGMENT", "PAUSE") for token in tokens):
        return row, [Stretch(0, len(row))]
    try:
        tree = _grammar().parse(tokens)
    except UnexpectedInput:
        return row, [Stretch(token.value[0], token.value[1]) for token in tokens if token.type == "SEGMENT"]
    return row, list(_joined(_stretches(tree, row)))


class _Given(Lexer):
    """Tokens that are there already."""

    def __init__(self, _: object) -> None:
        """Nothing has to be known of the grammar."""

    def lex(self, lexer_state: Any, parser_state: Any = None) -> Iterator[Token]:  # noqa: ARG002
        """One token after the other."""
        yield from lexer_state


@cache
def _grammar() -> Lark:
    text = (files("vnla.language") / "data" / "sentence.lark").read_text(encoding="utf-8")
    return Lark(text, parser="lalr", lexer=_Given)


def _tokens(row: Sequence[Sign], text: str) -> Iterator[Token]:
    """Segments, pauses and marks, without pauses around marks, or at the ends, and without marks that part nothing."""
    kept: list[Token] = []
    for at, sign in enumerate(row):
        kind = _mark(row, at, text)
        last = kept[-1].type if kept else "PAUSE"
        if kind == "SEGMENT" and last == "SEGMENT":
            kept[-1] = Token("SEGMENT", (kept[-1].value[0], at + 1))
        elif kind == "SEGMENT":
            kept.append(Token("SEGMENT", (at, at + 1)))
        elif kind == "PAUSE":
            if last == "SEGMENT":
                kept.append(Token("PAUSE", sign.sign))
        else:
            opens = kind in ("BEFORE", "AFTER", "IF")
            if last == "PAUSE" and kept and not (opens and _begins_anew(row, at)):
                kept.pop()
            if kept or opens:
                kept.append(Token(kind, sign.sign))
    while kept and kept[-1].type != "SEGMENT":
        kept.pop()
    return iter(kept)


def _begins_anew(row: Sequence[Sign], at: int) -> bool:
    """Whether what "before", "after" and "if" begin is followed by what it is said of: "go in. Before you turn, look up"."""
    return any(sign.sign in PAUSES for sign in row[at + 1 : -1])


def _mark(row: Sequence[Sign], at: int, text: str) -> str:
    """What a sign is to the grammar."""
    sign, onward = row[at], row[at + 1].sign if at + 1 < len(row) else ","
    if sign.sign in PAUSES:
        return "PAUSE"
    if sign.sign in ("before", "after") and onward not in _DONE:
        return "PAUSE"
    if (
        sign.sign == "not"
        and text[sign.start : sign.end].lower() == "no"
        and at
        and row[at - 1].sign in PAUSES
        and onward in PAUSES
    ):
        return "FIX"
    return _MARKS.get(sign.sign, "SEGMENT")


def _stretches(tree: Tree[Token] | Token, row: list[Sign]) -> Iterator[Stretch]:
    if isinstance(tree, Token):
        if tree.type == "SEGMENT":
            yield Stretch(*tree.value)
        return
    parts = [list(_stretches(child, row)) for child in tree.children]
    parts = [part for part in parts if part]
    match str(tree.data):
        case "swapped":
            yield from (*parts[1], *parts[0])
        case "corrected":
            yield from _corrected(parts[0], parts[1][0], row)
        case "either":
            yield from (*parts[0], *(Stretch(each.start, each.end, EITHER) for each in parts[1]))
        case "condition":
            yield from (Stretch(each.start, each.end, IT_DEPENDS) for part in parts for each in part)
        case _:
            yield from (each for part in parts for each in part)


def _corrected(wrong: list[Stretch], right: Stretch, row: list[Sign]) -> Iterator[Stretch]:
    """What is meant instead: a word in place of another one of its kind ("turn left, no, right"), or all of it."""
    *others, last = wrong
    new = [row[at] for at in range(right.start, right.end)]
    places = {_kind(row[at].sign): at for at in range(last.start, last.end)}
    if len(new) == 1 and _kind(new[0].sign) in places:
        at = places[_kind(new[0].sign)]
        row[at] = Sign(new[0].sign, row[at].start, row[at].end)
        yield from (*others, last, Stretch(right.start, right.end, ""))
    else:
        yield from (*others, Stretch(last.start, last.end, ""), right)


def _kind(sign: str) -> str:
    """The kind of a sign: a side, a number, a thing, a room."""
    return "side" if sign in ("left", "right") else re.sub(r"[\d_.]+$", "", sign)


def _joined(stretches: Iterator[Stretch]) -> Iterator[Stretch]:
    """Stretches that follow each other also in the text as one, since a clause may go beyond a pause."""
    last: Stretch | None = None
    for each in stretches:
        if last is not None and last.dropped is None and each.dropped is None and each.start == last.end + 1:
            last = Stretch(last.start, each.end)
            continue
        if last is not None:
            yield last
        last = each
    if last is not None:
        yield last
