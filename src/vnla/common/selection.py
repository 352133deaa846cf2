"""Take, put or join rows of all that belongs to a batch: tensors inside tuples, lists, dictionaries and dataclasses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import lru_cache
from typing import Any, TypeVar, cast

import torch
from torch import Tensor

Value = TypeVar("Value")


def take_rows(value: Value, rows: Tensor) -> Value:
    """`value` with every tensor of a batch reduced to `rows`; what has no batch (numbers, tables, None) stays.

    A dataclass names the fields that are not of the batch in `SHARED`.
    """
    return cast(Value, _mapped(lambda each: each.index_select(0, rows), value))


def put_rows(value: Value, rows: Tensor, some: Value) -> Value:
    """`value` with `some` in the place of its `rows`."""
    return cast(Value, _mapped(lambda each, new: each.index_copy(0, rows, new.to(each.dtype)), value, some))


def join_rows(values: Sequence[Value]) -> Value:
    """One after the other, as one batch; what has no batch is the first's. All must be alike but for the number of rows."""
    return cast(Value, _mapped(lambda *each: torch.cat(each), *values))


def row_shapes(value: object) -> tuple[torch.Size, ...]:
    """Return what a row of each tensor is like. Those that have the same can be joined."""
    shapes: list[torch.Size] = []

    def note(each: Tensor) -> Tensor:
        shapes.append(each.shape[1:])
        return each

    _mapped(note, value)
    return tuple(shapes)


def row_counts(value: object) -> set[int]:
    """Return how many rows its tensors have; -1 for a number, which has none."""
    counts: set[int] = set()

    def note(each: Tensor) -> Tensor:
        counts.add(len(each) if each.dim() else -1)
        return each

    _mapped(note, value)
    return counts


def where_rows(chosen: Tensor, value: Value, other: Value) -> Value:
    """`value` in the rows that are `chosen`, and `other` in the rest."""

    def either(each: Tensor, rest: Tensor) -> Tensor:
        return torch.where(chosen.view(-1, *[1] * (each.dim() - 1)), each, rest)

    return cast(Value, _mapped(either, value, other))


def _mapped(function: Callable[..., Tensor], value: Any, *others: Any) -> Any:
    """Return what `function` gives for each tensor of a batch, and the tensors in the same place of others."""
    if isinstance(value, Tensor):
        return function(value, *others)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        named: Callable[..., object] = type(value)
        return named(*(_mapped(function, *each) for each in zip(value, *others, strict=True)))
    if isinstance(value, dict):
        return {name: _mapped(function, each, *(other[name] for other in others)) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_mapped(function, *each) for each in zip(value, *others, strict=True))
    if is_dataclass(value) and not isinstance(value, type):
        everybody = (value, *others)
        found = {name: _mapped(function, *(getattr(each, name) for each in everybody)) for name in _names(type(value))}
        return replace(value, **found)
    return value


@lru_cache(maxsize=256)
def _names(kind: type[Any]) -> tuple[str, ...]:
    """Return the fields of a dataclass that are of the batch."""
    shared: frozenset[str] = getattr(kind, "SHARED", frozenset())
    return tuple(each.name for each in fields(kind) if each.init and each.name not in shared)
