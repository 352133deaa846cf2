"""Who listens (`vnla.experiments.listening.followed`): a run's agent, alone or with the parser as its interpreter, careful
or not; or the parser in its place; and all that they are told.

listener = AgentListener(open_trained(run, device="cpu"), Trial("test_unseen", seeds=1), tell)
listener.listened(listener)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from vnla.agents.agent import Agent
from vnla.assistance.advisor import LONGEST_SUBGOAL, Advisor, Lexicon, TemplateAdvisor
from vnla.assistance.phrases import FULL_STOP, subgoal_text, subgoal_words
from vnla.common.errors import InputError
from vnla.common.progress import Tell
from vnla.evaluation.evaluate import SEEDS, evaluate
from vnla.experiments.listening.followed import (
    Listened,
    ListeningOutcome,
    PlannedWalks,
    ReadOutAdvisor,
    WalkResults,
    contrasts,
    followed,
    given_walks,
    in_commonest_order,
    listened,
    meant,
    reading,
    said_to,
    understood,
    walks_of,
)
from vnla.houses.folder import WorldFolder
from vnla.language.advisor import GrammarAdvisor, GrammarVoice
from vnla.language.handwritten import Written, handwritten, words_of, written_world
from vnla.language.interpreter import Houses, Interpreter
from vnla.language.speech import LANGUAGES
from vnla.language.surroundings import Surroundings
from vnla.language.wording import worded
from vnla.rollout import RolloutContext
from vnla.tasks.sampling import subset
from vnla.tasks.task_set import TaskSet
from vnla.tasks.vocabulary import SPECIAL, Vocabulary
from vnla.training.config import RunConfig
from vnla.training.context import lexicon_for, make_context, vocabulary_of
from vnla.training.data import RunData
from vnla.training.trained import Trained
from vnla.vision.symbolic import NAME, symbolic_features
from vnla.world.compiled import World

SILENCE, OWN, TEMPLATE = "silence", "as in training", "template"
WRITTEN = "handwritten"
PARSER = "parser"


@dataclass(frozen=True)
class ListeningOptions:
    """How runs listen."""

    split: str
    seeds: int
    subset: int | None = None
    checkpoint: str | None = None
    says: tuple[str, ...] = LANGUAGES
    """What of the grammar is said to them."""


@dataclass(frozen=True)
class BaseListener(ABC):
    """Who listens, in the houses of a run to its advisor."""

    trained: Trained
    trial: ListeningOptions
    tell: Tell

    @property
    def k(self) -> int:
        """Actions that its subgoals describe."""
        advisor = self.trained.config.advisor
        if advisor.direct or not advisor.speaks:
            raise InputError(f"{self.trained.folder}: its advisor acts for it, so it has nothing to follow")
        return advisor.k

    @cached_property
    def tasks(self) -> TaskSet:
        """Where it begins."""
        material = self.trained.material
        every = material.evaluation_tasks(self.trial.split)
        if self.trial.subset is None:
            return every
        chosen = {task.id for task in subset(material.dataset.split(self.trial.split), self.trial.subset)}
        return every.rows([i for i, task in enumerate(every.tasks) if task.id in chosen])

    @cached_property
    def lines(self) -> list[Written]:
        """Walks by hand of as many actions as it is used to."""
        return [line for line in handwritten() if len(line.plan) == self.k]

    def walks_by_hand(self, world: World) -> PlannedWalks:
        """Those walks in the world of their houses, each with the end-goal of a task."""
        end_goals = self.tasks.end_goals
        which = torch.arange(len(self.lines), device=end_goals.length.device) % len(self.tasks)
        start, plans = [line.pose(world) for line in self.lines], [line.plan for line in self.lines]
        return given_walks(world, start, plans, [line.house_name for line in self.lines], end_goals.rows(which))

    def listened(self, other: BaseListener) -> list[Listened]:
        """All that its advisors can say, compared with what the other is told as in training."""
        silence = self.hear(SILENCE)
        usual = other.hear(OWN)
        outcomes = {SILENCE: silence, OWN: self.hear(OWN) if other is not self else usual}
        outcomes |= {name: self.hear(name) for name in self._advisors() if name != OWN}
        found = [listened(name, outcome, silence, usual) for name, outcome in outcomes.items()]
        return found + list(self._contrasted(outcomes))

    def _contrasted(self, outcomes: Mapping[str, ListeningOutcome]) -> Iterator[Listened]:
        """Of what is not so the sentences alone on which that tells, beside silence and the same ones when they are so: what
        is retained of what these bring."""
        names = {advisor: name for name, advisor in self._advisors().items()}
        for contrast in contrasts(self._walks, self._voice):
            said = [GrammarAdvisor(k=self.k, says=each) for each in (contrast.true, contrast.says)]
            if not names.keys() >= {*said}:
                continue
            true, own, silence = (
                _rows(outcomes[name], contrast.rows) for name in (*(names[each] for each in said), SILENCE)
            )
            for name, outcome in ((SILENCE, silence), (contrast.true, true), (contrast.says, own)):
                if contrast.rows:
                    yield listened(f"{name}, {contrast.where}", outcome, silence, true)
            if contrast.says == "shuffled" and contrast.rows:
                guess = _outcome(in_commonest_order(self._walks), self._walks.houses, {})
                yield listened("those actions in the commonest order", _rows(guess, contrast.rows), silence, true)

    @cached_property
    def _walks(self) -> PlannedWalks:
        return walks_of(self.tasks, self.k)

    def _voice(self, says: str) -> GrammarVoice:
        bound_advisor: GrammarVoice = self._ready(GrammarAdvisor(k=self.k, says=says))
        return bound_advisor

    def _ready(self, advisor: Advisor) -> Any:
        """An advisor's voice in its own words, in the run's houses."""
        material, words = self.trained.material, Vocabulary((*SPECIAL, *advisor.words()))
        return advisor.ready_in(material.folder, material.world, words, material.world.device)

    def _advisors(self) -> Mapping[str, Advisor]:
        """By what they say, each once."""
        own = self.trained.config.advisor
        others: dict[str, Advisor] = {TEMPLATE: TemplateAdvisor(k=self.k)} if self.k <= LONGEST_SUBGOAL else {}
        others |= {f"grammar: {each}": GrammarAdvisor(k=self.k, says=each) for each in self.trial.says}
        return {OWN: own, **{name: advisor for name, advisor in others.items() if advisor != own}}

    def read(self, place: Path, other: BaseListener) -> list[Listened]:
        """Sentences by hand, beside silence and the paper's phrases for the same walks. What is retained of these is told if
        the other was trained with them: of phrases that nobody has learned, anything is much."""
        if not self.lines:
            raise InputError(f"--handwritten: no walk by hand has {self.k} actions, as many as this run's subgoals")
        own = self.read_out(place)
        knows = isinstance(other.trained.config.advisor, TemplateAdvisor)
        usual = (own if other is self else other.read_out(place))[TEMPLATE] if knows else None
        names = {f"{WRITTEN}: {name}": outcome for name, outcome in own.items()}
        return [listened(name, outcome, own[SILENCE], usual) for name, outcome in names.items()]

    def houses_of(self, folder: WorldFolder, world: World) -> Houses:
        """The houses of a world as the parser knows them, each looked at once."""
        houses = {house.name: house for house in folder.houses}

        @cache
        def looked(name: str) -> Surroundings:
            self.tell(f"looking around in {name}")
            return Surroundings.of(folder, houses[name])

        return Houses(world, looked)

    @cached_property
    def _houses(self) -> Houses:
        return self.houses_of(self.trained.material.folder, self.trained.material.world)

    @abstractmethod
    def hear(self, name: str) -> ListeningOutcome:
        """What it does when it is told something of a kind, or nothing."""

    @abstractmethod
    def read_out(self, place: Path) -> dict[str, ListeningOutcome]:
        """What it does when sentences by hand are read out to it, or nothing, in their houses in a folder."""


class AgentListener(BaseListener):
    """A run's agent."""

    @cached_property
    def agent(self) -> Agent:
        """The agent of the split's kind."""
        return self.trained.agent_for(self.trial.split, self.trial.checkpoint)

    @cached_property
    def lexicon(self) -> Lexicon:
        """Numbers for all that it will hear."""
        spoken = {word for kind in (TemplateAdvisor, GrammarAdvisor) for word in kind().words()}
        written = {word for line in self.lines for word in words_of(line.sentence)}
        return lexicon_for(self.agent, vocabulary_of(self.trained.config, self.trained.material), spoken | written)

    def hear(self, name: str) -> ListeningOutcome:
        """What it does when it is told something of a kind, and how its episodes end."""
        self.tell(f"{self.trained.folder.name}: {name}")
        told = name != SILENCE
        config = self.trained.config if told else self.trained.config.asking("none")
        context = self._told(name) if told else self._players(config)
        found = followed(context, self._walks, told=told)
        values: dict[str, NDArray[np.float64]] = {}
        if self.trial.seeds:
            what = f"{self.trained.folder.name}: {name}, success"
            ratio = config.help(training=False).ratio
            progress = partial(self.tell, what)
            done = evaluate(context, self.tasks, seeds=SEEDS[: self.trial.seeds], ratio=ratio, progress=progress)
            values["success"] = done.scores.success.astype("float64")
        return _outcome(found, [task.house for task in self.tasks.tasks], values)

    def _told(self, name: str) -> RolloutContext:
        """Return the context with somebody who says something of a kind."""
        return self._players(replace(self.trained.config, advisor=self._advisors()[name]))

    def _players(self, config: RunConfig) -> RolloutContext:
        return make_context(config, self.trained.material, self.agent, training=False, lexicon=self.lexicon)

    def read_out(self, place: Path) -> dict[str, ListeningOutcome]:
        """What it does when sentences are read out to it, or nothing."""
        made = 0

        def build(houses: int) -> None:
            nonlocal made
            made += houses
            self.tell("making the houses of the walks by hand", made, len({line.house for line in self.lines}))

        folder = written_world(place, progress=build)
        material, config = self.trained.material, replace(self.trained.config, world=str(folder.path))
        data = RunData.load(config, material.world.device, material.dataset.vocabulary, _as_trained(material.folder))
        data = replace(data, folder=folder)
        self.tell(f"{self.trained.folder.name}: {WRITTEN}")
        walks = self.walks_by_hand(data.world)
        silent = replace(config, advisor=TemplateAdvisor(k=1))  # until somebody reads out
        context = make_context(silent, data, self.agent, training=False, lexicon=self.lexicon)

        phrases = self._reading(context, [(*subgoal_words(line.plan), FULL_STOP) for line in self.lines])
        sentences = self._reading(context, self._by_hand(walks, self.houses_of(folder, data.world)))
        found = {
            SILENCE: followed(phrases, walks, told=False),
            TEMPLATE: followed(phrases, walks),
            "sentences": followed(sentences, walks),
        }
        return {name: _outcome(each, walks.houses, {}) for name, each in found.items()}

    def _reading(self, context: RolloutContext, sentences: Sequence[Sequence[str]]) -> RolloutContext:
        """Return the same context, in which somebody reads these sentences out."""
        device = self.trained.material.world.device
        return reading(context, ReadOutAdvisor.of(sentences, self.lexicon, device), self.k)

    def _by_hand(self, walks: PlannedWalks, houses: Houses) -> Sequence[Sequence[str]]:  # noqa: ARG002
        """The words in which it is told what is written by hand for walks in some houses."""
        return [words_of(line.sentence) for line in self.lines]


class InterpretedListener(AgentListener):
    """A run's agent with the parser as its interpreter (`vnla.language.interpreter`). Phrases of the paper, and what it was
    trained with, it is told as they are."""

    def _told(self, name: str) -> RolloutContext:
        if name in (OWN, TEMPLATE):
            return super()._told(name)
        own = self.trained.config.advisor
        bound_advisor = Interpreter.of(self._ready(self._advisors()[name]), self._houses, own, self.lexicon)
        return replace(self._players(self.trained.config), bound_advisor=bound_advisor)

    def _by_hand(self, walks: PlannedWalks, houses: Houses) -> Sequence[Sequence[str]]:
        plans = meant(walks, [line.sentence for line in self.lines], houses)
        return [worded(plan, self.trained.config.advisor, self.lexicon) for plan in plans]


class CarefulListener(InterpretedListener):
    """The same with an interpreter who says nothing where it has not understood everything."""

    def houses_of(self, folder: WorldFolder, world: World) -> Houses:
        """The houses of a world, in which half a sentence means nothing."""
        return replace(super().houses_of(folder, world), wholly=True)


class ParserListener(BaseListener):
    """The parser, in the place of the agent."""

    def hear(self, name: str) -> ListeningOutcome:
        """What it would do when it is told something of a kind."""
        self.tell(f"{PARSER}: {name}")
        return self._heard(None if name == SILENCE else self._advisors()[name])

    @cached_property
    def _outcomes(self) -> dict[Advisor | None, ListeningOutcome]:
        return {}

    def _heard(self, advisor: Advisor | None) -> ListeningOutcome:
        """What it would do, worked out once."""
        if advisor not in self._outcomes:
            silent = [""] * len(self._walks.houses)
            sentences = silent if advisor is None else said_to(self._ready(advisor), self._walks)
            found = understood(self._walks, meant(self._walks, sentences, self._houses))
            self._outcomes[advisor] = _outcome(found, [task.house for task in self.tasks.tasks], {})
        return self._outcomes[advisor]

    def read_out(self, place: Path) -> dict[str, ListeningOutcome]:
        """What it would do when sentences by hand are read out to it, or nothing."""
        folder = written_world(place)
        world = World.compile(folder.houses)
        walks, houses = self.walks_by_hand(world), self.houses_of(folder, world)
        self.tell(f"{PARSER}: {WRITTEN}")
        said = {
            SILENCE: [""] * len(self.lines),
            TEMPLATE: [subgoal_text(line.plan) for line in self.lines],
            "sentences": [line.sentence for line in self.lines],
        }
        found = {name: understood(walks, meant(walks, each, houses)) for name, each in said.items()}
        return {name: _outcome(each, walks.houses, {}) for name, each in found.items()}


def _outcome(found: WalkResults, houses: Sequence[str], values: Mapping[str, Any]) -> ListeningOutcome:
    every = {**found._asdict(), **values}
    return ListeningOutcome(every, dict.fromkeys(every, houses))


def _rows(whole: ListeningOutcome, rows: Sequence[int]) -> ListeningOutcome:
    """Some walks of an outcome, and nothing of whole episodes."""
    houses = {name: [whole.houses[name][i] for i in rows] for name in WalkResults._fields}
    return ListeningOutcome({name: np.asarray(whole.values[name])[list(rows)] for name in houses}, houses)


def _as_trained(folder: WorldFolder) -> Any:
    """A source of symbolic features of other houses in the columns of those that an agent was trained in."""
    labels = sorted({thing.label for house in folder.houses for thing in house.objects})

    def views(other: WorldFolder, world: World, name: str) -> Any:
        if name != NAME:
            return None
        array = symbolic_features(other.houses, world, labels).array
        return array.reshape(-1, array.shape[-1])

    return views
