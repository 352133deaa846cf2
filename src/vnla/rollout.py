"""The context of a rollout, and what happened in it, transition by transition: losses, metrics and reports use it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.nn.functional import pad

from vnla.agents.agent import Agent
from vnla.agents.layers.dropout import LEARNING_TO_ASK, dropout_seeded
from vnla.agents.sensors import Sensor
from vnla.assistance.acting import Acting
from vnla.assistance.advisor import Advisor, BoundAdvisor
from vnla.assistance.following import Led
from vnla.assistance.help_policies import HelpPolicy
from vnla.assistance.help_teacher import HelpTeacher
from vnla.assistance.words import Phrases
from vnla.common.batching import Batching
from vnla.common.randomness import GOLDEN, signed
from vnla.common.tables import FeatureTable, ViewTable
from vnla.episode import Episodes
from vnla.world.actions import ask_action
from vnla.world.budgets import LONGEST_EPISODE, SUBGOAL_ACTIONS


@dataclass(frozen=True)
class RolloutContext:
    """What a rollout needs beside its episodes: the agent, the advisor, the teachers and the policies."""

    agent: Agent
    views: Mapping[str, ViewTable]  # what there is to see at every pose of the world, by name: (poses, size) each
    advisor: Advisor
    bound_advisor: BoundAdvisor  # the advisor's, in the agent's words
    help_teacher: HelpTeacher
    help_policy: HelpPolicy
    acting: Acting
    batching: Batching = field(default_factory=Batching)
    deliberate: bool = True
    """Do pass 1, which records show. Without it the help policy has to be one that does not look at it."""
    sensors: Mapping[str, Sensor] = field(default_factory=dict)
    """What the agent is given beside the views, by name."""
    following: Led = field(default_factory=Led)
    """What is taught, and who acts, while a subgoal lasts."""
    feature_dropout: float = 0.0
    """Share of each view's numbers that an episode never shows, others in each: so no house can be learned by heart."""
    keeps_ask_features: bool = True
    """Record what the help module saw, for it to learn from."""

    @property
    def tables(self) -> list[FeatureTable]:
        """Those of the views that are not all in memory."""
        return [each for each in self.views.values() if isinstance(each, FeatureTable)]


@dataclass(frozen=True)
class Transition:
    """One step of the episodes `row`, one entry each. Of a step without pass 1 some fields are empty, (…, 0). Where pass 1
    was done for those alone who may ask, `tentative` and `ask_features` of the others mean nothing."""

    step: int  # where each goes on from a step of its own: that of those who were behind
    row: Tensor  # which episodes of the rollout took part
    active: Tensor  # which of them had not ended before
    learns: Tensor  # which of them count in the navigation loss
    pose: Tensor
    budget: Tensor  # requests left before this step
    tentative: Tensor  # (…, 6), probabilities of pass 1
    final: Tensor  # (…, 6), log-probabilities of pass 2
    ask_features: Tensor  # (…, features), what the help module saw
    teacher_request: Tensor
    reason: Tensor  # the help teacher's
    request: Tensor
    heard: Tensor  # what the advisor said to those who asked, a row of `phrases`; to others what it would, or anything
    phrases: Phrases
    taught: Tensor  # the navigation teacher's action
    nav: Tensor  # the action carried out
    after: Tensor  # pose after it
    since_request: Tensor  # steps since help was requested, before this one
    unmoved: Tensor  # steps at this viewpoint before
    past: Tensor  # (…, steps), the poses before, where a sensor remembers them


@dataclass
class Rollout:
    """The transitions of a batch of episodes, in order."""

    episodes: Episodes
    batching: Batching = field(default_factory=Batching)
    transitions: list[Transition] = field(default_factory=list)
    logits: Tensor | None = None  # (all rows of all transitions, 6), where gradients go instead of through `final`
    k: int = SUBGOAL_ACTIONS
    """How many actions a subgoal of the advisor has."""
    totals: Mapping[str, Tensor] = field(default_factory=dict)
    """Where this is a part of a batch: what was tallied in all parts together."""

    def nav_loss(self) -> Tensor:
        """Negative log-likelihood of the navigation teacher: mean over the episodes that learn, summed over the steps."""
        each = -self.log_probabilities().gather(1, self.every("taught")[:, None]).squeeze(1)
        return self._sum_of_means(each, "learns")

    def log_probabilities(self) -> Tensor:
        """Of all second passes, with their gradients: (all rows of all transitions, 6)."""
        final = self.every("final")
        if self.logits is None:
            return final
        return torch.log_softmax(self.logits.float().masked_fill(final.isneginf(), -torch.inf), dim=1)

    def ask_loss(self, ask: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
        """The same for the help-requesting teacher. `ask` is the help module, of what it knows and the budget, applied to
        all steps together.

        Who has no request left does not decide, and loses nothing; where sizes are fixed, `ask` is applied there too, and
        gives the same 0.
        """
        decides = self.every("budget") > 0
        chosen = [self.batching.chosen(each) for each in torch.split(decides, self._sizes())]
        budget, targets, ask_features = (
            torch.cat([getattr(each, name)[part] for each, part in zip(self.transitions, chosen, strict=True)])
            for name in ("budget", "teacher_request", "ask_features")
        )
        with self.dropout_seeds(chosen):
            each = -torch.log_softmax(ask(ask_features, budget), dim=1).gather(1, ask_action(targets)[:, None]).squeeze(1)
        return self._sum_of_means(self.batching.spread(each, decides), "active")

    def dropout_seeds(self, chosen: Sequence[Tensor | slice] | None = None) -> AbstractContextManager[None]:
        """In the block dropout is drawn for rows of all transitions, or for those `chosen` in each, one after the other."""
        seeds = self.episodes.dropout_seeds()
        if seeds is None:
            return nullcontext()
        parts = chosen or [slice(None)] * len(self.transitions)
        pairs = zip(self.transitions, parts, strict=True)
        own = [seeds[each.row[part]] + signed((each.step + 1) * GOLDEN) for each, part in pairs]
        return dropout_seeded(torch.cat(own), 0, LEARNING_TO_ASK)

    def tally(self) -> dict[str, Tensor]:
        """Return how many rows of each step count in the losses, by the field that says so: (longest,) each."""
        counts = {name: self._by_step(self.every(name)) for name in ("learns", "active")}
        return {name: pad(each, (0, LONGEST_EPISODE - len(each))) for name, each in counts.items()}

    def total(self, name: str, here: Callable[[], Tensor]) -> Tensor:
        """Return what was tallied under a name in all parts of the batch; what is `here`, where this is all of it."""
        return self.totals[name] if name in self.totals else here()

    def _sum_of_means(self, values: Tensor, name: str) -> Tensor:
        """Return the sum over the steps of the mean of the values whose row counts by the field of that name; others may be
        infinite."""
        chosen = self.every(name)
        sums = self._by_step(values.masked_fill(~chosen, 0))
        counts = self.total(name, lambda: self._by_step(chosen))[: len(sums)]
        return (sums / counts.clamp(min=1)).sum()

    def _by_step(self, values: Tensor) -> Tensor:
        """Return the sums of the steps' values, (steps,)."""
        sizes = self._sizes()
        if len(set(sizes)) == 1:
            return values.view(len(sizes), -1).sum(dim=1)
        return torch.stack([part.sum() for part in torch.split(values, sizes)])

    def table(self, name: str, empty: float = -1) -> Tensor:
        """Return a field of the transitions as (batch, steps), with `empty`, or False, where the episode had ended."""
        values = self.every(name)
        blank = False if values.dtype == torch.bool else empty
        values = values.masked_fill(~self.every("active"), blank)
        if self.batching.stays:
            return values.view(len(self.transitions), -1).T
        table = values.new_full((len(self.episodes), len(self.transitions)), blank)
        return table.index_put((self.every("row"), self._transition()), values)

    def last_pose(self) -> Tensor:
        """Return where each episode ended: (batch,)."""
        start = self.episodes.start
        if not self.transitions:
            return start
        poses = torch.cat([start[:, None], self.table("after")], dim=1)
        return poses.gather(1, self.table("active").sum(dim=1, keepdim=True)).squeeze(1)

    def every(self, name: str) -> Tensor:
        """Return a field of all transitions, one after the other."""
        return torch.cat([getattr(transition, name) for transition in self.transitions])

    def every_step(self) -> Tensor:
        """Return the step of each row of `every`."""
        return self._transition() + self.transitions[0].step

    def _sizes(self) -> list[int]:
        """Return how many rows each transition has."""
        return [len(transition.row) for transition in self.transitions]

    def _transition(self) -> Tensor:
        """Return the number of the transition of each row of `every`."""
        sizes = self._sizes()
        number = torch.arange(len(sizes), device=self.episodes.key.device)
        return number.repeat_interleave(sizes[0] if len(set(sizes)) == 1 else torch.tensor(sizes, device=number.device))
