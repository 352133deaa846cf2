"""Trained agents, evaluated: one run or all of a folder, here or shared among machines."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from vnla.cli.console import plain, telling
from vnla.cli.outcome import Output, check_places, houses_note, table_of
from vnla.cli.sharing import say_part
from vnla.common.errors import InputError
from vnla.common.files import write_bytes, write_text
from vnla.common.progress import Tell
from vnla.common.registry import name_of

if TYPE_CHECKING:
    from vnla.assistance.advisor import Advisor
    from vnla.evaluation.evaluate import Evaluation
    from vnla.evaluation.metrics import Metric
    from vnla.pipeline.shards.evaluation import EvaluationSlice, MergedEvaluations
    from vnla.pipeline.shards.parts import ShardParts
    from vnla.pipeline.shards.shard import Shard
    from vnla.rollout import RolloutContext
    from vnla.tasks.task_set import TaskSet
    from vnla.training.config import RunConfig
    from vnla.training.trained import Trained


def try_runs(
    run: Path,
    trial: Trial,
    splits: Sequence[str],
    *,
    results: Path | None = None,
    npz: Path | None = None,
    sweep: Path | None = None,
    shard: str | None = None,
    as_json: Path | None = None,
    as_csv: Path | None = None,
) -> None:
    """Evaluate a run, or all in a folder: a table of each, and the files that are asked for."""
    from vnla.evaluation.spreadsheet import Spreadsheet
    from vnla.pipeline.shards.evaluation import MergedEvaluations
    from vnla.pipeline.shards.shard import MERGE, Shard
    from vnla.training.checkpoints import runs_in

    runs = runs_in(run)
    one = runs == [run]
    outputs = {each: Output("" if one else each.name, results, npz, sweep) for each in runs}
    check_places([*(place for each in outputs.values() for place in each.places(splits)), as_json, as_csv])
    for each in runs:
        trial.check(each)
    shared = None if shard is None else _shared(trial, runs, splits, npz, sweep)
    if shared is not None and shard != MERGE:
        _carry_out_part(trial, shared, Shard.parse(shard or ""), runs, splits)
        return
    merged = None if shared is None else MergedEvaluations(shared, [_name(each) for each in runs], splits)

    summaries, sheet = {}, Spreadsheet()
    for each, output in outputs.items():
        with telling() as tell:
            title, found = trial.run(each, splits, output, tell, merged)
        plain().print(table_of(f"{each}, {title}", found, trial.metrics))
        if note := houses_note(found):
            plain().print(note)
        for drawn in filter(None, map(output.of_sweep, splits)):
            typer.echo(f"success against help: {drawn}")
        summaries[each.name] = {name: done.as_dict() for name, done in found.items()}
        for name, done in found.items():
            sheet.add(each.absolute().name, name, done)
    if as_json is not None:
        write_text(as_json, json.dumps(summaries[run.name] if one else summaries, indent=2) + "\n")
    if as_csv is not None:
        sheet.write(as_csv)
    if shared is not None:
        shared.remove()


def _name(run: Path) -> str:
    return run.absolute().name


def _shared(trial: Trial, runs: Sequence[Path], splits: Sequence[str], npz: Path | None, sweep: Path | None) -> ShardParts:
    """The parts of what is asked for."""
    from vnla.pipeline.shards.evaluation import evaluation_parts

    if npz is None:
        raise InputError("--shard: say with --npz DIR where the evaluations are to be; the parts are kept in DIR.shards")
    if sweep is not None:
        raise InputError("--shard: --sweep is not shared; run it in a job of its own")
    return evaluation_parts(npz, {_name(run): trial.folder(run) for run in runs}, {"splits": splits, **trial.settings})


def _carry_out_part(trial: Trial, parts: ShardParts, shard: Shard, runs: Sequence[Path], splits: Sequence[str]) -> None:
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
        if self.language in (None, "template") and not self.options:
            return {}
        return {"advisor": self.language or "template", "advisor_options": dict(self.options)}


@dataclass(frozen=True)
class Trial:
    """How runs are evaluated."""

    seeds: tuple[int, ...]
    help_policy: str | None
    ratio: float | None
    speaking: Speaking
    checkpoint: str | None
    metrics: Mapping[str, Metric]
    world: Path | None
    tasks: Path | None
    device: str
    subset: int | None = None

    def check(self, run: Path) -> None:
        """Refuse what this run cannot do, before anything large is loaded."""
        from vnla.training.checkpoints import CONFIG, checkpoints_of
        from vnla.training.config import RunConfig

        folder = self.folder(run)
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

    def run(
        self, run: Path, splits: Sequence[str], output: Output, tell: Tell, merged: MergedEvaluations | None = None
    ) -> tuple[str, dict[str, Evaluation]]:
        """Evaluate a run, or take what shards found, and write what is asked for of each split; what to call it, and what
        was found."""
        from vnla.evaluation.evaluate import evaluate

        config, share, subjects = self._ready(run, splits, tell)
        found = {}
        for split, subject in subjects.items():
            tell(f"evaluating {split}", 0, len(subject.tasks) * len(self.seeds))
            if merged is not None:
                found[split] = merged.evaluation(_name(run), split, subject.tasks, self.seeds, self.metrics)
            else:
                found[split] = evaluate(
                    subject.players, subject.tasks, seeds=self.seeds, ratio=share, metrics=self.metrics,
                    progress=partial(tell, f"evaluating {split}"),
                )  # fmt: skip
            output.write(split, found[split])
            if sweep := output.of_sweep(split):
                _sweep(sweep, split, subject, self.seeds, tell)
        drawn = "" if self.subset is None else f", a subset of {self.subset:,} tasks"
        return f"help policy {config.help_policy}, τ = {share}{drawn}", found

    def run_slices(self, run: Path, mine: Sequence[EvaluationSlice], place: Path, tell: Tell) -> None:
        """Carry out slices of a run's evaluations, and write each into a folder."""
        from vnla.evaluation.evaluate import played
        from vnla.pipeline.shards.evaluation import write_slice

        _, share, subjects = self._ready(run, list(dict.fromkeys(each.split for each in mine)), tell)
        for each in mine:
            subject = subjects[each.split]
            pieces = played(
                subject.players, subject.tasks, seeds=self.seeds, ratio=share, metrics=self.metrics, every=each.every,
                progress=partial(tell, f"evaluating {each.run}, {each.split}"),
            )  # fmt: skip
            write_slice(place, each, list(pieces), subject.tasks, self.seeds)

    @property
    def settings(self) -> dict[str, Any]:
        """What decides the outcome beside the runs, as JSON holds it."""
        chosen = {name: getattr(self, name) for name in ("help_policy", "ratio", "checkpoint", "subset")}
        spoken = {"language": self.speaking.language, "options": dict(self.speaking.options), "k": self.speaking.k}
        return {
            **chosen,
            "advisor": spoken,
            "seeds": list(self.seeds),
            "metrics": list(self.metrics),
            "device": self.device.partition(":")[0],
        }

    def folder(self, run: Path) -> Path:
        """Where a run is: that of the package has a name for it."""
        from vnla.agents import pretrained

        return pretrained.FOLDER if str(run) == pretrained.NAME and not run.exists() else run

    def _ready(self, run: Path, splits: Sequence[str], tell: Tell) -> tuple[RunConfig, float, dict[str, _Subject]]:
        """A run that was opened: how it asks, for which share of the time, and who is evaluated on what."""
        from vnla.training.trained import open_trained

        tell(f"loading {run}")
        trained = open_trained(run, world=self.world, tasks=self.tasks, device=self.device)
        config = self._asking(trained.config)
        share = config.with_ratio(self.ratio).help(training=False).ratio
        return config, share, {split: self._subject(replace(trained, config=config), split) for split in splits}

    def _asking(self, config: RunConfig) -> RunConfig:
        """The same by another help policy, if one is given."""
        return config if self.help_policy is None else config.asking(self.help_policy)

    def _subject(self, trained: Trained, split: str) -> _Subject:
        from vnla.evaluation.sweep import with_k
        from vnla.training.context import lexicon_for, make_context, vocabulary_of

        material = trained.material
        words = vocabulary_of(trained.config, material)
        config = replace(trained.config, advisor=self.speaking.advisor(trained.config.advisor))
        agent = trained.agent_for(split, self.checkpoint)
        lexicon = lexicon_for(agent, words, config.advisor.words())
        players = make_context(config, material, agent, training=False, lexicon=lexicon)
        if self.speaking.k is not None and self.speaking.k != players.advisor.k:
            players = with_k(players, self.speaking.k, words)
        return _Subject(players, self._tasks(trained, split))

    def _tasks(self, trained: Trained, split: str) -> TaskSet:
        from vnla.tasks.sampling import subset
        from vnla.tasks.task_set import TaskSet

        material = trained.material
        if self.subset is None:
            return material.evaluation_tasks(split)
        data = material.dataset
        chosen = subset(data.split(split), self.subset)
        return TaskSet.compile(material.world, chosen, data.budgets, vocabulary=data.vocabulary)


def _learns(config: RunConfig) -> bool:
    """Whether training by this configuration teaches the agent when to ask."""
    return config.policy.learns


@dataclass(frozen=True)
class _Subject:
    """Who is evaluated on what."""

    players: RolloutContext
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
