"""Encoders of images, by name. A new one is one file with a `make` function, and one line here.

Its file is read when it is asked for: processes that only run an encoder need not load what others are made of.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from vnla.common.errors import InputError
from vnla.vision.encoders.base import Encoder, Options, Size

__all__ = ["DEFAULT", "ENCODERS", "Encoder", "Options", "Size", "encoder_names", "make_encoder"]

Maker = Callable[[str, Options], Encoder]


def _maker(module: str, function: str = "make") -> Maker:
    def make(name: str, options: Options) -> Encoder:
        maker: Maker = getattr(import_module(f"{__name__}.{module}"), function)
        return maker(name, options)

    return make


DEFAULT = "efficientnet-lite0"

# One line an encoder. A name that ends in a colon stands for all names that begin with it.
ENCODERS: dict[str, Maker] = {
    DEFAULT: _maker("lite0"),
    "resnet152": _maker("resnet", "make_resnet152"),
    "timm:": _maker("timm_models"),
    "random": _maker("resnet", "make_random"),
    "pixels": _maker("pixels"),
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
