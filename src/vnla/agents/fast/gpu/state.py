"""The mind for learning on a GPU, of a whole batch of fixed size: the same decisions in few kernels.

A GPU graph has fixed shapes, and its time is the number of kernels in a row. So here

- ended episodes stay in the batch, and dropout's decisions for all steps are drawn at once;
- what the advisor says is read for all who may ask, beside pass 1, and asking means to take it
  (`vnla.agents.fast.gpu.tape`);
- pass 2 is one differentiable function from state to state (`_FinalPass`) with four kernels in its backward pass: weights
  learn from all steps together at the end, and so do the last layers (`recall`), on which nothing later depends;
- nothing in a step waits for the encoder's gradients (`CudaTape.collect`, which `collect_gradients` calls).

For agents with one LSTM layer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from vnla.agents.fast.gpu.kernels.attend import attend, attend_back, cover_on
from vnla.agents.fast.gpu.kernels.cell import Advanced, Gradients, Small, advance, retreat
from vnla.agents.fast.gpu.kernels.head import decide, multiply
from vnla.agents.fast.gpu.tape import CudaTape, Lesson
from vnla.agents.fast.packed import columns_of
from vnla.agents.navigation import NavigationModule
from vnla.agents.policy_state import Decision, PolicyState, Start, Views
from vnla.assistance.words import Utterance
from vnla.common.capture import beside, join


class WholeShared(NamedTuple):
    """What the two passes of a step have in common."""

    gates: Tensor  # (batch, 4·hidden), but for what the help-requesting action adds
    nav: Tensor


@dataclass(frozen=True)
class CudaGraphState(PolicyState):
    """Of a batch of fixed size."""

    tape: CudaTape
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
    def begin(cls, module: NavigationModule, start: Start) -> CudaGraphState:
        """The mind at the start: the end-goal read, and no subgoal."""
        with exactly(start.end_goals.length.device):
            tape = CudaTape(module, start)
        words = start.end_goals.tokens.shape[1] + start.phrases.tails.tokens.shape[1]
        zero = tape.embedding.new_zeros(tape.batch, module.config.hidden)
        coverage = tape.embedding.new_zeros(tape.batch, words, columns_of(module.config.coverage))
        return cls(tape, torch.zeros_like(tape.everybody), coverage, zero, zero)

    def read(self, may_ask: Tensor, advice: Callable[[], Utterance]) -> Utterance:
        """It is read at once, for all who may ask, beside what comes next."""
        with exactly(may_ask.device):
            return self.tape.read(self.slot, may_ask, advice)

    @torch.no_grad()
    def see(self, view: Views, last_nav: Tensor) -> CudaGraphState:
        """What the view and the last state add to the decoder's gates."""
        tape, weights = self.tape, self.tape.weights
        with exactly(last_nav.device):
            seen = tape.see(view, self.step)
            join(tape.ahead)
            if self.carried is None:
                gates = torch.addmm(weights.bias, seen, weights.view.T)
            else:
                gates = self.carried.addmm_(seen, weights.view.T)  # nobody else needs it
        return replace(self, shared=WholeShared(gates, last_nav))

    @torch.no_grad()
    def propose(self, last_ask: Tensor, may_ask: Tensor | None = None) -> Decision:  # noqa: ARG002
        """Pass 1, without gradients."""
        assert self.shared is not None, "it has to see first"
        tape = self.tape
        with exactly(last_ask.device):
            small = tape.small(self.shared.nav, last_ask, 0, self.step)
            out, _, _, weights, _ = _decode(self, small, 0, self.coverage.detach(), None)
            return _decided(tape, out, weights)

    def hear(self, asked: Tensor, heard: Utterance) -> CudaGraphState:  # noqa: ARG002
        """It has been read already: those who asked take the next slot, nothing of which is covered yet."""
        self.tape.heard()
        return replace(self, asked=asked)

    def decide(self, ask: Tensor) -> tuple[Decision, CudaGraphState]:
        """Pass 2."""
        tape = self.tape
        asked = torch.zeros_like(ask, dtype=torch.bool) if self.asked is None else self.asked
        with exactly(ask.device):
            with beside(tape.ahead):
                slot = self.slot + asked
            hidden, cell, coverage, out, weights, carried = _FinalPass.apply(  # type: ignore[no-untyped-call]
                self.hidden, self.cell, self.coverage, tape.module.recurrent.weight, self, ask, asked
            )
            if tape.learns:
                tape.decided.append(out)
            state = CudaGraphState(tape, slot, coverage, hidden, cell, self.step + 1, carried=carried)
            return _decided(tape, out.detach(), weights), state

    def recall(self) -> Tensor | None:
        """The logits of all second passes together, (steps·batch, actions), with gradients; None where nothing learns."""
        tape = self.tape
        join(tape.ahead)
        if not tape.decided:
            return None
        with exactly(self.slot.device):
            decided = torch.stack(tape.decided).flatten(0, 1)
            attended = torch.addmm(tape.packed.combine_bias, decided, tape.packed.combine.T).tanh()
            return nn.functional.linear(attended, tape.module.output.weight, tape.module.output.bias)


def exactly(device: torch.device) -> torch.autocast:
    """Kernels take what they are given: no mixed precision in the block. A GPU's products may still be in tf32."""
    return torch.autocast(device.type, enabled=False)


def _decode(
    state: CudaGraphState, small: Small, number: int, coverage: Tensor, asked: Tensor | None
) -> tuple[Tensor, Advanced, Tensor, Tensor, Tensor | None]:
    """What the last layers get (batch, 2·hidden + columns); the cell; query and attention weights; and for pass 2 what the
    next step's gates will begin with."""
    assert state.shared is not None, "it has to see first"
    tape, gates = state.tape, state.shared.gates
    hidden = tape.module.config.hidden
    out = tape.embedding.new_empty(tape.batch, tape.weights.combine.shape[1])
    kept = tape.kept_hidden(number, state.step)
    cell = advance(gates, small, state.cell.detach(), kept, tape.scale, out[:, hidden : 2 * hidden])
    carried = tape.carry(cell.hidden) if number else None
    query = multiply(out[:, hidden : 2 * hidden], tape.weights.ask.T)
    weights = attend(query, tape.memory(state.slot), coverage, asked, out)
    return out, cell, query, weights, carried


@torch.no_grad()
def _decided(tape: CudaTape, out: Tensor, attention: Tensor) -> Decision:
    hidden, output = tape.module.config.hidden, tape.module.output
    sums = multiply(out, tape.weights.combine.T, tape.weights.combine_bias)
    attended, logits = decide(sums, output.weight, output.bias)
    return Decision(logits, (out[:, hidden : 2 * hidden], attended), attention)


class _FinalPass(torch.autograd.Function):
    """Pass 2: from state and coverage to the next, and to what the last layers decide from."""

    @staticmethod
    def forward(
        ctx: Any, hidden: Tensor, cell: Tensor, coverage: Tensor, _: Tensor, now: CudaGraphState, ask: Tensor, asked: Tensor
    ) -> tuple[Tensor, ...]:
        """The fourth argument is a parameter: it tells autograd that somebody learns here."""
        assert now.shared is not None
        tape, step = now.tape, now.step
        small = tape.small(now.shared.nav, ask, 1, step)
        out, state, query, weights, carried = _decode(now, small, 1, coverage, asked)
        with beside(tape.ahead):
            after = cover_on(query, tape.memory(now.slot), coverage, asked, tape.cover, weights)
        tape.lent = (query, now.slot, coverage, asked, weights)
        ctx.set_materialize_grads(False)
        assert carried is not None
        ctx.mark_non_differentiable(weights, carried)
        ctx.tape, ctx.step, ctx.asked, ctx.slot = tape, step, asked, now.slot
        own = Advanced(*(each.detach() for each in state))  # a result that knew its own graph would never be freed
        ctx.kept = (hidden.detach(), cell.detach(), coverage.detach(), own, small, weights, query, out.detach())
        return state.hidden, state.cell, after, out, weights, carried

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor | None) -> tuple[Tensor | None, ...]:
        to_hidden, to_cell, to_coverage, to_out, *_ = gradients
        tape: CudaTape = ctx.tape
        before, cell, coverage, state, small, weights, query, out = ctx.kept
        size = tape.module.config.hidden
        decoder = slice(size, 2 * size)
        to_out = torch.zeros_like(out) if to_out is None else to_out
        memory = tape.memory(ctx.slot)
        to_query, to_before = attend_back(query, memory, coverage, ctx.asked, tape.cover, weights, to_out, to_coverage)
        to_gates = tape.to_gates[ctx.step]
        given = Gradients(multiply(to_query, tape.weights.ask), to_hidden, to_cell, direct=to_out[:, decoder])
        kept = tape.kept_hidden(1, ctx.step)
        to_cell = retreat(state.gates, cell, state.cell, kept, tape.scale, given, to_gates)
        tape.lessons[ctx.step] = Lesson(before, out[:, decoder], state.small, small.nav, small.ask, to_query)
        tape.module.learn_from(tape)
        onward = to_gates @ tape.weights.again if ctx.needs_input_grad[0] else None
        return onward, to_cell, to_before, None, None, None, None
