"""What an entry of AskNav-Open gains by tricks: by training in the public houses, by heart, and by trying many artefacts.

    python benchmarks/experiments/gaming.py training asknav-open gaming/training --json training.json
    python benchmarks/experiments/gaming.py heart asknav-open heart.json
    vnla benchmark run benchmarks.experiments.gaming:ByHeart by-heart --agent-option ways=heart.json --file heart.json
    python benchmarks/experiments/gaming.py drawing results/benchmark/entries/scripted --json drawing.json

`training` trains the same agent twice, for the same iterations: in the base houses, as it should be, and in the common test
houses, which everybody can see. Both are evaluated in the common houses and in fresh ones that neither knows. Agents see
labels in place of pictures, so that it takes minutes on two cores.

`heart` writes down the teacher's way of every public task. The policy `ByHeart` goes these ways without asking, and does as
SCRIPTED does where it knows none. It is an entry like others.

`drawing` takes the walks of an entry in all its houses, and draws sets of houses from these again and again: how much an
author gains who freezes many artefacts that do the same, and submits the one with the easiest houses.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import vnla
from vnla.common.files import write_text
from vnla.common.machine import commit
from vnla.evaluation.confidence import difference_over_houses, over_houses
from vnla.experiments.benchmark.definition import COMMON, FRESH, SPLIT, read_definition
from vnla.experiments.benchmark.houses import BASE, BenchmarkHouses
from vnla.houses.folder import WorldFolder, read_world, write_world
from vnla.houses.house import House
from vnla.observation import Observation
from vnla.remote.scripted import ScriptedPolicy, ScriptState
from vnla.tasks.making import make_dataset, make_tests
from vnla.tasks.recipes import ASKNAV
from vnla.tasks.task_set import TaskSet, teacher_trajectories
from vnla.world.actions import Nav
from vnla.world.budgets import LONGEST_EPISODE
from vnla.world.compiled import World

UNKNOWN_SEED = 1
"""Seed of the fresh houses here."""
AGENT = {
    "features": "symbolic",
    "hidden": 48,
    "agent_option": {"help_hidden": 48, "word_embedding": 32},
    "dropout": 0.1,
    "learning_rate": 3e-3,
    "cooldown": 0.5,
    "batch": 32,
    "threads": 1,
}
"""The small agent of docs/ceilings.md."""


def silent(*_: Any) -> None:
    """Nobody waits."""


def train_on_public_houses(place: Path, out: Path, iterations: int, points: int) -> dict[str, Any]:
    """Return the success of both agents in common and in fresh houses, and what each gains in the common ones."""
    definition = read_definition()
    made = BenchmarkHouses(definition, definition.preset("quick"), place, 2)
    sets = {BASE: made.base(silent), COMMON: made.common(silent), FRESH: made.fresh(UNKNOWN_SEED, silent)}
    worlds = {name: read_world(each.world) for name, each in sets.items()}
    whole = _together(out / "world", worlds)
    data = {"as it should be": _data(whole, out, BASE), "in the public houses": _data(whole, out, COMMON)}
    rates = {}
    for name, tasks in data.items():
        run = out / "runs" / name.replace(" ", "-")
        if not run.exists():
            vnla.train(run, world=whole.path, tasks=tasks, iterations=iterations, validate_every=iterations, **AGENT)  # type: ignore[arg-type]
        for houses in (COMMON, FRESH):
            tests = _tests(whole, worlds[houses], houses, data["as it should be"], out, points)
            found = vnla.evaluate(run, tasks=tests, split=[SPLIT], checkpoint="last", seeds=1, threads=1)[SPLIT]
            rates[name, houses] = (100 * found.scores.success.mean(axis=0), [task.house for task in found.tasks.tasks])
    return {"iterations": iterations, "agents": {name: _compared(rates, name) for name in data}}


def _compared(rates: dict[tuple[str, str], Any], name: str) -> dict[str, Any]:
    sides = [rates[name, houses] for houses in (COMMON, FRESH)]
    found = {
        houses: over_houses(values, houses=where, whole=100)
        for houses, (values, where) in zip((COMMON, FRESH), sides, strict=True)
    }
    one, other = ((values, np.ones_like(values)) for values, _ in sides)
    names = [[f"{houses} {house}" for house in where] for houses, (_, where) in zip((COMMON, FRESH), sides, strict=True)]
    found["common minus fresh"] = difference_over_houses(one, other, (names[0], names[1]), whole=100)
    for what, each in found.items():
        print(f"{name}, {what}: {each} over {each.over}")
    return {what: each.as_dict() for what, each in found.items()}


def _together(out: Path, worlds: dict[str, WorldFolder]) -> WorldFolder:
    """Return one world of all houses, so that symbolic features mean the same everywhere."""
    if not out.exists():
        houses = [_renamed(house, name) for name, world in worlds.items() for house in world.houses]
        write_world(out, houses, source="generated")
    return read_world(out)


def _renamed(house: House, name: str) -> House:
    return replace(house, name=f"{name}-{house.name}")


def _data(whole: WorldFolder, out: Path, name: str) -> Path:
    """Return AskNav for training in one set of houses; two of the base houses are for development."""
    path = out / f"tasks-{name}"
    if not path.exists():
        mine = [house.name for house in whole.houses if house.name.startswith(f"{name}-")]
        base = [house.name for house in whole.houses if house.name.startswith(f"{BASE}-")]
        parts = {"train": [each for each in mine if each not in base[-2:]], "dev": base[-2:-1], "test": base[-1:]}
        rest = [house.name for house in whole.houses if not any(house.name in part for part in parts.values())]
        write_text(out / f"{name}.json", json.dumps(parts))
        chosen = replace(whole, houses=tuple(house for house in whole.houses if house.name not in rest))
        make_dataset(chosen, path, ASKNAV, size=200, splits=out / f"{name}.json")
    return path


def _tests(whole: WorldFolder, known: WorldFolder, name: str, like: Path, out: Path, points: int) -> Path:
    """Return tasks in one set of houses, with the words and times of the agent that is trained as it should be."""
    path = out / f"tests-{name}"
    if not path.exists():
        chosen = replace(whole, houses=tuple(house for house in whole.houses if house.name.startswith(f"{name}-")))
        make_tests(chosen, path, vnla.load_tasks(like), known, size=points)
    return path


def draw_many_artefacts(entry: Path, place: Path, draws: int) -> dict[str, Any]:
    """Return by how many points the best of several draws of houses is above the mean of all."""
    from vnla.experiments.benchmark.verification import verify_entry

    definition = read_definition()
    verified = verify_entry(entry, place)
    found = [verified.of(houses, definition.swept, definition.ratio) for houses in (COMMON, FRESH)]
    rates = np.concatenate([_by_house(each.houses, each.scores.success) for each in found])
    size, random = verified.entry.preset.test_houses, np.random.default_rng(0)
    means = 100 * random.choice(rates, (draws, size)).mean(axis=1)
    gains = {}
    for tries in (1, 10, 100, 1000):
        best = means[: draws // tries * tries].reshape(-1, tries).max(axis=1)
        gains[str(tries)] = float(best.mean() - means.mean())
        print(f"best of {tries:,}: {gains[str(tries)]:+.1f} points")
    return {
        "entry": verified.entry.manifest.name,
        "houses": size,
        "deviation": float(means.std()),
        "gain of the best": gains,
    }


class ByHeart(ScriptedPolicy):
    """SCRIPTED, but for tasks whose ways it has learned by heart: these it goes without asking."""

    name = "by heart"

    def __init__(self, ways: str) -> None:
        """`ways` is the file of the tasks' ways."""
        super().__init__()
        self._ways: dict[str, list[int]] = json.loads(Path(ways).read_text(encoding="utf-8"))

    def act(self, observation: Observation, state: ScriptState) -> tuple[tuple[Nav, bool], ScriptState]:
        """The next action of the way, or whatever SCRIPTED does."""
        known = self._ways.get(observation["episode"].partition("/")[0])
        if known is None:
            return super().act(observation, state)
        return (Nav(known[min(observation["step"], len(known) - 1)]), False), state


def learn_by_heart(place: Path) -> dict[str, list[int]]:
    """Return the actions of the navigation teacher for every public task of the quick preset."""
    definition = read_definition()
    preset = definition.preset("quick")
    common = BenchmarkHouses(definition, preset, place, 2).common(silent)
    world, found = World.compile(read_world(common.world).houses), {}
    for name in preset.points:
        data = vnla.load_tasks(common.tasks(name))
        tasks = TaskSet.compile(world, data.split(SPLIT), data.budgets)
        actions, lengths = teacher_trajectories(tasks.environment, tasks.start, tasks.goals, LONGEST_EPISODE)
        for task, row, length in zip(tasks.tasks, actions.tolist(), lengths.tolist(), strict=True):
            found[task.id] = row[: max(1, min(length, LONGEST_EPISODE))]
    return found


def _by_house(houses: Any, success: Any) -> Any:
    names, which = np.unique(houses, return_inverse=True)
    return np.bincount(which, success, len(names)) / np.bincount(which)


def main() -> None:
    """Simulate one of the tricks, and write what it brings."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    tricks = parser.add_subparsers(dest="trick", required=True)
    training = tricks.add_parser("training")
    training.add_argument("houses", type=Path)
    training.add_argument("out", type=Path)
    training.add_argument("--iterations", type=int, default=1000)
    training.add_argument("--points", type=int, default=800)
    heart = tricks.add_parser("heart")
    heart.add_argument("houses", type=Path)
    heart.add_argument("json", type=Path)
    drawing = tricks.add_parser("drawing")
    drawing.add_argument("entry", type=Path)
    drawing.add_argument("--houses", type=Path, default=Path("asknav-open"))
    drawing.add_argument("--draws", type=int, default=100_000)
    for each in (training, drawing):
        each.add_argument("--json", type=Path, required=True)
    given = parser.parse_args()
    if given.trick == "heart":
        write_text(given.json, json.dumps(learn_by_heart(given.houses)))
        return
    if given.trick == "training":
        found = train_on_public_houses(given.houses, given.out, given.iterations, given.points)
    else:
        found = draw_many_artefacts(given.entry, given.houses, given.draws)
    write_text(given.json, json.dumps({"commit": commit(), **found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
