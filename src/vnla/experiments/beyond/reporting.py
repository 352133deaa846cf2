"""The report of a comparison: who succeeds how often, what each part adds, what is left, and how they were trained."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from vnla.experiments.beyond import figures, tables
from vnla.experiments.beyond.arms import BEST, LEARNED
from vnla.experiments.beyond.evaluations import UNSEEN
from vnla.experiments.beyond.results import Layout, Plan, Results
from vnla.experiments.paper.reporting import seconds_in
from vnla.pipeline.scheduler import RECORDS
from vnla.pipeline.stages import Report
from vnla.report.document import Document, Finding, Item, Provenance, Section, Table, difference_text
from vnla.report.writing import write

TITLE = "Past the paper"


@dataclass(frozen=True)
class Source:
    """What a report is made from."""

    layout: Layout
    plan: Plan
    command: str
    """The command that the person gave."""
    device: str = "cpu"

    @property
    def results(self) -> Results:
        """What the stages have left."""
        return Results(self.layout, self.plan)


class _Part(NamedTuple):
    """A section in the making."""

    title: str
    table: Callable[[Results, str], list[Item]] | None = None
    figure: Callable[[Results], list[Item]] | None = None


def _parts(plan: Plan) -> list[_Part]:
    """The sections, in order."""
    parts = [
        _Part("Agents", tables.agents),
        _Part("What each part adds", tables.parts),
        _Part("Success against help", figure=figures.success_against_help if plan.sweeps else None),
        _Part("What is left to win", tables.ceilings if plan.ceilings else None),
        _Part("Training", tables.trainings, figures.training),
    ]
    return [part for part in parts if part.table or part.figure]


def make_report(source: Source, report: Report) -> None:
    """Write the report into the folder of the comparison."""
    results, parts, sections = source.results, _parts(source.plan), []
    for done, part in enumerate(parts):
        report(done, len(parts), part.title)
        items = part.table(results, source.command) if part.table else []
        items += part.figure(results) if part.figure else []
        sections.append(Section(part.title, "", items))
    sections = [section for section in sections if section.items]
    write(Document(TITLE, _summary(results), sections, _provenance(source)), source.layout.out)


def _summary(results: Results) -> str:
    """What BEST reaches beside LEARNED, in a sentence, and what the intervals are over."""
    plan = results.plan
    if not plan.has(BEST):
        return tables.note(results)
    rates = {arm: results.values(arm, UNSEEN).mean() for arm in (LEARNED, BEST)}
    found = results.gain(BEST, LEARNED, UNSEEN)
    return (
        f"On {UNSEEN.title} LEARNED succeeds in {rates[LEARNED]:.1f}% of its episodes and BEST in {rates[BEST]:.1f}%:"
        f" {difference_text(*found, 'points')}. {tables.note(results)}"
    )


def _provenance(source: Source) -> Provenance:
    """Where the numbers come from."""
    plan, preset = source.plan, source.plan.preset
    houses = preset.houses
    settings = {
        "preset": preset.name,
        "houses": f"{houses.train} for training, {houses.dev} for development, {houses.test} for test",
        "fresh houses": f"{plan.fresh}",
        "features": preset.store,
        "iterations": f"{plan.scale.iterations:,} of each agent, in all its phases",
        "trainings": f"{plan.trainings} of each agent, seeds {plan.seed} to {plan.seed + plan.trainings - 1}",
        "precision": preset.training.precision,
    }
    seconds = seconds_in(source.layout.out / RECORDS)
    return Provenance.collect(source.command, seeds=preset.seeds, device=source.device, settings=settings, seconds=seconds)


def tables_of(source: Source) -> list[tuple[Table, list[Finding]]]:
    """The tables with their findings, for a terminal."""
    results = source.results
    made = [part.table(results, source.command) for part in _parts(source.plan) if part.table]
    return [
        (table, [each for each in findings if isinstance(each, Finding)])
        for table, *findings in filter(None, made)
        if isinstance(table, Table)
    ]
