"""Time and help budgets (section 6.4 and the appendix, "Time budget").

The time budget is how many steps an episode may take. In training it is the teacher's own mean number of actions; in
evaluation, where the way is unknown to the agent, an upper confidence bound of the mean over training trajectories between
the same two room types. The help budget is how many times the agent may ask in that time.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, stdev

import torch
from torch import Tensor

from vnla.common.capture import fused
from vnla.common.errors import InputError
from vnla.common.randomness import Purpose, uniform

LONGEST_EPISODE = 25
"""L_max of the paper's hyperparameter table."""

HELP_RATIO = 0.4
"""τ: the share of the time during which the agent receives assistance."""

SUBGOAL_ACTIONS = 4
"""k: the number of actions that a subgoal describes."""

_BOUND = 1.95  # the paper's factor for its 95% bound

Pair = tuple[str, str]


def training_time_budget(trajectory_lengths: Sequence[int], longest: int = LONGEST_EPISODE) -> int:
    """The rounded mean number of actions to the goals, at most `longest`. Half-way cases go to the even number."""
    if not trajectory_lengths:
        raise InputError("a time budget needs at least one trajectory")
    return min(longest, round(fmean(trajectory_lengths)))


@dataclass(frozen=True)
class TimeBudgets:
    """Evaluation time budgets: an upper bound for each pair (start room type, goal room type); NoRoom: (room, object)."""

    bounds: Mapping[Pair, float] = field(default_factory=dict)
    longest: int = LONGEST_EPISODE

    @classmethod
    def from_training(cls, trajectories: Iterable[tuple[Pair, int]], longest: int = LONGEST_EPISODE) -> TimeBudgets:
        """Bounds from all trajectories of the training set, each with its pair and its number of actions."""
        lengths: defaultdict[Pair, list[int]] = defaultdict(list)
        for pair, length in trajectories:
            lengths[pair].append(length)
        return cls({pair: upper_bound(each, longest) for pair, each in sorted(lengths.items())}, longest)

    def __getitem__(self, pair: Pair) -> int:
        """The budget in steps; a pair that training never met gets the longest."""
        return round(self.bounds.get(pair, self.longest))


def upper_bound(lengths: Sequence[int], longest: int = LONGEST_EPISODE) -> float:
    """The paper's 95% upper confidence bound of the mean, at most `longest`; one length has no standard error: `longest`."""
    if len(lengths) < 2:
        return float(longest)
    return min(float(longest), fmean(lengths) + _BOUND * stdev(lengths) / math.sqrt(len(lengths)))


@fused
def help_budget(
    time_budget: Tensor, episode: Tensor, *, ratio: float = HELP_RATIO, k: int = SUBGOAL_ACTIONS, seed: int | Tensor
) -> Tensor:
    """The number of requests B̂ = ⌊B⌋ + Bernoulli({B}) with B = T̂·τ/k, for each episode key: its mean is B."""
    exact = time_budget.to(torch.float64) * ratio / k
    whole = exact.floor()
    extra = uniform(seed, episode, Purpose.HELP_BUDGET) < exact - whole
    return (whole + extra).long()
