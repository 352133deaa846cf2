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
from vnla.report.printing import Table

if TYPE_CHECKING:
    from vnla.evaluation.tuning import TriedOptions

DEV = ("val_seen", "val_unseen")


@dataclass(frozen=True)
class TuneOptions:
    """Whose options are chosen, and on what."""

    help_policy: str | None = option(
        None, "threshold, valued, or package.module:Class. [default: the run's]", metavar="NAME"
    )
    split: str = option("val_unseen", "Which dev set: val_seen or val_unseen.", metavar="NAME")
    checkpoint: OneCheckpointOption = "val_unseen"
    limit: int | None = option(None, "At most so many tasks, evenly from all of them. [default: all]", min=1)
    seeds: int = option(1, "How many of the authors' five seeds.", min=1, max=5)
    device: DeviceOption = None


@takes_options()
def tune(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.")],
    *,
    options: TuneOptions,
    as_json: FoundOption = None,
    threads: ThreadsOption = None,
) -> None:
    """Choose the options of a run's help policy by success on a dev set: a threshold, or the margin of valued.

    They are kept in asking.json in the run's folder, and whoever uses the run's agent takes them from there.

    Example: vnla tune runs/learned --help-policy threshold

    Example: vnla tune runs/valued --limit 1000 --seeds 2
    """
    from vnla.common.machine import device_named, use_threads
    from vnla.training.checkpoints import TUNED
    from vnla.training.tuned import tune_run

    use_threads(threads)
    if options.split not in DEV:
        raise InputError(f"split {options.split}: is no dev set; choose from {', '.join(DEV)}")
    places = [writable(place) for place in (run / TUNED, as_json) if place]
    names = ("help_policy", "split", "checkpoint", "limit", "seeds")
    given = {f"--{name.replace('_', '-')}": getattr(options, name) for name in names}
    words = [str(word) for name, value in given.items() if value is not None for word in (name, value)]
    with telling() as tell:
        tell(f"loading {run}")
        best, tried, text = tune_run(
            run,
            help_policy=options.help_policy,
            split=options.split,
            checkpoint=options.checkpoint,
            limit=options.limit,
            seeds=options.seeds,
            device=device_named(options.device),
            command=shlex.join(["vnla", "tune", str(run), *words]),
            progress=partial(tell, "evaluating settings"),
        )
    for place in places:
        write_text(place, text)
    plain().print(_table(best, tried))
    typer.echo(f"kept in {places[0]}")


def _table(best: TriedOptions, tried: Sequence[TriedOptions]) -> Table:
    """Return what was tried, with a mark at what was chosen."""
    table = Table(*best.options, "success, %", "requests", "")
    for each in tried:
        values = [f"{value:g}" for value in each.options.values()]
        table.add_row(*values, f"{each.score.success:.1f}", f"{each.score.requests:.2f}", "chosen" if each is best else "")
    return table
