"""The report of the paper's experiments: every table and figure with what it shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from vnla.experiments.paper import paper_figures as figures
from vnla.experiments.paper.candidates import OURS, TRAINED_POLICIES
from vnla.experiments.paper.paper_results import PaperResults
from vnla.experiments.paper.paper_tables import NUMBERS, POLICIES, TABLES
from vnla.experiments.reporting import ExperimentReport, MakeItems, ReportPart
from vnla.report.document import Finding, Item, Section

ALL_TABLES = tuple(TABLES)
_EPISODES = (
    "Runs of the agent LEARNED in houses that it had not seen, {which}: the way on a map, what the agent saw where it began,"
    " asked and ended, and what it was told."
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
    """Whether agents that are not in the paper stand beside the others: SPACED, and those that learn nothing."""

    def has(self, *tables: int) -> bool:
        """Whether any of these tables is in it."""
        return any(table in self.tables for table in tables)


@dataclass(frozen=True)
class PaperReport(ExperimentReport):
    """The paper's tables and figures."""

    contents: Contents

    @property
    def title(self) -> str:
        """The title of the page."""
        return self.contents.title

    @property
    def settings(self) -> Mapping[str, str]:
        """What else decides the numbers."""
        return {"features": self.preset.store, "iterations": f"{self.preset.training.iterations:,}"}

    def parts(self) -> list[ReportPart]:
        """Return the sections, in order."""
        contents, results = self.contents, PaperResults(self.layout, self.preset)

        def tables(*numbers: int) -> list[MakeItems]:
            return [partial(TABLES[each], results, command=self.command) for each in numbers if contents.has(each)]

        def drawn(*makers: Callable[[PaperResults], Sequence[Item]], wanted: bool = True) -> list[MakeItems]:
            return [partial(make, results) for make in makers] if wanted else []

        policies, everything = contents.has(2), contents.everything
        opening, first = self._opening(results), slice(None) if everything else slice(1, None)
        watched = policies and results.has_agent(figures.SPLIT)
        behaviour = [figures.requests, figures.early, figures.lengths, figures.best_and_worst]
        data = [partial(figures.distributions, dataset=name) for name, number in NUMBERS.items() if contents.has(number)]
        episodes = partial(figures.episodes, successes=contents.successes, failures=contents.failures, only=first)
        training = partial(figures.training, trainings=(*TRAINED_POLICIES, *(OURS if contents.peers else ())))
        return [
            *opening,
            ReportPart("Help policies", self._sharing(), tables=tables(2)),
            ReportPart(
                "When the agent asks, and where it succeeds", figures=drawn(*behaviour, wanted=policies and everything)
            ),
            ReportPart("Episodes", _EPISODES.format(which=_which(everything)), figures=drawn(episodes, wanted=watched)),
            ReportPart("Subgoals", tables=tables(3)),
            ReportPart("Objects without rooms", tables=tables(4)),
            ReportPart("Rules of the help teacher", tables=tables(7)),
            ReportPart("Data", tables=tables(1, 5), figures=drawn(*data, wanted=everything)),
            ReportPart("Training", tables=tables(6), figures=drawn(training, wanted=policies)),
        ]

    def _opening(self, results: PaperResults) -> list[ReportPart]:
        """Return the section with which a short report opens: one walk, the success of each policy, when the agent asks."""
        contents = self.contents
        if contents.everything or not contents.has(2):
            return []
        walk = partial(figures.episodes, results, successes=contents.successes, failures=contents.failures, only=slice(1))
        seen = [walk] if results.has_agent(figures.SPLIT) else []
        drawn = [partial(figures.success, results), partial(figures.requests, results)]
        return [ReportPart("In pictures", figures=[*seen, *drawn])]

    def _sharing(self) -> str:
        """Return which trainings begin with LEARNED's agent, as a sentence; nothing where none does."""
        preset = self.preset
        names = " and ".join(POLICIES[name] for name in preset.continuing)
        if not names:
            return ""
        begun, whole = preset.validate_every, preset.training.iterations
        return (
            f"To save time, {names} share the first {begun} of {whole} iterations with LEARNED: they begin with its agent of"
            " that iteration. NONE and LEARNED have trainings of their own. `vnla paper` trains each alone."
        )

    def summary(self, sections: Sequence[Section]) -> str:
        """Return how many of the paper's findings hold."""
        every = [item for section in sections for item in section.items if isinstance(item, Finding)]
        found = [item for item in every if not item.ours]
        count = {holds: sum(each.holds is holds for each in found) for holds in (True, False, None)}
        hold, fail = "holds" if count[True] == 1 else "hold", "does" if count[False] == 1 else "do"
        stay = "is" if count[None] == 1 else "are"
        return (
            f"Of {len(found)} findings of the paper, {count[True]} {hold} here, {count[False]} {fail} not, and {count[None]}"
            f" {stay} inconclusive, because an interval contains both outcomes or there is none."
            f"{_also_ours(len(every) - len(found))}"
            " Intervals of findings are 95% over tasks in the same houses, and each agent was trained once: they do not say"
            " what other houses or trainings would give."
        )


def _which(everything: bool) -> str:
    return "the first as Figure 1 of the paper" if everything else "beside the one above"


def _also_ours(count: int) -> str:
    """Return how many claims are counted beside the paper's findings, as a sentence; nothing where there are none."""
    if not count:
        return ""
    return f" {count} further claim{'' if count == 1 else 's'} below {'is' if count == 1 else 'are'} ours, not the paper's."
