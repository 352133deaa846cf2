"""What a batch of fixed size reads, learned from at the end, all at once.

A GPU's time is the number of kernels in a row, and reading is a long row: word after word, at every step of an episode, and
back again. But nothing in an episode waits for the encoder's gradients. So a batch reads without them; what was read becomes
a leaf of the graph, and when the gradients of all steps are known, everything is read once more, all sentences of all steps
together, with the dropout that was drawn, and the encoder learns from that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.nn.functional import pad

from vnla.agent.encoder import Encoder
from vnla.agent.layers.cells import Recurrent
from vnla.roles.words import Words


@dataclass(frozen=True)
class Piece:
    """Sentences that were read together."""

    words: Words
    kept: Sequence[Tensor] | None  # what dropout leaves of words and of each layer's states; None for all
    context: Tensor  # (sentences, places, hidden), where gradients end


@dataclass(eq=False)
class Reading:
    """The end-goals of a batch, and what it hears after them."""

    encoder: Encoder
    pieces: list[Piece] = field(default_factory=list)
    state: list[Recurrent] = field(default_factory=list)  # after the end-goals

    @classmethod
    def begin(cls, encoder: Encoder, end_goal: Words) -> Reading:
        """With the end-goals read."""
        reading = cls(encoder)
        kept = encoder.draw(end_goal)
        with torch.no_grad():
            context, reading.state = encoder.read_all(end_goal, encoder.start(len(end_goal.length)), kept)
        reading._note(end_goal, kept, context)
        return reading

    @property
    def end_goal(self) -> Tensor:
        """What was read of the end-goals."""
        return self.pieces[0].context

    def read(self, tail: Words) -> Tensor:
        """The vectors of tails after the end-goals."""
        kept = self.encoder.draw(tail)
        with torch.no_grad():
            context = self.encoder.read_on(tail, self.state, kept)
        return self._note(tail, kept, context)

    def _note(self, words: Words, kept: Sequence[Tensor] | None, context: Tensor) -> Tensor:
        learns = torch.is_grad_enabled()
        piece = Piece(words, kept, context.requires_grad_(learns))
        if learns or not self.pieces:
            self.pieces.append(piece)
        return piece.context

    def collect(self) -> None:
        """Read everything again, with gradients, and give them to the encoder."""
        (goal, *tails), encoder = self.pieces, self.encoder
        with torch.enable_grad():
            again, state = encoder.read_all(goal.words, encoder.start(len(goal.words.length)), goal.kept)
            begun = [Recurrent(*(each.repeat(len(tails), 1) for each in layer)) for layer in state]
            read, gradients = [again], [_gradient(goal)]
            if tails:
                read.append(encoder.read_on(*_together(tails, begun)))
                gradients.append(torch.cat([_wide(_gradient(each), _places(tails)) for each in tails]))
        torch.autograd.backward(read, gradients)
        self.pieces.clear()


def _places(pieces: Sequence[Piece]) -> int:
    return max(piece.context.shape[1] for piece in pieces)


def _together(pieces: Sequence[Piece], state: list[Recurrent]) -> tuple[Words, list[Recurrent], list[Tensor] | None]:
    """All sentences of all pieces, below each other."""
    places = _places(pieces)
    tokens = torch.cat([pad(each.words.tokens, (0, places - each.words.tokens.shape[1])) for each in pieces])
    words = Words(tokens, torch.cat([each.words.length for each in pieces]))
    drawn = [each.kept for each in pieces if each.kept is not None]
    kept = [torch.cat([_wide(each, places) for each in masks]) for masks in zip(*drawn, strict=True)]
    return words, state, kept or None


def _wide(values: Tensor, places: int) -> Tensor:
    return pad(values, (0, 0, 0, places - values.shape[1])) if values.shape[1] < places else values


def _gradient(piece: Piece) -> Tensor:
    gradient = piece.context.grad
    return torch.zeros_like(piece.context) if gradient is None else gradient
