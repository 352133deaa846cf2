"""The advisor `speaker`: it says what a trained network says of the navigation teacher's next actions.

What it says was composed before anybody walks (`vnla.language.speaker.composing`): a table of sentences, and for every level
pose and plan the rows that a listener has followed to the right place. Where there are none, and in other poses, it says the
plan in the plainest words of the grammar.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from vnla.common.capture import fused
from vnla.common.errors import InputError
from vnla.common.randomness import Purpose, uniform
from vnla.episodes import Situation
from vnla.language.grammar import FULL_STOP, Grammar, text_of
from vnla.language.plainly import plain_words
from vnla.language.speech import plan_of, take
from vnla.roles.advisor import Advisor, Lexicon, Voice, tabulated
from vnla.roles.words import Heard, Phrases
from vnla.world.actions import NAV_ACTIONS, Nav
from vnla.world.budgets import SUBGOAL_ACTIONS
from vnla.world.compiled import World
from vnla.world.views import VIEWS

if TYPE_CHECKING:
    from vnla.houses.folder import WorldFolder
    from vnla.language.speaker.composing import Said

_MOST_ACTIONS = 6  # every plan has a row of plain words

Sentences = dict[int, list[tuple[str, ...]]]
"""Pose of the world · 6^k + code of a plan → what may be said of it."""


@dataclass(frozen=True)
class SpeakerAdvisor(Advisor):
    """Describes the navigation teacher's next k actions as a network has learned to."""

    k: int = SUBGOAL_ACTIONS
    """How many actions it describes."""
    direct: bool = False
    """Whether it acts for the agent during those actions, at test time too."""
    speaks: bool = True
    """Whether it says anything."""
    speaker: str = ""
    """The file with the network, which `vnla speaker` trains."""

    def __post_init__(self) -> None:
        if not 1 <= self.k <= _MOST_ACTIONS:
            raise InputError(f"advisor speaker: k is {self.k}, but it can describe 1 to {_MOST_ACTIONS} actions")
        if not (self.direct or self.speaks):
            raise InputError("advisor speaker: one that neither speaks nor acts is no help; use the help policy 'none'")
        if not self.speaker:
            raise InputError("advisor speaker: say which: --advisor-option speaker=FILE; `vnla speaker FILE` trains one")

    def words(self) -> Sequence[str]:
        """Every word of the grammar, which it has learned from."""
        return Grammar().words

    def ready(self, lexicon: Lexicon, device: torch.device | str = "cpu") -> SpeakerVoice:
        """Without knowledge of any house: in plain words alone."""
        return self._voice(lexicon, {}, device)

    def ready_in(
        self, folder: WorldFolder, world: World, lexicon: Lexicon, device: torch.device | str = "cpu"
    ) -> SpeakerVoice:
        """With what the network says in the houses of a world."""
        from vnla.language.speaker.composing import world_said  # late: it brings houses and processes along
        from vnla.language.speaker.kept import read_speaker

        speaker = read_speaker(Path(self.speaker))
        if speaker.k != self.k:
            raise InputError(
                f"{self.speaker}: this speaker describes {speaker.k} actions, not {self.k}; say --k {speaker.k}"
            )
        said = world_said(folder, Path(self.speaker))
        return self._voice(lexicon, sentences_of(said, world, speaker.words, self.k), device)

    def _voice(self, lexicon: Lexicon, sentences: Sentences, device: torch.device | str) -> SpeakerVoice:
        missing = [word for word in self.words() if word not in lexicon]
        if missing:
            raise InputError(f"vocabulary: it lacks the advisor's word {missing[0]!r}")
        plain = [(*plain_words(plan), FULL_STOP) for plan in product(Nav, repeat=self.k)]
        rows: dict[tuple[str, ...], int] = {}
        which = [rows.setdefault(words, len(rows)) for words in plain]
        about = sorted(sentences)
        said = [[rows.setdefault(words, len(rows)) for words in sentences[each]] for each in about]
        counts = torch.tensor([len(each) for each in said], dtype=torch.int64)
        every = [*rows, ()]
        texts = partial(_text, every)
        return SpeakerVoice(
            self,
            tabulated(every, lexicon, texts, device),
            torch.tensor(which, device=device),
            torch.tensor(about or [-1], device=device),
            (counts.cumsum(0) - counts if about else torch.zeros(1, dtype=torch.int64)).to(device),
            (counts if about else torch.zeros(1, dtype=torch.int64)).to(device),
            torch.tensor([row for each in said for row in each] or [0], device=device),
        )


def _text(every: Sequence[tuple[str, ...]], row: int) -> str:
    return text_of(every[row])


def sentences_of(said: Iterable[Said], world: World, words: Sequence[str], k: int) -> Sentences:
    """What was said in the houses of a world, by the world's numbers."""
    found: Sentences = {}
    spelling = np.array(["", *words], dtype=object)
    for first, each in zip(world.first.tolist(), said, strict=False):
        for about, tokens in zip(each.about.tolist(), each.tokens, strict=True):
            sentence = tuple(spelling[tokens[tokens > 0]].tolist())
            found.setdefault(about + first * VIEWS * NAV_ACTIONS**k, []).append(sentence)
    return found


@dataclass(frozen=True, eq=False)
class SpeakerVoice(Voice):
    """It, ready to speak."""

    advisor: SpeakerAdvisor
    phrases: Phrases
    plain: Tensor  # (6^k,), the row of each plan in plain words
    about: Tensor  # (plans,), sorted
    first: Tensor  # (plans,), where the rows of each begin in `rows`
    count: Tensor  # (plans,)
    rows: Tensor  # (sentences,)

    def say(self, now: Situation) -> Heard:
        """One of the sentences of each plan, drawn for the episode and step."""
        return Heard(_drawn(self, now, now.step), self.phrases)


@fused
def _drawn(voice: SpeakerVoice, now: Situation, step: int | Tensor) -> Tensor:
    if not voice.advisor.speaks:
        return torch.full_like(now.pose, voice.phrases.silence)
    code = torch.zeros_like(now.pose)
    for action in plan_of(now, voice.advisor.k).actions.unbind(dim=1):
        code = code * NAV_ACTIONS + action
    about = now.pose * NAV_ACTIONS**voice.advisor.k + code
    place = torch.searchsorted(voice.about, about).clamp(max=len(voice.about) - 1)
    known = (take(voice.about, place) == about) & (take(voice.count, place) > 0)
    drawn = uniform(now.episodes.seed, now.episodes.key, Purpose.ADVICE, step)
    row = take(voice.first, place) + (drawn * take(voice.count, place)).long()
    return torch.where(known, take(voice.rows, row * known), take(voice.plain, code))
