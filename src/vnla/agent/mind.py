"""What an agent carries from step to step, and what it does with it in a step.

`read` what the advisor would say, `see`, decide `tentatively`, `hear` the advisor if it asked, decide `finally`. There are
three minds, which decide the same: the plain one (`vnla.agent.plain`), and two that learn faster, on a GPU
(`vnla.agent.fast.gpu.mind`) and on a CPU (`vnla.agent.fast.cpu.mind`). `Agent.begin` chooses.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import NamedTuple, Self

from torch import Tensor

from vnla.agent.navigation import Decoded
from vnla.roles.words import Words


class Heard(NamedTuple):
    """What the advisor would say."""

    subgoal: Tensor  # (batch,), code
    tails: Words


class Mind(ABC):
    """Of a batch of episodes. What changes it gives the next one and leaves this as it was."""

    def read(self, may_ask: Tensor, advice: Callable[[], Tensor], tails: Words) -> Heard:  # noqa: ARG002
        """What `advice` gives: codes of what the advisor would say to those who may ask.

        A GPU asks for it and reads it beside the first pass; others read it when it is heard.
        """
        return Heard(advice(), tails)

    @abstractmethod
    def see(self, view: Tensor, last_nav: Tensor) -> Self:
        """The mind with what both passes of a step have in common."""

    @abstractmethod
    def tentatively(self, last_ask: Tensor, may_ask: Tensor | None = None) -> Decoded:
        """Pass 1, of which nothing learns: decide with the last help-requesting action.

        Of those who may not ask nobody may want to know: they can be left out, and then have zeros.
        """

    @abstractmethod
    def hear(self, asked: Tensor, heard: Heard) -> Self:
        """The mind after the advisor answered those who asked: their new instruction, nothing of it covered yet."""

    @abstractmethod
    def finally_(self, ask: Tensor) -> tuple[Decoded, Self]:
        """Pass 2: decide with this step's help-requesting action, and the mind for the next step."""

    def recall(self) -> Tensor | None:
        """The logits of all second passes with their gradients, where the passes themselves had none; else None."""
        return None
