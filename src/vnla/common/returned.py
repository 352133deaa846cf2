"""Holds what a custom part's method returned against what was expected of it; what is wrong is one line."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from vnla.common.errors import InputError


def check_tensor(
    who: str, method: str, value: object, shape: Sequence[int], dtype: torch.dtype, device: torch.device | None = None
) -> None:
    """Refuse what a method returned if it is no tensor of that shape and dtype, or is on another device."""
    wanted = f"{_name(dtype)} {tuple(shape)}"
    if not isinstance(value, Tensor) or value.shape != tuple(shape) or value.dtype != dtype:
        raise InputError(f"{who}: {method} returned {described(value)}; expected {wanted}")
    if device is not None and value.device != device:
        raise InputError(f"{who}: {method} returned {wanted} on {value.device}; expected it on {device}")


def check_finite(who: str, method: str, value: Tensor, where: str = "") -> None:
    """Refuse a tensor in which something is no finite number. On a GPU that waits for the device."""
    wrong = ~value.isfinite()
    if bool(wrong.any()):
        raise InputError(f"{who}: {method} returned {float(value[wrong][0])}{where}; expected finite numbers")


def described(value: object) -> str:
    """Return a value's dtype and shape, or what else it is."""
    if isinstance(value, Tensor):
        return f"{_name(value.dtype)} {tuple(value.shape)}"
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return f"a {type(value).__name__}, {value.dtype} {value.shape}"
    return "nothing" if value is None else f"a {type(value).__name__}"


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
