"""Values of a dataclass held against what its fields are declared as: files and command lines can hold anything.

check_fields(self, batch=(1, 1_000_000), dropout=(0, 0.95))
"""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

from vnla.common.errors import InputError
from vnla.common.outside import between, is_real, is_whole, shown

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
