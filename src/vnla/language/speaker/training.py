"""How a speaker learns: by saying what the grammar says of random walks through the houses of training."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, pad

from vnla.assistance.advisor import Lexicon
from vnla.camera import HEADINGS, VIEWS
from vnla.common.errors import InputError
from vnla.common.outside import whole
from vnla.common.progress import Count, unheard
from vnla.episode import Episodes, StepContext
from vnla.houses.folder import WorldFolder
from vnla.language.facts import Facts, world_facts
from vnla.language.grammar import Grammar
from vnla.language.speaker.composing import TRIES, follows, tries
from vnla.language.speaker.kept import MOMENTS, Speaker, new_speaker, read_with_moments, write_speaker
from vnla.language.speaker.looks import Looks
from vnla.language.speech import Knowledge, Speech, plan_of, tell
from vnla.language.surroundings import Surroundings
from vnla.world.compiled import Environment, World

_SAVED_EVERY = 100  # iterations

Report = Callable[[int, int, float], None]
"""Called with the iterations that are done, of how many, and the loss per word."""


@dataclass(frozen=True)
class SpeakerSettings:
    """Of a training; a file that is gone on with has its own k, width and seed."""

    iterations: int = 2500
    batch: int = 64
    learning_rate: float = 2e-3
    k: int = 4
    width: int = 96
    seed: int = 0


@dataclass(frozen=True)
class Ground:
    """Houses to speak in."""

    houses: Sequence[Surroundings]
    world: World
    environment: Environment  # every viewpoint is a goal, in order
    knowledge: Knowledge
    looks: Looks

    @classmethod
    def of(cls, houses: Sequence[Surroundings], facts: Iterable[Facts], device: torch.device | str = "cpu") -> Ground:
        """With all that can be said in them."""
        world = World.compile([each.house for each in houses])
        ids = [(each.house.name, [viewpoint]) for each in houses for viewpoint in each.graph.ids]
        knowledge = Knowledge.of(facts, world.to(device))
        return cls(houses, world.to(device), Environment.compile(world, ids).to(device), knowledge, Looks.of(houses, device))

    def agents(self, count: int, seed: int, batch: int = 0) -> StepContext:
        """Some who are anywhere, on their way to anywhere else in their house, and remember nothing."""
        random = np.random.default_rng([seed, batch])
        first = self.world.first.cpu().numpy()
        start = random.integers(first[-1], size=count)
        house = np.searchsorted(first, start, side="right") - 1
        goal = first[house] + (random.random(count) * (first[house + 1] - first[house])).astype(np.int64)
        row = random.choice(3, size=count, p=(0.1, 0.8, 0.1))
        pose = start * VIEWS + row * HEADINGS + random.integers(HEADINGS, size=count)
        device = self.world.device
        key = torch.from_numpy(random.integers(2**62, size=count)).to(device)
        goals, poses = torch.from_numpy(goal).to(device), torch.from_numpy(pose).to(device)
        episodes = Episodes.begin(
            self.environment, key=key, start=poses, goals=goals, time_budget=torch.full_like(goals, 25), seed=seed
        )
        zero, nothing = torch.zeros_like(poses), torch.empty(count, 0, device=device)
        return StepContext(episodes, 0, poses, zero, zero + 1, nothing, zero, since_request=zero)


@dataclass(frozen=True)
class OwnWords(Lexicon):
    """The grammar's words with their own numbers."""

    words: Sequence[str]
    padding: int = 0
    end: int = 0

    def __contains__(self, word: object) -> bool:
        return word in self.words

    def __getitem__(self, word: str, /) -> int:
        return self.words.index(word) + 1


def ground_of(folder: WorldFolder, split: str, progress: Count = unheard, device: torch.device | str = "cpu") -> Ground:
    """The houses of a split of a world; all, where it has no such split."""
    names = folder.splits.get(split) or tuple(house.name for house in folder.houses)
    facts = dict(zip((house.name for house in folder.houses), world_facts(folder, progress), strict=True))
    houses = [Surroundings.of(folder, house) for house in folder.houses if house.name in names]
    return Ground.of(houses, [facts[each.house.name] for each in houses], device)


def train_speaker(path: Path, ground: Ground, settings: SpeakerSettings, report: Report = lambda *_: None) -> Speaker:
    """A speaker trained for so many iterations; one that is in the file already continues where it was."""
    torch.manual_seed(settings.seed)
    grammar = Grammar()
    if path.exists():
        speaker, moments, notes = read_with_moments(path)
        if speaker.words != tuple(grammar.words):
            raise InputError(f"{path}: this speaker has other words than the grammar; train a new one")
        seed = whole(notes.get("seed", 0), f"{path}: the seed in its notes")
        settings = replace(settings, k=speaker.k, width=speaker.network.sizes.width, seed=seed)
    else:
        speaker, moments = new_speaker(grammar.words, settings.k, settings.width, settings.seed), {}
    device = ground.world.device
    network = speaker.network.to(device).train()
    optimiser = torch.optim.Adam(network.parameters(), lr=settings.learning_rate)
    _go_on(network, optimiser, moments)
    speech = Speech.of(grammar, OwnWords(grammar.words), "usual", settings.k, device)
    for iteration in range(speaker.done, settings.iterations):
        for group in optimiser.param_groups:
            group["lr"] = settings.learning_rate * min((iteration + 1) / 20, 1.0, 1.05 - iteration / settings.iterations)
        loss = _loss(speaker, ground, speech, ground.agents(settings.batch, settings.seed, iteration + 1))
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        done = iteration + 1
        report(done, settings.iterations, float(loss.detach()) if done % 20 == 0 or done == settings.iterations else 0.0)
        if done % _SAVED_EVERY == 0 or done == settings.iterations:
            speaker = replace(speaker, done=done)
            write_speaker(path, speaker, _moments(network, optimiser), {"seed": settings.seed})
    network.eval()
    return speaker


def _loss(speaker: Speaker, ground: Ground, speech: Speech, now: StepContext) -> Tensor:
    """How surprised the speaker is by each word that the grammar says."""
    words = tell(now, speech, ground.knowledge, speaker.k).words.tokens
    memory = speaker.network.look(ground.looks, plan_of(now, speaker.k))
    wanted = words > 0
    return cross_entropy(speaker.network(memory, pad(words[:, :-1], (1, 0)), wanted), words[wanted])


class SpeakerScores(NamedTuple):
    """Shares of plans of which what a speaker says is found true by a listener and followed."""

    likeliest: float
    """By the likeliest sentence."""
    drawn: float
    """By one that is drawn."""
    any: float
    """By one at least of all that are tried."""


def followed(speaker: Speaker, ground: Ground, count: int, seed: int, progress: Count = unheard) -> SpeakerScores:
    """How a listener takes what is said to agents anywhere."""
    now = ground.agents(count, seed)
    plan = plan_of(now, speaker.k)
    first = ground.world.first.cpu()
    house = torch.searchsorted(first, plan.poses[:, 0].cpu() // VIEWS, right=True) - 1
    own = plan._replace(actions=plan.actions.cpu(), poses=plan.poses.cpu() - first[house][:, None] * VIEWS)
    good = np.zeros((TRIES, count), dtype=bool)
    for attempt, tokens in enumerate(tries(speaker, ground.looks, plan, now.episodes.key)):
        for number, row in enumerate(tokens.tolist()):
            good[attempt, number] = follows(speaker.text(row), ground.houses[int(house[number])], own, number)
        progress(1)
    return SpeakerScores(float(good[-1].mean()), float(good[:-1].mean()), float(good.any(axis=0).mean()))


def _moments(network: torch.nn.Module, optimiser: torch.optim.Adam) -> dict[str, Tensor]:
    return {
        f"{moment}.{name}": optimiser.state[each][moment].reshape(-1) if moment == "step" else optimiser.state[each][moment]
        for name, each in network.named_parameters()
        for moment in MOMENTS
        if each in optimiser.state
    }


def _go_on(network: torch.nn.Module, optimiser: torch.optim.Adam, moments: dict[str, Tensor]) -> None:
    for name, each in network.named_parameters():
        own = {moment: moments[key] for moment in MOMENTS if (key := f"{moment}.{name}") in moments}
        if len(own) == len(MOMENTS):
            optimiser.state[each] = {
                "step": own["step"].reshape(()),
                **{moment: own[moment].to(each.device) for moment in MOMENTS[1:]},
            }
