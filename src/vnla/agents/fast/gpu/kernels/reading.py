"""What somebody says, read in one kernel: its words looked up and embedded, the walk over them, and the layer that follows.

The walk is that of `vnla.agents.fast.gpu.kernels.walk` in half precision. Most of its time programs wait for each other's
states; meanwhile each computes what the next word adds to its own gates. One more program for the same sentences follows the
others, and applies the layer to what they have written. Where tf32 will not do, or the batch is too large for all programs
to run at once, the same is done by kernels one after the other: `words`, `sentences`, `walk`, `sentences`.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import torch
from torch import Tensor

from vnla.agents.fast.gpu.kernels import interpreted, power_of_2, tf32_will_do, triton_side, use_triton
from vnla.agents.fast.gpu.kernels.walk import Halves, Track, processors, walk
from vnla.agents.fast.gpu.kernels.words import SentenceBuffer, apply_layer, write_words
from vnla.agents.fast.packed import Packed
from vnla.common.capture import fused
from vnla.words import Words

_ROWS, _UNITS = 16, 32
_UNITS_OF_A_WARP = 4  # with four gates each: sixteen rows of weights, as many as its matrix unit takes
_FEWEST = 64  # of hidden units, and of numbers of a word
_MOST_NUMBERS = 2**31  # that the kernel can count


class SentenceReader(NamedTuple):
    """All that reading takes; the second half in float16, and only where one kernel may do."""

    embedding: Tensor  # (vocabulary, word_embedding)
    weights: Packed
    halves: Halves
    scale: float  # of what dropout keeps
    scaled: Tensor | None  # the embedding times the scale
    enters: Tensor | None  # the weights of embedded words
    covers: Tensor | None  # those of the layer that follows

    @classmethod
    def of(cls, embedding: Tensor, weights: Packed, scale: float) -> SentenceReader:
        """With these weights."""
        halves = Halves.of(weights.words_again)
        rounds = tf32_will_do() and use_triton(embedding) and halves.lower is None
        rounded = _rounded(embedding, weights.words, weights.context, scale) if rounds else (None, None, None)
        return cls(embedding, weights, halves, scale, *rounded)


def read(
    sentence: Tensor, table: Words, slot: Tensor, reads: Tensor, last: int, reader: SentenceReader,
    page: SentenceBuffer, track: Track, cover: Tensor, everybody: Tensor, meet: Tensor,
) -> None:  # fmt: skip
    """Read `sentence` (batch,) of a table, each into the slot after `slot` (batch,) of page, track and `cover`.

    A slot is a row for each of the batch. What nobody `reads` has no words, and goes into the `last` one.
    `everybody` counts the batch; `meet` are zeros (batch,) of int32, for the programs to meet at. Places after a sentence's
    end hold anything finite.
    """
    if _at_once(len(sentence), table, reader, track, cover):
        _read_at_once(sentence, table, slot, reads, last, reader, page, track, cover, meet)
        return
    weights, scale, row = reader.weights, reader.scale, _next_row(slot, reads, everybody, last=last)
    embedded, length = write_words(sentence, table.tokens, table.length, reader.embedding, row, reads, scale, page)
    entering = embedded.new_empty(*embedded.shape[:2], len(weights.words))
    apply_layer(embedded, length, weights.words, weights.words_bias, entering, everybody)
    now = walk(entering, reader.halves, row, length, scale, track, meet)
    apply_layer(now, length, weights.context, weights.context_bias, cover, row)


def _at_once(batch: int, table: Words, reader: SentenceReader, track: Track, cover: Tensor) -> bool:
    """Whether one kernel can read so many sentences."""
    (width, hidden), pieces = (reader.weights.words.shape[1], track.hidden.shape[2]), track.hidden.shape[2] // _UNITS
    return (
        reader.scaled is not None
        and all(size >= _FEWEST and size == power_of_2(size) for size in (width, hidden))
        and width >= 2 * pieces
        and cover.shape[2] <= 4 * _UNITS
        and max(track.gates.numel(), width * track.gates.numel() // (4 * hidden), table.tokens.numel()) < _MOST_NUMBERS
        and (pieces == 1 or not interpreted())
        and -(-batch // _ROWS) * (pieces + 1) <= processors(cover.device)
        and _shared_bytes(hidden) <= _shared_memory(cover.device)
    )


def _read_at_once(
    sentence: Tensor, table: Words, slot: Tensor, reads: Tensor, last: int, reader: SentenceReader,
    page: SentenceBuffer, track: Track, cover: Tensor, meet: Tensor,
) -> None:  # fmt: skip
    weights, upper = reader.weights, reader.halves.upper
    assert reader.scaled is not None and reader.enters is not None and reader.covers is not None
    (batch, places), hidden = (len(sentence), table.tokens.shape[1]), upper.shape[1]
    groups, pieces = -(-batch // _ROWS), hidden // _UNITS
    enters = reader.enters.view(torch.int16)  # which the compiler keeps in registers, where it would share float16
    passing = upper.new_empty(batch, 2, hidden)
    triton_side("reading").read[groups * (pieces + 1),](
        sentence, table.tokens, table.length, reader.scaled, slot, reads, page.tokens, page.length, page.embedded, page.kept,
        enters, weights.words_bias, upper, track.kept, reader.scale, track.hidden, track.cell, track.gates, track.context,
        passing, reader.covers, weights.context_bias, cover, meet, batch, places, last,
        HIDDEN=hidden, WIDTH=enters.shape[1], OUTER=cover.shape[2], ROWS=_ROWS, UNITS=_UNITS, DROPS=page.kept is not None,
        IN_TURN=interpreted(), num_warps=_UNITS // _UNITS_OF_A_WARP, launch_cooperative_grid=not interpreted(),
    )  # fmt: skip


@fused
def _next_row(slot: Tensor, reads: Tensor, everybody: Tensor, *, last: int) -> Tensor:
    """The row of the slot after everybody's own, or of the last slot for those who do not read."""
    return torch.where(reads, slot + 1, last) * len(everybody) + everybody


@fused
def _rounded(embedding: Tensor, words: Tensor, context: Tensor, scale: float) -> tuple[Tensor, Tensor, Tensor]:
    return (embedding * scale).half(), words.half(), context.half()


def _shared_bytes(hidden: int) -> int:
    """What a program keeps in shared memory: recurrent weights, and the state of its sentences."""
    return 2 * (4 * _UNITS + _ROWS) * hidden


@cache
def _shared_memory(device: torch.device) -> int:
    """How much of it a program can have, in bytes; as much as it wants in the interpreter."""
    if device.type == "cpu":
        return 2**31
    return int(torch.cuda.get_device_properties(device).shared_memory_per_multiprocessor) - 1024  # which CUDA takes itself
