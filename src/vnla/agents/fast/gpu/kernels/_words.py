"""The Triton side of `vnla.agents.fast.gpu.kernels.words`."""

# mypy: ignore-errors
# ruff: noqa: N803
import triton
import triton.language as tl


@triton.jit
def write(
    sentence, tokens, length, embedding, row, reads, scale, page_tokens, page_length, page_embedded, page_kept, embedded,
    lengths, places, WIDTH: tl.constexpr, UNITS: tl.constexpr, DROPS: tl.constexpr,
):  # fmt: skip
    """One program: one place of one sentence."""
    which, place = tl.program_id(0).to(tl.int64), tl.program_id(1)
    code, to = tl.load(sentence + which), tl.load(row + which)
    unit = tl.arange(0, UNITS)
    inside = unit < WIDTH
    word = tl.load(tokens + code * places + place)
    values = tl.load(embedding + word * WIDTH + unit, mask=inside, other=0.0)
    at = (to * places + place) * WIDTH + unit
    if DROPS:
        values = tl.where(tl.load(page_kept + at, mask=inside, other=0) != 0, values * scale, 0.0)
    tl.store(page_embedded + at, values, mask=inside)
    tl.store(embedded + (which * places + place) * WIDTH + unit, values, mask=inside)
    tl.store(page_tokens + to * places + place, word)
    if place == 0:
        size = tl.load(length + code) * tl.load(reads + which).to(tl.int64)
        tl.store(page_length + to, size)
        tl.store(lengths + which, size)


@triton.jit
def layer(
    words, length, weight, bias, out, row, total, places,
    INNER: tl.constexpr, OUTER: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr, DEPTH: tl.constexpr,
):  # fmt: skip
    """One program: `ROWS` words and `COLUMNS` numbers of each; nothing if none of the words is there."""
    word = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    inside = word < total
    sentence, place = word // places, word % places
    there = inside & (place < tl.load(length + sentence, mask=inside, other=0))
    if tl.max(there.to(tl.int32), 0) > 0:
        column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
        known = column < OUTER
        to = tl.load(row + sentence, mask=there, other=0).to(tl.int64) * places + place
        result = tl.zeros((ROWS, COLUMNS), tl.float32) + tl.load(bias + column, mask=known, other=0.0)[None, :]
        for first in range(0, INNER, DEPTH):
            inner = first + tl.arange(0, DEPTH)
            real = inner < INNER
            one = tl.load(words + word[:, None] * INNER + inner[None, :], mask=there[:, None] & real[None, :], other=0.0)
            other = tl.load(
                weight + column[None, :] * INNER + inner[:, None], mask=known[None, :] & real[:, None], other=0.0
            )
            result = tl.dot(one, other, result, input_precision="tf32")
        tl.store(out + to[:, None] * OUTER + column[None, :], result, mask=there[:, None] & known[None, :])
