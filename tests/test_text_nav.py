"""`vnla/TextNav-v0`: the environment of `vnla/AskNav-v0`, with words for what is in view."""

from __future__ import annotations

import warnings

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env

import vnla.gym
from vnla.common.errors import InputError
from vnla.gym import TEXT_NAV
from vnla.houses.cottage import cottage
from vnla.tasks.cottage import cottage_tasks
from vnla.vision.symbols import WorldSymbols, describe
from vnla.world.compiled import World


def test_gymnasium_finds_nothing_to_say() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(TEXT_NAV).unwrapped)
        vnla.gym.register()


def test_the_view_is_told_and_the_rest_is_as_ever() -> None:
    text, seen = gymnasium.make(TEXT_NAV), gymnasium.make("vnla/AskNav-v0")
    symbols = WorldSymbols.of_houses([cottage()])
    (words, info), (view, same) = (env.reset(seed=3, options={"task": "1"}) for env in (text, seen))
    for action in [(4, 1), (0, 0), (0, 0), (0, 0), (4, 0), (4, 0)]:
        pose = info["pose"]
        shown = symbols("cottage", pose["viewpoint"], 12 + round(pose["heading"] / 0.5235987755982988))
        assert words["text"] == describe(shown)
        assert {**words, "view": None} == {**view, "view": None, "text": words["text"]} and info["distance_left"] == same[
            "distance_left"
        ]
        (words, *_, info), (view, *_, same) = text.step(action), seen.step(action)


def test_many_at_once() -> None:
    envs = gymnasium.make_vec(TEXT_NAV, num_envs=3)
    observations, _ = envs.reset(seed=0)
    assert observations in envs.observation_space and all(each.startswith("You are ") for each in observations["text"])
    for _ in range(40):
        observations, *_ = envs.step(envs.action_space.sample())
    assert observations in envs.observation_space


def test_a_world_alone_has_nothing_to_tell() -> None:
    world = World.compile([cottage()])
    tasks = cottage_tasks(world)
    with pytest.raises(InputError, match="give `houses` too, or `symbols`"):
        gymnasium.make(TEXT_NAV, world=world, tasks=tasks)
    env = gymnasium.make(TEXT_NAV, world=world, tasks=tasks, symbols=WorldSymbols.of_houses([cottage()]))
    assert env.reset(seed=0)[0]["text"].startswith("You are ")
