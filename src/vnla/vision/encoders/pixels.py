"""The image itself: made small, the encoder that knows nothing, against which the others are held; or as it is, for agents
that look for themselves."""

from __future__ import annotations

import torch
from torch.nn import functional

from vnla.common.errors import InputError
from vnla.vision.encoders.base import Encoder, EncoderOptions, Float32, Images, Size

NAME = "pixels"
CELLS = Size(16, 12)
PICTURES = "pictures"
PICTURE = Size(64, 48)


class PixelEncoder(Encoder):
    """The mean colour of each of 16 × 12 parts of the image, or of more, 0 to 1, by rows."""

    weights = "none"

    def __init__(self, size: Size, cells: Size = CELLS, name: str = NAME) -> None:
        self.name, self.size, self.cells = name, size, cells
        self.dimension = cells.width * cells.height * 3

    def _encode(self, images: Images) -> Float32:
        colours = torch.from_numpy(images).permute(0, 3, 1, 2).float() / 255
        cells = functional.adaptive_avg_pool2d(colours, (self.cells.height, self.cells.width))
        return cells.permute(0, 2, 3, 1).reshape(len(images), -1).numpy()


def make(_name: str, options: EncoderOptions) -> Encoder:
    """Always on the CPU: there is nothing to compute."""
    _refuse_weights(NAME, options)
    return PixelEncoder(options.size or Size(224, 168))


def make_pictures(_name: str, options: EncoderOptions) -> Encoder:
    """The pictures themselves, 64 × 48 unless another size is asked for."""
    _refuse_weights(PICTURES, options)
    size = options.size or PICTURE
    return PixelEncoder(size, size, PICTURES)


def _refuse_weights(name: str, options: EncoderOptions) -> None:
    if options.weights is not None:
        raise InputError(f"{name}: it has no weights; leave --weights out")
