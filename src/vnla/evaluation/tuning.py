"""The options of a help policy chosen on a dev set.

    best, tried = tune(policy, partial(measure, context, tasks))

A policy declares which of its options are to be chosen, and the values that are tried (`HelpPolicy.choices`). They are
chosen one after the other, each by the success of all its values while the others stay, in rounds until nothing is better
(coordinate ascent). Where values are equally good, the first that was tried is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from vnla.assistance.help_policies import HelpPolicy
from vnla.common.errors import InputError
from vnla.common.progress import Share, unheard
from vnla.evaluation.evaluate import SEEDS, evaluate
from vnla.rollout import RolloutContext
from vnla.tasks.task_set import TaskSet
from vnla.world.budgets import HELP_RATIO

ROUNDS = 3
"""How often each option is chosen at most."""


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
    """Return the best options of a policy by `measure`, and all that were tried, in order: first those that it has."""
    if not policy.choices:
        raise InputError(f"help policy {type(policy).__name__}: has no options that are chosen on a dev set")
    most = 1 + ROUNDS * sum(len(values) for values in policy.choices.values())
    tried: list[TriedOptions] = []

    def attempt(options: dict[str, float]) -> TriedOptions:
        known = next((each for each in tried if each.options == options), None)
        if known is None:
            progress(len(tried), most)
            known = TriedOptions(options, measure(replace(policy, **options)))  # type: ignore[type-var]
            tried.append(known)
        return known

    best = attempt({name: getattr(policy, name) for name in policy.choices})
    for _ in range(ROUNDS):
        before = best
        for name, values in policy.choices.items():
            others = [attempt({**best.options, name: value}) for value in values]
            best = max([best, *others], key=lambda each: each.score.success)
        if best == before:
            break
    progress(most, most)
    return best, tried


def measure(
    context: RolloutContext, tasks: TaskSet, policy: HelpPolicy, *, seeds: Sequence[int] = SEEDS, ratio: float = HELP_RATIO
) -> DevScore:
    """Return what the agent comes to on tasks when it asks by a policy."""
    scores = evaluate(replace(context, help_policy=policy), tasks, seeds=seeds, ratio=ratio).scores
    return DevScore(100 * float(np.mean(scores.success)), float(np.mean(scores.requests)))
