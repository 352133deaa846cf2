"""A layer applied to the words of sentences, each with a fixed number of places.

Most of the time most sentences are empty: nobody may ask, and nothing is read. The kernel leaves them out, and what it
computes it writes where it belongs. It rounds as a GPU's matrix units do (tf32); where that is not allowed, the product is
PyTorch's, of all places.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
from torch import Tensor

from vnla.agents.fast.gpu.kernels import tf32_will_do, use_triton

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
    _kernel()[-(-batch * places // _ROWS), -(-outer // columns)](
        words, length, weight, bias, out, row, batch * places, places,
        INNER=inner, OUTER=outer, ROWS=_ROWS, COLUMNS=columns, DEPTH=64, num_warps=4, num_stages=3,
    )  # fmt: skip


def apply_layer_plain(words: Tensor, length: Tensor, weight: Tensor, bias: Tensor, out: Tensor, row: Tensor) -> None:  # noqa: ARG001
    """The same in PyTorch."""
    result = torch.addmm(bias, words.flatten(0, 1), weight.T)
    out.index_copy_(0, row, result.view(*words.shape[:2], -1))


@cache
def _kernel() -> Any:
    from vnla.agents.fast.gpu.kernels import _sentences

    return _sentences.layer
