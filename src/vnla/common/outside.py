"""Values from outside of the program: JSON text, and the numbers in it, whoever wrote them.

    steps = whole(value["steps"], f"{path}: field steps", 0, 1000)
    share = real(value["share"], f"{path}: field share", 0, 1)

A whole number in JSON has any number of digits, Python reads `NaN` and `Infinity`, and `true` passes for 1. What comes out
of here fits into 64 bits and lies within its bounds; anything else is an `InputError` that says where it stood.
Readers with messages of their own ask `is_whole` and `is_real`, which never raise.

`check_fields(self, batch=(1, 1_000_000))` holds the values of a dataclass against what its fields are declared as.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeGuard

from vnla.common.errors import InputError

LEAST_WHOLE, MOST_WHOLE = -(2**63), 2**63 - 1
"""What an integer of 64 bits holds: tensors, arrays and seeds have no larger ones."""
_LARGEST_REAL = sys.float_info.max
_LONGEST = 60
_MANY_BITS = 200  # of a number that is not worth reading digit by digit
_DIGITS_IN_BIT = math.log10(2)


def from_json(text: bytes | str, *, unique: bool = False) -> Any:
    """The value of JSON text; a `ValueError` says what is wrong with it. With `unique` an object has no name twice."""
    try:
        return json.loads(text, object_pairs_hook=unique_names if unique else None)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON from its names and values; which of two values counts nobody can tell."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in an object")
    return found


def is_whole(value: object, low: float = -math.inf, high: float = math.inf) -> TypeGuard[int]:
    """Whether a value is a whole number from `low` to `high`, of 64 bits; a truth value is none, and neither is 1.0."""
    if not isinstance(value, int) or isinstance(value, bool):
        return False
    return LEAST_WHOLE <= value <= MOST_WHOLE and low <= value <= high


def is_real(value: object, low: float = -math.inf, high: float = math.inf) -> TypeGuard[float]:
    """Whether a value is a finite number from `low` to `high`: a float, or a whole number that a float can hold."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return -_LARGEST_REAL <= value <= _LARGEST_REAL and low <= value <= high


def whole(value: object, where: str, low: float = -math.inf, high: float = math.inf) -> int:
    """A whole number from `low` to `high`; `where` names it in the message."""
    return int(_checked(is_whole, value, where, "a whole number", low, high))


def real(value: object, where: str, low: float = -math.inf, high: float = math.inf) -> float:
    """A number from `low` to `high` as a float; `where` names it in the message."""
    return float(_checked(is_real, value, where, "a number", low, high))


def _checked(
    is_right: Callable[[object, float, float], bool], value: Any, where: str, kind: str, low: float, high: float
) -> Any:
    if not is_right(value, low, high):
        raise InputError(f"{where} is {shown(value)}; expected {kind}{between(low, high, value)}")
    return value


def between(low: float, high: float, value: object = None) -> str:
    """Bounds in words, for a message about a value that is not within them."""
    if isinstance(value, int) and not LEAST_WHOLE <= value <= MOST_WHOLE and high > MOST_WHOLE:
        return " of 18 digits at most"
    if high < math.inf:
        return f" from {low:,g} to {high:,.10g}"
    return f", {low:,g} or more" if low > -math.inf else ""


def shown(value: object) -> str:
    """A value for a message: in one line, and not longer than one can read."""
    if isinstance(value, int) and value.bit_length() > _MANY_BITS:  # of the largest Python does not even write the digits
        return f"a number of about {round(value.bit_length() * _DIGITS_IN_BIT):,} digits"
    try:
        text = repr(value) if isinstance(value, str) else str(value)
    except (RecursionError, ValueError):
        text = f"a {type(value).__name__}"
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


Limits = tuple[float, float]

_WORDS = {"int": "a whole number", "float": "a number", "str": "text", "bool": "true or false"}


def check_fields(part: Any, **limits: Limits) -> None:
    """Refuse a field that is declared as a number, text or truth value and is none, or is beyond its limits."""
    for field in fields(part):
        kind = field.type if isinstance(field.type, str) else getattr(field.type, "__name__", "")
        low, high = limits.get(field.name, (-math.inf, math.inf))
        value = getattr(part, field.name)
        if kind in _WORDS and not _is_a(kind, value, low, high):
            name = field.name.replace("_", " ")
            raise InputError(f"{name} {shown(value)}: must be {_WORDS[kind]}{between(low, high, value)}")


def _is_a(kind: str, value: object, low: float, high: float) -> bool:
    if kind in ("str", "bool"):
        return type(value).__name__ == kind or (kind == "str" and isinstance(value, str))
    return (is_whole if kind == "int" else is_real)(value, low, high)
