"""A plan of actions in words and back (section 6.3): "turn 60 degrees left, go forward 2 steps".

Repeated turns and repeated steps are said together; `up`, `down` and `stop` are not, and none is ever left out. A plan ends
with its first `stop`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby, product

from vnla.common.errors import InputError
from vnla.world.actions import Nav

COMMA = ","
FULL_STOP = "."

_ONCE = {
    Nav.LEFT: ("turn", "left"),
    Nav.RIGHT: ("turn", "right"),
    Nav.UP: ("look", "up"),
    Nav.DOWN: ("look", "down"),
    Nav.FORWARD: ("go", "forward"),
    Nav.STOP: ("stop",),
}
_DEGREES = 30


def until_stop(plan: Sequence[int]) -> tuple[Nav, ...]:
    """The plan up to and with its first `stop`."""
    actions = tuple(Nav(action) for action in plan)
    return actions[: actions.index(Nav.STOP) + 1] if Nav.STOP in actions else actions


def subgoal_words(plan: Sequence[int], *, aggregate: bool = True) -> tuple[str, ...]:
    """The words of a subgoal, commas as words of their own. Without `aggregate`, one phrase an action."""
    phrases: list[tuple[str, ...]] = []
    for action, run in groupby(until_stop(plan)):
        times = len(list(run))
        if aggregate and times > 1 and action in (Nav.LEFT, Nav.RIGHT):
            phrases.append(("turn", str(times * _DEGREES), "degrees", _ONCE[action][1]))
        elif aggregate and times > 1 and action is Nav.FORWARD:
            phrases.append(("go", "forward", str(times), "steps"))
        else:
            phrases.extend([_ONCE[action]] * times)
    return tuple(word for i, phrase in enumerate(phrases) for word in ((COMMA, *phrase) if i else phrase))


@lru_cache(maxsize=2)
def every_subgoal(actions: int, *, aggregate: bool = True) -> tuple[tuple[str, ...], ...]:
    """The words of every plan of so many actions, in the order of their numbers to the base 6."""
    return tuple(subgoal_words(plan, aggregate=aggregate) for plan in product(Nav, repeat=actions))


def subgoal_text(plan: Sequence[int], *, aggregate: bool = True) -> str:
    """The subgoal as people write it."""
    return " ".join(subgoal_words(plan, aggregate=aggregate)).replace(f" {COMMA}", COMMA)


def with_subgoal(subgoal: str, end_goal: str) -> str:
    """The instruction: a subgoal put before the end-goal, as space-separated words."""
    return f"{subgoal.replace(COMMA, f' {COMMA}')} {FULL_STOP} {end_goal}" if subgoal else end_goal


_PHRASES = (
    (re.compile(r"turn (?:(\d+) degrees )?(left|right)"), {"left": Nav.LEFT, "right": Nav.RIGHT}),
    (re.compile(r"go forward(?: (\d+) steps?)?()"), {"": Nav.FORWARD}),
    (re.compile(r"look ()(up|down)"), {"up": Nav.UP, "down": Nav.DOWN}),
    (re.compile(r"()(stop)"), {"stop": Nav.STOP}),
)


def read_subgoal(text: str) -> tuple[Nav, ...]:
    """The plan that a subgoal describes; what cannot be understood is an error that names the phrase."""
    plan: list[Nav] = []
    for phrase in text.split(COMMA):
        plan.extend(_read_phrase(" ".join(phrase.lower().split())))
    return until_stop(plan)


def _read_phrase(phrase: str) -> list[Nav]:
    for pattern, actions in _PHRASES:
        if match := pattern.fullmatch(phrase):
            number, which = match.groups()
            action = actions[which]
            return [action] * _times(number, action, phrase)
    raise InputError(f"subgoal: cannot read {phrase!r}; say for example 'turn 60 degrees left, go forward 2 steps'")


def _times(number: str | None, action: Nav, phrase: str) -> int:
    if not number:
        return 1
    count = int(number)
    if action in (Nav.LEFT, Nav.RIGHT):
        if count % _DEGREES:
            raise InputError(f"subgoal: {phrase!r} is not a multiple of {_DEGREES} degrees")
        count //= _DEGREES
    if not 1 <= count <= 100:
        raise InputError(f"subgoal: {phrase!r} is out of range")
    return count
