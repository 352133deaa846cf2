"""The two action spaces of the paper (section 5): six navigation actions and two help-requesting actions.

The numbers are those of the authors' code, so that recorded results keep their meaning.
"""

from __future__ import annotations

from enum import IntEnum

from torch import Tensor


class Nav(IntEnum):
    """A navigation action. Turns rotate the camera by 30 degrees."""

    LEFT = 0
    RIGHT = 1
    UP = 2
    DOWN = 3
    FORWARD = 4
    STOP = 5


LEFT, RIGHT, UP, DOWN, FORWARD, STOP = map(int, Nav)
"""As plain numbers, for comparisons with tensors: compiled by `torch.compile`, those with members of an enumeration fail."""


class Ask(IntEnum):
    """A help-requesting action."""

    DO_NOTHING = 0
    REQUEST = 1


REQUEST = int(Ask.REQUEST)


def ask_action(request: Tensor) -> Tensor:
    """The help-requesting actions of agents that request help or do not: the truth value is the action's number."""
    return request.long()


NO_ACTION = -1
"""Stands for "nothing was done": a time step that an agent spent without a navigation action."""

NAV_ACTIONS = len(Nav)
ASK_ACTIONS = len(Ask)

NAV_START = NAV_ACTIONS
"""Stands for "no action yet" where the last navigation action is an input of the agent."""

ASK_START = ASK_ACTIONS
"""Stands for "no action yet" where the last help-requesting action is an input of the agent."""
