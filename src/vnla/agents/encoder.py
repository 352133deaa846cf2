"""The encoder (section 6.1): an instruction in words becomes an attention memory, one vector a word.

The instruction is read backwards, as the authors' code does, so the end-goal comes first and a subgoal last. Its state after
the end-goal is kept; a new subgoal costs only its own words. The memory has the end-goal's places first, then those of the
*tail*: the words of a subgoal, backwards, and the end mark; without a subgoal the tail is the end mark alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from vnla.agents.config import AgentConfig
from vnla.agents.layers.cells import LSTMCell, Recurrent, over_words
from vnla.agents.layers.dropout import Dropout, lots_of_words, own, whole
from vnla.agents.spelling import SpelledEmbedding
from vnla.common.capture import second_stream
from vnla.words import Words


class InstructionEncoder(nn.Module):
    """Embedding, dropout, LSTM, dropout."""

    def __init__(self, config: AgentConfig) -> None:
        super().__init__()
        self.hidden = config.hidden
        self.embedding: nn.Embedding | SpelledEmbedding
        if config.pieces:
            self.embedding = SpelledEmbedding(config.words, config.word_embedding, config.pieces, meanings=config.meanings)
        else:
            self.embedding = nn.Embedding(config.words, config.word_embedding, padding_idx=0)
        self.embedded = config.word_embedding
        sizes = [config.word_embedding] + [config.hidden] * (config.layers - 1)
        self.cells = nn.ModuleList(LSTMCell(size, config.hidden) for size in sizes)
        self.dropout = Dropout(config.dropout)
        self._aside: torch.cuda.Stream | None = None

    @property
    def aside(self) -> torch.cuda.Stream | None:
        """A stream to read in beside other things, where there are streams."""
        if self._aside is None:
            self._aside = second_stream(self._like.device, urgent=True)
        return self._aside

    @property
    def _like(self) -> Tensor:
        """Anything of the kind and on the device that it computes with."""
        return next(self.parameters())

    def ready_for_reading(self) -> None:
        """Before `read_everywhere`, after the weights have changed."""
        for cell in self.cells:
            assert isinstance(cell, LSTMCell)
            cell.ready_over_places()

    def end_of_reading(self) -> None:
        """After the gradients of `read_everywhere` were taken."""
        for cell in self.cells:
            assert isinstance(cell, LSTMCell)
            cell.learn_over_places()

    def start(self, batch: int) -> list[Recurrent]:
        """The state before the first word."""
        return [Recurrent.zeros(batch, self.hidden, self._like) for _ in self.cells]

    def forward(self, words: Words, state: list[Recurrent]) -> tuple[Tensor, list[Recurrent]]:
        """The vectors of all words (batch, words, hidden), and the state after each sentence's last word.

        Only the words that are there are read. Where sizes are fixed, `read_everywhere` reads every place.
        """
        rows, places, counts = by_place(words)
        order = rows[: len(words.length)]
        after = []
        with lots_of_words(rows, places):
            values = embedded = self.dropout(self.embedding(words.tokens[rows, places]))  # (present words, word_embedding)
            for cell, before in zip(self.cells, state, strict=True):
                assert isinstance(cell, LSTMCell)
                values, reached = over_words(cell, values, Recurrent(before.hidden[order], before.cell[order]), counts)
                after.append(Recurrent(*(torch.empty_like(each).index_copy(0, order, each) for each in reached)))
                values = self.dropout(values)
            values = self.finished(values, embedded)
        context = values.new_zeros(*words.tokens.shape, self.hidden)
        return context.index_put((rows, places), values), after

    def draw(self, words: Words) -> list[Tensor] | None:
        """What dropout leaves of the words and of each layer's states, where every place is read; None for all."""
        if not self.dropout.training or self.dropout.p == 0:
            return None
        share, like = 1 - self.dropout.p, self._like
        sizes = [self.embedded] + [self.hidden] * len(self.cells)
        shape = *words.tokens.shape, sum(sizes)
        drawn = own(like.new_empty(whole(shape)).bernoulli_(share).div_(share), shape)
        return list(torch.split(drawn, sizes, dim=-1))

    def read_everywhere(
        self, words: Words, state: list[Recurrent], kept: Sequence[Tensor] | None = None
    ) -> tuple[Tensor, list[Recurrent]]:
        """What `forward` gives, by reading every place of every sentence: one recurrence for each layer, which a GPU library
        does as a whole. `kept` is what `draw` gave."""
        values: Tensor = _dropped(self.embedding(words.tokens), kept, 0)  # (batch, words, word_embedding)
        embedded = values
        after = []
        for layer, (cell, before) in enumerate(zip(self.cells, state, strict=True), start=1):
            assert isinstance(cell, LSTMCell)
            hidden, reached = cell.to_the_end(values, words.length, before)
            values = _dropped(hidden, kept, layer)
            after.append(reached)
        return self.finished(values, embedded), after

    def read_on(self, words: Words, state: list[Recurrent], kept: Sequence[Tensor] | None = None) -> Tensor:
        """The same where nobody needs the state after it."""
        values: Tensor = _dropped(self.embedding(words.tokens), kept, 0)
        embedded = values
        for layer, (cell, before) in enumerate(zip(self.cells, state, strict=True), start=1):
            assert isinstance(cell, LSTMCell)
            values = _dropped(cell.over_places(values, before)[0], kept, layer)
        return self.finished(values, embedded)

    def finished(self, values: Tensor, embedded: Tensor) -> Tensor:  # noqa: ARG002
        """Return the vectors of words (…, hidden) as the memory has them, from the last layer's and the words' own."""
        return values


def _dropped(values: Tensor, kept: Sequence[Tensor] | None, layer: int) -> Tensor:
    return values if kept is None else values * kept[layer]


def by_place(words: Words) -> tuple[Tensor, Tensor, list[int]]:
    """The words by place, in each place the longer sentences first: their rows, their places, and how many a place has."""
    order = words.length.argsort(descending=True, stable=True)
    there = words.mask()[order].T  # (places, batch)
    places, ranks = there.nonzero(as_tuple=True)
    return order[ranks], places, [count for count in there.sum(dim=1).tolist() if count]
