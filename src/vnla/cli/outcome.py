"""What evaluations leave: tables to read, and files where they are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vnla.common.files import writable
from vnla.report.printing import Table

if TYPE_CHECKING:
    from vnla.evaluation.evaluate import Evaluation
    from vnla.evaluation.metrics import Metric


@dataclass(frozen=True)
class Output:
    """Where a run's files go: into the folders that were named, or a folder in each where there are several runs."""

    run: str
    results: Path | None
    npz: Path | None
    sweep: Path | None

    def places(self, splits: Sequence[str]) -> Iterator[Path]:
        """Every file that will be written."""
        for split in splits:
            yield from (path for path in (self.of_results(split), self.of_npz(split), self.of_sweep(split)) if path)

    def write(self, split: str, found: Evaluation) -> None:
        """Write the results file of the first seed and the whole evaluation, where they are asked for."""
        from vnla.evaluation.evaluation_file import write_evaluation
        from vnla.evaluation.results import results_of, write_results

        if results := self.of_results(split):
            write_results(results, results_of(found, found.seeds[0]))
        if npz := self.of_npz(split):
            write_evaluation(npz, found)

    def of_results(self, split: str) -> Path | None:
        """The results file of a split."""
        return self.results and self.results / self.run / f"{split}.json"

    def of_npz(self, split: str) -> Path | None:
        """The evaluation of a split."""
        from vnla.evaluation.evaluation_file import EVALUATION

        return self.npz and self.npz / self.run / split / EVALUATION

    def of_sweep(self, split: str) -> Path | None:
        """The picture of success against help; its numbers stand beside it."""
        return self.sweep and self.sweep / self.run / f"sweep_{split}.png"


def check_places(places: Iterable[Path | None]) -> None:
    """Refuse, before the work, a place where its outcome could not be written."""
    for place in places:
        if place is not None:
            writable(place)


def houses_note(found: Mapping[str, Evaluation]) -> str:
    """What the intervals of a table do not say, where it has any and some split has few houses."""
    from vnla.evaluation.confidence import same_houses

    several = [each for each in found.values() if len(each.seeds) > 1]
    return same_houses(min(len({task.house for task in each.tasks.tasks}) for each in several)) if several else ""


def table_of(title: str, found: Mapping[str, Evaluation], metrics: Mapping[str, Metric]) -> Table:
    return figures_of(title, {name: each.summary() for name, each in found.items()}, metrics)


def figures_of(
    title: str,
    columns: Mapping[str, Mapping[str, object]],
    metrics: Mapping[str, Metric],
    before: Iterable[tuple[str, Sequence[str]]] = (),
) -> Table:
    """A column for each, a row a metric, and other rows before them."""
    table = Table("", *columns, title=title, title_justify="left")
    for name, cells in before:
        table.add_row(name, *cells)
    for name, metric in metrics.items():
        table.add_row(_named(name, metric), *(str(figures[name]) for figures in columns.values()))
    return table


def _named(name: str, metric: Metric) -> str:
    return name if metric.unit == name else f"{name}, {metric.unit}"
