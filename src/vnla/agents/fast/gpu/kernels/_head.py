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
