"""What people did in a world, scored: `vnla evaluate --recorded`."""

from __future__ import annotations

import json
from math import isnan
from pathlib import Path

import typer

from vnla.cli.console import plain, telling
from vnla.cli.options import given_of
from vnla.cli.outcome import EvaluationOptions, check_places, figures_of
from vnla.common.errors import InputError
from vnla.common.files import write_text

TAKEN = {"recorded", "run", "world", "tasks", "split", "metric", "as_json", "as_csv", "device", "threads"}
"""All that there is to say of what was done."""


def score_recorded_file(context: typer.Context, path: Path, run: Path | None, options: EvaluationOptions) -> None:
    """Score a file of what people did in a world, which is that of a run if one is named."""
    from vnla.evaluation.confidence import houses_note
    from vnla.evaluation.recorded import score_recorded, spreadsheet
    from vnla.houses.folder import read_world
    from vnla.tasks.dataset import read_dataset
    from vnla.training.checkpoints import CONFIG
    from vnla.training.config import RunConfig

    if given_of(context, context.params) - TAKEN:
        raise InputError(
            "--recorded scores what was done; it takes only --world, --tasks, --split, --metric, --json and --csv"
        )
    check_places([options.as_json, options.as_csv])
    world, tasks, metrics = options.world, options.tasks, options.metrics
    if (world is None or tasks is None) and run is not None:
        config = RunConfig.read(run / CONFIG)
        world, tasks = world or Path(config.world), tasks or Path(config.tasks)
    if world is None or tasks is None:
        raise InputError("--recorded: say in which --world and with which --tasks it was done")
    dataset = read_dataset(tasks)
    with telling() as tell:
        tell(f"scoring {path}")
        known = [task for split in options.split or dataset.paths for task in dataset.split(split)]
        found = score_recorded(path, read_world(world).houses, known, dataset.budgets, metrics)
    (name, first), *others = found.items()
    values = {name: first.as_dict(), **{each: condition.as_dict((name, first)) for each, condition in others}}
    counts = [(field, [str(each[field]) for each in values.values()]) for field in ("participants", "episodes")]
    figures = {each: done.summary() for each, done in found.items()}
    metrics = {each: metrics[each] for each in metrics if not all(isnan(done[each].value) for done in figures.values())}
    plain().print(figures_of(str(path), figures, metrics, counts))
    if others:
        plain().print(figures_of(f"difference to {name}", {each: done.minus(first) for each, done in others}, metrics))
    plain().print(houses_note(*(len(set(done.participants)) for done in found.values()), what="people"))
    if options.as_json is not None:
        write_text(options.as_json, json.dumps(values, indent=2) + "\n")
    if options.as_csv is not None:
        write_text(options.as_csv, spreadsheet(found))
