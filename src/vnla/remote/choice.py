"""Guests by name: `http://…`, `openai:MODEL`, `scripted`, `planner`, or a class of one's own, `package.module:Class`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from vnla.common.errors import InputError
from vnla.common.named import build
from vnla.houses.folder import WorldFolder
from vnla.remote.guest import Guest
from vnla.remote.planner import Planner, RoomStatistics
from vnla.remote.scripted import Scripted

ADDRESSES = ("http://", "https://")
CHAT = "openai:"

GUESTS: dict[str, Callable[..., Guest]] = {"scripted": Scripted, "planner": Planner}
"""Those that live in this process, by the name that commands give them."""


def is_far(name: str) -> bool:
    """Whether a guest is behind an address."""
    return name.startswith((*ADDRESSES, CHAT))


def guest_named(name: str, options: Mapping[str, Any], folder: WorldFolder) -> Guest:
    """A guest that lives in this process; the planner learns from the world's training houses."""
    given: dict[str, Any] = {}
    if name == "planner":
        if "train" not in folder.splits:
            raise InputError(f"{folder.path}: the planner learns from training houses, and this world has no split train")
        given["statistics"] = RoomStatistics.learn(folder.split("train"))
    return build("agent", name, GUESTS, options, Guest, **given)
