"""The whole agent: what it keeps in mind during an episode, and the four things it does in a step.

`read` what the advisor would say, decide `tentatively`, `hear` it if it asked, decide `finally`. Memory and coverage belong
to each episode: only those that asked read their instruction again. In training `vnla.agent.whole` does all of it on a GPU,
in few kernels, and `vnla.agent.ragged` on a CPU; here is the plain way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch
from torch import Tensor, nn

from vnla.advisor import Subgoals
from vnla.agent import ragged, whole
from vnla.agent.cells import Recurrent
from vnla.agent.config import AgentConfig
from vnla.agent.encoder import Words
from vnla.agent.help import HelpModule
from vnla.agent.navigation import Decoded, Memory, NavigationModule, Shared, with_tail
from vnla.agent.ragged import RaggedMind, RaggedShared
from vnla.agent.whole import WholeMind, WholeShared
from vnla.budgets import LONGEST_EPISODE
from vnla.selection import take_rows


@dataclass(frozen=True)
class Mind:
    """What the agent carries from step to step."""

    memory: Memory
    coverage: Tensor  # (batch, words, coverage)
    state: list[Recurrent]  # the decoder's, after the last step's second pass


AnyMind = Mind | WholeMind | RaggedMind
AnyShared = Shared | WholeShared | RaggedShared


class Heard(NamedTuple):
    """What the advisor would say."""

    subgoal: Tensor  # (batch,), code
    tails: Words


class Agent(nn.Module):
    """π_nav and π_ask."""

    def __init__(self, config: AgentConfig) -> None:
        super().__init__()
        self.config = config
        self.navigation = NavigationModule(config)
        self.help = HelpModule(config)

    def begin(self, end_goal: Words, tails: Words, steps: int = LONGEST_EPISODE, requests: int = LONGEST_EPISODE) -> AnyMind:
        """The mind at the start: the end-goal read, no subgoal. `tails` is the table that `tails` makes.

        There will be at most so many `steps` and answered `requests`.
        """
        if end_goal.tokens.is_cuda and self.config.layers == 1 and torch.is_grad_enabled():
            with whole.exactly(end_goal.tokens.device):
                return whole.begin(self.navigation, end_goal.backwards(), tails, steps, requests)
        if torch.is_grad_enabled() and ragged.suits(self.navigation):
            return ragged.begin(self.navigation, end_goal.backwards(), tails)
        silence = torch.full_like(end_goal.length, len(tails.length) - 1)
        memory = self.navigation.remember(end_goal.backwards(), _rows(tails, silence))
        batch, words, _ = memory.context.shape
        coverage = memory.context.new_zeros(batch, words, self.config.coverage)
        return Mind(memory, coverage, self.navigation.start(batch))

    def read(self, mind: AnyMind, may_ask: Tensor, advice: Callable[[], Tensor], tails: Words) -> Heard:
        """What `advice` gives: codes of what the advisor would say to those who may ask.

        A GPU asks for it and reads it beside the first pass; a CPU reads it when it is heard.
        """
        if isinstance(mind, WholeMind):
            with whole.exactly(may_ask.device):
                return Heard(mind.book.read(mind.slot, may_ask, advice), tails)
        return Heard(advice(), tails)

    def tentatively(self, view: Tensor, last_nav: Tensor, last_ask: Tensor, mind: AnyMind) -> tuple[Decoded, AnyShared]:
        """Pass 1: decide with the last help-requesting action, and what the second pass can use of it."""
        if isinstance(mind, WholeMind):
            with whole.exactly(view.device):
                return whole.tentatively(view, last_nav, last_ask, mind)
        if isinstance(mind, RaggedMind):
            return ragged.tentatively(view, last_nav, last_ask, mind)
        shared = self.navigation.share(view, last_nav, mind.state)
        with torch.no_grad():
            decoded, _ = self.navigation.decode(shared, last_ask, mind.memory, mind.coverage)
        return decoded, shared

    def hear(self, mind: AnyMind, asked: Tensor, heard: Heard) -> AnyMind:
        """The mind after the advisor answered those who asked: their new instruction, nothing of it covered yet."""
        if isinstance(mind, WholeMind):
            return whole.hear(mind, asked)
        if isinstance(mind, RaggedMind):
            return ragged.hear(mind, asked, *heard)
        if asked.is_cuda:
            memory = _told(mind.memory, asked, self._read(mind.memory, *heard))
        else:
            rows = asked.nonzero().squeeze(1)
            if not len(rows):
                return mind
            read = self._read(take_rows(mind.memory, rows), heard.subgoal[rows], heard.tails)
            memory = _told_rows(mind.memory, rows, read)
        return replace(mind, memory=memory, coverage=mind.coverage.masked_fill(asked[:, None, None], 0))

    def finally_(self, shared: AnyShared, ask: Tensor, mind: AnyMind) -> tuple[Decoded, AnyMind]:
        """Pass 2: decide with this step's help-requesting action, and the mind for the next step."""
        if isinstance(mind, WholeMind) and isinstance(shared, WholeShared):
            with whole.exactly(ask.device):
                return whole.finally_(shared, ask, mind)
        if isinstance(mind, RaggedMind) and isinstance(shared, RaggedShared):
            return ragged.finally_(shared, ask, mind)
        assert isinstance(mind, Mind) and isinstance(shared, Shared)
        decoded, state = self.navigation.decode(shared, ask, mind.memory, mind.coverage)
        coverage = self.navigation.attention.cover(decoded.decoder, decoded.weights, mind.memory, mind.coverage)
        return decoded, replace(mind, coverage=coverage, state=state)

    def recall(self, mind: AnyMind) -> Tensor | None:
        """The logits of all second passes with their gradients, where the passes themselves had none; else None."""
        if isinstance(mind, RaggedMind):
            return ragged.recall(mind)
        if not isinstance(mind, WholeMind):
            return None
        with whole.exactly(mind.slot.device):
            return whole.recall(mind)

    def _read(self, memory: Memory, subgoal: Tensor, tails: Words) -> tuple[Tensor, Tensor, Tensor]:
        return self.navigation.remember_tail(_rows(tails, subgoal), memory.after_end_goal)


def tails(subgoals: Subgoals, end_mark: int) -> Words:
    """The tail of every subgoal code: its words and full stop backwards, then the end mark; for silence the mark alone."""
    backwards = Words(subgoals.tokens, subgoals.length).backwards()
    padded = torch.nn.functional.pad(backwards.tokens, (0, 1))
    marked = padded.scatter(1, subgoals.length[:, None], end_mark)
    return Words(marked, subgoals.length + 1)


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
