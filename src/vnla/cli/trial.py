"""Trained agents, evaluated: one run or all of a folder, here or shared among machines."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from vnla.agents import pretrained
from vnla.cli.console import telling
from vnla.cli.options import CheckpointOption
from vnla.cli.outcome import (
    ADVISOR_COUNTS,
    EvaluationOptions,
    Output,
    Speaking,
    check_places,
    print_account,
    print_evaluations,
)
from vnla.cli.sharing import ShardOption, say_part
from vnla.common.errors import InputError
from vnla.common.files import write_bytes, write_text
from vnla.common.options import option
from vnla.common.progress import Tell
from vnla.common.registry import options_of

if TYPE_CHECKING:
    from vnla.evaluation.evaluate import Evaluation
    from vnla.evaluation.metrics import Metric
    from vnla.pipeline.shards.evaluation import EvaluationSlice, MergedEvaluations
    from vnla.pipeline.shards.parts import ShardParts
    from vnla.pipeline.shards.shard import Shard
    from vnla.rollout import RolloutContext
    from vnla.tasks.task_set import TaskSet
    from vnla.training.config import RunConfig
    from vnla.training.trained import Trained


@dataclass(frozen=True)
class RunTrialOptions:
    """What may be said of runs alone: another agent decides by itself."""

    help_policy: str | None = option(
        None, "none, first, random, teacher, learned, spaced, entropy. [default: the run's]", metavar="NAME"
    )
    help_option: list[str] | None = option(None, "An option of the help policy; may be repeated.", metavar="NAME=VALUE")
    checkpoint: CheckpointOption = None
    sweep: Path | None = option(
        None, "Also evaluate with more and less help (τ from 0 to 1) and draw it into DIR.", metavar="DIR"
    )
    shard: ShardOption = None

    def asking(self, config: RunConfig) -> RunConfig:
        """The same by another help policy or with other options of it, if they are given."""
        given = options_of(self.help_option or [], "--help-option")
        if self.help_policy is None:
            return config.asking(config.help_policy, {**config.help_options, **given}) if given else config
        return config.asking(self.help_policy, given)


def evaluate_runs(run: Path, trial: RunTrial) -> None:
    """Evaluate a run, or all in a folder: a table of each, and the files that are asked for."""
    from vnla.evaluation.spreadsheet import Spreadsheet
    from vnla.pipeline.shards.evaluation import MergedEvaluations
    from vnla.pipeline.shards.shard import MERGE, Shard
    from vnla.training.checkpoints import runs_in

    runs, options, splits, shard = runs_in(run), trial.options, trial.options.splits, trial.own.shard
    one = runs == [run]
    outputs = {each: options.output("" if one else each.name, trial.own.sweep) for each in runs}
    check_places(place for each in outputs.values() for place in each.places(splits))
    check_places([options.as_json, options.as_csv])
    for each in runs:
        trial.check(each)
    shared = None if shard is None else trial.parts(runs)
    if shared is not None and shard != MERGE:
        _carry_out_part(trial, shared, Shard.parse(shard or ""), runs, splits)
        return
    merged = None if shared is None else MergedEvaluations(shared, [_name(each) for each in runs], splits)

    summaries, sheet = {}, Spreadsheet()
    for each, output in outputs.items():
        with telling() as tell:
            title, found, accounts = trial.run(each, output, tell, merged)
        print_evaluations(f"{each}, {title}", found, trial.metrics, trial.note(each))
        for split, account in accounts.items():
            print_account(split, account)
        for drawn in filter(None, map(output.of_sweep, splits)):
            typer.echo(f"success against help: {drawn}")
        agent = {"sensors": trial.sensors(each), **asdict(trial.asking(each))}
        counts = {name: {ADVISOR_COUNTS: account} if account else {} for name, account in accounts.items()}
        summaries[each.name] = {name: agent | counts[name] | done.as_dict() for name, done in found.items()}
        for name, done in found.items():
            sheet.add(each.absolute().name, name, done)
    options.write(summaries[run.name] if one else summaries, sheet)
    if shared is not None:
        shared.remove()


def _name(run: Path) -> str:
    return run.absolute().name


def _carry_out_part(trial: RunTrial, parts: ShardParts, shard: Shard, runs: Sequence[Path], splits: Sequence[str]) -> None:
    """Carry out what falls to a shard."""
    from vnla.pipeline.shards.evaluation import slices

    mine = shard.of_all(slices([_name(run) for run in runs], splits, shard.count))
    with parts.making(shard) as place, telling() as tell:
        for run in runs if place else ():
            of_run = [each for each in mine if each.run == _name(run) and not each.file(place).exists()] if place else []
            if of_run and place:
                trial.run_slices(run, of_run, place, tell)
    say_part(parts, shard, {"slices of evaluations": len(mine)}, place is not None)


@dataclass(frozen=True)
class AskingRecord:
    """How an agent asks, for a table's title and a JSON file."""

    help_policy: str
    help_options: Mapping[str, bool | float | str | None]
    help_options_chosen_on: str | None
    """The dev set on which `vnla tune` chose the options; None where they are the run's own or were given."""

    def __str__(self) -> str:
        said = [f"{name} {value}" for name, value in self.help_options.items()]
        said += [f"chosen on {self.help_options_chosen_on}"] if self.help_options_chosen_on else []
        return f"{self.help_policy} ({', '.join(said)})" if said else self.help_policy


@dataclass(frozen=True)
class RunTrial:
    """How runs are evaluated."""

    options: EvaluationOptions
    own: RunTrialOptions
    speaking: Speaking
    metrics: Mapping[str, Metric]
    device: str

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds of the help budgets."""
        from vnla.evaluation.evaluate import SEEDS

        return SEEDS[: self.options.seeds or len(SEEDS)]

    def parts(self, runs: Sequence[Path]) -> ShardParts:
        """The parts of the evaluations of runs that shards carry out."""
        from vnla.pipeline.shards.evaluation import evaluation_parts

        if self.options.npz is None:
            raise InputError("--shard: say with --npz DIR where the evaluations are to be; the parts are kept in DIR.shards")
        if self.own.sweep is not None:
            raise InputError("--shard: --sweep is not shared; run it in a job of its own")
        folders = {_name(run): pretrained.folder_of(run) for run in runs}
        return evaluation_parts(self.options.npz, folders, {"splits": self.options.splits, **self.settings})

    def check(self, run: Path) -> None:
        """Refuse what this run cannot do, before anything large is loaded."""
        from vnla.training.checkpoints import CONFIG, as_tuned, checkpoints_of
        from vnla.training.config import RunConfig

        folder = pretrained.folder_of(run)
        config = RunConfig.read(folder / CONFIG)
        if _learns(self.own.asking(as_tuned(folder, config))) and not _learns(config):
            raise InputError(
                f"{run}: was trained under the help policy {config.help_policy}, which does not learn when to ask; "
                f"--help-policy {self.own.help_policy} needs a run that was trained under it"
            )
        self.speaking.advisor(config.advisor)
        there = checkpoints_of(folder)
        if self.own.checkpoint is not None and self.own.checkpoint not in there:
            raise InputError(f"{run}: has no checkpoint {self.own.checkpoint}; it has {', '.join(there) or 'none yet'}")

    def sensors(self, run: Path) -> list[str]:
        """The sensors of a run's agent beside the view."""
        from vnla.agents.sensor_registry import sensors_named
        from vnla.training.checkpoints import CONFIG
        from vnla.training.config import RunConfig

        return list(sensors_named(RunConfig.read(pretrained.folder_of(run) / CONFIG).sensors))

    def asking(self, run: Path) -> AskingRecord:
        """How a run's agent asks in its evaluation."""
        from vnla.assistance.help_policies import options_of_policy
        from vnla.training.checkpoints import CONFIG, as_tuned, tuned_on
        from vnla.training.config import RunConfig

        folder = pretrained.folder_of(run)
        tuned = as_tuned(folder, RunConfig.read(folder / CONFIG))
        config = self.own.asking(tuned)
        chosen_on = tuned_on(folder) if config == tuned else None
        return AskingRecord(config.help_policy, options_of_policy(config.policy), chosen_on)

    def note(self, run: Path) -> str:
        """What a reader should know of these."""
        from vnla.agents.sensor_notes import sensors_note

        return sensors_note([",".join(self.sensors(run))])

    def run(
        self, run: Path, output: Output, tell: Tell, merged: MergedEvaluations | None = None
    ) -> tuple[str, dict[str, Evaluation], dict[str, Mapping[str, int]]]:
        """Evaluate a run, or take what shards found, and write what is asked for of each split; what to call it, what was
        found, and what the advisor has to tell."""
        from vnla.agents.sensor_notes import sensors_text
        from vnla.evaluation.evaluate import evaluate

        config, share, subjects = self._ready(run, self.options.splits, tell)
        found: dict[str, Evaluation] = {}
        accounts: dict[str, Mapping[str, int]] = {}
        for split, subject in subjects.items():
            tell(f"evaluating {split}", 0, len(subject.tasks) * len(self.seeds))
            if merged is not None:
                found[split] = merged.evaluation(_name(run), split, subject.tasks, self.seeds, self.metrics)
            else:
                found[split] = evaluate(
                    subject.context, subject.tasks, seeds=self.seeds, ratio=share, metrics=self.metrics,
                    progress=partial(tell, f"evaluating {split}"),
                )  # fmt: skip
            output.write(split, found[split])
            accounts[split] = subject.context.bound_advisor.account
            if sweep := output.of_sweep(split):
                _sweep(sweep, split, subject, self.seeds, tell)
        drawn = "" if self.options.subset is None else f", a subset of {self.options.subset:,} tasks"
        seen = f"sensors: {sensors_text(config.sensors)}, forward {config.forward}"
        return f"help policy {self.asking(run)}, τ = {share}{drawn}, {seen}", found, accounts

    def run_slices(self, run: Path, mine: Sequence[EvaluationSlice], place: Path, tell: Tell) -> None:
        """Carry out slices of a run's evaluations, and write each into a folder."""
        from vnla.evaluation.evaluate import played
        from vnla.pipeline.shards.evaluation import write_slice

        _, share, subjects = self._ready(run, list(dict.fromkeys(each.split for each in mine)), tell)
        for each in mine:
            subject = subjects[each.split]
            pieces = played(
                subject.context, subject.tasks, seeds=self.seeds, ratio=share, metrics=self.metrics, every=each.every,
                progress=partial(tell, f"evaluating {each.run}, {each.split}"),
            )  # fmt: skip
            write_slice(place, each, list(pieces), subject.tasks, self.seeds)

    @property
    def settings(self) -> dict[str, Any]:
        """What decides the outcome beside the runs, as JSON holds it."""
        chosen = {
            "help_policy": self.own.help_policy,
            "ratio": self.options.ratio,
            "checkpoint": self.own.checkpoint,
            "subset": self.options.subset,
            **{name: each for name, each in self._further.items() if each is not None},
        }
        spoken = {"language": self.speaking.language, "options": dict(self.speaking.options), "k": self.speaking.k}
        return {
            **chosen,
            "advisor": spoken,
            "seeds": list(self.seeds),
            "metrics": list(self.metrics),
            "device": self.device.partition(":")[0],
        }

    @property
    def _further(self) -> dict[str, Any]:
        """Options that are noted where they are given alone, as they came later."""
        return {"forward": self.options.forward, "help_option": self.own.help_option}

    def _ready(self, run: Path, splits: Sequence[str], tell: Tell) -> tuple[RunConfig, float, dict[str, _Subject]]:
        """A run that was opened: how it asks, for which share of the time, and who is evaluated on what."""
        from vnla.cli.embedded import open_run

        tell(f"loading {run}")
        options = self.options
        trained = open_run(run, world=options.world, tasks=options.tasks, device=self.device, forward=options.forward)
        config = self.own.asking(trained.config)
        share = config.with_ratio(options.ratio).help(training=False).ratio
        return config, share, {split: self._subject(replace(trained, config=config), split) for split in splits}

    def _subject(self, trained: Trained, split: str) -> _Subject:
        from vnla.evaluation.sweep import with_k
        from vnla.training.context import lexicon_for, make_context, vocabulary_of

        material = trained.material
        words = vocabulary_of(trained.config, material)
        config = replace(trained.config, advisor=self.speaking.advisor(trained.config.advisor))
        agent = trained.agent_for(split, self.own.checkpoint)
        lexicon = lexicon_for(agent, words, config.advisor.words())
        context = make_context(config, material, agent, training=False, lexicon=lexicon)
        if self.speaking.k is not None and self.speaking.k != context.advisor.k:
            context = with_k(context, self.speaking.k, words)
        return _Subject(context, self._tasks(trained, split))

    def _tasks(self, trained: Trained, split: str) -> TaskSet:
        from vnla.tasks.sampling import subset
        from vnla.tasks.task_set import TaskSet

        material = trained.material
        if self.options.subset is None:
            return material.evaluation_tasks(split)
        data = material.dataset
        chosen = subset(data.split(split), self.options.subset)
        return TaskSet.compile(material.world, chosen, data.budgets, vocabulary=data.vocabulary)


def _learns(config: RunConfig) -> bool:
    """Whether training by this configuration teaches the agent when to ask."""
    return config.policy.learns


@dataclass(frozen=True)
class _Subject:
    """Who is evaluated on what."""

    context: RolloutContext
    tasks: TaskSet


def _sweep(path: Path, split: str, subject: _Subject, seeds: tuple[int, ...], tell: Tell) -> None:
    """Success against help: the picture and its numbers."""
    from vnla.evaluation.sweep import RATIOS, sweep
    from vnla.report.result_figures import help_figure

    what = f"evaluating {split} with more and less help"
    tell(what, 0, len(RATIOS))
    rows = sweep({subject.context.advisor.k: subject.context}, subject.tasks, seeds=seeds, progress=partial(tell, what))
    figure = help_figure({split.replace("_", " "): rows})
    write_bytes(path, figure.image)
    write_text(path.with_suffix(".json"), json.dumps(figure.data, indent=2) + "\n")
