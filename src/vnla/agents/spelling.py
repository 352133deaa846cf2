"""Words by their spelling: a word's vector is its own and those of its pieces, so that unknown words are not lost.

Pieces are the three to five characters that follow each other in a word between marks, `<sofa>`; each has one of so many
vectors, found by its hash (Bojanowski et al. 2017). A word that was not in training has its pieces alone: "couches" is near
"couch". With meanings, the sets of synonyms that a word is in (`vnla.language.synonyms`) are pieces of it, too, and make up
half of what its pieces are: "halt" is near "stop". Not in the paper.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding

from vnla.common.randomness import episode_key
from vnla.language.synonyms import meanings_of

SHORTEST, LONGEST = 3, 5


class SpelledEmbedding(nn.Module):
    """An embedding as `nn.Embedding`, for words whose spelling is known."""

    share: Tensor

    def __init__(self, words: int, size: int, pieces: int, *, meanings: bool = False) -> None:
        super().__init__()
        self._meanings = meanings
        self.own = nn.Parameter(torch.randn(words, size))
        self.pieces = nn.Parameter(torch.randn(pieces, size))
        self.register_buffer("share", torch.zeros(words, pieces), persistent=False)
        self._kept: tuple[tuple[int, int], Tensor] | None = None
        with torch.no_grad():
            self.own[0] = 0  # padding

    def spell(self, words: Sequence[str]) -> None:
        """Say how words are spelled: those of the vocabulary, by number, and any that come after them."""
        count = len(self.pieces)
        share = torch.zeros(len(words), count)
        for row, word in enumerate(words):
            kinds = [pieces_of(word), meanings_of(word) if self._meanings else ()]
            there = [kind for kind in kinds if kind]
            for kind in there:
                for piece in kind:
                    share[row, episode_key(piece) % count] += (len(kind) * len(there)) ** -0.5
        self.share = share.to(self.own.device)
        self._kept = None

    @property
    def weight(self) -> Tensor:
        """The vectors of all words, with gradients: (words, size). Half of each is its own, where it has one."""
        changed = self.own._version, self.pieces._version
        if self._kept is not None and self._kept[0] == changed and not torch.is_grad_enabled():
            return self._kept[1]
        spelled = self.share @ self.pieces
        known = len(self.own)
        table = torch.cat([(self.own + spelled[:known]) * 0.5**0.5, spelled[known:]])
        if not self.training and not torch.is_grad_enabled():
            self._kept = changed, table
        return table

    def some(self, tokens: Tensor) -> Tensor:
        """The vectors of some words of the vocabulary (words,), without those of all others: (words, size)."""
        found: Tensor = (self.own[tokens] + self.share[tokens] @ self.pieces) * 0.5**0.5
        return found

    def train(self, mode: bool = True) -> SpelledEmbedding:
        """What was kept is of weights that may have changed; those that a GPU graph changes do not say so."""
        self._kept = None
        super().train(mode)
        return self

    def forward(self, tokens: Tensor) -> Tensor:
        """The vectors of words."""
        return embedding(tokens, self.weight, padding_idx=0)


def pieces_of(word: str) -> list[str]:
    """The pieces of a word; a mark such as `<EOS>` has none."""
    if word.startswith("<") and word.endswith(">"):
        return []
    marked = f"<{word}>"
    sizes = range(SHORTEST, LONGEST + 1)
    return [marked[first : first + size] for size in sizes for first in range(len(marked) - size + 1)]
