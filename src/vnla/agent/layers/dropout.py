"""Dropout with cheap random numbers on a CPU.

PyTorch draws one number after another for every element there, which took a seventh of a training iteration. Sixteen random
bits decide as well, so one number of 64 makes four decisions; the ratio is exact to 1/65536. And where PyTorch draws one
number, a fast generator makes as many from it as are needed. On a GPU it is PyTorch's own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from vnla.agent.layers import loops

_LEVELS = 1 << 16
_LOWEST = -(1 << 15)


class Dropout(nn.Dropout):
    """`nn.Dropout`, drawing its mask four elements at a time where that is faster."""

    def forward(self, values: Tensor) -> Tensor:
        """The values, some set to zero and the others scaled up, in training; unchanged otherwise."""
        if not self.training or self.p == 0:
            return values
        if values.device.type != "cpu":
            return nn.functional.dropout(values, self.p)
        return values * _mask(values.shape, self.p).to(values.dtype)


class Lots(NamedTuple):
    """What decides about values (rows, columns): those whose lot is at least `least` are kept and scaled."""

    drawn: Tensor  # (rows, columns), int16
    least: int
    scale: float


def lots(dropout: nn.Dropout, rows: int, columns: int) -> Lots:
    """Lots for so many values, in the order in which `Dropout` would draw them; where nothing is dropped, none that lose."""
    if not dropout.training or dropout.p == 0:
        return Lots(torch.zeros(rows, columns, dtype=torch.int16), _LOWEST, 1.0)
    dropped = round(dropout.p * _LEVELS)
    return Lots(_drawn(rows * columns).view(rows, columns), _LOWEST + dropped, _LEVELS / (_LEVELS - dropped))


def _mask(shape: torch.Size, ratio: float) -> Tensor:
    """Zeros with probability `ratio`, else what makes up for them."""
    dropped = round(ratio * _LEVELS)
    kept = _drawn(shape.numel()).reshape(shape) >= _LOWEST + dropped
    return kept * (_LEVELS / (_LEVELS - dropped))


def _drawn(count: int) -> Tensor:
    """Random whole numbers of 16 bits."""
    seed = int(torch.empty((), dtype=torch.int64).random_(-(1 << 63), None))
    drawn = torch.empty((count + 3) // 4, dtype=torch.int64)
    loops.draw(np.int64(seed), drawn.numpy())
    return drawn.view(torch.int16)[:count]
