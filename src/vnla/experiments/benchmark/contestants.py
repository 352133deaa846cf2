"""Who enters the benchmark: a trained agent, or a policy that is asked turn by turn, here or behind an address.

contestant = TrainedContestant(Path("runs/learned"))
contestant.ready(houses, base, tell)
walked = contestant.walk(houses, condition, definition, tell)
"""

from __future__ import annotations

import gzip
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from vnla.agents import pretrained
from vnla.agents.sensor_registry import ALL_AROUND, DETECTED_AROUND, UNTRAINED_AROUND, sensors_named
from vnla.common.errors import InputError
from vnla.common.progress import Tell
from vnla.evaluation.evaluate import evaluate
from vnla.evaluation.results import Result, results_of
from vnla.experiments.benchmark.artefact import Artefact, artefact_of_run
from vnla.experiments.benchmark.definition import SPLIT, BenchmarkDefinition, Condition
from vnla.experiments.benchmark.entry import BenchmarkTrack
from vnla.experiments.benchmark.houses import HouseSet
from vnla.experiments.material import encode_views
from vnla.houses.folder import read_world
from vnla.observation import PICTURES, SYMBOLS, SYMBOLS_AROUND, TEXT, TEXT_AROUND, VIEW, VIEWS
from vnla.remote.episode import EvaluationRules, OnError
from vnla.remote.evaluated_agent import EvaluatedAgent
from vnla.remote.evaluation import evaluate_policy
from vnla.remote.folder import CALLS, EPISODES, EvaluationFolder
from vnla.remote.observer import WorldObserver
from vnla.tasks.dataset import read_dataset
from vnla.tasks.sampling import subset
from vnla.tasks.task_set import TaskSet
from vnla.training.checkpoints import CONFIG, as_tuned, chosen_by
from vnla.training.config import SYMBOLIC, RunConfig
from vnla.training.context import lexicon_for, make_context, vocabulary_of
from vnla.training.trained import open_trained
from vnla.vision.level import encoder_and_views
from vnla.vision.reduce import reduced_name
from vnla.vision.store import INDEX, store_path
from vnla.world.compiled import World

KNOWS_THE_WAY = ("if-wrong", "teacher")
"""Help policies that are told what the navigation teacher would do: reference lines, not entries."""


@dataclass(frozen=True)
class Walked:
    """What came of a condition."""

    results: Sequence[Result]
    answers: int | None = None
    """How many answers were asked for; None where nobody was asked."""
    errors: Mapping[str, int] = field(default_factory=dict)
    """How often the agent went wrong, by kind."""
    journals: Mapping[str, bytes] = field(default_factory=dict)
    """Files to keep with the entry, by name."""


class Contestant(ABC):
    """Somebody who can be tried under the conditions of the benchmark."""

    artefact: Artefact
    track: BenchmarkTrack
    observes: tuple[str, ...]
    sensors: tuple[str, ...] = ()
    reference: bool = False

    @abstractmethod
    def ready(self, houses: HouseSet, base: HouseSet, tell: Tell) -> None:
        """Make what the agent needs in these houses, if anything."""

    @abstractmethod
    def walk(
        self,
        houses: HouseSet,
        condition: Condition,
        definition: BenchmarkDefinition,
        tell: Tell,
        chosen: int | None = None,
    ) -> Walked:
        """Walk every task of a condition once, or so many of them, under the benchmark's seed of the help budgets."""


@dataclass
class TrainedContestant(Contestant):
    """A trained agent: a run, or one that comes with the package."""

    run: Path
    help_policy: str | None = None
    help_options: Mapping[str, Any] = field(default_factory=dict)
    forward: str | None = None
    device: str = "cpu"
    cores: int = 1

    def __post_init__(self) -> None:
        """Refuse what cannot be tried in other houses than its own."""
        config = self.config
        for name in config.features.split(","):
            if encoder_and_views(name)[0] == SYMBOLIC:
                raise InputError(
                    f"{self.run}: was trained on {SYMBOLIC} features, whose numbers mean something else in every world;"
                    " train it on features of an encoder"
                )
        self.sensors = tuple(sensors_named(config.sensors))
        self.observes = tuple(config.features.split(","))
        self.reference = config.help_policy in KNOWS_THE_WAY
        around = bool({*self.sensors} & {*ALL_AROUND, *UNTRAINED_AROUND, *DETECTED_AROUND})
        self.track = BenchmarkTrack(VIEW, around, config.forward)
        asking = {"policy": config.help_policy, "options": dict(config.help_options)}
        checkpoint = f"best_{chosen_by(SPLIT)}"
        self.artefact = artefact_of_run(self.run, checkpoint, asking, config.forward)

    @cached_property
    def config(self) -> RunConfig:
        """Its configuration, with the help policy and the rule of `forward` that it enters with."""
        folder = pretrained.folder_of(self.run)
        config = as_tuned(folder, RunConfig.read(folder / CONFIG))
        if self.help_policy is not None:
            config = config.asking(self.help_policy, dict(self.help_options))
        return replace(config, forward=self.forward or config.forward)

    def ready(self, houses: HouseSet, base: HouseSet, tell: Tell) -> None:
        """Draw and encode the views of the houses, where that is not done yet."""
        for name in self.config.features.split(","):
            encoder, size = _encoder_of(name)
            for place in [base, houses] if size is not None else [houses]:
                if not (store_path(place.world, name) / INDEX).is_file():
                    like = base.world if size is not None and place is houses else None
                    report = partial(_tell, tell, f"encoding the views of {place.path.name}")
                    encode_views(place.world, encoder, size, like, self.device, self.cores, report)

    def walk(
        self,
        houses: HouseSet,
        condition: Condition,
        definition: BenchmarkDefinition,
        tell: Tell,
        chosen: int | None = None,
    ) -> Walked:
        """Evaluate it as `vnla evaluate` does."""
        tasks_folder = houses.tasks(condition.task)
        trained = open_trained(
            self.run, world=houses.world, tasks=tasks_folder, device=self.device, forward=self.config.forward
        )
        config = replace(self.config, world=trained.config.world, tasks=trained.config.tasks)
        agent = trained.agent_for(SPLIT)
        words = vocabulary_of(config, trained.material)
        context = make_context(
            config, trained.material, agent, training=False, lexicon=lexicon_for(agent, words, config.advisor.words())
        )
        if context.advisor.k != definition.k:
            raise InputError(
                f"{self.run}: its advisor says {context.advisor.k} actions; the benchmark's says {definition.k}"
            )
        material = trained.material
        data = material.dataset
        tasks = subset(data.split(SPLIT), chosen) if chosen is not None else data.split(SPLIT)
        done = evaluate(
            context,
            TaskSet.compile(material.world, tasks, data.budgets, vocabulary=data.vocabulary),
            seeds=(definition.seed,),
            ratio=condition.ratio,
            progress=lambda count, of: tell(f"walking {condition.name}", count, of),
        )
        return Walked(results_of(done))


@dataclass
class AskedContestant(Contestant):
    """A policy that is asked turn by turn: in this process, or behind an address."""

    agent: EvaluatedAgent
    artefact: Artefact
    forward: str
    on_error: OnError = "stay"
    concurrency: int = 1
    journal: Path | None = None
    """Folder in which episodes and calls are kept, to go on from."""

    def __post_init__(self) -> None:
        self.observes = self.agent.declaration.observes
        self.sensors = self.agent.declaration.sensors
        self.track = BenchmarkTrack(_shown(self.observes), _around(self.observes, self.sensors), self.forward)
        self._worlds: dict[Path, tuple[World, WorldObserver]] = {}

    def ready(self, houses: HouseSet, base: HouseSet, tell: Tell) -> None:
        """Nothing is made: it is shown what a world has."""

    def walk(
        self,
        houses: HouseSet,
        condition: Condition,
        definition: BenchmarkDefinition,
        tell: Tell,
        chosen: int | None = None,
    ) -> Walked:
        """Evaluate it as `vnla evaluate --agent` does."""
        world, show = self._world(houses.world)
        rules = EvaluationRules.of(
            world,
            read_dataset(houses.tasks(condition.task)),
            SPLIT,
            ratio=condition.ratio,
            chosen=chosen,
            on_error=self.on_error,
        )
        kept = None if self.journal is None or chosen is not None else self._folder(houses, condition, definition)
        done = evaluate_policy(
            self.agent,
            rules,
            show,
            seeds=(definition.seed,),
            folder=kept,
            at_once=self.concurrency,
            progress=lambda count, of: tell(f"walking {condition.name}", count, of),
        )
        journals = {} if kept is None else _journals(kept.path, condition)
        return Walked(results_of(done.evaluation), done.answers, dict(done.errors), journals)

    def calls(self) -> dict[str, bytes]:
        """Return what was sent and the raw replies of all conditions, compressed, where they are kept."""
        place = None if self.journal is None else self.journal / CALLS
        return {} if place is None or not place.is_file() else {f"{CALLS}.gz": gzip.compress(place.read_bytes(), mtime=0)}

    def _world(self, path: Path) -> tuple[World, WorldObserver]:
        if path not in self._worlds:
            folder = read_world(path)
            world = World.compile(folder.houses, forward=self.forward)
            self._worlds = {path: (world, WorldObserver(self.agent.declaration, folder, world))}
        return self._worlds[path]

    def _folder(self, houses: HouseSet, condition: Condition, definition: BenchmarkDefinition) -> EvaluationFolder:
        assert self.journal is not None
        settings = {
            "benchmark": definition.called,
            "condition": condition.name,
            "houses": houses.path.name,
            "artefact": self.artefact.digest,
            "on_error": self.on_error,
        }
        return EvaluationFolder(self.journal / condition.name, settings)


def _journals(place: Path, condition: Condition) -> dict[str, bytes]:
    """Return the record of every episode with the agent's errors, as it is kept."""
    lines = sorted((place / EPISODES).read_bytes().splitlines(keepends=True), key=lambda line: str(json.loads(line)["task"]))
    return {f"{condition.name}.{EPISODES}.gz": gzip.compress(b"".join(lines), mtime=0)}


def _tell(tell: Tell, what: str, done: float, of: float, _unit: str) -> None:
    tell(what, int(done), int(of))


def _encoder_of(features: str) -> tuple[str, int | None]:
    """Return the encoder of features, and to how many numbers they are reduced, None where they are not."""
    name, _, size = features.rpartition("-")
    if size.isdecimal() and reduced_name(name, int(size)) == features:
        return name, int(size)
    return features, None


def _shown(observes: Sequence[str]) -> str:
    """Return how an agent is shown a view, as `vnla.experiments.benchmark.entry.SHOWN` has it."""
    in_words = bool({TEXT, SYMBOLS, TEXT_AROUND, SYMBOLS_AROUND} & {*observes})
    if PICTURES in observes:
        return "both" if in_words else PICTURES
    return TEXT if in_words else VIEW


def _around(observes: Sequence[str], sensors: Sequence[str]) -> bool:
    """Whether an agent observes what is all around."""
    return bool(
        {VIEWS, "exits", TEXT_AROUND, SYMBOLS_AROUND} & {*observes}
        or {*sensors} & {*ALL_AROUND, *UNTRAINED_AROUND, *DETECTED_AROUND}
    )
