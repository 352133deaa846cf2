"""Encoders of images, by name. A new one is one file with a `make` function, and one line here."""

from __future__ import annotations

from collections.abc import Callable

from vnla.errors import InputError
from vnla.vision.encoders import efficientnet, pixels, resnet, timm_models
from vnla.vision.encoders.base import Encoder, Options, Size

__all__ = ["DEFAULT", "ENCODERS", "Encoder", "Options", "Size", "encoder_names", "make_encoder"]

DEFAULT = efficientnet.NAME

# One line an encoder. A name that ends in a colon stands for all names that begin with it.
ENCODERS: dict[str, Callable[[str, Options], Encoder]] = {
    efficientnet.NAME: efficientnet.make,
    resnet.RESNET152: resnet.make_resnet152,
    timm_models.PREFIX: timm_models.make,
    resnet.RANDOM: resnet.make_random,
    pixels.NAME: pixels.make,
}


def encoder_names() -> str:
    """The names of all encoders, as a person may write them."""
    return ", ".join(f"{name}MODEL" if name.endswith(":") else name for name in ENCODERS)


def make_encoder(name: str, options: Options | None = None) -> Encoder:
    """The encoder of that name, ready to use."""
    kind = name.partition(":")[0] + ":" if ":" in name else name
    if kind not in ENCODERS or (name == kind and kind.endswith(":")):
        raise InputError(f"encoder {name!r}: unknown; choose one of {encoder_names()}")
    return ENCODERS[kind](name, options or Options())
