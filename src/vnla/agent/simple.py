"""An agent in its simplest form: anything that can `begin` and `act`.

::

    begin(instructions) → state
    act(observation, state) → logits, state            (batch, 6), one for each action
    act(observation, state) → (logits, ask), state     also (batch,): above 0 where it would rather ask
    hear(told, state) → state                          if it wants to read what the advisor says, once

Any PyTorch module of this form is trained and evaluated like the paper's agent; name its class as `--agent
package.module:Class`. It is called with `sizes`, if it takes them, and the options of the run. All tensors of a state have a
row for each episode; tuples, lists, dictionaries and dataclasses of them do as well.

What it may see it declares in `sees` (`vnla.agent.sights`). Whether it asks is learned from the help teacher by way of the
`ask` that it gives: errors reach whatever that was computed from, unless it is detached.

One that has `batched = False` is given one episode at a time, in words and numbers, and is not trained
(`vnla.agent.single`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from vnla.agent.agent import Agent
from vnla.agent.mind import Decision, Mind, Start, Views
from vnla.agent.sights import Sights
from vnla.common.batching import Batching
from vnla.common.errors import InputError
from vnla.common.selection import put_rows, take_rows, where_rows
from vnla.roles.words import Heard
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

    def begin(self, start: Start) -> SimpleMind:
        """The module's own beginning, and nothing heard."""
        state = self.module.begin(start.end_goals)  # type: ignore[operator]
        length = torch.zeros_like(start.end_goals.length)
        told = Words(length.new_zeros(len(length), start.phrases.words.tokens.shape[1]), length)
        return SimpleMind(self, start.batching, state, told)

    def act(self, observation: Observation, state: Any) -> Act:
        """What the module says, looked at once."""
        said = self.module.act(observation, state)  # type: ignore[operator]
        if not isinstance(said, tuple) or len(said) != 2:
            raise self._wrong("act has to give what it would do, and a state")
        logits, ask = said[0] if isinstance(said[0], tuple) and len(said[0]) == 2 else (said[0], None)
        batch = len(observation.last_action)
        if not isinstance(logits, Tensor) or logits.shape != (batch, NAV_ACTIONS):
            raise self._wrong(f"act has to give logits of shape ({batch}, {NAV_ACTIONS}), not {_shape(logits)}")
        if ask is not None and (not isinstance(ask, Tensor) or ask.numel() != batch):
            raise self._wrong(f"act has to give an ask of shape ({batch},), not {_shape(ask)}")
        return Act(logits, None if ask is None else ask.reshape(batch), said[1])

    def knows(self, view: Views, tentative: Tensor, first: Decision) -> Tensor:
        """What it said of asking, with its gradients: (batch, 1)."""
        return first.known[0] if first.known else super().knows(view, tentative, first)[:, :0]

    def ask(self, known: Tensor, budget: Tensor) -> Tensor:
        """Its own logit of a request, against 0; none without budget."""
        if not known.shape[1]:
            raise self._wrong("act gives no ask, so it cannot learn when to ask; choose another help policy")
        request = known[:, 0].float().masked_fill(budget <= 0, -torch.inf)
        return torch.stack([torch.zeros_like(request), request], dim=1)

    def _wrong(self, what: str) -> InputError:
        return InputError(f"agent {type(self.module).__name__}: {what}")


@dataclass
class _Pass:
    """What the first pass of a step found, for the second."""

    done: Act | None = None


@dataclass(frozen=True)
class SimpleMind(Mind):
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

    def see(self, view: Views, last_nav: Tensor) -> SimpleMind:
        """What was declared, of all that there is."""
        nobody = torch.zeros_like(last_nav, dtype=torch.bool)
        seen = Observation(self.agent.sights.shown(view), last_nav, self.told, nobody)
        return replace(self, seen=seen, renewed=nobody, first=_Pass())

    def tentatively(self, last_ask: Tensor, may_ask: Tensor | None = None) -> Decision:  # noqa: ARG002
        """Pass 1: as if nobody asked."""
        assert self.seen is not None, "it has to see first"
        act = self.first.done = self.agent.act(self.seen, self.state)
        return Decision(act.logits.detach(), () if act.ask is None else (act.ask[:, None],))

    def hear(self, asked: Tensor, heard: Heard) -> SimpleMind:
        """Who asked is told, and reads it, if it reads at all."""
        told = Words(_as_wide(heard.words.tokens, self.told), heard.words.length)
        reads: Callable[..., Any] | None = getattr(self.agent.module, "hear", None)
        state = self.state
        if reads is not None and self.batching.fixed:
            state = where_rows(asked, reads(told, state), state)
        elif reads is not None and len(rows := asked.nonzero().squeeze(1)):
            state = put_rows(state, rows, reads(told.rows(rows), take_rows(state, rows)))
        return replace(self, state=state, told=where_rows(asked, told, self.told), renewed=asked)

    def finally_(self, ask: Tensor) -> tuple[Decision, SimpleMind]:
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
        return Act(first.logits.index_copy(0, rows, some.logits), None, put_rows(first.state, rows, some.state))


def _as_wide(tokens: Tensor, like: Words) -> Tensor:
    """Sentences with as many places as others have."""
    return pad(tokens, (0, like.tokens.shape[1] - tokens.shape[1]))


def _shape(value: object) -> object:
    return tuple(value.shape) if isinstance(value, Tensor) else f"a {type(value).__name__}"
