"""The policy protocol: what an agent is to whoever walks an episode with it.

::

    reset(instructions) → state
    act(observation, state) → (navigation, ask), state
    hear(utterance, state) → state                        if it wants to read what the advisor says

A time step calls `act` once. Where it asks, and may, the advisor answers: `hear` is called with the state of before, and
`act` again with what that gave. `ask` may be left out: `act` then returns `navigation, state`, and never asks.

There are two forms, told apart by what `reset` takes:

=============  =======================================  ====================================================
\\              `reset(instructions)`: a batch           `reset(instruction)`: one episode at a time
=============  =======================================  ====================================================
what it is     a PyTorch module, trained by us          any class: a script, a planner, a network of its own
instruction    `Words`                                  text
observation    tensors (`vnla.observation.KEYS`)        numbers, arrays and text
navigation     logits (batch, 6)                        a `Nav`, its number or name, or six logits
ask            logits (batch,): above 0 to ask          true, false, or a logit
utterance      `Utterance`; its words are `.words`      text
state          tensors with a row for each episode      anything
=============  =======================================  ====================================================

The paper's agent has its own two passes instead (`vnla.agents.policy_state`).
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Protocol

import numpy as np
from torch import Tensor

from vnla.common.errors import InputError
from vnla.observation import Observation
from vnla.world.actions import NAV_ACTIONS, Nav

UNLIKELY = -30.0
"""Logit of what was not chosen; the choice has 0."""
SECOND = Nav.RIGHT
"""What is done instead where the choice is `forward`, nothing is ahead to go to, and `forward` is masked."""
_RENAMED = {"begin": "reset", "welcome": "reset", "decide": "act"}


class Policy(Protocol):
    """An agent that is not the paper's: anything with `reset` and `act`, and `hear` if it wants to.

    It declares what it wants to observe as `observes` (`vnla.observation`).
    """

    def reset(self, instructions: Any, /) -> Any:
        """Return the state at the start of the episodes with these instructions."""

    def act(self, observation: Observation, state: Any, /) -> tuple[Any, Any]:
        """Return what to do, `(navigation, ask)` or `navigation`, and the next state."""


class Choice(NamedTuple):
    """What a policy that acts one at a time has chosen."""

    logits: list[float]
    """Of the six navigation actions."""
    ask: float
    """Logit of a request."""
    named: Nav | None
    """The action, where it named one."""


def is_policy(kind: object) -> bool:
    """Whether it has the methods of a policy; one with their old names is refused."""
    if callable(getattr(kind, "reset", None)) and callable(getattr(kind, "act", None)):
        return True
    for old, new in _RENAMED.items():
        if callable(getattr(kind, old, None)):
            raise InputError(
                f"agent {getattr(kind, '__name__', type(kind).__name__)}: has {old}, which is called {new} now:"
                " reset(instructions) → state, act(observation, state) → (navigation, ask), state (docs/extending/agent.md)"
            )
    return False


def acts_one_at_a_time(kind: Any) -> bool:
    """Whether a policy takes one instruction at a time, by what its `reset` calls it."""
    name = next((each for each in inspect.signature(kind.reset).parameters if each != "self"), None)
    if name not in ("instruction", "instructions"):
        who = getattr(kind, "__name__", type(kind).__name__)
        raise InputError(f"agent {who}: reset takes {name}; call it instructions (a batch) or instruction (one at a time)")
    return name == "instruction"


def read_choice(who: str, said: object) -> tuple[Choice, Any]:
    """Read what the `act` of a policy returned that acts one at a time: its choice, and its next state."""
    if not isinstance(said, tuple) or len(said) != 2:
        raise InputError(f"{who}: act returned a {type(said).__name__}; expected (navigation, ask), and a state")
    action, ask = said[0] if isinstance(said[0], tuple) and len(said[0]) == 2 else (said[0], False)
    if isinstance(action, str) and action.upper() in Nav.__members__:
        action = Nav[action.upper()]
    if isinstance(action, int | np.integer) and not isinstance(action, bool) and 0 <= action < NAV_ACTIONS:
        logits = [0.0 if each == action else UNLIKELY / 2 if each == SECOND else UNLIKELY for each in range(NAV_ACTIONS)]
        return Choice(logits, _logit(who, ask), Nav(int(action))), said[1]
    return Choice(_six(who, action), _logit(who, ask), None), said[1]


def _six(who: str, action: Any) -> list[float]:
    if isinstance(action, Sequence | np.ndarray | Tensor) and not isinstance(action, str) and len(action) == NAV_ACTIONS:
        with suppress(TypeError, ValueError, RuntimeError):
            logits = [float(each) for each in action]
            if not any(map(math.isnan, logits)):
                return logits
    names = ", ".join(each.name.lower() for each in Nav)
    raise InputError(
        f"{who}: act returned {str(action)[:60]!r}; expected one of {names}, its number, or {NAV_ACTIONS} numbers"
    )


def _logit(who: str, ask: Any) -> float:
    if isinstance(ask, bool | np.bool_):
        return 1.0 if ask else -1.0
    with suppress(TypeError, ValueError, RuntimeError):
        if not math.isnan(logit := float(ask)):
            return logit
    raise InputError(f"{who}: act returned {str(ask)[:60]!r} as ask; expected true, false or a number")
