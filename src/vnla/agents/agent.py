"""An agent of Algorithm 1: a PyTorch module that decides in two passes, as the paper's does (`vnla.agents.paper`).

Whoever needs no passes writes a policy (`vnla.agents.policy`), which is made an agent by `vnla.agents.policy_agent`. Name
either class as `--agent package.module:Class`. It is called with `sizes` and with the options of the run.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from vnla.agents.policy_state import Decision, PolicyState, Start, Views
from vnla.agents.spotting import Spotter
from vnla.common.errors import InputError


class Sizes(NamedTuple):
    """The sizes that a world and a data set ask of an agent."""

    words: int
    """Size of the vocabulary; token 0 is padding."""
    views: Mapping[str, int]
    """Length of each tensor that there is to see, by name."""
    sensors: Sequence[str] = ()
    """Those of them that are sensors."""
    vocabulary: Sequence[str] = ()
    """The words by number, where they are known."""


class Agent(nn.Module, ABC):
    """π_nav and π_ask."""

    captured: ClassVar[bool] = True
    """Whether its sizes do not depend on what happens, so that a GPU graph can hold a training iteration."""

    draws_by_episode: ClassVar[bool] = False
    """Whether what it drops out of an episode does not depend on the others of the batch (`vnla.agents.layers.dropout`)."""

    learns: ClassVar[bool] = True
    """Whether it can be trained."""

    def __init__(self) -> None:
        super().__init__()
        self.spotter: Spotter | None = None
        """What reads single views for it, where it has the sensor `spotted` (`vnla.agents.sensors`)."""

    @abstractmethod
    def begin(self, start: Start) -> PolicyState:
        """Return the state at the start of a batch: the end-goals are read, nothing is heard."""

    def ask_inputs(self, view: Views, tentative: Tensor, first: Decision) -> Tensor:
        """Return what the help module is given, without gradient: (batch, features). All there is to see, the tentative
        distribution, and what the state declares."""
        return torch.cat([*view.values(), tentative, *first.ask_features], dim=1).detach()

    def ask(self, ask_features: Tensor, budget: Tensor) -> Tensor:  # noqa: ARG002
        """The help module: logits (batch, 2) of doing nothing and of requesting; no request without budget."""
        raise InputError(f"{type(self).__name__}: has no help module, so it cannot learn when to ask")

    def meets(self, words: Sequence[str]) -> bool:  # noqa: ARG002
        """Take all words that it may be given from now on, by number, those of its vocabulary first; return whether it can
        read those that come after them."""
        return False

    def footprint(self, words: int, steps: int) -> int:
        """About how many numbers an episode of so many words and steps keeps in memory while it is evaluated."""
        return 100_000 + 2_000 * steps + 2_000 * words
