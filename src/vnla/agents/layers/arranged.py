"""Products with a weight that was arranged for a CPU: as single precision wants it where there are few rows.

Copying it is the work of loops in machine code, which take a moment to load.
"""

from __future__ import annotations

from functools import cached_property

import torch
from torch import Tensor

from vnla.agents.layers import loops, panels
from vnla.agents.layers.products import LARGE, LINE, PlainProducts, Room

_FEW = 512
"""Rows up to which a copy of the weight in another order pays."""


class Transposed(PlainProducts):
    """On a CPU, from a transposed copy of the weight: a quarter faster where there are few rows.

    The copy's rows are a cache line longer than they need to be; at powers of two all of them would fall into the same few
    places of the cache.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None, room: Room | None = None) -> None:
        """`room` gives memory for a copy."""
        super().__init__(weight, bias)
        self._room = room or (lambda _, rows, columns: weight.new_empty(rows, columns))

    @cached_property
    def _transposed(self) -> Tensor:
        outputs, inputs = self._weight.shape
        transposed = self._room("transposed", inputs, outputs + LINE)[:, :outputs]
        if self._weight.numel() < LARGE:
            return transposed.copy_(self._weight.T)
        loops.transpose(self._weight.numpy(), transposed.numpy())
        return transposed

    def forward(self, inputs: Tensor, out: Tensor | None = None) -> Tensor:
        """The layer's outputs."""
        if inputs.shape[0] > _FEW:
            return super().forward(inputs, out)
        if self._bias is None:
            return torch.mm(inputs, self._transposed, out=out)
        return torch.addmm(self._bias, inputs, self._transposed, out=out)

    def add(self, inputs: Tensor, sums: Tensor, out: Tensor | None = None) -> Tensor:
        """Add the products to sums."""
        return torch.addmm(sums, inputs, self._transposed, out=sums if out is None else out)


class InPanels(PlainProducts):
    """On a CPU with wide vectors, from copies of the weight in the order in which few rows want it, for either direction."""

    def __init__(self, weight: Tensor, bias: Tensor | None, room: Room) -> None:
        """`room` gives memory for the copies."""
        super().__init__(weight, bias)
        self._room = room

    @cached_property
    def _forth(self) -> Tensor:
        outputs, inputs = self._weight.shape
        arranged = self._panels("forth", outputs, inputs)
        panels.arrange_transposed(self._weight.numpy(), arranged.numpy())
        return arranged

    @cached_property
    def _back(self) -> Tensor:
        outputs, inputs = self._weight.shape
        arranged = self._panels("back", inputs, outputs)
        panels.arrange(self._weight.numpy(), arranged.numpy())
        return arranged

    def _panels(self, name: str, columns: int, depth: int) -> Tensor:
        count = -(-columns // panels.WIDTH)
        return self._room(name, count * depth, panels.WIDTH).view(count, depth, panels.WIDTH)

    def forward(self, inputs: Tensor, out: Tensor | None = None) -> Tensor:
        """The layer's outputs."""
        if inputs.shape[0] > _FEW:
            return super().forward(inputs, out)
        outputs = len(self._weight)
        start = self._weight.new_zeros(outputs) if self._bias is None else self._bias
        return _in_panels(inputs, self._forth, start[None], inputs.new_empty(len(inputs), outputs) if out is None else out)

    def add(self, inputs: Tensor, sums: Tensor, out: Tensor | None = None) -> Tensor:
        """Add the products to sums."""
        return _in_panels(inputs, self._forth, sums, sums if out is None else out)

    def backward(self, outputs: Tensor, first: int) -> Tensor:
        """The gradient of the inputs."""
        if outputs.shape[0] > _FEW or first:
            return super().backward(outputs, first)
        inputs = self._weight.shape[1]
        return _in_panels(outputs, self._back, outputs.new_zeros(1, inputs), outputs.new_empty(len(outputs), inputs))


def _in_panels(rows: Tensor, arranged: Tensor, start: Tensor, out: Tensor) -> Tensor:
    panels.multiply(rows.numpy(), arranged.numpy(), start.numpy(), out.numpy())
    return out


def arranged(weight: Tensor, bias: Tensor | None, room: Room | None) -> PlainProducts:
    """The products with a weight, in panels where the processor has the vectors for it; `room` gives memory for copies."""
    if room is not None and panels.available() and min(weight.shape) >= panels.WIDTH // 2:
        return InPanels(weight, bias, room)
    return Transposed(weight, bias, room)
