"""What people did in a world, scored: `vnla evaluate --recorded`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

from vnla.cli.console import plain, telling
from vnla.cli.outcome import check_places, figures_of
from vnla.common.errors import InputError
from vnla.common.files import write_text

if TYPE_CHECKING:
    from vnla.evaluation.metrics import Metric


def score_recorded_file(
    path: Path,
    run: Path | None,
    world: Path | None,
    tasks: Path | None,
    splits: Sequence[str],
    metrics: Mapping[str, Metric],
    as_json: Path | None,
    as_csv: Path | None,
) -> None:
    """Score a file of what people did in a world, which is that of a run if one is named."""
    from vnla.evaluation.recorded import score_recorded, spreadsheet
    from vnla.houses.folder import read_world
    from vnla.tasks.dataset import read_dataset
    from vnla.training.checkpoints import CONFIG
    from vnla.training.config import RunConfig

    check_places([as_json, as_csv])
    if (world is None or tasks is None) and run is not None:
        config = RunConfig.read(run / CONFIG)
        world, tasks = world or Path(config.world), tasks or Path(config.tasks)
    if world is None or tasks is None:
        raise InputError("--recorded: say in which --world and with which --tasks it was done")
    dataset = read_dataset(tasks)
    with telling() as tell:
        tell(f"scoring {path}")
        known = [task for split in splits or dataset.paths for task in dataset.split(split)]
        found = score_recorded(path, read_world(world).houses, known, dataset.budgets, metrics)
    (name, first), *others = found.items()
    values = {name: first.as_dict(), **{each: condition.as_dict((name, first)) for each, condition in others}}
    counts = [(field, [str(each[field]) for each in values.values()]) for field in ("participants", "episodes")]
    figures = {each: done.summary() for each, done in found.items()}
    metrics = {each: metrics[each] for each in metrics if not all(isnan(done[each].value) for done in figures.values())}
    plain().print(figures_of(f"{path}, 95% intervals over people", figures, metrics, counts))
    if others:
        plain().print(figures_of(f"difference to {name}", {each: done.minus(first) for each, done in others}, metrics))
    if as_json is not None:
        write_text(as_json, json.dumps(values, indent=2) + "\n")
    if as_csv is not None:
        write_text(as_csv, spreadsheet(found))
