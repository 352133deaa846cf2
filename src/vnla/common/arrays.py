"""Arrays in a file of NumPy's (`.npz`): whole numbers in as few bytes as they need, and never a pickle.

Whoever reads a file that may be untrusted says what each array has to be (`ArraySpec`), and has it checked before any of
them is used: an index that is out of range is an error far from the file, and in compiled code the end of the process.
"""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vnla.common import files
from vnla.common.errors import InputError

TRUTHS, WHOLE, NUMBERS, TEXTS = "b", "iu", "biuf", "U"
"""Kinds of arrays, in the letters that NumPy has for them."""

_SMALL = (np.int8, np.int16, np.int32)
_LONGEST_EMPTY = 1 << 20


class ArraySpec(NamedTuple):
    """What an array has to be."""

    kinds: str
    """TRUTHS, WHOLE, NUMBERS or TEXTS."""
    shape: tuple[int | str, ...]
    """The length of each axis. A name stands for any length, and for the same wherever it is."""
    least: float = -math.inf
    most: float = math.inf
    """The smallest and the largest value, where they are numbers."""
    finite: bool = True
    """Whether every value has to be a number, and none infinite."""


def mismatch(arrays: Mapping[str, NDArray[Any]], specs: Mapping[str, ArraySpec]) -> str | None:
    """What is wrong with the first array that is missing or not what its spec says, in words; None if all are right."""
    lengths: dict[str, int] = {}
    for name, spec in specs.items():
        if name not in arrays:
            return f"lacks {name!r}"
        wrong = _mismatch(arrays[name], spec, lengths)
        if wrong is not None:
            return f"{name} {wrong}"
    return None


def check_arrays(path: Path, what: str, arrays: Mapping[str, NDArray[Any]], specs: Mapping[str, ArraySpec]) -> None:
    """Refuse arrays of the file `path`, which should be `what`, of which one is not what its spec says."""
    wrong = mismatch(arrays, specs)
    if wrong is not None:
        raise InputError(f"{path}: {wrong}; expected {what}")


def _mismatch(array: NDArray[Any], spec: ArraySpec, lengths: dict[str, int]) -> str | None:
    if array.dtype.kind not in spec.kinds:
        return f"is of {array.dtype}"
    if array.ndim != len(spec.shape):
        return f"has {array.ndim} axes, not {len(spec.shape)}"
    expected = tuple(
        axis if isinstance(axis, int) else lengths.setdefault(axis, found)
        for axis, found in zip(spec.shape, array.shape, strict=True)
    )
    if array.shape != expected:
        return f"has the shape {array.shape}, not {expected}"
    if array.dtype.kind == TEXTS:
        return None if _are_texts(array) else "has a character that there is none of"
    if not array.size:
        return None
    if spec.finite and array.dtype.kind == "f" and not np.isfinite(array).all():
        return "has a value that is no finite number"
    if not spec.least <= array.min().item() or not array.max().item() <= spec.most:
        bounds = f"of {spec.least} or more" if spec.most == math.inf else f"from {spec.least} to {spec.most}"
        return f"has values from {array.min().item()} to {array.max().item()}, not {bounds}"
    return None


def _are_texts(array: NDArray[Any]) -> bool:
    """Return whether an array's texts can be written down: any four bytes are a character to NumPy."""
    try:
        "".join(array.ravel().tolist()).encode()
    except (ValueError, OverflowError, SystemError):
        return False
    return True


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays of numbers and texts to the file `path`."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **{name: _packed(array) for name, array in arrays.items()})
    files.write_bytes(path, buffer.getvalue())


def read_arrays(path: Path, what: str, largest: int, kinds: str = NUMBERS + TEXTS) -> dict[str, NDArray[Any]]:
    """The arrays of a file that may be anybody's and should be `what`, of so many bytes at most and of these kinds."""
    files.check_zip(path, what, largest, sums=True)
    try:
        with np.load(path, allow_pickle=False) as found:
            arrays = dict(found)
    except Exception as error:  # NumPy raises whatever comes up in a header
        raise InputError(f"{path}: cannot be read as {what} ({error})") from None
    for name, array in arrays.items():
        if not isinstance(array, np.ndarray) or array.dtype.kind not in kinds:
            raise InputError(f"{path}: {name!r} is no array of numbers or texts; expected {what}")
        # What takes no bytes can be of any length, and would fill the memory as a list.
        if not array.nbytes and max(array.shape, default=0) > _LONGEST_EMPTY:
            raise InputError(f"{path}: {name!r} has the shape {array.shape} and nothing in it; expected {what}")
    return arrays


def unpacked(array: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers in eight bytes again."""
    return array.astype(np.int64) if np.issubdtype(array.dtype, np.integer) else array


def _packed(array: NDArray[Any]) -> NDArray[Any]:
    if not np.issubdtype(array.dtype, np.integer):
        return array
    low, high = (int(array.min()), int(array.max())) if array.size else (0, 0)
    fitting = [kind for kind in _SMALL if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max]
    return array.astype(fitting[0]) if fitting else array
