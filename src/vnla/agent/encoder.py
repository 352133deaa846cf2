"""The encoder (section 6.1): an instruction in words becomes an attention memory, one vector a word.

The instruction is read backwards, as the authors' code does, so the end-goal comes first and a subgoal last. Its state after
the end-goal is kept; a new subgoal costs only its own words. The memory has the end-goal's places first, then those of the
*tail*: the words of a subgoal, backwards, and the end mark; without a subgoal the tail is the end mark alone.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from vnla.agent.config import AgentConfig
from vnla.agent.layers.cells import LSTMCell, Recurrent, over_words
from vnla.agent.layers.dropout import Dropout
from vnla.roles.words import Words


class Encoder(nn.Module):
    """Embedding, dropout, LSTM, dropout."""

    def __init__(self, config: AgentConfig) -> None:
        super().__init__()
        self.hidden = config.hidden
        self.embedding = nn.Embedding(config.words, config.word_embedding, padding_idx=0)
        sizes = [config.word_embedding] + [config.hidden] * (config.layers - 1)
        self.cells = nn.ModuleList(LSTMCell(size, config.hidden) for size in sizes)
        self.dropout = Dropout(config.dropout)

    def start(self, batch: int) -> list[Recurrent]:
        """The state before the first word."""
        return [Recurrent.zeros(batch, self.hidden, self.embedding.weight) for _ in self.cells]

    def forward(self, words: Words, state: list[Recurrent], *, everywhere: bool = False) -> tuple[Tensor, list[Recurrent]]:
        """The vectors of all words (batch, words, hidden), and the state after each sentence's last word.

        Every place of every sentence is read if it is to be `everywhere`, else only the words that are there.
        """
        return self._read_all(words, state) if everywhere else self._read_present(words, state)

    def _read_present(self, words: Words, state: list[Recurrent]) -> tuple[Tensor, list[Recurrent]]:
        """Only what is there: place for place, as many sentences as reach so far."""
        rows, places, counts = by_place(words)
        order = rows[: len(words.length)]
        values = self.dropout(self.embedding(words.tokens[rows, places]))  # (present words, word_embedding)
        after = []
        for cell, before in zip(self.cells, state, strict=True):
            assert isinstance(cell, LSTMCell)
            values, reached = over_words(cell, values, Recurrent(before.hidden[order], before.cell[order]), counts)
            after.append(Recurrent(*(torch.empty_like(each).index_copy(0, order, each) for each in reached)))
            values = self.dropout(values)
        context = values.new_zeros(*words.tokens.shape, self.hidden)
        return context.index_put((rows, places), values), after

    def _read_all(self, words: Words, state: list[Recurrent]) -> tuple[Tensor, list[Recurrent]]:
        """All places of all sentences, where sizes must be known beforehand."""
        embedded = self.dropout(self.embedding(words.tokens))  # (batch, words, word_embedding)
        present = words.mask()
        outputs = []
        for place in range(words.tokens.shape[1]):
            values = embedded[:, place]
            for layer, cell in enumerate(self.cells):
                reached = cell(values, state[layer])
                state = [*state[:layer], _where(present[:, place], reached, state[layer]), *state[layer + 1 :]]
                values = reached.hidden if layer == len(self.cells) - 1 else self.dropout(reached.hidden)
            outputs.append(values)
        return self.dropout(torch.stack(outputs, dim=1)), state


def by_place(words: Words) -> tuple[Tensor, Tensor, list[int]]:
    """The words by place, in each place the longer sentences first: their rows, their places, and how many a place has."""
    order = words.length.argsort(descending=True, stable=True)
    there = words.mask()[order].T  # (places, batch)
    places, ranks = there.nonzero(as_tuple=True)
    return order[ranks], places, [count for count in there.sum(dim=1).tolist() if count]


def _where(present: Tensor, reached: Recurrent, before: Recurrent) -> Recurrent:
    """The reached state where there was a word, else the one before."""
    hidden = torch.where(present[:, None], reached.hidden, before.hidden)
    return Recurrent(hidden, torch.where(present[:, None], reached.cell, before.cell))
