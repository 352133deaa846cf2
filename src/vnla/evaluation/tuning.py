"""The options of a help policy chosen on a dev set.

    best, tried = tune(policy, partial(measure, context, tasks))

A policy declares which of its options are to be chosen, and the values that are tried (`HelpPolicy.choices`). All
combinations are tried, and the one with most success is chosen; of those that are equally good, the first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from vnla.assistance.help_policies import HelpPolicy
from vnla.common.errors import InputError
from vnla.common.progress import Share, unheard
from vnla.evaluation.evaluate import SEEDS, evaluate
from vnla.rollout import RolloutContext
from vnla.tasks.task_set import TaskSet
from vnla.world.budgets import HELP_RATIO


class DevScore(NamedTuple):
    """What a policy comes to on a dev set."""

    success: float  # per cent
    requests: float  # an episode


@dataclass(frozen=True)
class TriedOptions:
    """Options of a help policy, and what it comes to with them."""

    options: dict[str, float]
    score: DevScore

    def as_dict(self) -> dict[str, Any]:
        """For a JSON file."""
        return {"options": self.options, **self.score._asdict()}


def tune(
    policy: HelpPolicy, measure: Callable[[HelpPolicy], DevScore], progress: Share = unheard
) -> tuple[TriedOptions, list[TriedOptions]]:
    """Return the best options of a policy by `measure`, and all that were tried, in order."""
    if not policy.choices:
        raise InputError(f"help policy {type(policy).__name__}: has no options that are chosen on a dev set")
    grid = [dict(zip(policy.choices, values, strict=True)) for values in product(*policy.choices.values())]
    tried: list[TriedOptions] = []
    for options in grid:
        progress(len(tried), len(grid))
        tried.append(TriedOptions(options, measure(replace(policy, **options))))  # type: ignore[type-var]
    progress(len(grid), len(grid))
    return max(tried, key=lambda each: each.score.success), tried


def measure(
    context: RolloutContext, tasks: TaskSet, policy: HelpPolicy, *, seeds: Sequence[int] = SEEDS, ratio: float = HELP_RATIO
) -> DevScore:
    """Return what the agent comes to on tasks when it asks by a policy."""
    scores = evaluate(replace(context, help_policy=policy), tasks, seeds=seeds, ratio=ratio).scores
    return DevScore(100 * float(np.mean(scores.success)), float(np.mean(scores.requests)))
