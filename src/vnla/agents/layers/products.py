"""The matrix products of a linear layer, in the ways that a machine is fast at; `vnla.agents.layers.registry` says which.

A GPU uses `PlainProducts` in the precision of PyTorch's autocast; on a CPU `products_in` chooses the precision. In bfloat16
only these products are computed, with sums in float32: to convert everything small costs more than it gains. In single
precision the weight is arranged (`vnla.agents.layers.arranged`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

import torch
from torch import Tensor
from torch.nn.functional import linear

_precision: ContextVar[torch.dtype | None] = ContextVar("precision", default=None)

LINE = 16
"""Numbers in a line of the processor's cache, and rows of its matrix unit."""

_MANY = 256
"""Rows by which products over all steps of an episode grow."""

LARGE = 1 << 17
"""Size of a weight from which on bfloat16 pays."""

Room = Callable[[str, int, int], Tensor]
"""Memory of that name for so many rows and columns."""


class Products(Protocol):
    """The products with one weight (outputs, inputs). What `inputs` and `outputs` give is kept for the gradients."""

    def inputs(self, values: Tensor) -> Tensor:
        """Inputs (rows, inputs) as the products take them."""

    def outputs(self, gradient: Tensor) -> Tensor:
        """Gradients of outputs (rows, outputs) as the products take them."""

    def forward(self, inputs: Tensor, out: Tensor | None = None) -> Tensor:
        """The layer's outputs (rows, outputs), in `out` if that is given."""

    def add(self, inputs: Tensor, sums: Tensor, out: Tensor | None = None) -> Tensor:
        """The sums (rows, outputs) with the inputs' products added, without bias; in place or in `out`."""

    def backward(self, outputs: Tensor, first: int) -> Tensor:
        """The gradient of the inputs from the `first` one on."""

    def learned(self, inputs: Tensor, outputs: Tensor) -> Tensor:
        """The gradient of the weight from inputs and gradients of outputs as they were before `inputs` and `outputs`."""


class PlainProducts:
    """As PyTorch has them."""

    def __init__(self, weight: Tensor, bias: Tensor | None, dtype: torch.dtype | None = None) -> None:
        self._weight, self._bias = weight.to(dtype), None if bias is None else bias.to(dtype)

    def inputs(self, values: Tensor) -> Tensor:
        """In the weight's precision."""
        return values.to(self._weight.dtype)

    def outputs(self, gradient: Tensor) -> Tensor:
        """As they are."""
        return gradient

    def forward(self, inputs: Tensor, out: Tensor | None = None) -> Tensor:
        """The layer's outputs."""
        outputs = linear(inputs, self._weight, self._bias)
        return outputs if out is None else out.copy_(outputs)

    def add(self, inputs: Tensor, sums: Tensor, out: Tensor | None = None) -> Tensor:
        """Add the products to sums."""
        return torch.add(sums, linear(inputs, self._weight), out=sums if out is None else out)

    def backward(self, outputs: Tensor, first: int) -> Tensor:
        """The gradient of the inputs."""
        return outputs @ self._weight[:, first:].to(outputs.dtype)

    def learned(self, inputs: Tensor, outputs: Tensor) -> Tensor:
        """The gradient of the weight."""
        return outputs.T @ inputs


class BFloat16:
    """On a CPU. For a product of a new shape code is generated first, so rows are filled up to a few round numbers."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        self._weight, self._bias = weight.to(torch.bfloat16), bias

    def inputs(self, values: Tensor) -> Tensor:
        """Converted, and with room behind for a round number of rows."""
        rows = len(values)
        if rows % LINE == 0:
            return values.to(torch.bfloat16)
        return torch.empty(_round(rows, LINE), values.shape[1], dtype=torch.bfloat16)[:rows].copy_(values)

    def outputs(self, gradient: Tensor) -> Tensor:
        """Likewise."""
        return self.inputs(gradient)

    def forward(self, inputs: Tensor, out: Tensor | None = None) -> Tensor:
        """The layer's outputs."""
        products = linear(_whole(inputs), self._weight)[: len(inputs)]
        outputs = products.float() if out is None else out.copy_(products)
        return outputs if self._bias is None else outputs.add_(self._bias)

    def backward(self, outputs: Tensor, first: int) -> Tensor:
        """The gradient of the inputs."""
        return (_whole(outputs) @ self._weight[:, first:])[: len(outputs)].float()

    def add(self, inputs: Tensor, sums: Tensor, out: Tensor | None = None) -> Tensor:
        """Add the products to sums."""
        return torch.add(sums, linear(_whole(inputs), self._weight)[: len(inputs)], out=sums if out is None else out)

    def learned(self, inputs: Tensor, outputs: Tensor) -> Tensor:
        """The gradient of the weight."""
        return (_filled(outputs).T @ _filled(inputs)).float()


def weight_gradients(inputs: list[Tensor], outputs: list[Tensor]) -> tuple[Tensor, Tensor]:
    """The gradients of weight and bias from what was kept of several calls, summed over all rows."""
    every = _joined(outputs)
    return every.T @ _joined(inputs).to(every.dtype), every.sum(dim=0)


def _joined(parts: list[Tensor]) -> Tensor:
    """The rows of all parts; for `BFloat16` with zeros up to a round number."""
    if parts[0].dtype != torch.bfloat16 or parts[0].device.type != "cpu":
        return parts[0] if len(parts) == 1 else torch.cat(parts)
    rows = sum(map(len, parts))
    whole = parts[0].new_empty(_round(rows, _MANY), parts[0].shape[1])
    torch.cat(parts, out=whole[:rows])
    whole[rows:] = 0
    return whole


def _filled(values: Tensor) -> Tensor:
    """In bfloat16, with zeros up to a round number of rows."""
    whole = torch.empty(_round(len(values), _MANY), values.shape[1], dtype=torch.bfloat16)
    whole[: len(values)] = values
    whole[len(values) :] = 0
    return whole


def _whole(values: Tensor) -> Tensor:
    """The rows with the room behind them, whatever it holds."""
    return values.as_strided((_round(len(values), LINE), values.shape[1]), values.stride())


def _round(rows: int, step: int) -> int:
    return -(-rows // step) * step


@contextmanager
def products_in(dtype: torch.dtype | None) -> Iterator[None]:
    """On a CPU products are computed in `dtype` for the length of the block."""
    token = _precision.set(dtype)
    try:
        yield
    finally:
        _precision.reset(token)


def precision(device: torch.device) -> torch.dtype | None:
    """In which precision products are asked for at present; None is that of the weight."""
    if device.type == "cpu":
        return _precision.get()
    return torch.get_autocast_dtype(device.type) if torch.is_autocast_enabled(device.type) else None
