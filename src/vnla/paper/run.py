"""Runs experiments of the paper in a folder, or goes on with them, and says where the report is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from rich.console import Console

from vnla.common.errors import InputError
from vnla.common.machine import cores_here
from vnla.paper.experiments import Experiments, layout_of
from vnla.paper.foreman import carry_out
from vnla.paper.presets import Preset
from vnla.paper.progress import shown
from vnla.paper.reporting import Contents, Source
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
) -> Source:
    """Carry out every stage that is not done yet; from what is returned the tables can be read.

    `world` is an existing world with features, instead of one that is generated. `seed` is of houses, data sets and
    trainings.
    """
    if world is not None and preset.features != "symbolic" and not store_path(world, preset.store).is_dir():
        raise InputError(f"{world}: has no features {preset.store}; make or import them with `vnla features`")
    cores = cores or cores_here()
    preset = replace(preset, training=replace(preset.training, seed=seed))
    source = Source(layout_of(out, world), preset, command, device)
    stages = Experiments(source, contents, seed=seed, device=device, cores=cores).stages()
    with shown(stages, console) as audience:
        carry_out(stages, out, audience, cores)
    return source
