"""What all evaluations have: their options, tables to read, and files where they are asked for."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vnla.cli.console import plain
from vnla.cli.options import (
    DeviceOption,
    EpisodesOption,
    ForwardOption,
    MetricOption,
    OtherTasksOption,
    RatioOption,
    ThreadsOption,
)
from vnla.common.files import writable, write_text
from vnla.common.options import option
from vnla.common.registry import name_of, options_of
from vnla.report.printing import Table

if TYPE_CHECKING:
    from vnla.assistance.advisor import Advisor
    from vnla.evaluation.evaluate import Evaluation
    from vnla.evaluation.metrics import Metric
    from vnla.evaluation.spreadsheet import Spreadsheet


TESTS = ("test_seen", "test_unseen")


@dataclass(frozen=True)
class EvaluationOptions:
    """What may be said of an evaluation, whoever is evaluated."""

    split: list[str] | None = option(None, "val_seen, …, test_unseen; may be repeated.", metavar="NAME")
    seeds: int | None = option(
        None, "How many of the authors' five seeds to use. [default: 5; with --agent 1]", min=1, max=5
    )
    subset: int | None = option(None, "Only N tasks of each split, always the same ones. [default: all]", metavar="N", min=1)
    ratio: RatioOption = None
    k: int | None = option(None, "Number of actions that a subgoal describes. [default: the run's]", min=1, max=8)
    advisor_language: str | None = option(
        None, "The advisor: template, grammar, speaker, openai:MODEL or yours, a.b:C. [default: the run's]", metavar="NAME"
    )
    advisor_option: list[str] | None = option(
        None, "An option of that advisor, e.g. says=synonyms; may be repeated.", metavar="NAME=VALUE"
    )
    tasks: OtherTasksOption = None
    world: Path | None = option(
        None,
        "World for --agent and pretrained [default: the small one]; for a run, where its world is now.",
        metavar="DIR",
    )
    forward: ForwardOption = None
    metric: MetricOption = None
    results: Path | None = option(None, "Write results files in the authors' format to this folder.", metavar="DIR")
    as_json: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write the summary to this file.")] = None
    as_csv: EpisodesOption = None
    npz: Path | None = option(
        None, "Write everything that happened to this folder, as an evaluation.npz for each split.", metavar="DIR"
    )
    device: DeviceOption = None
    threads: ThreadsOption = None

    @property
    def splits(self) -> list[str]:
        """The splits to evaluate on, each once."""
        return list(dict.fromkeys(self.split or TESTS))

    @property
    def metrics(self) -> dict[str, Metric]:
        """The metrics to report, ours and those that were named."""
        from vnla.evaluation.metrics import metrics_named

        return metrics_named(self.metric or ())

    @property
    def speaking(self) -> Speaking:
        """How the advisor is to speak."""
        return Speaking(self.advisor_language, options_of(self.advisor_option or [], "--advisor-option"), self.k)

    def output(self, run: str = "", sweep: Path | None = None) -> Output:
        """Where the files of a run go."""
        return Output(run, self.results, self.npz, sweep)

    def write(self, summary: Mapping[str, Any], sheet: Spreadsheet) -> None:
        """Write the summary and the rows of the episodes, where they are asked for."""
        if self.as_json is not None:
            write_text(self.as_json, json.dumps(summary, indent=2) + "\n")
        if self.as_csv is not None:
            sheet.write(self.as_csv)


@dataclass(frozen=True)
class Speaking:
    """How the advisor is to speak, if not as in training."""

    language: str | None
    options: Mapping[str, Any]
    k: int | None

    def advisor(self, own: Advisor) -> Advisor:
        """The advisor of a run as it is to speak."""
        from vnla.assistance.advisor import TemplateAdvisor
        from vnla.language.registry import ADVISORS, advisor_named

        if self.language is None and not self.options and (self.k is None or isinstance(own, TemplateAdvisor)):
            return own
        name = self.language or name_of(own, ADVISORS)
        role = {"k": self.k or own.k, "direct": own.direct, "speaks": own.speaks}
        own_fields: list[str] = [each.name for each in fields(own) if each.init] if is_dataclass(own) else []
        kept = {each: getattr(own, each) for each in own_fields if self.language is None and each not in role}
        return advisor_named(name, {**kept, **self.options}, **role)

    def as_dict(self) -> dict[str, Any]:
        """What differs from the paper's advisor, for a file; nothing where nothing does."""
        from vnla.language.registry import advisor_class

        if self.language in (None, "template") and not self.options:
            return {}
        manner = getattr(advisor_class(self.language or "template"), "manner", ())
        options = {name: value for name, value in self.options.items() if name not in manner}
        return {"advisor": self.language or "template", "advisor_options": options}


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


def print_evaluations(title: str, found: Mapping[str, Evaluation], metrics: Mapping[str, Metric], more: str = "") -> None:
    """Print the table of evaluations, what its intervals are over, and what `more` there is to say."""
    plain().print(figures_of(title, {name: each.summary() for name, each in found.items()}, metrics))
    for note in dict.fromkeys(filter(None, (*(each.note for each in found.values()), more))):
        plain().print(note)


ADVISOR_COUNTS = "advisor_counts"
"""Where a summary has what an advisor did, if it has anything to tell."""


def print_account(split: str, account: Mapping[str, int]) -> None:
    """Say under a table what an advisor did: which sentences were kept, how often it was asked back."""
    if account:
        told = "; ".join(f"{what} {times:,}" for what, times in account.items())
        plain().print(f"the advisor on {split}: {told}", soft_wrap=True)


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
