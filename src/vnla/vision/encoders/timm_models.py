"""`timm:<model>`: any image model of the timm library, by its name there, where timm is installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from vnla.common.errors import InputError
from vnla.vision.encoders.base import Encoder, EncoderOptions, Size
from vnla.vision.encoders.network import NetworkEncoder, chosen_device, load_weights

PREFIX = "timm:"


def make(name: str, options: EncoderOptions) -> Encoder:
    """The model with its classifier taken off: what timm itself pools is the feature vector."""
    timm: Any = _timm()
    model_name = name.removeprefix(PREFIX)
    device = chosen_device(options.device)
    try:
        network = timm.create_model(model_name, pretrained=options.weights is None)
    except Exception as error:  # timm and the hub behind it raise whatever they like for an unknown name or no network
        reason = " ".join(str(error).split())[:160]
        raise InputError(f"{name}: timm cannot make this model ({reason}); see timm.list_models()") from None
    version = "pretrained" if options.weights is None else load_weights(network, options.weights)
    network.reset_classifier(0)
    data = timm.data.resolve_model_data_config(network)
    return NetworkEncoder(
        name,
        network,
        int(network.num_features),
        options.size or Size(data["input_size"][2], data["input_size"][1]),
        weights=version,
        mean=[255 * each for each in data["mean"]],
        deviation=[255 * each for each in data["std"]],
        device=device,
        half=options.half,
    )


def _timm() -> Any:
    try:
        import_module("timm.data")
        return import_module("timm")
    except Exception as error:  # a timm that does not fit its PyTorch fails with RuntimeError, not ImportError
        raise InputError(
            f"{PREFIX}: timm cannot be imported ({error}); pip install timm, or choose another encoder"
        ) from None
