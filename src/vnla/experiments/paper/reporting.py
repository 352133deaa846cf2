"""The report of the experiments: every table and figure with what it shows, and where the numbers come from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from vnla.common import files
from vnla.common.outside import real
from vnla.evaluation.confidence import same_houses
from vnla.experiments.paper import figures, table1, table2, table3, table4, table6, table7
from vnla.experiments.paper.presets import Preset
from vnla.experiments.paper.results import Layout, Results
from vnla.experiments.paper.trainings import POLICIES
from vnla.pipeline.scheduler import RECORDS
from vnla.pipeline.stages import Report
from vnla.report.document import Document, Finding, Item, Provenance, Section, Table
from vnla.report.writing import write

TABLES: dict[int, Callable[..., list[Item]]] = {
    1: partial(table1.items, dataset="asknav"),
    2: table2.items,
    3: table3.items,
    4: table4.items,
    5: partial(table1.items, dataset="noroom"),
    6: table6.items,
    7: table7.items,
}
"""Number of a table → the table, and below it what it shows; takes results and the command that made them."""
ALL_TABLES = tuple(TABLES)
_EPISODES = (
    "Runs of the agent LEARNED in houses that it had not seen, the first as Figure 1 of the paper: the way on a map, what"
    " the agent saw where it began, asked and ended, and what it was told."
)


@dataclass(frozen=True)
class Contents:
    """What a report is about."""

    title: str
    tables: tuple[int, ...] = ALL_TABLES
    successes: int = 2
    failures: int = 2
    """How many episodes are told."""
    everything: bool = True
    """Whether all figures are shown, or only when the agent asks."""
    peers: bool = True
    """Whether agents that learn nothing stand beside the others."""

    def has(self, *tables: int) -> bool:
        """Whether any of these tables is in it."""
        return any(table in self.tables for table in tables)


@dataclass(frozen=True)
class Source:
    """What a report is made from."""

    layout: Layout
    preset: Preset
    command: str
    """The command that the person gave."""
    device: str = "cpu"

    @property
    def results(self) -> Results:
        """What the stages have left."""
        return Results(self.layout, self.preset)


def make_report(source: Source, contents: Contents, report: Report) -> None:
    """Write the report into the folder of the experiments."""
    sections: list[Section] = []
    parts = [part for part in _parts(contents) if part.tables or part.figures]
    results = source.results
    for done, part in enumerate(parts):
        report(done, len(parts), part.title)
        sections.append(part.section(results, source.command))
    document = Document(contents.title, _summary(sections, source.preset.houses.test), sections, provenance(source))
    write(document, source.layout.out)


Maker = Callable[[Results], Sequence[Item]]


@dataclass(frozen=True)
class _Part:
    """A section in the making."""

    title: str
    text: str = ""
    tables: Sequence[int] = ()
    figures: Sequence[Maker] = ()

    def section(self, results: Results, command: str) -> Section:
        items = [item for number in self.tables for item in TABLES[number](results, command=command)]
        items += [item for make in self.figures for item in make(results)]
        return Section(self.title, self.text, items)


def _parts(contents: Contents) -> list[_Part]:
    """The sections, in order; one that has nothing to show is left out."""

    def tables(*numbers: int) -> list[int]:
        return [number for number in numbers if contents.has(number)]

    def episodes(results: Results) -> Sequence[Item]:
        return figures.episodes(results, contents.successes, contents.failures)

    policies, everything = contents.has(2), contents.everything
    behaviour: list[Maker] = [figures.requests, *([figures.lengths, figures.best_and_worst] if everything else [])]
    data = [partial(figures.distributions, dataset=name) for name, number in table1.NUMBERS.items() if contents.has(number)]
    return [
        _Part("Help policies", tables=tables(2)),
        _Part(f"When the agent asks{', and where it succeeds' * everything}", figures=behaviour if policies else []),
        _Part("Episodes", _EPISODES, figures=[episodes] if policies else []),
        _Part("Subgoals", tables=tables(3)),
        _Part("Objects without rooms", tables=tables(4)),
        _Part("Rules of the help teacher", tables=tables(7)),
        _Part("Data", tables=tables(1, 5), figures=data if everything else []),
        _Part("Training", tables=tables(6), figures=[partial(figures.training, trainings=POLICIES)] if policies else []),
    ]


def _summary(sections: Sequence[Section], houses: int) -> str:
    """How many of the paper's findings hold."""
    found = [item for section in sections for item in section.items if isinstance(item, Finding)]
    count = {holds: sum(each.holds is holds for each in found) for holds in (True, False, None)}
    hold, fail = "holds" if count[True] == 1 else "hold", "does" if count[False] == 1 else "do"
    return (
        f"Of {len(found)} findings of the paper {count[True]} {hold} here, {count[False]} {fail} not, and for {count[None]}"
        " the tasks are too few to tell. Intervals are 95%; each agent was trained once."
        f" {same_houses(houses)}"
    ).strip()


def provenance(source: Source) -> Provenance:
    """Where the numbers come from."""
    preset = source.preset
    settings = {
        "preset": preset.name,
        "houses": f"{preset.houses.train} for training, {preset.houses.dev} for development, {preset.houses.test} for test",
        "features": preset.store,
        "iterations": f"{preset.training.iterations:,}",
    }
    return Provenance.collect(
        source.command,
        seeds=preset.seeds,
        device=source.device,
        settings=settings,
        seconds=seconds_in(source.layout.out / RECORDS),
    )


def seconds_in(records: Path) -> dict[str, float]:
    """How long each kind of stage took, all of its kind together."""
    total: dict[str, float] = {}
    for path in sorted(records.glob("*.json")):
        record = files.read_json(path, "the record of a stage")
        with files.taken_apart(path, "the record of a stage"):
            if record["done"]:
                kind = record["stage"].partition("/")[0]
                total[kind] = total.get(kind, 0.0) + real(record["seconds"], f"{path}: field seconds", 0)
    return total


def tables_of(results: Results, contents: Contents) -> list[tuple[Table, list[Finding]]]:
    """The tables with their findings, for a terminal."""
    found = []
    for number in contents.tables:
        table, *findings = TABLES[number](results)
        assert isinstance(table, Table)
        found.append((table, [each for each in findings if isinstance(each, Finding)]))
    return found
