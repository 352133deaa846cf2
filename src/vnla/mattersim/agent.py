"""One agent in one building: its pose, and how an action changes it. Images and the API are the business of others."""

from __future__ import annotations

import math
from dataclasses import dataclass

from vnla.camera import HEADINGS, LEVEL_ROW, TURN, view_index
from vnla.mattersim.graph import Location, Navigable, ScanGraph
from vnla.mattersim.state import Image


@dataclass
class SimulatorSettings:
    """A simulator's configuration, with the defaults of the C++ one. Angles are in radians."""

    width: int = 320
    height: int = 240
    vfov: float = 0.8
    lowest: float = -0.94
    highest: float = 0.94
    nav_graph_path: str = "./connectivity"
    dataset_path: str = "./data"
    rendering: bool = True
    discretised: bool = False
    restricted: bool = True
    """Whether only neighbours within the horizontal field of view can be walked to."""
    depth: bool = False
    batch_size: int = 1

    def half_field(self) -> float | None:
        """Half of the horizontal field of view; None where it does not restrict navigation."""
        return self.vfov * self.width / self.height / 2 if self.restricted else None


class SimulatedAgent:
    """A pose: a viewpoint, a heading and an elevation, the view they make, and the neighbours in that view."""

    __slots__ = ("around", "depth", "elevation", "graph", "heading", "here", "rgb", "scan", "settings", "step", "view")

    def __init__(self, settings: SimulatorSettings) -> None:
        self.settings = settings
        self.graph: ScanGraph | None = None
        self.scan = ""
        self.step = 0
        self.heading = 0.0
        self.elevation = 0.0
        self.view = 0
        self.here: Location | None = None
        self.around: Navigable = ()
        self.rgb: Image | None = None
        self.depth: Image | None = None

    def start(self, scan: str, graph: ScanGraph, viewpoint: int, heading: float, elevation: float) -> None:
        """Stand at a viewpoint and look in a direction."""
        self.scan = scan
        self.graph = graph
        self.step = 0
        self.here = graph.here(viewpoint)
        self._face(heading, elevation)

    def act(self, index: int, heading: float, elevation: float) -> None:
        """Move to navigable location `index`, which is valid, then turn; where views are discrete only signs count."""
        if index:
            name, number, point, *_ = self.around[index - 1]
            self.here = (name, number, point, 0.0, 0.0, 0.0)
        self.step += 1
        if self.settings.discretised:
            heading = _sign(heading) * TURN
            elevation = _sign(elevation) * TURN
        self._face(self.heading + heading, self.elevation + elevation)

    def rename(self, viewpoint: str, number: int) -> None:
        """Change what the location is called. Its position, and what is navigable until the next action, stay."""
        assert self.here is not None
        self.here = (viewpoint, number, *self.here[2:])

    def _face(self, heading: float, elevation: float) -> None:
        """Look in a direction, as near to it as the settings allow, and find the neighbours there."""
        settings = self.settings
        heading = math.fmod(heading, 2 * math.pi)
        while heading < 0:
            heading += 2 * math.pi
        assert self.graph is not None and self.here is not None
        number = self.here[1]
        if settings.discretised:
            step, row = snap(heading, elevation)
            self.heading, self.elevation, self.view = step * TURN, (row - LEVEL_ROW) * TURN, view_index(row, step)
            self.around = self.graph.in_view(number, self.view, settings.half_field())
        else:
            self.heading, self.elevation = heading, max(min(elevation, settings.highest), settings.lowest)
            self.around = self.graph.in_sight(number, heading, self.elevation, settings.half_field())


def snap(heading: float, elevation: float) -> tuple[int, int]:
    """The nearest heading step, half-way cases upwards, and the row: beyond 15 degrees from level counts as up or down."""
    steps = heading / TURN
    step = math.floor(steps)
    if steps - step >= 0.5:
        step += 1
    row = LEVEL_ROW - 1 if elevation < -TURN / 2 else LEVEL_ROW + 1 if elevation > TURN / 2 else LEVEL_ROW
    return step % HEADINGS, row


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)
