"""Agents: trained, opened, and evaluated."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from vnla.api.options import EvaluateOptions, LoadOptions, Place, TrainOptions, WalkOptions
from vnla.common.errors import INTERRUPTED, InputError

if TYPE_CHECKING:
    from vnla.agents.agent import Agent
    from vnla.agents.policy import Policy
    from vnla.cli.guests import GuestTrial
    from vnla.cli.trial import RunTrial
    from vnla.evaluation.evaluate import Evaluation
    from vnla.report.story import Account
    from vnla.rollout import RolloutContext
    from vnla.tasks.task import Task
    from vnla.training.trained import Trained


def train(run: Place, **options: Unpack[TrainOptions]) -> list[Path]:
    """Train an agent with the options of `vnla train`, or go on where it was; the folders of the runs.

    There is one folder, `run`, unless several policies, seeds or variants are given. A run that is there needs no options,
    but may be given more `iterations`, and where its `world` and `tasks` are now. Ctrl-C saves, and is raised then.
    """
    from vnla.cli import train as command
    from vnla.cli.asking import asked

    given = asked(command.train, [run], options, TrainOptions.__annotations__)
    runs, status = command.train_all(given.pop("context"), given.pop("run"), given)
    if status == INTERRUPTED:
        raise KeyboardInterrupt(signal.SIGINT.name)
    if status:
        raise SystemExit(status)
    return runs


@dataclass(frozen=True)
class LoadedAgent:
    """A trained agent with its world and its tasks, ready to walk."""

    run: Path
    """The folder of its run, or pretrained."""
    checkpoint: str
    trained: Trained

    @cached_property
    def agent(self) -> Agent:
        """The agent itself, a PyTorch module."""
        return self.trained.agent(self.checkpoint)

    @cached_property
    def rollout_context(self) -> RolloutContext:
        """It with its advisor and its help policy, as they are when it is evaluated."""
        from vnla.training.context import make_context

        return make_context(self.trained.config, self.trained.material, self.agent, training=False)

    def tasks(self, split: str) -> tuple[Task, ...]:
        """The tasks of a split."""
        return tuple(self.trained.material.evaluation_tasks(split).tasks)

    def walk(self, **options: Unpack[WalkOptions]) -> Account:
        """One episode, with the options of `vnla watch`: `episode` is the id of a task, the first of the `split` if there is
        none. An account has `success`, `walked`, its steps (`steps`), and `walk()` for `draw_house`."""
        from vnla.cli import watch
        from vnla.cli.asking import asked
        from vnla.evaluation.evaluate import run_task, task_named
        from vnla.report.story import follow

        given = asked(watch.watch, [self.run], options, WalkOptions.__annotations__)
        material = self.trained.material
        tasks = material.evaluation_tasks(given["split"])
        task = task_named(tasks, given["episode"] or tasks.tasks[0].id)
        house = next(each for each in material.folder.houses if each.name == task.house)
        ratio = self.trained.config.with_ratio(given["ratio"]).help(training=False).ratio
        rollout = run_task(self.rollout_context, tasks, task.id, seed=given["seed"], ratio=ratio)
        return follow(rollout, 0, house, task, self.rollout_context.advisor)

    def as_policy(self) -> Policy:
        """Return it as a policy that acts one episode at a time: what a server behind an address runs."""
        from vnla.remote.trained_policy import TrainedPolicy

        return TrainedPolicy(self.trained, self.checkpoint)


def load_agent(run: Place, **options: Unpack[LoadOptions]) -> LoadedAgent:
    """The agent of a run, or "pretrained", in the small world unless told otherwise, with the options of `vnla watch`."""
    from vnla.cli import watch
    from vnla.cli.asking import asked
    from vnla.cli.embedded import open_run
    from vnla.common.machine import device_named

    given = asked(watch.watch, [run], options, LoadOptions.__annotations__)
    trained = open_run(
        given["run"], world=given["world"], tasks=given["tasks"], device=device_named(given["device"]),
        forward=given["forward"],
    )  # fmt: skip
    loaded = LoadedAgent(given["run"], given["checkpoint"], trained)
    _ = loaded.agent  # what is wrong with a checkpoint is said here
    return loaded


def evaluate(run: Place | LoadedAgent | None = None, **options: Unpack[EvaluateOptions]) -> dict[str, Evaluation]:
    """Evaluate a run, "pretrained", or a loaded agent, with the options of `vnla evaluate`; split → what was found.

    Without a run, `agent` says who is evaluated: "scripted", "planner", an address, or a policy of yours. An evaluation has
    `figure("success_rate")`, `summary()` with all figures and their 95% intervals, and `scores` with every episode.
    """
    from vnla.cli import evaluate as command
    from vnla.cli.asking import asked
    from vnla.cli.guests import GuestOptions
    from vnla.cli.options import made_from
    from vnla.cli.outcome import EvaluationOptions
    from vnla.cli.trial import RunTrialOptions
    from vnla.common.machine import use_threads

    if isinstance(run, LoadedAgent):
        config = run.trained.config
        own = {"world": config.world, "tasks": config.tasks, "checkpoint": _saved(run), "forward": config.forward}
        run, asks = run.run, {**own, **options}
    else:
        asks = {**options}
    given = asked(command.evaluate, [] if run is None else [run], asks, EvaluateOptions.__annotations__)
    how = made_from(EvaluationOptions, given)
    use_threads(how.threads)
    if given["agent"] is not None:
        of_guests = made_from(GuestOptions, given)
        return _of_guest(command.guest_trial(given["context"], given["run"], given["agent"], how, of_guests))
    return _of_run(command.run_trial(given["context"], how, made_from(RunTrialOptions, given)), given["run"])


def _saved(loaded: LoadedAgent) -> str | None:
    """The checkpoint that a loaded agent is from, where there is a choice."""
    return None if loaded.trained.only else loaded.checkpoint


def _of_run(trial: RunTrial, run: Path | None) -> dict[str, Evaluation]:
    from vnla.cli.console import telling
    from vnla.cli.outcome import check_places
    from vnla.training.checkpoints import runs_in

    if run is None:
        raise InputError("evaluate: say which run to evaluate, or which agent")
    if runs_in(run) != [run]:
        raise InputError(f"{run}: holds several runs; evaluate them one by one")
    output = trial.options.output(sweep=trial.own.sweep)
    check_places(output.places(trial.options.splits))
    trial.check(run)
    with telling() as tell:
        return trial.run(run, output, tell)[1]


def _of_guest(trial: GuestTrial) -> dict[str, Evaluation]:
    from vnla.cli.outcome import check_places

    output = trial.options.output()
    check_places(output.places(trial.options.splits))
    found = {split: visit.evaluation for split, visit in trial.run()[1].items()}
    for split, each in found.items():
        output.write(split, each)
    return found
