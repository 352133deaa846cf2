"""Take some rows of everything that belongs to a batch: tensors inside tuples, lists, dictionaries and dataclasses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import TypeVar, cast

from torch import Tensor

Value = TypeVar("Value")


def take_rows(value: Value, rows: Tensor) -> Value:
    """`value` with every tensor of a batch reduced to `rows`; what has no batch (numbers, tables, None) stays.

    A dataclass names the fields that are not of the batch in `SHARED`.
    """
    return cast(Value, _taken(value, rows))


def _taken(value: object, rows: Tensor) -> object:
    if isinstance(value, Tensor):
        return value.index_select(0, rows)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        named: Callable[..., object] = type(value)
        return named(*(_taken(each, rows) for each in value))
    if isinstance(value, dict):
        return {name: _taken(each, rows) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_taken(each, rows) for each in value)
    if is_dataclass(value) and not isinstance(value, type):
        shared: frozenset[str] = getattr(value, "SHARED", frozenset())
        names = [each.name for each in fields(value) if each.init and each.name not in shared]
        return replace(value, **{name: _taken(getattr(value, name), rows) for name in names})
    return value
