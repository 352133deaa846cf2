"""An advisor of your own: it knows no way, but says whether the goal is near.

vnla train runs/warmer --advisor examples.advisor:Warmer --advisor-option near=3 --world … --tasks …
vnla watch runs/warmer
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from vnla import Advisor, BoundAdvisor, Lexicon, Phrases, StepContext, Utterance, tabulated

SAYS = ("you are near .", "you are on the way .", "you are far away .")


@dataclass(frozen=True)
class Warmer(Advisor):
    """Near, on the way, or far away."""

    k: int = 2
    near: float = 4.0
    far: float = 10.0

    def words(self) -> Sequence[str]:
        """Those that the agent has to know; the run adds them to its vocabulary."""
        return sorted({word for sentence in SAYS for word in sentence.split()})

    def ready(self, lexicon: Lexicon, device: torch.device | str = "cpu") -> WarmerVoice:
        """A table of all it says; the last row of a table is silence."""
        sentences = [sentence.split() for sentence in SAYS]
        return WarmerVoice(self, tabulated([*sentences, ()], lexicon, lambda row: (*SAYS, "")[row], device))


@dataclass(frozen=True)
class WarmerVoice(BoundAdvisor):
    """It, ready to speak."""

    advisor: Warmer
    phrases: Phrases

    def say(self, now: StepContext) -> Utterance:
        """A row of the table for everybody, by the metres that are left."""
        left = now.episodes.environment.distance_left(now.pose, now.episodes.goals)
        return Utterance((left > self.advisor.near).long() + (left > self.advisor.far).long(), self.phrases)
