"""Encoders that are PyTorch networks: loading weights safely, folding batch norms, running on any device."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn.utils import fuse_conv_bn_eval

from vnla.common import checksums, files
from vnla.common.errors import InputError
from vnla.vision.encoders.base import Encoder, Float32, Images, Size

IMAGENET_MEAN = (123.675, 116.28, 103.53)
IMAGENET_DEVIATION = (58.395, 57.12, 57.375)
"""Of the bytes of ImageNet's pictures; what torchvision writes as 0.485 … and 0.229 … is these divided by 255."""

GPU_PIXELS = 16 * 36 * 224 * 168
"""Of a batch: five gigabytes of activations in float32; more is no faster on the largest GPUs."""
CPU_PIECE = 4
"""Images that a CPU takes at once: the activations of more leave its cache. 36 together took three times as long."""


class NetworkEncoder(Encoder):
    """A network from normalised images (n, 3, height, width) to features (n, dimension), or (36·n, dimension) if they are
    panoramic."""

    def __init__(
        self,
        name: str,
        network: nn.Module,
        dimension: int,
        size: Size,
        *,
        weights: str,
        mean: Sequence[float] = IMAGENET_MEAN,
        deviation: Sequence[float] = IMAGENET_DEVIATION,
        device: str = "cpu",
        half: bool = False,
        panoramic: bool = False,
    ) -> None:
        self.name, self.dimension, self.size, self.weights, self.device = name, dimension, size, weights, device
        self.panoramic = panoramic
        self._on_gpu = torch.device(device).type != "cpu"
        at_once = max(1, GPU_PIXELS // (self.images * size.width * size.height)) if self._on_gpu else 1
        self.batch = self.images * at_once
        # bfloat16 on a CPU with AMX would be the fastest, but its features are too far from float32's (docs/vision.md).
        self._type = torch.float16 if half and self._on_gpu else torch.float32
        frozen = network.eval().requires_grad_(False).to(device, self._type)
        self.network = frozen.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self._mean, self._scale = (
            torch.tensor(values, device=device).view(1, 3, 1, 1) for values in (mean, [1 / each for each in deviation])
        )

    @torch.inference_mode()
    def _encode(self, images: Images) -> Float32:
        pixels = torch.from_numpy(images)
        if not self._on_gpu:
            return torch.cat(
                [self._features(piece) for piece in torch.split(pixels, 1 if self.panoramic else CPU_PIECE)]
            ).numpy()
        if torch.device(self.device).type == "cuda":
            pixels = pixels.pin_memory()
        features: Float32 = self._features(pixels.to(self.device, non_blocking=True)).cpu().numpy()
        return features

    def _features(self, pixels: Tensor) -> Tensor:
        # Rows of pixels seen as (n, 3, height, width) are channels-last already: nothing is moved.
        normalised = (pixels.permute(0, 3, 1, 2).float() - self._mean) * self._scale
        features: Tensor = self.network(normalised.to(self._type))
        return features.float()


def chosen_device(name: str | None) -> str:
    """The device that a person named, or a GPU where there is one."""
    if name is None:
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise InputError(f"device {name!r}: cannot be used here ({reason}); try cpu") from None
    if device.type == "meta":
        raise InputError("device 'meta': computes nothing; try cpu")
    return name


def read_weights(path: Path) -> dict[str, Tensor]:
    """The tensors of a `.safetensors` file, or of a `.pth` file, of which nothing but tensors is read."""
    files.existing_file(path, "a file of weights")
    _check_unpacked(path)
    try:
        value = load_file(path) if path.suffix == ".safetensors" else torch.load(path, "cpu", weights_only=True)
    except Exception as error:  # a reader of an untrusted archive raises whatever comes up in it
        reason = str(error).strip().splitlines()[0][:120] if str(error).strip() else type(error).__name__
        raise InputError(f"{path}: cannot be read as weights ({reason}); expected .pth or .safetensors") from None
    if not isinstance(value, Mapping) or not all(isinstance(each, Tensor) for each in value.values()):
        raise InputError(f"{path}: is not a table of tensors; expected the weights alone (a state_dict)")
    return {str(name): each for name, each in value.items()}


def _check_unpacked(path: Path) -> None:
    """Weights are not compressed, so an archive that grows when it is unpacked holds something else."""
    if path.suffix != ".safetensors" and files.is_zip(path):
        files.check_zip(path, "a file of weights", 2 * path.stat().st_size + files.MEGABYTE)


def load_weights(network: nn.Module, path: Path) -> str:
    """Put the weights of a file into `network`: every name and shape must agree. Gives the start of the file's checksum."""
    state = read_weights(path)
    expected = network.state_dict()
    # Files from before PyTorch 0.4 lack these counters, which play no part once training is over.
    missing = [name for name in expected if name not in state and not name.endswith("num_batches_tracked")]
    surplus = [name for name in state if name not in expected]
    wrong = [name for name in expected if name in state and state[name].shape != expected[name].shape]
    for names, what in ((missing, "lacks"), (surplus, "has the unknown"), (wrong, "has another shape for")):
        if names:
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            raise InputError(f"{path}: {what} {names[0]}{more}; it is not for this network ({type(network).__name__})")
    network.load_state_dict({**expected, **state}, strict=True)
    return checksum(path)


def checksum(path: Path) -> str:
    """The first 16 digits of a file's SHA-256."""
    return checksums.of_file(path)[:16]


def fold_batch_norms(network: nn.Module) -> nn.Module:
    """Work every batch norm that stands right after a convolution into it, in place; for a network that is not trained."""
    network.eval()
    for module in list(network.modules()):
        children = list(module.named_children())
        for (first, convolution), (second, norm) in itertools.pairwise(children):
            if isinstance(convolution, nn.Conv2d) and isinstance(norm, nn.BatchNorm2d):
                setattr(module, first, fuse_conv_bn_eval(convolution, norm))
                setattr(module, second, nn.Identity())
    return network
