"""`vnla tasks`: the data sets AskNav and NoRoom, made for any world and put into numbers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import Progress

from vnla.cli.console import LARGEST_SEED, plain, print_json, progress_bar
from vnla.cli.options import JsonOption
from vnla.cli.sharing import ShardOption, say_part
from vnla.common import files
from vnla.houses.folder import WorldFolder, read_world
from vnla.houses.matterport import BuildingFiles
from vnla.report.printing import Table

if TYPE_CHECKING:
    from vnla.houses.house import House
    from vnla.pipeline.shards.parts import ShardParts
    from vnla.pipeline.shards.shard import Shard
    from vnla.tasks.generate import Generated
    from vnla.tasks.making import Tracks
    from vnla.tasks.recipes import DatasetRecipe
    from vnla.tasks.statistics import SplitStatistics

app = typer.Typer(help="Data sets AskNav and NoRoom: make, stats.", no_args_is_help=True)

_FAR_ABOVE = 1.5  # times the paper's training set: worth a word


class TaskName(StrEnum):
    """The data sets of the paper."""

    asknav = "asknav"
    noroom = "noroom"


class PerName(StrEnum):
    """What start viewpoints are counted for."""

    room = "room"
    object = "object"


@app.command("make", epilog="Example: vnla tasks make worlds/small tasks/small --task asknav --seed 1")
def make(
    world: Annotated[Path, typer.Argument(metavar="WORLD", help="A world folder, or a folder of Matterport3D files.")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The data set folder to make; it must not exist yet.")],
    task: Annotated[TaskName, typer.Option(help="Which data set.")] = TaskName.asknav,
    seed: Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help="The same seed gives the same files.")] = 0,
    size: Annotated[
        int | None,
        typer.Option(
            min=0, help="Least points of each dev and test set. [default: 5000, or as many as leave most for training]"
        ),
    ] = None,
    splits: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="JSON with the buildings of train, dev and test. [default: the world's own]"),
    ] = None,
    fewest: Annotated[int, typer.Option(min=1, help="Leave out labels that occur less often in the world.")] = 5,
    most_train: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="Keep a random sample of N training points; 0 keeps all. [default: all; in a generated world of the preset "
            "paper as many as the paper has]",
        ),
    ] = None,
    starts: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Most start viewpoints. [default: AskNav 5, NoRoom 12]")
    ] = None,
    per: Annotated[
        PerName | None,
        typer.Option(help="What --starts counts for in each bucket. [default: AskNav room, NoRoom object]"),
    ] = None,
    compress: Annotated[bool, typer.Option("--gzip", help="Write .json.gz files.")] = False,
    shard: ShardOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make AskNav or NoRoom for a world, as section 5 and the appendix of the paper describe.

    With --shard i/n it works out the points of a part of the houses, in OUT.shards, and with --shard merge it makes the data
    set of all parts.
    """
    files.vacant(out)
    from vnla.pipeline.shards.shard import MERGE, Shard
    from vnla.pipeline.shards.tasks import WorkedByShards, task_parts
    from vnla.tasks.making import make_dataset

    own = None if shard in (None, MERGE) else Shard.parse(shard)
    recipe = recipe_of(task, starts, per)
    with progress_bar() as progress:
        folder = _read(world, progress)
        parts = None if shard is None else task_parts(out, folder, recipe, seed=seed, fewest=fewest)
        if parts is not None and own is not None:
            _make_part(parts, own, folder.houses, recipe, progress, as_json)
            return
        made = make_dataset(
            folder,
            out,
            recipe,
            seed=seed,
            size=size,
            splits=splits,
            fewest=fewest,
            most_train=most_train,
            compress=compress,
            tracks=tracks_of(progress),
            worked=None if parts is None else WorkedByShards(parts, folder.houses, recipe),
        )
    if parts is not None:
        parts.remove()
    points, manifest = made.points, made.manifest
    notes = _notes(points, made.parts.source)
    if as_json:
        print_json({"out": str(out), "notes": notes, **manifest})
    else:
        _print_made(out, points, manifest, notes)


def recipe_of(task: TaskName, starts: int | None, per: PerName | None) -> DatasetRecipe:
    """How the points of a data set are made."""
    from vnla.tasks.recipes import RECIPES, Per

    recipe = RECIPES[task.value]
    return replace(recipe, starts=starts or recipe.starts, per=Per(per.value) if per else recipe.per)


def tracks_of(progress: Progress) -> Tracks:
    """Bars for the houses and the points of a data set."""
    from vnla.tasks.making import Tracks

    return Tracks(
        houses=lambda houses: progress.track(houses, description="making points"),
        points=lambda places, name: progress.track(places, description=f"writing {name}"),
    )


def _make_part(
    parts: ShardParts, shard: Shard, houses: Sequence[House], recipe: DatasetRecipe, progress: Progress, as_json: bool
) -> None:
    """Work out the points of a shard's houses."""
    from vnla.pipeline.shards.tasks import make_part, share_of

    bar = progress.add_task("making points", total=share_of(shard, houses))
    count, new = make_part(parts, shard, houses, recipe, lambda more: progress.advance(bar, more))
    progress.stop()
    say_part(parts, shard, {"houses": count}, new, as_json)


@app.command("stats", epilog="Example: vnla tasks stats tasks/small")
def stats(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="A data set folder, or one with the authors' files.")],
    task: Annotated[TaskName | None, typer.Option(help="Which data set, where the folder has both.")] = None,
    figures: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where figures and numbers go. [default: OUT/statistics]")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Print a data set's splits beside the paper's, and draw the appendix's figures of it (PNG, and their data as JSON)."""
    from vnla.report.task_figures import figures as drawn
    from vnla.tasks.dataset import read_dataset
    from vnla.tasks.statistics import PAPER, dataset_statistics

    dataset = read_dataset(out, None if task is None else task.value)
    splits = dataset_statistics(dataset)
    report = {
        "task": dataset.task,
        "splits": {split: asdict(each) for split, each in splits.items()},
        "paper": {split: size._asdict() for split, size in PAPER[dataset.task].items()},
    }
    folder = out / "statistics" if figures is None else figures
    for name, image in drawn(splits).items():
        files.write_bytes(folder / f"{name}.png", image)
    files.write_text(folder / "statistics.json", json.dumps(report, indent=2) + "\n")
    if as_json:
        print_json(report)
    else:
        _print_statistics(out, dataset.task, splits)
        plain().print(f"figures and their data are in {folder}", soft_wrap=True)


def _read(path: Path, progress: Progress) -> WorldFolder:
    def track(buildings: Sequence[BuildingFiles]) -> Iterable[BuildingFiles]:
        return progress.track(buildings, description="reading")

    return read_world(path, track)


def _notes(made: Generated, source: str) -> list[str]:
    """What whoever made the data set should know."""
    from vnla.tasks.generate import UNSEEN
    from vnla.tasks.statistics import PAPER

    notes = [f"buildings are split by {source}"]
    paper = PAPER[made.recipe.name]["train"].points
    points = len(made.splits["train"])
    if points > _FAR_ABOVE * paper:
        notes.append(f"training has {points:,} points, the paper's has {paper:,}; --most-train {paper} keeps as many")
    for split, part in UNSEEN.items():
        if not made.splits[split]:
            notes.append(f"{split} is empty: the {part} buildings have no valid data point")
    return notes


def _print_made(out: Path, made: Generated, manifest: dict[str, Any], notes: Sequence[str]) -> None:
    table = Table("split", "points", "goals", "buildings", title=f"{made.recipe.name} in {out}", title_justify="left")
    for split, counts in manifest["splits"].items():
        table.add_row(split, *(f"{counts[name]:,}" for name in ("points", "goals", "buildings")))
    table.add_section()
    table.add_row("not used", f"{made.unused:,}")
    for column in table.columns[1:]:
        column.justify = "right"
    console = plain()
    console.print(table)
    left_out = ", ".join(f"{count:,} {reason}" for reason, count in made.left_out.most_common())
    if left_out:
        console.print(f"objects left out: {left_out}", soft_wrap=True)
    for note in notes:
        console.print(f"note: {note}", soft_wrap=True)


def _print_statistics(out: Path, task: str, splits: dict[str, SplitStatistics]) -> None:
    from vnla.tasks.statistics import LONG, PAPER, PAPER_LONG_SHARE

    table = Table(
        "split",
        "points\nhere",
        "\npaper",
        "goals\nhere",
        "\npaper",
        "mean\nactions",
        f"{LONG} or\nmore",
        title=f"{task} in {out}",
        title_justify="left",
    )
    for split, each in splits.items():
        paper = PAPER[task][split]
        mean = "·" if each.mean_actions is None else f"{each.mean_actions:.1f}"
        share = "·" if each.long_share is None else f"{each.long_share:.0%}"
        table.add_row(
            split,
            f"{each.points:,}",
            f"{paper.points:,}",
            f"{each.goals:,}",
            f"{paper.goals:,}",
            mean,
            share,
        )
    table.columns[0].no_wrap = True
    for column in table.columns[1:]:
        column.justify = "right"
    console = plain()
    console.print(table)
    if task == TaskName.asknav:
        console.print(f"in the paper about {PAPER_LONG_SHARE:.0%} of paths need {LONG} actions or more", soft_wrap=True)
