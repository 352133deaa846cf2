"""Runs experiments of the paper in a folder, or goes on with them, and says where the report is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from vnla.common.errors import InputError
from vnla.common.machine import cores_here
from vnla.houses.matterport import find_buildings
from vnla.paper.experiments import Experiments, layout_of
from vnla.paper.foreman import carry_out
from vnla.paper.presets import Preset
from vnla.paper.progress import shown
from vnla.paper.reporting import Contents, Source
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
) -> Source:
    """Carry out every stage that is not done yet; from what is returned the tables can be read.

    `world` is an existing world with features, instead of one that is generated. `seed` is of houses, data sets and
    trainings. Each training and evaluation computes with so many `threads`; by default trainings share the `cores`.
    `begins` is called with the threads of a training when nothing was wrong with what was given.
    """
    if world is not None:
        check_world(world, preset)
    cores = cores_for(threads, cores)
    preset = replace(preset, training=replace(preset.training, seed=seed))
    source = Source(layout_of(out, world), preset, command, device)
    experiments = Experiments(source, contents, seed=seed, device=device, cores=cores, threads=threads)
    stages = experiments.stages()
    begins(experiments.works.division.threads)
    with shown(stages, console) as audience:
        carry_out(stages, out, audience, cores)
    return source


def cores_for(threads: int | None, cores: int | None) -> int:
    """The cores to work on, all of them unless it is said, which have to be enough for the threads of one training."""
    cores = cores or cores_here()
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
