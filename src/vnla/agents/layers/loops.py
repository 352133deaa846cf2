"""Loops in machine code that the layers need on a CPU, shared among PyTorch's threads (`vnla.common.openmp`)."""

# mypy: ignore-errors
from __future__ import annotations

import numpy as np

from vnla.common.native import compiled, inlined
from vnla.common.openmp import share
from vnla.common.randomness import FIRST, GOLDEN, SECOND

_SQUARE = 16
"""A line of the processor's cache has so many numbers."""
_MANY = 4096
"""Numbers that are worth to be shared."""


@compiled
def transpose(matrix, out):
    """The matrix transposed, square by square: PyTorch's copy of a large one took four times as long."""
    share(_transpose, -(-matrix.shape[0] // _SQUARE), 2, (matrix, out))


@inlined
def _transpose(matrix, out, first_band, last_band):
    rows, columns = matrix.shape
    square = np.empty((_SQUARE, _SQUARE), matrix.dtype)
    for first in range(first_band * _SQUARE, last_band * _SQUARE, _SQUARE):
        height = min(_SQUARE, rows - first)
        for left in range(0, columns, _SQUARE):
            width = min(_SQUARE, columns - left)
            for i in range(height):
                for j in range(width):
                    square[i, j] = matrix[first + i, left + j]
            for j in range(width):
                for i in range(height):
                    out[left + j, first + i] = square[i, j]


@compiled
def draw(seed, out):
    """Random words of 64 bits that follow from a seed (SplitMix64)."""
    share(_draw, out.shape[0], _MANY, (seed, out))


@inlined
def _draw(seed, out, first, last):
    for i in range(first, last):
        word = np.uint64(seed) + np.uint64(i + 1) * np.uint64(GOLDEN)
        word = (word ^ (word >> np.uint64(30))) * np.uint64(FIRST)
        word = (word ^ (word >> np.uint64(27))) * np.uint64(SECOND)
        out[i] = np.int64(word ^ (word >> np.uint64(31)))


@compiled
def draw_rows(seeds, occasion, out):
    """Random words of 64 bits for each row of `out` that follow from the row's seed and an occasion."""
    share(_draw_rows, out.shape[0], _MANY // max(out.shape[1], 1) + 1, (seeds, occasion, out))


@inlined
def _draw_rows(seeds, occasion, out, first, last):
    for row in range(first, last):
        seed = np.uint64(seeds[row]) ^ np.uint64(occasion)
        seed = (seed ^ (seed >> np.uint64(30))) * np.uint64(FIRST)
        seed = (seed ^ (seed >> np.uint64(27))) * np.uint64(SECOND)
        seed = seed ^ (seed >> np.uint64(31))
        for i in range(out.shape[1]):
            word = seed + np.uint64(i + 1) * np.uint64(GOLDEN)
            word = (word ^ (word >> np.uint64(30))) * np.uint64(FIRST)
            word = (word ^ (word >> np.uint64(27))) * np.uint64(SECOND)
            out[row, i] = np.int64(word ^ (word >> np.uint64(31)))
