"""Success against help: the same agent with more or less of it.

    rows = sweep({4: players}, tasks, end_goals, rooms, ratios=(0, 0.2, 0.4, 0.6, 0.8, 1))
    figure = help_figure({"learned": rows})  # vnla.report.figures

The help-request ratio τ is the share of the time in which the agent receives assistance; with it grows the number of
requests. The number k of actions that a subgoal describes makes each one worth more, and fewer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from torch import Tensor

from vnla.agent.agent import tails
from vnla.common.errors import InputError
from vnla.evaluation.confidence import Estimate
from vnla.evaluation.evaluate import SEEDS, Evaluation, evaluate
from vnla.players import Players
from vnla.roles.advisor import Subgoals
from vnla.roles.words import Words
from vnla.tasks.task_set import TaskSet
from vnla.tasks.vocabulary import Vocabulary

RATIOS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)

Report = Callable[[int, int], None]


@dataclass(frozen=True)
class Row:
    """One setting and its figures."""

    ratio: float
    k: int
    figures: Mapping[str, Estimate]

    def as_dict(self) -> dict[str, Any]:
        """The row for a JSON file."""
        figures = {name: [_known(each.mean), _known(each.margin)] for name, each in self.figures.items()}
        return {"ratio": self.ratio, "k": self.k, **figures}


def with_k(players: Players, k: int, vocabulary: Vocabulary) -> Players:
    """The same players with an advisor that describes `k` actions; words the agent never met ("150") are unknown to it."""
    advisor = replace(players.advisor, k=k)
    known = {word: vocabulary.get(word, vocabulary.unknown) for word in advisor.words()}
    table = Subgoals.table(advisor, known, vocabulary.padding).to(players.tails.tokens.device)
    return replace(players, advisor=advisor, tails=tails(table, vocabulary.end))


def sweep(
    players: Mapping[int, Players],
    tasks: TaskSet,
    end_goals: Words,
    rooms: Tensor,
    *,
    ratios: Sequence[float] = RATIOS,
    seeds: Sequence[int] = SEEDS,
    batch: int | None = None,
    progress: Report = lambda _done, _all: None,
) -> list[Row]:
    """Evaluate with every ratio and every k: `players` has those who play under each k (`with_k`)."""
    for ratio in ratios:
        if not 0 <= ratio <= 1:
            raise InputError(f"sweep: a help-request ratio of {ratio} is not between 0 and 1")
    settings = [(ratio, k) for k in sorted(players) for ratio in sorted(set(ratios))]
    rows = []
    for done, (ratio, k) in enumerate(settings, start=1):
        found: Evaluation = evaluate(players[k], tasks, end_goals, rooms, seeds=seeds, ratio=ratio, k=k, batch=batch)
        rows.append(Row(ratio, k, found.summary()))
        progress(done, len(settings))
    return rows


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None
