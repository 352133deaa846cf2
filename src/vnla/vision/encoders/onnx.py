"""EfficientNet-Lite0 run by onnxruntime on the CPU, from a graph that is written out by hand.

The graph is built from the folded network when an encoder is made (a tenth of a second) and never touches the disk. It takes
images of any size as bytes, and normalises them itself.
"""

from __future__ import annotations

import importlib.util
import os
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from vnla.vision.encoders.base import Encoder, Float32, Images, Size

if TYPE_CHECKING:
    from torch import nn

    from vnla.vision.encoders.efficientnet import EfficientNetLite0

OPSET, IR_VERSION = 17, 8
"""Old enough for every onnxruntime of the last years."""
PIECE = 4
"""Images that a core takes at once: the activations of more leave its cache, and 36 take a quarter longer."""


def available() -> bool:
    """Whether both packages are installed: one builds the graph, the other runs it."""
    return all(importlib.util.find_spec(package) is not None for package in ("onnx", "onnxruntime"))


class OnnxEncoder(Encoder):
    """An EfficientNet-Lite0 with folded batch norms: on all cores, or sent to other processes, on one in each."""

    travels = True

    def __init__(self, name: str, network: EfficientNetLite0, size: Size, weights: str) -> None:
        self.name, self.dimension, self.size, self.weights = name, network._fc.in_features, size, weights
        self._graph = graph_of(network)
        self._threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_session"} | {"_threads": 1}

    @cached_property
    def _session(self) -> Any:
        onnxruntime: Any = import_module("onnxruntime")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        # Threads that spin while they wait would take the cores from those that make the next images.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        return onnxruntime.InferenceSession(self._graph, options, providers=["CPUExecutionProvider"])

    def _encode(self, images: Images) -> Float32:
        pieces = np.split(images, range(PIECE * self._threads, len(images), PIECE * self._threads))
        return np.concatenate([self._session.run(["features"], {"images": piece})[0] for piece in pieces])


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
    from vnla.vision.encoders.efficientnet import DEVIATION, MEAN

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
