"""What a piece of furniture is, and the few shapes that makers build it from.

A piece stands in its own coordinates: the origin is the middle of its footprint at its lowest point, its front faces −y, so
its back goes to the wall at +y. A maker yields its elements (parts, tops, lights, anchors) around any convenient point:
`build` shifts everything to the middle.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from vnla.houses.house import Point
from vnla.houses.scene import Light, Material, Part

FRONT = math.pi
"""Turn of a chair that stands before a piece and looks at it; 0 is behind it, looking the same way as the piece."""
LEFT = math.pi / 2
RIGHT = -math.pi / 2


@dataclass(frozen=True, slots=True)
class Top:
    """A level surface on which small things can stand: its middle, its lengths and the height free above it."""

    x: float
    y: float
    z: float
    width: float
    depth: float
    headroom: float = 0.6


@dataclass(frozen=True, slots=True)
class Anchor:
    """A place kept for things of one label: a chair at a table, a pillow on a bed."""

    label: str
    x: float
    y: float
    z: float = 0.0
    turn: float = 0.0


@dataclass(frozen=True)
class Furniture:
    """A piece in its own coordinates: everything lies within ±width/2, ±depth/2 and from 0 to height."""

    label: str
    parts: tuple[Part, ...]
    size: tuple[float, float, float]
    tops: tuple[Top, ...] = ()
    lights: tuple[Light, ...] = ()
    anchors: Mapping[str, tuple[Anchor, ...]] = field(default_factory=dict)
    """By label of what goes there. A chair's anchor is where the middle of its front edge goes."""


Elements = Iterator[Part | Top | Light | Anchor]
"""What a maker yields."""


def build(label: str, elements: Iterable[Part | Top | Light | Anchor]) -> Furniture:
    """A piece from its elements, with the origin in the middle of its footprint."""
    elements = list(elements)
    parts = [each for each in elements if isinstance(each, Part)]
    bounds = [bounds_of(part) for part in parts]
    low = [min(low[axis] for low, _ in bounds) for axis in range(3)]
    high = [max(high[axis] for _, high in bounds) for axis in range(3)]
    x, y = -(low[0] + high[0]) / 2, -(low[1] + high[1]) / 2
    anchors: dict[str, tuple[Anchor, ...]] = {}
    for anchor in elements:
        if isinstance(anchor, Anchor):
            anchors[anchor.label] = (*anchors.get(anchor.label, ()), replace(anchor, x=anchor.x + x, y=anchor.y + y))
    return Furniture(
        label,
        parts=moved(parts, x, y),
        size=(high[0] - low[0], high[1] - low[1], high[2]),
        tops=tuple(replace(top, x=top.x + x, y=top.y + y) for top in elements if isinstance(top, Top)),
        lights=tuple(
            replace(light, position=(light.position[0] + x, light.position[1] + y, light.position[2]))
            for light in elements
            if isinstance(light, Light)
        ),
        anchors=anchors,
    )


def moved(parts: Iterable[Part], x: float, y: float, z: float = 0.0, turn: float = 0.0) -> tuple[Part, ...]:
    """What `Part.moved` does, for many parts at once: a house has thousands."""
    cos, sin = math.cos(turn), math.sin(turn)
    return tuple(
        Part(
            part.shape,
            (
                x + cos * part.centre[0] - sin * part.centre[1],
                y + sin * part.centre[0] + cos * part.centre[1],
                z + part.centre[2],
            ),
            part.size,
            part.material,
            part.turn + turn,
            part.axis,
            part.taper,
        )
        for part in parts
    )


def bounds_of(part: Part) -> tuple[Point, Point]:
    """Lowest and highest corner of the box along the axes around a part."""
    wider = max(part.taper, 1.0)
    w, d, h = part.size[0] * wider, part.size[1] * wider, part.size[2]
    cos, sin = abs(math.cos(part.turn)), abs(math.sin(part.turn))
    half = ((cos * w + sin * d) / 2, (sin * w + cos * d) / 2, h / 2)
    x, y, z = part.centre
    return (x - half[0], y - half[1], z - half[2]), (x + half[0], y + half[1], z + half[2])


def box(
    x: float, y: float, z: float, w: float, d: float, h: float, material: Material, turn: float = 0.0, taper: float = 1.0
) -> Part:
    """A box that stands at height `z`, its middle over (x, y)."""
    return Part("box", (x, y, z + h / 2), (w, d, h), material, turn, taper=taper)


def rod(x: float, y: float, z: float, width: float, h: float, material: Material, taper: float = 1.0) -> Part:
    """An upright cylinder that stands at height `z`."""
    return Part("cylinder", (x, y, z + h / 2), (width, width, h), material, taper=taper)


def bar(
    axis: Literal["x", "y"], x: float, y: float, z: float, length: float, width: float, material: Material, turn: float = 0.0
) -> Part:
    """A cylinder lying along an axis, its middle at (x, y, z)."""
    size = (length, width, width) if axis == "x" else (width, length, width)
    return Part("cylinder", (x, y, z), size, material, turn, axis)


def ball(x: float, y: float, z: float, w: float, d: float, h: float, material: Material) -> Part:
    """An ellipsoid whose lowest point is at height `z`."""
    return Part("sphere", (x, y, z + h / 2), (w, d, h), material)


def disc(axis: Literal["x", "y"], x: float, y: float, z: float, width: float, thickness: float, material: Material) -> Part:
    """An upright wheel or clock face whose flat side looks along an axis, its middle at (x, y, z)."""
    size = (thickness, width, width) if axis == "x" else (width, thickness, width)
    return Part("cylinder", (x, y, z), size, material, axis=axis)


def four_legs(w: float, d: float, h: float, width: float, material: Material, taper: float = 1.0) -> list[Part]:
    """Four square legs under the corners of a w × d rectangle, from the floor up to `h`."""
    x, y = (w - width) / 2, (d - width) / 2
    return [box(sx * x, sy * y, 0.0, width, width, h, material, taper=taper) for sx in (-1, 1) for sy in (-1, 1)]


def round_legs(w: float, d: float, h: float, width: float, material: Material, taper: float = 1.0) -> list[Part]:
    """Four round legs; `taper` above 1 makes them slimmer at the floor."""
    x, y = (w - width) / 2, (d - width) / 2
    lower = width / max(taper, 1.0)
    return [rod(sx * x, sy * y, 0.0, lower, h, material, taper) for sx in (-1, 1) for sy in (-1, 1)]


def row(count: int, length: float) -> list[float]:
    """Middles of `count` equal shares of a length centred on 0."""
    return [length * ((i + 0.5) / count - 0.5) for i in range(count)]
