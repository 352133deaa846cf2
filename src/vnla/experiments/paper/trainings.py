"""The eleven trainings of the paper's experiments.

Table 2 compares five help policies with four trainings. LEARNED and TEACHER share one, because in training both ask as the
help teacher does: the help module imitates it and has no say, and a navigation module trained beside one ends with the same
weights, to the last bit, as one trained without. Table 3 needs one more: the direct advisor that says nothing. The direct
advisor that speaks has the training of the indirect one, because in training the advisor always acts (Algorithm 1, line 24),
so they share the agent. Table 4 trains two on NoRoom, Table 7 four with some of the help teacher's rules.

On a CPU each training is a stage with a process; on a GPU all of them are handed to `vnla.training.together`, which trains
them side by side.
"""

from __future__ import annotations

import signal
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from vnla.assistance.advisor import TemplateAdvisor
from vnla.assistance.help_teacher import HelpTeacher
from vnla.experiments.paper.presets import Preset
from vnla.pipeline.stages import JointReport, Report
from vnla.pipeline.workers import SomeFailedError, Stopped
from vnla.training.config import RunConfig
from vnla.training.data import RunData

ASKNAV, NOROOM = "asknav", "noroom"
POLICIES = ("none", "first", "random", "learned")
"""Those that Table 2 has trainings for; TEACHER has the agent of LEARNED."""
DELTAS = (2, 4, 8)
"""Deviation thresholds δ of Table 7, metres."""


@dataclass(frozen=True)
class Training:
    """What tells a training from the others."""

    name: str
    help_policy: str = "learned"
    tasks: str = ASKNAV
    advisor: TemplateAdvisor = field(default_factory=TemplateAdvisor)
    teacher: HelpTeacher = field(default_factory=HelpTeacher)
    keeps_checkpoints: bool = False

    def config(self, preset: Preset, world: Path, tasks: Path, features: str) -> RunConfig:
        """The configuration of its run."""
        return RunConfig(
            world=str(world.absolute()),
            tasks=str(tasks.absolute()),
            features=features,
            help_policy=self.help_policy,
            validate_every=preset.validate_every,
            keeps_checkpoints=self.keeps_checkpoints,
            training=preset.training,
            advisor=self.advisor,
            teacher=self.teacher,
            agent_options=dict(preset.agent),
        )


TABLE_2 = tuple(Training(policy, policy, keeps_checkpoints=policy == "learned") for policy in POLICIES)
SILENT = Training("silent", advisor=TemplateAdvisor(direct=True, speaks=False), keeps_checkpoints=True)
ON_NOROOM = (Training("noroom-random", "random", NOROOM), Training("noroom-learned", "learned", NOROOM))
RULES = (
    *(Training(f"rules-ae-{delta}", teacher=HelpTeacher("ae", deviation=float(delta))) for delta in DELTAS),
    Training("rules-bcd", teacher=HelpTeacher("bcd")),
)
TRAININGS = {each.name: each for each in (*TABLE_2, SILENT, *ON_NOROOM, *RULES)}


def fingerprint(config: RunConfig) -> dict[str, Any]:
    """What decides a run's result: its configuration without the places of what it builds on, which are stages of their
    own."""
    return {name: value for name, value in asdict(replace(config, begins_with="")).items() if name not in ("world", "tasks")}


@lru_cache(maxsize=2)
def _material(world: str, tasks: str, features: str, device: str) -> RunData:
    return RunData.load(RunConfig(world=world, tasks=tasks, features=features), device)


def material_of(config: RunConfig, device: str) -> RunData:
    """What a run works on; a worker keeps the last two it has used."""
    return _material(config.world, config.tasks, config.features, device)


def train_run(path: Path, config: RunConfig, device: str, report: Report) -> None:
    """One training from beginning to end, or from where it was."""
    from vnla.training.run import RunCallbacks
    from vnla.training.together import train

    progress = RunCallbacks(lambda record: report(record["iteration"], record["of"], _words(record)))
    ended = train(path, config, material_of(config, device), progress)
    _check(ended)


def train_runs(given: Sequence[tuple[Path, RunConfig, str]], report: JointReport) -> None:
    """Trainings side by side on one device; of those that diverge it is said which they are when the others are done."""
    from vnla.training.run import DivergedError, RunCallbacks
    from vnla.training.together import TrainingCallbacks, train_together

    places = {path: which for which, (path, _, _) in enumerate(given)}

    def progress(path: Path) -> RunCallbacks:
        return RunCallbacks(lambda record: report(record["iteration"], record["of"], _words(record), places[path]))

    try:
        ended = train_together([(path, config) for path, config, _ in given], given[0][2], TrainingCallbacks(progress))
    except DivergedError as error:
        raise SomeFailedError({places[path]: line for path, line in error.lines.items()}) from None
    _check(ended)


def _check(ended: int | None) -> None:
    if ended is not None:
        raise Stopped(signal.Signals(ended).name)


def _words(record: dict[str, Any]) -> str:
    return f"{record['iterations_a_second']:.1f} it/s, loss {record['nav_loss']:.2f}"
