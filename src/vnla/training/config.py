"""Everything that determines a training, as one file in its folder."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from vnla.agents.sensors import sensors_named
from vnla.assistance.advisor import Advisor, TemplateAdvisor
from vnla.assistance.help_policies import Help, HelpPolicy
from vnla.assistance.help_teacher import HelpTeacher
from vnla.assistance.registry import help_policy
from vnla.common import files
from vnla.common.errors import InputError
from vnla.common.outside import check_fields
from vnla.common.registry import build, name_of
from vnla.language.registry import ADVISORS
from vnla.tasks.sampling import Fold
from vnla.training.objectives.objective import Objective
from vnla.training.objectives.registry import objective
from vnla.world.budgets import HELP_RATIO

SYMBOLIC = "symbolic"

WORDS = "vocab.txt"
"""In the folder of a run: the words that its agent knows."""

PLACES = ("world", "tasks", "begins_with")
"""What of a configuration is somewhere on the disk."""

PRECISIONS = ("float32", "tf32", "bfloat16")
LARGEST_BATCH = 1_000_000
MOST_PRACTICE = 1_000


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
        check_fields(self, iterations=(0, 10**12), batch=(1, LARGEST_BATCH), ratio=(0, 1), cooldown=(0, 1))
        if not 0 < self.learning_rate < math.inf:
            raise InputError(f"learning rate {self.learning_rate}: must be a number above 0")
        if not 0 <= self.weight_decay < math.inf:
            raise InputError(f"weight decay {self.weight_decay}: must be 0 or a number above it")
        if not 0 <= self.seed < 2**63:
            raise InputError(f"seed {self.seed}: must be a whole number from 0 to 2^63 - 1")
        if self.precision not in PRECISIONS:
            raise InputError(f"precision {self.precision}: unknown; choose from {', '.join(PRECISIONS)}")

    def rate(self, iteration: int) -> float:
        """The learning rate of an iteration."""
        falling = self.cooldown * self.iterations
        left = self.iterations - iteration
        return self.learning_rate * (min(1.0, left / falling) if falling else 1.0)

    def share(self, iteration: int) -> float:
        """Which share of the training is done before an iteration: 0 at the first one, 1 at the last."""
        return min(1.0, iteration / max(1, self.iterations - 1))


@dataclass(frozen=True)
class RunConfig:
    """Everything that determines a run."""

    world: str
    tasks: str
    features: str = "efficientnet-lite0"
    """Feature stores of the world, or "symbolic"; several with commas between."""
    help_policy: str = "learned"
    """By name, or as package.module:Class."""
    help_options: dict[str, Any] = field(default_factory=dict)
    """Fields of the help policy that differ from its own."""
    keeps_ended: bool = False
    validate_every: int = 1000
    keeps_checkpoints: bool = False
    """Whether the agent of every validation is kept, to compare agents at equal success (Table 3)."""
    training: TrainingConfig = field(default_factory=TrainingConfig)
    advisor: Advisor = field(default_factory=TemplateAdvisor)
    teacher: HelpTeacher = field(default_factory=HelpTeacher)
    agent: str = "paper"
    """By name, or as package.module:Class."""
    agent_options: dict[str, Any] = field(default_factory=dict)
    """What the agent is made with; of the paper's agent the fields of `AgentConfig` that differ from the paper's."""
    senses: str = ""
    """What else the agent notices, by names with commas between (`vnla.agents.sensors`)."""
    veil: float = 0.0
    """Share of each view's numbers that an episode of training does not show (`RolloutContext.veil`)."""
    fold: str = ""
    """Which of the training houses: all, or a part such as "2/5", or all but it, "-2/5"."""
    timed: bool = False
    """Whether episodes have the time in training that they would have in evaluation: who knows the time must not learn from
    it how long the way is."""
    objective: str = "imitation"
    """By name, or as package.module:Class."""
    objective_options: dict[str, Any] = field(default_factory=dict)
    """Fields of the objective that differ from its own."""
    following: bool = False
    """Whether the agent learns to follow subgoals by itself (`vnla.assistance.following`)."""
    practice: int = 0
    """Walks for each episode in which the agent practises understanding the advisor (`vnla.training.practice`)."""
    strange: float = 0.0
    """Share of the words in practice that are strange to the agent (`vnla.training.practice.Strange`)."""
    begins_with: str = ""
    """The run whose agent this one begins with; "" for a fresh agent."""

    def __post_init__(self) -> None:
        check_fields(self, validate_every=(1, math.inf), practice=(0, MOST_PRACTICE))
        for name in ("help_options", "agent_options", "objective_options"):
            if not isinstance(getattr(self, name), dict):
                raise InputError(f"{name.replace('_', ' ')}: must be names with values")
        if not 0 <= self.veil < 1:
            raise InputError(f"veil {self.veil}: must be 0 or more, and less than 1")
        if not 0 <= self.strange <= 1:
            raise InputError(f"strange {self.strange}: is a share of words, between 0 and 1")
        if self.strange and not self.practice:
            raise InputError("strange words: are met in practice; give --practice, too")
        if self.practice and not self.advisor.speaks:
            raise InputError("practice: is about what the advisor says, but it says nothing")
        if self.practice and not self.aim.navigates:
            raise InputError(f"practice: teaches to navigate, but with the objective {self.objective} the navigator stays")
        if self.following and self.advisor.direct:
            raise InputError("following: is to learn to act on what is said, but a direct advisor acts itself")
        # A name or an option that is wrong is noticed here.
        _ = self.policy, self.aim, sensors_named(self.senses), Fold.of_text(self.fold)

    @property
    def policy(self) -> HelpPolicy:
        """The help policy, with its options."""
        return help_policy(self.help_policy, self.help_options)

    @property
    def aim(self) -> Objective:
        """The objective, with its options."""
        return objective(self.objective, self.objective_options)

    def asking(self, name: str, options: Mapping[str, Any] | None = None) -> RunConfig:
        """The same with another help policy."""
        return replace(self, help_policy=name, help_options=dict(options or {}))

    def with_ratio(self, ratio: float | None) -> RunConfig:
        """The same with help for another share of the time, if one is given."""
        return self if ratio is None else replace(self, training=replace(self.training, ratio=ratio))

    def help(self, *, training: bool) -> Help:
        """Who helps, and for which share of the time: the configuration's, unless the help policy knows better."""
        return self.policy.help(Help(self.advisor, self.training.ratio), training=training)

    def text(self, folder: Path) -> str:
        """What is written to the run's folder."""
        value = asdict(self)
        value |= {name: seen_from(folder, value[name]) for name in PLACES}
        value["advisor"] = {"name": name_of(self.advisor, ADVISORS), **value["advisor"]}
        return json.dumps(value, indent=2) + "\n"

    @classmethod
    def read(cls, path: Path) -> RunConfig:
        """The configuration in a run's folder."""
        value = files.read_json(path, "the configuration of a run")
        if not isinstance(value, dict):
            raise InputError(f"{path}: is not the configuration of a run; expected an object")
        try:
            value = _renewed(value)
            value |= {name: found_from(path.parent, value[name]) for name in PLACES if name in value}
            training, advisor, teacher = (value.pop(name) for name in ("training", "advisor", "teacher"))
            return cls(
                **value,
                training=TrainingConfig(**training),
                advisor=build("advisor", advisor.pop("name"), ADVISORS, advisor, Advisor),
                teacher=HelpTeacher(**teacher),
            )
        except (TypeError, AttributeError, KeyError, ValueError) as error:
            raise InputError(f"{path}: is not the configuration of a run ({error})") from None


def _renewed(value: dict[str, Any]) -> dict[str, Any]:
    """A configuration as it is written now, from one of any age: the agent, the advisor and β once had no names."""
    value = dict(value)
    if isinstance(value["agent"], dict):
        value["agent"], value["agent_options"] = "paper", value["agent"]
    value["advisor"] = {"name": "template", **value["advisor"]}
    beta = value.pop("beta", None)
    if beta is not None and value["help_policy"] == "imitation":
        value["help_options"] = {"beta": beta}
    return value


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
