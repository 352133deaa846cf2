"""Guests by name: `http://…`, `openai:MODEL`, `scripted`, `planner`, or a class of one's own, `package.module:Class`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from vnla.common.errors import InputError
from vnla.common.registry import build
from vnla.houses.folder import WorldFolder
from vnla.remote.guest import Declared, Guest
from vnla.remote.planner import Planner, RoomStatistics
from vnla.remote.protocol import VERSION, read_declared
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
    try:
        guest = build("agent", name, GUESTS, options, Guest, **given)
        return _sound(name, guest)
    except InputError:
        raise
    except Exception as error:  # a stranger's class may raise anything
        raise InputError(f"agent {name}: cannot be made ({' '.join(f'{type(error).__name__}: {error}'.split())})") from error


def _sound(name: str, guest: Guest) -> Guest:
    """A guest that has declared itself as the protocol has it."""
    declared = getattr(guest, "declared", None)
    if not isinstance(declared, Declared):
        raise InputError(f"agent {name}: has no `declared`; give a Declared to the __init__ of its base class")
    observes = list(declared.observes) if isinstance(declared.observes, tuple | list) else declared.observes
    value = {"version": VERSION, "name": declared.name, "observes": observes}
    read_declared({**value, "batch": declared.batch, "picture_width": declared.width}, f"agent {name}: declared")
    return guest
