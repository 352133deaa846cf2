"""The encoder efficientnet-lite0, which needs nothing but `pip install`: run by onnxruntime on a CPU, by PyTorch elsewhere.

For onnxruntime the network is written out by hand as a graph when an encoder is made, in a tenth of a second.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from vnla.vision.encoders.base import Encoder, Options
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
from vnla.vision.encoders.graph import Graph, same
from vnla.vision.encoders.network import chosen_device
from vnla.vision.encoders.onnx import OnnxEncoder, available


def make(_name: str, options: Options) -> Encoder:
    """On a CPU through onnxruntime where it is installed: twice as fast as PyTorch at the same precision."""
    device = chosen_device(options.device)
    network, version = trained_network(options.weights)
    size = options.size or SIZE
    if torch.device(device).type == "cpu" and available():
        return OnnxEncoder(NAME, graph_of(network), DIMENSION, size, weights=version)
    return torch_encoder(network, version, size, device, options.half)


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


def _normalised(graph: Graph) -> str:
    x = graph.node("Cast", graph.node("Transpose", "images", perm=[0, 3, 1, 2]), to=graph.float32)
    x = graph.node("Sub", x, graph.constant(np.float32(MEAN)))
    return graph.node("Mul", x, graph.constant(np.float32(1 / DEVIATION)))


class _Floats(Graph):
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
