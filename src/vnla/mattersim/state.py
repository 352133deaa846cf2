"""What a simulator tells about where an agent is: the classes `ViewPoint` and `SimState` of MatterSim."""

# ruff: noqa: N815 (the names are MatterSim's)

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

Image = NDArray[Any]


@dataclass(slots=True, eq=False, repr=False)
class ViewPoint:
    """A location and where it lies as seen by the camera. It has `point` (older programs) and `x`, `y`, `z` (newer ones)."""

    viewpointId: str
    ix: int
    point: Sequence[float]
    rel_heading: float
    rel_elevation: float
    rel_distance: float

    def __post_init__(self) -> None:
        self.point = [*self.point]

    @property
    def x(self) -> float:
        """East, in metres."""
        return self.point[0]

    @property
    def y(self) -> float:
        """North, in metres."""
        return self.point[1]

    @property
    def z(self) -> float:
        """Up, in metres."""
        return self.point[2]


@dataclass(slots=True, eq=False, repr=False)
class SimState:
    """Where an agent is, what it sees and where it can go. Index 0 of `navigableLocations` is where it stands."""

    scanId: str
    step: int
    rgb: Image | None
    depth: Image | None
    location: ViewPoint | None
    heading: float
    elevation: float
    viewIndex: int
    navigableLocations: list[ViewPoint]
