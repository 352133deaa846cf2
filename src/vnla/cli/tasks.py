"""`vnla tasks`: the data sets AskNav and NoRoom, made for any world and put into numbers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import Progress

from vnla.cli.console import LARGEST_SEED, plain, print_json, progress_bar
from vnla.cli.options import JsonOption, takes_options
from vnla.cli.sharing import ShardOption, say_part
from vnla.common import files
from vnla.common.options import option
from vnla.houses.folder import WorldFolder, read_world
from vnla.report.printing import Table

if TYPE_CHECKING:
    from vnla.houses.house import House
    from vnla.pipeline.shards.parts import ShardParts
    from vnla.pipeline.shards.shard import Shard
    from vnla.tasks.generate import Generated
    from vnla.tasks.making import Made
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


@dataclass(frozen=True)
class DatasetOptions:
    """What data set is made."""

    task: TaskName = option(TaskName.asknav, "Which data set.")
    seed: int = option(0, "The same seed gives the same files.", min=0, max=LARGEST_SEED)
    size: int | None = option(
        None,
        "Minimum number of points of each dev and test set. [default: 5000, or fewer in a small world]",
        min=0,
    )
    splits: Path | None = option(
        None, "JSON with the buildings of train, dev and test. [default: the world's own]", metavar="FILE"
    )
    fewest: int = option(5, "Leave out labels that occur less often in the world.", min=1)
    most_train: int | None = option(
        None,
        "Keep a random sample of N training points; 0 keeps all. [default: all; in a generated world of the preset "
        "paper as many as the paper has]",
        metavar="N",
        min=0,
    )
    starts: int | None = option(
        None, "Maximum number of start viewpoints. [default: AskNav 5, NoRoom 12]", metavar="N", min=1
    )
    per: PerName | None = option(
        None, "Whether --starts counts for each room or for each object of a bucket. [default: AskNav room, NoRoom object]"
    )
    compress: Annotated[bool, typer.Option("--gzip", help="Write .json.gz files.")] = False

    def recipe(self) -> DatasetRecipe:
        """How its points are made."""
        from vnla.tasks.recipes import RECIPES, Per

        recipe = RECIPES[self.task.value]
        return replace(recipe, starts=self.starts or recipe.starts, per=Per(self.per.value) if self.per else recipe.per)

    def make(self, world: WorldFolder, out: Path, progress: Progress, parts: ShardParts | None = None) -> Made:
        """Make it for a world, of what shards have worked out if there are `parts`."""
        from vnla.pipeline.shards.tasks import WorkedByShards
        from vnla.tasks.making import Tracks, make_dataset

        recipe = self.recipe()
        tracks = Tracks(
            houses=lambda houses: progress.track(houses, description="making points"),
            points=lambda places, name: progress.track(places, description=f"writing {name}"),
        )
        return make_dataset(
            world,
            out,
            recipe,
            seed=self.seed,
            size=self.size,
            splits=self.splits,
            fewest=self.fewest,
            most_train=self.most_train,
            compress=self.compress,
            tracks=tracks,
            worked=None if parts is None else WorkedByShards(parts, world.houses, recipe),
        )


@app.command("make", epilog="Example: vnla tasks make worlds/small tasks/small --task asknav --seed 1")
@takes_options()
def make(
    world: Annotated[Path, typer.Argument(metavar="WORLD", help="A world folder, or a folder of Matterport3D files.")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The data set folder to make; it must not exist yet.")],
    *,
    options: DatasetOptions,
    shard: ShardOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make AskNav or NoRoom for a world, as section 5 and the appendix of the paper describe.

    With --shard i/n it makes the points of a share of the houses in OUT.shards; --shard merge makes the data set from all
    shares.
    """
    files.vacant(out)
    from vnla.pipeline.shards.shard import MERGE, Shard
    from vnla.pipeline.shards.tasks import task_parts

    own = None if shard in (None, MERGE) else Shard.parse(shard)
    with progress_bar() as progress:
        folder = read_world(world, partial(progress.track, description="reading"))
        recipe = options.recipe()
        parts = None if shard is None else task_parts(out, folder, recipe, seed=options.seed, fewest=options.fewest)
        if parts is not None and own is not None:
            _make_part(parts, own, folder.houses, recipe, progress, as_json)
            return
        made = options.make(folder, out, progress, parts)
    if parts is not None:
        parts.remove()
    notes = _notes(made.points, made.parts.source)
    if as_json:
        print_json({"out": str(out), "notes": notes, **made.manifest})
    else:
        _print_made(out, made.points, made.manifest, notes)


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
        Path | None, typer.Option(metavar="DIR", help="Folder for figures and numbers. [default: OUT/statistics]")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Print a data set's splits beside the paper's, and draw the figures of the paper's appendix for it (PNG and JSON)."""
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
