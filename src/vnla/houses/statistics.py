"""What houses look like in numbers, and what the 90 buildings of Matterport3D look like, to hold them against.

Only included viewpoints and the edges between them count: that is the house an agent walks through.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vnla.houses.house import House


@dataclass(frozen=True, slots=True)
class Spread:
    """How values are spread: the least, the mean, the nine deciles and the most; None where it is not known."""

    least: float | None = None
    mean: float | None = None
    deciles: tuple[float | None, ...] = (None,) * 9
    most: float | None = None


@dataclass(frozen=True, slots=True)
class Statistics:
    """The figures of a set of houses."""

    houses: int
    viewpoints: int
    edges: int
    viewpoints_a_house: Spread
    neighbours: Spread
    edge_length: Spread
    """Metres, the difference in height included."""
    height: Spread
    """Metres between the lowest and the highest viewpoint of a house."""
    rooms_a_house: Spread
    excluded: int | None = None
    isolated: int | None = None
    """Viewpoints that are included but have no neighbour."""
    rooms: int | None = None
    objects: int | None = None
    objects_outside: int | None = None
    """Objects outside the box of their room."""


REAL = Statistics(
    houses=90,
    viewpoints=10_567,
    edges=21_468,
    viewpoints_a_house=Spread(8, 117, (39, 56, 78, 88, 102, 117, 139, 167, 218), 348),
    neighbours=Spread(None, 4.1, (2, 2, 3, 3, 4, 4, 5, 6, 7), 13),
    edge_length=Spread(None, 2.3, (1.0, 1.3, 1.6, 1.8, 2.1, 2.4, 2.7, 3.2, 3.8), None),
    height=Spread(None, None, (None, None, None, None, 3.5, None, None, None, 8.3), None),
    rooms_a_house=Spread(None, 22),
)
"""The 90 buildings of Matterport3D, measured from their connectivity graphs."""


def world_statistics(houses: Iterable[House]) -> Statistics:
    """The figures of `houses`."""
    houses = tuple(houses)
    standing = [[viewpoint for viewpoint in house.viewpoints if viewpoint.included] for house in houses]
    neighbours = [
        len(house.neighbours[number])
        for house in houses
        for number, viewpoint in enumerate(house.viewpoints)
        if viewpoint.included
    ]
    lengths = [length for house in houses for length in edge_lengths(house)]
    return Statistics(
        houses=len(houses),
        viewpoints=len(neighbours),
        edges=len(lengths),
        viewpoints_a_house=spread([len(each) for each in standing]),
        neighbours=spread(neighbours),
        edge_length=spread(lengths),
        height=spread([height(house) for house in houses]),
        rooms_a_house=spread([len(house.rooms) for house in houses]),
        excluded=sum(len(house.viewpoints) for house in houses) - len(neighbours),
        isolated=neighbours.count(0),
        rooms=sum(len(house.rooms) for house in houses),
        objects=sum(len(house.objects) for house in houses),
        objects_outside=sum(len(house.outside_their_room()) for house in houses),
    )


def edge_lengths(house: House) -> list[float]:
    """The length of each edge between included viewpoints, metres."""
    return [
        math.dist(house.viewpoints[here].position, house.viewpoints[there].position)
        for here, others in enumerate(house.neighbours)
        for there in others
        if here < there
    ]


def height(house: House) -> float:
    """Metres between the lowest and the highest included viewpoint."""
    heights = [viewpoint.position[2] for viewpoint in house.viewpoints if viewpoint.included]
    return max(heights) - min(heights) if heights else 0.0


def spread(values: Sequence[float]) -> Spread:
    """The spread of `values`; between two values a decile is interpolated."""
    if not values:
        return Spread()
    # The standard library wants two values at least; doubling a single one changes no decile.
    points = [*values, *values] if len(values) == 1 else values
    deciles = statistics.quantiles(points, n=10, method="inclusive")
    return Spread(min(values), statistics.fmean(values), tuple(deciles), max(values))
