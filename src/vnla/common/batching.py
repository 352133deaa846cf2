"""Whether those in a batch who have nothing more to do leave it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import torch
from torch import Tensor

from vnla.common.selection import take_rows

Value = TypeVar("Value")


@dataclass(frozen=True)
class Batching:
    """What becomes of those in a batch who have nothing more to do.

    A CPU saves the work: they leave, or are left out. A GPU graph has fixed sizes: there they stay and are masked.
    """

    fixed: bool = False
    """Whether no size may depend on what happens."""
    keeps_ended: bool = False
    """Let ended episodes walk on and learn until they are at a goal, as the authors' code does."""

    @classmethod
    def on(cls, device: torch.device, *, keeps_ended: bool = False) -> Batching:
        """As a device likes it."""
        return cls(fixed=device.type == "cuda", keeps_ended=keeps_ended)

    @property
    def stays(self) -> bool:
        """Whether everybody is in the batch to its end."""
        return self.fixed or self.keeps_ended

    def rest(self, batch: Value, active: Tensor) -> Value:
        """Return the batch without those that have ended, unless they stay."""
        if self.stays:
            return batch
        rows = active.nonzero().squeeze(1)
        return batch if len(rows) == len(active) else take_rows(batch, rows)

    def chosen(self, who: Tensor) -> Tensor | slice:
        """Return the rows to compute with where only `who` matter."""
        return slice(None) if self.fixed else who

    def spread(self, values: Tensor, who: Tensor) -> Tensor:
        """Values (rows,) of the `chosen` for everybody: 0 for the others, or what was computed for them too."""
        return values if self.fixed else values.new_zeros(len(who)).masked_scatter(who, values)
