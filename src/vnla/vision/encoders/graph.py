"""ONNX graphs of networks, written by hand: a node after the other."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from torch import nn

MICROSOFT = "com.microsoft"
"""Operators that onnxruntime has beyond ONNX."""
OPERATORS, IR_VERSION = (("", 17), (MICROSOFT, 1)), 8
"""Old enough for every onnxruntime of the last years."""


class OnnxGraph:
    """Nodes and constants in the order in which they were asked for; a value is known by its name."""

    def __init__(self) -> None:
        self._onnx: Any = import_module("onnx")
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self.float32: int = self._onnx.TensorProto.FLOAT

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

    def model(self, *shape: str | int) -> bytes:
        """The whole graph, from `images` to `features` of a shape, checked, as a file's content."""
        helper, types = self._onnx.helper, self._onnx.TensorProto
        images = helper.make_tensor_value_info("images", types.UINT8, ["n", "height", "width", 3])
        features = helper.make_tensor_value_info("features", types.FLOAT, list(shape))
        graph = helper.make_graph(self._nodes, "encoder", [images], [features], self._constants)
        operators = [helper.make_opsetid(*each) for each in OPERATORS]
        model = helper.make_model(graph, opset_imports=operators, ir_version=IR_VERSION)
        self._onnx.checker.check_model(model)
        content: bytes = model.SerializeToString()
        return content


def same(convolution: nn.Conv2d) -> dict[str, Any]:
    """The attributes of a convolution with "SAME" padding."""
    return {
        "kernel_shape": list(convolution.kernel_size),
        "strides": list(convolution.stride),
        "group": convolution.groups,
        "auto_pad": "SAME_UPPER",
    }
