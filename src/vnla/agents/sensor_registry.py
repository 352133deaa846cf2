"""Sensors by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from vnla.agents.agent import Agent
from vnla.agents.listener.objects import NoisyObjects, ObjectsAhead, ObjectSensor
from vnla.agents.panorama import Exits, LevelViews, PanoramaSensor, Places, SphereSensor, SpottedAround
from vnla.agents.sensors import Been, Clock, CountSensor, Requests, Sensor, SinceRequest, Spotted
from vnla.agents.spotting import Spotter
from vnla.common.errors import InputError
from vnla.common.registry import build
from vnla.observation import COUNTS, VIEWS

AnyAgent = TypeVar("AnyAgent", bound=Agent)

SENSORS: dict[str, Callable[..., Sensor]] = {
    "clock": Clock,
    "requests": Requests,
    "advice": SinceRequest,
    "been": Been,
    "spotted": Spotted,
    "panorama": PanoramaSensor,
    "panorama-all": SphereSensor,
    "spotted-around": SpottedAround,
    "exits": Exits,
    "places": Places,
    "objects": ObjectSensor,
    "objects-ahead": ObjectsAhead,
    "objects-noisy": NoisyObjects,
}
"""By the name that commands and files give them."""
UNTRAINED = ("clock", "requests", "advice", "been")
"""Those of one view that need nothing that an agent has learned, so that any agent can be given them."""
UNTRAINED_AROUND = ("panorama", "panorama-all", "exits", "places")
"""Those of the panorama track that any agent can be given."""
DETECTED_AROUND = ("objects", "objects-noisy")
"""Those of the panorama track that read the houses themselves."""
ONE_VIEW = (*UNTRAINED, "spotted")
"""Those of the track on which an agent sees one view at a time."""
ALL_AROUND = ("panorama", "spotted-around", "exits", "places")
"""Those of the panorama track."""


def sensors_named(names: str) -> Mapping[str, Sensor]:
    """Return sensors from names with commas between."""
    sensors = {name: _sensor(name) for name in filter(None, map(str.strip, names.split(",")))}
    for name, sensor in sensors.items():
        size = getattr(sensor, "size", None)
        if not isinstance(size, int) or size < 1:
            raise InputError(f"sensor {name}: size is {size!r}; expected how many numbers it gives, 1 or more")
    return sensors


def _sensor(name: str) -> Sensor:
    if name in COUNTS:
        return CountSensor(name)
    return LevelViews() if name == VIEWS else build("sensor", name, SENSORS, {}, Sensor)


def with_spotter(agent: AnyAgent, sensors: Mapping[str, Sensor]) -> AnyAgent:
    """Return the agent with room for what it has to learn before it can use its sensors."""
    if any(isinstance(sensor, Spotted) for sensor in sensors.values()):
        agent.spotter = Spotter()
    return agent
