"""The words of what the advisor says, looked up and embedded, each sentence to the row where its reading will be kept."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import torch
from torch import Tensor

from vnla.agents.fast.gpu.kernels import power_of_2, use_triton


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
    _kernel()[batch, places](
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


@cache
def _kernel() -> Any:
    from vnla.agents.fast.gpu.kernels import _words

    return _words.write
