"""A trained agent of ours as a guest: what a server needs to run it behind the protocol.

It is told what any guest is told, and decides as in an evaluation: episode by episode, greedily, by its own help policy.
That has to be one that goes by what the agent itself knows: none, first, learned, valued.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor

from vnla.agents.policy_state import PolicyState, Start, Views
from vnla.agents.sensors import LENT, Sensor, Spotted, sensors_named
from vnla.agents.spotting import legible
from vnla.assistance.help_policies import AtFirst, Never
from vnla.assistance.words import Utterance
from vnla.bcui import log_distribution
from vnla.common.errors import InputError
from vnla.episode import StepContext
from vnla.evaluation.evaluate import greedy
from vnla.remote.guest import FEATURES, SENSE, Answer, Beginning, Declared, Fault, Guest, Observation
from vnla.tasks.end_goals import read_end_goal
from vnla.tasks.task import sought_keys
from vnla.training.context import make_context, vocabulary_of
from vnla.training.trained import Trained
from vnla.words import Words
from vnla.world.actions import ASK_START, NAV_START, Nav, ask_action

MOST = 4096
"""Episodes that are kept in mind; the oldest are forgotten."""


@dataclass
class _State:
    policy_state: PolicyState
    sought: Tensor  # (1, 2)
    nav: Tensor = field(default_factory=lambda: torch.tensor([NAV_START]))
    ask: Tensor = field(default_factory=lambda: torch.tensor([ASK_START]))
    asked: bool = False
    turn: int = -1
    answer: Answer | None = None


class Resident(Guest):
    """Our agent."""

    def __init__(self, trained: Trained, checkpoint: str = "val_unseen") -> None:
        config = trained.config
        if not (config.policy.consults or isinstance(config.policy, Never | AtFirst)):
            raise InputError(f"{trained.folder}: the help policy {config.help_policy} goes by what only an evaluation knows")
        senses = sensors_named(config.senses)
        own = {name for name, sense in senses.items() if isinstance(sense, Spotted)}
        unknown = next((name for name in senses if name not in {*LENT, *own}), None)
        if unknown is not None:
            raise InputError(f"{trained.folder}: its agent has the sense {unknown}, which the protocol does not lend")
        self._players = make_context(config, trained.material, trained.agent(checkpoint), training=False)
        self._words = vocabulary_of(config, trained.material)
        lent = (f"{SENSE}{name}" for name in senses if name not in own)
        shown = (*(f"{FEATURES}{name}" for name in trained.material.views), *lent)
        self.declared = Declared(trained.folder.absolute().name, shown)
        self._states: dict[str, _State] = {}
        self._lock = threading.Lock()

    def begin(self, beginnings: Sequence[Beginning]) -> Sequence[Fault | None]:
        """It reads the end-goals."""
        with self._lock, greedy(self._players.agent):
            for each in beginnings:
                self._states.pop(each.episode, None)
                sought = read_end_goal(each.instruction)
                keys = torch.tensor([sought_keys(sought.object, sought.room or "")])
                self._states[each.episode] = _State(self._begin(each), keys)
                if len(self._states) > MOST:
                    del self._states[next(iter(self._states))]
        return [None] * len(beginnings)

    def act(self, observations: Sequence[Observation]) -> Sequence[Answer | Fault]:
        """One after the other; what was answered before is answered again."""
        with self._lock, greedy(self._players.agent):
            return [self._answer(self._states[each.episode], each) for each in observations]

    def _begin(self, beginning: Beginning) -> PolicyState:
        players = self._players
        words = Words(*self._words.encode([beginning.instruction]))
        return players.agent.begin(
            Start(words, players.bound_advisor.phrases, beginning.time, beginning.requests, players.batching)
        )

    def _answer(self, state: _State, now: Observation) -> Answer:
        if state.turn != now.turn or state.answer is None:
            state.answer, state.turn = self._decide(state, now), now.turn
        return state.answer

    def _decide(self, state: _State, now: Observation) -> Answer:
        """Lines 10 to 27 of Algorithm 1, in two parts where it asks."""
        players, blocked = self._players, torch.tensor([not now.may_go_forward])
        chances = None
        if not state.asked:
            view = self._view(state, now)
            policy_state = state.policy_state.see(view, state.nav)
            first = policy_state.propose(state.ask, torch.tensor([now.may_request]))
            tentative = log_distribution(first.logits, blocked).exp()
            chances = tuple(tentative[0].tolist())
            state.policy_state = policy_state
            ask_features = players.agent.ask_inputs(view, tentative, first)
            if now.may_request and bool(players.help_policy(self._situation(now, tentative, ask_features))):
                state.asked = True
                return Answer(None, chances)
        elif players.advisor.speaks:
            state.policy_state = state.policy_state.hear(torch.tensor([True]), self._heard(now))
        state.ask = ask_action(torch.tensor([state.asked and players.help_policy.invited]))
        second, state.policy_state = state.policy_state.decide(state.ask)
        state.nav = log_distribution(second.logits, blocked).exp().argmax(dim=1)
        state.asked = False
        return Answer(Nav(int(state.nav)), chances)

    def _situation(self, now: Observation, tentative: Tensor, ask_features: Tensor) -> StepContext:
        """What there is to know without the house."""
        budget, none = torch.tensor([now.requests_left]), torch.empty(1, 0)
        return StepContext(
            episodes=cast(Any, None), step=now.step, pose=none, unmoved=none, budget=budget, tentative=tentative, plan=none,
            ask=lambda: self._players.agent.ask(ask_features, budget),
        )  # fmt: skip

    def _view(self, state: _State, now: Observation) -> Views:
        found = {name: np.frombuffer(each, "<f4").copy() for name, each in now.features.items()}
        views = {name: torch.from_numpy(found[name])[None] for name in self._players.views}
        return views | {name: self._noticed(name, sense, views, state, now) for name, sense in self._players.senses.items()}

    def _noticed(self, name: str, sense: Sensor, views: Views, state: _State, now: Observation) -> Tensor:
        """What it was lent, or reads from the view itself."""
        if not isinstance(sense, Spotted):
            return torch.tensor([now.senses[name]])
        spotter = self._players.agent.spotter
        assert spotter is not None, "an agent with this sense has one"
        chances = spotter(torch.cat([views[each] for each in legible(self._players.views)], dim=1)).half()
        return sense.of(state.sought, chances.flatten(), torch.tensor([0]))

    def _heard(self, now: Observation) -> Utterance:
        if now.advice not in self._rows:
            raise InputError(f"the advisor said {now.advice!r}, which this agent has no words for")
        return Utterance(torch.tensor([self._rows[now.advice]]), self._players.bound_advisor.phrases)

    @cached_property
    def _rows(self) -> dict[str | None, int]:
        """What the advisor may say → its row."""
        phrases = self._players.bound_advisor.phrases
        return {phrases.text(row): row for row in reversed(range(phrases.silence))}
