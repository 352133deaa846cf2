"""`vnla listen`: whether an agent does what it is told."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vnla.cli.console import Tell, plain, telling
from vnla.cli.options import CheckpointOption, DeviceOption, FoundOption, RunArgument, ThreadsOption
from vnla.common.errors import InputError
from vnla.common.files import writable, write_text
from vnla.report.printing import Table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vnla.agent.agent import Agent
    from vnla.evaluation.listening import Followed, Listened, Outcome, Walks
    from vnla.houses.folder import WorldFolder
    from vnla.language.handwritten import Written
    from vnla.language.surroundings import Surroundings
    from vnla.players import Players
    from vnla.roles.advisor import Advisor, Lexicon
    from vnla.tasks.task_set import TaskSet
    from vnla.training.trained import Trained
    from vnla.world.compiled import World

SILENCE, OWN, TEMPLATE = "silence", "as in training", "template"
WRITTEN = "handwritten"
PARSER = "parser"
LISTENERS = ("agent", PARSER)
CONTRASTS = ("mirrored", "wrong", "shuffled")
MEASURES = {"exact": "all actions, %", "there": "ends there, %", "success": "success, %"}


def listen(
    run: RunArgument,
    split: Annotated[str, typer.Option(metavar="NAME", help="On the ways of whose tasks agents begin.")] = "test_unseen",
    reference: Annotated[
        Path | None,
        typer.Option(metavar="RUN", help="What is retained of what advice brings this run instead, in its own language."),
    ] = None,
    handwritten: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Also sentences written by hand, in their houses, which are made in DIR if need be."
        ),
    ] = None,
    listener: Annotated[
        str, typer.Option(metavar="NAME", help="agent; or parser, in its place, which knows what words mean.")
    ] = "agent",
    seeds: Annotated[
        int, typer.Option(min=0, max=5, help="How many of the authors' seeds for success; 0: without success.")
    ] = 1,
    subset: Annotated[int | None, typer.Option(min=1, metavar="N", help="N tasks of the split. [default: all]")] = None,
    checkpoint: CheckpointOption = None,
    world: Annotated[Path | None, typer.Option(metavar="DIR", help="World for pretrained, or where the run's is.")] = None,
    tasks: Annotated[Path | None, typer.Option(metavar="DIR", help="Another data set. [default: the run's]")] = None,
    as_json: FoundOption = None,
    device: DeviceOption = None,
    threads: ThreadsOption = None,
) -> None:
    """How exactly an agent follows advice: as in training; in combinations, sentences and words that were held out; by
    hand; and what is not so: left for right, other things, no order. Intervals (95%) are over houses.

    Example: vnla listen runs/talk --handwritten worlds/written --json listen.json

    Example: vnla listen runs/talk --reference runs/learned --seeds 0 --subset 500

    Example: vnla listen runs/talk --listener parser --subset 200
    """
    from vnla.common.machine import device_named, use_threads
    from vnla.training.trained import open_trained

    use_threads(threads)
    if as_json is not None:
        writable(as_json)
    if listener not in LISTENERS:
        raise InputError(f"--listener {listener}: unknown; choose from {', '.join(LISTENERS)}")
    if listener == PARSER and reference is not None:
        raise InputError("--reference: belongs to agents; the parser is compared with itself")
    trial = _Trial(split, 0 if listener == PARSER else seeds, subset, checkpoint)
    kind = _Parser if listener == PARSER else _Subject
    with telling() as tell:
        opened = {}
        for each in filter(None, (run, reference)):
            tell(f"loading {each}")
            opened[each] = kind(open_trained(each, world=world, tasks=tasks, device=device_named(device)), trial, tell)
        subject, other = opened[run], opened[reference] if reference is not None else opened[run]
        if subject.k != other.k:
            raise InputError(f"{reference}: its subgoals have {other.k} actions, those of {run} {subject.k}")
        found = subject.listened(other)
        if handwritten is not None:
            found += subject.read(handwritten, other)
    title = f"{PARSER if listener == PARSER else run}, {split}, {subject.k} actions" + (
        f"; retained of {reference}" if reference is not None else ""
    )
    plain().print(_table(title, found))
    if as_json is not None:
        about = {
            "run": str(run),
            "listener": listener,
            "reference": None if reference is None else str(reference),
            "split": split,
            "k": subject.k,
        }
        write_text(as_json, json.dumps({**about, "heard": {each.name: each.as_dict() for each in found}}, indent=2) + "\n")


def _table(title: str, found: Sequence[Listened]) -> Table:
    shown = [name for name in MEASURES if any(name in each.figures for each in found)]
    table = Table("", *(MEASURES[name] for name in shown), *(f"retained: {name}" for name in shown), "walks", title=title)
    for each in found:
        kept = [str(part[name]) if name in part else "" for part in (each.figures, each.retained) for name in shown]
        table.add_row(each.name, *kept, f"{each.walks:,}")
    return table


@dataclass(frozen=True)
class _Trial:
    """How runs listen."""

    split: str
    seeds: int
    subset: int | None
    checkpoint: str | None


@dataclass(frozen=True)
class _Subject:
    """Who listens."""

    trained: Trained
    trial: _Trial
    tell: Tell

    @property
    def k(self) -> int:
        """Actions that its subgoals describe."""
        advisor = self.trained.config.advisor
        if advisor.direct or not advisor.speaks:
            raise InputError(f"{self.trained.folder}: its advisor acts for it, so it has nothing to follow")
        return advisor.k

    @cached_property
    def agent(self) -> Agent:
        """The agent of the split's kind."""
        kind = "val_unseen" if self.trial.split.endswith("unseen") else "val_seen"
        return self.trained.agent(self.trial.checkpoint or kind)

    @cached_property
    def tasks(self) -> TaskSet:
        """Where it begins."""
        from vnla.tasks.sampling import subset

        material = self.trained.material
        every = material.evaluation_tasks(self.trial.split)
        if self.trial.subset is None:
            return every
        chosen = {task.id for task in subset(material.dataset.split(self.trial.split), self.trial.subset)}
        return every.rows([i for i, task in enumerate(every.tasks) if task.id in chosen])

    @cached_property
    def lines(self) -> list[Written]:
        """Walks by hand of as many actions as it is used to."""
        from vnla.language.handwritten import handwritten

        return [line for line in handwritten() if len(line.plan) == self.k]

    @cached_property
    def lexicon(self) -> Lexicon:
        """Numbers for all that it will hear."""
        from vnla.language.advisor import GrammarAdvisor
        from vnla.language.handwritten import words_of
        from vnla.roles.advisor import TemplateAdvisor
        from vnla.training.cast import lexicon_for, vocabulary_of

        spoken = {word for kind in (TemplateAdvisor, GrammarAdvisor) for word in kind().words()}
        written = {word for line in self.lines for word in words_of(line.sentence)}
        return lexicon_for(self.agent, vocabulary_of(self.trained.config, self.trained.material), spoken | written)

    def listened(self, other: _Subject) -> list[Listened]:
        """All that its advisors can say, compared with what the other is told as in training."""
        from vnla.evaluation.listening import listened

        silence = self.hear(SILENCE)
        usual = other.hear(OWN)
        outcomes = {SILENCE: silence, OWN: self.hear(OWN) if other is not self else usual}
        outcomes |= {name: self.hear(name) for name in self._advisors() if name != OWN}
        return [listened(name, outcome, silence, usual) for name, outcome in outcomes.items()]

    def _advisors(self) -> Mapping[str, Advisor]:
        """By what they say, each once."""
        from vnla.language.advisor import GrammarAdvisor
        from vnla.language.speech import LANGUAGES
        from vnla.roles.advisor import MOST_ACTIONS, TemplateAdvisor

        own = self.trained.config.advisor
        others: dict[str, Advisor] = {TEMPLATE: TemplateAdvisor(k=self.k)} if self.k <= MOST_ACTIONS else {}
        others |= {f"grammar: {each}": GrammarAdvisor(k=self.k, says=each) for each in LANGUAGES}
        return {OWN: own, **{name: advisor for name, advisor in others.items() if advisor != own}}

    def hear(self, name: str) -> Outcome:
        """What it does when it is told something of a kind, and how its episodes end."""
        from vnla.evaluation.evaluate import SEEDS, evaluate
        from vnla.evaluation.listening import followed, walks_of
        from vnla.training.cast import make_players

        self.tell(f"{self.trained.folder.name}: {name}")
        config, told = self.trained.config, name != SILENCE
        advised = replace(config, advisor=self._advisors()[name]) if told else config.asking("none")
        players = make_players(advised, self.trained.material, self.agent, training=False, lexicon=self.lexicon)
        found = followed(players, walks_of(self.tasks, self.k), told=told)
        values: dict[str, NDArray[np.float64]] = {}
        if self.trial.seeds:
            what = f"{self.trained.folder.name}: {name}, success"
            ratio = advised.help(training=False).ratio
            progress = partial(self.tell, what)
            done = evaluate(players, self.tasks, seeds=SEEDS[: self.trial.seeds], ratio=ratio, progress=progress)
            values["success"] = done.scores.success.astype("float64")
        return _outcome(found, [task.house for task in self.tasks.tasks], values)

    def read(self, place: Path, other: _Subject) -> list[Listened]:
        """Sentences by hand, beside silence and the paper's phrases for the same walks. What is retained of these is told if
        the other was trained with them: of phrases that nobody has learned, anything is much."""
        from vnla.evaluation.listening import listened
        from vnla.roles.advisor import TemplateAdvisor

        if not self.lines:
            raise InputError(f"--handwritten: no walk by hand has {self.k} actions, as many as this run's subgoals")
        own = self.read_out(place)
        knows = isinstance(other.trained.config.advisor, TemplateAdvisor)
        usual = (own if other is self else other.read_out(place))[TEMPLATE] if knows else None
        names = {f"{WRITTEN}: {name}": outcome for name, outcome in own.items()}
        return [listened(name, outcome, own[SILENCE], usual) for name, outcome in names.items()]

    def read_out(self, place: Path) -> dict[str, Outcome]:
        """What it does when sentences are read out to it, or nothing."""
        import torch

        from vnla.evaluation.listening import Reading, followed, given_walks, reading
        from vnla.language.handwritten import words_of, written_world
        from vnla.roles.advisor import TemplateAdvisor
        from vnla.roles.phrases import FULL_STOP, subgoal_words
        from vnla.training.cast import make_players
        from vnla.training.data import RunData

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
        houses = [line.house_name for line in self.lines]
        which = torch.arange(len(self.lines), device=data.world.device) % len(self.tasks)
        start, plans = [line.pose(data.world) for line in self.lines], [line.plan for line in self.lines]
        walks = given_walks(data.world, start, plans, houses, self.tasks.end_goals.rows(which))
        silent = replace(config, advisor=TemplateAdvisor(k=1))  # until somebody reads out
        players = make_players(silent, data, self.agent, training=False, lexicon=self.lexicon)

        def told(sentences: Sequence[Sequence[str]]) -> Players:
            return reading(players, Reading.of(sentences, self.lexicon, data.world.device), self.k)

        phrases = told([(*subgoal_words(plan), FULL_STOP) for plan in plans])
        found = {
            SILENCE: followed(phrases, walks, told=False),
            TEMPLATE: followed(phrases, walks),
            "sentences": followed(told([words_of(line.sentence) for line in self.lines]), walks),
        }
        return {name: _outcome(each, houses, {}) for name, each in found.items()}


class _Parser(_Subject):
    """The parser, which listens in the place of a run's agent: in its houses, to its advisor."""

    def around(self, folder: WorldFolder) -> Callable[[str], Surroundings]:
        """The houses of a world, each looked at once."""
        from vnla.language.surroundings import Surroundings

        houses = {house.name: house for house in folder.houses}

        @cache
        def looked(name: str) -> Surroundings:
            self.tell(f"looking around in {name}")
            return Surroundings.of(folder, houses[name])

        return looked

    @cached_property
    def _houses(self) -> Callable[[str], Surroundings]:
        return self.around(self.trained.material.folder)

    @cached_property
    def _walks(self) -> Walks:
        from vnla.evaluation.listening import walks_of

        return walks_of(self.tasks, self.k)

    def _said(self, advisor: Advisor) -> list[str]:
        from vnla.evaluation.listening import said_to
        from vnla.tasks.vocabulary import SPECIAL, Vocabulary

        material, lexicon = self.trained.material, Vocabulary((*SPECIAL, *advisor.words()))
        return said_to(advisor.ready_in(material.folder, material.world, lexicon, material.world.device), self._walks)

    def listened(self, other: _Subject) -> list[Listened]:
        """Also of what is not so the sentences alone that say something else than what is."""
        from vnla.evaluation.listening import listened
        from vnla.language.advisor import GrammarAdvisor

        found = super().listened(other)
        usual, silence = GrammarAdvisor(k=self.k), self.hear(SILENCE)
        true, followed = self._said(usual), self._heard(usual)
        for name in CONTRASTS:
            advisor = GrammarAdvisor(k=self.k, says=name)
            rows = [i for i, said in enumerate(self._said(advisor)) if said != true[i]]
            if rows:
                parts = (_rows(each, rows) for each in (self._heard(advisor), silence, followed))
                found.append(listened(f"{name}, where it differs", *parts))
        return found

    def hear(self, name: str) -> Outcome:
        """What it would do when it is told something of a kind."""
        self.tell(f"{PARSER}: {name}")
        return self._heard(None if name == SILENCE else self._advisors()[name])

    @cached_property
    def _outcomes(self) -> dict[Advisor | None, Outcome]:
        return {}

    def _heard(self, advisor: Advisor | None) -> Outcome:
        """What it would do, worked out once."""
        from vnla.evaluation.listening import understood

        if advisor not in self._outcomes:
            sentences = [""] * len(self._walks.houses) if advisor is None else self._said(advisor)
            found = understood(self._walks, sentences, self._houses)
            self._outcomes[advisor] = _outcome(found, [task.house for task in self.tasks.tasks], {})
        return self._outcomes[advisor]

    def read_out(self, place: Path) -> dict[str, Outcome]:
        """What it would do when sentences by hand are read out to it, or nothing."""
        import torch

        from vnla.evaluation.listening import given_walks, understood
        from vnla.language.handwritten import written_world
        from vnla.roles.phrases import subgoal_text
        from vnla.world.compiled import World

        folder = written_world(place)
        world, look = World.compile(folder.houses), self.around(folder)
        houses, plans = [line.house_name for line in self.lines], [line.plan for line in self.lines]
        start = [line.pose(world) for line in self.lines]
        walks = given_walks(
            world, start, plans, houses, self.tasks.end_goals.rows(torch.arange(len(start)) % len(self.tasks))
        )
        self.tell(f"{PARSER}: {WRITTEN}")
        said = {
            SILENCE: [""] * len(start),
            TEMPLATE: [subgoal_text(plan) for plan in plans],
            "sentences": [line.sentence for line in self.lines],
        }
        return {name: _outcome(understood(walks, each, look), houses, {}) for name, each in said.items()}


def _outcome(found: Followed, houses: Sequence[str], values: Mapping[str, Any]) -> Outcome:
    from vnla.evaluation.listening import Outcome

    every = {**found._asdict(), **values}
    return Outcome(every, dict.fromkeys(every, houses))


def _rows(whole: Outcome, rows: Sequence[int]) -> Outcome:
    """Some walks of an outcome."""
    import numpy as np

    from vnla.evaluation.listening import Outcome

    houses = {name: [each[i] for i in rows] for name, each in whole.houses.items()}
    return Outcome({name: np.asarray(each)[rows] for name, each in whole.values.items()}, houses)


def _as_trained(folder: WorldFolder) -> Any:
    """A source of symbolic features of other houses in the columns of those that an agent was trained in."""
    from vnla.vision.symbolic import NAME, symbolic_features

    labels = sorted({thing.label for house in folder.houses for thing in house.objects})

    def views(other: WorldFolder, world: World, name: str) -> Any:
        if name != NAME:
            return None
        array = symbolic_features(other.houses, world, labels).array
        return array.reshape(-1, array.shape[-1])

    return views
