"""Reinforcement learning with Stable-Baselines3: PPO learns to find things in the cottage, or in a world of yours.

python examples/ppo.py
python examples/ppo.py --world worlds/small --tasks tasks/small --steps 500000
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import gymnasium
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.vec_env import VecEnv

import vnla.gym

DISCOUNT = 0.99


def environments(count: int, **options: Any) -> VecEnv:
    """So many at once; who runs out of time is done, and not cut off: the agent sees how much time is left."""
    chosen = {"tokens": 24, "budgets": "longest", "timeout": "terminated"} | options
    return make_vec_env(lambda: gymnasium.make(vnla.gym.ASK_NAV, **chosen), count, seed=0)


def main(words: Sequence[str] | None = None) -> tuple[float, float]:
    """Train; the share of episodes that succeed, before and after."""
    parser = argparse.ArgumentParser(description="Train PPO.")
    parser.add_argument("--world", help="folder of a world; without it the cottage")
    parser.add_argument("--tasks", help="folder of a data set")
    parser.add_argument("--steps", type=int, default=60_000)
    parser.add_argument("--episodes", type=int, default=120, help="to measure success on")
    parser.add_argument("--envs", type=int, default=16)
    given = parser.parse_args(words)
    where = {"world": given.world, "tasks": given.tasks}
    training = environments(given.envs, **where, reward="shaped", discount=DISCOUNT)
    agent = PPO(
        "MultiInputPolicy", training, n_steps=64, batch_size=256, learning_rate=2e-3, ent_coef=0.003, gamma=DISCOUNT, seed=0
    )
    judge = environments(given.envs, **where)
    before = float(evaluate_policy(agent, judge, given.episodes, deterministic=False)[0])
    print(f"before: {before:.2f} of {given.episodes} episodes succeed")  # noqa: T201
    agent.learn(given.steps)
    after = float(evaluate_policy(agent, judge, given.episodes, deterministic=False)[0])
    print(f"after {given.steps:,} steps: {after:.2f}")  # noqa: T201
    return before, after


if __name__ == "__main__":
    main()
