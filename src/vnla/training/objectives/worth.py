"""What a request is worth: both actions tried from the same state, and the help module learns the difference.

Episodes come in twins, alike to the last digit up to a step that is drawn for them: there one asks and the other does not,
and then both go on as the policy would have it. The difference between how they end is what the request was worth at that
step, to this agent, which may use it later if not now, or not before `hold` steps have passed (cost-sensitive imitation with
costs to go, AggreVaTe: Ross and Bagnell 2014). The module's preference for asking learns that difference; so its own
rollouts improve it as it learns, for the states are those to which it leads. The navigator stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import torch
from torch import Tensor

from vnla.agents.agent import Agent
from vnla.agents.layers.dropout import LEARNING_TO_ASK, dropout_seeded
from vnla.assistance.acting import at_test_time
from vnla.assistance.help_policies import HelpPolicy
from vnla.assistance.valued import Tried
from vnla.common.errors import InputError
from vnla.common.outside import check_fields
from vnla.evaluation.evaluate import run_greedy
from vnla.rollout import Rollout, RolloutContext
from vnla.tasks.task_set import TaskSet
from vnla.training.objectives.objective import Judged, Objective, final_reward
from vnla.world.budgets import LONGEST_EPISODE


@dataclass(frozen=True)
class Worth(Objective):
    """The help module learns what a request is worth."""

    timed: ClassVar[bool] = True
    navigates: ClassVar[bool] = False
    divisible: ClassVar[bool] = True
    RENAMED: ClassVar[Mapping[str, str]] = {"metres": "shaping_weight"}
    shaping_weight: float = 0.5
    """Share of closeness to the goal in what counts as a good end; the rest is success."""
    silence: float = 0.5
    """Share of the twins that do not ask before their step, so that late steps with all requests left are tried, too."""
    hold: int = 1
    """For how many steps the one who does not ask may not ask, its own step among them; with the k of the advisor, asking
    now is compared with not asking while a subgoal would last."""

    def __post_init__(self) -> None:
        check_fields(self, hold=(1, LONGEST_EPISODE))
        for name in ("shaping_weight", "silence"):
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(f"objective worth: {name} is {getattr(self, name)}, but a share is between 0 and 1")

    def rollout_context(self, context: RolloutContext, policy: HelpPolicy) -> RolloutContext:
        """As at test time, but for one step of each episode."""
        return replace(
            context,
            help_policy=Tried(policy, self.silence, self.hold),
            acting=at_test_time(context.advisor.direct),
            deliberate=True,
            keeps_ask_features=True,
        )

    def teaches_asking(self, policy: HelpPolicy) -> bool:  # noqa: ARG002
        """That is all it does."""
        return True

    def rollout(self, tasks: TaskSet, which: Tensor, seed: Tensor, ratio: float, context: RolloutContext) -> Rollout:
        """Twins: the second half of the rows are the tasks of the first half once more."""
        episodes = tasks.episodes(which.repeat(2), seed=seed.repeat(2), ratio=ratio, k=context.advisor.k)
        return run_greedy(episodes, context)

    def tally(self, rollout: Rollout, judged: Judged | None) -> dict[str, Tensor]:  # noqa: ARG002
        """Return how many twins count."""
        return {"tried": counterfactuals(rollout, self.shaping_weight).counts.sum()}

    def nav_loss(self, rollout: Rollout, judged: Judged | None) -> None:
        """Nothing: the navigator stays."""

    def ask_loss(self, rollout: Rollout, agent: Agent, judged: Judged | None) -> Tensor:  # noqa: ARG002
        """The squared error of the preference for asking, over the twins that came to their step with a request left."""
        labels = counterfactuals(rollout, self.shaping_weight)
        seeds = rollout.episodes.dropout_seeds()
        with dropout_seeded(None if seeds is None else seeds[: len(labels.worth)], 0, LEARNING_TO_ASK):
            logits = agent.ask(labels.ask_features, labels.budget.clamp(min=1))
        error = (logits[:, 1] - logits[:, 0] - labels.worth).square()
        return (error * labels.counts).sum() / rollout.total("tried", labels.counts.sum).clamp(min=1)


@dataclass(frozen=True)
class Labels:
    """What trying told: one row for each pair of twins."""

    ask_features: Tensor  # (pairs, features), what the help module saw at the step
    budget: Tensor  # (pairs,), requests left then
    worth: Tensor  # (pairs,), how much better the one who asked ended
    counts: Tensor  # (pairs,), whether the twins came to their step, with a request left


def counterfactuals(rollout: Rollout, shaping_weight: float) -> Labels:
    """Return the labels in a rollout of twins."""
    pairs = len(rollout.episodes) // 2
    ends = final_reward(rollout, shaping_weight)
    when = Tried.step_of(rollout.episodes)[:pairs]
    first = rollout.transitions[0]
    ask_features = first.ask_features.new_zeros(pairs + 1, first.ask_features.shape[1])
    budget, counts = when.new_zeros(pairs + 1), torch.zeros(pairs + 1, dtype=torch.bool, device=when.device)
    for transition in rollout.transitions:
        here = (when[transition.row.clamp(max=pairs - 1)] == transition.step) & transition.active & (transition.row < pairs)
        row = torch.where(here, transition.row, pairs)  # whoever is elsewhere, into the last row, which is dropped
        ask_features = ask_features.index_copy(0, row, transition.ask_features)
        budget, counts = (
            budget.index_copy(0, row, transition.budget),
            counts.index_copy(0, row, here & (transition.budget > 0)),
        )
    return Labels(ask_features[:pairs], budget[:pairs], ends[:pairs] - ends[pairs:], counts[:pairs])
