"""The state that an agent carries from step to step, and what it does with it in a step.

In a step it may `read` what the advisor would say; it `see`s, `propose`s, `hear`s the advisor if it asked, and `decide`s.
Whoever writes an agent writes one class of states. The paper's agent has three, which decide the same: the plain one
(`vnla.agents.plain`), and two that learn faster, on a GPU (`vnla.agents.fast.gpu`) and on a CPU (`vnla.agents.fast.cpu`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import ClassVar, NamedTuple, Self

import torch
from torch import Tensor

from vnla.assistance.words import Phrases, Utterance
from vnla.common.batching import Batching
from vnla.words import Words

Views = Mapping[str, Tensor]
"""What there is to see, by name: one tensor (…, size) for each set of features."""


def joined(views: Views) -> Tensor:
    """All that there is to see, in one tensor."""
    parts = tuple(views.values())
    return parts[0] if len(parts) == 1 else torch.cat(parts, dim=-1)


class Start(NamedTuple):
    """How a batch of episodes begins for its agents."""

    end_goals: Words
    phrases: Phrases
    """What the advisor may say, as its table stands."""
    steps: int
    """There will be no more."""
    requests: int
    """No agent will hear the advisor more often."""
    batching: Batching
    seeds: Tensor | None = None
    """(batch,), what dropout is drawn from for each episode (`vnla.agents.layers.dropout`); None where it does not
    matter."""


class Decision(NamedTuple):
    """What one pass finds."""

    logits: Tensor  # (batch, 6), not yet masked
    ask_features: tuple[
        Tensor, ...
    ] = ()  # (batch, …) each, what the help module may look at besides view and tentative decision
    attention: Tensor | None = None  # (batch, words), over the end-goal's places and the tail's, where there is such a thing


class PolicyState(ABC):
    """The state of a batch of episodes. What changes it returns the next one and leaves this as it was.

    It is a dataclass of tensors with a row for each episode (`vnla.common.selection`): rows that have ended may be left out.
    """

    goes_on: ClassVar[bool] = False
    """Whether a row may be kept, and go on later as it would have: whether it is nothing but its tensors."""

    def read(self, may_ask: Tensor, advice: Callable[[], Utterance]) -> Utterance:  # noqa: ARG002
        """What `advice` gives: what the advisor would say to those who may ask.

        One may ask for it and read it beside the first pass; others read it when it is heard.
        """
        return advice()

    @abstractmethod
    def see(self, view: Views, last_nav: Tensor) -> Self:
        """Return the state with what both passes of a step have in common."""

    @abstractmethod
    def propose(self, last_ask: Tensor, may_ask: Tensor | None = None) -> Decision:
        """Pass 1, of which nothing learns: decide with the last help-requesting action.

        Of those who may not ask nobody may want to know: they can be left out, and then have zeros.
        """

    @abstractmethod
    def hear(self, asked: Tensor, heard: Utterance) -> Self:
        """Return the state after the advisor answered those who asked."""

    @abstractmethod
    def decide(self, ask: Tensor) -> tuple[Decision, Self]:
        """Pass 2: decide with this step's help-requesting action; return also the state for the next step."""

    def recall(self) -> Tensor | None:
        """The logits of all second passes with their gradients, where the passes themselves had none; else None."""
        return None
