"""EfficientNet-Lite0 in whole numbers of eight bits: a quarter of the time on a CPU, for features a little off.

The encoder efficientnet-lite0-int8 is this. Elsewhere, and without onnxruntime, it computes in floating point as
efficientnet-lite0 does; to a store these are features of different weights.

A value is `scale · (number - zero)`, with one scale for all values of a layer, and for weights one for each channel. What
the values of a layer can be is known without showing it a picture: its batch norm has given each channel a mean and a
deviation, and after ReLU6 they lie between 0 and 6. Numbers are signed, because sums of products of unsigned ones overflow
on some processors.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from vnla.vision.encoders.base import Encoder, EncoderOptions
from vnla.vision.encoders.efficientnet import (
    DEVIATION,
    DIMENSION,
    MEAN,
    SIZE,
    EfficientNetLite0,
    torch_encoder,
    trained_network,
    untouched_network,
)
from vnla.vision.encoders.graph import MICROSOFT, OnnxGraph, same
from vnla.vision.encoders.network import chosen_device, fold_batch_norms
from vnla.vision.encoders.onnx import OnnxEncoder, available

Float64 = NDArray[np.float64]

IN_BYTES = "-int8"
"""After the version of weights of which the features were computed in whole numbers."""

DEVIATIONS = 4
"""So many deviations from its mean a channel is followed; what lies beyond is cut off. More would be coarser for all."""
LOWEST, HIGHEST = -128, 127
LARGEST_BIAS = 2**30
"""In numbers, beside which there is room for the sum of a channel's products. A channel whose weights are next to nothing
has them coarser for it: what it says is its bias."""
SMALLEST_SCALE = 1e-12
"""Of a channel without either."""


class ChannelMoments(NamedTuple):
    """How the values of each channel are distributed."""

    mean: Float64
    deviation: Float64

    @classmethod
    def after(cls, norm: nn.BatchNorm2d) -> ChannelMoments:
        """The values that a batch norm gives."""
        return cls(norm.bias.detach().double().numpy(), norm.weight.detach().double().abs().numpy())

    def __add__(self, other: object) -> ChannelMoments:
        """Of sums."""
        if not isinstance(other, ChannelMoments):
            return NotImplemented
        return ChannelMoments(self.mean + other.mean, np.hypot(self.deviation, other.deviation))

    @property
    def grid(self) -> Grid:
        """The numbers for these values."""
        reach = DEVIATIONS * self.deviation
        return Grid.between(float((self.mean - reach).min()), float((self.mean + reach).max()))


class Grid(NamedTuple):
    """Which values numbers stand for."""

    scale: float
    zero: int

    @classmethod
    def between(cls, low: float, high: float) -> Grid:
        """From a value to another, with 0 among them."""
        low, high = min(low, 0.0), max(high, 0.0)
        scale = (high - low) / (HIGHEST - LOWEST)
        return cls(scale, round(LOWEST - low / scale))


CLIPPED = Grid.between(0, 6)
BYTES = Grid(1 / DEVIATION, round(MEAN) + LOWEST)


class Numbers(NamedTuple):
    """A value of the graph and what its numbers stand for."""

    name: str
    grid: Grid


def make(name: str, options: EncoderOptions) -> Encoder:
    """In whole numbers on a CPU, by PyTorch elsewhere."""
    device, size = chosen_device(options.device), options.size or SIZE
    if torch.device(device).type == "cpu" and available():
        network, version = untouched_network(options.weights)
        return OnnxEncoder(name, graph_of(network), DIMENSION, size, weights=version + IN_BYTES)
    network, version = trained_network(options.weights)
    return torch_encoder(network, version, size, device, options.half, name)


def graph_of(network: EfficientNetLite0, shares: Float64 | None = None) -> bytes:
    """The ONNX model from images (n, height, width, 3), bytes, to features (n, 1280), or (36·n, 1280) if there are `shares`
    (36, …) by which the cells of the last layer count. The network comes with its batch norms, and has them folded
    afterwards."""
    spreads = {
        name: ChannelMoments.after(module) for name, module in network.named_modules() if isinstance(module, nn.BatchNorm2d)
    }
    fold_batch_norms(network)
    graph = _Quantised()
    x = graph.convolution(graph.images(), network._conv_stem, CLIPPED)
    before = None
    for number, block in enumerate(network.blocks):
        spread = spreads[f"_blocks.{number}._bn2"]
        y = graph.convolution(x, block._expand_conv, CLIPPED) if block.widens else x
        y = graph.convolution(y, block._depthwise_conv, CLIPPED)
        y = graph.convolution(y, block._project_conv, spread.grid)
        if block.residual and before is not None:
            spread = before + spread
            y = graph.sum(x, y, spread.grid)
        x, before = y, spread
    cells = graph.values(graph.convolution(x, network._conv_head, CLIPPED))  # (n, 1280, height, width)
    dimension = network._fc.in_features
    if shares is None:
        graph.node("Flatten", graph.node("GlobalAveragePool", cells), name="features")
        return graph.model("n", dimension)
    cells = graph.node("Reshape", cells, graph.constant(np.array([0, 0, -1])))
    cells = graph.node("Transpose", cells, perm=[0, 2, 1])  # (n, cells, 1280)
    means = graph.node("MatMul", graph.constant(np.float32(shares.reshape(len(shares), -1))), cells)
    graph.node("Reshape", means, graph.constant(np.array([-1, dimension])), name="features")
    return graph.model("views", dimension)


class _Quantised(OnnxGraph):
    """A graph of numbers."""

    def images(self) -> Numbers:
        """The images, channels first; a byte less 128 is a number."""
        bytes_ = (self.constant(np.float32(BYTES.scale)), self.constant(np.uint8(BYTES.zero - LOWEST)))
        values = self.node("DequantizeLinear", self.node("Transpose", "images", perm=[0, 3, 1, 2]), *bytes_)
        return Numbers(self.node("QuantizeLinear", values, *self._grid(BYTES)), BYTES)

    def convolution(self, x: Numbers, convolution: nn.Conv2d, grid: Grid) -> Numbers:
        """A convolution; numbers at the ends of the grid clip it."""
        if convolution.bias is None:
            raise ValueError("fold the batch norms before the graph is built")
        weight, bias = (each.detach().double().numpy() for each in (convolution.weight, convolution.bias))
        least = np.abs(bias) / (x.grid.scale * LARGEST_BIAS)
        scale = np.maximum.reduce([np.abs(weight).max(axis=(1, 2, 3)) / HIGHEST, least, np.full(len(bias), SMALLEST_SCALE)])
        numbers = np.rint(weight / scale[:, None, None, None]).astype(np.int8)
        y = self.node(
            "QLinearConv",
            x.name,
            *self._grid(x.grid),
            self.constant(numbers),
            self.constant(scale.astype(np.float32)),
            self.constant(np.zeros(len(scale), np.int8)),
            *self._grid(grid),
            self.constant(np.rint(bias / (scale * x.grid.scale)).astype(np.int32)),
            **same(convolution),
        )
        return Numbers(y, grid)

    def sum(self, x: Numbers, y: Numbers, grid: Grid) -> Numbers:
        """Both together."""
        each = (x.name, *self._grid(x.grid), y.name, *self._grid(y.grid))
        return Numbers(self.node("QLinearAdd", *each, *self._grid(grid), domain=MICROSOFT), grid)

    def values(self, x: Numbers) -> str:
        """What numbers stand for."""
        return self.node("DequantizeLinear", x.name, *self._grid(x.grid))

    def _grid(self, grid: Grid) -> tuple[str, str]:
        return self.constant(np.float32(grid.scale)), self.constant(np.int8(grid.zero))
