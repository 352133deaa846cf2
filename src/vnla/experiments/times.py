"""Where the time of experiments went: a table of their parts, from the records of stages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from vnla.experiments.presets import BEGINNING
from vnla.experiments.reporting import seconds_of
from vnla.pipeline.scheduler import RECORDS
from vnla.report.document import ReportTable, Row, Value

WORDS = {"world": "houses", "tasks": "tasks", "features": "features", "report": "report"}
TRAIN, EVALUATE = "train", "evaluate"


def times_table(out: Path, seconds: float) -> ReportTable:
    """Return how long each part took, and how long the whole command, which began so many seconds ago."""
    by_stage = seconds_of(out / RECORDS)
    rows: list[Row] = [*_rows(by_stage), ("sum of the parts", _seconds(sum(by_stage.values())))]
    rows.append(("this command, from start to end", _seconds(seconds)))
    note = (
        "Parts go on side by side, one on each core, so their sum is more than the whole. Parts that were kept from an"
        " earlier command have the time that they took then."
    )
    return ReportTable("times", "Where the time went", ["Part", "Seconds"], rows, note)


def _rows(by_stage: dict[str, float]) -> Iterator[Row]:
    """The parts in the order in which they are carried out; trainings one by one, and evaluations together."""
    for kind, words in WORDS.items():
        found = [seconds for stage, seconds in by_stage.items() if stage.partition("/")[0] == kind]
        if kind == "report":
            yield from _trained(by_stage)
        if found:
            yield words, _seconds(sum(found))


def _trained(by_stage: dict[str, float]) -> Iterator[Row]:
    trainings = {stage.partition("/")[2]: each for stage, each in by_stage.items() if stage.startswith(f"{TRAIN}/")}
    for name, seconds in trainings.items():
        what = "what several trainings share" if name == BEGINNING else f"training {name.upper()}"
        yield what, _seconds(seconds)
    evaluations = [each for stage, each in by_stage.items() if stage.startswith(f"{EVALUATE}/")]
    if evaluations:
        yield f"{len(evaluations)} evaluations", _seconds(sum(evaluations))


def _seconds(value: float) -> Value:
    return Value(value, digits=0 if value >= 10 else 1)
