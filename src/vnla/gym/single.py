"""`vnla/AskNav-v0` for one agent."""

from __future__ import annotations

from typing import Any, Unpack

import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from vnla.common.errors import InputError
from vnla.gym.episodes import EnvEpisodes
from vnla.gym.observing import as_text, infos, observations, only
from vnla.gym.setting import EnvOptions, EnvSetting, action_space
from vnla.tasks.vocabulary import Vocabulary
from vnla.world.actions import ASK_ACTIONS, NAV_ACTIONS


class AskNavEnv(gymnasium.Env[dict[str, Any], NDArray[np.int64]]):
    """Find an object in a house, asking for help along the way. `docs/gym.md` describes spaces, reward and endings."""

    observation_space: spaces.Dict
    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array"], "render_fps": 2}  # noqa: RUF012

    def __init__(self, *, render_mode: str | None = None, seed: int | None = None, **options: Unpack[EnvOptions]) -> None:
        """`seed` is that of a first `reset` without one; for the others see `EnvArguments`."""
        self._setting = EnvSetting.prepare(**options)
        self._setting.check_render_mode(render_mode)
        self.render_mode = render_mode
        # an instance has only the modes that it can serve: there are no pictures without `images`
        self.metadata = self.metadata | {"render_modes": self._setting.render_modes}
        self.observation_space = self._setting.observation_space
        self.action_space = action_space()
        self._first_seed = seed
        self._walk: EnvEpisodes | None = None
        self._ended = False

    @property
    def vocabulary(self) -> Vocabulary:
        """The words that tokens number."""
        return self._setting.rules.vocabulary

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """A new episode: of the task named or numbered in `options["task"]`, else of one drawn at random. The options
        `time_budget` and `help_budget` give it budgets of its own."""
        super().reset(seed=self._first_seed if seed is None else seed)
        self._first_seed = None
        setting = self._setting
        start = setting.start(options or {}, self.np_random, int(self.np_random_seed or 0))
        self._walk = setting.rules.begin([start])
        self._ended = False
        return only(observations(setting, self._walk)), only(infos(setting, self._walk))

    def step(self, action: NDArray[np.int64]) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """One action pair: a request or a navigation action."""
        if self._walk is None or self._ended:
            raise ResetNeeded("this episode is over or has not begun: call reset() before step()")
        nav, ask = action_pairs(np.asarray(action)[None], self._walk.pose)
        outcome = self._walk.step(nav, ask)
        terminated, truncated = bool(outcome.terminated), bool(outcome.truncated)
        self._ended = terminated or truncated
        info = only(infos(self._setting, self._walk, outcome, ask))
        return only(observations(self._setting, self._walk)), float(outcome.reward), terminated, truncated, info

    def render(self) -> Any:
        """The episode as text, or what the agent sees as a picture."""
        if self._walk is None:
            raise ResetNeeded("there is nothing to render yet: call reset() first")
        if self.render_mode == "ansi":
            return as_text(self._setting, self._walk, 0)
        if self.render_mode == "rgb_array" and self._setting.images is not None:
            return self._setting.images(self._walk.pose.cpu().numpy())[0]
        return None


def action_pairs(actions: ArrayLike, like: Tensor) -> tuple[Tensor, Tensor]:
    """Actions (batch, 2) as tensors of navigation and of help-requesting actions, beside the tensor `like`."""
    pairs = np.asarray(actions)
    if pairs.shape != (len(like), 2) or not np.issubdtype(pairs.dtype, np.integer):
        raise InputError(f"action: expected a pair of whole numbers for each of {len(like)} agents, found {actions!r}")
    if (pairs < 0).any() or (pairs >= (NAV_ACTIONS, ASK_ACTIONS)).any():
        raise InputError(f"action: {actions!r} is not a navigation action below {NAV_ACTIONS} with a request of 0 or 1")
    nav, ask = torch.as_tensor(pairs.astype(np.int64), device=like.device).unbind(dim=1)
    return nav.contiguous(), ask.contiguous()
