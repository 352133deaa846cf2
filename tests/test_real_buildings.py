"""Buildings as people have them, from their files to numbers.

They have parts that cannot be reached, viewpoints that are excluded, alone or without a room, objects without labels, and
features of any size; one is a graph and nothing else. Folders of Matterport3D files are made from generated houses and then
mutilated. Whatever an agent learns by and is given, its training ends, and all that comes out of it are numbers.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vnla import evaluate, import_world, load_tasks, make_tasks
from vnla.agents.sensor_registry import SENSORS
from vnla.camera import VIEWS
from vnla.cli import main
from vnla.houses.folder import read_world
from vnla.houses.generate.world import HouseRecipe, make_houses
from vnla.houses.matterport import write_matterport
from vnla.training.checkpoints import LAST, LOG, read_checkpoint
from vnla.training.config import RunConfig, TrainingConfig
from vnla.training.data import RunData
from vnla.training.together import train

NAMES = ("first", "second", "third", "fourth", "bare")
SPLITS = {"train": ["first", "second", "bare"], "dev": ["third"], "test": ["fourth"]}
SIZES = {"hidden": 16, "help_hidden": 16, "word_embedding": 8}
TALL = "tall"
"""Features of 37 numbers a view."""


@pytest.fixture(scope="module")
def buildings(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A world that was imported, and its tasks."""
    folder = tmp_path_factory.mktemp("buildings")
    recipes = [HouseRecipe(name, seed, 20) for seed, name in enumerate(NAMES, start=4)]
    write_matterport(folder / "files", list(make_houses(recipes, 1)))
    for name in NAMES:
        mutilate(folder / "files", name)
    import_world(folder / "files", folder / "world")
    write_features(folder / "world", folder / f"{TALL}.tsv")
    assert run("features", "import", folder / "world", folder / f"{TALL}.tsv", "--name", TALL) == 0
    (folder / "splits.json").write_text(json.dumps(SPLITS))
    make_tasks(folder / "world", folder / "tasks", splits=folder / "splits.json", fewest=1, size=12)
    return folder / "world", folder / "tasks"


def run(*arguments: object) -> int:
    with pytest.raises(SystemExit) as left:
        main([str(argument) for argument in arguments])
    return int(left.value.code or 0)


def mutilate(files: Path, name: str) -> None:
    """Cut a building in two, leave a viewpoint alone and exclude one; forget rooms and labels, or all of them."""
    graph = files / "connectivity" / f"{name}_connectivity.json"
    records = json.loads(graph.read_text())
    east = np.argsort([record["pose"][3] for record in records])
    halves = set(east[: len(east) // 3].tolist())
    for here, record in enumerate(records):
        joined = record["unobstructed"]
        record["unobstructed"] = [ways and (here in halves) == (there in halves) for there, ways in enumerate(joined)]
    alone, excluded = int(east[-1]), int(east[0])
    for here, record in enumerate(records):
        record["unobstructed"][alone] = False
        if here == alone:
            record["unobstructed"] = [False] * len(records)
    records[excluded]["included"] = False
    graph.write_text(json.dumps(records))
    scan = files / "v1" / "scans" / name / "house_segmentations"
    if name == "bare":
        for file in scan.iterdir():
            file.unlink()
        return
    regions = (scan / "panorama_to_region.txt").read_text().splitlines()
    (scan / "panorama_to_region.txt").write_text("".join(f"{line}\n" for line in regions if int(line.split()[0]) % 7))
    house = (scan / f"{name}.house").read_text().splitlines()
    (scan / f"{name}.house").write_text("".join(f"{forgotten(line)}\n" for line in house))


def forgotten(line: str) -> str:
    """Nobody knows what an object in five is, and in which room a viewpoint in seven."""
    fields = line.split()
    if (fields[0] == "O" and int(fields[1]) % 5 == 0) or (fields[0] == "P" and int(fields[2]) % 7 == 0):
        fields[3] = "-1"
        return " ".join(fields)
    return line


def write_features(world: Path, out: Path) -> None:
    random = np.random.default_rng(0)
    with out.open("w") as file:
        for house in read_world(world).houses:
            for stand in house.viewpoints:
                values = random.standard_normal((VIEWS, 37)).astype("<f4")
                file.write(f"{house.name}\t{stand.id}\t640\t480\t60\t{base64.b64encode(values.tobytes()).decode()}\n")


def test_they_are_as_bad_as_they_should_be(buildings: tuple[Path, Path]) -> None:
    world, tasks = buildings
    houses = {house.name: house for house in read_world(world).houses}
    for house in houses.values():
        assert len(house.parts()) > 2 and len(house.parts()[-1]) == 1, "two parts, and one viewpoint alone"
        assert len(house.stands) < len(house.viewpoints), "one is excluded"
        assert any(stand.room is None for stand in house.viewpoints)
    assert not houses["bare"].rooms and not houses["bare"].objects
    assert {task.house for task in load_tasks(tasks).split("train")} == {"first", "second"}


def finite(value: Any) -> Iterator[bool]:
    """Of every number in what JSON holds."""
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from finite(each)
    elif isinstance(value, float):
        yield math.isfinite(value)


EVERY = ",".join(SENSORS)
OBJECTIVES = ("imitation", "reward")
TRAININGS = [(objective, "learned", sensor) for sensor in ("", EVERY) for objective in OBJECTIVES]
ALONE = [pytest.param(each, "learned", sensor, marks=pytest.mark.slow) for sensor in SENSORS for each in OBJECTIVES]


@pytest.mark.parametrize(
    ("objective", "policy", "sensor"), [*TRAININGS, ("worth", "valued", EVERY), ("asking", "threshold", EVERY), *ALONE]
)
def test_a_training_ends_with_numbers(
    buildings: tuple[Path, Path], tmp_path: Path, objective: str, policy: str, sensor: str
) -> None:
    world, tasks = buildings
    config = RunConfig(
        str(world), str(tasks), TALL, help_policy=policy, objective=objective, sensors=sensor, agent_options=SIZES,
        timed=True, training=TrainingConfig(iterations=2, batch=8, learning_rate=1e-2), validate_every=2,
    )  # fmt: skip
    assert train(tmp_path / "run", config, RunData.load(config)) is None
    assert all(each.isfinite().all() for each in read_checkpoint(tmp_path / "run" / LAST)[0].values())
    log = [json.loads(line) for line in (tmp_path / "run" / LOG).read_text().splitlines()]
    assert log and all(finite(log))
    found = evaluate(tmp_path / "run", split=["val_unseen", "test_unseen"], seeds=1)
    for split in ("val_unseen", "test_unseen"):
        for metric in ("success_rate", "nav_error", "requests"):
            assert math.isfinite(found[split].figure(metric).mean), (split, metric)
