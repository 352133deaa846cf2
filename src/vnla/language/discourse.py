"""The order in which what a sentence says is to be done: a grammar of its stretches, `data/sentence.lark`.

"Before you go forward, turn left", "left, no, right", "if you see a door, go through, otherwise turn": words such as these
stand between stretches of tokens. Here they say which stretch comes first, which one another takes the place of, and what
depends on a condition. A sentence without such words is one stretch.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from lark import Lark, Tree
from lark import Token as Terminal
from lark.exceptions import UnexpectedInput

from vnla.language.lexer import Token

PAUSES = frozenset((",", "&"))
_MARKS = {
    "before": "_BEFORE",
    "after": "_AFTER",
    "first": "_FIRST",
    "fix": "_FIX",
    "or": "_OR",
    "if": "_IF",
    "else": "_ELSE",
}
_DONE = frozenset(
    ("go", "turn", "look", "enter", "leave", "use", "up", "down", "left", "right", "ahead", "begin", "past", "reach")
)
"""Tokens with which something that is done begins: "before the door" is no order."""
IT_DEPENDS = "it depends on something that only you can see: say what to do, without “if”"
EITHER = "of two ways the first was taken"


class Stretch(NamedTuple):
    """Tokens that belong together: where they begin and end in the row that a sentence is."""

    start: int
    end: int
    dropped: str | None = None
    """Why nothing of it is done; "" if that is as it should be."""


def in_order(row: Sequence[Token], text: str) -> tuple[list[Token], list[Stretch]]:
    """The tokens of a sentence with corrections made, and its stretches in the order in which they are done."""
    row, terminals = list(row), _terminals(row, text)
    if all(terminal.type in ("SEGMENT", "_PAUSE") for terminal in terminals):
        return row, [Stretch(0, len(row))]
    parser = _grammar().parse_interactive()
    try:
        for terminal in (*terminals, Terminal("$END", "")):
            tree = parser.feed_token(terminal)
    except UnexpectedInput:
        return row, [Stretch(*terminal.value) for terminal in terminals if terminal.type == "SEGMENT"]
    return row, _joined(_stretches(tree, row))


@cache
def _grammar() -> Lark:
    text = (files("vnla.language") / "data" / "sentence.lark").read_text(encoding="utf-8")
    return Lark(text, parser="lalr", lexer="basic")


def _terminals(row: Sequence[Token], text: str) -> list[Terminal]:
    """Segments, pauses and marks, without pauses around marks, or at the ends, and without marks that part nothing."""
    kept: list[Terminal] = []
    for at in range(len(row)):
        kind, last = _mark(row, at, text), kept[-1].type if kept else "_PAUSE"
        opens = kind in ("_BEFORE", "_AFTER", "_IF")
        anew = opens and any(token.kind in PAUSES for token in row[at + 1 : -1])  # "go in. Before you turn, look up"
        if kind == last == "SEGMENT":
            kept[-1] = Terminal("SEGMENT", (kept[-1].value[0], at + 1))
            continue
        if last == "_PAUSE" and kept and kind not in ("SEGMENT", "_PAUSE") and not anew:
            kept.pop()
        if kind == "SEGMENT" or (last == "SEGMENT" if kind == "_PAUSE" else kept or opens):
            kept.append(Terminal(kind, (at, at + 1)))
    while kept and kept[-1].type != "SEGMENT":
        kept.pop()
    return kept


def _mark(row: Sequence[Token], at: int, text: str) -> str:
    """What a token is to the grammar."""
    before, token, onward = row[at - 1].kind if at else "", row[at], row[at + 1].kind if at + 1 < len(row) else ","
    if token.kind in PAUSES or (token.kind in ("before", "after") and onward not in _DONE):
        return "_PAUSE"
    if before in PAUSES and onward in PAUSES and token.kind == "not" and text[token.start : token.end].lower() == "no":
        return "_FIX"
    return _MARKS.get(token.kind, "SEGMENT")


def _stretches(tree: Tree[Terminal] | Terminal, row: list[Token]) -> Iterator[Stretch]:
    if isinstance(tree, Terminal):
        yield Stretch(*tree.value)
        return
    parts = [list(_stretches(child, row)) for child in tree.children]
    match str(tree.data):
        case "swapped":
            yield from (*parts[1], *parts[0])
        case "corrected":
            yield from _corrected(parts[0], parts[1][0], row)
        case "either":
            yield from (*parts[0], *(each._replace(dropped=EITHER) for each in parts[1]))
        case "condition":
            yield from (each._replace(dropped=IT_DEPENDS) for part in parts for each in part)
        case _:
            yield from (each for part in parts for each in part)


def _corrected(wrong: list[Stretch], right: Stretch, row: list[Token]) -> Iterator[Stretch]:
    """What is meant instead: a word in place of another one of its kind ("turn left, no, right"), or all of it."""
    *others, last = wrong
    new, places = row[right.start], {_category(row[at].kind): at for at in range(last.start, last.end)}
    if right.end - right.start == 1 and _category(new.kind) in places:
        at = places[_category(new.kind)]
        row[at] = row[at]._replace(kind=new.kind)
        yield from (*others, last, right._replace(dropped=""))
    else:
        yield from (*others, last._replace(dropped=""), right)


def _category(kind: str) -> str:
    """What kinds are alike in: a side, a number, a thing, a room."""
    return "side" if kind in ("left", "right") else re.sub(r"[\d_.]+$", "", kind)


def _joined(stretches: Iterable[Stretch]) -> list[Stretch]:
    """Stretches that follow each other also in the text as one, since a clause may go beyond a pause."""
    kept: list[Stretch] = []
    for each in stretches:
        follows = kept and kept[-1].dropped is None and each.dropped is None and each.start == kept[-1].end + 1
        kept.append(Stretch(kept.pop().start, each.end) if follows else each)
    return kept
