"""The last layers of a pass: the attended state from its sums, and the logits of the navigation actions."""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
from torch import Tensor

from vnla.agents.fast.gpu.kernels import power_of_2, use_triton


def decide(sums: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    """The attended state tanh(sums) (batch, hidden) and its logits (batch, actions)."""
    if not use_triton(sums, sums.shape[1]):
        return decide_plain(sums, weight, bias)
    (batch, hidden), actions = sums.shape, len(bias)
    attended, logits = torch.empty_like(sums), sums.new_empty(batch, actions)
    _kernel()[batch,](
        sums, weight, bias, attended, logits, HIDDEN=hidden, UNITS=power_of_2(hidden), ACTIONS=actions,
        PADDED=power_of_2(actions), num_warps=4,
    )  # fmt: skip
    return attended, logits


def decide_plain(sums: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    """The same in PyTorch."""
    attended = sums.tanh()
    return attended, torch.nn.functional.linear(attended, weight, bias)


@cache
def _kernel() -> Any:
    from vnla.agents.fast.gpu.kernels import _head

    return _head.decide
