"""What arguments the simulator takes: those that pybind11, which binds the C++ one to Python, would convert.

An int where a float is wanted is fine, and so is a NumPy or PyTorch scalar; a float where an index is wanted is not.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


def whole(value: Any, name: str) -> int:
    """An integer, or anything that is one to Python (`__index__`)."""
    if type(value) is int:
        return value
    try:
        return operator.index(value)
    except TypeError:
        raise _wrong(value, name, "an integer") from None


def count(value: Any, name: str) -> int:
    """An integer that is not negative: C++ has it unsigned, and pybind11 refuses a sign."""
    number = whole(value, name)
    if number < 0:
        raise TypeError(f"MatterSim: {name} must not be negative, got {number}")
    return number


def real(value: Any, name: str) -> float:
    """A float, an int, or anything that turns into a float without being text."""
    if type(value) is float:
        return value
    if not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        raise _wrong(value, name, "a number")
    return float(value)


def angle(value: Any, name: str) -> float:
    """A finite number of radians."""
    radians = real(value, name)
    if not math.isfinite(radians):
        raise ValueError(f"MatterSim: {name} must be a finite number of radians, got {radians}")
    return radians


def truth(value: Any, name: str) -> bool:
    """A truth value; text has none in C++."""
    if value is not None and not hasattr(value, "__bool__"):
        raise _wrong(value, name, "a bool")
    return bool(value)


def text(value: Any, name: str) -> str:
    """A string, or bytes in UTF-8."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8")
    raise _wrong(value, name, "a string")


def each(convert: Callable[[Any, str], T], values: Any, name: str, size: int) -> list[T]:
    """The first `size` entries of a sequence, after all of it is converted; the rest is ignored, as in C++."""
    if isinstance(values, str | bytes | dict) or not (hasattr(values, "__getitem__") and hasattr(values, "__len__")):
        raise _wrong(values, name, "a list with one entry for each element of the batch")
    converted = [convert(value, name) for value in values]
    if len(converted) < size:
        raise IndexError(f"MatterSim: {name} has {len(converted)} entries for a batch of {size}; see setBatchSize")
    return converted[:size]


def _wrong(value: object, name: str, expected: str) -> TypeError:
    return TypeError(f"MatterSim: {name} must be {expected}, not {type(value).__name__}")
