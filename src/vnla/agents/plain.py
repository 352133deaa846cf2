"""The plain mind: memory and coverage belong to each episode, and only those that asked read their instruction again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import torch
from torch import Tensor

from vnla.agents.layers.cells import Recurrent
from vnla.agents.layers.dropout import BEGINNING, FIRST_PASS, HEARING, SECOND_PASS, SEEING, dropout_seeded
from vnla.agents.navigation import AttentionMemory, NavigationModule, SharedGates, with_tail
from vnla.agents.policy_state import Decision, PolicyState, Start, Views, joined
from vnla.assistance.words import Utterance
from vnla.common.batching import Batching
from vnla.common.capture import fused
from vnla.common.selection import take_rows


@dataclass(frozen=True)
class PlainState(PolicyState):
    """Of the paper's agent in any shape, on any device, with or without gradients."""

    SHARED: ClassVar[frozenset[str]] = frozenset({"module", "batching"})
    goes_on: ClassVar[bool] = True

    module: NavigationModule
    batching: Batching
    memory: AttentionMemory
    coverage: Tensor  # (batch, words, coverage)
    state: list[Recurrent]  # the decoder's, after the last step's second pass
    seeds: Tensor | None  # (batch,), what dropout is drawn from
    step: int = 0
    shared: SharedGates | None = None  # what the passes of a step have in common, between them

    @classmethod
    def begin(cls, module: NavigationModule, start: Start) -> PlainState:
        """The mind at the start: the end-goal read, and no subgoal."""
        goals, requests = start.end_goals.backwards(), start.requests if start.batching.fixed else None
        silence = torch.full_like(goals.length, start.phrases.silence)
        with dropout_seeded(start.seeds, 0, BEGINNING):
            memory = module.remember(goals, start.phrases.tails.rows(silence), requests=requests)
        batch, words, _ = memory.context.shape
        coverage = memory.context.new_zeros(batch, words, module.config.coverage)
        return cls(module, start.batching, memory, coverage, module.start(batch), start.seeds)

    def read(self, may_ask: Tensor, advice: Callable[[], Utterance]) -> Utterance:
        """Where sizes are fixed, everybody reads at once, beside what comes next."""
        reading = self.memory.reading
        return super().read(may_ask, advice) if reading is None else reading.ahead(advice)

    def see(self, view: Views, last_nav: Tensor) -> PlainState:
        """What the view, the last action and the state add to the decoder's gates."""
        with dropout_seeded(self.seeds, self.step, SEEING):
            return replace(self, shared=self.module.share(joined(view), last_nav, self.state))

    @torch.no_grad()
    def propose(self, last_ask: Tensor, may_ask: Tensor | None = None) -> Decision:  # noqa: ARG002
        """Pass 1."""
        assert self.shared is not None, "it has to see first"
        with dropout_seeded(self.seeds, self.step, FIRST_PASS):
            return self.module.decode(self.shared, last_ask, self.memory, self.coverage)[0].decision

    def hear(self, asked: Tensor, heard: Utterance) -> PlainState:
        """Only those who asked read, unless sizes are fixed: then everybody did, and the others forget it."""
        if self.batching.fixed:
            memory = _told(self.memory, asked, self.module.remember_tail(heard, asked, self.memory))
        else:
            rows = asked.nonzero().squeeze(1)
            if not len(rows):
                return self
            told, theirs = Utterance(heard.index[rows], heard.table), take_rows(self.memory, rows)
            with dropout_seeded(take_rows(self.seeds, rows), self.step, HEARING):
                memory = _told_rows(self.memory, rows, self.module.remember_tail(told, asked[rows], theirs))
        return replace(self, memory=memory, coverage=self.coverage.masked_fill(asked[:, None, None], 0))

    def decide(self, ask: Tensor) -> tuple[Decision, PlainState]:
        """Pass 2."""
        assert self.shared is not None, "it has to see first"
        with dropout_seeded(self.seeds, self.step, SECOND_PASS):
            decoded, state = self.module.decode(self.shared, ask, self.memory, self.coverage)
        coverage = self.module.attention.cover(decoded.decoder, decoded.weights, self.memory, self.coverage)
        return decoded.decision, replace(self, coverage=coverage, state=state, step=self.step + 1, shared=None)


@fused
def _told(memory: AttentionMemory, asked: Tensor, heard: tuple[Tensor, Tensor, Tensor]) -> AttentionMemory:
    """The memory with another tail where the agent asked; everyone's was read."""
    first = memory.end_goal_words
    context, cover, present = heard
    here = asked[:, None, None]
    return with_tail(
        memory,
        torch.where(here, context, memory.context[:, first:]),
        torch.where(here, cover, memory.cover[:, first:]),
        torch.where(asked[:, None], present, memory.present[:, first:]),
    )


def _told_rows(memory: AttentionMemory, rows: Tensor, heard: tuple[Tensor, Tensor, Tensor]) -> AttentionMemory:
    """The memory with another tail in `rows`; only theirs was read."""
    first = memory.end_goal_words
    context, cover, present = heard
    return with_tail(
        memory,
        memory.context[:, first:].index_copy(0, rows, context),
        memory.cover[:, first:].index_copy(0, rows, cover),
        memory.present[:, first:].index_copy(0, rows, present),
    )
