"""A policy as an agent of Algorithm 1: it is trained, evaluated and watched like the paper's.

Name its class as `--agent package.module:Class`. It is called with `sizes`, if it takes them, and the options of the run.
All tensors of a state have a row for each episode; tuples, lists, dictionaries and dataclasses of them do as well. Whether
it asks is learned from the help teacher by way of its `ask`: errors reach whatever that was computed from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from vnla.agents.agent import Agent
from vnla.agents.observing import ObservedViews
from vnla.agents.one_at_a_time import OneAtATime
from vnla.agents.policy_state import Decision, PolicyState, Start, Views
from vnla.assistance.words import Utterance
from vnla.common import custom_parts
from vnla.common.errors import InputError
from vnla.common.returned import check_finite, described
from vnla.common.selection import put_rows, row_counts, take_rows, where_rows
from vnla.observation import Observation
from vnla.words import Words
from vnla.world.actions import NAV_ACTIONS, REQUEST


class PolicyOutput(NamedTuple):
    """What a policy returned from `act`."""

    logits: Tensor  # (batch, 6)
    ask: Tensor | None  # (batch,)
    state: Any


class PolicyAgent(Agent):
    """A policy of a batch as an agent."""

    def __init__(self, module: nn.Module, views: ObservedViews) -> None:
        super().__init__()
        self.module = module
        self.views = views
        self.captured = bool(getattr(module, "captured", True))  # type: ignore[misc]  # each module says so for itself
        self.learns = not isinstance(module, OneAtATime)  # type: ignore[misc]
        self._is_checked = not self.learns

    @property
    def policy(self) -> Any:
        """The object that its author wrote."""
        return self.module.policy if isinstance(self.module, OneAtATime) else self.module

    def begin(self, start: Start) -> PolicyAgentState:
        """Reset the policy; nothing is heard yet."""
        state = self.module.reset(start.end_goals)  # type: ignore[operator]
        self._check_state("reset", state, len(start.end_goals.length))
        length = torch.zeros_like(start.end_goals.length)
        advice = Words(length.new_zeros(len(length), start.phrases.words.tokens.shape[1]), length)
        return PolicyAgentState(self, start.batching.fixed and self.captured, state, advice)

    def act(self, observation: Observation, state: Any) -> PolicyOutput:
        """Return what the policy does. Its numbers are looked at when it first acts, their shapes always."""
        said = self.module.act(observation, state)  # type: ignore[operator]
        if not isinstance(said, tuple) or len(said) != 2:
            raise self._wrong(f"act returned {described(said)}; expected (navigation, ask), and a state")
        logits, ask = said[0] if isinstance(said[0], tuple) and len(said[0]) == 2 else (said[0], None)
        batch = len(observation["last_action"])
        if not isinstance(logits, Tensor) or logits.shape != (batch, NAV_ACTIONS) or not logits.is_floating_point():
            raise self._wrong(f"act returned logits {described(logits)}; expected float32 ({batch}, {NAV_ACTIONS})")
        if ask is not None and (not isinstance(ask, Tensor) or ask.numel() != batch or not ask.is_floating_point()):
            raise self._wrong(f"act returned an ask {described(ask)}; expected float32 ({batch},)")
        if not self._is_checked:
            self._check_first(logits, ask, said[1])
        return PolicyOutput(logits, None if ask is None else ask.reshape(batch), said[1])

    def _check_first(self, logits: Tensor, ask: Tensor | None, state: Any) -> None:
        """Check what would cost time at every step: a GPU has to be waited for."""
        self._check_state("act", state, len(logits))
        check_finite(self.called, "act", logits.detach(), " among its logits")
        if ask is not None:
            check_finite(self.called, "act", ask.detach(), " as ask")
        self._is_checked = True

    def _check_state(self, method: str, state: Any, batch: int) -> None:
        wrong = row_counts(state) - {batch}
        if wrong:
            rows = min(wrong)
            found = "a single number" if rows < 0 else f"a tensor of {rows} rows"
            raise self._wrong(f"{method} returned a state with {found}; expected tensors of {batch} rows, one an episode")

    def with_rows(self, work: Callable[[], Any]) -> Any:
        """Return what `work` makes of two states of the policy; they have to be alike."""
        try:
            return work()
        except (ValueError, KeyError, TypeError, AttributeError, IndexError, RuntimeError) as error:
            why = custom_parts.error_line(error)
            raise self._wrong(f"hear or act returned a state that is not like the one before ({why})") from error

    def ask_inputs(self, view: Views, tentative: Tensor, first: Decision) -> Tensor:
        """What it said of asking, with its gradients: (batch, 1)."""
        return first.ask_features[0] if first.ask_features else super().ask_inputs(view, tentative, first)[:, :0]

    def ask(self, ask_features: Tensor, budget: Tensor) -> Tensor:
        """Its own logit of a request, against 0; none without budget."""
        if not ask_features.shape[1]:
            raise self._wrong("act returns no ask, so it cannot learn when to ask; choose another help policy")
        request = ask_features[:, 0].float().masked_fill(budget <= 0, -torch.inf)
        return torch.stack([torch.zeros_like(request), request], dim=1)

    @property
    def called(self) -> str:
        """What errors call it."""
        return f"agent {type(self.policy).__name__}"

    def _wrong(self, what: str) -> InputError:
        return InputError(f"{self.called}: {what}")


@dataclass
class _Pass:
    """What the first pass of a step found, for the second."""

    done: PolicyOutput | None = None


@dataclass(frozen=True)
class PolicyAgentState(PolicyState):
    """Of a batch of episodes of a policy.

    What it observes changes between the two passes of a step only if it asks. So where sizes may differ the second pass is
    made for those alone who asked; where they are fixed everybody makes both.
    """

    SHARED: ClassVar[frozenset[str]] = frozenset({"agent", "fixed", "first"})

    agent: PolicyAgent
    fixed: bool
    state: Any
    advice: Words
    observed: Observation | None = None
    has_heard: Tensor | None = None  # who has heard something in this step
    first: _Pass = field(default_factory=_Pass)

    def see(self, view: Views, last_nav: Tensor) -> PolicyAgentState:
        """What was declared, of all that there is."""
        nobody = torch.zeros_like(last_nav, dtype=torch.bool)
        observed = self.agent.views.observation(view)
        observed |= {"advice": self.advice, "has_requested": nobody, "last_action": last_nav}
        return replace(self, observed=observed, has_heard=nobody, first=_Pass())

    def propose(self, last_ask: Tensor, may_ask: Tensor | None = None) -> Decision:  # noqa: ARG002
        """Pass 1: as if nobody asked."""
        assert self.observed is not None, "it has to see first"
        act = self.first.done = self.agent.act(Observation(self.observed), self.state)
        return Decision(act.logits.detach(), () if act.ask is None else (act.ask[:, None],))

    def hear(self, asked: Tensor, heard: Utterance) -> PolicyAgentState:
        """Those who asked read what they are told, if they read at all."""
        rows = asked.nonzero().squeeze(1) if not self.fixed else torch.arange(len(asked), device=asked.device)
        told = Utterance(heard.index[rows], heard.table)
        reads: Callable[..., Any] | None = getattr(self.agent.module, "hear", None)
        state = self.state
        if reads is not None and self.fixed:
            read = reads(heard, state)
            state = self.agent.with_rows(lambda: where_rows(asked, read, self.state))
        elif reads is not None and len(rows):
            read = reads(told, take_rows(state, rows))
            state = self.agent.with_rows(lambda: put_rows(self.state, rows, read))
        words = Words(_as_wide(told.words.tokens, self.advice), told.words.length)
        advice = where_rows(asked, words, self.advice) if self.fixed else put_rows(self.advice, rows, words)
        return replace(self, state=state, advice=advice, has_heard=asked)

    def decide(self, ask: Tensor) -> tuple[Decision, PolicyAgentState]:
        """Pass 2."""
        assert self.observed is not None and self.has_heard is not None, "it has to see first"
        asked = ask == REQUEST
        observed = Observation(self.observed, advice=self.advice, has_requested=asked)
        act = self._second(observed, asked | self.has_heard)
        after = replace(self, state=act.state, observed=None, has_heard=None, first=_Pass())
        return Decision(act.logits), after

    def _second(self, observed: Observation, again: Tensor) -> PolicyOutput:
        first = self.first.done
        if first is None or self.fixed:
            return self.agent.act(observed, self.state)
        rows = again.nonzero().squeeze(1)
        if not len(rows):
            return first
        some = self.agent.act(Observation(take_rows(observed, rows)), take_rows(self.state, rows))
        state = self.agent.with_rows(lambda: put_rows(first.state, rows, some.state))
        return PolicyOutput(first.logits.index_copy(0, rows, some.logits), None, state)


def _as_wide(tokens: Tensor, like: Words) -> Tensor:
    """Sentences with as many places as others have."""
    return pad(tokens, (0, like.tokens.shape[1] - tokens.shape[1]))
