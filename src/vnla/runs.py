"""A run: one training from configuration to checkpoints, in a folder.

::

    config.json                     everything that determines the run
    log.jsonl                       a line for every report and every validation
    last.safetensors                the state to go on from
    best_val_seen.safetensors       the agent with the best success rate on that split; also best_val_unseen
    checkpoints/1000.safetensors    the agent at each validation, if the run keeps them
    tensorboard/                    curves

`vnla train` on a folder that has a `config.json` goes on where the run was.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file
from torch import Tensor

from vnla import files
from vnla.acting import ALONE, BCUI, LED
from vnla.advisor import Advisor, Subgoals
from vnla.agent.agent import Agent, tails
from vnla.agent.config import AgentConfig
from vnla.agent.encoder import Words
from vnla.bcui import Players
from vnla.budgets import TimeBudgets
from vnla.errors import InputError
from vnla.houses.folder import WorldFolder, read_world
from vnla.policies import HELP_POLICIES, AsTaught, HelpPolicy, Learned, Mixture, Never, help_policy
from vnla.tasks.dataset import Dataset, read_dataset
from vnla.tasks.task_set import TaskSet
from vnla.teachers.help import HelpTeacher
from vnla.training import TrainingConfig
from vnla.world import World

CONFIG, LOG, LAST = "config.json", "log.jsonl", "last.safetensors"
VALIDATION = ("val_seen", "val_unseen")
SYMBOLIC = "symbolic"

BASELINES = ("cloning", "imitation")
"""Trainings without an advisor at test time: behaviour cloning, and imitation learning with a mixed policy."""

POLICIES = (*HELP_POLICIES, *BASELINES)


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

    def text(self) -> str:
        """What is written to the run's folder."""
        return json.dumps(asdict(self), indent=2) + "\n"

    @classmethod
    def read(cls, path: Path) -> RunConfig:
        """The configuration in a run's folder."""
        value = files.read_json(path, "the configuration of a run")
        try:
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


@dataclass(frozen=True)
class Material:
    """What a run works on, loaded and compiled."""

    folder: WorldFolder
    dataset: Dataset
    world: World
    views: Tensor  # (poses, view size)

    @classmethod
    def load(cls, config: RunConfig, device: torch.device | str = "cpu") -> Material:
        """The world, the data set and the features that a configuration names."""
        folder = read_world(Path(config.world))
        world = World.compile(folder.houses, device)
        views = torch.from_numpy(_features(config, folder, world)).to(device)
        return cls(folder, read_dataset(Path(config.tasks)), world, views.reshape(-1, views.shape[-1]))

    def training_tasks(self) -> tuple[TaskSet, Words]:
        """The training split with its end-goals."""
        return self._tasks("train", None)

    def evaluation_tasks(self, split: str) -> tuple[TaskSet, Words]:
        """A split with evaluation's time budgets, and its end-goals."""
        return self._tasks(split, self.dataset.budgets)

    def _tasks(self, split: str, budgets: TimeBudgets | None) -> tuple[TaskSet, Words]:
        """Compiled once, however many runs and validations use them."""
        known = self._compiled.get((split, budgets is None))
        if known is None:
            tasks = self.dataset.split(split)
            known = TaskSet.compile(self.world, tasks, budgets), self.end_goals(tasks)
            self._compiled[split, budgets is None] = known
        return known

    @cached_property
    def _compiled(self) -> dict[tuple[str, bool], tuple[TaskSet, Words]]:
        return {}

    def end_goals(self, tasks: Any) -> Words:
        """The end-goals of tasks as tokens."""
        tokens, length = self.dataset.vocabulary.encode([task.end_goal for task in tasks])
        return Words(tokens.to(self.world.device), length.to(self.world.device))


def with_tasks(material: Material, tasks: Path) -> Material:
    """The same world with another data set, read with the words that the agent knows."""
    return replace(material, dataset=replace(read_dataset(tasks), words=material.dataset.vocabulary))


def _features(config: RunConfig, folder: WorldFolder, world: World) -> np.ndarray[Any, Any]:
    if config.features == SYMBOLIC:
        from vnla.vision.symbolic import symbolic_features

        return symbolic_features(folder.houses, world).array
    from vnla.vision.store import FeatureStore

    return np.array(FeatureStore.open(folder.path / "features" / config.features).for_world(world))


def make_agent(config: RunConfig, material: Material) -> Agent:
    """An agent with fresh parameters drawn for the run's seed."""
    torch.manual_seed(config.training.seed)
    sizes = {**config.agent, "words": len(material.dataset.vocabulary), "view_size": material.views.shape[1]}
    return Agent(AgentConfig(**sizes)).to(material.world.device)


def make_players(config: RunConfig, material: Material, agent: Agent, *, training: bool) -> Players:
    """Everybody, in the roles they have in training or in evaluation."""
    config = config.for_training()
    vocabulary = material.dataset.vocabulary
    subgoals = Subgoals.table(config.advisor, vocabulary, vocabulary.padding).to(material.world.device)
    policy = _policy(config, training)
    return Players(
        agent=agent,
        views=material.views,
        advisor=config.advisor,
        tails=tails(subgoals, vocabulary.end),
        help_teacher=config.teacher,
        help_policy=policy,
        acting=BCUI if training else LED if config.advisor.direct and not config.unaided else ALONE,
        keeps_ended=config.keeps_ended and training,
        deliberate=policy.deliberates or not training,
    )


def _policy(config: RunConfig, training: bool) -> HelpPolicy:
    match config.help_policy:
        case "learned":
            return AsTaught() if training else Learned()
        case "teacher":
            return AsTaught()
        case "cloning":
            return Mixture(beta=1.0) if training else Never()
        case "imitation":
            return Mixture(beta=config.beta) if training else Never()
        case name:
            return help_policy(name)


def checkpoint(run: Path, which: str | int) -> Path:
    """Where an agent is: the "last", the best by a validation split, or that of an iteration, if they were kept."""
    if isinstance(which, int):
        return run / "checkpoints" / f"{which}.safetensors"
    return run / (LAST if which == "last" else f"best_{which}.safetensors")


def load_agent(run: Path, config: RunConfig, material: Material, which: str | int = "val_unseen") -> Agent:
    """The agent of a finished or running training: its best by a validation split, the last, or that of an iteration."""
    agent = make_agent(config, material)
    path = checkpoint(run, which)
    files.existing_file(path, "an agent; `vnla train` makes it at its first validation")
    saved = load_file(path, device=str(material.world.device))
    own = {name.removeprefix("agent."): value for name, value in saved.items() if name.startswith("agent.")}
    try:
        agent.load_state_dict(own)
    except RuntimeError as error:
        raise InputError(f"{path}: does not fit the run's configuration: {str(error).splitlines()[-1].strip()}") from None
    return agent.eval()
