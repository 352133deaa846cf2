"""A data set on disk: AskNav's JSON files as the authors name them, a vocabulary, and `manifest.json`.

::

    manifest.json                 what this is: task, world, seed, counts, time budgets, a checksum of every file
    asknav_train.json             and asknav_val_seen, _val_unseen, _test_seen, _test_unseen; NoRoom: noroom_*
    vocab.txt                     one word a line

The JSON files may be compressed (`.json.gz`). A folder with the authors' own files and nothing else is read as well; its
time budgets and vocabulary are then worked out from the training split.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from vnla.common import checksums, files
from vnla.common.errors import InputError
from vnla.common.outside import is_real, is_whole
from vnla.houses.rooms import ROOM_NAMES
from vnla.tasks.generate import SPLITS, Generated, Place
from vnla.tasks.recipes import RECIPES
from vnla.tasks.records import RecordMaker, region
from vnla.tasks.task import Task, read_tasks
from vnla.tasks.vocabulary import Vocabulary
from vnla.world.budgets import Pair, TimeBudgets

FORMAT = "vnla-tasks"
VERSION = 1
MANIFEST = "manifest.json"
VOCABULARY = "vocab.txt"
Track = Callable[[Sequence[Place], str], Iterable[Place]]
"""Hands on what it is given one by one, with the name of the file they are written to: a progress bar."""
Line = Callable[[int, int], str]
"""The record of a data point, by its place, as it stands in a file."""

_WHAT = "manifest.json, the description of a data set"
_LONGEST_BUDGET = 10_000
"""Steps: far more than any episode has."""


def _untracked(places: Sequence[Place], _: str) -> Iterable[Place]:
    return places


def write_dataset(
    path: Path,
    made: Generated,
    *,
    world: dict[str, Any],
    like: Dataset | None = None,
    compress: bool = False,
    track: Track = _untracked,
    line: Line | None = None,
) -> dict[str, Any]:
    """Write a data set as the new folder `path`, whole or not at all; the manifest. `world` says what it was made from.

    Words and time budgets are those of its training points, or those of another data set that it is `like`. Whoever has
    records already hands them on (`line`).
    """
    names = {split: f"{made.recipe.name}_{split}.json{'.gz' if compress else ''}" for split in SPLITS}
    line = line or _lines(made)
    with files.new_folder(path) as folder:
        for split, name in names.items():
            places = track(made.splits[split], name)
            text = _json_list([line(house, point) for house, point in places])
            files.write_bytes(folder / name, gzip.compress(text, mtime=0) if compress else text)
        words, budgets = _learned(made) if like is None else (like.vocabulary, like.budgets)
        files.write_text(folder / VOCABULARY, words.text())
        digests = {name: checksums.of_file(folder / name) for name in (*names.values(), VOCABULARY)}
        manifest = _description(made, names, world, budgets, digests)
        files.write_text(folder / MANIFEST, json.dumps(manifest, indent=2) + "\n")
    return manifest


def _lines(made: Generated) -> Line:
    records = [RecordMaker(points, made.recipe) for points in made.houses]
    return lambda house, point: records[house].line(point)


def _learned(made: Generated) -> tuple[Vocabulary, TimeBudgets]:
    """Return the words of the training points' end-goals, and the time budgets by their trajectories; without mirror
    images."""
    end_goals: list[str] = []
    trajectories: list[tuple[Pair, int]] = []
    mirrored = made.mirrored
    for house, place in made.splits["train"]:
        if house in mirrored:
            continue
        points = made.houses[house]
        bucket = points.buckets[points.bucket[place]]
        end_goals.append(bucket.end_goal)
        _, start_room = region(points.house, points.graph.ids[points.start[place]])
        pair = (start_room, bucket.object if bucket.room is None else ROOM_NAMES[bucket.room])
        lengths = points.lengths[points.first[place] : points.first[place + 1]].tolist()
        trajectories.extend((pair, length) for length in lengths)
    return Vocabulary.build(end_goals), TimeBudgets.from_training(trajectories)


def _description(
    made: Generated, names: dict[str, str], world: dict[str, Any], budgets: TimeBudgets, digests: dict[str, str]
) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "task": made.recipe.name,
        "world": world,
        "seed": made.seed,
        "size": made.size,
        "splits": {split: _counts(made, split) for split in SPLITS},
        "unused_points": made.unused,
        "objects_left_out": {reason.value: count for reason, count in sorted(made.left_out.items())},
        "files": names,
        "vocabulary": VOCABULARY,
        "time_budgets": {"longest": budgets.longest, "bounds": [[*pair, each] for pair, each in budgets.bounds.items()]},
        "sha256": digests,
    }


def _json_list(lines: list[str]) -> bytes:
    """Return a JSON list with one record a line."""
    return ("[\n" + ",\n".join(lines) + "\n]\n").encode() if lines else b"[]\n"


def _counts(made: Generated, split: str) -> dict[str, int]:
    return {
        "points": len(made.splits[split]),
        "goals": made.goals(split),
        "buildings": len({house for house, _ in made.splits[split]}),
    }


@dataclass(frozen=True)
class Dataset:
    """A data set that was opened; its splits are read when they are first asked for."""

    path: Path
    task: str
    paths: dict[str, Path]
    """Split → file."""
    manifest: dict[str, Any]
    """Empty where the folder has no `manifest.json`."""
    words: Vocabulary | None = None
    """Words to read it with instead of its own: those that an agent knows."""
    _read: dict[str, tuple[Task, ...]] = field(default_factory=dict, repr=False)

    def __fspath__(self) -> str:
        """It stands for its folder wherever a path is asked for."""
        return str(self.path)

    def split(self, name: str) -> tuple[Task, ...]:
        """Return the tasks of a split: train, val_seen, val_unseen, test_seen or test_unseen."""
        if name not in self.paths:
            raise InputError(f"{self.path}: has no split {name!r}; it has {', '.join(self.paths)}")
        if name not in self._read:
            file = self.paths[name]
            self._check(file)
            self._read[name] = tuple(read_tasks(file))
        return self._read[name]

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words of the training end-goals and of the advisor."""
        if self.words is not None:
            return self.words
        path = self.path / VOCABULARY
        if not path.exists():
            return Vocabulary.build(task.end_goal for task in self.split("train"))
        self._check(path)
        return Vocabulary.read(path)

    @cached_property
    def budgets(self) -> TimeBudgets:
        """Time budgets for evaluation, from the training split."""
        if not self.manifest:
            return training_budgets(self.split("train"))
        table = self.manifest["time_budgets"]
        return TimeBudgets({(start, end): bound for start, end, bound in table["bounds"]}, table["longest"])

    def _check(self, file: Path) -> None:
        expected = self.manifest.get("sha256", {}).get(file.name)
        if expected is not None and checksums.of_file(files.existing_file(file, "a file of this data set")) != expected:
            raise InputError(
                f"{file}: is not the file that {MANIFEST} describes: damaged or edited; make the data set again"
            )


def training_budgets(tasks: Iterable[Task]) -> TimeBudgets:
    """Time budgets for evaluation from the trajectories of training tasks."""
    return TimeBudgets.from_training(
        ((task.start_room, task.goal_room or task.object), length) for task in tasks for length in task.lengths
    )


def read_dataset(path: Path, task: str | None = None) -> Dataset:
    """Open a data set folder, or a folder with the authors' files; `task` chooses where it has both AskNav and NoRoom."""
    files.existing_folder(path, "a data set folder")
    if task is not None and task not in RECIPES:
        raise InputError(f"task {task!r}: expected one of {', '.join(RECIPES)}")
    if (path / MANIFEST).exists():
        manifest = _manifest(path / MANIFEST)
        if task not in (None, manifest["task"]):
            raise InputError(f"{path}: has {manifest['task']}, not {task}")
        return Dataset(path, manifest["task"], {split: path / name for split, name in manifest["files"].items()}, manifest)
    found = {name: splits for name in RECIPES if (splits := _splits_of(path, name)) and task in (None, name)}
    if not found:
        wanted = " or ".join(f"{name}_train.json" for name in (RECIPES if task is None else (task,)))
        raise InputError(f"{path}: has neither {MANIFEST} nor {wanted}; expected a data set folder")
    if len(found) > 1:
        raise InputError(f"{path}: has both {' and '.join(found)}; say which one is wanted")
    name, splits = found.popitem()
    return Dataset(path, name, splits, {})


def _splits_of(path: Path, task: str) -> dict[str, Path]:
    candidates = {split: [path / f"{task}_{split}.json{end}" for end in ("", ".gz")] for split in SPLITS}
    return {split: file for split, each in candidates.items() for file in each[::-1] if file.exists()}


def _manifest(path: Path) -> dict[str, Any]:
    value = files.read_json(path, _WHAT)
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise InputError(f'{path}: is not the description of a data set: expected "format": "{FORMAT}"')
    if value.get("version") != VERSION:
        raise InputError(f"{path}: field version is {value.get('version')!r}; this vnla reads version {VERSION}")
    if value.get("task") not in [*RECIPES]:  # in a list anything can be looked for
        raise InputError(f"{path}: field task is {value.get('task')!r}; expected one of {', '.join(RECIPES)}")
    for name in ("files", "sha256", "splits", "time_budgets"):
        if not isinstance(value.get(name), dict):
            raise InputError(f"{path}: field {name}: expected an object")
    _check_files(path, value)
    _check_budgets(path, value["time_budgets"])
    return value


def _check_files(path: Path, value: dict[str, Any]) -> None:
    for split, name in value["files"].items():
        if split not in SPLITS or not isinstance(name, str) or Path(name).name != name:
            raise InputError(f"{path}: field files: {split!r}: {name!r} is not a split and the name of a file beside it")


def _check_budgets(path: Path, value: dict[str, Any]) -> None:
    bounds = value.get("bounds")
    longest = value.get("longest")
    if not is_whole(longest, 0, _LONGEST_BUDGET) or not isinstance(bounds, list):
        raise InputError(f"{path}: field time_budgets: expected longest, a number of steps, and bounds")
    for place, row in enumerate(bounds):
        if not (
            isinstance(row, list)
            and len(row) == 3
            and all(isinstance(x, str) for x in row[:2])
            and is_real(row[2], 0, _LONGEST_BUDGET)
        ):
            raise InputError(f"{path}: field time_budgets: entry {place} of bounds is not [start, goal, number]")
