"""Policies as agents: modules on both kinds of batches, and those that act one at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from agents.small import WORDS, cottage_environment, drawn_episodes, end_goals_of, players_of, start_of, told, views_of
from benchmarks.setting import bare_setting
from lanes import losses_read
from vnla.agents.agent import Agent, Sizes
from vnla.agents.observing import ObservedViews, features_for, sensors_for
from vnla.agents.one_at_a_time import OneAtATime
from vnla.agents.policy import read_choice
from vnla.agents.policy_agent import PolicyAgent
from vnla.agents.registry import agent_named
from vnla.agents.sensor_registry import sensors_named
from vnla.assistance.acting import ALONE, BCUI
from vnla.assistance.advisor import TemplateAdvisor
from vnla.assistance.help_policies import AsTaught, AtFirst, AtRandom, HelpPolicy, Learned, Never
from vnla.assistance.words import Utterance
from vnla.bcui import bcui
from vnla.common.batching import Batching
from vnla.common.capture import fusing
from vnla.common.errors import InputError
from vnla.common.selection import take_rows
from vnla.observation import COUNTS, Observation
from vnla.rollout import Rollout, RolloutContext
from vnla.training.config import TrainingConfig
from vnla.training.trainer import Trainer
from vnla.world.actions import NAV_ACTIONS, Nav

ROOT = Path(__file__).parents[2]
SIZES = Sizes(WORDS, {"drawn": 8})
ENVIRONMENT = cottage_environment()


class Plain(nn.Module):
    """A small one: what it does depends on all that it is given."""

    def __init__(self, sizes: Sizes, hidden: int = 10) -> None:
        super().__init__()
        self.words, self.actions = nn.Embedding(sizes.words, hidden), nn.Embedding(NAV_ACTIONS + 1, hidden)
        self.view, self.walk = nn.Linear(sum(sizes.views.values()), hidden), nn.GRUCell(hidden, hidden)
        self.decide, self.help = nn.Linear(hidden, NAV_ACTIONS), nn.Linear(hidden, 1)

    def reset(self, instructions: Any) -> dict[str, Any]:
        goal = self.words(instructions.tokens).sum(dim=1)
        return {"goal": goal, "rest": [torch.zeros_like(goal), (goal * 0,)]}

    def hear(self, utterance: Any, state: dict[str, Any]) -> dict[str, Any]:
        return {**state, "rest": [self.words(utterance.words.tokens).sum(dim=1), *state["rest"][1:]]}

    def act(self, seen: Observation, state: dict[str, Any]) -> tuple[tuple[Tensor, Tensor], dict[str, Any]]:
        told, (walk,) = state["rest"]
        ask_features = self.view(seen.vector) + self.actions(seen["last_action"]) + state["goal"] + told
        walk = self.walk(ask_features + seen["has_requested"][:, None] * 0.5, walk)
        return (4 * self.decide(walk), self.help(walk)), {**state, "rest": [told, (walk,)]}


def made(seed: int = 3) -> PolicyAgent:
    torch.manual_seed(seed)
    return PolicyAgent(Plain(SIZES), ObservedViews.declared(Plain, SIZES))


def walked(agent: Agent, policy: HelpPolicy, *, fixed: bool = False) -> Rollout:
    context = replace(players_of(agent, ENVIRONMENT, policy, BCUI), batching=Batching(fixed=fixed))
    return bcui(drawn_episodes(ENVIRONMENT, torch.arange(30, 54)), context)


@pytest.mark.parametrize("policy", [AsTaught(), AtFirst(), AtRandom(), Never()])
def test_who_does_not_ask_need_not_think_twice(policy: HelpPolicy) -> None:
    """Where sizes may differ only those who asked act again; where they are fixed everybody does: the same walks, losses
    and gradients."""
    found = []
    for fixed in (False, True):
        agent = made()
        rollout = walked(agent, policy, fixed=fixed)
        loss = rollout.nav_loss() + (rollout.ask_loss(agent.ask) if policy.deliberates else 0)
        loss.backward()
        found.append((told(rollout, "nav"), loss.detach(), [each.grad for each in agent.parameters()]))
    (walk, loss, gradients), (walk_fixed, loss_fixed, gradients_fixed) = found
    assert walk == walk_fixed
    torch.testing.assert_close(loss, loss_fixed)
    for one, other in zip(gradients, gradients_fixed, strict=True):
        if one is not None or other is not None:
            torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


def test_what_is_said_of_asking_is_learned() -> None:
    """The help teacher's word reaches the head that asks, and what it was computed from."""
    agent = made()
    rollout = walked(agent, AsTaught())
    rollout.ask_loss(agent.ask).backward()
    for name in ("help.weight", "walk.weight_ih", "view.weight"):
        gradient = agent.module.get_parameter(name).grad
        assert gradient is not None and gradient.abs().sum() > 0, name
    assert agent.module.get_parameter("decide.weight").grad is None


def test_it_hears_what_the_advisor_says_in_the_step_in_which_it_asks() -> None:
    agent, advisor = made(), TemplateAdvisor(k=2)
    key = torch.arange(3)
    start = start_of(end_goals_of(key), advisor)
    state = agent.begin(start).see({"drawn": torch.zeros(3, 8)}, torch.full_like(key, 6))
    assert state.advice.length.tolist() == [0, 0, 0]
    asked, index = torch.tensor([False, True, False]), torch.tensor([1, 9, 3])
    state = state.hear(asked, Utterance(index, start.phrases))
    words = start.phrases.words
    assert state.advice.length.tolist() == [0, int(words.length[9]), 0]
    assert torch.equal(state.advice.tokens[1], words.tokens[9])
    _, after = state.decide(asked.long())
    assert torch.equal(after.advice.tokens, state.advice.tokens)
    assert take_rows(after, torch.tensor([1])).advice.length.tolist() == [int(words.length[9])]


@cache
def traced(function: Callable[..., object]) -> Callable[..., object]:
    return torch.compile(function, backend="eager", dynamic=False, fullgraph=True)


def test_its_walks_can_be_traced_for_a_graph_with_their_gradients(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vnla.common.capture._compiled", traced)
    torch._dynamo.reset()
    plain, agent = made(), made()
    before = walked(plain, AsTaught(), fixed=True)
    with fusing(torch.device("cpu")):
        after = walked(agent, AsTaught(), fixed=True)
    assert torch.equal(before.table("nav"), after.table("nav"))
    for rollout, each in ((before, plain), (after, agent)):
        (rollout.nav_loss() + rollout.ask_loss(each.ask)).backward()
    for one, other in zip(plain.parameters(), agent.parameters(), strict=True):
        torch.testing.assert_close(one.grad, other.grad)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_graph_learns_what_single_operations_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    losses = []
    for eager in (False, True):
        setting = bare_setting(
            200, hidden=32, view_size=64, seed=0, device="cuda", houses=4, agent="examples.simple_agent:Mine",
            options={"hidden": 32}, sensors="requests",
        )  # fmt: skip
        trainer = Trainer(setting.context, setting.tasks, TrainingConfig(batch=20), learns_to_ask=True, eager=eager)
        assert trainer.captures is not eager
        losses.append(torch.tensor([losses_read(trainer, trainer.iterate()) for _ in range(20)]))
    torch.testing.assert_close(*losses, rtol=1e-3, atol=1e-3)


class Seeing(Plain):
    observes: ClassVar[tuple[str, ...]] = ("view:symbolic", "sensor:clock")


def test_only_what_is_declared_is_shown() -> None:
    sizes = Sizes(WORDS, {"efficientnet-lite0": 5, "symbolic": 3, "clock": 26, "requests": 6}, ("clock", "requests"))
    sights = ObservedViews.declared(Seeing, sizes)
    assert dict(sights.sizes.views) == {"symbolic": 3, "clock": 26}
    view = {name: torch.zeros(2, size) for name, size in sizes.views.items()}
    found = sights.observation(view)
    assert list(found) == ["view", "sensors"] and found["view"].shape == (2, 3) and list(found["sensors"]) == ["clock"]
    assert found.vector.shape == (2, 29)
    with pytest.raises(
        InputError, match=r"the observation has no 'text' \(what is in view, in words\); it has view, sensors"
    ):
        found["text"]
    assert dict(ObservedViews.declared(Plain, sizes).sizes.views) == dict(sizes.views), "who declares nothing sees all"
    assert (features_for(Seeing, "usual"), sensors_for(Seeing)) == ("symbolic", "clock")
    assert (features_for(Plain, "usual"), sensors_for(Plain)) == ("usual", "")
    with pytest.raises(
        InputError, match=r"agent Seeing: observes view:symbolic, but there is pictures; name it in --features"
    ):
        ObservedViews.declared(Seeing, Sizes(WORDS, {"pictures": 12}))


def test_pictures_have_rows_and_columns_and_words_are_whole_numbers() -> None:
    picture = torch.arange(4 * 3 * 3.0).reshape(3, 4, 3)  # height, width, colours
    view = {"pictures": picture.reshape(1, -1), "text": torch.tensor([[4.0, 7.0, 0.0]])}
    shown = ObservedViews.declared(Plain, Sizes(WORDS, {"pictures": 36, "text": 3})).observation(view)
    assert torch.equal(shown["pictures"], picture.permute(2, 0, 1)[None])
    assert shown["text"].dtype == torch.int64 and shown["text"].tolist() == [[4, 7, 0]]


class Wide(Plain):
    def act(self, seen: Observation, state: Any) -> Any:
        (logits, _), state = super().act(seen, state)
        return torch.cat([logits, logits], dim=1), state


class Silent(Plain):
    def act(self, seen: Observation, state: Any) -> Any:
        (logits, _), state = super().act(seen, state)
        return logits, state


class Stateless(Plain):
    def act(self, seen: Observation, state: Any) -> Any:
        return super().act(seen, state)[0][0]


class Whole(Plain):
    def act(self, seen: Observation, state: Any) -> Any:
        (logits, _), state = super().act(seen, state)
        return logits.long(), state


class Lost(Plain):
    def act(self, seen: Observation, state: Any) -> Any:
        (logits, ask), state = super().act(seen, state)
        return (logits / 0, ask), state


class Wishful(Plain):
    def act(self, seen: Observation, state: Any) -> Any:
        (logits, ask), state = super().act(seen, state)
        return (logits, ask > 0), state


class Shared(Plain):
    def reset(self, instructions: Any) -> dict[str, Any]:
        return {**super().reset(instructions), "table": torch.zeros(3, 5)}


class Numbering(Plain):
    def act(self, seen: Observation, state: Any) -> Any:
        said, state = super().act(seen, state)
        return said, {**state, "steps": torch.zeros(())}


class Forgetful(Plain):
    def hear(self, utterance: Any, state: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG002
        return {"goal": state["goal"]}


@pytest.mark.parametrize(
    ("kind", "policy", "message"),
    [
        (Whole, Never(), r"agent Whole: act returned logits int64 \(24, 6\); expected float32 \(24, 6\)"),
        (Lost, Never(), r"agent Lost: act returned .*inf among its logits; expected finite numbers"),
        (Wishful, Never(), r"agent Wishful: act returned an ask bool \(24, 1\); expected float32 \(24,\)"),
        (Shared, Never(), "agent Shared: reset returned a state with a tensor of 3 rows; expected tensors of 24 rows"),
        (Numbering, Never(), "agent Numbering: act returned a state with a single number; expected tensors of 24 rows"),
        (Forgetful, AtFirst(), "agent Forgetful: hear or act returned a state that is not like the one before .*rest"),
        (Wide, Never(), r"agent Wide: act returned logits float32 \(24, 12\); expected float32 \(24, 6\)"),
        (Stateless, Never(), "agent Stateless: act returned float32 .*; expected .navigation, ask., and a state"),
        (Silent, Learned(), "agent Silent: act returns no ask, so it cannot learn when to ask"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(kind: type[nn.Module], policy: HelpPolicy, message: str) -> None:
    with pytest.raises(InputError, match=message):
        walked(PolicyAgent(kind(SIZES), ObservedViews(SIZES)), policy)


def test_one_that_never_speaks_of_asking_learns_to_walk() -> None:
    agent = PolicyAgent(Silent(SIZES), ObservedViews(SIZES))
    walked(agent, AsTaught()).nav_loss().backward()
    assert agent.module.get_parameter("decide.weight").grad is not None


class Alone:
    """Does what it was told, in a way: turns left until it is told something, then stops. Asks in its third step."""

    observes: ClassVar[tuple[str, ...]] = ("view",)

    def __init__(self, wrong: Any = None) -> None:
        self.wrong, self.given = wrong, list[tuple[str, Observation]]()

    def reset(self, instruction: str) -> tuple[str, int]:
        return instruction, 0

    def act(self, seen: Observation, state: tuple[str, int]) -> Any:
        goal, step = state
        self.given.append((goal, seen))
        action = ("stop" if seen["has_requested"] else Nav.LEFT) if self.wrong is None else self.wrong
        return (action, step == 2), (goal, step + 1)


def alone(actor: Any) -> tuple[PolicyAgent, RolloutContext]:
    words = [f"w{i}" for i in range(WORDS)]
    agent = PolicyAgent(OneAtATime(actor, words), ObservedViews.declared(type(actor), SIZES))
    return agent.eval(), players_of(agent, ENVIRONMENT, Learned(), ALONE)


def test_one_at_a_time_it_is_told_in_words_and_asks_when_it_wants() -> None:
    actor = Alone()
    _, context = alone(actor)
    key = torch.arange(30, 42)
    with torch.no_grad():
        rollout = bcui(drawn_episodes(ENVIRONMENT, key), context)
    episodes, actions, requests = rollout.episodes, rollout.table("nav"), rollout.table("request")
    for row in range(len(key)):
        may = bool(episodes.help_budget[row] > 0) and int(episodes.time_budget[row]) > 2
        assert requests[row].nonzero().flatten().tolist() == ([2] if may else [])
        assert actions[row, :2].tolist() == [Nav.LEFT] * 2 and (not may or actions[row, 2] == Nav.STOP)
    goals = {" ".join(f"w{token}" for token in tokens if token) for tokens in end_goals_of(key).tokens.tolist()}
    assert {goal for goal, _ in actor.given} == goals
    assert {seen["advice"] for _, seen in actor.given if seen["has_requested"]}
    assert all((seen["advice"] is not None) == seen["has_requested"] for _, seen in actor.given)
    first = actor.given[0][1]
    assert first["last_action"] is None and isinstance(first["view"], np.ndarray)
    np.testing.assert_array_equal(first["view"], views_of(ENVIRONMENT)["drawn"][episodes.start[0]].numpy())


class Counting(Alone):
    observes: ClassVar[tuple[str, ...]] = ("view", "time_left", "requests_left", "step", "may_go_forward")


def test_counts_of_an_episode_stand_under_their_own_keys() -> None:
    """What the rules of the episode say, at every step of every episode."""
    assert (features_for(Counting, "usual"), sensors_for(Counting)) == (
        "usual",
        "time_left,requests_left,step,may_go_forward",
    )
    names = COUNTS
    sizes = SIZES._replace(views={"drawn": 8, **dict.fromkeys(names, 1)}, sensors=names)
    actor = Counting()
    agent = PolicyAgent(OneAtATime(actor, ()), ObservedViews.declared(Counting, sizes)).eval()
    context = replace(players_of(agent, ENVIRONMENT, Learned(), ALONE), sensors=sensors_named(",".join(names)))
    episodes = drawn_episodes(ENVIRONMENT, torch.arange(30, 33))
    with torch.no_grad():
        bcui(episodes, context)
    firsts = [seen for _, seen in actor.given if seen["last_action"] is None]
    assert [each["time_left"] for each in firsts] == episodes.time_budget.tolist()
    assert [each["requests_left"] for each in firsts] == episodes.help_budget.tolist()
    assert [each["may_go_forward"] for each in firsts] == (~ENVIRONMENT.blocked(episodes.start)).long().tolist()
    assert all(each["step"] >= 0 and each["time_left"] >= 1 and each["view"].shape == (8,) for _, each in actor.given)


@pytest.mark.parametrize("answer", [0, np.int64(0), "left", [9, 1, 0, 0, 0, 0], torch.tensor([1.0, 0, 0, 0, 0, 0])])
def test_an_action_may_be_said_in_many_ways(answer: Any) -> None:
    choice, state = read_choice("agent Alone", Alone(answer).act(Observation(has_requested=False), ("", 2)))
    assert int(np.argmax(choice.logits)) == Nav.LEFT and choice.ask > 0 and state == ("", 3)


@pytest.mark.parametrize("answer", ["fly", 6, -1, [1, 2], 2.5])
def test_a_wrong_action_is_said_in_one_line(answer: Any) -> None:
    with pytest.raises(
        InputError, match=r"agent Alone: act returned .* expected one of left, right, up, down, forward, stop"
    ):
        read_choice("agent Alone", Alone(answer).act(Observation(has_requested=False), ("", 0)))


@pytest.mark.parametrize("answer", [([torch.nan] * 6), (["a"] * 6), ("left", "please"), ("left", torch.nan)])
def test_neither_letters_nor_nan_are_numbers(answer: Any) -> None:
    with pytest.raises(InputError, match=r"agent Wrong: act returned .*; expected"):
        read_choice("agent Wrong", (answer, None))


class Unclear(Plain):
    def reset(self, goals: Any) -> Any:
        return super().reset(goals)


class Old(nn.Module):
    def begin(self, *_: object) -> None: ...

    act = begin


class Neither:
    """No agent."""


class NoModule:
    def reset(self, instructions: Any) -> None: ...

    def act(self, *_: object) -> None: ...


class Sees(Alone):
    sees: ClassVar[tuple[str, ...]] = ("features",)


class Smells(Alone):
    observes: ClassVar[tuple[str, ...]] = ("smell",)


def test_agents_are_found_by_name_and_made_with_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "agents_of_a_test", __import__("types").SimpleNamespace(
        Plain=Plain, Alone=Alone, Neither=Neither, NoModule=NoModule, Unclear=Unclear, Old=Old, Sees=Sees, Smells=Smells
    ))  # fmt: skip
    agent = agent_named("agents_of_a_test:Plain", {"hidden": 4}, SIZES)
    assert isinstance(agent, PolicyAgent) and agent.module.get_parameter("decide.weight").shape == (6, 4)
    alone = agent_named("agents_of_a_test:Alone", {}, SIZES)
    assert isinstance(alone, PolicyAgent) and isinstance(alone.module, OneAtATime), "it takes no sizes"
    assert not alone.learns and not alone.captured and isinstance(alone.policy, Alone)
    for name, options, message in (
        ("Neither", {}, "is neither a class made from vnla.agents.agent.Agent nor one with reset and act"),
        ("NoModule", {}, "is no torch.nn.Module; with reset.instruction. it may act one at a time"),
        ("Plain", {"depth": 2}, "has no option depth; its options are hidden"),
    ):
        with pytest.raises(InputError, match=f"agent agents_of_a_test:{name}: {message}"):
            agent_named(f"agents_of_a_test:{name}", options, SIZES)
    for name, message in {
        "Unclear": "reset takes goals; call it instructions .a batch. or instruction .one at a time.",
        "Old": "has begin, which is called reset now",
        "Sees": "has `sees`, which is called `observes` now",
        "Smells": "observes is .'smell',.; expected a list of view, view:NAME, pictures, text, symbols, sensor:NAME",
    }.items():
        with pytest.raises(InputError, match=f"agent {name}: {message}"):
            agent_named(f"agents_of_a_test:{name}", {}, SIZES)
    with pytest.raises(InputError, match="agent paper: cannot read what it sees; leave text out of --features"):
        agent_named("paper", {}, Sizes(WORDS, {"text": 9}))
