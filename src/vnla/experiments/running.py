"""Carries out the stages of experiments in a folder, or goes on with them: here, shared with others, or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Required, TypedDict

from rich.console import Console

from vnla.common.errors import InputError
from vnla.common.machine import workers_for
from vnla.experiments.presets import ExperimentPreset
from vnla.experiments.reporting import ExperimentReport
from vnla.experiments.works import Works
from vnla.houses.matterport import find_buildings
from vnla.pipeline.cluster import LOCAL, RayExecutor
from vnla.pipeline.executor import Executor
from vnla.pipeline.progress import shown
from vnla.pipeline.scheduler import run_stages
from vnla.pipeline.sharing import Sharing
from vnla.pipeline.stages import Stage
from vnla.training.config import SYMBOLIC
from vnla.vision.level import ALL, encoder_and_views
from vnla.vision.store import store_path


class RunOptions(TypedDict, total=False):
    """Where and how stages are carried out."""

    console: Required[Console]
    device: str
    cores: int | None
    threads: int | None
    """Of each training and evaluation; by default trainings share the `cores`."""
    begins: Callable[[int], None]
    """Is called with the threads of a training when nothing was wrong with what was given."""
    sharing: Sharing | None
    """With it only what falls to this machine is carried out."""
    cluster: str | None
    """Does the work elsewhere, where it has the address of one."""


class Stages(Protocol):
    """All stages of some experiments."""

    works: Works

    def stages(self) -> list[Stage]:
        """Return the stages, each after those that it builds on."""


def run_experiment_stages(make: Callable[[int, int], Stages], source: ExperimentReport, options: RunOptions) -> None:
    """Carry out every stage that is not done yet of what `make` makes, for so many cores and in so many pieces."""
    threads = options.get("threads")
    with place_of_work(options.get("cluster"), options.get("sharing"), options.get("cores"), threads) as runner:
        experiments = make(runner.cores, runner.pieces)
        stages, each = experiments.stages(), experiments.works.division.threads
        if "begins" in options:
            options["begins"](each)
        runner.run_stages(stages, source.layout.out, options["console"], source.command, each, source.device)


@dataclass(frozen=True)
class StageRunner:
    """Where stages are carried out: on so many cores of this machine, shared with others or not, or of each of a cluster."""

    cores: int
    pieces: int = 1
    executor: Executor | None = None
    sharing: Sharing | None = None

    def run_stages(
        self, stages: Sequence[Stage], out: Path, console: Console, command: str, threads: int, device: str
    ) -> None:
        """Carry out what is not done yet of all stages, or of those that fall to this machine, and show it."""
        if self.sharing is None:
            with shown(stages, console) as callbacks:
                run_stages(stages, out, callbacks, self.cores, executor=self.executor)
            return
        with self.sharing.taking(stages, out, command, threads, device) as own, shown(stages, console) as callbacks:
            run_stages(stages, out, callbacks, self.cores, only=own, patience=self.sharing.patience)


@contextmanager
def place_of_work(
    cluster: str | None, sharing: Sharing | None, cores: int | None, threads: int | None
) -> Iterator[StageRunner]:
    """Where stages are carried out, for the length of the block."""
    if cluster is None or not is_elsewhere(cluster):
        yield StageRunner(cores_for(threads, cores), 1 if sharing is None else sharing.pieces, None, sharing)
        return
    if sharing is not None:
        raise InputError(f"--cluster {cluster}: a cluster shares the work by itself; leave --shard out")
    with RayExecutor(cluster, cores) as executor:
        yield StageRunner(cores_for(threads, executor.machine_cores), executor.machines, executor)


def is_elsewhere(cluster: str | None) -> bool:
    """Whether stages are carried out by other machines, which know nothing of the folder that this process is in."""
    return cluster not in (None, LOCAL)


def cores_for(threads: int | None, cores: int | None) -> int:
    """The cores to work on, all of them unless it is said, which have to be enough for the threads of one training."""
    cores = workers_for(cores)
    if threads is not None and threads > cores:
        raise InputError(f"{threads} threads: there are {cores} cores to work on; give fewer threads or more cores")
    return cores


def check_world(world: Path, preset: ExperimentPreset) -> None:
    """That a world is there, with the features that the preset wants."""
    try:
        find_buildings(world)
    except InputError:
        raise InputError(f"{world}: there is no world at this path; make one with `vnla world make {world}`") from None
    encoder, views = encoder_and_views(preset.features)
    there = [preset.store] if preset.reduced else [preset.store, encoder]
    if encoder == SYMBOLIC or any(store_path(world, name).is_dir() for name in there):
        return
    make = f"`vnla features make {world} --encoder {encoder}{'' if views == ALL else f' --views {views}'}`"
    if preset.reduced is not None:
        make += f" and then `vnla features reduce {world} --encoder {preset.features} --size {preset.reduced}`"
    raise InputError(f"{world}: has no features {preset.store}; {make} makes them")
