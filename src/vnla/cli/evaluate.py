"""`vnla evaluate`: how well a trained agent does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from vnla.errors import InputError
from vnla.files import write_text


def evaluate(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.")],
    split: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="val_seen, …, test_unseen; may be repeated.")
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, max=5, help="How many of the authors' five seeds.")] = 5,
    ratio: Annotated[float | None, typer.Option(min=0, max=1, help="τ. [default: the run's]")] = None,
    checkpoint: Annotated[
        str | None, typer.Option(metavar="NAME", help="val_seen, val_unseen or last. [default: that of the split's kind]")
    ] = None,
    tasks: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Another data set, e.g. NoRoom. [default: the run's]")
    ] = None,
    results: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write results files in the authors' format here.")
    ] = None,
    as_json: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write the summary to this file.")] = None,
    device: Annotated[str | None, typer.Option(help="cpu, cuda. [default: a GPU if there is one]")] = None,
) -> None:
    """Success rate, room-finding, navigation error and more, with 95% intervals over the seeds of the help budgets.

    Example: vnla evaluate runs/learned --split test_seen --split test_unseen
    """
    import torch

    from vnla.evaluation.evaluate import METRICS, SEEDS
    from vnla.evaluation.evaluate import evaluate as run_evaluation
    from vnla.evaluation.metrics import rooms_of
    from vnla.evaluation.results import results_of, write_results
    from vnla.runs import CONFIG, Material, RunConfig, load_agent, make_players, with_tasks

    config = RunConfig.read(run / CONFIG)
    console = Console(stderr=True)
    with console.status("loading …"):
        material = Material.load(config, device or ("cuda" if torch.cuda.is_available() else "cpu"))
        material = with_tasks(material, tasks) if tasks else material
        rooms = rooms_of(material.world, material.folder.houses)
    share = 0.0 if config.unaided else config.training.ratio if ratio is None else ratio
    summaries = {}
    for name in split or ["test_seen", "test_unseen"]:
        kind = "val_unseen" if name.endswith("unseen") else "val_seen"
        agent = load_agent(run, config, material, checkpoint or kind)
        players = make_players(config, material, agent, training=False)
        task_set, end_goals = material.evaluation_tasks(name)
        with console.status(f"evaluating {name} …"):
            done = run_evaluation(players, task_set, end_goals, rooms, seeds=SEEDS[:seeds], ratio=share)
        summaries[name] = done
        if results is not None:
            write_results(results / f"{name}.json", results_of(done, SEEDS[0]))
    if not summaries:
        raise InputError("no split to evaluate")
    table = Table("", *summaries, title=f"{run}, τ = {share}", title_justify="left")
    figures = {name: each.summary() for name, each in summaries.items()}
    for metric, kind_of in METRICS.items():
        cells = [f"{figures[name][metric].mean:.2f} ± {figures[name][metric].margin:.2f}" for name in summaries]
        table.add_row(f"{metric}, {kind_of.unit}", *cells)
    Console().print(table)
    if as_json is not None:
        write_text(as_json, json.dumps({name: each.as_dict() for name, each in summaries.items()}, indent=2) + "\n")
