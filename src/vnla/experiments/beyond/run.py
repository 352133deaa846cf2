"""Carries out a comparison in a folder, or goes on with it, and says where the report is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from vnla.common.errors import InputError
from vnla.experiments.beyond.experiments import BESIDE, Comparison
from vnla.experiments.beyond.reporting import Source
from vnla.experiments.beyond.results import Layout, Plan
from vnla.experiments.paper.run import check_world, is_elsewhere, place_of_work
from vnla.houses.folder import read_manifest
from vnla.pipeline.sharing import Sharing
from vnla.training.config import SYMBOLIC


def run_comparison(
    out: Path,
    plan: Plan,
    *,
    command: str,
    console: Console,
    world: Path | None = None,
    device: str = "cpu",
    cores: int | None = None,
    threads: int | None = None,
    beside: int = BESIDE,
    begins: Callable[[int], None] = lambda _: None,
    sharing: Sharing | None = None,
    cluster: str | None = None,
) -> Source:
    """Carry out every stage that is not done yet; from what is returned the tables can be read.

    What is given is as `vnla.experiments.paper.run.run_experiments` has it; on a GPU at most so many trainings run `beside`
    each other.
    """
    if world is not None:
        check_world(world, plan.preset)
    if plan.fresh:
        _check_fresh(world, plan)
    if is_elsewhere(cluster):
        out, world = out.absolute(), world and world.absolute()
    source = Source(Layout(out, world or out / "world"), plan, command, device)
    with place_of_work(cluster, sharing, cores, threads) as place:
        comparison = Comparison(
            source, device=device, cores=place.cores, threads=threads, beside=beside, pieces=place.pieces
        )
        stages, each = comparison.stages(), comparison.works.division.threads
        begins(each)
        place.run_stages(stages, out, console, command, each, device)
    return source


def _check_fresh(world: Path | None, plan: Plan) -> None:
    """That fresh houses can be like the others, and look like them."""
    if plan.preset.features == SYMBOLIC:
        raise InputError(f"fresh houses: {SYMBOLIC} features differ from world to world; give --fresh 0")
    if world is not None and read_manifest(world).get("source") != "generated":
        raise InputError(f"fresh houses: {world} was not generated, and houses like its own cannot be; give --fresh 0")
