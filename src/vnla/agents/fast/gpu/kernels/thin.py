"""Products of a matrix with few rows.

cuBLAS cuts such a product into parts and adds them up in a second kernel; where others wait for the result, one kernel is
faster. It rounds as a GPU's matrix units do (tf32); where that is not allowed, and elsewhere, the product is PyTorch's.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
from torch import Tensor

from vnla.agents.fast.gpu.kernels import tf32_will_do, use_triton

_ROWS, _COLUMNS, _DEPTH = 16, 32, 128
_MOST_ROWS = 512


def multiply(left: Tensor, right: Tensor, bias: Tensor | None = None) -> Tensor:
    """left (rows, inner) @ right (inner, columns), and a bias (columns,) if there is one."""
    (rows, inner), columns = left.shape, right.shape[1]
    if not (tf32_will_do() and rows <= _MOST_ROWS and use_triton(left, inner, columns)):
        return multiply_plain(left, right, bias)
    out = left.new_empty(rows, columns)
    _kernel()[-(-rows // _ROWS), -(-columns // _COLUMNS)](
        left, right, bias, out, rows, *left.stride(), *right.stride(), INNER=inner, OUTER=columns, ROWS=_ROWS,
        COLUMNS=_COLUMNS, DEPTH=_DEPTH, HAS_BIAS=bias is not None, num_warps=4, num_stages=3,
    )  # fmt: skip
    return out


def multiply_plain(left: Tensor, right: Tensor, bias: Tensor | None = None) -> Tensor:
    """The same in PyTorch."""
    return left @ right if bias is None else torch.addmm(bias, left, right)


@cache
def _kernel() -> Any:
    from vnla.agents.fast.gpu.kernels import _thin

    return _thin.multiply
