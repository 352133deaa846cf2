"""The small world that comes with the package, where a command is given no world: it is used, and that is said."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from vnla.common.errors import InputError

if TYPE_CHECKING:
    from vnla.training.trained import Trained


def embedded_places() -> tuple[Path, Path]:
    """Return the world and the tasks that come with the package, and say that they are used."""
    from vnla.experiments.embedded import embedded_world

    found = embedded_world()
    typer.echo(f"note: no world was named, so this is the small world that comes with vnla: {found.world}", err=True)
    return found


def is_small(world: Path | None) -> bool:
    """Return whether a person who names this world means the one that comes with the package."""
    from vnla.experiments.embedded import NAME

    return str(world) == NAME and not Path(NAME).exists()


def places_or_embedded(who: str, world: Path | None, tasks: Path | None) -> tuple[Path, Path]:
    """Return a world and tasks that were given; what is missing is embedded, if the other may go with it."""
    from vnla.experiments.embedded import embedded_world, is_embedded

    if world is None and tasks is None:
        return embedded_places()
    if world is None or tasks is None:
        if world is None or not is_embedded(world):
            missing, there = ("--world", "--tasks") if world is None else ("--tasks", "--world")
            raise InputError(f"{who}: say which {missing} goes with {there}, or leave both out")
        tasks = embedded_world().tasks
    return world, tasks


def open_run(
    run: Path, *, world: Path | None = None, tasks: Path | None = None, device: str = "cpu", forward: str | None = None
) -> Trained:
    """Return a trained agent; one of the package walks in the embedded world unless told otherwise."""
    from vnla.agents import pretrained
    from vnla.training.trained import open_trained

    if pretrained.is_meant(run):
        world, tasks = places_or_embedded(f"the {run} agent", world, tasks)
    return open_trained(run, world=world, tasks=tasks, device=device, forward=forward)
