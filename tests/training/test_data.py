"""What a run works on: features of the world as it is now, under whatever name they are kept."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from cottage_run import write_cottage
from vnla.camera import VIEWS
from vnla.common import tables
from vnla.common.batching import Batching
from vnla.common.capture import fusing
from vnla.common.errors import InputError
from vnla.common.tables import DeviceTable
from vnla.houses.folder import read_world, write_manifest
from vnla.training.checkpoints import LAST, LOG
from vnla.training.config import RunConfig, TrainingConfig
from vnla.training.context import make_agent, make_context
from vnla.training.data import RunData
from vnla.training.together import train
from vnla.training.trainer import Trainer
from vnla.vision.encoders import Size
from vnla.vision.store import ARRAY, Header, StoreWriter, store_path, viewpoints_of, world_checksum
from vnla.world.compiled import World


def test_a_run_finds_features_of_any_name_and_takes_none_of_the_world_as_it_was(tmp_path: Path) -> None:
    world, tasks = write_cottage(tmp_path)
    folder = read_world(world)
    places = viewpoints_of(World.compile(folder.houses))
    header = Header("timm:some/net", "v1", 4, Size(64, 48), 60.0, world_checksum(folder), places)
    with StoreWriter(store_path(world, header.encoder), header, durable=False) as store:
        store.write(0, np.ones((len(places), VIEWS, 4)))
        store.finish()
    config = RunConfig(str(world), str(tasks), features="timm:some/net")
    assert RunData.load(config).folder.houses == folder.houses
    write_manifest(folder.choosing(pictures={"source": "skybox"}))
    with pytest.raises(InputError, match=r"made before the world was changed; .* --encoder timm:some/net$"):
        RunData.load(config)


def test_features_on_disk_train_as_those_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the last bit: mapped, with all let go at every look; and on a device with room for half of three houses."""
    monkeypatch.setattr(tables, "SMALLEST", 1)
    world, tasks = write_cottage(tmp_path, houses=3)
    folder = read_world(world)
    places = viewpoints_of(World.compile(folder.houses))
    header = Header("some", "v1", 8, Size(64, 48), 60.0, world_checksum(folder), places)
    with StoreWriter(store_path(world, "some"), header, durable=False) as store:
        store.write(0, np.random.default_rng(2).standard_normal((len(places), VIEWS, 8)))
        store.finish()
    training = TrainingConfig(iterations=4, batch=2, learning_rate=1e-2)
    sizes = {"hidden": 16, "help_hidden": 16, "word_embedding": 8}
    config = RunConfig(str(world), str(tasks), "some,symbolic", training=training, agent_options=sizes, validate_every=2)
    train(tmp_path / "memory", config, RunData.load(config))
    train(tmp_path / "disk", config, RunData.load(config, cache=1))
    pages = 2 * len(places) // 3
    device = RunData.load(config, cache=1)
    held = DeviceTable(store_path(world, "some") / ARRAY, 8, device.world.first, VIEWS, pages * VIEWS * 8 * 2)
    train(tmp_path / "device", config, replace(device, views={**device.views, "some": held}))
    assert not held.fits([0, 1, 2])
    for name in ("disk", "device"):
        for file in (LAST, LOG):
            assert (tmp_path / name / file).read_bytes() == (tmp_path / "memory" / file).read_bytes(), (name, file)


@pytest.mark.parametrize(
    ("bits", "said"),
    [(b"\x01", "is not what features.json describes: damaged"), (np.float16(np.nan).tobytes(), "are no numbers")],
)
def test_features_on_disk_are_verified_as_those_in_memory(
    bits: bytes, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "SMALLEST", 1)
    world, tasks = write_cottage(tmp_path)
    folder = read_world(world)
    places = viewpoints_of(World.compile(folder.houses))
    header = Header("some", "v1", 8, Size(64, 48), 60.0, world_checksum(folder), places)
    with StoreWriter(store_path(world, "some"), header, durable=False) as store:
        store.write(0, np.zeros((len(places), VIEWS, 8)))
        damaged = (store_path(world, "some") / ARRAY).read_bytes()
        damaged = damaged[: -len(bits)] + bits
        if "numbers" in said:  # in a file whose checksums are right: somebody's own program wrote it
            (store_path(world, "some") / ARRAY).write_bytes(damaged)
        store.finish()
    (store_path(world, "some") / ARRAY).write_bytes(damaged)
    config = RunConfig(str(world), str(tasks), "some")
    for cache in (None, 1):
        with pytest.raises(InputError, match=said):
            RunData.load(config, cache=cache)


def test_features_that_are_missing_come_with_the_command_that_makes_them(tmp_path: Path) -> None:
    world, tasks = write_cottage(tmp_path)
    with pytest.raises(InputError, match=r"no features; make them with: vnla features make \S+ --encoder pixels$"):
        RunData.load(RunConfig(str(world), str(tasks), features="pixels"))


@pytest.mark.filterwarnings("ignore:Dynamo detected a call")
def test_runs_of_all_folds_share_what_is_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of another shape would have every kernel compiled again, which takes a GPU's user a minute a fold."""
    compiled: list[str] = []

    def noted(graph: torch.fx.GraphModule, _: object) -> Callable[..., Any]:
        compiled.append(str(graph))
        return graph

    @functools.cache
    def traced(function: Callable[..., object]) -> Callable[..., object]:
        return torch.compile(function, backend=noted, dynamic=False)

    monkeypatch.setattr("vnla.common.capture._compiled", traced)
    torch._dynamo.reset()
    world, tasks = write_cottage(tmp_path, houses=6)
    sizes = {"hidden": 16, "help_hidden": 16, "word_embedding": 8}
    config = RunConfig(str(world), str(tasks), "symbolic", training=TrainingConfig(batch=2), agent_options=sizes)
    data, found = RunData.load(config), []
    for fold in ("1/3", "-1/3", ""):
        context = make_context(config, data, make_agent(config, data), training=True)
        context = replace(context, batching=Batching(fixed=True))
        trainer = Trainer(context, data.training_tasks(fold=fold), config.training, learns_to_ask=True)
        with fusing(torch.device("cpu")):
            trainer.iterate()
        found.append(len(compiled))
    assert found[0] > 0
    assert found == [found[0]] * 3


def test_a_fold_without_tasks_is_named(tmp_path: Path) -> None:
    world, tasks = write_cottage(tmp_path, houses=2)
    with pytest.raises(InputError, match=r"^fold 3/3: there are no tasks to run in it$"):
        RunData.load(RunConfig(str(world), str(tasks), "symbolic")).training_tasks(fold="3/3")
