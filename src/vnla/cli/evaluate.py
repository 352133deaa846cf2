"""`vnla evaluate`: how well a trained agent does."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from vnla.common.errors import InputError
from vnla.common.files import write_bytes, write_text
from vnla.report.printing import Table

if TYPE_CHECKING:
    from torch import Tensor

    from vnla.evaluation.evaluate import Evaluation
    from vnla.players import Players
    from vnla.roles.words import Words
    from vnla.tasks.task_set import TaskSet
    from vnla.training.trained import Trained


def evaluate(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run, or: pretrained.")],
    split: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="val_seen, …, test_unseen; may be repeated.")
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, max=5, help="How many of the authors' five seeds.")] = 5,
    help_policy: Annotated[
        str | None, typer.Option(metavar="NAME", help="none, first, random, teacher or learned. [default: the run's]")
    ] = None,
    ratio: Annotated[float | None, typer.Option(min=0, max=1, help="τ. [default: the run's]")] = None,
    k: Annotated[int | None, typer.Option(min=1, max=7, help="Actions a subgoal describes. [default: the run's]")] = None,
    checkpoint: Annotated[
        str | None, typer.Option(metavar="NAME", help="val_seen, val_unseen or last. [default: that of the split's kind]")
    ] = None,
    tasks: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Another data set, e.g. NoRoom. [default: the run's]")
    ] = None,
    world: Annotated[Path | None, typer.Option(metavar="DIR", help="World to try the pretrained agent in.")] = None,
    results: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write results files in the authors' format here.")
    ] = None,
    sweep: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Also evaluate with more and less help (τ from 0 to 1) and draw it into DIR."),
    ] = None,
    as_json: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write the summary to this file.")] = None,
    device: Annotated[str | None, typer.Option(help="cpu, cuda. [default: a GPU if there is one]")] = None,
) -> None:
    """Success rate, room-finding, navigation error and more, with 95% intervals over the seeds of the help budgets.

    Example: vnla evaluate runs/learned --split test_seen --split test_unseen --sweep pictures

    Example: vnla evaluate pretrained --world worlds/small --tasks tasks/small
    """
    from vnla.evaluation.evaluate import SEEDS
    from vnla.evaluation.evaluate import evaluate as run_evaluation
    from vnla.evaluation.metrics import rooms_of
    from vnla.evaluation.results import results_of, write_results
    from vnla.training.trained import open_trained

    console = Console(stderr=True)
    with console.status("loading …"):
        trained = _asking(open_trained(run, world=world, tasks=tasks, device=device or _device()), help_policy)
        rooms = rooms_of(trained.material.world, trained.material.folder.houses)
    config = trained.config
    share = 0.0 if config.unaided else config.training.ratio if ratio is None else ratio
    found = {}
    for name in split or ["test_seen", "test_unseen"]:
        subject = _subject(trained, name, checkpoint, k)
        with console.status(f"evaluating {name} …"):
            found[name] = run_evaluation(
                subject.players, subject.tasks, subject.end_goals, rooms, seeds=SEEDS[:seeds], ratio=share
            )
        if results is not None:
            write_results(results / f"{name}.json", results_of(found[name], SEEDS[0]))
        if sweep is not None:
            _sweep(sweep, name, subject, rooms, SEEDS[:seeds], console)
    if not found:
        raise InputError("no split to evaluate")
    Console().print(_table(f"{run}, help policy {config.help_policy}, τ = {share}", found))
    if as_json is not None:
        write_text(as_json, json.dumps({name: each.as_dict() for name, each in found.items()}, indent=2) + "\n")


@dataclass(frozen=True)
class _Subject:
    """Who is evaluated on what."""

    players: Players
    tasks: TaskSet
    end_goals: Words


def _device() -> str:
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def _asking(trained: Trained, help_policy: str | None) -> Trained:
    """The same by another help policy, if one is given."""
    if help_policy is None:
        return trained
    return replace(trained, config=replace(trained.config, help_policy=help_policy))


def _subject(trained: Trained, split: str, checkpoint: str | None, k: int | None) -> _Subject:
    from vnla.evaluation.sweep import with_k
    from vnla.training.cast import make_players

    kind = "val_unseen" if split.endswith("unseen") else "val_seen"
    players = make_players(trained.config, trained.material, trained.agent(checkpoint or kind), training=False)
    if k is not None and k != players.advisor.k:
        players = with_k(players, k, trained.material.dataset.vocabulary)
    return _Subject(players, *trained.material.evaluation_tasks(split))


def _sweep(folder: Path, split: str, subject: _Subject, rooms: Tensor, seeds: tuple[int, ...], console: Console) -> None:
    """Success against help: the picture and its numbers."""
    from vnla.evaluation.sweep import sweep
    from vnla.report.figures import help_figure

    with console.status(f"evaluating {split} …") as status:
        rows = sweep(
            {subject.players.advisor.k: subject.players}, subject.tasks, subject.end_goals, rooms, seeds=seeds,
            progress=lambda done, of: status.update(f"evaluating {split} with more and less help: {done} of {of} …"),
        )  # fmt: skip
    figure = help_figure({split.replace("_", " "): rows})
    write_bytes(folder / f"sweep_{split}.png", figure.image)
    write_text(folder / f"sweep_{split}.json", json.dumps(figure.data, indent=2) + "\n")
    typer.echo(f"success against help: {folder / f'sweep_{split}.png'}")


def _table(title: str, found: Mapping[str, Evaluation]) -> Table:
    from vnla.evaluation.evaluate import METRICS

    table = Table("", *found, title=title, title_justify="left")
    figures = [each.summary() for each in found.values()]
    for name, metric in METRICS.items():
        table.add_row(name if metric.unit == name else f"{name}, {metric.unit}", *(str(each[name]) for each in figures))
    return table
