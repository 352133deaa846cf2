"""The image itself, made small: the encoder that knows nothing, against which the others are held."""

from __future__ import annotations

import torch
from torch.nn import functional

from vnla.common.errors import InputError
from vnla.vision.encoders.base import Encoder, Float32, Images, Options, Size

NAME = "pixels"
CELLS = Size(16, 12)


class PixelEncoder(Encoder):
    """The mean colour of each of 16 × 12 parts of the image, 0 to 1, by rows."""

    name = NAME
    dimension = CELLS.width * CELLS.height * 3
    weights = "none"

    def __init__(self, size: Size) -> None:
        self.size = size

    def _encode(self, images: Images) -> Float32:
        colours = torch.from_numpy(images).permute(0, 3, 1, 2).float() / 255
        cells = functional.adaptive_avg_pool2d(colours, (CELLS.height, CELLS.width))  # (n, 3, 12, 16)
        return cells.permute(0, 2, 3, 1).reshape(len(images), -1).numpy()


def make(_name: str, options: Options) -> Encoder:
    """Always on the CPU: there is nothing to compute."""
    if options.weights is not None:
        raise InputError(f"{NAME}: it has no weights; leave --weights out")
    return PixelEncoder(options.size or Size(224, 168))
