"""Pictures for tests of whole commands; other processes draw them, so they are not in a test."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vnla.camera import VIEWS


def draw(_house: str, viewpoint: str) -> NDArray[np.uint8]:
    """Pictures in which each view of a viewpoint has its own pattern, the same in every house."""
    generator = np.random.default_rng([ord(letter) for letter in viewpoint])
    cells = generator.integers(0, 256, (VIEWS, 12, 16, 3), dtype=np.uint8)
    return np.repeat(np.repeat(cells, 4, axis=1), 4, axis=2)
