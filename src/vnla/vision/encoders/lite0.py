"""The encoder efficientnet-lite0, which needs nothing but `pip install`: run by onnxruntime on a CPU, by PyTorch elsewhere.

For onnxruntime the network is written out by hand as a graph when an encoder is made, in a tenth of a second. On ARM
processors there is a quicker way than either (`handmade`).
"""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from vnla.vision.encoders.base import Encoder, EncoderOptions, Float32
from vnla.vision.encoders.efficientnet import (
    DEVIATION,
    DIMENSION,
    MEAN,
    NAME,
    SIZE,
    EfficientNetLite0,
    torch_encoder,
    trained_network,
)
from vnla.vision.encoders.graph import OnnxGraph, same
from vnla.vision.encoders.handmade import Depthwise, HandmadeEncoder, Inverted, Layer, suits
from vnla.vision.encoders.network import chosen_device
from vnla.vision.encoders.onnx import OnnxEncoder, available


def make(_name: str, options: EncoderOptions) -> Encoder:
    """On a CPU through onnxruntime where it is installed, or by hand: both are faster than PyTorch at the same precision."""
    device = chosen_device(options.device)
    network, version = trained_network(options.weights)
    size, here = options.size or SIZE, torch.device(device).type == "cpu"
    if here and suits():
        return HandmadeEncoder(NAME, layers_of(network), size, weights=version, mean=MEAN, deviation=DEVIATION)
    if here and available():
        return OnnxEncoder(NAME, graph_of(network), DIMENSION, size, weights=version)
    return torch_encoder(network, version, size, device, options.half)


def layers_of(network: EfficientNetLite0) -> tuple[Layer, list[Inverted], Layer]:
    """The weights of a folded network, the channels of a pixel side by side."""
    blocks = [
        Inverted(
            _product(block._expand_conv) if block.widens else None,
            Depthwise(*_arrays(block._depthwise_conv, (2, 3, 0, 1), -1), int(block._depthwise_conv.stride[0])),
            _product(block._project_conv),
            block.residual,
        )
        for block in network.blocks
    ]
    return _product(network._conv_stem), blocks, _product(network._conv_head)


def _product(convolution: nn.Conv2d) -> Layer:
    """A convolution as the product of what lies around each pixel, rows, columns and then channels."""
    weight, bias = _arrays(convolution, (2, 3, 1, 0))
    return Layer(weight.reshape(-1, weight.shape[-1]), bias)


def _arrays(convolution: nn.Conv2d, order: tuple[int, ...], squeezed: int | None = None) -> tuple[Float32, Float32]:
    """Weight, its axes in that order, perhaps without one that has a single entry, and bias."""
    if convolution.bias is None:
        raise ValueError("fold the batch norms before its weights are taken")
    weight, bias = (each.detach().numpy() for each in (convolution.weight, convolution.bias))
    weight = weight.transpose(order)
    return np.ascontiguousarray(weight if squeezed is None else weight.squeeze(squeezed)), np.ascontiguousarray(bias)


def graph_of(network: EfficientNetLite0) -> bytes:
    """The ONNX model of a folded network: images (n, height, width, 3), bytes, to features (n, 1280)."""
    graph = _Floats()
    x = _normalised(graph)
    x = graph.convolution(x, network._conv_stem, clip=True)
    for block in network.blocks:
        y = graph.convolution(x, block._expand_conv, clip=True) if block.widens else x
        y = graph.convolution(y, block._depthwise_conv, clip=True)
        y = graph.convolution(y, block._project_conv, clip=False)
        x = graph.node("Add", x, y) if block.residual else y
    x = graph.convolution(x, network._conv_head, clip=True)
    graph.node("Flatten", graph.node("GlobalAveragePool", x), name="features")
    return graph.model("n", network._fc.in_features)


def _normalised(graph: OnnxGraph) -> str:
    x = graph.node("Cast", graph.node("Transpose", "images", perm=[0, 3, 1, 2]), to=graph.float32)
    x = graph.node("Sub", x, graph.constant(np.float32(MEAN)))
    return graph.node("Mul", x, graph.constant(np.float32(1 / DEVIATION)))


class _Floats(OnnxGraph):
    """A graph of floating-point numbers."""

    def __init__(self) -> None:
        super().__init__()
        self._low, self._high = self.constant(np.float32(0)), self.constant(np.float32(6))

    def convolution(self, x: str, convolution: nn.Conv2d, clip: bool) -> str:
        """A convolution, and after it ReLU6 where `clip` says so."""
        if convolution.bias is None:
            raise ValueError("fold the batch norms before the graph is built")
        weight, bias = (self.constant(each.detach().numpy()) for each in (convolution.weight, convolution.bias))
        y = self.node("Conv", x, weight, bias, **same(convolution))
        return self.node("Clip", y, self._low, self._high) if clip else y
