"""What the advisor says: words looked up and embedded, and a layer applied to the words of sentences.

Each sentence has a fixed number of places, and goes to the row where its reading will be kept. Most sentences are empty,
because nobody may ask; the layer's kernel leaves them out, and writes its results where they belong. It rounds as a GPU's
matrix units do (tf32). Where that is not allowed, the product is PyTorch's, of all places.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from vnla.agents.fast.gpu.kernels import power_of_2, tf32_will_do, triton_side, use_triton


class SentenceBuffer(NamedTuple):
    """Rows of sentences as they were read."""

    tokens: Tensor  # (rows, places)
    length: Tensor  # (rows,)
    embedded: Tensor  # (rows, places, width), after dropout
    kept: Tensor | None  # (rows, places, width), what dropout keeps


def write_words(
    sentence: Tensor,
    tokens: Tensor,
    length: Tensor,
    embedding: Tensor,
    row: Tensor,
    reads: Tensor,
    scale: float,
    page: SentenceBuffer,
) -> tuple[Tensor, Tensor]:
    """Write `sentence` (batch,) of the table `tokens`, `length` into rows `row` of `page`; those that nobody `reads` have no
    words. The result is what was written of the embedded words (batch, places, width), and the lengths (batch,)."""
    if not use_triton(embedding, embedding.shape[1]):
        return write_words_plain(sentence, tokens, length, embedding, row, reads, scale, page)
    batch, places, width = len(sentence), tokens.shape[1], embedding.shape[1]
    embedded = embedding.new_empty(batch, places, width)
    lengths = torch.empty_like(sentence)
    triton_side("words").write[batch, places](
        sentence, tokens, length, embedding, row, reads, scale, page.tokens, page.length, page.embedded, page.kept, embedded,
        lengths, places, WIDTH=width, UNITS=power_of_2(width), DROPS=page.kept is not None, num_warps=1,
    )  # fmt: skip
    return embedded, lengths


def write_words_plain(
    sentence: Tensor,
    tokens: Tensor,
    length: Tensor,
    embedding: Tensor,
    row: Tensor,
    reads: Tensor,
    scale: float,
    page: SentenceBuffer,
) -> tuple[Tensor, Tensor]:
    """The same in PyTorch."""
    words, lengths = tokens[sentence], length[sentence] * reads
    embedded = embedding[words]
    if page.kept is not None:
        embedded = embedded * page.kept[row] * scale
    page.tokens[row], page.length[row], page.embedded[row] = words, lengths, embedded
    return embedded, lengths


_ROWS = 64


def apply_layer(words: Tensor, length: Tensor, weight: Tensor, bias: Tensor, out: Tensor, row: Tensor) -> None:
    """Rows `row` (batch,) of `out` (rows, places, outer) get `words` (batch, places, inner) @ weight.T + bias.

    Places after a sentence's end hold what they held before, or anything finite.
    """
    batch, places, inner = words.shape
    outer = len(weight)
    if not (tf32_will_do() and use_triton(words, inner, outer)):
        apply_layer_plain(words, length, weight, bias, out, row)
        return
    columns = 64 if outer >= 512 else 16
    triton_side("words").layer[-(-batch * places // _ROWS), -(-outer // columns)](
        words, length, weight, bias, out, row, batch * places, places,
        INNER=inner, OUTER=outer, ROWS=_ROWS, COLUMNS=columns, DEPTH=64, num_warps=4, num_stages=3,
    )  # fmt: skip


def apply_layer_plain(words: Tensor, length: Tensor, weight: Tensor, bias: Tensor, out: Tensor, row: Tensor) -> None:  # noqa: ARG001
    """The same in PyTorch."""
    result = torch.addmm(bias, words.flatten(0, 1), weight.T)
    out.index_copy_(0, row, result.view(*words.shape[:2], -1))
