"""Agents by name: the paper's, anybody's made from `Agent`, and anything of the simple form (`vnla.agents.simple`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import nn

from vnla.agents.agent import Agent, Sizes
from vnla.agents.paper import AGENTS
from vnla.agents.sights import TEXT, Sights
from vnla.agents.simple import SimpleAgent
from vnla.agents.single import SingleAgent
from vnla.common.errors import InputError
from vnla.common.registry import build, find, option_names


def agent_named(name: str, options: Mapping[str, Any], sizes: Sizes) -> Agent:
    """The agent of that name with fresh parameters, for what there is to see and to read."""
    kind = find("agent", name, AGENTS)
    if name not in AGENTS and not is_simple(kind) and not (isinstance(kind, type) and issubclass(kind, Agent)):
        raise InputError(f"agent {name}: is neither a class made from vnla.agents.agent.Agent nor one with begin and act")
    if not is_simple(kind):
        if TEXT in sizes.views:
            raise InputError(f"agent {name}: cannot read what it sees; leave {TEXT} out of --features")
        return build("agent", name, AGENTS, options, Agent, sizes=sizes)
    sights = Sights.declared(kind, sizes)
    taken = option_names(kind)
    given = {"sizes": sights.sizes} if taken is None or "sizes" in taken else {}
    made = build("agent", name, {name: kind}, options, object, **given)
    if not getattr(made, "batched", True):
        return SingleAgent(made, sights)
    if not isinstance(made, nn.Module):
        raise InputError(f"agent {name}: is no torch.nn.Module; with batched = False it may act one at a time")
    return SimpleAgent(made, sights)


def is_simple(kind: object) -> bool:
    """Whether it is a class of the simple form."""
    return (
        isinstance(kind, type)
        and not issubclass(kind, Agent)
        and all(callable(getattr(kind, each, None)) for each in ("begin", "act"))
    )


def class_of(name: str) -> object:
    """What a name of an agent means, before it is made."""
    return find("agent", name, AGENTS)
