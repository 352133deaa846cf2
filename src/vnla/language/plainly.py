"""Plans in the plainest words of the grammar: "turn slightly left, go forward two steps"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby

from vnla.assistance.phrases import COMMA, until_stop
from vnla.language.frames import Kind
from vnla.language.grammar import NUMBERS, Grammar, form_of
from vnla.world.actions import Nav

_HALF_TURN = 6
_KINDS = {Nav.UP: Kind.LOOK_UP, Nav.DOWN: Kind.LOOK_DOWN, Nav.FORWARD: Kind.WALK, Nav.STOP: Kind.STOP}


def plain_words(plan: Sequence[int]) -> tuple[str, ...]:
    """The words of a plan, commas as words of their own, without a full stop."""
    words: list[str] = []
    for clause in _clauses(plan):
        words += [COMMA, *clause] if words else clause
    return tuple(words)


def _clauses(plan: Sequence[int]) -> Iterator[list[str]]:
    for number, (action, run) in enumerate(groupby(until_stop(plan))):
        times = len(list(run))
        if action is Nav.STOP:
            yield _said("STOP" if number else "STAY", action, 1)
            continue
        most = {Nav.FORWARD: len(NUMBERS), Nav.UP: 2, Nav.DOWN: 2}.get(action, _HALF_TURN)
        while times:
            now = min(times, most)
            yield _said(form_of(_KINDS.get(action, Kind.TURN), number=now), action, now)
            times -= now


@cache
def _said(form: str, action: Nav, times: int) -> list[str]:
    grammar = Grammar()
    slots = {
        "<side>": action.name.lower(),
        "<steps>": f"{NUMBERS[times - 1]} steps",
        "<times>": "twice" if times > 1 else "",
    }
    words: list[str] = []
    for piece in grammar.templates[grammar.forms[form][0]].text.split():
        if piece.startswith("{"):
            words += grammar.classes[grammar[piece[1:-1]]].usual[0]
        else:
            words += slots.get(piece, piece).split()
    return words
