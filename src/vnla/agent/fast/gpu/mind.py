"""The mind for learning on a GPU, of a whole batch of fixed size: the same decisions in few kernels.

A GPU graph has fixed shapes, and its time is the number of kernels in a row. So here

- ended episodes stay in the batch, and dropout's decisions for all steps are drawn at once;
- what the advisor says is read for all who may ask, beside pass 1, and asking means to take it (`vnla.agent.fast.gpu.book`);
- pass 2 is one differentiable function from state to state (`_Pass`) with four kernels in its backward pass: weights learn
  from all steps together at the end, and so do the last layers (`recall`), on which nothing later depends;
- nothing in a step waits for the encoder's gradients (`Book.collect`, which `collect_gradients` calls).

For agents with one LSTM layer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from vnla.agent.fast.gpu.book import Book, Lesson
from vnla.agent.fast.gpu.kernels.attend import attend, attend_back, cover_on
from vnla.agent.fast.gpu.kernels.cell import Advanced, Gradients, Small, advance, retreat
from vnla.agent.fast.gpu.kernels.head import decide
from vnla.agent.fast.gpu.kernels.thin import multiply
from vnla.agent.fast.packed import columns_of
from vnla.agent.mind import Decision, Mind, Start, Views
from vnla.agent.navigation import NavigationModule
from vnla.common.capture import beside, join
from vnla.roles.words import Heard


class WholeShared(NamedTuple):
    """What the two passes of a step have in common."""

    gates: Tensor  # (batch, 4·hidden), but for what the help-requesting action adds
    nav: Tensor


@dataclass(frozen=True)
class WholeMind(Mind):
    """Of a batch of fixed size."""

    book: Book
    slot: Tensor  # (batch,), which tail belongs to the instruction; the next, for those who ask in this step
    coverage: Tensor  # (batch, words, columns)
    hidden: Tensor  # (batch, hidden), the decoder's
    cell: Tensor
    step: int = 0
    asked: Tensor | None = None  # (batch,), who heard something new in this step
    carried: Tensor | None = None  # (batch, 4·hidden), what the state adds to the next gates, and their bias; None at first
    shared: WholeShared | None = None

    @staticmethod
    def suits(module: NavigationModule) -> bool:
        """Whether a module, as it was written, can learn in this way here."""
        return module.config.layers == 1 and module.output.weight.is_cuda

    @classmethod
    def begin(cls, module: NavigationModule, start: Start) -> WholeMind:
        """The mind at the start: the end-goal read, and no subgoal."""
        with exactly(start.end_goals.length.device):
            book = Book(module, start)
        words = start.end_goals.tokens.shape[1] + start.phrases.tails.tokens.shape[1]
        zero = book.embedding.new_zeros(book.batch, module.config.hidden)
        coverage = book.embedding.new_zeros(book.batch, words, columns_of(module.config.coverage))
        return cls(book, torch.zeros_like(book.everybody), coverage, zero, zero)

    def read(self, may_ask: Tensor, advice: Callable[[], Heard]) -> Heard:
        """It is read at once, for all who may ask, beside what comes next."""
        with exactly(may_ask.device):
            return self.book.read(self.slot, may_ask, advice)

    @torch.no_grad()
    def see(self, view: Views, last_nav: Tensor) -> WholeMind:
        """What the view and the last state add to the decoder's gates."""
        book, weights = self.book, self.book.weights
        with exactly(last_nav.device):
            seen = book.see(view, self.step)
            join(book.ahead)
            if self.carried is None:
                gates = torch.addmm(weights.bias, seen, weights.view.T)
            else:
                gates = self.carried.addmm_(seen, weights.view.T)  # nobody else needs it
        return replace(self, shared=WholeShared(gates, last_nav))

    @torch.no_grad()
    def tentatively(self, last_ask: Tensor, may_ask: Tensor | None = None) -> Decision:  # noqa: ARG002
        """Pass 1, without gradients."""
        assert self.shared is not None, "it has to see first"
        book = self.book
        with exactly(last_ask.device):
            small = book.small(self.shared.nav, last_ask, 0, self.step)
            out, _, _, weights, _ = _decode(self, small, 0, self.coverage.detach(), None)
            return _decided(book, out, weights)

    def hear(self, asked: Tensor, heard: Heard) -> WholeMind:  # noqa: ARG002
        """It has been read already: those who asked take the next slot, nothing of which is covered yet."""
        self.book.heard()
        return replace(self, asked=asked)

    def finally_(self, ask: Tensor) -> tuple[Decision, WholeMind]:
        """Pass 2."""
        book = self.book
        asked = torch.zeros_like(ask, dtype=torch.bool) if self.asked is None else self.asked
        with exactly(ask.device):
            with beside(book.ahead):
                slot = self.slot + asked
            hidden, cell, coverage, out, weights, carried = _Pass.apply(  # type: ignore[no-untyped-call]
                self.hidden, self.cell, self.coverage, book.module.recurrent.weight, self, ask, asked
            )
            if book.learns:
                book.decided.append(out)
            mind = WholeMind(book, slot, coverage, hidden, cell, self.step + 1, carried=carried)
            return _decided(book, out.detach(), weights), mind

    def recall(self) -> Tensor | None:
        """The logits of all second passes together, (steps·batch, actions), with gradients; None where nothing learns."""
        book = self.book
        join(book.ahead)
        if not book.decided:
            return None
        with exactly(self.slot.device):
            decided = torch.stack(book.decided).flatten(0, 1)
            attended = torch.addmm(book.packed.combine_bias, decided, book.packed.combine.T).tanh()
            return nn.functional.linear(attended, book.module.output.weight, book.module.output.bias)


def exactly(device: torch.device) -> torch.autocast:
    """Kernels take what they are given: no mixed precision in the block. A GPU's products may still be in tf32."""
    return torch.autocast(device.type, enabled=False)


def _decode(
    mind: WholeMind, small: Small, number: int, coverage: Tensor, asked: Tensor | None
) -> tuple[Tensor, Advanced, Tensor, Tensor, Tensor | None]:
    """What the last layers get (batch, 2·hidden + columns); the cell; query and attention weights; and for pass 2 what the
    next step's gates will begin with."""
    assert mind.shared is not None, "it has to see first"
    book, gates = mind.book, mind.shared.gates
    hidden = book.module.config.hidden
    out = book.embedding.new_empty(book.batch, book.weights.combine.shape[1])
    kept = book.kept_hidden(number, mind.step)
    cell = advance(gates, small, mind.cell.detach(), kept, book.scale, out[:, hidden : 2 * hidden])
    carried = book.carry(cell.hidden) if number else None
    query = multiply(out[:, hidden : 2 * hidden], book.weights.ask.T)
    weights = attend(query, book.memory(mind.slot), coverage, asked, out)
    return out, cell, query, weights, carried


@torch.no_grad()
def _decided(book: Book, out: Tensor, attention: Tensor) -> Decision:
    hidden, output = book.module.config.hidden, book.module.output
    sums = multiply(out, book.weights.combine.T, book.weights.combine_bias)
    attended, logits = decide(sums, output.weight, output.bias)
    return Decision(logits, (out[:, hidden : 2 * hidden], attended), attention)


class _Pass(torch.autograd.Function):
    """Pass 2: from state and coverage to the next, and to what the last layers decide from."""

    @staticmethod
    def forward(
        ctx: Any, hidden: Tensor, cell: Tensor, coverage: Tensor, _: Tensor, mind: WholeMind, ask: Tensor, asked: Tensor
    ) -> tuple[Tensor, ...]:  # fmt: skip
        """The fourth argument is a parameter: it tells autograd that somebody learns here."""
        assert mind.shared is not None
        book, step = mind.book, mind.step
        small = book.small(mind.shared.nav, ask, 1, step)
        out, state, query, weights, carried = _decode(mind, small, 1, coverage, asked)
        with beside(book.ahead):
            after = cover_on(query, book.memory(mind.slot), coverage, asked, book.cover, weights)
        book.lent = (query, mind.slot, coverage, asked, weights)
        ctx.set_materialize_grads(False)
        assert carried is not None
        ctx.mark_non_differentiable(weights, carried)
        ctx.book, ctx.step, ctx.asked, ctx.slot = book, step, asked, mind.slot
        own = Advanced(*(each.detach() for each in state))  # a result that knew its own graph would never be freed
        ctx.kept = (hidden.detach(), cell.detach(), coverage.detach(), own, small, weights, query, out.detach())
        return state.hidden, state.cell, after, out, weights, carried

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor | None) -> tuple[Tensor | None, ...]:
        to_hidden, to_cell, to_coverage, to_out, *_ = gradients
        book: Book = ctx.book
        before, cell, coverage, state, small, weights, query, out = ctx.kept
        size = book.module.config.hidden
        decoder = slice(size, 2 * size)
        to_out = torch.zeros_like(out) if to_out is None else to_out
        memory = book.memory(ctx.slot)
        to_query, to_before = attend_back(query, memory, coverage, ctx.asked, book.cover, weights, to_out, to_coverage)
        to_gates = book.to_gates[ctx.step]
        given = Gradients(multiply(to_query, book.weights.ask), to_hidden, to_cell, direct=to_out[:, decoder])
        kept = book.kept_hidden(1, ctx.step)
        to_cell = retreat(state.gates, cell, state.cell, kept, book.scale, given, to_gates)
        book.lessons[ctx.step] = Lesson(before, out[:, decoder], state.small, small.nav, small.ask, to_query)
        book.module.learn_from(book)
        onward = to_gates @ book.weights.again if ctx.needs_input_grad[0] else None
        return onward, to_cell, to_before, None, None, None, None
