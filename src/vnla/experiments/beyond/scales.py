"""How large a comparison is: the paper's preset of that size, and how the agents that go past it are tuned.

LEARNED is trained as the preset says, for as many iterations as all others have in all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from vnla.common.errors import InputError
from vnla.evaluation.ceilings.lines import SCHEDULES
from vnla.experiments.paper.presets import PAPER, SMALL, Preset


@dataclass(frozen=True)
class Tuning:
    """How a phase of a training is tuned."""

    batch: int
    learning_rate: float
    dropout: float
    cooldown: float = 0.0


@dataclass(frozen=True)
class Scale:
    """Everything that the agents have in common, and the tuning of each kind of phase."""

    preset: Preset
    """Houses, features, sizes; its training is that of LEARNED."""
    begun: Tuning
    """Of the first phase, imitation."""
    begun_share: float
    """Of the iterations."""
    further: Tuning
    """Of the next phase, by reward or by imitation still."""
    worth: Tuning
    """Of a last phase that learns what a request is worth; a batch has twice as many episodes there."""
    worth_share: float
    """Of the iterations; it is taken from the phase before."""
    reward: Mapping[str, Any] = field(default_factory=dict)
    """Options of the objective reward."""
    fresh: int = 0
    """Other houses that agents are tested in."""
    fresh_tasks: int = 25
    """In each of them, about."""
    limit: int = 400
    """Tasks that ceilings are looked for on."""
    schedules: int = SCHEDULES
    """Sets of times to ask that are tried in an episode."""

    @property
    def iterations(self) -> int:
        """Of every agent, in all."""
        return self.preset.training.iterations


SCALES = {
    "small": Scale(
        preset=SMALL,
        begun=Tuning(batch=100, learning_rate=3e-3, dropout=0.2),
        begun_share=0.5,
        further=Tuning(batch=100, learning_rate=1e-3, dropout=0.2, cooldown=0.5),
        worth=Tuning(batch=50, learning_rate=1e-3, dropout=0.2, cooldown=0.5),
        worth_share=0.2,
        reward={"imitation": 0.1},
        limit=40,
        schedules=100,
    ),
    "paper": Scale(
        preset=PAPER.given(iterations=25_000),
        begun=Tuning(batch=100, learning_rate=1e-4, dropout=0.5),
        begun_share=0.4,
        further=Tuning(batch=300, learning_rate=2e-4, dropout=0.2, cooldown=0.3),
        worth=Tuning(batch=150, learning_rate=2e-4, dropout=0.2, cooldown=0.3),
        worth_share=0.2,
        reward={"imitation": 0.05},
        fresh=200,
    ),
}
"""By the name of the preset."""


def scale_of(name: str) -> Scale:
    """The scale of that name."""
    if name not in SCALES:
        raise InputError(f"preset {name}: unknown; choose from {', '.join(SCALES)}")
    return SCALES[name]
