"""`vnla episodes`: what agents, teachers and people did, as data sets for other programs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vnla.cli.console import telling
from vnla.cli.options import (
    CheckpointOption,
    DeviceOption,
    ForwardOption,
    RatioOption,
    TasksOption,
    ThreadsOption,
    given_of,
    names_in,
    takes_options,
)
from vnla.common.errors import InputError
from vnla.common.files import vacant
from vnla.common.options import option, refuse

if TYPE_CHECKING:
    from vnla.recordings.sources import EpisodeSource

app = typer.Typer(help="Episodes as data sets for other programs.", no_args_is_help=True)


class Format(StrEnum):
    """What is written."""

    MINARI = "minari"
    PARQUET = "parquet"
    JSON = "json"


@app.callback()
def _group() -> None:
    pass


@dataclass(frozen=True)
class SourceOptions:
    """Which episodes."""

    world: Annotated[
        Path | None, typer.Option(metavar="DIR", help="World; for a run, where its world is now.", show_default=False)
    ] = None
    tasks: TasksOption = None
    split: str | None = option(
        None, "Which split. [default: for a run test_unseen, for the teacher train, for a file its own]", metavar="NAME"
    )
    limit: int | None = option(None, "Only this many episodes: a random sample, always the same one. [default: all]", min=1)
    seed: int | None = option(None, "Seed of the help budgets. [default: for a run and the teacher 123]")
    ratio: RatioOption = None
    checkpoint: CheckpointOption = None
    forward: ForwardOption = None
    device: DeviceOption = None

    def source(self, given: str) -> EpisodeSource:
        """Return whatever a person named."""
        from vnla.agents import pretrained
        from vnla.common.machine import device_named
        from vnla.evaluation.contest import RESULTS
        from vnla.evaluation.evaluate import SEEDS
        from vnla.recordings.sources import TEACHER, of_results, of_run, of_teacher
        from vnla.training.checkpoints import CONFIG
        from vnla.world.forward import INFORMED

        path, world, tasks = Path(given), self.world, self.tasks
        drawn = SEEDS[0] if self.seed is None else self.seed
        if (path / CONFIG).is_file() or pretrained.is_meant(given):
            return of_run(
                path, split=self.split or "test_unseen", limit=self.limit, seed=drawn,
                ratio=self.ratio, checkpoint=self.checkpoint, world=world, tasks=tasks, device=device_named(self.device),
                forward=self.forward,
            )  # fmt: skip
        if self.ratio is not None or self.checkpoint is not None:
            raise InputError(f"{given}: --ratio and --checkpoint are for runs")
        if given != TEACHER and not path.is_file() and not (path / RESULTS).is_file():
            raise InputError(f"{given}: is neither a run, a results file, the export of a study, nor: {TEACHER}")
        if world is None or tasks is None:
            raise InputError(f"{given}: say in which --world and with which --tasks")
        if given == TEACHER and not path.exists():
            return of_teacher(
                world, tasks, split=self.split or "train", limit=self.limit, seed=drawn, forward=self.forward or INFORMED
            )
        if self.forward is not None:
            raise InputError(f"{given}: --forward is for runs and the teacher; a file says itself")
        return of_results(path, world, tasks, split=self.split, limit=self.limit, seed=self.seed)


@dataclass(frozen=True)
class SeenOptions:
    """What is written of what an agent sees."""

    observations: str = option("tokens,poses", "tokens, poses, features, pictures, separated by commas.", metavar="KINDS")
    features: str | None = option(None, "Which features, e.g. symbolic. [default: the world's]", metavar="NAMES")
    size: str = option("160x120", "Size of pictures, 4:3.", metavar="WxH")


@app.command()
@takes_options()
def export(
    context: typer.Context,
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE", help="A run's folder, a results file, the export of a study, or: teacher, pretrained."
        ),
    ],
    form: Annotated[Format, typer.Option("--format", help="A Minari data set, Parquet with a card, or the authors' JSON.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="New folder for the data set.")],
    *,
    options: SourceOptions,
    seen: SeenOptions,
    threads: ThreadsOption = None,
) -> None:
    """Write episodes as a data set that other programs read.

    The folder is either complete or absent: after an interruption the same command starts over.

    Example: vnla episodes export teacher --world worlds/small --tasks tasks/small --format minari --out data/teacher

    Example: vnla episodes export runs/learned --format parquet --observations tokens,poses,pictures --out data/learned
    """
    from vnla.common.machine import use_threads
    from vnla.recordings.authors import write_authors
    from vnla.recordings.minari import write_minari
    from vnla.recordings.observing import Observer, kinds_in
    from vnla.recordings.parquet import write_parquet

    if form is Format.JSON:
        refuse(given_of(context, names_in(SeenOptions)), ": the authors' JSON holds poses alone; try --format parquet")
    use_threads(threads)
    vacant(out)
    kinds, pixels = kinds_in(seen.observations), _size(seen.size)
    with telling() as tell:
        tell(f"loading {source}")
        found = options.source(source)
        progress = partial(tell, f"writing {found.split}")
        progress(0, found.count)
        if form is Format.JSON:
            written = f"{write_authors(out, found, progress)}"
        else:
            observer = Observer(found, kinds, seen.features, pixels)
            if form is Format.MINARI:
                name = write_minari(out, found, observer, progress)
                written = f"MINARI_DATASETS_PATH={out.absolute()}, minari.load_dataset({name!r})"
            else:
                written = f"{write_parquet(out, found, observer, _command(source, kinds), progress)}"
    typer.echo(f"{found.count:,} episodes of {found.split}: {written}")


def _command(source: str, kinds: tuple[str, ...]) -> str:
    name = source if source == "teacher" else Path(source).name
    return f"vnla episodes export {name} --format parquet --observations {','.join(kinds)}"


def _size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,4})x(\d{1,4})", text)
    if match is None or not int(match[1]) or not int(match[2]):
        raise InputError(f"--size {text}: expected width and height, such as 160x120")
    return int(match[1]), int(match[2])
