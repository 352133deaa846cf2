"""The advisor `speaker`: it says what a trained network says of the navigation teacher's next actions.

What it says was composed before anybody walks (`vnla.language.speaker.composing`), and is only what a listener has followed
to the right place; of other plans, and in other poses, it speaks in the plainest words of the grammar.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from vnla.camera import VIEWS
from vnla.common.errors import InputError
from vnla.common.progress import Count, unheard
from vnla.language.tabled import Sentences, TabledAdvisor
from vnla.world.actions import NAV_ACTIONS
from vnla.world.budgets import SUBGOAL_ACTIONS
from vnla.world.compiled import World

if TYPE_CHECKING:
    from vnla.houses.folder import WorldFolder
    from vnla.language.speaker.composing import SpokenSentences
    from vnla.language.speaker.kept import Speaker


@dataclass(frozen=True)
class SpeakerAdvisor(TabledAdvisor):
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
        super().__post_init__()
        if not self.speaker:
            raise InputError("advisor speaker: say which: --advisor-option speaker=FILE; `vnla speaker FILE` trains one")

    def sentences(self, folder: WorldFolder, world: World) -> Sentences:
        """What the network says in the houses of a world."""
        return sentences_of(self.composed(folder), world, self._network.words, self.k)

    def composed(self, folder: WorldFolder, progress: Count = unheard) -> Iterator[SpokenSentences]:
        """The same, house by house; where it is not kept yet this takes a while."""
        from vnla.language.speaker.composing import world_said  # late: it brings houses and processes along

        if self._network.k != self.k:
            said = self._network.k
            raise InputError(f"{self.speaker}: this speaker describes {said} actions, not {self.k}; say --k {said}")
        return world_said(folder, Path(self.speaker), progress)

    @property
    def _network(self) -> Speaker:
        from vnla.language.speaker.kept import read_speaker

        return read_speaker(Path(self.speaker))


def sentences_of(said: Iterable[SpokenSentences], world: World, words: Sequence[str], k: int) -> Sentences:
    """What was said in the houses of a world, by the world's numbers."""
    found: Sentences = {}
    spelling = np.array(["", *words], dtype=object)
    for first, each in zip(world.first.tolist(), said, strict=False):
        for about, tokens in zip(each.about.tolist(), each.tokens, strict=True):
            sentence = tuple(spelling[tokens[tokens > 0]].tolist())
            found.setdefault(about + first * VIEWS * NAV_ACTIONS**k, []).append(sentence)
    return found
