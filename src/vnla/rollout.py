"""What happened in a batch of episodes, step by step: the material for losses, metrics and stories."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.nn.functional import pad

from vnla.agent.layers.dropout import LEARNING_TO_ASK, lots_of
from vnla.common.batching import Batching
from vnla.common.randomness import GOLDEN, signed
from vnla.episode import Episodes
from vnla.roles.words import Phrases
from vnla.world.actions import ask_action
from vnla.world.budgets import LONGEST_EPISODE


@dataclass(frozen=True)
class Transition:
    """One step of the episodes `row`, one entry each. Of a step without pass 1 some fields are empty, (…, 0). Where pass 1
    was done for those alone who may ask, `tentative` and `known` of the others mean nothing."""

    step: int  # where each goes on from a step of its own: that of those who were behind
    row: Tensor  # which episodes of the rollout took part
    going: Tensor  # which of them had not ended before
    learns: Tensor  # which of them count in the navigation loss
    pose: Tensor
    budget: Tensor  # requests left before this step
    tentative: Tensor  # (…, 6), probabilities of pass 1
    final: Tensor  # (…, 6), log-probabilities of pass 2
    known: Tensor  # (…, features), what the help module saw
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
    past: Tensor  # (…, steps), the poses before, where a sense remembers them


@dataclass
class Rollout:
    """The moments of a batch of episodes, in order."""

    episodes: Episodes
    batching: Batching = field(default_factory=Batching)
    moments: list[Transition] = field(default_factory=list)
    logits: Tensor | None = None  # (all rows of all moments, 6), where gradients go instead of through the moments' `final`
    totals: Mapping[str, Tensor] = field(default_factory=dict)
    """Where this is a part of a batch: what was tallied in all parts together."""

    def nav_loss(self) -> Tensor:
        """Negative log-likelihood of the navigation teacher: mean over the episodes that learn, summed over the steps."""
        each = -self.log_probabilities().gather(1, self.every("taught")[:, None]).squeeze(1)
        return self._sum_of_means(each, "learns")

    def log_probabilities(self) -> Tensor:
        """Of all second passes, with their gradients: (all rows of all moments, 6)."""
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
        budget, targets, known = (
            torch.cat([getattr(each, name)[part] for each, part in zip(self.moments, chosen, strict=True)])
            for name in ("budget", "teacher_request", "known")
        )
        with self.lots(chosen):
            each = -torch.log_softmax(ask(known, budget), dim=1).gather(1, ask_action(targets)[:, None]).squeeze(1)
        return self._sum_of_means(self.batching.spread(each, decides), "going")

    def lots(self, chosen: Sequence[Tensor | slice] | None = None) -> AbstractContextManager[None]:
        """In the block dropout is drawn for rows of all moments, or for those `chosen` in each, one after the other."""
        seeds = self.episodes.lots()
        if seeds is None:
            return nullcontext()
        parts = chosen or [slice(None)] * len(self.moments)
        pairs = zip(self.moments, parts, strict=True)
        own = [seeds[each.row[part]] + signed((each.step + 1) * GOLDEN) for each, part in pairs]
        return lots_of(torch.cat(own), 0, LEARNING_TO_ASK)

    def tally(self) -> dict[str, Tensor]:
        """How many rows of each step count in the losses, by the field that says so: (longest,) each."""
        counts = {name: self._by_step(self.every(name)) for name in ("learns", "going")}
        return {name: pad(each, (0, LONGEST_EPISODE - len(each))) for name, each in counts.items()}

    def total(self, name: str, here: Callable[[], Tensor]) -> Tensor:
        """What was tallied under a name in all parts of the batch; what is `here`, where this is all of it."""
        return self.totals[name] if name in self.totals else here()

    def _sum_of_means(self, values: Tensor, name: str) -> Tensor:
        """The sum over the steps of the mean of the values whose row counts by the field of that name; others may be
        infinite."""
        chosen = self.every(name)
        sums = self._by_step(values.masked_fill(~chosen, 0))
        counts = self.total(name, lambda: self._by_step(chosen))[: len(sums)]
        return (sums / counts.clamp(min=1)).sum()

    def _by_step(self, values: Tensor) -> Tensor:
        """The sums of the steps' values, (steps,)."""
        sizes = self._sizes()
        if len(set(sizes)) == 1:
            return values.view(len(sizes), -1).sum(dim=1)
        return torch.stack([part.sum() for part in torch.split(values, sizes)])

    def table(self, name: str, empty: float = -1) -> Tensor:
        """A field of the moments as (batch, steps), with `empty`, or False, where the episode had ended."""
        values = self.every(name)
        blank = False if values.dtype == torch.bool else empty
        values = values.masked_fill(~self.every("going"), blank)
        if self.batching.stays:
            return values.view(len(self.moments), -1).T
        table = values.new_full((len(self.episodes), len(self.moments)), blank)
        return table.index_put((self.every("row"), self._moment()), values)

    def last_pose(self) -> Tensor:
        """Where each episode ended: (batch,)."""
        start = self.episodes.start
        if not self.moments:
            return start
        poses = torch.cat([start[:, None], self.table("after")], dim=1)
        return poses.gather(1, self.table("going").sum(dim=1, keepdim=True)).squeeze(1)

    def every(self, name: str) -> Tensor:
        """A field of all moments, one after the other."""
        return torch.cat([getattr(moment, name) for moment in self.moments])

    def every_step(self) -> Tensor:
        """The step of each row of `every`."""
        return self._moment() + self.moments[0].step

    def _sizes(self) -> list[int]:
        """How many rows each moment has."""
        return [len(moment.row) for moment in self.moments]

    def _moment(self) -> Tensor:
        """The number of the moment of each row of `every`."""
        sizes = self._sizes()
        number = torch.arange(len(sizes), device=self.episodes.key.device)
        return number.repeat_interleave(sizes[0] if len(set(sizes)) == 1 else torch.tensor(sizes, device=number.device))
