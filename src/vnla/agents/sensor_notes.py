"""What tables say of agents beside their numbers: which sensors each has, and what a reader should know of them."""

from __future__ import annotations

from collections.abc import Iterable

from vnla.agents.sensor_registry import sensors_named

VIEW_ONLY = "view only"
"""The paper's agent."""


def sensors_text(sensors: str) -> str:
    """Return the sensors of an agent as tables name them, from names with commas between."""
    names = list(sensors_named(sensors))
    return ", ".join(["view", *names]) if names else VIEW_ONLY


def sensors_note(agents: Iterable[str]) -> str:
    """Return a sentence for each sensor that one should know more of, where any of these agents has it."""
    every = {name: sensor for each in agents for name, sensor in sensors_named(each).items()}
    return " ".join(f"{name}: {sensor.note}." for name, sensor in every.items() if sensor.note)
