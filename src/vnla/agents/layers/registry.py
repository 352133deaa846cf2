"""Which products a layer computes with."""

from __future__ import annotations

import torch
from torch import Tensor

from vnla.agents.layers.products import LARGE, BFloat16, PlainProducts, Products, Room


def make_products(weight: Tensor, bias: Tensor | None, dtype: torch.dtype | None, room: Room | None = None) -> Products:
    """The products with a weight, in a precision; `room` gives memory for copies of a weight that is used many times."""
    if weight.device.type != "cpu":
        return PlainProducts(weight, bias, dtype)
    if dtype == torch.bfloat16 and weight.numel() >= LARGE:
        return BFloat16(weight, bias)
    from vnla.agents.layers.arranged import arranged  # takes a moment, and a GPU does without

    return arranged(weight, bias, room)
