"""EfficientNet-Lite0 for ARM processors: the products of matrices by NumPy, and compiled loops for what lies between them.

For these processors onnxruntime has no quick way of convolving each channel by itself. Here the channels of a pixel lie side
by side, so that such a convolution adds up rows, and all others are products. What comes out is the same but for rounding.

The module stays free of PyTorch: processes that are sent an encoder need not load it.
"""

from __future__ import annotations

import platform
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vnla.common.native import compiled
from vnla.vision.encoders.base import Encoder, Float32, Images, Size

STEM, STEM_STRIDE = 3, 2
"""Kernel and stride of the first layer."""


def suits() -> bool:
    """Whether this processor is one for which it was made."""
    return platform.machine().lower() in ("aarch64", "arm64")


class Layer(NamedTuple):
    """A convolution that is a product: of pixels (pixels, inputs), or of what lies around each."""

    weight: Float32  # (inputs, outputs)
    bias: Float32

    def __call__(self, values: Float32) -> Float32:
        """Before any clipping."""
        return values @ self.weight


class Depthwise(NamedTuple):
    """A convolution of each channel by itself."""

    weight: Float32  # (kernel, kernel, channels)
    bias: Float32
    stride: int


class Inverted(NamedTuple):
    """An inverted residual: widen, look around in each channel, narrow."""

    expand: Layer | None
    depthwise: Depthwise
    project: Layer
    residual: bool

    def __call__(self, x: Float32, shape: tuple[int, int]) -> tuple[Float32, tuple[int, int]]:
        """Pixels (pixels, channels) of a picture of that height and width, and of what height and width they are then."""
        wide, bias = (x, np.zeros(x.shape[1], np.float32)) if self.expand is None else (self.expand(x), self.expand.bias)
        kernel, channels = len(self.depthwise.weight), wide.shape[1]
        rows, columns = (Padding.of(each, kernel, self.depthwise.stride) for each in shape)
        padded = np.empty((rows.whole, columns.whole, channels), np.float32)
        _pad(wide.reshape(*shape, channels), bias, rows.before, columns.before, padded)
        seen = np.empty((rows.after, columns.after, channels), np.float32)
        _convolve(padded, *self.depthwise, seen)
        y = self.project(seen.reshape(-1, channels))
        y += self.project.bias
        if self.residual:
            y += x
        return y, (rows.after, columns.after)


class Padding(NamedTuple):
    """How a side of a picture is padded, as TensorFlow's "SAME": zeros before it, its length with all of them, and after the
    convolution."""

    before: int
    whole: int
    after: int

    @classmethod
    def of(cls, side: int, kernel: int, stride: int) -> Padding:
        """Of a side of so many pixels."""
        after = -(-side // stride)
        whole = max((after - 1) * stride + kernel, side)
        return cls((whole - side) // 2, whole, after)


class HandmadeEncoder(Encoder):
    """The network, image by image: on all cores that NumPy takes, or sent to other processes, on one in each."""

    travels = True

    def __init__(
        self,
        name: str,
        layers: tuple[Layer, Sequence[Inverted], Layer],
        size: Size,
        *,
        weights: str,
        mean: float,
        deviation: float,
    ) -> None:
        """`layers` are the first, the inverted residuals, and the last."""
        self._first, self._blocks, self._last = layers
        self.name, self.dimension, self.size, self.weights = name, len(self._last.bias), size, weights
        self._mean, self._scale = np.float32(mean), np.float32(1 / deviation)
        self._features(np.zeros((2, 2, 3), np.uint8))  # compiled here, and not once more in every process

    def _encode(self, images: Images) -> Float32:
        return np.stack([self._features(image) for image in images])

    def _features(self, image: NDArray[np.uint8]) -> Float32:
        rows, columns = (Padding.of(each, STEM, STEM_STRIDE) for each in image.shape[:2])
        around = np.empty((rows.after, columns.after, STEM * STEM * 3), np.float32)
        _gather(image, self._mean, self._scale, rows.before, columns.before, around)
        x, shape = _clipped(self._first, around.reshape(-1, around.shape[2])), (rows.after, columns.after)
        for block in self._blocks:
            x, shape = block(x, shape)
        features: Float32 = _clipped(self._last, x).mean(axis=0)
        return features


def _clipped(layer: Layer, values: Float32) -> Float32:
    """A product with ReLU6 after it."""
    made = layer(values)
    made += layer.bias
    return np.clip(made, 0, 6, out=made)


@compiled
def _gather(image, mean, scale, top, left, around):  # type: ignore[no-untyped-def]
    """What lies around each second pixel, 3 × 3, normalised; zeros outside of the picture."""
    height, width = image.shape[0], image.shape[1]
    for row in range(around.shape[0]):
        for column in range(around.shape[1]):
            for i in range(3):
                for j in range(3):
                    y, x = 2 * row + i - top, 2 * column + j - left
                    inside = y >= 0 and y < height and x >= 0 and x < width
                    for channel in range(3):
                        value = (np.float32(image[y, x, channel]) - mean) * scale if inside else np.float32(0)
                        around[row, column, (3 * i + j) * 3 + channel] = value


@compiled
def _pad(values, bias, top, left, padded):  # type: ignore[no-untyped-def]
    """Values with their bias and ReLU6, and zeros around them."""
    zero, six = np.float32(0), np.float32(6)
    height, width, channels = values.shape
    for y in range(padded.shape[0]):
        for x in range(padded.shape[1]):
            if y < top or x < left or y >= top + height or x >= left + width:
                for c in range(channels):
                    padded[y, x, c] = zero
            else:
                for c in range(channels):
                    padded[y, x, c] = min(max(values[y - top, x - left, c] + bias[c], zero), six)


@compiled
def _convolve(padded, weight, bias, stride, out):  # type: ignore[no-untyped-def]
    """A convolution of each channel by itself, and ReLU6. Innermost are the channels, which lie side by side."""
    zero, six = np.float32(0), np.float32(6)
    kernel, channels = weight.shape[0], out.shape[2]
    for y in range(out.shape[0]):
        for x in range(out.shape[1]):
            for c in range(channels):
                out[y, x, c] = bias[c]
            for i in range(kernel):
                for j in range(kernel):
                    for c in range(channels):
                        out[y, x, c] += padded[y * stride + i, x * stride + j, c] * weight[i, j, c]
            for c in range(channels):
                out[y, x, c] = min(max(out[y, x, c], zero), six)
