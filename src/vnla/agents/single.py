"""An agent of the simple form that acts one episode at a time, in words and numbers, and does not learn from us.

::

    begin(instruction) → state                        the end-goal in words
    act(observation, state) → action, state           a `Nav`, its number or name, or six numbers: the largest is taken
    act(observation, state) → (action, ask), state    also whether it would rather ask

It may be any class with `batched = False`: a script, a planner, a network of whatever make. `vnla train RUN --agent NAME
--iterations 0` makes a run of it as it is, which can be evaluated and watched like any other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
import torch
from torch import Tensor

from vnla.agents.agent import Agent
from vnla.agents.policy_state import Decision, PolicyState, Start, Views
from vnla.agents.sights import TEXT, Sights
from vnla.assistance.words import Utterance
from vnla.common.errors import InputError
from vnla.words import Words
from vnla.world.actions import NAV_ACTIONS, NAV_START, REQUEST, Nav

UNLIKELY = -30.0
"""Logit of what was not chosen; the choice has 0."""
SECOND = Nav.RIGHT
"""What is done instead where the choice is `forward`, and nothing is ahead to go to."""


class Glimpse(NamedTuple):
    """What one agent has before it when it acts."""

    views: Mapping[str, Any]
    """What it declared to see, by name: arrays of numbers, (3, height, width) of a picture, a sentence of text."""
    last_action: Nav | None
    told: str
    """What the advisor said last; "" where it has said nothing yet."""
    asked: bool
    """Whether the agent has asked in this very step, so that `told` is new."""


class SingleAgent(Agent):
    """Somebody who acts one at a time, as an agent like any other."""

    captured = False
    learns = False

    def __init__(self, actor: Any, sights: Sights) -> None:
        super().__init__()
        self.actor = actor
        self.sights = sights
        self.vocabulary = sights.sizes.vocabulary

    def begin(self, start: Start) -> SingleState:
        """Everybody begins for itself."""
        sentences = self.sentences(start.end_goals)
        row = torch.arange(len(sentences), device=start.end_goals.length.device)
        return SingleState(self, row, [self.actor.begin(each) for each in sentences], [""] * len(sentences))

    def sentences(self, words: Words) -> list[str]:
        """Words in letters; numbers where nobody knows the words."""
        rows = zip(words.tokens.tolist(), words.length.tolist(), strict=True)
        return [" ".join(self._word(token) for token in tokens[:length]) for tokens, length in rows]

    def _word(self, token: int) -> str:
        return self.vocabulary[token] if token < len(self.vocabulary) else str(token)

    def ask_inputs(self, view: Views, tentative: Tensor, first: Decision) -> Tensor:  # noqa: ARG002
        """Whether it would rather ask: (batch, 1)."""
        return first.ask_features[0]

    def ask(self, ask_features: Tensor, budget: Tensor) -> Tensor:
        """What it said, where it may."""
        request = ask_features[:, 0].masked_fill(budget <= 0, -torch.inf)
        return torch.stack([torch.zeros_like(request), request], dim=1)

    def answer(self, glimpse: Glimpse, state: Any) -> tuple[list[float], float, Any]:
        """What it does: logits of the actions, of a request, and its state."""
        said = self.actor.act(glimpse, state)
        if not isinstance(said, tuple) or len(said) != 2:
            raise self.wrong(f"act returned a {type(said).__name__}; expected what it would do, and a state")
        action, ask = said[0] if isinstance(said[0], tuple) and len(said[0]) == 2 else (said[0], False)
        return self._logits(action), self._wish(ask), said[1]

    def _wish(self, ask: Any) -> float:
        if isinstance(ask, bool | np.bool_):
            return 1.0 if ask else -1.0
        with suppress(TypeError, ValueError, RuntimeError):
            if not math.isnan(wish := float(ask)):
                return wish
        raise self.wrong(f"act returned {str(ask)[:60]!r} as ask; expected true, false or a number")

    def _logits(self, action: Any) -> list[float]:
        if isinstance(action, str) and action.upper() in Nav.__members__:
            action = Nav[action.upper()]
        if isinstance(action, int | np.integer) and 0 <= action < NAV_ACTIONS:
            second = UNLIKELY / 2
            return [0.0 if each == action else second if each == SECOND else UNLIKELY for each in range(NAV_ACTIONS)]
        if isinstance(action, Sequence | np.ndarray | Tensor) and not isinstance(action, str) and len(action) == NAV_ACTIONS:
            with suppress(TypeError, ValueError, RuntimeError):
                logits = [float(each) for each in action]
                if not any(map(math.isnan, logits)):
                    return logits
        names = ", ".join(each.name.lower() for each in Nav)
        raise self.wrong(f"act returned {str(action)[:60]!r}; expected one of {names}, its number, or {NAV_ACTIONS} numbers")

    def wrong(self, what: str) -> InputError:
        """What to say of it."""
        return InputError(f"agent {type(self.actor).__name__}: {what}")


@dataclass
class _Pass:
    """What the first pass of a step found, for the second."""

    logits: list[list[float]] = field(default_factory=list)
    states: list[Any] = field(default_factory=list)


@dataclass(frozen=True)
class SingleState(PolicyState):
    """Of a batch of episodes whose agents act one at a time. Rows that leave the batch keep their place in the lists."""

    SHARED: ClassVar[frozenset[str]] = frozenset({"agent", "states", "told", "glimpses", "first"})

    agent: SingleAgent
    row: Tensor  # (batch,), places in the lists
    states: list[Any]
    told: list[str]
    glimpses: tuple[Glimpse, ...] = ()  # of this step, by row of the batch
    first: _Pass = field(default_factory=_Pass)

    def see(self, view: Views, last_nav: Tensor) -> SingleState:
        """What was declared, for each on its own."""
        seen = {name: self._values(name, each) for name, each in self.agent.sights.shown(view).items()}
        glimpses = tuple(
            Glimpse({name: each[at] for name, each in seen.items()}, _action(nav), self.told[place], False)
            for at, (place, nav) in enumerate(zip(self.row.tolist(), last_nav.tolist(), strict=True))
        )
        return replace(self, glimpses=glimpses, first=_Pass())

    def _values(self, name: str, values: Tensor) -> Sequence[Any]:
        if name == TEXT:
            return self.agent.sentences(Words(values, (values > 0).sum(dim=1)))
        return list(values.cpu().numpy())

    @torch.no_grad()
    def propose(self, last_ask: Tensor, may_ask: Tensor | None = None) -> Decision:  # noqa: ARG002
        """Pass 1: as if nobody asked."""
        answers = [
            self.agent.answer(glimpse, self.states[at]) for glimpse, at in zip(self.glimpses, self.row.tolist(), strict=True)
        ]
        logits, wishes, states = (list(each) for each in zip(*answers, strict=True)) if answers else ([], [], [])
        self.first.logits, self.first.states = logits, states
        ask_features = torch.tensor(wishes, device=self.row.device).reshape(-1, 1)
        return Decision(self._tensor(logits), (ask_features,))

    def hear(self, asked: Tensor, heard: Utterance) -> SingleState:
        """Who asked is told."""
        told = list(self.told)
        for at, index in zip(self.row[asked].tolist(), heard.index[asked].tolist(), strict=True):
            told[at] = heard.table.text(index)
        return replace(self, told=told)

    @torch.no_grad()
    def decide(self, ask: Tensor) -> tuple[Decision, SingleState]:
        """Pass 2, for those alone who asked, where there was a first."""
        logits, states = [], list(self.states)
        for at, (place, asked) in enumerate(zip(self.row.tolist(), (ask == REQUEST).tolist(), strict=True)):
            told = self.told[place]
            if self.first.logits and not asked and told == self.glimpses[at].told:
                chosen, states[place] = self.first.logits[at], self.first.states[at]
            else:
                now = self.glimpses[at]._replace(told=told, asked=asked)
                chosen, _, states[place] = self.agent.answer(now, self.states[place])
            logits.append(chosen)
        return Decision(self._tensor(logits)), replace(self, states=states, glimpses=(), first=_Pass())

    def _tensor(self, logits: list[list[float]]) -> Tensor:
        return torch.tensor(logits, dtype=torch.float32, device=self.row.device).reshape(-1, NAV_ACTIONS)


def _action(number: int) -> Nav | None:
    return None if number == NAV_START else Nav(number)
