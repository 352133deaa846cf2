"""The examples of an encoder and of a source of pictures do what their first lines say, by the real commands."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cottage_run import write_cottage
from vnla.cli import main
from vnla.houses.folder import read_world
from vnla.houses.images import world_images
from vnla.vision.store import world_features

HERE = Path(__file__).parents[2]
Command = Callable[..., str]


@pytest.fixture
def vnla(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Command:
    """The command, run in the folder that holds the examples; what it printed."""
    monkeypatch.chdir(HERE)
    monkeypatch.setattr("sys.path", [*sys.path])

    def run(*arguments: object) -> str:
        with pytest.raises(SystemExit) as left:
            main([str(argument) for argument in arguments])
        said = capfd.readouterr()
        assert left.value.code == 0, said.err
        return said.out

    return run


@pytest.fixture
def cottage(tmp_path: Path) -> tuple[Path, Path]:
    return write_cottage(tmp_path)


def test_an_encoder_of_ones_own_and_a_training_on_its_features(
    vnla: Command, cottage: tuple[Path, Path], tmp_path: Path
) -> None:
    world, tasks = cottage
    encoder = "examples.encoder:Colours"
    vnla("world", "set", world, "--pictures", "examples.pictures:Painted", "--features", encoder)
    vnla("features", "make", world, "--encoder", encoder, "--encoder-option", "bins=2", "--workers", 1)
    store = world_features(read_world(world), encoder)
    assert (store.header.encoder, dict(store.header.options), store.header.dimension) == (encoder, {"bins": 2}, 8)
    np.testing.assert_allclose(store.array.sum(axis=2), 1, atol=2e-3)
    assert len(np.unique(store.array[:, 12:24].reshape(-1, 8), axis=0)) > 3, "rooms look different"
    short = ("--iterations", 1, "--batch", 2, "--hidden", 8, "--validate-every", 1, "--device", "cpu")
    vnla("train", tmp_path / "run", "--world", world, "--tasks", tasks, *short)
    assert json.loads((tmp_path / "run" / "config.json").read_text())["features"] == encoder


def test_a_source_of_pictures_of_ones_own(vnla: Command, cottage: tuple[Path, Path], tmp_path: Path) -> None:
    world, _ = cottage
    before = (world / "world.json").read_bytes()
    said = vnla("world", "set", world, "--pictures", "examples.pictures:Painted", "--option", "contrast=0")
    assert "examples.pictures:Painted (contrast=0)" in said
    folder = read_world(world)
    images, house = world_images(folder, (32, 24)), folder.houses[0]
    rooms = {stand.id: house.room_of(number) for number, stand in enumerate(house.viewpoints)}
    colours = {viewpoint: np.unique(images(house.name, viewpoint).reshape(-1, 3), axis=0) for viewpoint in rooms}
    assert all(len(colour) == 1 for colour in colours.values()), "without contrast a room has one colour"
    kinds = {room.name if room else "" for room in rooms.values()}
    assert len({tuple(colour[0]) for colour in colours.values()}) == len(kinds) > 3
    vnla("world", "show", world, "--pictures", tmp_path / "drawn")
    assert (tmp_path / "drawn" / f"{house.name}-rooms.png").is_file()
    vnla("world", "set", world, "--pictures", "default")
    assert (world / "world.json").read_bytes() == before


@pytest.mark.parametrize("name", ["encoder", "pictures"])
def test_an_example_is_short_and_says_how_it_is_used(name: str) -> None:
    text = (HERE / "examples" / f"{name}.py").read_text()
    assert len(text.splitlines()) < 60
    assert "vnla " in text.split('"""')[1], "its first lines have the commands"
