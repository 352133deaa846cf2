"""The Triton side of `vnla.agents.fast.gpu.kernels.head`."""

# mypy: ignore-errors
# ruff: noqa: N803
import triton
import triton.language as tl

from vnla.agents.fast.gpu.kernels._cell import tanh


@triton.jit
def decide(
    sums, weight, bias, attended, logits,
    HIDDEN: tl.constexpr, UNITS: tl.constexpr, ACTIONS: tl.constexpr, PADDED: tl.constexpr,
):  # fmt: skip
    """One program: one episode."""
    episode = tl.program_id(0)
    unit, action = tl.arange(0, UNITS), tl.arange(0, PADDED)
    inside, known = unit < HIDDEN, action < ACTIONS
    state = tanh(tl.load(sums + episode * HIDDEN + unit, mask=inside, other=0.0))
    tl.store(attended + episode * HIDDEN + unit, state, mask=inside)
    rows = tl.load(weight + action[:, None] * HIDDEN + unit[None, :], mask=known[:, None] & inside[None, :], other=0.0)
    result = tl.sum(rows * state[None, :], 1) + tl.load(bias + action, mask=known, other=0.0)
    tl.store(logits + episode * ACTIONS + action, result, mask=known)


@triton.jit
def multiply(
    left, right, bias, out, rows, left_row, left_inner, right_inner, right_column,
    INNER: tl.constexpr, OUTER: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr, DEPTH: tl.constexpr,
    HAS_BIAS: tl.constexpr,
):  # fmt: skip
    """One program: `ROWS` rows and `COLUMNS` columns of the product."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    inside, known = (row < rows)[:, None], (column < OUTER)[None, :]
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    if HAS_BIAS:
        total += tl.load(bias + column, mask=column < OUTER, other=0.0)[None, :]
    for first in range(0, INNER, DEPTH):
        inner = first + tl.arange(0, DEPTH)
        there = inner < INNER
        one = tl.load(left + row[:, None] * left_row + inner[None, :] * left_inner, mask=inside & there[None, :], other=0.0)
        other = tl.load(
            right + inner[:, None] * right_inner + column[None, :] * right_column, mask=there[:, None] & known, other=0.0
        )
        total = tl.dot(one, other, total, input_precision="tf32")
    tl.store(out + row[:, None] * OUTER + column[None, :], total, mask=inside & known)
