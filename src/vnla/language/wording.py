"""Plans in an agent's words: the paper's phrases, or the grammar's plainest: "turn slightly left, go forward two steps"."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby

from vnla.assistance.advisor import Advisor, TemplateAdvisor
from vnla.assistance.phrases import COMMA, FULL_STOP, subgoal_words, until_stop
from vnla.language.frames import FrameKind
from vnla.language.grammar import NUMBERS, Grammar, form_of
from vnla.world.actions import Nav

_HALF_TURN = 6
_KINDS = {Nav.UP: FrameKind.LOOK_UP, Nav.DOWN: FrameKind.LOOK_DOWN, Nav.FORWARD: FrameKind.WALK, Nav.STOP: FrameKind.STOP}


def worded(plan: Sequence[int], advisor: Advisor, vocabulary: Container[str]) -> tuple[str, ...]:
    """A plan as a sentence in the language of an agent's advisor, with a full stop; nothing if the agent lacks words."""
    if not plan:
        return ()
    if not isinstance(advisor, TemplateAdvisor):
        words = (*plain_words(plan), FULL_STOP)
        if all(word in vocabulary for word in words):
            return words
    aggregate = advisor.aggregate if isinstance(advisor, TemplateAdvisor) else True
    phrases = [_phrases(tuple(run), vocabulary, aggregate) for _, run in groupby(until_stop(plan))]
    return (*_joined(phrase for run in phrases for phrase in run), FULL_STOP) if all(phrases) else ()


def _phrases(run: Sequence[Nav], vocabulary: Container[str], aggregate: bool) -> list[Sequence[str]]:
    """Equal actions in as few of the paper's phrases as an agent has words for; none if it lacks them."""
    phrases: list[Sequence[str]] = []
    while run:
        options = (subgoal_words(run[:size], aggregate=aggregate) for size in range(len(run), 0, -1))
        sayable = [all(word in vocabulary for word in (*words, FULL_STOP, COMMA)) for words in options]
        if not any(sayable):
            return []
        size = len(run) - sayable.index(True)
        phrases.append(subgoal_words(run[:size], aggregate=aggregate))
        run = run[size:]
    return phrases


def plain_words(plan: Sequence[int]) -> tuple[str, ...]:
    """The words of a plan in the plainest of the grammar, commas as words of their own, without a full stop."""
    return _joined(_clauses(plan))


def _joined(clauses: Iterable[Sequence[str]]) -> tuple[str, ...]:
    return tuple(word for number, clause in enumerate(clauses) for word in ((COMMA, *clause) if number else clause))


def _clauses(plan: Sequence[int]) -> Iterator[list[str]]:
    for number, (action, run) in enumerate(groupby(until_stop(plan))):
        times = len(list(run))
        if action is Nav.STOP:
            yield _said("STOP" if number else "STAY", action, 1)
            continue
        most = {Nav.FORWARD: len(NUMBERS), Nav.UP: 2, Nav.DOWN: 2}.get(action, _HALF_TURN)
        while times:
            now = min(times, most)
            yield _said(form_of(_KINDS.get(action, FrameKind.TURN), number=now), action, now)
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
