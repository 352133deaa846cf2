"""The paper's phrases among the sentences of the grammar, for agents that are to understand both: so many of the things that
are said are said so, drawn for each episode and step."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from vnla.assistance.advisor import TemplateAdvisor
from vnla.assistance.phrases import every_subgoal
from vnla.episode import StepContext
from vnla.language.grammar import FULL_STOP, Grammar
from vnla.language.speech import draws, longest_sentence, plan_of
from vnla.words import Words

MOST_ACTIONS = 6
"""A turn of more has no words in the grammar."""

_APART = 1 << 45  # from the numbers that a step draws for anything else


@dataclass(frozen=True, eq=False)
class Phrasebook:
    """Every plan of k actions in the paper's words."""

    share: float  # of what is said
    advisor: TemplateAdvisor
    words: Words  # (plans, longest sentence), in the grammar's own numbers
    first: Tensor  # (1,), the number that is drawn

    @classmethod
    def of(cls, grammar: Grammar, k: int, share: float, device: torch.device | str) -> Phrasebook:
        """For plans of k actions."""
        number = {word: i for i, word in enumerate(grammar.words, start=1)}
        rows = [[number[word] for word in (*plan, FULL_STOP)] for plan in every_subgoal(k)]
        length = torch.tensor([len(row) for row in rows])
        tokens = torch.tensor([row + [0] * (longest_sentence(k) - len(row)) for row in rows])
        return cls(
            share, TemplateAdvisor(k=k), Words(tokens, length).to(device), torch.zeros(1, dtype=torch.int64).to(device)
        )

    def among(self, now: StepContext, said: Words) -> Words:
        """What was said, some of it in phrases."""
        drawn = draws(replace(now, step=now.step + _APART), self.first)  # (batch, 1)
        phrased = drawn < self.share
        row = self.advisor.code(plan_of(now, self.advisor.k).actions)
        tokens = torch.where(phrased, self.words.tokens[row], said.tokens)
        return Words(tokens, torch.where(phrased.squeeze(1), torch.take(self.words.length, row), said.length))
