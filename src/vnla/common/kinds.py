"""Values of a dataclass held against what its fields are declared as: files and command lines can hold anything.

check_fields(self, batch=(1, 1_000_000), dropout=(0, 0.95))
"""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

from vnla.common.errors import InputError

Limits = tuple[float, float]

_WORDS = {"int": "a whole number", "float": "a number", "str": "text", "bool": "true or false"}
_LONGEST = 60


def check_fields(part: Any, **limits: Limits) -> None:
    """Refuse a field that is declared as a number, text or truth value and is none, or is beyond its limits."""
    for field in fields(part):
        kind = field.type if isinstance(field.type, str) else getattr(field.type, "__name__", "")
        low, high = limits.get(field.name, (-math.inf, math.inf))
        value = getattr(part, field.name)
        if kind in _WORDS and not _is_a(kind, value, low, high):
            name = field.name.replace("_", " ")
            raise InputError(f"{name} {shortened(value)}: must be {_WORDS[kind]}{_between(low, high)}")


def _is_a(kind: str, value: object, low: float, high: float) -> bool:
    if kind in ("str", "bool"):
        return type(value).__name__ == kind or (kind == "str" and isinstance(value, str))
    if isinstance(value, bool) or not isinstance(value, int if kind == "int" else (int, float)):
        return False
    # A whole number too large for a float is compared as it is.
    return not (isinstance(value, float) and not math.isfinite(value)) and low <= value <= high


def _between(low: float, high: float) -> str:
    if high < math.inf:
        return f" from {low:,g} to {high:,.10g}"
    return f", {low:,g} or more" if low > -math.inf else ""


def shortened(value: object) -> str:
    """A value as a complaint names it: its beginning, where it is long."""
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
