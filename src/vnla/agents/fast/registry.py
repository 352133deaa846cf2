"""Which policy state an agent learns with: a fast one where it has exactly the module's equations, else the plain one.

The fast states contain the equations of `vnla.agents.navigation` written out by hand, so they know nothing of a subclass, of
a layer that was replaced, of a hook. A module is theirs only if all of its parts are of the very types that it was made of,
with parameters of the same shapes. That they also compute the same is tried before a training begins
(`vnla.training.fast_check`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import torch
from torch import nn

from vnla.agents.config import AgentConfig
from vnla.agents.fast.gpu.state import CudaGraphState
from vnla.agents.navigation import NavigationModule
from vnla.agents.plain import PlainState

if TYPE_CHECKING:
    from vnla.agents.fast.cpu.state import CpuState

Shape = tuple[tuple[object, ...], ...]


def state_for(module: NavigationModule) -> type[PlainState] | type[CpuState] | type[CudaGraphState]:
    """Return the policy state to learn with."""
    if not is_ours(module):
        return PlainState
    if CudaGraphState.suits(module):
        return CudaGraphState
    from vnla.agents.fast.cpu.state import CpuState  # its machine code takes a moment to load

    return CpuState if CpuState.suits(module) else PlainState


def is_ours(module: nn.Module) -> bool:
    """Return whether a module is a `NavigationModule` as it was written, in all its parts."""
    if type(module) is not NavigationModule or any(_is_changed(part) for part in module.modules()):
        return False
    return _shape(module) == _expected(module.config)


def _is_changed(part: nn.Module) -> bool:
    """Whether what a part computes was changed from outside: by a hook, or by a function put in the place of `forward`."""
    hooks = (part._forward_hooks, part._forward_pre_hooks, part._backward_hooks, part._backward_pre_hooks)
    return any(hooks) or "forward" in vars(part)


def _shape(module: nn.Module) -> Shape:
    parts = [(name, type(part)) for name, part in module.named_modules()]
    return (*parts, *((name, tuple(each.shape)) for name, each in module.named_parameters()))


@lru_cache(maxsize=64)
def _expected(config: AgentConfig) -> Shape:
    with torch.random.fork_rng(devices=[]), torch.device("meta"):
        return _shape(NavigationModule(config))
