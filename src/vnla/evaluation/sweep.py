"""Success against help: the same agent with more or less of it.

    rows = sweep({4: context}, tasks, ratios=(0, 0.2, 0.4, 0.6, 0.8, 1))
    figure = help_figure({"learned": rows})  # vnla.report.result_figures

The help-request ratio τ is the share of the time in which the agent receives assistance; with it grows the number of
requests. The number k of actions that a subgoal describes makes each one worth more, and fewer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from vnla.assistance.advisor import TemplateAdvisor
from vnla.common.errors import InputError
from vnla.common.progress import Share, unheard
from vnla.evaluation.confidence import Estimate, finite
from vnla.evaluation.evaluate import SEEDS, Evaluation, evaluate
from vnla.rollout import RolloutContext
from vnla.tasks.task_set import TaskSet
from vnla.tasks.vocabulary import Forgiving, Vocabulary

RATIOS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True)
class SweepRow:
    """One setting and its figures."""

    ratio: float
    k: int
    figures: Mapping[str, Estimate]

    def as_dict(self) -> dict[str, Any]:
        """Return the row for a JSON file."""
        figures = {name: [finite(each.mean), finite(each.margin)] for name, each in self.figures.items()}
        return {"ratio": self.ratio, "k": self.k, **figures}

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> SweepRow:
        """Return the row that `as_dict` wrote; the figures of each seed are not in it."""
        numbers = {
            name: [math.nan if each is None else float(each) for each in row[name]]
            for name in row
            if name not in ("ratio", "k")
        }
        figures = {name: Estimate(mean, margin, ()) for name, (mean, margin) in numbers.items()}
        return cls(row["ratio"], row["k"], figures)


def with_k(context: RolloutContext, k: int, vocabulary: Vocabulary) -> RolloutContext:
    """Return the context with an advisor of `k` actions; words that the agent never met ("150") are unknown to it."""
    if not isinstance(context.advisor, TemplateAdvisor):
        raise InputError(
            f"{type(context.advisor).__name__}: only the paper's advisor can be told how many actions to describe"
        )
    advisor = replace(context.advisor, k=k)
    device = context.bound_advisor.phrases.words.length.device
    return replace(context, advisor=advisor, bound_advisor=advisor.ready(Forgiving(vocabulary), device))


def sweep(
    contexts: Mapping[int, RolloutContext],
    tasks: TaskSet,
    *,
    ratios: Sequence[float] = RATIOS,
    seeds: Sequence[int] = SEEDS,
    progress: Share = unheard,
) -> list[SweepRow]:
    """Evaluate with every ratio and every k: `contexts` has one for each k (`with_k`)."""
    for ratio in ratios:
        if not 0 <= ratio <= 1:
            raise InputError(f"sweep: a help-request ratio of {ratio} is not between 0 and 1")
    settings = [(ratio, k) for k in sorted(contexts) for ratio in sorted(set(ratios))]
    rows = []
    for done, (ratio, k) in enumerate(settings, start=1):
        found: Evaluation = evaluate(contexts[k], tasks, seeds=seeds, ratio=ratio, k=k)
        rows.append(SweepRow(ratio, k, found.summary()))
        progress(done, len(settings))
    return rows
