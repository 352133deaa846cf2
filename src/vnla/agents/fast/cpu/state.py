"""The policy state for learning on a CPU: the same decisions in few operations and without a graph.

A CPU's time goes into moving memory and into the many small operations around the products. So here

- what is computed is written down row by row (`vnla.agents.fast.cpu.tape`): ended episodes leave no gap, and nothing is put
  together again for the weights' gradients;
- the words of all instructions are rows of one table; an episode has a list of its own (`CpuState.place`), and none is
  ever copied;
- between the products there are the loops of `vnla.agents.fast.cpu.loops`;
- the steps themselves have no gradients: `recall` is one differentiable function of the parameters.

For agents with one LSTM layer in float32 (products in bfloat16 if asked for).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import torch
from torch import Tensor

from vnla.agents.fast.cpu.loops import COLUMNS
from vnla.agents.fast.cpu.tape import CpuSharedGates, CpuTape
from vnla.agents.fast.packed import columns_of
from vnla.agents.layers.dropout import BEGINNING, FIRST_PASS, HEARING, SECOND_PASS, SEEING, dropout_seeded
from vnla.agents.navigation import Decoded, NavigationModule
from vnla.agents.policy_state import Decision, PolicyState, Start, Views, joined
from vnla.assistance.words import Phrases, Utterance
from vnla.common.selection import take_rows


@dataclass(frozen=True)
class CpuState(PolicyState):
    """Of the episodes that go on."""

    SHARED: ClassVar[frozenset[str]] = frozenset({"notes", "phrases"})

    tape: CpuTape
    phrases: Phrases
    episode: Tensor  # (batch,), the number in the batch that began
    last: Tensor  # (batch,), the row of the last step
    place: Tensor  # (batch, words), the words of the instruction: the end-goal's, then those of the tail
    goal: Tensor  # (batch,), how many are of the end-goal
    count: Tensor  # (batch,), how many there are
    anew: Tensor  # (batch,), whether nothing is covered yet
    hidden: Tensor  # (batch, hidden), the encoder's state after the end-goal
    cell: Tensor
    seeds: Tensor | None  # (batch,), what dropout is drawn from
    shared: CpuSharedGates | None = None

    @staticmethod
    def suits(module: NavigationModule) -> bool:
        """Return whether a module, as it was written, can learn in this way here."""
        config, like = module.config, module.output.weight
        fits = config.layers == 1 and columns_of(config.coverage) == COLUMNS
        return fits and like.device.type == "cpu" and like.dtype == torch.float32

    @classmethod
    @torch.no_grad()
    def begin(cls, module: NavigationModule, start: Start) -> CpuState:
        """Return the state at the start: the end-goal read, and no subgoal."""
        with torch.enable_grad():
            tape = CpuTape(module)
        end_goal, phrases = start.end_goals.backwards(), start.phrases
        batch, places = end_goal.tokens.shape
        everybody = torch.arange(batch)
        zero = tape.nothing.expand(batch, -1)
        place = torch.zeros(batch, places + phrases.tails.tokens.shape[1], dtype=torch.int64)
        anew = torch.ones(batch, dtype=torch.bool)
        with dropout_seeded(start.seeds, 0, BEGINNING):
            goals = place[:, :places] = tape.read(end_goal, zero, zero, everybody)
            ends = goals.gather(1, end_goal.length[:, None] - 1).squeeze(1)
            hidden, cell = (tape.arena.all(name)[ends] for name in ("word hidden", "word cell"))
            length = end_goal.length
            state = cls(tape, phrases, everybody, everybody, place, length, length, anew, hidden, cell, start.seeds)
            return state._told(everybody, Utterance(torch.full((batch,), phrases.silence), phrases))

    def read(self, may_ask: Tensor, advice: Callable[[], Utterance]) -> Utterance:
        """Return an advisor whom nobody may ask need not think: silence."""
        return advice() if may_ask.any() else Utterance(torch.full_like(self.last, self.phrases.silence), self.phrases)

    @torch.no_grad()
    def see(self, view: Views, last_nav: Tensor) -> CpuState:
        """Return what the view and the last state add to the decoder's gates."""
        with self._lots(SEEING):
            return replace(self, shared=CpuSharedGates(last_nav, *self.tape.see(joined(view), self.last)))

    @torch.no_grad()
    def propose(self, last_ask: Tensor, may_ask: Tensor | None = None) -> Decision:
        """Pass 1 of those who may ask."""
        if may_ask is None or may_ask.all():
            return self._first(last_ask).decision
        rows = may_ask.nonzero().squeeze(1)
        if not len(rows):
            return self.tape.undecided(len(last_ask), self.place.shape[1]).decision
        some = take_rows(self, rows)._first(last_ask[rows])
        return Decoded(*(each.new_zeros(len(last_ask), each.shape[1]).index_copy(0, rows, each) for each in some)).decision

    def _first(self, last_ask: Tensor) -> Decoded:
        with self._lots(FIRST_PASS):
            return self.tape.decode(self, last_ask, self.tape.chances(len(last_ask)), learns=False)

    def _lots(self, purpose: int) -> AbstractContextManager[None]:
        """Return where dropout is drawn in this step."""
        return dropout_seeded(self.seeds, len(self.tape.steps), purpose)

    @torch.no_grad()
    def hear(self, asked: Tensor, heard: Utterance) -> CpuState:
        """Only those who asked read."""
        rows = asked.nonzero().squeeze(1)
        if not len(rows):
            return self
        with dropout_seeded(take_rows(self.seeds, rows), len(self.tape.steps), HEARING):
            return self._told(rows, Utterance(heard.index[rows], heard.table))

    @torch.no_grad()
    def decide(self, ask: Tensor) -> tuple[Decision, CpuState]:
        """Pass 2."""
        with self._lots(SECOND_PASS):
            decoded = self.tape.decode(self, ask, self.tape.chances(len(ask)), learns=True)
        state = replace(self, last=torch.arange(len(self.last)), anew=torch.zeros_like(self.anew), shared=None)
        return decoded.decision, state

    def recall(self) -> Tensor | None:
        """Return the logits of all second passes together, (all rows of all steps, actions), with gradients."""
        tape, module = self.tape, self.tape.module
        if not tape.steps:
            return None
        parameters = (*tape.packed, module.encoder.embedding.weight, module.output.weight, module.output.bias)
        logits: Tensor = _Recall.apply(tape, *parameters)  # type: ignore[no-untyped-call]
        return logits

    def _told(self, rows: Tensor, heard: Utterance) -> CpuState:
        """Return the state with other tails in `rows`, to whom the advisor spoke."""
        words = heard.tails
        where = self.tape.read(words, self.hidden[rows], self.cell[rows], self.episode[rows])
        place = self.place.clone()
        place[rows[:, None], self.goal[rows, None] + torch.arange(where.shape[1])] = where
        count = self.count.index_copy(0, rows, self.goal[rows] + words.length)
        return replace(self, place=place, count=count, anew=self.anew.index_fill(0, rows, True))


class _Recall(torch.autograd.Function):
    """All steps as one function of the parameters."""

    @staticmethod
    def forward(ctx: Any, tape: CpuTape, *_: Tensor) -> Tensor:
        ctx.tape = tape
        return tape.arena.all("logits").clone()

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        tape, ctx.tape = ctx.tape, None
        if tape is None:
            raise RuntimeError("the gradients of a batch of episodes can be taken once")
        packed, *others = tape.back(gradients[0].contiguous())
        return None, *packed, *others
