"""The objectives by name; anybody's as `package.module:Class`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from vnla.common.registry import build
from vnla.training.objectives.asking import AskingByReward
from vnla.training.objectives.mistakes import Mistakes
from vnla.training.objectives.objective import ImitationObjective, Objective, PracticeObjective
from vnla.training.objectives.reward import Reward
from vnla.training.objectives.worth import Worth

OBJECTIVES: dict[str, Callable[..., Objective]] = {
    "imitation": ImitationObjective,
    "practice": PracticeObjective,
    "worth": Worth,
    "mistakes": Mistakes,
    "asking": AskingByReward,
    "reward": Reward,
}
"""By the name that commands and files give them."""


def objective(name: str, options: Mapping[str, Any] | None = None) -> Objective:
    """Return the objective of that name, or of a `package.module:Class`, with options."""
    return build("objective", name, OBJECTIVES, options or {}, Objective)
