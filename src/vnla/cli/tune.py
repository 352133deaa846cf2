"""`vnla tune`: the options of a run's help policy, chosen on a dev set."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vnla.cli.console import plain, telling
from vnla.cli.options import DeviceOption, FoundOption, OneCheckpointOption, ThreadsOption, takes_options
from vnla.common.errors import InputError
from vnla.common.files import writable, write_text
from vnla.common.options import option
from vnla.common.outside import is_real
from vnla.common.registry import options_of
from vnla.report.printing import Table

if TYPE_CHECKING:
    from vnla.evaluation.tuning import TriedOptions


@dataclass(frozen=True)
class TuneOptions:
    """Whose options are chosen, and on what."""

    help_policy: str | None = option(
        None, "threshold, entropy, valued, or package.module:Class. [default: the run's]", metavar="NAME"
    )
    grid: list[str] | None = option(
        None,
        "Values of an option to try, e.g. threshold=0.4,0.8, in place of the policy's own; may be repeated.",
        metavar="NAME=VALUES",
    )
    split: str = option("val_unseen", "Which dev set: val_seen or val_unseen.", metavar="NAME")
    checkpoint: OneCheckpointOption = "val_unseen"
    limit: int | None = option(
        None, "Use at most this many tasks, taken evenly from the whole data set. [default: all]", min=1
    )
    seeds: int = option(1, "How many of the authors' five seeds to use.", min=1, max=5)
    device: DeviceOption = None


@takes_options()
def tune(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.")],
    *,
    options: TuneOptions,
    as_json: FoundOption = None,
    threads: ThreadsOption = None,
) -> None:
    """Choose the options of a run's help policy by success on a dev set: a threshold, a margin, or what --grid names.

    The choice is kept in asking.json in the run's folder, and applies wherever the run's agent is used.

    Example: vnla tune runs/learned --help-policy threshold

    Example: vnla tune runs/learned --help-policy entropy --grid threshold=0.4,0.8,1.2

    Example: vnla tune runs/valued --limit 1000 --seeds 2
    """
    from vnla.common.machine import device_named, use_threads
    from vnla.training.checkpoints import TUNED, VALIDATION
    from vnla.training.tuned import tune_run

    use_threads(threads)
    if options.split not in VALIDATION:
        raise InputError(f"split {options.split}: is no dev set; choose from {', '.join(VALIDATION)}")
    grid = _grid(options.grid or [])
    places = [writable(place) for place in (run / TUNED, as_json) if place]
    with telling() as tell:
        tell(f"loading {run}")
        best, tried, text = tune_run(
            run,
            help_policy=options.help_policy,
            grid=grid,
            split=options.split,
            checkpoint=options.checkpoint,
            limit=options.limit,
            seeds=options.seeds,
            device=device_named(options.device),
            command=_command(run, options),
            progress=partial(tell, "evaluating settings"),
        )
    for place in places:
        write_text(place, text)
    plain().print(_table(best, tried))
    typer.echo(f"kept in {places[0]}")


def _grid(texts: Sequence[str]) -> dict[str, list[float]]:
    """Return the values to try of each option."""
    grid = {}
    for text in texts:
        name, _, values = text.partition("=")
        found = [options_of([f"{name}={value}"], "--grid")[name.strip()] for value in filter(None, values.split(","))]
        if not found or not all(map(is_real, found)):
            raise InputError(f"--grid {text!r}: expected an option with numbers to try, e.g. threshold=0.4,0.8")
        grid[name.strip()] = list(dict.fromkeys(found))
    return grid


def _command(run: Path, options: TuneOptions) -> str:
    """Return the command that chooses the same again, on whatever device."""
    given = [("--help-policy", options.help_policy), *(("--grid", each) for each in options.grid or [])]
    given += [(f"--{name}", getattr(options, name)) for name in ("split", "checkpoint", "limit", "seeds")]
    return shlex.join(["vnla", "tune", str(run), *(str(word) for pair in given if pair[1] is not None for word in pair)])


def _table(best: TriedOptions, tried: Sequence[TriedOptions]) -> Table:
    """Return what was tried, with a mark at what was chosen."""
    table = Table(*best.options, "success, %", "requests", "")
    for each in tried:
        values = [f"{value:g}" for value in each.options.values()]
        table.add_row(*values, f"{each.score.success:.1f}", f"{each.score.requests:.2f}", "chosen" if each is best else "")
    return table
