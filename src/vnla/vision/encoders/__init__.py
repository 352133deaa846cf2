"""Encoders of images, by name: ours, and anybody's as `package.module:Class` or as a package offers them, a class made from
`Encoder`.

A new one of ours is one file with a `make` function, and one line here. Its file is read when it is asked for: processes
that only run an encoder need not load what others are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

from vnla.common.errors import InputError
from vnla.common.registry import build, offered
from vnla.vision.encoders.base import Encoder, EncoderOptions, Size

__all__ = ["DEFAULT", "ENCODERS", "Encoder", "EncoderOptions", "Size", "encoder_names", "kind_of", "make_encoder"]

Maker = Callable[[str, EncoderOptions], Encoder]


def _maker(about: str, module: str, function: str = "make") -> Maker:
    def make(name: str, options: EncoderOptions) -> Encoder:
        maker: Maker = getattr(import_module(f"{__name__}.{module}"), function)
        return maker(name, options)

    make.__doc__ = about
    return make


DEFAULT = "efficientnet-lite0"
IN_BYTES = "efficientnet-lite0-int8"
PANORAMIC = "panorama-lite0"

# One line an encoder. A name that ends in a colon stands for all names that begin with it.
ENCODERS: dict[str, Maker] = {
    DEFAULT: _maker("EfficientNet-Lite0, trained on ImageNet; it comes with the package.", "lite0"),
    IN_BYTES: _maker("The same in whole numbers of eight bits on a CPU: four times as fast.", "quantised"),
    PANORAMIC: _maker("The same network over one picture all around, which all 36 views share.", "panorama"),
    "resnet152": _maker("ResNet-152, trained on ImageNet: the paper's.", "resnet", "make_resnet152"),
    "timm:": _maker("Any model of timm, by its name there.", "timm_models"),
    "random": _maker("A ResNet-50 that has learned nothing.", "resnet", "make_random"),
    "pixels": _maker("Mean colours of 16 × 12 parts of the image.", "pixels"),
    "pictures": _maker("The image itself, 64 × 48.", "pixels", "make_pictures"),
}


def encoder_names() -> str:
    """The names of all encoders, as a person may write them."""
    return ", ".join(f"{name}MODEL" if name.endswith(":") else name for name in ENCODERS)


def make_encoder(name: str, options: EncoderOptions | None = None, own: Mapping[str, Any] = MappingProxyType({})) -> Encoder:
    """The encoder of that name, ready to use; `own` are options that only this one has, anybody's own class say."""
    options, kind = options or EncoderOptions(), kind_of(name)
    if kind is None:
        return _anybodys(name, options, own)
    if own:
        raise InputError(f"encoder {name}: has no option {min(own)}; its options are {', '.join(vars(options))}")
    return ENCODERS[kind](name, options)


def kind_of(name: str) -> str | None:
    """Which of ours a name means, None if it may be anybody's; what can be neither is refused."""
    kind = name.partition(":")[0] + ":" if ":" in name else name
    if kind in ENCODERS and not name.endswith(":"):
        return kind
    if name.endswith(":") or (":" not in name and offered("encoder", name) is None):
        raise InputError(f"encoder {name!r}: unknown; choose one of {encoder_names()}, or your own, package.module:Class")
    return None


def _anybodys(name: str, options: EncoderOptions, own: Mapping[str, Any]) -> Encoder:
    """An encoder that is not ours: what was said of the options that all have goes to it as well, if anything was."""
    usual = vars(EncoderOptions())
    said = {**{each: value for each, value in vars(options).items() if value != usual[each]}, **own}
    encoder: Encoder = build("encoder", name, {}, said, Encoder)
    if not isinstance(getattr(encoder, "dimension", None), int) or encoder.dimension < 1:
        raise InputError(f"encoder {name}: needs a dimension: how many values it gives a view")
    decisive = {each: _plain(value) for each, value in said.items() if each not in ("device", "size")}
    vars(encoder).update(name=name, size=Size(*encoder.size), options=decisive)  # it may be frozen
    return encoder


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, Path) else value
