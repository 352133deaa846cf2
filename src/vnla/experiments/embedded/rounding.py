"""Features rounded to sixteenths, one byte each, and compressed: 39 MB become seven.

EfficientNet-Lite0's features are means of values from 0 to 6, and most are small. Rounding moves none by more than a
thirty-second, a thirteenth of their deviation. All values of one feature lie side by side, as they are alike.
"""

from __future__ import annotations

import lzma
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vnla.common.errors import InputError
from vnla.vision.store import DTYPE, Features, Header

GRAIN = 16
"""Values are multiples of 1/GRAIN."""
ROUNDED = f", rounded to 1/{GRAIN}"
"""What stands behind the weights of features that were rounded."""

_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 6, "pb": 0}]


def rounded(features: Features) -> NDArray[np.uint8]:
    """Return the features as multiples of 1/GRAIN; they lie between 0 and 6."""
    return np.rint(features.astype(np.float32) * GRAIN).astype(np.uint8)


def restored(numbers: NDArray[np.uint8]) -> Features:
    """Return the features that the multiples stand for."""
    found: Features = (numbers.astype(np.float32) / GRAIN).astype(DTYPE)
    return found


def rounded_header(header: Header) -> Header:
    """Return what describes the features when they are rounded."""
    return replace(header, weights=header.weights + ROUNDED)


def packed(features: Features) -> bytes:
    """Return features (viewpoints, 36, dimension) as the package has them."""
    by_feature = np.ascontiguousarray(rounded(features).reshape(-1, features.shape[2]).T)
    return lzma.compress(by_feature.tobytes(), format=lzma.FORMAT_XZ, filters=_FILTERS)


def unpacked(path: Path, header: Header) -> Features:
    """Return the features in a file of the package."""
    shape = (len(header.viewpoints), header.view_count, header.dimension)
    size = int(np.prod(shape))
    try:
        data = lzma.LZMADecompressor().decompress(path.read_bytes(), max_length=size + 1)
    except (lzma.LZMAError, OSError) as error:
        raise InputError(f"{path}: cannot be unpacked ({error}); install vnla again") from None
    if len(data) != size:
        raise InputError(f"{path}: is damaged; install vnla again")
    numbers = np.frombuffer(data, dtype=np.uint8).reshape(header.dimension, -1).T
    return restored(np.ascontiguousarray(numbers)).reshape(shape)
