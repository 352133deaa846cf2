"""What a batch of fixed size reads, learned from at the end, all at once.

A GPU's time is the number of kernels in a row, and reading is a long row: word after word, at every step of an episode, and
back again. But nothing in an episode waits for the encoder's gradients, and only what somebody asked for is learned from. So
a batch reads without gradients, beside the first pass; what was read becomes a leaf of the graph; and when the gradients of
all steps are known, what was heard is read once more, all of it together, with the dropout that was drawn, and the encoder
learns from that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

from vnla.agents.encoder import InstructionEncoder
from vnla.agents.layers.cells import Recurrent
from vnla.assistance.words import Utterance
from vnla.common.capture import beside, join
from vnla.words import Words


class ReadSentences(NamedTuple):
    """Sentences that were read together, one for each episode."""

    words: Words
    kept: Sequence[Tensor] | None  # what dropout leaves of words and of each layer's states; None for all
    context: Tensor  # (batch, places, hidden), where gradients end
    cover: Tensor  # (batch, places, 3·coverage), what the context adds to the coverage's gates; likewise
    asked: Tensor  # (batch,), who heard it


@dataclass(eq=False)
class DeferredReading:
    """The end-goals of a batch, and what it hears after them."""

    encoder: InstructionEncoder
    prepare: Callable[[Tensor], Tensor]
    """Gives what a context adds to the coverage's gates."""
    requests: int
    learns: bool = field(default_factory=torch.is_grad_enabled)
    goal: ReadSentences = field(init=False)
    tails: list[ReadSentences] = field(default_factory=list)
    state: list[Recurrent] = field(init=False)  # after the end-goals
    _ahead: tuple[Utterance, ReadSentences] | None = None

    @classmethod
    def begin(
        cls, encoder: InstructionEncoder, prepare: Callable[[Tensor], Tensor], end_goal: Words, requests: int
    ) -> DeferredReading:
        """With the end-goals read; nobody will hear anything more often than there are `requests`."""
        reading = cls(encoder, prepare, requests)
        encoder.ready_for_reading()
        kept = encoder.draw(end_goal)
        with torch.no_grad():
            context, reading.state = encoder.read_everywhere(end_goal, encoder.start(len(end_goal.length)), kept)
            reading.goal = reading._piece(end_goal, kept, context)
        return reading

    def ahead(self, advice: Callable[[], Utterance]) -> Utterance:
        """Ask for advice and read it, beside what comes next."""
        with beside(self.encoder.aside), torch.no_grad():
            heard = advice()
            self._ahead = heard, self._read(heard.tails)
        return heard

    def hear(self, heard: Utterance, asked: Tensor) -> ReadSentences:
        """What those who asked are told after their end-goals."""
        if self._ahead is not None and self._ahead[0] is heard:
            join(self.encoder.aside)
            piece = self._ahead[1]
        else:
            piece = self._read(heard.tails)
        return self._note(piece._replace(asked=asked))

    def silence(self, tail: Words) -> ReadSentences:
        """What everybody begins with after its end-goal."""
        return self._note(self._read(tail))

    @torch.no_grad()
    def _read(self, tail: Words) -> ReadSentences:
        kept = self.encoder.draw(tail)
        return self._piece(tail, kept, self.encoder.read_on(tail, self.state, kept))

    def _piece(self, words: Words, kept: Sequence[Tensor] | None, context: Tensor) -> ReadSentences:
        context, cover = (each.requires_grad_(self.learns) for each in (context, self.prepare(context)))
        return ReadSentences(words, kept, context, cover, torch.ones_like(words.length, dtype=torch.bool))

    def _note(self, piece: ReadSentences) -> ReadSentences:
        if self.learns:
            self.tails.append(piece)
        return piece

    def collect(self) -> None:
        """Read what was heard again, with gradients, and give them to the encoder."""
        goal, encoder = self.goal, self.encoder
        with torch.no_grad():
            words, kept, *of_tails = _heard(self.tails, self.requests + 1)
        with torch.enable_grad():
            again, state = encoder.read_everywhere(goal.words, encoder.start(len(goal.words.length)), goal.kept)
            begun = [Recurrent(*(each.repeat(self.requests + 1, 1) for each in layer)) for layer in state]
            read = encoder.read_on(words, begun, kept)
            leaves = [again, self.prepare(again), read, self.prepare(read)]
        torch.autograd.backward(leaves, [_gradient(goal.context), _gradient(goal.cover), *of_tails])
        encoder.end_of_reading()
        self.tails.clear()


def _heard(pieces: Sequence[ReadSentences], slots: int) -> tuple[Words, list[Tensor] | None, Tensor, Tensor]:
    """What each episode heard first, second, …, below each other: words, what dropout kept of them, and the gradients of
    context and cover."""
    places = max(piece.context.shape[1] for piece in pieces)
    asked = torch.stack([piece.asked for piece in pieces])  # (pieces, batch)
    number = asked.cumsum(dim=0) - 1
    slot = torch.arange(slots, device=asked.device)[:, None, None]
    here = asked & (number == slot)  # (slots, pieces, batch)
    which, there = here.int().argmax(dim=1), here.any(dim=1)  # (slots, batch)
    batch = torch.arange(asked.shape[1], device=asked.device)

    def taken(values: Sequence[Tensor]) -> Tensor:
        return torch.stack([_wide(each, places) for each in values])[which, batch].flatten(0, 1)

    length = torch.stack([piece.words.length for piece in pieces])[which, batch]
    words = Words(taken([piece.words.tokens for piece in pieces]), torch.where(there, length, 0).flatten())
    drawn = [piece.kept for piece in pieces if piece.kept is not None]
    kept = [taken(masks) for masks in zip(*drawn, strict=True)] or None
    seen = there.flatten()[:, None, None]
    context = taken([_gradient(piece.context) for piece in pieces]) * seen
    cover = taken([_gradient(piece.cover) for piece in pieces]) * seen
    return words, kept, context, cover


def _wide(values: Tensor, places: int) -> Tensor:
    """Up to so many places (batch, places, …)."""
    missing = places - values.shape[1]
    return pad(values, (*(0, 0) * (values.dim() - 2), 0, missing)) if missing else values


def _gradient(leaf: Tensor) -> Tensor:
    return torch.zeros_like(leaf) if leaf.grad is None else leaf.grad
