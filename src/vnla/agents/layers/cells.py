"""Recurrent cells over batches, split so that what two passes share is computed once."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from vnla.agents.layers.deferred import DeferredLinear, Pending
from vnla.agents.layers.products import Products
from vnla.common.capture import fused

_MORE = 8
"""Inputs more than there are, a multiple of eight as a GPU likes it; the first of them tells that a row has ended."""
_SURE = 100.0
"""What makes a gate be shut or open, in any precision."""


class Recurrent(NamedTuple):
    """State of an LSTM layer."""

    hidden: Tensor  # (batch, hidden)
    cell: Tensor  # (batch, hidden)

    @classmethod
    def zeros(cls, batch: int, size: int, like: Tensor) -> Recurrent:
        """Return the initial state: zero vectors (appendix)."""
        return cls(*(torch.zeros(batch, size, dtype=like.dtype, device=like.device) for _ in range(2)))


class LSTMCell(nn.Module):
    """An LSTM cell whose gates are sums of contributions, so that callers decide what to compute when."""

    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__()
        self.input = DeferredLinear(inputs, 4 * hidden)
        self.recurrent = DeferredLinear(hidden, 4 * hidden)
        initialise(self, hidden)
        self._kept: list[nn.LSTM] = []  # in a list, so that it is no part of the agent

    def forward(self, values: Tensor, state: Recurrent) -> Recurrent:
        """Return the next state."""
        return advance(self.input(values), self.recurrent(state.hidden), state.cell)

    def over_places(self, values: Tensor, state: Recurrent) -> tuple[Tensor, Tensor]:
        """The hidden states (batch, places, hidden) over values (batch, places, inputs), all at once by `nn.LSTM`, and the
        cell after the last place.

        `nn.LSTM` has weights of its own, side by side in memory as a GPU library wants them: `ready_over_places` copies
        them, and `learn_over_places` brings their gradients here.
        """
        over = pad(values, (0, self.input.in_features + _MORE - values.shape[2]))
        hidden, (_, cell) = self._whole(over, (state.hidden[None].contiguous(), state.cell[None].contiguous()))
        return hidden, cell[0]

    def to_the_end(self, values: Tensor, length: Tensor, state: Recurrent) -> tuple[Tensor, Recurrent]:
        """Return the same with the state after the last of the `length` values of each row.

        `nn.LSTM` has one more input for this, which is on after the last value: it shuts the gate that lets in and opens the
        one that keeps, so that the cell stays as it was.
        """
        after = torch.arange(values.shape[1], device=length.device) >= length[:, None]
        hidden, cell = self.over_places(torch.cat([values, after[:, :, None].to(values.dtype)], dim=2), state)
        last = (length - 1).clamp(min=0)[:, None, None].expand(-1, 1, hidden.shape[2])
        return hidden, Recurrent(hidden.gather(1, last).squeeze(1), cell)

    @torch.no_grad()
    def ready_over_places(self) -> None:
        """Give `nn.LSTM` the present weights."""
        like, (gates, inputs) = self.input.weight, self.input.weight.shape
        if not any(each.weight_ih_l0.device == like.device and each.weight_ih_l0.dtype == like.dtype for each in self._kept):
            made = nn.LSTM(inputs + _MORE, gates // 4, batch_first=True, device=like.device, dtype=like.dtype)
            self._kept = [made]
            enter, forget, *_ = self._pairs()[0][0][:, inputs:].zero_().chunk(4)
            enter[:, 0], forget[:, 0] = -_SURE, _SURE
        for theirs, ours in self._pairs():
            theirs[..., : ours.shape[-1]].copy_(ours)

    @torch.no_grad()
    def learn_over_places(self) -> None:
        """Add what `nn.LSTM` learned to the gradients here."""
        for theirs, ours in self._pairs():
            if theirs.grad is not None and ours.requires_grad:
                learned = theirs.grad[..., : ours.shape[-1]]
                ours.grad = learned.clone() if ours.grad is None else ours.grad + learned
            theirs.grad = None

    @property
    def _whole(self) -> nn.LSTM:
        return self._kept[0]

    def _pairs(self) -> list[tuple[Tensor, Tensor]]:
        theirs = list(self._whole.parameters())  # of inputs and state: weights, then biases
        ours = (self.input.weight, self.recurrent.weight, self.input.bias, self.recurrent.bias)
        return list(zip(theirs, ours, strict=True))


@fused
def advance(inputs: Tensor, recurrent: Tensor, cell: Tensor) -> Recurrent:
    """Return the state after gates (batch, 4·hidden), the sum of two, in the order input, forget, candidate, output."""
    gates = inputs + recurrent
    if torch.compiler.is_compiling():
        enter, forget, candidate, leave = gates.chunk(4, dim=-1)
        reached = torch.sigmoid(forget) * cell + torch.sigmoid(enter) * torch.tanh(candidate)
        return Recurrent(torch.sigmoid(leave) * torch.tanh(reached), reached)
    return Recurrent(*_Advance.apply(gates, cell))  # type: ignore[no-untyped-call]


class _Advance(torch.autograd.Function):
    """`forward_cell` and `backward_cell` as one operation: a tenth of the work is arithmetic, the rest is calls."""

    @staticmethod
    def forward(ctx: Any, gates: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
        gates = gates.clone()
        reached = torch.empty_like(cell)
        hidden, squashed = forward_cell(gates, cell, reached)
        ctx.save_for_backward(gates, cell, squashed)
        return hidden, reached

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor]:
        gates, cell, squashed = ctx.saved_tensors
        by_hidden, by_reached = gradients
        by_gates = torch.empty_like(gates)
        return by_gates, backward_cell(gates, cell, squashed, by_hidden, by_reached, by_gates)


def forward_cell(gates: Tensor, cell: Tensor, reached: Tensor) -> tuple[Tensor, Tensor]:
    """Return an LSTM's hidden state, and tanh of the cell `reached`, which is filled in; the gates are opened in place."""
    enter, forget, candidate, leave = gates.chunk(4, dim=-1)
    gates[..., : 2 * cell.shape[-1]].sigmoid_()
    candidate.tanh_()
    leave.sigmoid_()
    torch.mul(forget, cell, out=reached).addcmul_(enter, candidate)
    squashed = torch.tanh(reached)
    return leave * squashed, squashed


def backward_cell(
    gates: Tensor, cell: Tensor, squashed: Tensor, by_hidden: Tensor, by_reached: Tensor, by_gates: Tensor
) -> Tensor:
    """Return the gradient of `cell`; that of the gates is filled in. `gates` and `squashed` are what `forward_cell` made."""
    enter, forget, candidate, leave = gates.chunk(4, dim=-1)
    by_enter, by_forget, by_candidate, by_leave = by_gates.chunk(4, dim=-1)
    change: Tensor = torch.ops.aten.tanh_backward(by_hidden * leave, squashed).add_(by_reached)  # of the cell reached
    torch.ops.aten.sigmoid_backward(by_hidden * squashed, leave, grad_input=by_leave)
    torch.ops.aten.tanh_backward(change * enter, candidate, grad_input=by_candidate)
    torch.ops.aten.sigmoid_backward(change * candidate, enter, grad_input=by_enter)
    torch.ops.aten.sigmoid_backward(change * cell, forget, grad_input=by_forget)
    return change.mul_(forget)


def over_words(layer: LSTMCell, values: Tensor, state: Recurrent, counts: list[int]) -> tuple[Tensor, Recurrent]:
    """Return an LSTM over sentences of different lengths, the longest first, of at least a word each.

    `values` (words, inputs) has the first words of all `counts[0]` sentences, then the second words of `counts[1]`, and so
    on. Gives the hidden state at every word, and the state after each sentence.
    """
    gates = layer.input(values)
    kept = layer.recurrent.pending if layer.recurrent.weight.requires_grad else None
    hidden, *last = _OverWords.apply(  # type: ignore[no-untyped-call]
        gates, *state, layer.recurrent.weight, layer.recurrent.products, kept, counts
    )
    return hidden, Recurrent(*last)


class _OverWords(torch.autograd.Function):
    """One operation for a whole reading: the state goes from place to place without a graph in between."""

    @staticmethod
    def forward(
        ctx: Any, gates: Tensor, hidden: Tensor, cell: Tensor, _: Tensor, products: Products, pending: Pending | None,
        counts: list[int],
    ) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
        """Return the fourth argument is the recurrent layer's weight: it tells autograd that somebody learns here."""
        opened = torch.empty_like(gates)
        words, last, places = [], [], []
        parts = zip(counts, [*counts[1:], 0], gates.split_with_sizes(counts), opened.split_with_sizes(counts), strict=True)
        for count, then, own, at in parts:
            inputs, before = products.inputs(hidden[:count]), cell[:count]
            torch.add(own, products.forward(inputs), out=at)
            cell = torch.empty_like(before)
            hidden, squashed = forward_cell(at, before, cell)
            words.append(hidden)
            last.append(Recurrent(hidden[then:], cell[then:]))
            places.append((inputs, at, before, squashed))
        ctx.places, ctx.counts, ctx.products, ctx.pending = places, counts, products, pending
        hiddens, cells = zip(*reversed(last), strict=True)
        return torch.cat(words), torch.cat(hiddens), torch.cat(cells)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        by_words, by_hidden, by_cell = gradients[0], gradients[1].clone(), gradients[2].clone()
        by_gates = by_words.new_empty(len(by_words), 4 * by_words.shape[1])
        split = (each.split_with_sizes(ctx.counts) for each in (by_words, by_gates))
        parts = zip(ctx.counts, ctx.places, *split, strict=True)
        for count, (inputs, opened, before, squashed), by_word, at in reversed(list(parts)):
            change = by_hidden[:count] + by_word
            by_cell[:count] = backward_cell(opened, before, squashed, change, by_cell[:count], at)
            outputs = ctx.products.outputs(at)
            by_hidden[:count] = ctx.products.backward(outputs, 0)
            if ctx.pending is not None:
                ctx.pending.append((inputs, outputs))
        return by_gates, by_hidden, by_cell, None, None, None, None


@fused
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
