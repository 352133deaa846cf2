"""The plain mind: memory and coverage belong to each episode, and only those that asked read their instruction again."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from vnla.agent.layers.cells import Recurrent
from vnla.agent.mind import Heard, Mind
from vnla.agent.navigation import Decoded, Memory, NavigationModule, Shared, with_tail
from vnla.common.selection import take_rows
from vnla.roles.words import Words


@dataclass(frozen=True)
class PlainMind(Mind):
    """Of any agent, on any device, with or without gradients."""

    module: NavigationModule
    memory: Memory
    coverage: Tensor  # (batch, words, coverage)
    state: list[Recurrent]  # the decoder's, after the last step's second pass
    shared: Shared | None = None  # what the passes of a step have in common, between them

    @classmethod
    def begin(cls, module: NavigationModule, end_goal: Words, tails: Words) -> PlainMind:
        """The mind at the start: the end-goal, which is backwards, read, and no subgoal."""
        silence = torch.full_like(end_goal.length, len(tails.length) - 1)
        memory = module.remember(end_goal, _rows(tails, silence))
        batch, words, _ = memory.context.shape
        return cls(module, memory, memory.context.new_zeros(batch, words, module.config.coverage), module.start(batch))

    def see(self, view: Tensor, last_nav: Tensor) -> PlainMind:
        """What the view, the last action and the state add to the decoder's gates."""
        return replace(self, shared=self.module.share(view, last_nav, self.state))

    @torch.no_grad()
    def tentatively(self, last_ask: Tensor, may_ask: Tensor | None = None) -> Decoded:  # noqa: ARG002
        """Pass 1."""
        assert self.shared is not None, "it has to see first"
        return self.module.decode(self.shared, last_ask, self.memory, self.coverage)[0]

    def hear(self, asked: Tensor, heard: Heard) -> PlainMind:
        """On a CPU only those who asked read."""
        if asked.is_cuda:
            memory = _told(self.memory, asked, self._read(self.memory, *heard))
        else:
            rows = asked.nonzero().squeeze(1)
            if not len(rows):
                return self
            read = self._read(take_rows(self.memory, rows), heard.subgoal[rows], heard.tails)
            memory = _told_rows(self.memory, rows, read)
        return replace(self, memory=memory, coverage=self.coverage.masked_fill(asked[:, None, None], 0))

    def finally_(self, ask: Tensor) -> tuple[Decoded, PlainMind]:
        """Pass 2."""
        assert self.shared is not None, "it has to see first"
        decoded, state = self.module.decode(self.shared, ask, self.memory, self.coverage)
        coverage = self.module.attention.cover(decoded.decoder, decoded.weights, self.memory, self.coverage)
        return decoded, replace(self, coverage=coverage, state=state, shared=None)

    def _read(self, memory: Memory, subgoal: Tensor, tails: Words) -> tuple[Tensor, Tensor, Tensor]:
        return self.module.remember_tail(_rows(tails, subgoal), memory.after_end_goal)


def _rows(table: Words, code: Tensor) -> Words:
    return Words(table.tokens[code], table.length[code])


def _told(memory: Memory, asked: Tensor, heard: tuple[Tensor, Tensor, Tensor]) -> Memory:
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


def _told_rows(memory: Memory, rows: Tensor, heard: tuple[Tensor, Tensor, Tensor]) -> Memory:
    """The memory with another tail in `rows`; only theirs was read."""
    first = memory.end_goal_words
    context, cover, present = heard
    return with_tail(
        memory,
        memory.context[:, first:].index_copy(0, rows, context),
        memory.cover[:, first:].index_copy(0, rows, cover),
        memory.present[:, first:].index_copy(0, rows, present),
    )
