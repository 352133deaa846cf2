"""What a run's folder says before anything is loaded: whether a run can begin there or go on, and how it is configured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from vnla.common import files
from vnla.common.errors import InputError
from vnla.training.checkpoints import CONFIG, LAST, is_begun, is_vacant, iterations_done, read_notes, validated_at
from vnla.training.config import WORDS, RunConfig


def open_run(path: Path, config: RunConfig | None) -> RunConfig:
    """The configuration of a run to begin or to go on with; nothing is written.

    A run that exists keeps the one it has. Only where its world and data set are may be said anew, and how many iterations
    it is to have in all: no fewer than it has done.
    """
    if not is_begun(path):
        if config is None:
            raise InputError(f"{path}: there is no run yet; say which --world and --tasks to train on")
        if not is_vacant(path):
            raise InputError(f"{path}: is not empty and holds no run; give a new folder")
        return config
    saved = RunConfig.read(path / CONFIG)
    wanted = config or saved
    for name, has, given in _differences(saved, wanted):
        raise InputError(f"{path}: this run has {name} {has}, not {given}; give a new folder")
    if wanted.training.iterations < (done := done_in(path)):
        raise InputError(f"{path}: has done {done:,} iterations; --iterations {wanted.training.iterations} is fewer")
    check_places(path, saved, world=wanted.world == saved.world, tasks=wanted.tasks == saved.tasks)
    return wanted


def check_places(path: Path, saved: RunConfig, *, world: bool, tasks: bool) -> None:
    """Whether the world and the data set that a run has noted are there, if they are wanted."""
    for wanted, option, place in ((world, "--world", saved.world), (tasks, "--tasks", saved.tasks)):
        if wanted and not Path(place).exists():
            raise InputError(f"{path}: was trained on {place}, which is not there; say where it is now with {option}")


def _differences(saved: RunConfig, wanted: RunConfig) -> Iterator[tuple[str, Any, Any]]:
    """What a run may not change: name, what it has, what is wanted."""
    free = {"world", "tasks", "iterations"}
    has, given = ({**asdict(each), **asdict(each.training)} for each in (saved, wanted))
    return ((name, has[name], given[name]) for name in has if name not in {*free, "training"} and has[name] != given[name])


def done_in(path: Path) -> int:
    """How many iterations a run has done."""
    file = path / LAST
    return iterations_done(file, read_notes(file)) if file.exists() else 0


def is_finished(path: Path, config: RunConfig) -> bool:
    """Whether a run has nothing left to do: its iterations are done, and the validation that belongs to the last of them."""
    file = path / LAST
    if not file.exists():
        return False
    notes = read_notes(file)
    done = iterations_done(file, notes)
    return done >= config.training.iterations and validated_at(notes, done) >= done


def check_words(path: Path, config: RunConfig, words: str) -> None:
    """The data set of a run that goes on may be elsewhere, and has to be the same."""
    file = path / WORDS
    if file.exists() and files.read_text(file, "the words of a run") != words:
        raise InputError(f"{config.tasks}: has other words than the data set that {path} was begun with; give that one")
