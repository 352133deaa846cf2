"""`vnla evaluate`: how well a trained agent does, or somebody else's (`vnla.cli.guests`)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vnla.cli.console import Tell, is_given, plain, telling
from vnla.cli.sharing import ShardOption, say_part
from vnla.common.errors import InputError
from vnla.common.files import writable, write_bytes, write_text
from vnla.common.named import build, name_of, options_of
from vnla.report.printing import Table

if TYPE_CHECKING:
    from vnla.cli.guests import Invitation
    from vnla.evaluation.evaluate import Evaluation
    from vnla.evaluation.metrics import Metric
    from vnla.players import Players
    from vnla.roles.advisor import Advisor
    from vnla.shards.evaluation import Merged, Slice
    from vnla.shards.parts import Parts
    from vnla.shards.shard import Shard
    from vnla.tasks.task_set import TaskSet
    from vnla.training.config import RunConfig
    from vnla.training.trained import Trained

TESTS = ("test_seen", "test_unseen")


def evaluate(
    context: typer.Context,
    run: Annotated[
        Path | None,
        typer.Argument(
            metavar="RUN", help="Folder of a run or of several, or: pretrained. Or give --agent.", show_default=False
        ),
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Not a run: http://HOST:PORT, openai:MODEL, scripted, planner or yours, a.b:C."),
    ] = None,
    split: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="val_seen, …, test_unseen; may be repeated.")
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(min=1, max=5, help="How many of the authors' five seeds. [default: 5; with --agent 1]")
    ] = None,
    subset: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="N tasks of a split, the same for everybody. [default: all]")
    ] = None,
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
        Path | None,
        typer.Option(metavar="DIR", help="World for --agent and for pretrained, or where the run's has moved to."),
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
    recorded: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Score instead what people did: a results file, of vnla study export, say."),
    ] = None,
    device: Annotated[str | None, typer.Option(help="cpu, cuda. [default: a GPU if there is one]")] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="CPU threads. [default: as many as there are cores]")] = None,
    shard: ShardOption = None,
    agent_option: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="With --agent: what it is made with; may be repeated.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="With --agent: episodes and calls, to go on from. [default: evaluations/NAME]"),
    ] = None,
    on_error: Annotated[
        str, typer.Option(metavar="WHAT", help="With --agent: a wrong answer costs a step (stay), or ends all (stop).")
    ] = "stay",
    concurrency: Annotated[int, typer.Option(min=1, max=256, help="With --agent: calls at a time.")] = 8,
    timeout: Annotated[float, typer.Option(min=0.01, help="With --agent: seconds for one try of a call.")] = 60,
    retries: Annotated[int, typer.Option(min=0, max=20, help="With --agent: tries after the first.")] = 3,
    give_up: Annotated[
        int, typer.Option(min=0, help="With --agent: leave after so many calls in a row without an answer; 0: never.")
    ] = 20,
    key_variable: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="With --agent: variable that holds a key. [default: OPENAI_API_KEY for openai:]"),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(metavar="URL", help="With openai: where it is, such as http://localhost:8000/v1.")
    ] = None,
    observe: Annotated[str, typer.Option(metavar="WHAT", help="With openai: picture, text or both.")] = "picture",
    prompt: Annotated[
        Path | None, typer.Option(metavar="FILE", help="With openai: a prompt. [default: the package's]")
    ] = None,
    max_calls: Annotated[int | None, typer.Option(min=0, help="With openai: no more calls than this.")] = None,
    max_tokens: Annotated[int | None, typer.Option(min=0, help="With openai: no more tokens than this.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="With openai: say what it may cost, and leave.")] = False,
) -> None:
    """Success rate, room-finding, navigation error and more, with 95% intervals over the seeds of the help budgets.

    With --shard i/n a part of the evaluations of --npz DIR is carried out, and kept in DIR.shards; with --shard merge all
    are put together, and everything is printed and written as without it.

    Example: vnla evaluate runs/learned --split test_seen --split test_unseen --sweep pictures

    Example: vnla evaluate runs/policies --csv episodes.csv --metric examples.metric:steps_after_help

    Example: vnla evaluate pretrained --world worlds/small --tasks tasks/small

    Example: vnla evaluate --recorded data/results.json --world worlds/small --tasks tasks/small
    Example: vnla evaluate --agent http://localhost:8000 --world worlds/small --tasks tasks/small --subset 200
    """
    from vnla.cli.guests import Invitation, Spending
    from vnla.common.machine import device_named, use_threads
    from vnla.evaluation.evaluate import SEEDS
    from vnla.evaluation.metrics import metrics_named
    from vnla.evaluation.spreadsheet import Spreadsheet
    from vnla.remote.caller import Manner
    from vnla.remote.walk import ON_ERROR
    from vnla.shards.evaluation import Merged
    from vnla.shards.shard import MERGE, Shard
    from vnla.training.checkpoints import runs_in
    from vnla.world.budgets import HELP_RATIO, SUBGOAL_ACTIONS

    use_threads(threads)
    splits, chosen = list(dict.fromkeys(split or TESTS)), metrics_named(metric or ())
    speaking = _Speaking(advisor_language, options_of(advisor_option or [], "--advisor-option"), k)
    if recorded is not None:
        if agent or any((help_policy, ratio, k, checkpoint, results, sweep, npz, shard, advisor_language, advisor_option)):
            raise InputError(
                "--recorded scores what was done; it takes only --world, --tasks, --split, --metric, --json and --csv"
            )
        _recorded(recorded, run, world, tasks, split or (), chosen, as_json, as_csv)
        return
    if agent is not None:
        _refuse(context, run is not None, _OF_RUNS, f"is for runs; --agent {agent} decides by itself")
        _check_places([*(_Output("", results, npz, None).places(splits)), as_json, as_csv])
        invitation = Invitation(
            agent, world, tasks, splits, SEEDS[: seeds or 1], chosen, HELP_RATIO if ratio is None else ratio,
            k or SUBGOAL_ACTIONS, subset, out, _one_of("--on-error", on_error, ON_ERROR), concurrency,
            Manner(timeout, retries, give_up=give_up), base_url, observe, prompt, key_variable,
            options_of(agent_option or [], "--agent-option"), Spending(max_calls, max_tokens, dry_run),
        )  # fmt: skip
        _tell_of(invitation, _Output("", results, npz, None), as_json, as_csv)
        return
    _refuse(context, False, _OF_GUESTS, "needs --agent")
    if run is None:
        raise InputError("say which RUN to evaluate, or which --agent, or which --recorded FILE to score")
    given = SEEDS[: seeds or len(SEEDS)]
    trial = _Trial(given, help_policy, ratio, speaking, checkpoint, chosen, world, tasks, device_named(device), subset)
    runs = runs_in(run)
    one = runs == [run]
    outputs = {each: _Output("" if one else each.name, results, npz, sweep) for each in runs}
    _check_places([*(place for each in outputs.values() for place in each.places(splits)), as_json, as_csv])
    for each in runs:
        trial.check(each)
    shared = None if shard is None else _shared(trial, runs, splits, npz, sweep)
    if shared is not None and shard != MERGE:
        _carry_out_part(trial, shared, Shard.parse(shard or ""), runs, splits)
        return
    merged = None if shared is None else Merged(shared, [_name(each) for each in runs], splits)

    summaries, sheet = {}, Spreadsheet()
    for each, output in outputs.items():
        with telling() as tell:
            title, found = trial.run(each, splits, output, tell, merged)
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
    if shared is not None:
        shared.remove()


def _name(run: Path) -> str:
    return run.absolute().name


def _shared(trial: _Trial, runs: Sequence[Path], splits: Sequence[str], npz: Path | None, sweep: Path | None) -> Parts:
    """The parts of what is asked for."""
    from vnla.shards.evaluation import evaluation_parts

    if npz is None:
        raise InputError("--shard: say with --npz DIR where the evaluations are to be; the parts are kept in DIR.shards")
    if sweep is not None:
        raise InputError("--shard: --sweep is not shared; run it in a job of its own")
    return evaluation_parts(npz, {_name(run): trial.folder(run) for run in runs}, {"splits": splits, **trial.settings})


def _carry_out_part(trial: _Trial, parts: Parts, shard: Shard, runs: Sequence[Path], splits: Sequence[str]) -> None:
    """Carry out what falls to a shard."""
    from vnla.shards.evaluation import slices

    mine = shard.of_all(slices([_name(run) for run in runs], splits, shard.count))
    with parts.making(shard) as place, telling() as tell:
        for run in runs if place else ():
            of_run = [each for each in mine if each.run == _name(run) and not each.file(place).exists()] if place else []
            if of_run and place:
                trial.run_slices(run, of_run, place, tell)
    say_part(parts, shard, {"slices of evaluations": len(mine)}, place is not None)


def _recorded(
    path: Path,
    run: Path | None,
    world: Path | None,
    tasks: Path | None,
    splits: Sequence[str],
    metrics: Mapping[str, Metric],
    as_json: Path | None,
    as_csv: Path | None,
) -> None:
    """Score a file of what people did in a world, which is that of a run if one is named."""
    from vnla.evaluation.recorded import score_recorded, spreadsheet
    from vnla.houses.folder import read_world
    from vnla.tasks.dataset import read_dataset
    from vnla.training.checkpoints import CONFIG
    from vnla.training.config import RunConfig

    _check_places([as_json, as_csv])
    if (world is None or tasks is None) and run is not None:
        config = RunConfig.read(run / CONFIG)
        world, tasks = world or Path(config.world), tasks or Path(config.tasks)
    if world is None or tasks is None:
        raise InputError("--recorded: say in which --world and with which --tasks it was done")
    dataset = read_dataset(tasks)
    with telling() as tell:
        tell(f"scoring {path}")
        known = [task for split in splits or dataset.paths for task in dataset.split(split)]
        found = score_recorded(path, read_world(world).houses, known, dataset.budgets, metrics)
    (name, first), *others = found.items()
    values = {name: first.as_dict(), **{each: condition.as_dict((name, first)) for each, condition in others}}
    counts = [(field, [str(each[field]) for each in values.values()]) for field in ("participants", "episodes")]
    figures = {each: done.summary() for each, done in found.items()}
    metrics = {each: metrics[each] for each in metrics if not all(isnan(done[each].value) for done in figures.values())}
    plain().print(_figures(f"{path}, 95% intervals over people", figures, metrics, counts))
    if others:
        plain().print(_figures(f"difference to {name}", {each: done.minus(first) for each, done in others}, metrics))
    if as_json is not None:
        write_text(as_json, json.dumps(values, indent=2) + "\n")
    if as_csv is not None:
        write_text(as_csv, spreadsheet(found))


_OF_RUNS = ("help_policy", "checkpoint", "sweep", "shard", "advisor_language", "advisor_option")
_OF_GUESTS = (
    "agent_option", "out", "on_error", "concurrency", "timeout", "retries", "give_up", "key_variable", "base_url", "observe",
    "prompt", "max_calls", "max_tokens", "dry_run",
)  # fmt: skip


def _refuse(context: typer.Context, both: bool, options: Sequence[str], why: str) -> None:
    """Refuse what belongs to the other kind of agent."""
    given = [name for name in options if is_given(context, name)]
    if both or given:
        raise InputError(f"{'RUN' if both else '--' + given[0].replace('_', '-')} {why}")


def _one_of(option: str, value: str, choices: Sequence[str]) -> str:
    if value not in choices:
        raise InputError(f"{option} {value}: choose from {', '.join(choices)}")
    return value


def _tell_of(invitation: Invitation, output: _Output, as_json: Path | None, as_csv: Path | None) -> None:
    """Evaluate a guest; its table, its errors, and the files that are asked for."""
    from vnla.evaluation.kept import write_evaluation
    from vnla.evaluation.results import results_of, write_results
    from vnla.evaluation.spreadsheet import Spreadsheet

    title, visits, summary = invitation.run()
    found, sheet = {split: visit.evaluation for split, visit in visits.items()}, Spreadsheet()
    plain().print(_table(title, found, invitation.metrics))
    for split, visit in visits.items():
        kinds = ", ".join(f"{kind} {times:,}" for kind, times in sorted(visit.errors.items())) or "none"
        plain().print(f"errors of the agent on {split}, in {visit.answers:,} answers: {kinds}")
        if results := output.of_results(split):
            write_results(results, results_of(visit.evaluation, invitation.seeds[0]))
        if npz := output.of_npz(split):
            write_evaluation(npz, visit.evaluation)
        sheet.add(invitation.agent, split, visit.evaluation)
    if invitation.place is not None:
        typer.echo(f"episodes, calls and results: {invitation.place}")
    if as_json is not None:
        write_text(as_json, json.dumps(summary, indent=2) + "\n")
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
        self, run: Path, splits: Sequence[str], output: _Output, tell: Tell, merged: Merged | None = None
    ) -> tuple[str, dict[str, Evaluation]]:
        """Evaluate a run, or take what shards found, and write what is asked for of each split; what to call it, and what
        was found."""
        from vnla.evaluation.evaluate import evaluate
        from vnla.evaluation.kept import write_evaluation
        from vnla.evaluation.results import results_of, write_results

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
            if results := output.of_results(split):
                write_results(results, results_of(found[split], self.seeds[0]))
            if npz := output.of_npz(split):
                write_evaluation(npz, found[split])
            if sweep := output.of_sweep(split):
                _sweep(sweep, split, subject, self.seeds, tell)
        drawn = "" if self.subset is None else f", a subset of {self.subset:,} tasks"
        return f"help policy {config.help_policy}, τ = {share}{drawn}", found

    def run_slices(self, run: Path, mine: Sequence[Slice], place: Path, tell: Tell) -> None:
        """Carry out slices of a run's evaluations, and write each into a folder."""
        from vnla.evaluation.evaluate import played
        from vnla.shards.evaluation import write_slice

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
        from vnla import pretrained

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
        from vnla.training.cast import lexicon_for, make_players, vocabulary_of

        kind, material = "val_unseen" if split.endswith("unseen") else "val_seen", trained.material
        words = vocabulary_of(trained.config, material)
        config = replace(trained.config, advisor=self.speaking.advisor(trained.config.advisor))
        agent = trained.agent(self.checkpoint or kind)
        lexicon = lexicon_for(agent, words, config.advisor.words())
        players = make_players(config, material, agent, training=False, lexicon=lexicon)
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
    return _figures(title, {name: each.summary() for name, each in found.items()}, metrics)


def _figures(
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
