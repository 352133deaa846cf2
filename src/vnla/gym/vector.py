"""`vnla/AskNav-v0` for many agents at once: one step of the compiled world moves them all.

The same as that number of single environments side by side, with the seeds that Gymnasium gives those (`seed`, `seed + 1`,
…); an episode that has ended begins anew at the next step, whose action for it is passed over (`AutoresetMode.NEXT_STEP`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import numpy as np
import torch
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from vnla.common.errors import InputError
from vnla.gym.episodes import EnvEpisodes
from vnla.gym.observing import as_text, infos, observations, with_masks
from vnla.gym.setting import EnvOptions, EnvSetting, action_space
from vnla.gym.single import action_pairs
from vnla.tasks.vocabulary import Vocabulary

Step = tuple[dict[str, Any], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


class AskNavVectorEnv(VectorEnv[dict[str, Any], NDArray[np.int64], NDArray[Any]]):
    """Many agents, each with its own task. Takes what `AskNavEnv` takes."""

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": ["ansi", "rgb_array"],
        "render_fps": 2,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self, num_envs: int = 1, *, render_mode: str | None = None, seed: int | None = None, **options: Unpack[EnvOptions]
    ) -> None:
        """`seed` is that of a first `reset` without one; for the others see `EnvArguments`."""
        if num_envs < 1:
            raise InputError(f"a vector environment needs at least one agent, not {num_envs}")
        self._setting = EnvSetting.prepare(**options)
        self._setting.check_render_mode(render_mode)
        self.render_mode = render_mode
        self.metadata = self.metadata | {"render_modes": self._setting.render_modes}
        self.num_envs = num_envs
        self.single_observation_space = self._setting.observation_space
        self.single_action_space = action_space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._first_seed = seed
        self._randoms: list[tuple[np.random.Generator, int]] = []
        self._walks: EnvEpisodes | None = None
        self._ended = np.zeros(num_envs, dtype=bool)

    @property
    def vocabulary(self) -> Vocabulary:
        """The words that tokens number."""
        return self._setting.rules.vocabulary

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """New episodes for all. `seed` is one number or one an agent; so are the options: `task`, an id or number, and the
        budgets of `AskNavEnv.reset`."""
        self._seed(self._first_seed if seed is None else seed)
        self._first_seed = None
        self._walks = self._begin(range(self.num_envs), self._each(options or {}))
        self._ended = np.zeros(self.num_envs, dtype=bool)
        return observations(self._setting, self._walks), with_masks(infos(self._setting, self._walks))

    def step(self, actions: NDArray[np.int64]) -> Step:
        """One action pair an agent; those whose episode has ended begin a new one instead."""
        if self._walks is None:
            raise ResetNeeded("no episode has begun: call reset() before step()")
        walks, begins = self._walks, self._ended
        nav, ask = action_pairs(actions, walks.pose)
        outcome = walks.step(nav, ask)
        info = infos(self._setting, walks, outcome, ask)
        terminated, truncated = outcome.terminated.cpu().numpy(), outcome.truncated.cpu().numpy()
        if begins.any():
            rows = np.flatnonzero(begins)
            fresh = self._begin(rows.tolist(), [{}] * len(rows))
            walks.restart(torch.as_tensor(rows, device=walks.pose.device), fresh)
            info = _with_rows(info, rows, infos(self._setting, fresh))
        self._ended = (terminated | truncated) & ~begins
        reward = np.where(begins, 0.0, outcome.reward.cpu().numpy())
        return (
            observations(self._setting, walks),
            reward,
            terminated & ~begins,
            truncated & ~begins,
            with_masks(info),
        )

    def render(self) -> tuple[Any, ...] | None:
        """Each agent's episode as text, or what it sees as a picture."""
        if self._walks is None:
            raise ResetNeeded("there is nothing to render yet: call reset() first")
        if self.render_mode == "ansi":
            return tuple(as_text(self._setting, self._walks, agent) for agent in range(self.num_envs))
        if self.render_mode == "rgb_array" and self._setting.images is not None:
            return tuple(self._setting.images(self._walks.pose.cpu().numpy()))
        return None

    def _seed(self, seed: int | Sequence[int | None] | None) -> None:
        """Generators for the agents that get a seed, and for all that have none yet."""
        if seed is None or isinstance(seed, int | np.integer):
            seeds = [None if seed is None else int(seed) + agent for agent in range(self.num_envs)]
        else:
            seeds = list(seed)
        if len(seeds) != self.num_envs:
            raise InputError(f"seed: {len(seeds)} seeds for {self.num_envs} agents; give one number, or one an agent")
        known = self._randoms or [seeding.np_random(new) for new in seeds]
        self._randoms = [old if new is None else seeding.np_random(new) for old, new in zip(known, seeds, strict=True)]

    def _each(self, options: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The options of each agent."""
        found: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for name in ("task", "time_budget", "help_budget"):
            given = options.get(name)
            if given is None or isinstance(given, str | int | np.integer):
                given = [given] * self.num_envs
            if len(given) != self.num_envs:
                raise InputError(
                    f"options: {len(given)} {name}s for {self.num_envs} agents; give one {name}, or one an agent"
                )
            for agent, each in zip(found, given, strict=True):
                agent[name] = each
        return found

    def _begin(self, agents: Sequence[int], options: Sequence[Mapping[str, Any]]) -> EnvEpisodes:
        """New walks for some agents, of tasks drawn by their own generators where none is named."""
        randoms = [self._randoms[agent] for agent in agents]
        starts = [self._setting.start(each, *random) for each, random in zip(options, randoms, strict=True)]
        return self._setting.rules.begin(starts)


def _with_rows(info: dict[str, Any], rows: NDArray[np.int64], others: dict[str, Any]) -> dict[str, Any]:
    """Infos with some agents' entries replaced."""
    for name, value in info.items():
        if isinstance(value, dict):
            _with_rows(value, rows, others[name])
        else:
            value[rows] = others[name]
    return info
