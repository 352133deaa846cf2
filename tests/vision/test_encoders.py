"""Encoders: the right weights in the right network, all ways of running it, and the names that published files have."""

from __future__ import annotations

import urllib.error
from collections.abc import Iterator
from copy import copy
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from PIL import Image
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional

from vnla.camera import AROUND_HEIGHT, AROUND_WIDTH, CELL, VIEWS
from vnla.common.errors import InputError
from vnla.vision.encoders import (
    DEFAULT,
    ENCODERS,
    IN_BYTES,
    PANORAMIC,
    EncoderOptions,
    Size,
    efficientnet,
    encoder_names,
    make_encoder,
    resnet,
)
from vnla.vision.encoders.base import Encoder
from vnla.vision.encoders.handmade import HandmadeEncoder
from vnla.vision.encoders.lite0 import graph_of, layers_of
from vnla.vision.encoders.network import fold_batch_norms, load_weights, read_weights
from vnla.vision.encoders.onnx import OnnxEncoder

MILITARY_UNIFORM, BOW_TIE, SUIT, WINDSOR_TIE = 652, 457, 834, 906


def photograph(size: Size, share: float = 1.0) -> NDArray[np.uint8]:
    """The portrait of Grace Hopper in uniform that comes with Matplotlib; `share` of its width, around the middle."""
    from matplotlib.cbook import get_sample_data

    with get_sample_data("grace_hopper.jpg") as file, Image.open(file) as picture:
        wide = picture.width * share
        high = min(wide * size.height / size.width, picture.height)
        left, top = (picture.width - wide) / 2, (picture.height - high) * 0.3
        cut = picture.convert("RGB").resize(size, Image.Resampling.BICUBIC, box=(left, top, left + wide, top + high))
        return np.asarray(cut)


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Tests run beside each other; threads of several that wait for each other take ten times as long."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def photographs() -> NDArray[np.uint8]:
    return np.stack([photograph(efficientnet.SIZE, share) for share in (1.0, 0.8, 0.6, 0.5, 0.4)])


@pytest.fixture(scope="module")
def lite0() -> tuple[efficientnet.EfficientNetLite0, str]:
    return efficientnet.trained_network()


def test_weights_recognise_a_uniform(lite0: tuple[efficientnet.EfficientNetLite0, str]) -> None:
    """Wrong padding, normalisation, stride or activation leaves this network lost: it is how the module was checked."""
    square = Size(224, 224)
    encoder = efficientnet.torch_encoder(*lite0, square, "cpu")
    features = torch.from_numpy(encoder.encode(photograph(square)[None]))
    best = lite0[0].logits(features)[0].topk(5).indices.tolist()
    assert best[0] == MILITARY_UNIFORM
    assert len({BOW_TIE, SUIT, WINDSOR_TIE} & set(best)) >= 2


def mismatch(network: efficientnet.EfficientNetLite0, images: torch.Tensor) -> float:
    """How far what enters the batch norms is from what entered them in training: in deviations, of the median layer."""
    seen: list[float] = []

    def compare(norm: nn.Module, inputs: tuple[torch.Tensor, ...]) -> None:
        assert isinstance(norm, nn.BatchNorm2d) and norm.running_mean is not None and norm.running_var is not None
        off = (inputs[0].mean((0, 2, 3)) - norm.running_mean) / (norm.running_var + norm.eps).sqrt()
        seen.append(float(off.square().mean().sqrt()))

    norms = [module for module in network.modules() if isinstance(module, nn.BatchNorm2d)]
    for norm in norms:
        norm.register_forward_pre_hook(compare)
    with torch.inference_mode():
        network(images)
    assert len(seen) == len(norms) == 49
    return float(np.median(seen))


@pytest.mark.slow
def test_statistics_of_training_are_met_best_by_the_right_network(photographs: NDArray[np.uint8]) -> None:
    """Photographs leave the means that the file of weights remembers; scaled, wired or ordered wrongly, others."""

    def loaded() -> efficientnet.EfficientNetLite0:
        network = efficientnet.EfficientNetLite0().eval()
        load_weights(network, efficientnet.packaged_weights())
        return network

    swapped, loose = loaded(), loaded()
    swapped._blocks[9], swapped._blocks[10] = swapped._blocks[10], swapped._blocks[9]
    for block in loose.blocks:
        block.residual = False
    pixels = torch.from_numpy(photographs).permute(0, 3, 1, 2).float()
    normalised = (pixels - efficientnet.MEAN) / efficientnet.DEVIATION
    right = mismatch(loaded(), normalised)
    assert right < 0.35
    assert right < mismatch(loaded(), pixels / 255)
    assert right < mismatch(loaded(), normalised.flip(1)), "red, green, blue: in this order"
    assert right < mismatch(swapped, normalised)
    assert right < mismatch(loose, normalised)


@pytest.mark.parametrize(("processor", "kind"), [("x86_64", OnnxEncoder), ("arm64", HandmadeEncoder)])
def test_all_ways_of_running_agree(
    lite0: tuple[efficientnet.EfficientNetLite0, str],
    photographs: NDArray[np.uint8],
    processor: str,
    kind: type[Encoder],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("platform.machine", lambda: processor)
    fast = make_encoder(DEFAULT, EncoderOptions(device="cpu"))
    assert isinstance(fast, kind) and fast.travels and fast.weights == lite0[1]
    slow = efficientnet.torch_encoder(*lite0, efficientnet.SIZE, "cpu")
    first, second = fast.encode(photographs), slow.encode(photographs)
    assert first.shape == (5, 1280) and first.dtype == np.float32
    np.testing.assert_allclose(first, second, atol=1e-3)
    assert np.ptp(first, axis=0).max() > 0.5, "different images have different features"
    np.testing.assert_allclose(fast.encode(photographs[3:4]), first[3:4], atol=1e-4)
    np.testing.assert_allclose(copy(fast).encode(photographs[3:4]), first[3:4], atol=1e-4)  # as it is sent elsewhere


def test_without_onnxruntime_pytorch_does_it(monkeypatch: pytest.MonkeyPatch, photographs: NDArray[np.uint8]) -> None:
    monkeypatch.setattr("vnla.vision.encoders.lite0.available", lambda: False)
    monkeypatch.setattr("vnla.vision.encoders.lite0.suits", lambda: False)
    encoder = make_encoder(DEFAULT, EncoderOptions(device="cpu", size=Size(64, 48)))
    assert not isinstance(encoder, OnnxEncoder | HandmadeEncoder)
    assert encoder.encode(photographs[:1, :48, :64]).shape == (1, 1280)


@pytest.mark.parametrize("sides", [(168, 224), (49, 65), (33, 32)])
def test_every_size_is_padded_as_pytorch_does(
    sides: tuple[int, int], lite0: tuple[efficientnet.EfficientNetLite0, str]
) -> None:
    high, wide = sides
    images = np.random.default_rng(1).integers(0, 256, (1, high, wide, 3), dtype=np.uint8)
    network, size = lite0[0], Size(wide, high)
    expected = efficientnet.torch_encoder(*lite0, size, "cpu").encode(images)
    onnx = OnnxEncoder("x", graph_of(network), efficientnet.DIMENSION, size, weights="")
    by_hand = HandmadeEncoder("x", layers_of(network), size, weights="", mean=127, deviation=128)
    for other in (onnx, by_hand):
        np.testing.assert_allclose(other.encode(images), expected, atol=1e-3)


@pytest.mark.parametrize(
    ("size", "kernel", "stride", "expected"),
    [(224, 3, 2, (0, 1)), (21, 3, 2, (1, 1)), (56, 5, 2, (1, 2)), (14, 5, 1, (2, 2)), (7, 1, 1, (0, 0))],
)
def test_same_padding(size: int, kernel: int, stride: int, expected: tuple[int, int]) -> None:
    """TensorFlow's rule by hand: 224 at stride 2 gives 112, which 3 pixels every 2 cover from 0 to 224: one past the end."""
    assert efficientnet._same_padding(size, kernel, stride) == expected


def test_folding_changes_nothing() -> None:
    torch.manual_seed(0)
    network = resnet.ResNet(50).eval()
    for module in network.modules():
        if isinstance(module, nn.BatchNorm2d):
            for tensor in (module.running_mean, module.bias):
                assert tensor is not None
                nn.init.normal_(tensor, std=0.1)
            assert module.running_var is not None
            nn.init.uniform_(module.running_var, 0.5, 2)
            nn.init.constant_(module.weight, 0.5)
    images = torch.rand(2, 3, 48, 64)
    with torch.inference_mode():
        before = network(images)
        after = fold_batch_norms(network)(images)
    assert not any(isinstance(module, nn.BatchNorm2d) for module in network.modules())
    torch.testing.assert_close(before, after, rtol=1e-3, atol=1e-4)


def published_names(blocks: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    """Names and shapes of torchvision's bottleneck ResNets, by rule."""

    def norm(name: str, channels: int) -> dict[str, tuple[int, ...]]:
        values = {f"{name}.{part}": (channels,) for part in ("weight", "bias", "running_mean", "running_var")}
        return {**values, f"{name}.num_batches_tracked": ()}

    found: dict[str, tuple[int, ...]] = {"conv1.weight": (64, 3, 7, 7), **norm("bn1", 64)}
    inside = 64
    for stage, (count, width) in enumerate(zip(blocks, (64, 128, 256, 512), strict=True), start=1):
        for i in range(count):
            block, outside = f"layer{stage}.{i}", 4 * width
            shapes = ((width, inside, 1, 1), (width, width, 3, 3), (outside, width, 1, 1))
            for number, shape in enumerate(shapes, start=1):
                found |= {f"{block}.conv{number}.weight": shape, **norm(f"{block}.bn{number}", shape[0])}
            if i == 0:
                found |= {f"{block}.downsample.0.weight": (outside, inside, 1, 1), **norm(f"{block}.downsample.1", outside)}
            inside = outside
    return {**found, "fc.weight": (1000, 2048), "fc.bias": (1000,)}


def test_resnet152_has_the_published_names() -> None:
    with torch.device("meta"):
        network = resnet.ResNet(152)
    names = {name: tuple(tensor.shape) for name, tensor in network.state_dict().items()}
    assert names == published_names((3, 8, 36, 3))
    assert len(names) == 932
    assert sum(parameter.numel() for parameter in network.parameters()) == 60_192_808  # as torchvision documents


def test_resnet152_from_a_file(tmp_path: Path) -> None:
    network = resnet.ResNet(152)
    resnet.randomise(network, seed=3)
    path = tmp_path / "resnet152.safetensors"
    state = {name: tensor for name, tensor in network.state_dict().items() if not name.endswith("num_batches_tracked")}
    save_file(state, path)
    encoder = make_encoder("resnet152", EncoderOptions(weights=path, device="cpu", size=Size(64, 48)))
    features = encoder.encode(np.random.default_rng(0).integers(0, 256, (2, 48, 64, 3), dtype=np.uint8))
    assert features.shape == (2, 2048)
    assert np.isfinite(features).all() and features.std() > 0


def test_resnet152_offline_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise urllib.error.URLError("no route to host")

    monkeypatch.setattr(torch.hub, "download_url_to_file", refuse)
    monkeypatch.setattr(torch.hub, "get_dir", lambda: str(tmp_path))
    with pytest.raises(InputError, match=r"no route to host.*--weights FILE"):
        make_encoder("resnet152", EncoderOptions(device="cpu"))


def test_random_network_depends_on_its_seed_alone() -> None:
    images = np.random.default_rng(0).integers(0, 256, (2, 48, 64, 3), dtype=np.uint8)
    torch.manual_seed(1)
    first = make_encoder("random", EncoderOptions(device="cpu", size=Size(64, 48))).encode(images)
    torch.manual_seed(2)
    again = make_encoder("random", EncoderOptions(device="cpu", size=Size(64, 48))).encode(images)
    other = make_encoder("random", EncoderOptions(device="cpu", size=Size(64, 48), seed=1)).encode(images)
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).max() > 0.1
    assert first.std() > 0.01 and np.abs(first).max() < 1000, "float16 must hold them with room to spare"


def test_pixels_are_mean_colours() -> None:
    images = np.zeros((2, 24, 32, 3), dtype=np.uint8)
    images[1, :2, 2:4] = [[[255, 0, 0], [255, 0, 102]], [[255, 0, 0], [255, 0, 102]]]
    features = make_encoder("pixels", EncoderOptions(size=Size(32, 24))).encode(images).reshape(2, 12, 16, 3)
    assert features[0].max() == 0
    np.testing.assert_allclose(features[1, 0, 1], [1, 0, 0.2], atol=1e-6)
    assert features[1].sum() == pytest.approx(1.2)


def test_pictures_are_the_images_themselves() -> None:
    images = np.random.default_rng(3).integers(0, 256, (2, 48, 64, 3), dtype=np.uint8)
    encoder = make_encoder("pictures")
    assert (encoder.name, encoder.size, encoder.dimension) == ("pictures", Size(64, 48), 48 * 64 * 3)
    np.testing.assert_allclose(encoder.encode(images).reshape(images.shape), images / 255, atol=1e-6)
    assert make_encoder("pictures", EncoderOptions(size=Size(32, 24))).dimension == 32 * 24 * 3


@pytest.mark.parametrize("name", ["", "timm:", "resnet", "vgg:", "efficientnet-lite0 "])
def test_unknown_encoder(name: str) -> None:
    with pytest.raises(InputError, match="choose one of efficientnet-lite0"):
        make_encoder(name)


def test_anybodys_encoder() -> None:
    encoder = make_encoder("vision.eyes:Dim", EncoderOptions(size=Size(32, 24), device=None), {"times": 2})
    assert (encoder.name, encoder.size.height, encoder.options) == ("vision.eyes:Dim", 24, {"times": 2})
    images = np.full((3, 24, 32, 3), 50, np.uint8)
    np.testing.assert_array_equal(encoder.encode(images), np.full((3, 2), 50))
    assert make_encoder("vision.eyes:Dim").size == (64, 48)


@pytest.mark.parametrize(
    ("name", "options", "own", "message"),
    [
        ("vgg:16", EncoderOptions(), {}, "encoder vgg:16: module vgg cannot be imported"),
        ("vision.eyes:Ears", EncoderOptions(), {}, "module vision.eyes has no Ears"),
        ("vision.eyes:Dim", EncoderOptions(seed=3), {}, "has no option seed; its options are times, size"),
        ("vision.eyes:Dim", EncoderOptions(), {"colour": 1}, "has no option colour"),
        ("vision.eyes:Undecided", EncoderOptions(), {}, "needs a dimension: how many values it gives a view"),
        ("pathlib:PurePath", EncoderOptions(), {}, r"is not a class made from vnla\.vision\.encoders\.base\.Encoder"),
        (
            "pixels",
            EncoderOptions(),
            {"times": 2},
            "has no option times; its options are weights, device, size",
        ),
    ],
)
def test_an_encoder_that_cannot_be_made(name: str, options: EncoderOptions, own: dict[str, int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        make_encoder(name, options, own)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Shapeless", r"_encode returned float32 of shape \(1, 2\); expected float32 of shape \(1, 3\)"),
        ("Doubled", r"_encode returned float64 of shape \(1, 3\); expected float32 of shape \(1, 3\)"),
        ("Listed", r"_encode returned a list; expected float32 of shape \(1, 3\)"),
        ("Dazzled", r"_encode returned nan; expected finite numbers"),
    ],
)
def test_an_encoder_that_gives_something_else_than_it_says(name: str, message: str) -> None:
    encoder = make_encoder(f"vision.eyes:{name}")
    with pytest.raises(InputError, match=rf"^encoder vision\.eyes:{name}: {message}$"):
        encoder.encode(np.zeros((1, 168, 224, 3), np.uint8))


def test_names_are_listed() -> None:
    assert encoder_names().count(",") == len(ENCODERS) - 1
    assert "timm:MODEL" in encoder_names()


def test_timm_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "timm", None)
    with pytest.raises(InputError, match="pip install timm"):
        make_encoder("timm:resnet18", EncoderOptions(device="cpu"))


class _PretendTimm:
    """As much of timm as is used: a model with a classifier, and its data configuration."""

    class Model(nn.Module):
        num_features = 3

        def __init__(self) -> None:
            super().__init__()
            self.head: nn.Module = nn.Linear(3, 7)

        def reset_classifier(self, classes: int) -> None:
            assert classes == 0
            self.head = nn.Identity()

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            features: torch.Tensor = self.head(x.mean((2, 3)))
            return features

    class data:  # noqa: N801
        @staticmethod
        def resolve_model_data_config(_: nn.Module) -> dict[str, object]:
            return {"input_size": (3, 40, 50), "mean": (0.2, 0.4, 0.6), "std": (0.5, 0.5, 0.5)}

    @staticmethod
    def create_model(name: str, pretrained: bool) -> nn.Module:
        if name != "known" or not pretrained:
            raise RuntimeError(f"Unknown model ({name})")
        return _PretendTimm.Model()


def test_timm_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vnla.vision.encoders.timm_models._timm", lambda: _PretendTimm)
    encoder = make_encoder("timm:known", EncoderOptions(device="cpu"))
    assert (encoder.name, encoder.dimension, encoder.size) == ("timm:known", 3, (50, 40))
    features = encoder.encode(np.full((1, 40, 50, 3), 51, dtype=np.uint8))  # 0.2 of white
    np.testing.assert_allclose(features, [[0, -0.4, -0.8]], atol=1e-6)
    with pytest.raises(InputError, match="timm:other: timm cannot make this model"):
        make_encoder("timm:other", EncoderOptions(device="cpu"))


def test_wrong_weights_are_named(tmp_path: Path) -> None:
    network = nn.Sequential(nn.Linear(2, 3))
    path = tmp_path / "weights.pth"
    torch.save({"0.weight": torch.zeros(3, 2)}, path)
    with pytest.raises(InputError, match=r"weights.pth: lacks 0\.bias"):
        load_weights(network, path)
    torch.save({"0.weight": torch.zeros(3, 2), "0.bias": torch.zeros(4)}, path)
    with pytest.raises(InputError, match=r"another shape for 0\.bias"):
        load_weights(network, path)
    torch.save({"0.weight": torch.zeros(3, 2), "0.bias": torch.zeros(3), "1.bias": torch.zeros(3)}, path)
    with pytest.raises(InputError, match=r"unknown 1\.bias"):
        load_weights(network, path)
    torch.save([torch.zeros(1)], path)
    with pytest.raises(InputError, match="not a table of tensors"):
        load_weights(network, path)


class _Harm:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (Path.touch, (Path("harm"),))  # type: ignore[return-value]


def test_weights_never_run_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    torch.save({"0.weight": _Harm()}, tmp_path / "bad.pth")
    (tmp_path / "text.pth").write_text("not weights")
    (tmp_path / "text.safetensors").write_text("not weights")
    for name in ("bad.pth", "text.pth", "text.safetensors"):
        with pytest.raises(InputError, match=f"{name}: cannot be read as weights"):
            read_weights(tmp_path / name)
    assert not (tmp_path / "harm").exists()


def test_images_of_another_size_are_refused() -> None:
    encoder = make_encoder("pixels")
    with pytest.raises(
        InputError, match=r"expected bytes of shape \(n, 168, 224, 3\), not uint8 of shape \(1, 224, 168, 3\)"
    ):
        encoder.encode(np.zeros((1, 224, 168, 3), dtype=np.uint8))
    assert encoder.encode(np.zeros((0, 168, 224, 3), dtype=np.uint8)).shape == (0, 576)


@pytest.mark.parametrize("text", ["224", "x168", "224x", "-1x4", "10x10", "99999x10", "224x168x3", "２２４x168"])
def test_bad_sizes(text: str) -> None:
    with pytest.raises(InputError, match="size"):
        Size.parse(text)


def test_good_sizes() -> None:
    assert Size.parse("224x168") == Size.parse("224×168") == (224, 168)


@pytest.mark.parametrize("device", ["nonsense", "meta", "cuda:99"])
def test_bad_device(device: str) -> None:
    with pytest.raises(InputError, match=f"device '{device}'.*try cpu"):
        make_encoder("random", EncoderOptions(device=device))


def test_cosine_of_the_default_to_float32(photographs: NDArray[np.uint8]) -> None:
    """Whatever the default runs on, features stay those of the float32 network with its batch norms as they were."""
    network = efficientnet.EfficientNetLite0().eval()
    load_weights(network, efficientnet.packaged_weights())
    images = torch.from_numpy(photographs).permute(0, 3, 1, 2).float()
    with torch.inference_mode():
        exact = network((images - 127) / 128)
    ours = torch.from_numpy(make_encoder(DEFAULT).encode(photographs))
    assert float(functional.cosine_similarity(ours, exact).min()) >= 0.999


@pytest.fixture(scope="module")
def around() -> NDArray[np.uint8]:
    """Pictures all around: a photograph and its mirror image, and the same a quarter of a turn on."""
    half = photograph(Size((AROUND_WIDTH - 2 * CELL) // 2, AROUND_HEIGHT))
    once = np.concatenate([half, half[:, ::-1]], axis=1)
    both = (once, np.roll(once, once.shape[1] // 4, axis=1))
    return np.stack([np.pad(each, ((0, 0), (CELL, CELL), (0, 0)), "wrap") for each in both])


def test_whole_numbers_are_close_to_floats(monkeypatch: pytest.MonkeyPatch, around: NDArray[np.uint8]) -> None:
    exact = make_encoder(PANORAMIC, EncoderOptions(device="cpu"))
    monkeypatch.setattr("vnla.vision.encoders.panorama.available", lambda: False)
    floats = make_encoder(PANORAMIC, EncoderOptions(device="cpu"))
    assert isinstance(exact, OnnxEncoder) and exact.travels and not floats.travels
    assert exact.weights != floats.weights, "a store of one is none of the other"
    ours, theirs = exact.encode(around[:1]), floats.encode(around[:1])
    assert ours.shape == theirs.shape == (VIEWS, 1280)
    cosine = (ours * theirs).sum(axis=1) / (np.linalg.norm(ours, axis=1) * np.linalg.norm(theirs, axis=1))
    assert cosine.min() > 0.9
    apart = np.corrcoef((ours - ours.mean(axis=0)).ravel(), (theirs - theirs.mean(axis=0)).ravel())[0, 1]
    assert apart > 0.9, "what tells views apart is the same"


@pytest.mark.filterwarnings("error::RuntimeWarning")  # of numbers that are too large
def test_views_in_whole_numbers(photographs: NDArray[np.uint8]) -> None:
    numbers, floats = (make_encoder(name, EncoderOptions(device="cpu")) for name in (IN_BYTES, DEFAULT))
    assert isinstance(numbers, OnnxEncoder) and numbers.name == IN_BYTES
    assert numbers.weights == f"{floats.weights}-int8"
    ours, theirs = numbers.encode(photographs), floats.encode(photographs)
    cosine = (ours * theirs).sum(axis=1) / (np.linalg.norm(ours, axis=1) * np.linalg.norm(theirs, axis=1))
    assert ours.shape == theirs.shape and cosine.min() > 0.95
    np.testing.assert_array_equal(numbers.encode(photographs[3:4]), ours[3:4], "whole numbers do not depend on the batch")


def test_a_quarter_of_a_turn_on_views_change_places(around: NDArray[np.uint8]) -> None:
    encoder = make_encoder(PANORAMIC, EncoderOptions(device="cpu"))
    first, second = encoder.encode(around).reshape(2, 3, 12, -1)
    inside = slice(4, 7)  # away from both ends, before and after
    moved = np.abs(first[:, inside] - np.roll(second, -3, axis=1)[:, inside]).mean()
    assert moved < 0.3 * np.abs(first[:, inside] - second[:, inside]).mean()


def test_a_picture_all_around_has_one_size() -> None:
    with pytest.raises(InputError, match="panorama-lite0: its picture all around is 1088x352; leave --size out"):
        make_encoder(PANORAMIC, EncoderOptions(device="cpu", size=Size(224, 168)))
