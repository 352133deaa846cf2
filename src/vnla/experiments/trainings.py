"""Trainings as work of stages.

On a CPU each training is a stage with a process; on a GPU all of them are handed to `vnla.training.together`, which trains
them side by side.
"""

from __future__ import annotations

import shutil
import signal
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from vnla.assistance.advisor import TemplateAdvisor
from vnla.assistance.help_teacher import HelpTeacher
from vnla.common import files
from vnla.experiments.presets import ExperimentPreset
from vnla.pipeline.executor import SomeFailedError, Stopped
from vnla.pipeline.stages import JointReport, Report
from vnla.training.checkpoints import is_begun
from vnla.training.config import RunConfig
from vnla.training.data import RunData

ASKNAV, NOROOM = "asknav", "noroom"


@dataclass(frozen=True)
class Training:
    """What tells a training from the others."""

    name: str
    help_policy: str = "learned"
    tasks: str = ASKNAV
    advisor: TemplateAdvisor = field(default_factory=TemplateAdvisor)
    teacher: HelpTeacher = field(default_factory=HelpTeacher)
    keeps_checkpoints: bool = False

    def config(self, preset: ExperimentPreset, world: Path, tasks: Path, features: str) -> RunConfig:
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


def fingerprint(config: RunConfig) -> dict[str, Any]:
    """What decides a run's result: its configuration without the places of what it builds on, which are stages of their
    own."""
    stored = replace(config, begins_with="").stored()
    return {name: value for name, value in stored.items() if name not in ("world", "tasks")}


@lru_cache(maxsize=2)
def _material(world: str, tasks: str, features: str, forward: str, device: str) -> RunData:
    return RunData.load(RunConfig(world=world, tasks=tasks, features=features, forward=forward), device)


def material_of(config: RunConfig, device: str) -> RunData:
    """What a run works on; a worker keeps the last two it has used."""
    return _material(config.world, config.tasks, config.features, config.forward, device)


def train_run(path: Path, config: RunConfig, device: str, report: Report) -> None:
    """Train a run to its end, from its beginning or from where it was."""
    _train(path, config, device, None, report)


def train_beginning(path: Path, config: RunConfig, device: str, iterations: int, report: Report) -> None:
    """Train only the first iterations of a run."""
    _train(path, config, device, iterations, report)


def _train(path: Path, config: RunConfig, device: str, iterations: int | None, report: Report) -> None:
    from vnla.training.run import RunCallbacks
    from vnla.training.together import train

    progress = RunCallbacks(lambda record: report(record["iteration"], record["of"], _words(record)))
    ended = train(path, config, material_of(config, device), progress, iterations)
    _check(ended)


def train_rest(path: Path, beginning: Path, config: RunConfig, device: str, report: Report) -> None:
    """Train the rest of a run whose beginning is in another folder. It ends with the weights of a run trained at once."""
    if not is_begun(path):
        with files.new_folder(path) as folder:
            shutil.copytree(beginning, folder, dirs_exist_ok=True)
    train_run(path, config, device, report)


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
