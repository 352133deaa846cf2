"""Trains several runs side by side in one process.

A batch of a hundred episodes leaves most of a large GPU idle, so runs that differ in policy, seed or size are trained at the
same time. They share the world, the features and the data set, which are loaded once; each has its own trainer with its own
CUDA stream. One thread gives each stream its next iteration as soon as there is room. A run trained with others ends with
exactly the weights that it has when trained alone, also where another one diverges, which ends by itself.

    train_together([(Path("runs/none"), none), (Path("runs/learned"), learned)], "cuda")
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from vnla.common.errors import InputError
from vnla.common.lock import alone_in
from vnla.common.machine import uncollected
from vnla.common.stopping import Interrupted, Stop, signals_noted
from vnla.common.tables import Room
from vnla.observation import TEXT
from vnla.tasks.vocabulary import Vocabulary
from vnla.training.checkpoints import is_begun, open_run
from vnla.training.config import RunConfig
from vnla.training.data import RunData, dataset_of, first_words
from vnla.training.ranks import Ranks, about_software, alike
from vnla.training.run import DivergedError, Run, RunCallbacks

PAUSE = 5e-4
"""Seconds before asking again whether a GPU has room for more."""


@dataclass
class TrainingCallbacks:
    """Functions that are called when something happens to several runs as a whole."""

    progress: Callable[[Path], RunCallbacks] = lambda _: RunCallbacks()
    """A run's folder → the callbacks of that run."""
    began: Callable[[Sequence[Run]], None] = lambda _: None
    """Everything is loaded and checked, and the runs are on disk."""
    stopping: Callable[[Stop], None] = lambda _: None
    """A signal came; called between any two instructions."""
    diverged: Callable[[Path, str], None] = lambda _path, _line: None
    """A run has ended because what it learned is no longer numbers; a line says so."""


def train_together(
    runs: Sequence[tuple[Path, RunConfig | None]],
    device: torch.device | str,
    callbacks: TrainingCallbacks | None = None,
    iterations: int | None = None,
    *,
    eager: bool = False,
    ranks: Ranks | None = None,
    cache: Room | None = None,
) -> int | None:
    """Train runs, new or begun, until each has done its iterations; the signal that ended it earlier, if one did.

    A run that exists keeps its configuration and needs none here. `iterations` ends all of them earlier; `eager` as in
    `Run`. Several processes, `ranks`, train one run. `cache` as in `RunData.load`.
    """
    paths = [path.absolute() for path, _ in runs]
    twice = next((path for path in paths if paths.count(path) > 1), None)
    if twice is not None:
        raise InputError(f"{twice}: the same run was given twice")
    allow_many_streams()
    return train_runs(runs, _LoadedData(device, cache).of, callbacks, iterations, eager=eager, ranks=ranks)


def allow_many_streams() -> None:
    """Give every CUDA stream a connection of its own; to be called before the device is first used."""
    os.environ.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", "32")


def train(
    path: Path,
    config: RunConfig | None,
    material: RunData,
    progress: RunCallbacks | None = None,
    iterations: int | None = None,
) -> int | None:
    """Train until `iterations` are done; the signal that ended it earlier, if one did."""
    return train_runs(
        [(path, config)], lambda _: material, TrainingCallbacks(lambda _: progress or RunCallbacks()), iterations
    )


def train_runs(
    runs: Sequence[tuple[Path, RunConfig | None]],
    material_of: Callable[[RunConfig], RunData],
    callbacks: TrainingCallbacks | None = None,
    iterations: int | None = None,
    *,
    eager: bool = False,
    ranks: Ranks | None = None,
) -> int | None:
    """Train runs, new or begun, until each has done its iterations; the signal that ended it earlier, if one did.

    Nothing is written before all of them are loaded and checked; until then a signal ends it at once. Later the first one
    ends it after the iteration in hand, with a checkpoint of every run, and a second one at once. Raises a `DivergedError`
    about those that have diverged when the others are done.
    """
    with alike(ranks):
        if ranks is not None and len(runs) > 1:
            raise InputError("several runs are trained side by side by one process; with torchrun give one run at a time")
    callbacks = callbacks or TrainingCallbacks()
    built: list[Run] | None = None

    def react(stop: Stop) -> None:
        callbacks.stopping(stop)
        if built is None or stop.times > 1:
            raise Interrupted(stop.number or 0)

    with signals_noted(react) as stop:
        try:
            with ExitStack() as held:
                built = _prepared(runs, material_of, callbacks, iterations, held, eager=eager, ranks=ranks)
                for run in built:
                    held.enter_context(run)
                callbacks.began(built)
                lost = _carry_out(built, stop, callbacks) if ranks is None else {}
                if ranks is not None:
                    _carry_out_with_others(built[0], stop, ranks)
        except Interrupted as signal:
            return signal.number
        except DivergedError:  # of several processes all come here
            with alike(ranks):
                raise
    if lost and (stop.number is None or len(lost) == len(runs)):
        raise DivergedError(lost)
    return stop.number


def _prepared(
    runs: Sequence[tuple[Path, RunConfig | None]],
    material_of: Callable[[RunConfig], RunData],
    callbacks: TrainingCallbacks,
    iterations: int | None,
    held: ExitStack,
    *,
    eager: bool,
    ranks: Ranks | None,
) -> list[Run]:
    """Return the runs, loaded and checked, their folders `held` by whoever writes in them."""
    about = {} if ranks is None else about_software()
    with alike(ranks, about):
        new = [path for path, _ in runs if not is_begun(path)]
        mine = [path for path, _ in runs] if ranks is None or ranks.writes else []
        for path in mine:
            if path not in new:  # before its checkpoint is read
                held.enter_context(alone_in(path))
        opened = [(path, open_run(path, config)) for path, config in runs]
        with uncollected():
            built = [
                Run(path, config, material_of(config), callbacks.progress(path), iterations, eager=eager, ranks=ranks)
                for path, config in opened
            ]
        for path in set(new) & set(mine):
            held.enter_context(alone_in(path))
            if is_begun(path):
                raise InputError(f"{path}: another process has begun this run meanwhile; the same command goes on with it")
        for run in built:
            about.update(run.about())
    return built


def _carry_out(runs: Sequence[Run], stop: Stop, callbacks: TrainingCallbacks) -> dict[Path, str]:
    """Advance the runs in turn until all are done, each as fast as it can, or until somebody asks to stop; those that have
    diverged, with a line about each."""
    lost: dict[Path, str] = {}

    def each_of(some: Iterable[Run], work: Callable[[Run], None]) -> None:
        for run in some:
            try:
                work(run)
            except DivergedError as error:
                lost[run.path] = str(error)
                callbacks.diverged(run.path, str(error))

    def left() -> list[Run]:
        return [run for run in runs if run.path not in lost]

    while stop.number is None and (active := [run for run in left() if run.active]):
        ready = [run for run in active if run.ready]
        each_of(ready, lambda run: run.advance(stop) if stop.number is None else None)
        if not ready:
            time.sleep(PAUSE)
    if stop.number is not None:
        each_of(left(), lambda run: run.save())
    each_of(left(), lambda run: run.finish())
    return lost


def _carry_out_with_others(run: Run, stop: Stop, ranks: Ranks) -> None:
    """Advance a run in step with the other processes until all are done with it, or somebody asks one of them to stop."""
    while True:
        while not run.ready:
            time.sleep(PAUSE)
        anybody = ranks.agree(stop, run.active)
        if stop.number is not None or not anybody:
            break
        if run.active:
            run.advance(stop)
    if stop.number is not None:
        run.save()


class _LoadedData:
    """What runs work on, each thing loaded once."""

    def __init__(self, device: torch.device | str, cache: Room | None = None) -> None:
        self._device, self._cache = device, cache
        self._known: dict[tuple[str, str, str, str, Vocabulary | None], RunData] = {}

    def of(self, config: RunConfig) -> RunData:
        key = config.world, config.features, config.forward, config.tasks, first_words(config)
        if key not in self._known:
            seen = None if TEXT in config.features.split(",") else self._seen(*key[:3])
            if seen is None:
                self._known[key] = RunData.load(config, self._device, cache=self._cache)
            else:
                self._known[key] = replace(seen, dataset=dataset_of(config))
        return self._known[key]

    def _seen(self, *seen: str) -> RunData | None:
        """Return the same world with the same features, which are no words of a data set, and the same `forward`."""
        return next((each for key, each in self._known.items() if key[:3] == seen), None)
