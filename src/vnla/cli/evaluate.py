"""`vnla evaluate`: how well a trained agent does."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vnla.cli.console import Tell, plain, telling
from vnla.common.errors import InputError
from vnla.common.files import writable, write_bytes, write_text
from vnla.common.named import build, name_of, options_of
from vnla.report.printing import Table

if TYPE_CHECKING:
    from vnla.evaluation.evaluate import Evaluation
    from vnla.evaluation.metrics import Metric
    from vnla.players import Players
    from vnla.roles.advisor import Advisor
    from vnla.tasks.task_set import TaskSet
    from vnla.training.config import RunConfig
    from vnla.training.trained import Trained

TESTS = ("test_seen", "test_unseen")


def evaluate(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run or of several, or: pretrained.")],
    split: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="val_seen, …, test_unseen; may be repeated.")
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, max=5, help="How many of the authors' five seeds.")] = 5,
    help_policy: Annotated[
        str | None, typer.Option(metavar="NAME", help="none, first, random, teacher or learned. [default: the run's]")
    ] = None,
    ratio: Annotated[float | None, typer.Option(min=0, max=1, help="τ. [default: the run's]")] = None,
    k: Annotated[int | None, typer.Option(min=1, max=8, help="Actions a subgoal describes. [default: the run's]")] = None,
    advisor_language: Annotated[
        str | None, typer.Option(metavar="NAME", help="How the advisor speaks: template or grammar. [default: the run's]")
    ] = None,
    advisor_option: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="An option of that advisor, e.g. says=synonyms; may be repeated."),
    ] = None,
    checkpoint: Annotated[
        str | None, typer.Option(metavar="NAME", help="val_seen, val_unseen or last. [default: that of the split's kind]")
    ] = None,
    tasks: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Another data set, e.g. NoRoom. [default: the run's]")
    ] = None,
    world: Annotated[
        Path | None, typer.Option(metavar="DIR", help="World for the pretrained agent, or where the run's has moved to.")
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A metric of your own, package.module:name; may be repeated."),
    ] = None,
    results: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write results files in the authors' format here.")
    ] = None,
    sweep: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Also evaluate with more and less help (τ from 0 to 1) and draw it into DIR."),
    ] = None,
    as_json: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write the summary to this file.")] = None,
    as_csv: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Write a row an episode to this file.")
    ] = None,
    npz: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write all that happened here, an evaluation.npz for each split.")
    ] = None,
    device: Annotated[str | None, typer.Option(help="cpu, cuda. [default: a GPU if there is one]")] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="CPU threads. [default: as many as there are cores]")] = None,
) -> None:
    """Success rate, room-finding, navigation error and more, with 95% intervals over the seeds of the help budgets.

    Example: vnla evaluate runs/learned --split test_seen --split test_unseen --sweep pictures

    Example: vnla evaluate runs/policies --csv episodes.csv --metric examples.metric:steps_after_help

    Example: vnla evaluate pretrained --world worlds/small --tasks tasks/small
    """
    from vnla.common.machine import device_named, use_threads
    from vnla.evaluation.evaluate import SEEDS
    from vnla.evaluation.metrics import metrics_named
    from vnla.evaluation.spreadsheet import Spreadsheet
    from vnla.training.checkpoints import runs_in

    use_threads(threads)
    splits, chosen = list(dict.fromkeys(split or TESTS)), metrics_named(metric or ())
    speaking = _Speaking(advisor_language, options_of(advisor_option or [], "--advisor-option"), k)
    trial = _Trial(SEEDS[:seeds], help_policy, ratio, speaking, checkpoint, chosen, world, tasks, device_named(device))
    runs = runs_in(run)
    one = runs == [run]
    outputs = {each: _Output("" if one else each.name, results, npz, sweep) for each in runs}
    _check_places([*(place for each in outputs.values() for place in each.places(splits)), as_json, as_csv])
    for each in runs:
        trial.check(each)

    summaries, sheet = {}, Spreadsheet()
    for each, output in outputs.items():
        with telling() as tell:
            title, found = trial.run(each, splits, output, tell)
        plain().print(_table(f"{each}, {title}", found, chosen))
        for drawn in filter(None, map(output.of_sweep, splits)):
            typer.echo(f"success against help: {drawn}")
        summaries[each.name] = {name: done.as_dict() for name, done in found.items()}
        for name, done in found.items():
            sheet.add(each.absolute().name, name, done)
    if as_json is not None:
        write_text(as_json, json.dumps(summaries[run.name] if one else summaries, indent=2) + "\n")
    if as_csv is not None:
        sheet.write(as_csv)


def _check_places(places: Iterable[Path | None]) -> None:
    """Refuse, before the work, a place where its outcome could not be written."""
    for place in places:
        if place is not None:
            writable(place)


@dataclass(frozen=True)
class _Output:
    """Where a run's files go: into the folders that were named, or a folder in each where there are several runs."""

    run: str
    results: Path | None
    npz: Path | None
    sweep: Path | None

    def places(self, splits: Sequence[str]) -> Iterator[Path]:
        """Every file that will be written."""
        for split in splits:
            yield from (path for path in (self.of_results(split), self.of_npz(split), self.of_sweep(split)) if path)

    def of_results(self, split: str) -> Path | None:
        """The results file of a split."""
        return self.results and self.results / self.run / f"{split}.json"

    def of_npz(self, split: str) -> Path | None:
        """The evaluation of a split."""
        from vnla.evaluation.kept import EVALUATION

        return self.npz and self.npz / self.run / split / EVALUATION

    def of_sweep(self, split: str) -> Path | None:
        """The picture of success against help; its numbers stand beside it."""
        return self.sweep and self.sweep / self.run / f"sweep_{split}.png"


@dataclass(frozen=True)
class _Speaking:
    """How the advisor is to speak, if not as in training."""

    language: str | None
    options: Mapping[str, Any]
    k: int | None

    def advisor(self, own: Advisor) -> Advisor:
        """The advisor of a run as it is to speak."""
        from vnla.language.choice import ADVISORS
        from vnla.roles.advisor import Advisor as Base
        from vnla.roles.advisor import TemplateAdvisor

        if self.language is None and not self.options and (self.k is None or isinstance(own, TemplateAdvisor)):
            return own
        name = self.language or name_of(own, ADVISORS)
        role = {"k": self.k or own.k, "direct": own.direct, "speaks": own.speaks}
        return build("--advisor-language", name, ADVISORS, self.options, Base, **role)


@dataclass(frozen=True)
class _Trial:
    """How runs are evaluated."""

    seeds: tuple[int, ...]
    help_policy: str | None
    ratio: float | None
    speaking: _Speaking
    checkpoint: str | None
    metrics: Mapping[str, Metric]
    world: Path | None
    tasks: Path | None
    device: str

    def check(self, run: Path) -> None:
        """Refuse what this run cannot do, before anything large is loaded."""
        from vnla import pretrained
        from vnla.training.checkpoints import CONFIG, checkpoints_of
        from vnla.training.config import RunConfig

        folder = pretrained.FOLDER if str(run) == pretrained.NAME and not run.exists() else run
        config = RunConfig.read(folder / CONFIG)
        if _learns(self._asking(config)) and not _learns(config):
            raise InputError(
                f"{run}: was trained under the help policy {config.help_policy}, which does not learn when to ask; "
                f"--help-policy {self.help_policy} needs a run that was trained under it"
            )
        self.speaking.advisor(config.advisor)
        there = checkpoints_of(folder)
        if self.checkpoint is not None and self.checkpoint not in there:
            raise InputError(f"{run}: has no checkpoint {self.checkpoint}; it has {', '.join(there) or 'none yet'}")

    def run(self, run: Path, splits: Sequence[str], output: _Output, tell: Tell) -> tuple[str, dict[str, Evaluation]]:
        """Evaluate a run, and write what is asked for of each split; what to call it, and what was found."""
        from vnla.evaluation.evaluate import evaluate
        from vnla.evaluation.kept import write_evaluation
        from vnla.evaluation.results import results_of, write_results
        from vnla.training.trained import open_trained

        tell(f"loading {run}")
        trained = open_trained(run, world=self.world, tasks=self.tasks, device=self.device)
        config = self._asking(trained.config)
        share = config.with_ratio(self.ratio).help(training=False).ratio
        subjects = {split: self._subject(replace(trained, config=config), split) for split in splits}
        found = {}
        for split, subject in subjects.items():
            tell(f"evaluating {split}", 0, len(subject.tasks) * len(self.seeds))
            found[split] = evaluate(
                subject.players, subject.tasks, seeds=self.seeds, ratio=share, metrics=self.metrics,
                progress=partial(tell, f"evaluating {split}"),
            )  # fmt: skip
            if results := output.of_results(split):
                write_results(results, results_of(found[split], self.seeds[0]))
            if npz := output.of_npz(split):
                write_evaluation(npz, found[split])
            if sweep := output.of_sweep(split):
                _sweep(sweep, split, subject, self.seeds, tell)
        return f"help policy {config.help_policy}, τ = {share}", found

    def _asking(self, config: RunConfig) -> RunConfig:
        """The same by another help policy, if one is given."""
        return config if self.help_policy is None else config.asking(self.help_policy)

    def _subject(self, trained: Trained, split: str) -> _Subject:
        from vnla.evaluation.sweep import with_k
        from vnla.tasks.vocabulary import Forgiving
        from vnla.training.cast import make_players, vocabulary_of

        kind, material = "val_unseen" if split.endswith("unseen") else "val_seen", trained.material
        words = vocabulary_of(trained.config, material)
        config = replace(trained.config, advisor=self.speaking.advisor(trained.config.advisor))
        agent = trained.agent(self.checkpoint or kind)
        players = make_players(config, material, agent, training=False, lexicon=Forgiving(words))
        if self.speaking.k is not None and self.speaking.k != players.advisor.k:
            players = with_k(players, self.speaking.k, words)
        return _Subject(players, trained.material.evaluation_tasks(split))


def _learns(config: RunConfig) -> bool:
    """Whether training by this configuration teaches the agent when to ask."""
    return config.policy.learns


@dataclass(frozen=True)
class _Subject:
    """Who is evaluated on what."""

    players: Players
    tasks: TaskSet


def _sweep(path: Path, split: str, subject: _Subject, seeds: tuple[int, ...], tell: Tell) -> None:
    """Success against help: the picture and its numbers."""
    from vnla.evaluation.sweep import RATIOS, sweep
    from vnla.report.figures import help_figure

    what = f"evaluating {split} with more and less help"
    tell(what, 0, len(RATIOS))
    rows = sweep({subject.players.advisor.k: subject.players}, subject.tasks, seeds=seeds, progress=partial(tell, what))
    figure = help_figure({split.replace("_", " "): rows})
    write_bytes(path, figure.image)
    write_text(path.with_suffix(".json"), json.dumps(figure.data, indent=2) + "\n")


def _table(title: str, found: Mapping[str, Evaluation], metrics: Mapping[str, Metric]) -> Table:
    table = Table("", *found, title=title, title_justify="left")
    figures = [each.summary() for each in found.values()]
    for name, metric in metrics.items():
        table.add_row(name if metric.unit == name else f"{name}, {metric.unit}", *(str(each[name]) for each in figures))
    return table
