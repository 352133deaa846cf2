"""A sketch of a view where there is no picture of it: the things in view as boxes with their names, and where one can go.

What is in view is what `vnla.houses.sightings` says; angles are drawn as they are, without perspective.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from matplotlib.patches import Rectangle as Patch

from vnla.camera import HALF_FIELD, VERTICAL_FIELD, relative, view_angles
from vnla.houses.house import House, Point
from vnla.houses.rooms import NO_LABEL
from vnla.houses.sightings import FARTHEST
from vnla.report import palette
from vnla.report.labels import Font, ObstacleKind, PixelAxes, Rectangle, around

THING = Font(12.5, palette.INK, halo="#ffffffcc")
WAY = Font(12, palette.WALK, weight="bold", halo="#ffffffcc")
MOST_NAMES = 8
"""Of things in one view."""
_FLOOR = "#00000012"


@dataclass(frozen=True)
class ViewOffset:
    """Where a point lies in a view: angles from its centre, right and up positive, and metres."""

    heading: float
    elevation: float
    distance: float
    visible: bool


def draw_sketch(page: PixelAxes, house: House, viewpoint: int, view: int, frame: Rectangle) -> None:
    """Draw what is seen from a viewpoint in one of its 36 views."""
    left, bottom, right, top = frame
    room = house.room_of(viewpoint)
    colour = palette.ROOMS[NO_LABEL if room is None else room.label]
    page.axes.add_patch(Patch((left, bottom), right - left, top - bottom, facecolor=colour, linewidth=0, zorder=2))
    horizon = min(max(_y(frame, -float(view_angles()[1][view])), bottom), top)
    page.axes.add_patch(Patch((left, bottom), right - left, horizon - bottom, facecolor=_FLOOR, linewidth=0, zorder=2))
    boxes = sorted(_boxes(house, viewpoint, view, frame), reverse=True)
    for _, _, (west, south, east, north) in boxes:
        page.axes.add_patch(
            Patch((west, south), east - west, north - south, fc="#ffffff70", ec=palette.FURNITURE, lw=0.9, zorder=3)
        )
    ways = list(_ways(house, viewpoint, view, frame))
    for x, y, _ in ways:
        page.axes.plot([x], [y], "o", color=palette.WALK, markersize=7, markeredgecolor="white", zorder=5)
        page.take([around((x, y), 12, 12)], ObstacleKind.MARK)
    for _, label, (west, south, east, north) in boxes[: -MOST_NAMES - 1 : -1]:  # the nearest first
        middle = ((west + east) / 2, (south + north) / 2)
        _name(page, label, middle, THING, frame)
    for name, (x, y) in {name: (x, y) for x, y, name in ways}.items():  # several ways to one room share a name
        _name(page, name, (x, y + 16), WAY, frame)


def _name(page: PixelAxes, text: str, at: tuple[float, float], font: Font, frame: Rectangle) -> None:
    """A name where it belongs, or a little above or below; moved inwards at the border; left out if nothing is free."""
    width, height = page.measure(text, font)
    left, bottom, right, top = frame
    x = min(max(at[0], left + width / 2 + 6), right - width / 2 - 6)
    ys = [at[1] + shift for shift in (0, -16, 16)]
    inside = [min(max(y, bottom + height / 2 + 4), top - height / 2 - 4) for y in ys]
    page.place(text, [(x, y) for y in inside], font, frame, kinds=(ObstacleKind.MARK, ObstacleKind.TEXT))


def _boxes(house: House, viewpoint: int, view: int, frame: Rectangle) -> Iterator[tuple[float, str, Rectangle]]:
    """Distance, label and place of each thing in view."""
    here = house.viewpoints[viewpoint]
    for thing in house.objects:
        look = _look(here.position, thing.box.centre, view)
        known = here.room is not None and thing.room is not None
        near = here.room == thing.room if known else look.distance <= FARTHEST
        if not (near and look.visible and abs(look.elevation) <= VERTICAL_FIELD / 2):
            continue
        corners = np.array(thing.box.corners())
        wide, high = np.ptp(corners[:, :2], axis=0).max() / 2, np.ptp(corners[:, 2]) / 2
        across, up = (math.atan2(half, max(look.distance, 0.5)) for half in (wide, high))
        low = (_x(frame, look.heading - across), _y(frame, look.elevation - up))
        far = (_x(frame, look.heading + across), _y(frame, look.elevation + up))
        yield look.distance, thing.label, _within(frame, (*low, *far))


def _ways(house: House, viewpoint: int, view: int, frame: Rectangle) -> Iterator[tuple[float, float, str]]:
    """Place and name of each neighbour in view: a spot on the floor there."""
    here = house.viewpoints[viewpoint]
    for there in house.neighbours[viewpoint]:
        other = house.viewpoints[there]
        x, y, z = other.position
        look = _look(here.position, (x, y, z - other.height), view)
        if look.visible:
            _, bottom, _, top = frame
            spot = min(max(_y(frame, look.elevation), bottom + 10), top - 10)
            room = house.room_of(there)
            named = room is not None and room.label != NO_LABEL
            yield _x(frame, look.heading), spot, f"to: {room.name}" if room is not None and named else f"to: {there}"


def _look(eye: Point, target: Point, view: int) -> ViewOffset:
    offset = (np.array(target) - np.array(eye)).astype(np.float32)
    headings, elevations = view_angles()
    seen = relative(offset, headings[view : view + 1], elevations[view : view + 1])
    return ViewOffset(float(seen.heading[0]), float(seen.elevation[0]), float(seen.distance[0]), bool(seen.visible[0]))


def _x(frame: Rectangle, heading: float) -> float:
    return (frame[0] + frame[2]) / 2 + (frame[2] - frame[0]) / 2 * heading / HALF_FIELD


def _y(frame: Rectangle, elevation: float) -> float:
    return (frame[1] + frame[3]) / 2 + (frame[3] - frame[1]) * elevation / VERTICAL_FIELD


def _within(frame: Rectangle, box: Rectangle) -> Rectangle:
    left, bottom, right, top = (
        min(max(value, low), high) for value, low, high in zip(box, frame[:2] * 2, frame[2:] * 2, strict=True)
    )
    return left, bottom, right, top
