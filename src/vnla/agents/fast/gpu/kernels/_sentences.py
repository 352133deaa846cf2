"""The Triton side of `vnla.agents.fast.gpu.kernels.sentences`."""

# mypy: ignore-errors
# ruff: noqa: N803
import triton
import triton.language as tl


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
