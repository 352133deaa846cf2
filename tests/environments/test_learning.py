"""What learners take: instructions as tokens, rewards of other kinds, and PPO of Stable-Baselines3 on all of it."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import SyncVectorEnv
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env as check_for_sb3
from stable_baselines3.common.env_util import make_vec_env

from vnla.common.errors import InputError
from vnla.gym import ASK_NAV, AskNavEnv, AskNavVectorEnv
from vnla.tasks.vocabulary import LONGEST
from vnla.training.objectives.objective import closeness
from vnla.world.actions import Nav

LEFT, FORWARD, STOP = int(Nav.LEFT), int(Nav.FORWARD), int(Nav.STOP)
KITCHEN = {"task": "1", "help_budget": 1}
END_GOAL = "find a towel in the kitchen ."
WAY = [LEFT, LEFT, LEFT, FORWARD, FORWARD, FORWARD, STOP]
START = 8.1404
"""Metres from the start of task 1 to the kitchen, by tests/environments/test_episodes.py."""


def painted(_house: str, _viewpoint: str, heading: float, _elevation: float, width: int, height: int) -> np.ndarray:
    return np.full((height, width, 3), round(heading * 30), dtype=np.uint8)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"reward": "shaped", "discount": 0.99, "request_price": 0.1, "timeout": "terminated"},
        {"observe": "rgb", "images": painted, "width": 48, "height": 36},
        {"observe": "nothing"},
        {"around": True, "tokens": 12},
    ],
    ids=["usual", "shaped", "pictures", "nothing", "around"],
)
def test_both_checkers_find_nothing_to_say_and_ppo_learns(options: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings(
            "ignore", message="Your observation (views|exits) has an unconventional shape"
        )  # of `around`
        check_env(gymnasium.make(ASK_NAV, **{"tokens": True} | options).unwrapped)
        check_for_sb3(gymnasium.make(ASK_NAV, **{"tokens": True} | options))
        envs = make_vec_env(ASK_NAV, 2, env_kwargs={"tokens": True} | options)
        agent = PPO("MultiInputPolicy", envs, n_steps=32, batch_size=32, n_epochs=1, seed=0, device="cpu")
        before = [each.clone() for each in agent.policy.parameters()]
        agent.learn(64 if "images" in options else 200)
    assert any(not torch.equal(old, new) for old, new in zip(before, agent.policy.parameters(), strict=True))


def test_tokens_are_the_words_of_the_instruction() -> None:
    env = AskNavEnv(tokens=True)
    text = AskNavEnv()
    (numbers, _), (words, _) = (each.reset(seed=0, options=KITCHEN) for each in (env, text))
    assert numbers["instruction"].shape == env.observation_space["instruction"].shape == (LONGEST,)
    for action in (None, (LEFT, 1), (LEFT, 0)):
        if action is not None:
            numbers, words = env.step(action)[0], text.step(action)[0]
        assert env.vocabulary.decode(torch.from_numpy(numbers["instruction"])[None]) == [words["instruction"]]
        assert not numbers["instruction"][len(words["instruction"].split()) :].any()
    assert words["instruction"].startswith("turn 90 degrees left")
    assert {name: space for name, space in env.observation_space.items() if name != "instruction"} == {
        name: space for name, space in text.observation_space.items() if name != "instruction"
    }


def test_no_instruction_is_cut_and_whoever_wants_fewer_tokens_gets_them() -> None:
    """End-goals of the cottage have at most nine words."""
    phrases = AskNavEnv(tokens=True, advisor_options={"k": 4})._setting.rules.bound_advisor.phrases.words.tokens
    assert phrases.shape[1] == 12, "four phrases of two words, three commas and a full stop"
    few = AskNavEnv(tokens=5)
    observation, _ = few.reset(seed=0, options=KITCHEN)
    assert few.vocabulary.decode(torch.from_numpy(observation["instruction"])[None]) == ["find a towel in ."]
    with pytest.raises(InputError, match="an instruction has at least one word, not 0"):
        AskNavEnv(tokens=0)
    with pytest.raises(InputError, match="tokens: what is in view in words"):
        AskNavEnv(tokens=True, observe="text")


def test_many_have_the_tokens_and_rewards_of_singles() -> None:
    options: dict[str, Any] = {"tokens": True, "reward": "shaped", "discount": 0.9, "request_price": 0.25, "ratio": 0.8}
    many = AskNavVectorEnv(4, **options)
    singles = SyncVectorEnv([lambda: AskNavEnv(**options)] * 4)
    assert many.observation_space == singles.observation_space
    many.action_space.seed(3)
    many.reset(seed=5)
    singles.reset(seed=5)
    rewards = []
    for _ in range(60):
        actions = many.action_space.sample()
        ours, theirs = many.step(actions), singles.step(actions)
        np.testing.assert_array_equal(ours[0]["instruction"], theirs[0]["instruction"])
        np.testing.assert_array_equal(ours[1], theirs[1])
        assert ours[0] in many.observation_space
        rewards.append(ours[1])
    assert len(np.unique(np.round(rewards, 3))) > 10


def rewards_of(actions: list[tuple[int, int]], **options: Any) -> list[float]:
    env = AskNavEnv(**options)
    env.reset(seed=0, options={**KITCHEN, "time_budget": 10})
    return [float(env.step(action)[1]) for action in actions]


def test_the_shaped_reward_is_what_comes_nearer() -> None:
    """Turns are worth nothing, a way of 2.55 m what it adds to the closeness; the end takes back that of the goal."""
    near = [float(closeness(torch.tensor(metres))) for metres in (START, 5.5909, 3.0414, 0.0)]
    rewards = rewards_of([(each, 0) for each in WAY], reward="shaped")
    expected = [0, 0, 0, near[1] - near[0], near[2] - near[1], near[3] - near[2], 1 - near[3]]
    assert rewards == pytest.approx(expected, abs=1e-4)
    assert near[3] == 1


@pytest.mark.parametrize("discount", [1.0, 0.9])
@pytest.mark.parametrize(
    ("actions", "success"),
    [
        ([(each, 0) for each in WAY], 6),
        ([(LEFT, 1), *((each, 0) for each in WAY)], 7),
        ([(LEFT, 0)] * 10, None),
        ([(LEFT, 0)] * 3 + [(FORWARD, 0)] * 3 + [(LEFT, 0)] * 4, 9),
        ([(STOP, 0)], None),
    ],
    ids=["the way", "asked", "out of time", "out of time at the goal", "stopped"],
)
def test_shaping_takes_the_same_from_every_episode(
    actions: list[tuple[int, int]], success: int | None, discount: float
) -> None:
    """Whatever was done, it is worth its discounted success less the closeness of the start."""
    rewards = rewards_of(actions, reward="shaped", discount=discount)
    total = sum(reward * discount**step for step, reward in enumerate(rewards))
    worth = 0 if success is None else discount**success
    assert total == pytest.approx(worth - float(closeness(torch.tensor(START))), abs=1e-4)


def test_an_answered_request_has_its_price() -> None:
    """The second finds no budget left, costs nothing, and the action beside it is carried out."""
    assert rewards_of([(LEFT, 1), (LEFT, 0), (LEFT, 1)], request_price=0.25) == [-0.25, 0, 0]
    assert rewards_of([(LEFT, 1), (LEFT, 0), (LEFT, 1)]) == [0, 0, 0]


@pytest.mark.parametrize(("timeout", "ends"), [("truncated", (False, True)), ("terminated", (True, False))])
def test_the_end_of_the_time_is_called_what_one_wants(timeout: str, ends: tuple[bool, bool]) -> None:
    env = AskNavEnv(timeout=timeout)
    env.reset(seed=0, options=KITCHEN | {"time_budget": 1})
    assert env.step((LEFT, 0))[2:4] == ends
    envs = AskNavVectorEnv(1, timeout=timeout)
    envs.reset(seed=0, options=KITCHEN | {"time_budget": 1})
    _, _, terminated, truncated, _ = envs.step([(LEFT, 0)])
    assert (terminated[0], truncated[0]) == ends


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reward": "dense"}, "reward='dense': choose sparse or shaped"),
        ({"discount": 1.5}, "discount: is 1.5"),
        ({"request_price": -1}, "request_price: is -1"),
        ({"request_price": float("nan")}, "request_price: is nan"),
        ({"timeout": "never"}, "timeout='never': choose truncated or terminated"),
    ],
)
def test_wrong_arguments_are_explained(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        AskNavEnv(**options)


def test_without_arguments_everything_is_as_it_was() -> None:
    spaces = AskNavEnv().observation_space.spaces
    assert isinstance(spaces["instruction"], gymnasium.spaces.Text)
    assert list(spaces) == [
        "has_requested", "instruction", "last_action", "may_go_forward", "may_request", "requests_left", "time_left", "view",
    ]  # fmt: skip
    assert [space.n for space in spaces.values() if isinstance(space, gymnasium.spaces.Discrete)] == [2, 7, 2, 2, 4, 26]
    assert rewards_of([(each, 0) for each in WAY]) == [0] * 6 + [1]
