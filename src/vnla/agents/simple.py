"""An agent in its simplest form: anything that can `begin` and `act`.

::

    begin(instructions) → state
    act(observation, state) → logits, state            (batch, 6), one for each action
    act(observation, state) → (logits, ask), state     also (batch,): above 0 where it would rather ask
    hear(told, state) → state                          if it wants to read what the advisor says, once

Any PyTorch module of this form is trained and evaluated like the paper's agent; name its class as `--agent
package.module:Class`. It is called with `sizes`, if it takes them, and the options of the run. All tensors of a state have a
row for each episode; tuples, lists, dictionaries and dataclasses of them do as well.

What it may see it declares in `sees` (`vnla.agents.sights`). Whether it asks is learned from the help teacher by way of the
`ask` that it gives: errors reach whatever that was computed from, unless it is detached.

One that has `batched = False` is given one episode at a time, in words and numbers, and is not trained
(`vnla.agents.single`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from vnla.agents.agent import Agent
from vnla.agents.policy_state import Decision, PolicyState, Start, Views
from vnla.agents.sights import Sights
from vnla.assistance.words import Utterance
from vnla.common import strangers
from vnla.common.batching import Batching
from vnla.common.errors import InputError
from vnla.common.returned import check_finite, described
from vnla.common.selection import put_rows, row_counts, take_rows, where_rows
from vnla.words import Words
from vnla.world.actions import NAV_ACTIONS, REQUEST


class Observation(NamedTuple):
    """What a batch of agents has before it when it acts."""

    views: Mapping[str, Tensor]
    """What it declared to see, by name: (batch, size) each; text as tokens, pictures as (batch, 3, height, width)."""
    last_action: Tensor
    """(batch,), 0 to 5, and 6 before the first."""
    told: Words
    """What the advisor said last; no words where it has said nothing yet."""
    asked: Tensor
    """(batch,), whether the agent has asked in this very step, so that `told` is new."""

    @property
    def everything(self) -> Tensor:
        """All views in one tensor: (batch, sizes)."""
        return torch.cat([each.flatten(1).float() for each in self.views.values()], dim=1)


class Act(NamedTuple):
    """What a module said."""

    logits: Tensor  # (batch, 6)
    ask: Tensor | None  # (batch,)
    state: Any


class SimpleAgent(Agent):
    """A module of the simple form as an agent like any other."""

    def __init__(self, module: nn.Module, sights: Sights) -> None:
        super().__init__()
        self.module = module
        self.sights = sights
        self.captured = bool(getattr(module, "captured", True))  # type: ignore[misc]  # each module says so for itself
        self._has_acted = False

    def begin(self, start: Start) -> SimpleState:
        """The module's own beginning, and nothing heard."""
        state = self.module.begin(start.end_goals)  # type: ignore[operator]
        self._check_state("begin", state, len(start.end_goals.length))
        length = torch.zeros_like(start.end_goals.length)
        told = Words(length.new_zeros(len(length), start.phrases.words.tokens.shape[1]), length)
        return SimpleState(self, start.batching, state, told)

    def act(self, observation: Observation, state: Any) -> Act:
        """What the module says. Its numbers are looked at when it first acts, their shapes always."""
        said = self.module.act(observation, state)  # type: ignore[operator]
        if not isinstance(said, tuple) or len(said) != 2:
            raise self._wrong(f"act returned {described(said)}; expected what it would do, and a state")
        logits, ask = said[0] if isinstance(said[0], tuple) and len(said[0]) == 2 else (said[0], None)
        batch = len(observation.last_action)
        if not isinstance(logits, Tensor) or logits.shape != (batch, NAV_ACTIONS) or not logits.is_floating_point():
            raise self._wrong(f"act returned logits {described(logits)}; expected float32 ({batch}, {NAV_ACTIONS})")
        if ask is not None and (not isinstance(ask, Tensor) or ask.numel() != batch or not ask.is_floating_point()):
            raise self._wrong(f"act returned an ask {described(ask)}; expected float32 ({batch},)")
        if not self._has_acted:
            self._check_first(logits, ask, said[1])
        return Act(logits, None if ask is None else ask.reshape(batch), said[1])

    def _check_first(self, logits: Tensor, ask: Tensor | None, state: Any) -> None:
        """What would cost time at every step: a GPU has to be waited for."""
        self._check_state("act", state, len(logits))
        check_finite(self.called, "act", logits.detach(), " among its logits")
        if ask is not None:
            check_finite(self.called, "act", ask.detach(), " as ask")
        self._has_acted = True

    def _check_state(self, method: str, state: Any, batch: int) -> None:
        wrong = row_counts(state) - {batch}
        if wrong:
            rows = min(wrong)
            given = "a single number" if rows < 0 else f"a tensor of {rows} rows"
            raise self._wrong(f"{method} returned a state with {given}; expected tensors of {batch} rows, one an episode")

    def with_rows(self, work: Callable[[], Any]) -> Any:
        """What `work` makes of two states of the module; they have to be alike."""
        try:
            return work()
        except (ValueError, KeyError, TypeError, AttributeError, IndexError, RuntimeError) as error:
            why = strangers.error_line(error)
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
        return f"agent {type(self.module).__name__}"

    def _wrong(self, what: str) -> InputError:
        return InputError(f"{self.called}: {what}")


@dataclass
class _Pass:
    """What the first pass of a step found, for the second."""

    done: Act | None = None


@dataclass(frozen=True)
class SimpleState(PolicyState):
    """Of a batch of episodes of a simple agent.

    What an agent sees and knows changes between the two passes of a step only if it asks. So where sizes may differ the
    second pass is made for those alone who asked; where they are fixed everybody makes both.
    """

    SHARED: ClassVar[frozenset[str]] = frozenset({"agent", "batching", "first"})

    agent: SimpleAgent
    batching: Batching
    state: Any
    told: Words
    seen: Observation | None = None
    renewed: Tensor | None = None  # who has heard something in this step
    first: _Pass = field(default_factory=_Pass)

    def see(self, view: Views, last_nav: Tensor) -> SimpleState:
        """What was declared, of all that there is."""
        nobody = torch.zeros_like(last_nav, dtype=torch.bool)
        seen = Observation(self.agent.sights.shown(view), last_nav, self.told, nobody)
        return replace(self, seen=seen, renewed=nobody, first=_Pass())

    def propose(self, last_ask: Tensor, may_ask: Tensor | None = None) -> Decision:  # noqa: ARG002
        """Pass 1: as if nobody asked."""
        assert self.seen is not None, "it has to see first"
        act = self.first.done = self.agent.act(self.seen, self.state)
        return Decision(act.logits.detach(), () if act.ask is None else (act.ask[:, None],))

    def hear(self, asked: Tensor, heard: Utterance) -> SimpleState:
        """Who asked is told, and reads it, if it reads at all."""
        told = Words(_as_wide(heard.words.tokens, self.told), heard.words.length)
        reads: Callable[..., Any] | None = getattr(self.agent.module, "hear", None)
        state = self.state
        if reads is not None and self.batching.fixed:
            read = reads(told, state)
            state = self.agent.with_rows(lambda: where_rows(asked, read, self.state))
        elif reads is not None and len(rows := asked.nonzero().squeeze(1)):
            read = reads(told.rows(rows), take_rows(state, rows))
            state = self.agent.with_rows(lambda: put_rows(self.state, rows, read))
        return replace(self, state=state, told=where_rows(asked, told, self.told), renewed=asked)

    def decide(self, ask: Tensor) -> tuple[Decision, SimpleState]:
        """Pass 2."""
        assert self.seen is not None and self.renewed is not None, "it has to see first"
        asked = ask == REQUEST
        act = self._second(self.seen._replace(told=self.told, asked=asked), asked | self.renewed)
        after = replace(self, state=act.state, seen=None, renewed=None, first=_Pass())
        return Decision(act.logits), after

    def _second(self, seen: Observation, again: Tensor) -> Act:
        first = self.first.done
        if first is None or self.batching.fixed:
            return self.agent.act(seen, self.state)
        rows = again.nonzero().squeeze(1)
        if not len(rows):
            return first
        some = self.agent.act(take_rows(seen, rows), take_rows(self.state, rows))
        state = self.agent.with_rows(lambda: put_rows(first.state, rows, some.state))
        return Act(first.logits.index_copy(0, rows, some.logits), None, state)


def _as_wide(tokens: Tensor, like: Words) -> Tensor:
    """Sentences with as many places as others have."""
    return pad(tokens, (0, like.tokens.shape[1] - tokens.shape[1]))
