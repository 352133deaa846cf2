"""Dropout with cheap random numbers on a CPU, and of a part of a batch.

PyTorch draws one number after another for every element there, which took a seventh of a training iteration. Sixteen random
bits decide as well, so one number of 64 makes four decisions; the ratio is exact to 1/65536. And where PyTorch draws one
number, a fast generator makes as many from it as are needed. On a GPU it is PyTorch's own.

What is drawn for an episode must not depend on who else is in the batch, or in this process. On a CPU, where ended episodes
leave, the rows of a batch have seeds (`dropout_seeded`). On a GPU, where all stay, a process that has a part of a batch
draws for the whole of it and takes its own (`part_of_batch`).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from vnla.common.randomness import GOLDEN, signed

_LEVELS = 1 << 16
_LOWEST = -(1 << 15)
_DRAWS = 16
"""No occasion has more."""


class Occasion:
    """When lots are drawn for rows with seeds: at a step, for a purpose, one draw after the other."""

    def __init__(self, seeds: Tensor, step: int, purpose: int) -> None:
        self.seeds, self._first, self._draws = seeds, (step * _DRAWS + purpose) * _DRAWS, 0

    def next(self) -> int:
        """The number of one more draw."""
        self._draws += 1
        return self._first + self._draws


BEGINNING, HEARING, SEEING, FIRST_PASS, SECOND_PASS, ASKING, LEARNING_TO_ASK = range(7)
"""Purposes of an occasion."""

_here = threading.local()


@contextmanager
def dropout_seeded(seeds: Tensor | None, step: int, purpose: int) -> Iterator[None]:
    """In the block what a CPU's dropout leaves of a row follows from the row's seed (rows,), the step, the purpose, and how
    many draws came before in the block; without seeds from PyTorch's own, as elsewhere."""
    with _on(None if seeds is None else Occasion(seeds, step, purpose)):
        yield


@contextmanager
def lots_of_words(rows: Tensor, places: Tensor) -> Iterator[None]:
    """In the block the rows are words, those of sentences `rows` at `places`; draws go on as before it."""
    outer = _occasion()
    if outer is not None:
        outer.seeds, sentences = outer.seeds[rows] + (places + 1) * signed(GOLDEN), outer.seeds
    try:
        yield
    finally:
        if outer is not None:
            outer.seeds = sentences


@contextmanager
def _on(occasion: Occasion | None) -> Iterator[None]:
    before = _occasion()
    _here.occasion = occasion
    try:
        yield
    finally:
        _here.occasion = before


def _occasion() -> Occasion | None:
    return getattr(_here, "occasion", None)


@dataclass(frozen=True)
class BatchPart:
    """The episodes of a batch that a process has: `count` of all, from number `first` on."""

    first: int
    count: int
    all: int


_part: BatchPart | None = None


@contextmanager
def part_of_batch(part: BatchPart | None) -> Iterator[None]:
    """In the block a GPU's dropout is drawn for the whole batch of which this is a part."""
    global _part
    before, _part = _part, part
    try:
        yield
    finally:
        _part = before


def whole(shape: Sequence[int]) -> tuple[int, ...]:
    """What to draw for values of a shape whose rows are episodes, perhaps several times all of them: the same of the whole
    batch, (times, episodes, …)."""
    part = _part or BatchPart(0, shape[0], shape[0])
    return shape[0] // part.count, part.all, *shape[1:]


def own(drawn: Tensor, shape: Sequence[int]) -> Tensor:
    """What was drawn for this process's values of a shape."""
    part = _part or BatchPart(0, shape[0], shape[0])
    return drawn[:, part.first : part.first + part.count].reshape(tuple(shape))


class Dropout(nn.Dropout):
    """`nn.Dropout`, drawing its mask four elements at a time where that is faster."""

    def forward(self, values: Tensor) -> Tensor:
        """The values, some set to zero and the others scaled up, in training; unchanged otherwise."""
        if not self.training or self.p == 0:
            return values
        if values.device.type != "cpu":
            if _part is None:
                return nn.functional.dropout(values, self.p)
            return values * own(nn.functional.dropout(values.new_ones(whole(values.shape)), self.p), values.shape)
        return values * _mask(values.shape, self.p).to(values.dtype)


class Lots(NamedTuple):
    """What decides about values (rows, columns): those whose lot is at least `least` are kept and scaled."""

    drawn: Tensor  # (rows, columns), int16
    least: int
    scale: float


def dropout_seeds(dropout: nn.Dropout, rows: int, columns: int) -> Lots:
    """Lots for so many values, in the order in which `Dropout` would draw them; where nothing is dropped, none that lose."""
    if not dropout.training or dropout.p == 0:
        return Lots(torch.zeros(rows, columns, dtype=torch.int16), _LOWEST, 1.0)
    dropped = round(dropout.p * _LEVELS)
    return Lots(_drawn(rows, columns), _LOWEST + dropped, _LEVELS / (_LEVELS - dropped))


def _mask(shape: torch.Size, ratio: float) -> Tensor:
    """Zeros with probability `ratio`, else what makes up for them."""
    dropped = round(ratio * _LEVELS)
    kept = _drawn(shape[0], prod(shape[1:])).reshape(shape) >= _LOWEST + dropped
    return kept * (_LEVELS / (_LEVELS - dropped))


def _drawn(rows: int, columns: int) -> Tensor:
    """Random whole numbers of 16 bits: (rows, columns)."""
    from vnla.agents.layers import loops  # machine code, which a GPU does without

    occasion = _occasion()
    if occasion is None:
        seed = int(torch.empty((), dtype=torch.int64).random_(-(1 << 63), None))
        drawn = torch.empty((rows * columns + 3) // 4, dtype=torch.int64)
        loops.draw(np.int64(seed), drawn.numpy())
        return drawn.view(torch.int16)[: rows * columns].view(rows, columns)
    words = torch.empty(rows, (columns + 3) // 4, dtype=torch.int64)
    loops.draw_rows(occasion.seeds.numpy(), np.int64(signed(occasion.next() * GOLDEN)), words.numpy())
    return words.view(torch.int16)[:, :columns].contiguous()
