"""The encoder efficientnet-lite0, which needs nothing but `pip install`: run by onnxruntime on a CPU, by PyTorch elsewhere.

For onnxruntime the network is written out by hand as a graph when an encoder is made, in a tenth of a second.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

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
from vnla.vision.encoders.network import chosen_device
from vnla.vision.encoders.onnx import OnnxEncoder, available

OPSET, IR_VERSION = 17, 8
"""Old enough for every onnxruntime of the last years."""


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
    graph = _Graph()
    x = _normalised(graph)
    x = graph.convolution(x, network._conv_stem, clip=True)
    for block in network.blocks:
        y = graph.convolution(x, block._expand_conv, clip=True) if block.widens else x
        y = graph.convolution(y, block._depthwise_conv, clip=True)
        y = graph.convolution(y, block._project_conv, clip=False)
        x = graph.node("Add", x, y) if block.residual else y
    x = graph.convolution(x, network._conv_head, clip=True)
    graph.node("Flatten", graph.node("GlobalAveragePool", x), name="features")
    return graph.model(network._fc.in_features)


def _normalised(graph: _Graph) -> str:
    x = graph.node("Cast", graph.node("Transpose", "images", perm=[0, 3, 1, 2]), to=graph.float32)
    x = graph.node("Sub", x, graph.constant(np.float32(MEAN)))
    return graph.node("Mul", x, graph.constant(np.float32(1 / DEVIATION)))


class _Graph:
    """Nodes and constants in the order in which they were asked for; a value is known by its name."""

    def __init__(self) -> None:
        self._onnx: Any = import_module("onnx")
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self.float32: int = self._onnx.TensorProto.FLOAT
        self._low, self._high = self.constant(np.float32(0)), self.constant(np.float32(6))

    def constant(self, value: Any) -> str:
        """Name of a new constant."""
        name = f"constant{len(self._constants)}"
        self._constants.append(
            self._onnx.numpy_helper.from_array(np.ascontiguousarray(value).reshape(np.shape(value)), name)
        )
        return name

    def node(self, operator: str, *inputs: str, name: str | None = None, **attributes: Any) -> str:
        """Name of what the operator makes of its inputs."""
        output = name or f"value{len(self._nodes)}"
        self._nodes.append(self._onnx.helper.make_node(operator, list(inputs), [output], **attributes))
        return output

    def convolution(self, x: str, convolution: nn.Conv2d, clip: bool) -> str:
        """A convolution with "SAME" padding, and after it ReLU6 where `clip` says so."""
        if convolution.bias is None:
            raise ValueError("fold the batch norms before the graph is built")
        weight, bias = (self.constant(each.detach().numpy()) for each in (convolution.weight, convolution.bias))
        y = self.node(
            "Conv",
            x,
            weight,
            bias,
            kernel_shape=list(convolution.kernel_size),
            strides=list(convolution.stride),
            group=convolution.groups,
            auto_pad="SAME_UPPER",
        )
        return self.node("Clip", y, self._low, self._high) if clip else y

    def model(self, dimension: int) -> bytes:
        """The whole graph, checked, as a file's content."""
        helper, types = self._onnx.helper, self._onnx.TensorProto
        images = helper.make_tensor_value_info("images", types.UINT8, ["n", "height", "width", 3])
        features = helper.make_tensor_value_info("features", types.FLOAT, ["n", dimension])
        graph = helper.make_graph(self._nodes, "encoder", [images], [features], self._constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
        self._onnx.checker.check_model(model)
        content: bytes = model.SerializeToString()
        return content
