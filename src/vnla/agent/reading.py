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

from vnla.agent.encoder import Encoder
from vnla.agent.layers.cells import Recurrent
from vnla.common.capture import beside, join
from vnla.roles.words import Heard, Words


class Piece(NamedTuple):
    """Sentences that were read together, one for each episode."""

    words: Words
    kept: Sequence[Tensor] | None  # what dropout leaves of words and of each layer's states; None for all
    context: Tensor  # (batch, places, hidden), where gradients end
    asked: Tensor  # (batch,), who heard it


@dataclass(eq=False)
class Reading:
    """The end-goals of a batch, and what it hears after them."""

    encoder: Encoder
    requests: int
    learns: bool = field(default_factory=torch.is_grad_enabled)
    goal: Piece = field(init=False)
    tails: list[Piece] = field(default_factory=list)
    state: list[Recurrent] = field(init=False)  # after the end-goals
    _ahead: tuple[Heard, Sequence[Tensor] | None, Tensor] | None = None

    @classmethod
    def begin(cls, encoder: Encoder, end_goal: Words, requests: int) -> Reading:
        """With the end-goals read; nobody will hear anything more often than there are `requests`."""
        reading = cls(encoder, requests)
        encoder.ready_for_reading()
        kept, everybody = encoder.draw(end_goal), torch.ones_like(end_goal.length, dtype=torch.bool)
        with torch.no_grad():
            context, reading.state = encoder.read_everywhere(end_goal, encoder.start(len(end_goal.length)), kept)
        reading.goal = Piece(end_goal, kept, context.requires_grad_(reading.learns), everybody)
        return reading

    def ahead(self, advice: Callable[[], Heard]) -> Heard:
        """Ask for advice and read it, beside what comes next."""
        with beside(self.encoder.aside), torch.no_grad():
            heard = advice()
            self._ahead = (heard, *self._read(heard.tails))
        return heard

    def hear(self, heard: Heard, asked: Tensor) -> Tensor:
        """The vectors of what those who asked are told after their end-goals."""
        if self._ahead is not None and self._ahead[0] is heard:
            join(self.encoder.aside)
            _, kept, context = self._ahead
        else:
            kept, context = self._read(heard.tails)
        return self._note(heard.tails, kept, context, asked)

    def silence(self, tail: Words) -> Tensor:
        """The vectors of what everybody begins with after its end-goal."""
        return self._note(tail, *self._read(tail), torch.ones_like(tail.length, dtype=torch.bool))

    @torch.no_grad()
    def _read(self, tail: Words) -> tuple[Sequence[Tensor] | None, Tensor]:
        kept = self.encoder.draw(tail)
        return kept, self.encoder.read_everywhere(tail, self.state, kept)[0]

    def _note(self, words: Words, kept: Sequence[Tensor] | None, context: Tensor, asked: Tensor) -> Tensor:
        if self.learns:
            context = context.requires_grad_()
            self.tails.append(Piece(words, kept, context, asked))
        return context

    def collect(self) -> None:
        """Read what was heard again, with gradients, and give them to the encoder."""
        goal, encoder = self.goal, self.encoder
        with torch.no_grad():
            words, kept, gradient = _heard(self.tails, self.requests + 1)
        with torch.enable_grad():
            again, state = encoder.read_everywhere(goal.words, encoder.start(len(goal.words.length)), goal.kept)
            begun = [Recurrent(*(each.repeat(self.requests + 1, 1) for each in layer)) for layer in state]
            read, _ = encoder.read_everywhere(words, begun, kept)
        torch.autograd.backward([again, read], [_gradient(goal), gradient])
        encoder.end_of_reading()
        self.tails.clear()


def _heard(pieces: Sequence[Piece], slots: int) -> tuple[Words, list[Tensor] | None, Tensor]:
    """What each episode heard first, second, …, below each other: words, what dropout kept of them, and the gradients."""
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
    gradient = taken([_gradient(piece) for piece in pieces])
    return words, kept, gradient * there.flatten()[:, None, None]


def _wide(values: Tensor, places: int) -> Tensor:
    """Up to so many places (batch, places, …)."""
    missing = places - values.shape[1]
    return pad(values, (*(0, 0) * (values.dim() - 2), 0, missing)) if missing else values


def _gradient(piece: Piece) -> Tensor:
    gradient = piece.context.grad
    return torch.zeros_like(piece.context) if gradient is None else gradient
