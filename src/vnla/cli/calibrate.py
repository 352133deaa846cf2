"""`vnla calibrate`: what a trained agent can be trusted with."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from vnla.agents import pretrained
from vnla.cli.console import LARGEST_SEED, plain, telling
from vnla.cli.options import DeviceOption, FoundOption, OneCheckpointOption, RunArgument, ThreadsOption, takes_options
from vnla.common.errors import InputError
from vnla.common.files import writable, write_text
from vnla.common.options import option
from vnla.common.progress import Tell
from vnla.report.printing import Table

if TYPE_CHECKING:
    from vnla.evaluation.calibrate import Calibration, Held
    from vnla.evaluation.conformal import ThresholdTest
    from vnla.evaluation.sureness import Sample
    from vnla.tasks.task import Task

CALIBRATION = "calibration.json"
MOST = 4
"""Tasks of a house that a check draws from."""
KNOWN = ("train", "val_unseen")
"""Splits of a run's data set in whose houses its agent was trained or chosen."""
MEANINGS = {
    "says": "found it: says so",
    "wrong": "found it: wrong, of these",
    "success": "certain: succeeds",
    "asks": "certain: steps at which somebody acts",
    "as_taught": "as taught: goes the teacher's way",
    "asks_as_taught": "as taught: steps at which somebody acts",
}
"""What the command calls the shares."""


class _Ground(NamedTuple):
    """Where the houses are, if not where the run's are."""

    world: Path | None
    tasks: Path | None


@dataclass(frozen=True)
class CalibrateOptions:
    """How an agent is calibrated."""

    risk: float = option(0.1, "Share of cases in which each guarantee may fail.", metavar="SHARE")
    confidence: float = option(0.9, "Probability that the guarantees fail no more often than that.", metavar="SHARE")
    split: str = option("test_unseen", "Which of its splits.", metavar="NAME")
    checkpoint: OneCheckpointOption = "val_unseen"
    seed: int = option(0, "Seed of the tasks that are drawn, and of the help budgets.", min=0, max=LARGEST_SEED)
    device: DeviceOption = None


@dataclass(frozen=True)
class _Calibrated(CalibrateOptions):
    """Who is calibrated, and how."""

    run: Path = Path()

    def fresh_houses(self, ground: _Ground) -> int:
        """How many houses there are. What is wrong with them or with the run is said before anything large is loaded."""
        from vnla.evaluation.calibrate import check_fresh
        from vnla.tasks.dataset import read_dataset
        from vnla.training.checkpoints import CONFIG, check_places, checkpoints_of
        from vnla.training.config import RunConfig

        saved = RunConfig.read(pretrained.folder_of(self.run) / CONFIG)
        if self.checkpoint not in (there := checkpoints_of(pretrained.folder_of(self.run))):
            raise InputError(f"{self.run}: has no checkpoint {self.checkpoint}; it has {', '.join(there) or 'none yet'}")
        if pretrained.is_meant(self.run) and None in ground:
            raise InputError("the pretrained agent: say which --world and --tasks to calibrate it on")
        check_places(self.run, saved, world=ground.world is None, tasks=ground.tasks is None)
        chosen = read_dataset(ground.tasks or Path(saved.tasks)).split(self.split)
        if saved.tasks and Path(saved.tasks).exists():
            own = read_dataset(Path(saved.tasks))
            check_fresh(chosen, (task for split in KNOWN if split in own.paths for task in own.split(split)))
        else:
            typer.echo(
                "note: what the agent was trained on is not there; that these houses are fresh is up to you", err=True
            )
        return len({task.house for task in chosen})

    def sample(self, ground: _Ground, each: int, tell: Tell) -> tuple[Sample, Sequence[Task]]:
        """What the agent does in so many tasks of each house, and these tasks."""
        from vnla.common.machine import device_named
        from vnla.evaluation.calibrate import some_tasks
        from vnla.evaluation.sureness import sampled
        from vnla.tasks.task_set import TaskSet
        from vnla.training.context import make_context
        from vnla.training.trained import open_trained

        tell(f"loading {self.run}")
        trained = open_trained(self.run, world=ground.world, tasks=ground.tasks, device=device_named(self.device))
        config, material = trained.config, trained.material
        context = make_context(config, material, trained.agent(self.checkpoint), training=False)
        chosen = some_tasks(material.dataset.split(self.split), each, self.seed)
        tasks = TaskSet.compile(material.world, chosen, material.dataset.budgets, vocabulary=material.dataset.vocabulary)
        share, what = config.help(training=False).ratio, f"walking in {len({task.house for task in chosen})} houses"
        return sampled(context, tasks, ratio=share, seed=self.seed, progress=partial(tell, what)), chosen

    def command(self, ground: _Ground) -> str:
        """What makes the same calibration again."""
        options = {
            "--risk": self.risk, "--confidence": self.confidence, "--world": ground.world, "--tasks": ground.tasks,
            "--split": self.split, "--checkpoint": self.checkpoint, "--seed": self.seed,
        }  # fmt: skip
        given = [str(word) for option, value in options.items() if value is not None for word in (option, value)]
        return shlex.join(["vnla", "calibrate", str(self.run), *given])


@takes_options()
def calibrate(
    run: RunArgument,
    *,
    options: CalibrateOptions,
    world: Annotated[Path | None, typer.Option(metavar="DIR", help="World of fresh houses. [default: the run's]")] = None,
    tasks: Annotated[Path | None, typer.Option(metavar="DIR", help="Data set of that world. [default: the run's]")] = None,
    check: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Calibrate on half of the houses and check the guarantees in the others, N times."
        ),
    ] = None,
    other_world: Annotated[
        Path | None, typer.Option(metavar="DIR", help="With --check: check in the houses of this world instead.")
    ] = None,
    other_tasks: Annotated[
        Path | None, typer.Option(metavar="DIR", help="With --check: check in the houses of this data set instead.")
    ] = None,
    as_json: FoundOption = None,
    threads: ThreadsOption = None,
) -> None:
    """Find out when an agent can be trusted: when it may say that it has found the object, and when it may act alone.
    The guarantees hold in houses like those given, and are kept in calibration.json in the run's folder.

    The houses must be fresh: the agent was neither trained nor chosen in them. One task of each is used.

    Example: vnla calibrate runs/learned --risk 0.1 --world worlds/many --tasks tasks/many

    Example: vnla calibrate runs/learned --risk 0.2 --world worlds/many --tasks tasks/many --check 100
    """
    from vnla.common.machine import device_named, use_threads

    use_threads(threads)
    trial = _Calibrated(**{**vars(options), "device": device_named(options.device)}, run=run)
    here, there = _Ground(world, tasks), _Ground(other_world or world, other_tasks or tasks)
    if check is not None:
        _check(trial, here, there, check, as_json)
    elif there != here:
        raise InputError("--other-world and --other-tasks say where to look with --check, which is missing")
    else:
        _calibrate(trial, here, as_json)


def _calibrate(trial: _Calibrated, ground: _Ground, as_json: Path | None) -> None:
    from vnla.evaluation.calibrate import calibrate, check_enough

    kept = None if pretrained.is_meant(trial.run) else trial.run / CALIBRATION
    places = [writable(place) for place in (kept, as_json) if place]
    check_enough(trial.fresh_houses(ground), trial.risk, trial.confidence)
    with telling() as tell:
        sample, tasks = trial.sample(ground, 1, tell)
    calibration = calibrate(sample, risk=trial.risk, confidence=trial.confidence)
    _say(calibration, sample)
    drawn = {task.house: task.id for task in tasks}
    text = json.dumps({"command": trial.command(ground), **calibration.as_dict(), "tasks": drawn}, indent=2) + "\n"
    for place in places:
        write_text(place, text)
    if kept:
        typer.echo(f"kept in {kept}")


def _check(trial: _Calibrated, here: _Ground, there: _Ground, times: int, as_json: Path | None) -> None:
    from vnla.evaluation.calibrate import check, check_enough

    if as_json:
        writable(as_json)
    check_enough(trial.fresh_houses(here) // 2, trial.risk, trial.confidence)
    if there != here:
        trial.fresh_houses(there)
    with telling() as tell:
        sample, _ = trial.sample(here, MOST, tell)
        other = None if there == here else trial.sample(there, MOST, tell)[0]
        rows = check(
            sample, risk=trial.risk, confidence=trial.confidence, times=times, there=other, seed=trial.seed,
            progress=partial(tell, "calibrating"),
        )  # fmt: skip
    plain().print(_table(rows, trial.risk))
    if as_json:
        found = {"command": trial.command(here), "other": trial.command(there), "times": [row.as_dict() for row in rows]}
        write_text(as_json, json.dumps(found, indent=2) + "\n")


def _say(calibration: Calibration, sample: Sample) -> None:
    """What was tried, and the promises in words."""
    from vnla.evaluation.calibrate import held

    console, found = plain(), held(calibration, sample)
    risk, right, sure = (f"{each:.0%}" for each in (calibration.risk, 1 - calibration.risk, calibration.confidence))
    console.print(_stops(calibration.stops))
    if calibration.found is None:
        console.print(f"Found it: nothing passed. At a risk of {risk} the agent may not say that it has found anything.\n")
    else:
        console.print(
            f"Found it: the agent may say so if its last probability of stopping is {calibration.found:g} or more, in"
            f" {found.says:.1%} of the episodes. At most {risk} of these are wrong, with confidence {sure}.\n"
        )
    console.print(_doubts(calibration.doubts, sample.requests.sum(axis=0) / sample.steps.sum(axis=0)))
    if calibration.certain is None or calibration.taught is None:
        console.print(f"Certain: even the teacher does not get there in {right} of the episodes; nothing can be promised.")
        return
    console.print(
        f"Certain: if somebody acts from a doubt of {calibration.certain:g} on, at {found.asks:.1%} of the steps, at least"
        f" {right} of the episodes succeed, with confidence {sure}.\n"
        f"As taught: from a doubt of {calibration.taught:g} on, at {found.asks_as_taught:.1%} of the steps, at least {right}"
        " of the episodes are the teacher's, step for step, on average over calibrations."
    )


def _stops(tried: Sequence[ThresholdTest]) -> Table:
    table = Table("stop, from", "says so", "wrong", "p", "")
    for each in tried:
        table.add_row(f"{each.threshold:g}", str(each.cases), str(each.wrong), f"{each.p_value:.2g}", _passed(each))
    return table


def _doubts(tried: Sequence[ThresholdTest], asks: Sequence[float]) -> Table:
    """From the last on with which all goes well."""
    table = Table("doubt, from", "steps with help, %", "failures", "p", "")
    sound = sum(each.wrong == 0 for each in tried[1:])
    for each, share in list(zip(tried, asks, strict=True))[sound:]:
        table.add_row(f"{each.threshold:g}", f"{100 * share:.1f}", str(each.wrong), f"{each.p_value:.2g}", _passed(each))
    return table


def _passed(tried: ThresholdTest) -> str:
    return "passed" if tried.passed else ""


def _table(rows: Sequence[Held], risk: float) -> Table:
    """Mean and spread of each share, and how often a promise was broken."""
    table = Table("share, %", "mean", "spread", f"beyond {risk:.0%}, % of the times")
    for name, meaning in MEANINGS.items():
        values = [value for row in rows if not math.isnan(value := getattr(row, name))]
        mean, spread = (f"{100 * each:.1f}" for each in (fmean(values), pstdev(values))) if values else ("–", "–")
        broken = {"wrong": sum(value > risk for value in values), "success": sum(value < 1 - risk for value in values)}
        broken["as_taught"] = broken["success"]
        table.add_row(meaning, mean, spread, f"{100 * broken[name] / len(rows):.0f}" if name in broken else "")
    return table
