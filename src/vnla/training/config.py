"""Everything that determines a training, as one file in its folder."""

from __future__ import annotations

import json
import math
import os
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from vnla.agent.config import AgentConfig
from vnla.common import files
from vnla.common.errors import InputError
from vnla.roles.advisor import Advisor
from vnla.roles.help_policies import HELP_POLICIES
from vnla.roles.help_teacher import HelpTeacher
from vnla.world.budgets import HELP_RATIO

SYMBOLIC = "symbolic"

BASELINES = ("cloning", "imitation")
"""Trainings without an advisor at test time: behaviour cloning, and imitation learning with a mixed policy."""

POLICIES = (*HELP_POLICIES, *BASELINES)

PRECISIONS = ("float32", "tf32", "bfloat16")


@dataclass(frozen=True)
class TrainingConfig:
    """How to train, with the values of the paper's hyperparameter table."""

    iterations: int = 100_000
    batch: int = 100
    learning_rate: float = 1e-4
    weight_decay: float = 5e-4
    """Weight of the L2 norm, added to the gradient."""
    ratio: float = HELP_RATIO
    """τ of the help budgets."""
    seed: int = 0
    precision: str = "float32"
    """Or "bfloat16": products in mixed precision; or "tf32": on a GPU, products of float32 rounded to 10 bits."""
    cooldown: float = 0.0
    """Share of the iterations, the last ones, in which the learning rate falls to zero in a straight line. None in the
    paper; short trainings with a high rate end better with it."""

    def __post_init__(self) -> None:
        if not 0 < self.learning_rate < math.inf:
            raise InputError(f"learning rate {self.learning_rate}: must be a number above 0")
        if not 0 <= self.weight_decay < math.inf:
            raise InputError(f"weight decay {self.weight_decay}: must be 0 or a number above it")
        if self.precision not in PRECISIONS:
            raise InputError(f"precision {self.precision}: unknown; choose from {', '.join(PRECISIONS)}")

    def rate(self, iteration: int) -> float:
        """The learning rate of an iteration."""
        falling = self.cooldown * self.iterations
        left = self.iterations - iteration
        return self.learning_rate * (min(1.0, left / falling) if falling else 1.0)


@dataclass(frozen=True)
class RunConfig:
    """Everything that determines a run."""

    world: str
    tasks: str
    features: str = "efficientnet-lite0"
    """A feature store of the world, or "symbolic"."""
    help_policy: str = "learned"
    beta: float = 0.5
    """How often the teacher acts under the policy "imitation"."""
    keeps_ended: bool = False
    validate_every: int = 1000
    keeps_checkpoints: bool = False
    """Whether the agent of every validation is kept, to compare agents at equal success (Table 3)."""
    training: TrainingConfig = field(default_factory=TrainingConfig)
    advisor: Advisor = field(default_factory=Advisor)
    teacher: HelpTeacher = field(default_factory=HelpTeacher)
    agent: dict[str, Any] = field(default_factory=dict)
    """Sizes that differ from the paper's: fields of `AgentConfig`."""

    def __post_init__(self) -> None:
        if self.help_policy not in POLICIES:
            raise InputError(f"help policy {self.help_policy}: unknown; choose from {', '.join(POLICIES)}")
        unknown = set(self.agent) - {each.name for each in fields(AgentConfig)} | set(self.agent) & {"words", "view_size"}
        if unknown:
            raise InputError(f"agent: {min(unknown)} cannot be set")

    def text(self, folder: Path) -> str:
        """What is written to the run's folder."""
        places = {"world": seen_from(folder, self.world), "tasks": seen_from(folder, self.tasks)}
        return json.dumps({**asdict(self), **places}, indent=2) + "\n"

    @classmethod
    def read(cls, path: Path) -> RunConfig:
        """The configuration in a run's folder."""
        value = files.read_json(path, "the configuration of a run")
        try:
            value |= {name: found_from(path.parent, value[name]) for name in ("world", "tasks")}
            training, advisor, teacher = (value.pop(name) for name in ("training", "advisor", "teacher"))
            return cls(
                **value, training=TrainingConfig(**training), advisor=Advisor(**advisor), teacher=HelpTeacher(**teacher)
            )
        except (TypeError, AttributeError, KeyError) as error:
            raise InputError(f"{path}: is not the configuration of a run ({error})") from None

    @property
    def unaided(self) -> bool:
        """Whether there is no advisor at test time."""
        return self.help_policy in BASELINES

    def for_training(self) -> RunConfig:
        """With the teacher as the advisor of the two baselines: direct, silent, for one action, any number of times."""
        if not self.unaided:
            return self
        advisor = Advisor(k=1, direct=True, speaks=False)
        return replace(self, advisor=advisor, training=replace(self.training, ratio=1.0))


def seen_from(folder: Path, place: str) -> str:
    """How a run in `folder` notes where something is: from there if one folder holds both, so that they may be moved
    together; else from the root of the file system."""
    if not place:
        return place
    here, there = folder.resolve(), Path(place).resolve()
    shared = [each for each in here.parents if each in there.parents]
    if not shared or shared[0] == Path(here.anchor):
        return str(Path(place).absolute())
    return os.path.relpath(there, here)


def found_from(folder: Path, noted: str) -> str:
    """Where something is that a run in `folder` has noted."""
    return os.path.normpath(folder.resolve() / noted) if noted else noted
