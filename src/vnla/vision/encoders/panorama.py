"""The encoder panorama-lite0: EfficientNet-Lite0 over one picture all around a viewpoint, from which all 36 views have their
features.

A viewpoint's views overlap: together they have four times the pixels of the picture all around (`vnla.camera`), and
a network that is given views looks at everything four times. Here it looks once, and a view's features are the mean of its
last layer over what the view shows. On a CPU it computes in whole numbers of eight bits (`quantised`); elsewhere, and
without onnxruntime, PyTorch computes in floating point. To a store the two are features of different weights.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from vnla.camera import AROUND_HEIGHT, AROUND_WIDTH, shares
from vnla.common.errors import InputError
from vnla.vision.encoders.base import Encoder, EncoderOptions, Size
from vnla.vision.encoders.efficientnet import DIMENSION, EfficientNetLite0, torch_encoder, trained_network, untouched_network
from vnla.vision.encoders.network import chosen_device
from vnla.vision.encoders.onnx import OnnxEncoder, available
from vnla.vision.encoders.quantised import IN_BYTES, graph_of

NAME = "panorama-lite0"
SIZE = Size(AROUND_WIDTH, AROUND_HEIGHT)


def make(_name: str, options: EncoderOptions) -> Encoder:
    """In whole numbers on a CPU, by PyTorch elsewhere."""
    if options.size not in (None, SIZE):
        raise InputError(f"{NAME}: its picture all around is {SIZE}; leave --size out")
    device = chosen_device(options.device)
    if torch.device(device).type == "cpu" and available():
        network, version = untouched_network(options.weights)
        graph = graph_of(network, shares())
        return OnnxEncoder(NAME, graph, DIMENSION, SIZE, weights=version + IN_BYTES, panoramic=True)
    network, version = trained_network(options.weights)
    return torch_encoder(Around(network), version, SIZE, device, options.half, NAME, panoramic=True)


class Around(nn.Module):
    """Normalised pictures all around (n, 3, height, width) to the features of all views (36·n, 1280)."""

    shares: Tensor

    def __init__(self, network: EfficientNetLite0) -> None:
        super().__init__()
        self.network = network
        self.register_buffer("shares", torch.from_numpy(shares().astype(np.float32)).flatten(1))

    def forward(self, x: Tensor) -> Tensor:
        cells = self.network.cells(x).flatten(2)  # (n, 1280, cells)
        return (self.shares @ cells.transpose(1, 2)).flatten(0, 1)
