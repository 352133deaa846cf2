"""Arrays in a file of NumPy's (`.npz`): whole numbers in as few bytes as they need, and never a pickle."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vnla.common import files
from vnla.common.errors import InputError

_SMALL = (np.int8, np.int16, np.int32)


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays of numbers and texts to the file `path`."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **{name: _packed(array) for name, array in arrays.items()})
    files.write_bytes(path, buffer.getvalue())


def read_arrays(path: Path, what: str, largest: int) -> dict[str, NDArray[Any]]:
    """The arrays of a file that may be anybody's and should be `what`, of so many bytes at most."""
    files.check_zip(path, what, largest, sums=True)
    try:
        with np.load(path, allow_pickle=False) as found:
            arrays = dict(found)
    except Exception as error:  # NumPy raises whatever comes up in a header
        raise InputError(f"{path}: cannot be read as {what} ({error})") from None
    for name, array in arrays.items():
        if not isinstance(array, np.ndarray) or array.dtype.kind not in "biufU":
            raise InputError(f"{path}: {name} is no array of numbers or texts; expected {what}")
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
