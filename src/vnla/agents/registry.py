"""Agents by name: the paper's, anybody's made from `Agent`, and any policy (`vnla.agents.policy`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from torch import nn

from vnla.agents.agent import Agent, Sizes
from vnla.agents.listener.agent import ListenerAgent, listener_agent
from vnla.agents.observing import ObservedViews
from vnla.agents.one_at_a_time import OneAtATime
from vnla.agents.panorama_agent import PanoramaAgent, panorama_agent
from vnla.agents.paper import paper_agent
from vnla.agents.policy import acts_one_at_a_time, is_policy
from vnla.agents.policy_agent import PolicyAgent
from vnla.common.errors import InputError
from vnla.common.registry import build, find, option_names
from vnla.observation import TEXT

AGENTS: dict[str, Callable[..., Agent]] = {"paper": paper_agent, "panorama": panorama_agent, "listener": listener_agent}
"""By the name that commands and files give them."""


def agent_named(name: str, options: Mapping[str, Any], sizes: Sizes) -> Agent:
    """The agent of that name with fresh parameters, for what there is to see and to read."""
    kind = find("agent", name, AGENTS)
    if name in AGENTS or (isinstance(kind, type) and issubclass(kind, Agent)):
        if TEXT in sizes.views:
            raise InputError(f"agent {name}: cannot read what it sees; leave {TEXT} out of --features")
        return build("agent", name, AGENTS, options, Agent, sizes=sizes)
    if not isinstance(kind, type) or not is_policy(kind):
        raise InputError(f"agent {name}: is neither a class made from vnla.agents.agent.Agent nor one with reset and act")
    views = ObservedViews.declared(kind, sizes)
    taken = option_names(kind)
    given = {"sizes": views.sizes} if taken is None or "sizes" in taken else {}
    made = build("agent", name, {name: kind}, options, object, **given)
    if acts_one_at_a_time(made):
        return PolicyAgent(OneAtATime(made, views.sizes.vocabulary), views)
    if not isinstance(made, nn.Module):
        raise InputError(f"agent {name}: is no torch.nn.Module; with reset(instruction) it may act one at a time")
    return PolicyAgent(made, views)


def class_of(name: str) -> object:
    """What a name of an agent means, before it is made."""
    return {"panorama": PanoramaAgent, "listener": ListenerAgent}.get(name) or find("agent", name, AGENTS)
