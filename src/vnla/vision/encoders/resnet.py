"""ResNet-152 (2048 values), the paper's encoder, and the random ResNet-50 that shows what its training is worth.

The paper (section 5) takes features that others had computed with a ResNet-152 trained on ImageNet, mean-pooled over the
image. Parameters are named as in torchvision, so the files published for it load as they are. Like torchvision's, and
unlike the first ResNets, a block halves the resolution in its 3×3 convolution.
"""

from __future__ import annotations

import urllib.error
from pathlib import Path

import torch
from torch import Tensor, nn

from vnla.common.errors import InputError
from vnla.vision.encoders.base import Encoder, EncoderOptions, Size
from vnla.vision.encoders.network import NetworkEncoder, chosen_device, fold_batch_norms, load_weights

RESNET152 = "resnet152"
RANDOM = "random"
DIMENSION = 2048
PAPER_SIZE = Size(640, 480)
SMALL_SIZE = Size(224, 168)
URL = "https://download.pytorch.org/models/resnet152-394f9c45.pth"
BLOCKS = {50: (3, 4, 6, 3), 152: (3, 8, 36, 3)}
EXPANSION = 4


class Bottleneck(nn.Module):
    """Narrow, look around, widen; added to the input, which is projected where the shapes differ."""

    def __init__(self, inside: int, width: int, stride: int) -> None:
        super().__init__()
        outside = width * EXPANSION
        self.conv1 = nn.Conv2d(inside, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, outside, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(outside)
        self.downsample: nn.Module | None = None
        if stride != 1 or inside != outside:
            self.downsample = nn.Sequential(nn.Conv2d(inside, outside, 1, stride, bias=False), nn.BatchNorm2d(outside))

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.bn1(self.conv1(x)).relu_()
        y = self.bn2(self.conv2(y)).relu_()
        y = self.bn3(self.conv3(y))
        y += x if self.downsample is None else self.downsample(x)
        return y.relu_()


class ResNet(nn.Module):
    """Normalised images (n, 3, height, width) to mean-pooled features (n, 2048); `fc` is there because the files have it."""

    def __init__(self, depth: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, 2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        inside = 64
        for stage, count in enumerate(BLOCKS[depth]):
            width, stride = 64 << stage, 1 if stage == 0 else 2
            blocks = [
                Bottleneck(inside if i == 0 else width * EXPANSION, width, stride if i == 0 else 1) for i in range(count)
            ]
            inside = width * EXPANSION
            setattr(self, f"layer{stage + 1}", nn.Sequential(*blocks))
        self.pool = nn.MaxPool2d(3, 2, padding=1)
        self.fc = nn.Linear(DIMENSION, 1000)

    def forward(self, x: Tensor) -> Tensor:
        x = self.pool(self.bn1(self.conv1(x)).relu_())
        for stage in range(1, 5):
            x = getattr(self, f"layer{stage}")(x)
        return x.mean((2, 3))


def randomise(network: ResNet, seed: int) -> None:
    """Random weights that depend on the seed alone, of a scale that lets signals pass through all layers."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for module in network.modules():
            if isinstance(module, nn.Conv2d):
                inputs = module.weight[0].numel()
                module.weight.normal_(0.0, (2 / inputs) ** 0.5, generator=generator)
            if isinstance(module, Bottleneck):
                # Each block adds to its input; at full scale, fifty of them would add up beyond what float16 can hold.
                module.bn3.weight.fill_(0.2)


def make_resnet152(_name: str, options: EncoderOptions) -> Encoder:
    """The paper's encoder, with the weights given or else those that torchvision publishes."""
    device = chosen_device(options.device)
    network = ResNet(152)
    version = load_weights(network, options.weights or downloaded())
    fold_batch_norms(network)
    size = options.size or PAPER_SIZE
    return NetworkEncoder(RESNET152, network, DIMENSION, size, weights=version, device=device, half=options.half)


def make_random(_name: str, options: EncoderOptions) -> Encoder:
    """A ResNet-50 that has learned nothing."""
    if options.weights is not None:
        raise InputError(f"{RANDOM}: its weights are random; leave --weights out")
    size, device = options.size or SMALL_SIZE, chosen_device(options.device)
    network = ResNet(50)
    randomise(network, options.seed)
    fold_batch_norms(network)
    return NetworkEncoder(RANDOM, network, DIMENSION, size, weights=f"seed {options.seed}", device=device, half=options.half)


def downloaded() -> Path:
    """torchvision's file of weights, in PyTorch's own cache; fetched if it is not there yet (230 MB)."""
    path = Path(torch.hub.get_dir()) / "checkpoints" / URL.rpartition("/")[2]
    if path.is_file():
        return path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        torch.hub.download_url_to_file(URL, str(path), hash_prefix=path.stem.rpartition("-")[2])
    except (urllib.error.URLError, OSError, RuntimeError) as error:
        reason = getattr(error, "reason", None) or error
        raise InputError(
            f"{RESNET152}: its weights could not be fetched from {URL} ({reason}); download that file elsewhere"
            " and give it with --weights FILE"
        ) from None
    return path
