"""What a simulator tells about where an agent is: the classes `ViewPoint` and `SimState` of MatterSim."""

# ruff: noqa: N803 (the names are MatterSim's)

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

Image = NDArray[Any]


class ViewPoint:
    """A location and where it lies as seen by the camera. It has `point` (older programs) and `x`, `y`, `z` (newer ones)."""

    __slots__ = ("ix", "point", "rel_distance", "rel_elevation", "rel_heading", "viewpointId")

    def __init__(
        self,
        viewpointId: str,
        ix: int,
        point: tuple[float, float, float],
        rel_heading: float,
        rel_elevation: float,
        rel_distance: float,
    ) -> None:
        self.viewpointId = viewpointId
        self.ix = ix
        self.point = [*point]
        self.rel_heading = rel_heading
        self.rel_elevation = rel_elevation
        self.rel_distance = rel_distance

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


class SimState:
    """Where an agent is, what it sees and where it can go. Index 0 of `navigableLocations` is where it stands."""

    __slots__ = (
        "depth",
        "elevation",
        "heading",
        "location",
        "navigableLocations",
        "rgb",
        "scanId",
        "step",
        "viewIndex",
    )

    def __init__(
        self,
        scanId: str,
        step: int,
        rgb: Image | None,
        depth: Image | None,
        location: ViewPoint | None,
        heading: float,
        elevation: float,
        viewIndex: int,
        navigableLocations: list[ViewPoint],
    ) -> None:
        self.scanId = scanId
        self.step = step
        self.rgb = rgb
        self.depth = depth
        self.location = location
        self.heading = heading
        self.elevation = elevation
        self.viewIndex = viewIndex
        self.navigableLocations = navigableLocations
