"""Runs experiments of the paper in a folder, or goes on with them, and says where the report is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from vnla.common.errors import InputError
from vnla.common.machine import workers_for
from vnla.experiments.paper.experiments import Experiments, layout_of
from vnla.experiments.paper.presets import Preset
from vnla.experiments.paper.reporting import Contents, Source
from vnla.houses.matterport import find_buildings
from vnla.pipeline.cluster import LOCAL, RayExecutor
from vnla.pipeline.executor import Executor
from vnla.pipeline.progress import shown
from vnla.pipeline.scheduler import run_stages
from vnla.pipeline.sharing import Sharing
from vnla.pipeline.stages import Stage
from vnla.training.config import SYMBOLIC
from vnla.vision.store import store_path


def run_experiments(
    out: Path,
    preset: Preset,
    contents: Contents,
    *,
    command: str,
    console: Console,
    world: Path | None = None,
    seed: int = 0,
    device: str = "cpu",
    cores: int | None = None,
    threads: int | None = None,
    begins: Callable[[int], None] = lambda _: None,
    sharing: Sharing | None = None,
    cluster: str | None = None,
) -> Source:
    """Carry out every stage that is not done yet; from what is returned the tables can be read.

    `world` is an existing world with features, instead of one that is generated. `seed` is of houses, data sets and
    trainings. Each training and evaluation computes with so many `threads`; by default trainings share the `cores`.
    `begins` is called with the threads of a training when nothing was wrong with what was given. With `sharing` only what
    falls to this machine is carried out; a `cluster` does it elsewhere, where it has the address of one.
    """
    if world is not None:
        check_world(world, preset)
    if is_elsewhere(cluster):
        out, world = out.absolute(), world and world.absolute()
    preset = replace(preset, training=replace(preset.training, seed=seed))
    source = Source(layout_of(out, world), preset, command, device)
    with place_of_work(cluster, sharing, cores, threads) as place:
        experiments = Experiments(
            source, contents, seed=seed, device=device, cores=place.cores, threads=threads, pieces=place.pieces
        )
        stages, each = experiments.stages(), experiments.works.division.threads
        begins(each)
        place.run_stages(stages, out, console, command, each, device)
    return source


@dataclass(frozen=True)
class Place:
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
def place_of_work(cluster: str | None, sharing: Sharing | None, cores: int | None, threads: int | None) -> Iterator[Place]:
    """Where stages are carried out, for the length of the block."""
    if cluster is None or not is_elsewhere(cluster):
        yield Place(cores_for(threads, cores), 1 if sharing is None else sharing.pieces, None, sharing)
        return
    if sharing is not None:
        raise InputError(f"--cluster {cluster}: a cluster shares the work by itself; leave --shard out")
    with RayExecutor(cluster, cores) as executor:
        yield Place(cores_for(threads, executor.cores_of_one), executor.machines, executor)


def is_elsewhere(cluster: str | None) -> bool:
    """Whether stages are carried out by other machines, which know nothing of the folder that this process is in."""
    return cluster not in (None, LOCAL)


def cores_for(threads: int | None, cores: int | None) -> int:
    """The cores to work on, all of them unless it is said, which have to be enough for the threads of one training."""
    cores = workers_for(cores)
    if threads is not None and threads > cores:
        raise InputError(f"{threads} threads: there are {cores} cores to work on; give fewer threads or more cores")
    return cores


def check_world(world: Path, preset: Preset) -> None:
    """That a world is there, with the features that the preset wants."""
    try:
        find_buildings(world)
    except InputError:
        raise InputError(f"{world}: there is no world at this path; make one with `vnla world make {world}`") from None
    if preset.features == SYMBOLIC or store_path(world, preset.store).is_dir():
        return
    make = f"`vnla features make {world} --encoder {preset.features}`"
    if preset.reduced is not None:
        make += f" and then `vnla features reduce {world} --encoder {preset.features} --size {preset.reduced}`"
    raise InputError(f"{world}: has no features {preset.store}; {make} makes them")
