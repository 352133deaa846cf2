"""Episodes that are stepped from outside: by a Gymnasium program, an agent behind an address or a person.

    stepper = EpisodeStepper(episodes, advisor, voice)
    while stepper.active.any():
        said = stepper.request(stepper.may_request & wanted)
        stepper.act(actions)

Algorithm 1 calls its agents; here somebody calls us, one request or action at a time. The rules are those of `vnla.episode`.
Each episode of a batch is at a step of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, TypeVar

import torch
from torch import Tensor

from vnla import episode
from vnla.assistance.advisor import Advisor, BoundAdvisor
from vnla.assistance.words import Utterance
from vnla.common.selection import put_rows, take_rows, where_rows
from vnla.episode import Episodes, EpisodeState, StepContext, When, has_own_steps
from vnla.world.actions import NO_ACTION
from vnla.world.budgets import LONGEST_EPISODE

Said = list[str | None]
"""What the advisor said to each agent of a batch; None to those who did not ask."""
Value = TypeVar("Value")
_CHANGES = tuple(each.name for each in fields(EpisodeState) if each.name != "episodes")


class EpisodeStepper:
    """A batch of episodes under way."""

    def __init__(
        self, episodes: Episodes, advisor: Advisor, bound_advisor: BoundAdvisor, longest: int = LONGEST_EPISODE
    ) -> None:
        self.advisor, self.bound_advisor = advisor, bound_advisor
        self.state = episode.start(episodes, advisor.k, memory=longest)
        self.step = torch.zeros_like(episodes.start)  # (batch,)

    @property
    def active(self) -> Tensor:
        """Which episodes have not ended: (batch,)."""
        return self.state.active

    @property
    def time_left(self) -> Tensor:
        """How many actions each episode has time for: (batch,)."""
        return self.state.episodes.time_budget - self.step

    @property
    def may_request(self) -> Tensor:
        """Whose request would be answered now: (batch,)."""
        return episode.may_request(self.state)

    def request(self, who: Tensor) -> Said:
        """Let those who may request help do so, and return what they hear; others are passed over."""
        who = who & self.may_request
        said: Said = [None] * len(who)
        more = torch.zeros_like(self.state.requests_left)
        for rows, heard in self._by_step(who, self._say):
            for row, index in zip(rows, heard.index.tolist(), strict=True):
                said[row] = heard.table.text(index)
            if heard.more is not None:
                more[rows] = heard.more(torch.ones(len(rows), dtype=torch.bool))
        self.state = episode.request(self.state, who, more)
        return said

    @property
    def led(self) -> Tensor:
        """For whom a direct advisor will act in this time step: (batch,)."""
        follows = episode.actions_since_request(self.state) < self.advisor.k
        return follows if self.advisor.direct else torch.zeros_like(follows)

    def act(self, nav: Tensor, who: Tensor | None = None) -> Tensor:
        """Carry out an action of everybody, or of those named, and return what was done, or NO_ACTION.

        Those led do what the navigation teacher does. NO_ACTION among the actions lets the time step pass.
        """
        before = self.state
        taught = before.episodes.environment.nav_teacher(before.pose, before.episodes.goals)
        done = torch.where(self.led, taught, nav)
        after = episode.act(before, self.step, done.clamp(min=0), waits=done == NO_ACTION)
        if who is None:
            self.state, self.step = after, self.step + 1
            return done
        either: dict[str, Any] = {name: where_rows(who, getattr(after, name), getattr(before, name)) for name in _CHANGES}
        self.state = replace(after, **either)
        self.step = self.step + who.long()
        return torch.where(who, done, NO_ACTION)

    def _say(self, state: EpisodeState, step: When) -> Utterance:
        return self.bound_advisor.say(episode.step_context(state, step, k=self.advisor.k))

    def context(self, tentative: Tensor | None = None) -> StepContext:
        """Return what a sensor or a help teacher may look at now."""
        return episode.step_context(self.state, self.step, tentative, k=self.advisor.k)

    def restart(self, rows: Tensor, others: EpisodeStepper) -> None:
        """Put other episodes, of as many agents, in the place of those in `rows`."""
        self.state = put_rows(self.state, rows, others.state)
        self.step = put_rows(self.step, rows, others.step)

    def _by_step(self, who: Tensor, work: Callable[[EpisodeState, int | Tensor], Value]) -> list[tuple[list[int], Value]]:
        """Return what `work` makes of those rows, together where the voice allows steps that differ."""
        rows, together = who.nonzero().squeeze(1), has_own_steps(self.bound_advisor)
        groups = [rows] if together else [rows[self.step[rows] == each] for each in sorted({*self.step[rows].tolist()})]
        found = []
        for group in groups:
            if len(group):
                step = self.step[group] if together else int(self.step[group[0]])
                found.append((group.tolist(), work(take_rows(self.state, group), step)))
        return found
