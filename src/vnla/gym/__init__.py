"""Gymnasium environments: the task of the paper's sections 3 and 5 for any agent that speaks that interface.

    import gymnasium, vnla.gym
    env = gymnasium.make("vnla/AskNav-v0")
    envs = gymnasium.make_vec("vnla/AskNav-v0", num_envs=8)

Importing this module registers the environment; `docs/gym.md` has its action and observation spaces and its arguments.
"""

from __future__ import annotations

import gymnasium

from vnla.gym.single import AskNavEnv
from vnla.gym.vector import AskNavVectorEnv

__all__ = ["ASK_NAV", "AskNavEnv", "AskNavVectorEnv", "register"]

ASK_NAV = "vnla/AskNav-v0"


def register() -> None:
    """Make the environment known to Gymnasium; doing it again changes nothing."""
    if ASK_NAV not in gymnasium.registry:
        gymnasium.register(
            ASK_NAV, entry_point="vnla.gym.single:AskNavEnv", vector_entry_point="vnla.gym.vector:AskNavVectorEnv"
        )


register()
