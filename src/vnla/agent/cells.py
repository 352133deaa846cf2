"""Recurrent cells over batches, split so that what two passes share is computed once."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

from vnla.agent.deferred import DeferredLinear


class Recurrent(NamedTuple):
    """State of an LSTM layer."""

    hidden: Tensor  # (batch, hidden)
    cell: Tensor  # (batch, hidden)

    @classmethod
    def zeros(cls, batch: int, size: int, like: Tensor) -> Recurrent:
        """The initial state: zero vectors (appendix)."""
        zero = torch.zeros(batch, size, dtype=like.dtype, device=like.device)
        return cls(zero, zero)


class LSTMCell(nn.Module):
    """An LSTM cell whose gates are sums of contributions, so that callers decide what to compute when."""

    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__()
        self.input = DeferredLinear(inputs, 4 * hidden)
        self.recurrent = DeferredLinear(hidden, 4 * hidden)
        initialise(self, hidden)

    def forward(self, values: Tensor, state: Recurrent) -> Recurrent:
        """The next state."""
        return advance(self.input(values) + self.recurrent(state.hidden), state.cell)


def advance(gates: Tensor, cell: Tensor) -> Recurrent:
    """The state after gates (batch, 4·hidden) in the order input, forget, candidate, output."""
    enter, forget, candidate, leave = gates.chunk(4, dim=-1)
    cell = torch.sigmoid(forget) * cell + torch.sigmoid(enter) * torch.tanh(candidate)
    return Recurrent(torch.sigmoid(leave) * torch.tanh(cell), cell)


def gru(inputs: Tensor, recurrent: Tensor, state: Tensor) -> Tensor:
    """A GRU's next state from its input and recurrent contributions (…, 3·size) in the order reset, update, candidate."""
    reset_in, update_in, candidate_in = inputs.chunk(3, dim=-1)
    reset_by, update_by, candidate_by = recurrent.chunk(3, dim=-1)
    reset = torch.sigmoid(reset_in + reset_by)
    update = torch.sigmoid(update_in + update_by)
    candidate = torch.tanh(candidate_in + reset * candidate_by)
    return candidate + update * (state - candidate)


def initialise(module: nn.Module, size: int) -> None:
    """Uniform within ±1/√size, PyTorch's way for recurrent layers."""
    bound = 1 / math.sqrt(size)
    for parameter in module.parameters():
        nn.init.uniform_(parameter, -bound, bound)
