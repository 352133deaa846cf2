"""The report of experiments: its sections, whether findings hold, and where the numbers come from.

What the paper's experiments and comparisons past it differ in, they declare as classes of `ExperimentReport`.

A gain holds if its whole 95% interval is above zero, does not if it is below, and otherwise is inconclusive. Two figures are
the same if the whole interval of their difference is within a margin. A finding that is inconclusive says why.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from vnla.common import files
from vnla.common.outside import real
from vnla.evaluation.confidence import Interval
from vnla.experiments.layout import ExperimentLayout
from vnla.experiments.presets import ExperimentPreset
from vnla.pipeline.scheduler import RECORDS
from vnla.pipeline.stages import Report, commits_in
from vnla.report.document import (
    NO_INTERVAL,
    Document,
    Finding,
    Item,
    Provenance,
    ReportTable,
    Section,
    Value,
    bound_text,
    difference_text,
    settled,
)
from vnla.report.writing import write

SPLITS = {
    "train": "Train",
    "val_seen": "Dev seen",
    "val_unseen": "Dev unseen",
    "test_seen": "Test seen",
    "test_unseen": "Test unseen",
}
"""What tables call the splits, after the paper."""
SAME = 2.0
"""Points within which two success rates count as the same."""

MakeItems = Callable[[], Sequence[Item]]


@dataclass(frozen=True)
class ReportPart:
    """A section to be made. A table stands first among the items that it is made with."""

    title: str
    text: str = ""
    tables: Sequence[MakeItems] = field(default=())
    figures: Sequence[MakeItems] = field(default=())

    def section(self) -> Section:
        """Make the items, tables first."""
        return Section(self.title, self.text, [item for make in (*self.tables, *self.figures) for item in make()])


@dataclass(frozen=True)
class ExperimentReport(ABC):
    """What a report is made from, and how."""

    layout: ExperimentLayout
    command: str
    """The command that the person gave."""
    preset: ExperimentPreset
    device: str = field(default="cpu", kw_only=True)

    @property
    @abstractmethod
    def title(self) -> str:
        """The title of the page."""

    @property
    @abstractmethod
    def settings(self) -> Mapping[str, str]:
        """What else decides the numbers, beside the preset's name and houses."""

    @abstractmethod
    def parts(self) -> list[ReportPart]:
        """Return the sections to be made, in order."""

    @abstractmethod
    def summary(self, sections: Sequence[Section]) -> str:
        """Return what was found, in a sentence or two."""

    def write(self, report: Report) -> None:
        """Write the report into the folder of the experiments; a section that has nothing to show is left out."""
        sections: list[Section] = []
        parts = [part for part in self.parts() if part.tables or part.figures]
        for done, part in enumerate(parts):
            report(done, len(parts), part.title)
            sections.append(part.section())
        sections = [section for section in sections if section.items or section.text]
        write(Document(self.title, self.summary(sections), sections, self.provenance()), self.layout.out)

    def tables(self) -> list[tuple[ReportTable, list[Finding]]]:
        """Return the tables with their findings, by their names, for a terminal."""
        made = [
            (table, [each for each in findings if isinstance(each, Finding)])
            for part in self.parts()
            for make in part.tables
            for table, *findings in filter(None, [make()])
            if isinstance(table, ReportTable)
        ]
        return sorted(made, key=lambda pair: pair[0].name)

    def provenance(self) -> Provenance:
        """Return where the numbers come from."""
        houses = self.preset.houses
        numbers = f"{houses.train} for training, {houses.dev} for development, {houses.test} for test"
        settings = {"preset": self.preset.name, "houses": numbers, **self.settings}
        seconds = seconds_in(self.layout.out / RECORDS)
        found = Provenance.collect(
            self.command, seeds=self.preset.seeds, device=self.device, settings=settings, seconds=seconds
        )
        commits = commits_of(self.layout.out / RECORDS)
        if set(commits) <= {found.commit}:
            return found
        return replace(found, settings={**settings, "commits of the stages": ", ".join(commits)})


def make_report(source: ExperimentReport, report: Report) -> None:
    """Write a report: the last stage of all experiments."""
    source.write(report)


def seconds_in(records: Path) -> dict[str, float]:
    """Return how long each kind of stage took, all of its kind together."""
    total: dict[str, float] = {}
    for stage, seconds in seconds_of(records).items():
        kind = stage.partition("/")[0]
        total[kind] = total.get(kind, 0.0) + seconds
    return total


def seconds_of(records: Path) -> dict[str, float]:
    """Return how long each stage took that is done, by its name."""
    found: dict[str, float] = {}
    for path, record in _done_in(records):
        with files.taken_apart(path, "the record of a stage"):
            found[str(record["stage"])] = real(record["seconds"], f"{path}: field seconds", 0)
    return found


def commits_of(records: Path) -> list[str]:
    """Return the commits that stages were done with, each once; the report's own is that of its provenance."""
    found = [commits_in(record) for _, record in _done_in(records) if record.get("stage") != "report"]
    return sorted({each for commits in found for each in commits})


def _done_in(records: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the records of stages that are done."""
    for path in sorted(records.glob("*.json")):
        record = files.read_json(path, "the record of a stage")
        with files.taken_apart(path, "the record of a stage"):
            done = record["done"]
        if done:
            yield path, record


def gains(claim: str, found: Interval, paper: float | None = None, unit: str = "points") -> Finding:
    """Return the claim that one thing is better than another."""
    return Finding.difference(claim, found.value, found.low, found.high, unit, in_the_paper(paper, unit))


def gains_least(claim: str, found: Interval, least: float) -> Finding:
    """Return the claim that one thing is better than another by so many points at least."""
    low, high = settled(found.low), settled(found.high)
    holds = True if low >= least else False if high < least else None
    detail = f"{difference_text(found.value, low, high, 'points', (0.0, least))}."
    return Finding(claim, holds, _with_reason(detail, holds, found, f"{least:g} points"))


def same(claim: str, found: Interval, paper: float | None = None, within: float = SAME) -> Finding:
    """Return the claim that there is no difference to speak of."""
    low, high = settled(found.low), settled(found.high)
    inside = -within < low and high < within
    outside = low > within or high < -within
    difference = difference_text(found.value, low, high, "points", thresholds=(-within, within))
    holds = True if inside else False if outside else None
    detail = f"{difference}. {in_the_paper(paper, 'points')}".strip() + f" Less than {within:g} points count as the same."
    return Finding(
        claim, holds, _with_reason(detail, holds, found, f"differences smaller and larger than {within:g} points")
    )


def exceeds(claim: str, found: Interval, threshold: float) -> Finding:
    """Return the claim that a share, in per cent, is above a threshold."""
    low, high = settled(found.low), settled(found.high)
    holds = True if low > threshold else False if high < threshold else None
    bounds = [bound_text(bound, "%", (threshold,)) for bound in (low, high)]
    interval = "no interval" if _has_none(found) else f"95% interval {' to '.join(bounds)}"
    detail = f"{found.value:.1f}% ({interval})."
    return Finding(claim, holds, _with_reason(detail, holds, found, f"{threshold:g}%"))


def _with_reason(detail: str, holds: bool | None, found: Interval, threshold: str) -> str:
    """Return the detail of a finding, with the reason where its interval does not decide it."""
    if holds is not None:
        return detail
    if _has_none(found):
        return f"{detail} {NO_INTERVAL}"
    return f"{detail} The interval contains {threshold}, so these tasks do not decide it."


def _has_none(found: Interval) -> bool:
    """Return whether a figure has no interval."""
    return math.isnan(found.low) or math.isnan(found.high)


def in_the_paper(paper: float | None, unit: str) -> str:
    """Return what the paper has, as a sentence."""
    if paper is None:
        return ""
    return f"In the paper {'+' if paper > 0 else ''}{Value(paper, unit=unit)}."
