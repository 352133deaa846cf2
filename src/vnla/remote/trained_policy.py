"""A trained agent of ours as a policy that acts one episode at a time: what a server runs behind the protocol.

It observes what any policy observes, and decides as in an evaluation: episode by episode, greedily, by its own help policy.
That has to be one that goes by what the agent itself knows: none, first, spaced, entropy, learned, valued.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from vnla.agents.panorama import LevelViews, SpottedAround
from vnla.agents.policy_state import PolicyState, Start, Views
from vnla.agents.sensor_registry import UNTRAINED, UNTRAINED_AROUND, sensors_named
from vnla.agents.sensors import CountSensor, Sensor, Spotted
from vnla.agents.spotting import legible
from vnla.assistance.help_policies import AtFirst, Entropy, Never, Spaced
from vnla.assistance.words import Utterance
from vnla.bcui import log_distribution
from vnla.common.errors import InputError
from vnla.common.unknown import Unknown
from vnla.episode import StepContext
from vnla.evaluation.evaluate import greedy
from vnla.observation import ONE_VIEW, SENSOR, SENSORS, VIEW, VIEWS, Observation
from vnla.remote.evaluated_agent import Answer
from vnla.tasks.end_goals import read_end_goal
from vnla.tasks.task import sought_keys
from vnla.training.context import make_context, vocabulary_of
from vnla.training.trained import Trained
from vnla.words import Words
from vnla.world.actions import ASK_START, NAV_START, Nav, ask_action
from vnla.world.budgets import LONGEST_EPISODE

HOUSE: Any = Unknown("what only an evaluation knows", "in the house; this agent is behind an address")
"""Stands for poses, paths and plans in what a help policy is given."""


@dataclass
class _State:
    policy_state: PolicyState
    sought: Tensor  # (1, 2)
    nav: Tensor = field(default_factory=lambda: torch.tensor([NAV_START]))
    ask: Tensor = field(default_factory=lambda: torch.tensor([ASK_START]))
    asked: bool = False
    since_request: int = LONGEST_EPISODE
    """Before it ever asked, more than any subgoal has."""


class TrainedPolicy:
    """Our agent. The state of an episode is changed in place: between its request and its action it is in the middle of a
    time step."""

    def __init__(self, trained: Trained, checkpoint: str = "val_unseen") -> None:
        config = trained.config
        if not (config.policy.consults or isinstance(config.policy, Never | AtFirst | Spaced | Entropy)):
            raise InputError(f"{trained.folder}: the help policy {config.help_policy} goes by what only an evaluation knows")
        sensors = sensors_named(config.sensors)
        own = {name for name, sensor in sensors.items() if isinstance(sensor, Spotted | CountSensor | LevelViews)}
        unknown = next((name for name in sensors if name not in {*UNTRAINED, *UNTRAINED_AROUND, *own}), None)
        if unknown is not None:
            raise InputError(f"{trained.folder}: its agent has the sensor {unknown}, which the protocol does not offer")
        self._players = make_context(config, trained.material, trained.agent(checkpoint), training=False)
        self._words = vocabulary_of(config, trained.material)
        lent = (f"{SENSOR}{name}" for name in sensors if name not in own)
        self.name = trained.folder.absolute().name
        around = [VIEWS] if any(isinstance(sensor, LevelViews | SpottedAround) for sensor in sensors.values()) else []
        self.observes = (*(f"{ONE_VIEW}{name}" for name in trained.material.views), *around, *lent)

    def reset(self, instruction: str) -> _State:
        """Read the end-goal."""
        context, end_goal = self._players, read_end_goal(instruction)
        words = Words(*self._words.encode([instruction]))
        start = Start(words, context.bound_advisor.phrases, LONGEST_EPISODE, LONGEST_EPISODE, context.batching)
        with greedy(context.agent):
            return _State(context.agent.begin(start), torch.tensor([sought_keys(end_goal.thing, end_goal.room or "")]))

    def act(self, observation: Observation, state: _State) -> tuple[Answer, _State]:
        """Decide as in an evaluation."""
        with greedy(self._players.agent):
            return self._decide(state, observation), state

    def _decide(self, state: _State, now: Observation) -> Answer:
        """Lines 10 to 27 of Algorithm 1, in two parts where it asks."""
        context, blocked = self._players, torch.tensor([not now["may_go_forward"]])
        chances = None
        if not state.asked:
            view = self._view(state, now)
            policy_state = state.policy_state.see(view, state.nav)
            first = policy_state.propose(state.ask, torch.tensor([now["may_request"]]))
            tentative = log_distribution(first.logits, blocked).exp()
            chances = tuple(tentative[0].tolist())
            state.policy_state = policy_state
            ask_features = context.agent.ask_inputs(view, tentative, first)
            if now["may_request"] and bool(context.help_policy(self._context(state, now, tentative, ask_features))):
                state.asked = True
                return Answer(None, chances)
        elif context.advisor.speaks:
            state.policy_state = state.policy_state.hear(torch.tensor([True]), self._utterance(now["advice"]))
        state.ask = ask_action(torch.tensor([state.asked and context.help_policy.invited]))
        second, state.policy_state = state.policy_state.decide(state.ask)
        state.nav = log_distribution(second.logits, blocked).exp().argmax(dim=1)
        state.since_request = 0 if state.asked else state.since_request + 1
        state.asked = False
        return Answer(Nav(int(state.nav)), chances)

    def _context(self, state: _State, now: Observation, tentative: Tensor, ask_features: Tensor) -> StepContext:
        """What there is to know without the house; looking at anything else is an error."""
        budget = torch.tensor([now["requests_left"]])
        return StepContext(
            episodes=HOUSE, step=now["step"], pose=HOUSE, unmoved=HOUSE, budget=budget, tentative=tentative, plan=HOUSE,
            ask=lambda: self._players.agent.ask(ask_features, budget), teacher_request=HOUSE,
            since_request=torch.tensor([state.since_request]), past=HOUSE, k=self._players.advisor.k,
        )  # fmt: skip

    def _view(self, state: _State, now: Observation) -> Views:
        views = self._parts(torch.from_numpy(now[VIEW])[None])
        return views | {
            name: self._sensed(name, sensor, views, state, now) for name, sensor in self._players.sensors.items()
        }

    def _parts(self, features: Tensor) -> dict[str, Tensor]:
        """Features (rows, size) by their names."""
        sizes = [self._players.views[name].shape[1] for name in self._players.views]
        return dict(zip(self._players.views, torch.split(features, sizes, dim=1), strict=True))

    def _sensed(self, name: str, sensor: Sensor, views: Views, state: _State, now: Observation) -> Tensor:
        """What it was lent, or reads from the view itself."""
        if isinstance(sensor, CountSensor):
            return torch.tensor([[float(now[name])]])
        if isinstance(sensor, LevelViews | SpottedAround):
            views = self._parts(torch.from_numpy(now[VIEWS]))
        if isinstance(sensor, LevelViews):
            return torch.cat([views[each] for each in sensor.views], dim=1).reshape(1, -1)
        if not isinstance(sensor, Spotted):
            return torch.from_numpy(now[SENSORS][name])[None]
        spotter = self._players.agent.spotter
        assert spotter is not None, "an agent with this sensor has one"
        chances = spotter(torch.cat([views[each] for each in legible(self._players.views)], dim=1)).half()
        sought = state.sought.repeat(len(chances), 1)
        return sensor.of(sought, chances.flatten(), torch.arange(len(chances))).reshape(1, -1)

    def _utterance(self, advice: str | None) -> Utterance:
        if advice not in self._rows:
            raise InputError(f"the advisor said {advice!r}, which this agent has no words for")
        return Utterance(torch.tensor([self._rows[advice]]), self._players.bound_advisor.phrases)

    @cached_property
    def _rows(self) -> dict[str | None, int]:
        """What the advisor may say → its row."""
        phrases = self._players.bound_advisor.phrases
        return {phrases.text(row): row for row in reversed(range(phrases.silence))}
