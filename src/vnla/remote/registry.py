"""Agents that are evaluated as they are, by name: `http://…`, `openai:MODEL`, `scripted`, `planner`, or one's own policy,
`package.module:Class`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from vnla.agents.policy import is_policy
from vnla.common.errors import InputError
from vnla.common.registry import build, find
from vnla.houses.folder import WorldFolder
from vnla.remote.evaluated_agent import LocalPolicy
from vnla.remote.planner import Planner, RoomStatistics
from vnla.remote.protocol import VERSION, read_declaration
from vnla.remote.scripted import ScriptedPolicy

ADDRESSES = ("http://", "https://")
CHAT = "openai:"

POLICIES: dict[str, Callable[..., Any]] = {"scripted": ScriptedPolicy, "planner": Planner}
"""Those that live in this process, by the name that commands give them."""


def is_far(name: str) -> bool:
    """Whether an agent is behind an address."""
    return name.startswith((*ADDRESSES, CHAT))


def policy_named(name: str, options: Mapping[str, Any], folder: WorldFolder) -> LocalPolicy:
    """A policy that lives in this process; the planner learns from the world's training houses."""
    given: dict[str, Any] = {}
    if name == "planner":
        if "train" not in folder.splits:
            raise InputError(f"{folder.path}: the planner learns from training houses, and this world has no split train")
        given["statistics"] = RoomStatistics.learn(folder.split("train"))
    kind = find("agent", name, POLICIES)
    if not isinstance(kind, type) or not is_policy(kind):
        raise InputError(f"agent {name}: is no class with reset and act (docs/extending/agent.md)")
    try:
        found = LocalPolicy(build("agent", name, POLICIES, options, object, **given))
    except InputError:
        raise
    except Exception as error:  # a custom class may raise anything
        raise InputError(f"agent {name}: cannot be made ({' '.join(f'{type(error).__name__}: {error}'.split())})") from error
    agent = found.declaration
    value = {"version": VERSION, "name": agent.name, "observes": list(agent.observes), "picture_width": agent.picture_width}
    read_declaration(value, f"agent {name}")
    return found
