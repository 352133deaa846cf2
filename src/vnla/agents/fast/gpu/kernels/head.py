"""The last layers of a pass: the attended state from its sums, the logits of the navigation actions, and thin products.

cuBLAS cuts a product of a matrix with few rows into parts and adds them up in a second kernel; where others wait for the
result, one kernel is faster. It rounds as a GPU's matrix units do (tf32); elsewhere the product is PyTorch's.
"""

from __future__ import annotations

import torch
from torch import Tensor

from vnla.agents.fast.gpu.kernels import power_of_2, tf32_will_do, triton_side, use_triton


def decide(sums: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    """The attended state tanh(sums) (batch, hidden) and its logits (batch, actions)."""
    if not use_triton(sums, sums.shape[1]):
        return decide_plain(sums, weight, bias)
    (batch, hidden), actions = sums.shape, len(bias)
    attended, logits = torch.empty_like(sums), sums.new_empty(batch, actions)
    triton_side("head").decide[batch,](
        sums, weight, bias, attended, logits, HIDDEN=hidden, UNITS=power_of_2(hidden), ACTIONS=actions,
        PADDED=power_of_2(actions), num_warps=4,
    )  # fmt: skip
    return attended, logits


def decide_plain(sums: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    """The same in PyTorch."""
    attended = sums.tanh()
    return attended, torch.nn.functional.linear(attended, weight, bias)


_ROWS, _COLUMNS, _DEPTH = 16, 32, 128
_MOST_ROWS = 512


def multiply(left: Tensor, right: Tensor, bias: Tensor | None = None) -> Tensor:
    """left (rows, inner) @ right (inner, columns), and a bias (columns,) if there is one."""
    (rows, inner), columns = left.shape, right.shape[1]
    if not (tf32_will_do() and rows <= _MOST_ROWS and use_triton(left, inner, columns)):
        return multiply_plain(left, right, bias)
    out = left.new_empty(rows, columns)
    triton_side("head").multiply[-(-rows // _ROWS), -(-columns // _COLUMNS)](
        left, right, bias, out, rows, *left.stride(), *right.stride(), INNER=inner, OUTER=columns, ROWS=_ROWS,
        COLUMNS=_COLUMNS, DEPTH=_DEPTH, HAS_BIAS=bias is not None, num_warps=4, num_stages=3,
    )  # fmt: skip
    return out


def multiply_plain(left: Tensor, right: Tensor, bias: Tensor | None = None) -> Tensor:
    """The same in PyTorch."""
    return left @ right if bias is None else torch.addmm(bias, left, right)
