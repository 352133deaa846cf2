"""How inner loops are compiled: machine code made once, kept on disk, and run without Python's lock.

Two things to know when writing one. Kernels that call each other stand in one file: a kernel kept on disk is renewed when
its own file changes, not when that of a kernel it calls does. And a whole number that meets single precision makes it
double, which is why constants in the loops are written as float32.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

Kernel = Callable[..., Any]

_OPTIONS: dict[str, Any] = {"nogil": True, "fastmath": True, "error_model": "numpy"}


def compiled(function: Kernel) -> Kernel:
    """`function` as machine code."""
    try:
        return _njit(function, cache=True)
    except RuntimeError:  # neither the package's folder nor the user's cache can be written
        return _njit(function)


def inlined(function: Kernel) -> Kernel:
    """`function` as a piece of the kernels that call it: handing arrays from one to another is not free."""
    return _njit(function, forceinline=True)


def _njit(function: Kernel, **options: bool) -> Kernel:
    njit: Any = numba.njit
    kernel: Kernel = njit(**_OPTIONS, **options)(function)
    return kernel
