"""Gymnasium environments: the task of the paper's sections 3 and 5 for any agent that speaks that interface.

    import gymnasium, vnla.gym
    env = gymnasium.make("vnla/AskNav-v0")
    env = gymnasium.make("vnla/TextNav-v0")  # the same, and what is in view is told in words
    envs = gymnasium.make_vec("vnla/AskNav-v0", num_envs=8)

Importing this module registers the environments; `docs/gym.md` has their action and observation spaces and their arguments.
"""

from __future__ import annotations

import gymnasium

from vnla.gym.single import AskNavEnv
from vnla.gym.vector import AskNavVectorEnv

__all__ = ["ASK_NAV", "TEXT_NAV", "AskNavEnv", "AskNavVectorEnv", "register"]

ASK_NAV = "vnla/AskNav-v0"
TEXT_NAV = "vnla/TextNav-v0"


def register() -> None:
    """Make the environments known to Gymnasium; doing it again changes nothing."""
    for name, options in ((ASK_NAV, {}), (TEXT_NAV, {"observe": "text"})):
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point="vnla.gym.single:AskNavEnv",
                vector_entry_point="vnla.gym.vector:AskNavVectorEnv",
                kwargs=options,
            )


register()
