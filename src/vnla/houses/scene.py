"""What a house looks like: coloured, patterned primitive shapes and the lights among them.

A `Scene` is plain data in metres, in the house's coordinates (`vnla.houses.house`). Furniture makers and wall builders
produce it, the renderer turns it into triangles; neither knows the other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

from vnla.houses.house import Point

Colour = tuple[float, float, float]
"""Red, green and blue, sRGB, 0 to 1."""

Shape = Literal["box", "cylinder", "sphere"]
Pattern = Literal[
    "plain",
    "wood",
    "planks",
    "tiles",
    "bricks",
    "marble",
    "carpet",
    "fabric",
    "stripes",
    "checks",
    "dots",
    "leaves",
    "metal",
    "stone",
    "grass",
    "books",
    "picture",
    "screen",
]


@dataclass(frozen=True, slots=True)
class Material:
    """How a surface looks. `scale` is the size in metres of one repetition of the pattern; "picture" fills a face once."""

    colour: Colour
    pattern: Pattern = "plain"
    accent: Colour | None = None
    """The pattern's second colour: mortar, stripes, grain; a shade of `colour` where none is given."""
    scale: float = 1.0
    gloss: float = 0.0
    """0 for cloth and plaster, 1 for a mirror."""
    glow: float = 0.0
    """Light that the surface gives off by itself: lamp shades, screens, window panes."""
    seed: int = 0
    """Which of the pattern's many looks."""


@dataclass(frozen=True, slots=True)
class Part:
    """One primitive: a box, a cylinder along `axis`, or an ellipsoid, with `size` its full lengths before turning."""

    shape: Shape
    centre: Point
    size: Point
    material: Material
    turn: float = 0.0
    """Radians about the vertical through its centre, anticlockwise seen from above."""
    axis: Literal["x", "y", "z"] = "z"
    """Axis of a cylinder."""
    taper: float = 1.0
    """Width of the upper end over the lower one: a cylinder with 0 is a cone, a box with 0.5 a truncated pyramid."""

    def moved(self, x: float, y: float, z: float = 0.0, turn: float = 0.0) -> Part:
        """The part after turning everything about the origin by `turn` and then shifting it."""
        cos, sin = math.cos(turn), math.sin(turn)
        px, py, pz = self.centre
        centre = (x + cos * px - sin * py, y + sin * px + cos * py, z + pz)
        return Part(self.shape, centre, self.size, self.material, self.turn + turn, self.axis, self.taper)

    def mirrored(self) -> Part:
        """The part on the other side of the plane x = 0. Its pattern is not mirrored."""
        x, y, z = self.centre
        return replace(self, centre=(-x, y, z), turn=-self.turn)


@dataclass(frozen=True, slots=True)
class Light:
    """A lamp that shines in all directions; `power` is what a white surface one metre away receives."""

    position: Point
    colour: Colour = (1.0, 0.95, 0.85)
    power: float = 1.0


NO_OBJECT = -1


@dataclass(frozen=True)
class Scene:
    """All parts of a house. `owner` names the object (`Object.id`) each part belongs to, or NO_OBJECT for walls, floors."""

    parts: tuple[Part, ...]
    owner: tuple[int, ...]
    lights: tuple[Light, ...] = ()
    sun: Point = (0.4, 0.5, 0.75)
    """Direction towards the sun."""
    sun_colour: Colour = (1.0, 0.96, 0.88)
    sky: Colour = (0.62, 0.76, 0.92)
    ground: Colour = (0.36, 0.42, 0.28)

    def __post_init__(self) -> None:
        if len(self.parts) != len(self.owner):
            raise ValueError(f"{len(self.parts)} parts but {len(self.owner)} owners")

    def mirrored(self) -> Scene:
        """The scene on the other side of the plane x = 0, with its sun and lights; patterns are not mirrored."""
        lights = tuple(
            replace(light, position=(-light.position[0], light.position[1], light.position[2])) for light in self.lights
        )
        parts = tuple(part.mirrored() for part in self.parts)
        return replace(self, parts=parts, lights=lights, sun=(-self.sun[0], self.sun[1], self.sun[2]))
