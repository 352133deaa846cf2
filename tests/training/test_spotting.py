"""An agent that spots things: it thinks what its probe says of the view, learned in the training houses alone."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from cottage_run import cottage_records, write_cottage
from vnla.agents.agent import Agent
from vnla.agents.sensors import Spotted
from vnla.camera import VIEWS
from vnla.common import tables
from vnla.common.errors import InputError
from vnla.common.randomness import episode_key
from vnla.common.tables import DeviceTable
from vnla.episode import StepContext, nothing_sought
from vnla.houses.cottage import cottage
from vnla.houses.folder import read_world, write_world
from vnla.houses.rooms import in_room
from vnla.tasks.task import sought_keys
from vnla.training import spotting
from vnla.training.checkpoints import LAST, read_checkpoint
from vnla.training.config import RunConfig, TrainingConfig
from vnla.training.context import make_agent, make_context
from vnla.training.data import RunData
from vnla.training.run import Run, RunCallbacks
from vnla.training.together import train
from vnla.training.trained import open_trained
from vnla.vision.encoders import Size
from vnla.vision.probe import LinearProbe
from vnla.vision.store import ARRAY, Header, StoreWriter, store_path, viewpoints_of, world_checksum
from vnla.vision.symbolic import symbolic_features
from vnla.world.compiled import World


def with_features(world: Path, size: int | None = None) -> None:
    """Features "some": what is in view in the cottage, in noise; or so many numbers of noise."""
    folder = read_world(world)
    compiled = World.compile(folder.houses)
    real = [replace(cottage(), name=house.name) for house in folder.houses]
    shown = (
        symbolic_features(real, World.compile(real)).array if size is None else np.zeros((len(compiled.ids), VIEWS, size))
    )
    noise = np.random.default_rng(3).standard_normal(shown.shape)
    places = viewpoints_of(compiled)
    header = Header("some", "v1", shown.shape[2], Size(64, 48), 60.0, world_checksum(folder), places)
    with StoreWriter(store_path(world, "some"), header, durable=False) as store:
        store.write(0, shown + 0.02 * noise)
        store.finish()


@pytest.fixture
def config(tmp_path: Path) -> RunConfig:
    """Of a run in three houses like the cottage."""
    world, tasks = write_cottage(tmp_path, houses=3)
    with_features(world)
    sizes = {"hidden": 8, "help_hidden": 8, "word_embedding": 4}
    training = TrainingConfig(iterations=2, batch=2, learning_rate=1e-2)
    return RunConfig(str(world), str(tasks), "some", training=training, agent_options=sizes, sensors="clock,spotted")


def teach(agent: Agent, reader: LinearProbe) -> None:
    assert agent.spotter is not None
    agent.spotter.take(reader.labels, torch.from_numpy(reader.weight), torch.from_numpy(reader.bias))


def situation(data: RunData, pose: torch.Tensor, thing: str, room: str) -> StepContext:
    episodes = data.training_tasks().episodes(torch.zeros(len(pose), dtype=torch.int64), seed=0)
    episodes = replace(episodes, sought=torch.tensor([sought_keys(thing, room)] * len(pose)))
    zero = torch.zeros_like(pose)
    return StepContext(episodes, 0, pose, zero, zero, torch.empty(len(pose), 0), zero)


def test_what_it_thinks_is_what_its_probe_says_of_the_view(config: RunConfig) -> None:
    data = RunData.load(config)
    agent, reader = make_agent(config, data), data.reader()
    teach(agent, reader)
    context = make_context(config, data, agent, training=True)
    pose = torch.arange(0, len(data.world.ids) * VIEWS, 5)
    shown = data.views["some"][pose]
    assert isinstance(shown, torch.Tensor)
    probabilities = 1 / (1 + np.exp(-(shown.float().numpy() @ reader.weight + reader.bias)))
    numbers = context.sensors["spotted"](situation(data, pose, "towel", "bathroom"))
    for column, label in enumerate(("towel", in_room("bathroom"))):
        expected = probabilities[:, reader.labels.index(label)]
        np.testing.assert_allclose(numbers[:, column].numpy(), expected, atol=1e-3)
        assert expected.max() > 0.5 > 2 * np.median(expected), "it has learned something"
    assert not context.sensors["spotted"](situation(data, pose, "unicorn", "")).any()
    no_room = context.sensors["spotted"](situation(data, pose, "towel", ""))
    assert torch.equal(no_room[:, 0], numbers[:, 0]) and not no_room[:, 1].any()
    nothing = replace(situation(data, pose, "", "").episodes, sought=nothing_sought(pose))
    assert not context.sensors["spotted"](replace(situation(data, pose, "", ""), episodes=nothing)).any()


def test_tasks_say_what_they_are_after(config: RunConfig) -> None:
    tasks = RunData.load(config).training_tasks()
    assert tasks.sought.tolist() == [
        [episode_key(task.object), episode_key(in_room(task.goal_room))] for task in tasks.tasks
    ]
    assert torch.equal(tasks.rows([2, 0]).sought, tasks.sought[[2, 0]])
    which = torch.tensor([1, 1, 3])
    assert torch.equal(tasks.episodes(which, seed=0).sought, tasks.sought[which])


def test_only_training_houses_are_looked_at_and_later_none(
    config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = []
    plain = spotting.sightings_in

    def noted(folder, houses):  # type: ignore[no-untyped-def]
        looked.extend(house.name for house in houses)
        return plain(folder, houses)

    monkeypatch.setattr(spotting, "sightings_in", noted)
    (Path(config.tasks) / "asknav_train.json").write_text(json.dumps(cottage_records("cottage1", "cottage2")))
    heard: list[tuple[int, int]] = []
    progress = RunCallbacks(reading=lambda done, of: heard.append((done, of)))
    train(tmp_path / "run", config, RunData.load(config), progress)
    assert looked == ["cottage1", "cottage2"] and heard == [(0, 2), (1, 2), (2, 2)]
    with Run(tmp_path / "other", replace(config, fold="1/2"), RunData.load(config)) as run:
        assert run.reads is not None and run.reads.mean_precision > run.reads.mean_chance
    assert looked[2:] in (["cottage1"], ["cottage2"])

    bare = tmp_path / "bare"
    write_world(bare, [replace(cottage(), objects=())], source="drawn", splits={"train": ["cottage"]})
    with_features(bare)
    elsewhere = open_trained(tmp_path / "run", world=bare, tasks=write_tasks(tmp_path / "there"))
    context = make_context(elsewhere.config, elsewhere.material, elsewhere.agent("val_unseen"), training=False)
    sense = context.sensors["spotted"]
    assert isinstance(sense, Spotted) and len(sense.chances) == len(elsewhere.material.world.ids) * VIEWS * len(sense.keys)
    assert len(looked) == 3


def write_tasks(folder: Path) -> Path:
    folder.mkdir()
    for split in ("train", "val_seen", "val_unseen", "test_seen", "test_unseen"):
        (folder / f"asknav_{split}.json").write_text(json.dumps(cottage_records("cottage")))
    return folder


def test_a_run_that_was_stopped_ends_as_one_that_was_not(
    config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train(tmp_path / "unbroken", config, RunData.load(config))
    train(tmp_path / "broken", config, RunData.load(config), iterations=1)
    monkeypatch.setattr(spotting, "learn_to_read", never)
    train(tmp_path / "broken", config, RunData.load(config))
    assert (tmp_path / "broken" / LAST).read_bytes() == (tmp_path / "unbroken" / LAST).read_bytes()
    second = replace(config, begins_with=str(tmp_path / "unbroken"))
    train(tmp_path / "second", second, RunData.load(second))
    first, found = (read_checkpoint(tmp_path / name / LAST)[0]["agent.spotter.weight"] for name in ("unbroken", "second"))
    assert torch.equal(first, found) and first.numel()


def never(*_: object) -> None:
    raise AssertionError("it has learned that already")


def test_features_on_disk_are_read_as_those_in_memory(
    config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "SMALLEST", 1)
    data = RunData.load(config, cache=1)
    places, size = len(data.world.ids), data.views["some"].shape[1]
    held = DeviceTable(
        store_path(Path(config.world), "some") / ARRAY, size, data.world.first, VIEWS, 2 * places // 3 * VIEWS * size * 2
    )
    assert not held.fits([0, 1, 2])
    train(tmp_path / "memory", config, RunData.load(config))
    train(tmp_path / "disk", config, data)
    train(tmp_path / "device", config, replace(data, views={"some": held}))
    for name in ("disk", "device"):
        assert (tmp_path / name / LAST).read_bytes() == (tmp_path / "memory" / LAST).read_bytes(), name


def test_what_cannot_be_read_is_said(config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without = replace(config, sensors="clock")
    train(tmp_path / "without", without, RunData.load(without), iterations=1)
    begun = replace(config, begins_with=str(tmp_path / "without"))
    with pytest.raises(InputError, match="does not fit the run's configuration"):
        train(tmp_path / "run", begun, RunData.load(begun))
    monkeypatch.setattr(spotting, "LARGEST_VIEW", 3)
    with pytest.raises(InputError, match=r"the sensor spotted: reads features of 1 to 3 numbers a view, not of \d+; choose"):
        train(tmp_path / "run", config, RunData.load(config))
    monkeypatch.undo()

    blank = tmp_path / "blank"
    house = replace(cottage(), objects=(), rooms=(), viewpoints=tuple(replace(v, room=None) for v in cottage().viewpoints))
    write_world(blank, [house], source="drawn", splits={"train": ["cottage"]})
    with_features(blank)
    nowhere = replace(config, world=str(blank), tasks=str(write_tasks(tmp_path / "tasks2")))
    with pytest.raises(InputError, match=r"blank: knows neither objects nor rooms, so there is nothing to spot; go without"):
        train(tmp_path / "run", nowhere, RunData.load(nowhere))


def test_features_of_another_size_are_refused(config: RunConfig) -> None:
    data = RunData.load(config)
    agent = make_agent(config, data)
    teach(agent, data.reader())
    other = replace(data, views={"some": torch.zeros(len(data.world.ids) * VIEWS, 5)})
    with pytest.raises(InputError, match=r"has learned to read \d+ numbers of a view, not these 5; use the features"):
        make_context(config, other, agent, training=False)
