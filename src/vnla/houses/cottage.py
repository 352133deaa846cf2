"""A small house drawn by hand: thirteen viewpoints on two floors, small enough to work every example out on paper.

Ground floor (z = 1.5, numbers are viewpoints), north is up::

                 7 stairs foot
                 |
                 2 hall, north ---- 6 dining room
                 |                  |
    4 --- 3 ---- 1 hall, south ---- 5 kitchen
    living room  |
                 0 entryway

Upper floor (z = 4.3), reached over 7 - 8 (half-way, z = 2.9) - 9::

                 8 ---- 9 landing ---- 11 bathroom
                        |
             12 ------- 10
             bedroom    bedroom

The demo, the examples in the documentation and many tests use it.
"""

from __future__ import annotations

from vnla.houses.house import Box, House, Level, Object, OrientedBox, Point, Room, Viewpoint

_VIEWPOINTS: tuple[tuple[str, Point, int], ...] = (
    ("entryway", (0.3, -3.0, 1.5), 0),
    ("hall_south", (0.0, 0.0, 1.5), 1),
    ("hall_north", (0.2, 3.0, 1.5), 1),
    ("living_east", (-2.5, 0.5, 1.5), 2),
    ("living_west", (-5.0, 0.0, 1.5), 2),
    ("kitchen", (3.0, -0.5, 1.5), 3),
    ("dining", (3.0, 3.2, 1.5), 4),
    ("stairs_foot", (0.0, 5.0, 1.5), 5),
    ("stairs_middle", (1.5, 6.5, 2.9), 5),
    ("landing", (3.5, 6.2, 4.3), 6),
    ("bedroom_east", (3.2, 3.4, 4.3), 7),
    ("bathroom", (6.0, 6.0, 4.3), 8),
    ("bedroom_west", (0.5, 3.0, 4.3), 9),
)

_EDGES = ((0, 1), (1, 2), (1, 3), (1, 5), (2, 6), (2, 7), (3, 4), (5, 6), (7, 8), (8, 9), (9, 10), (9, 11), (10, 12))

# id, label, level, west, south, east, north
_ROOMS = (
    (0, "e", 0, -1.2, -4.0, 1.2, -1.5),
    (1, "h", 0, -1.2, -1.5, 1.2, 4.0),
    (2, "l", 0, -6.5, -2.5, -1.2, 3.0),
    (3, "k", 0, 1.2, -2.5, 5.0, 1.2),
    (4, "d", 0, 1.2, 1.2, 5.0, 5.0),
    (5, "s", 0, -1.2, 4.0, 2.4, 7.5),
    (6, "h", 1, 2.4, 5.2, 4.8, 7.5),
    (7, "b", 1, 2.0, 1.5, 5.5, 5.2),
    (8, "a", 1, 4.8, 5.2, 7.5, 7.5),
    (9, "b", 1, -1.5, 1.5, 2.0, 5.2),
)

# label, room, x, y, height of the centre above the floor, half-lengths, Matterport3D category
_OBJECTS: tuple[tuple[str, int, float, float, float, Point, tuple[int, str]], ...] = (
    ("picture", 0, -1.15, -2.8, 1.6, (0.03, 0.4, 0.3), (6, "picture")),
    ("picture", 1, -1.15, 2.2, 1.6, (0.03, 0.35, 0.25), (6, "picture")),
    ("potted plant", 1, 0.9, -1.1, 0.5, (0.25, 0.25, 0.5), (14, "plant")),
    ("sofa", 2, -5.9, 1.2, 0.4, (0.45, 1.0, 0.4), (10, "sofa")),
    ("armchair", 2, -2.4, -1.7, 0.45, (0.4, 0.4, 0.45), (3, "chair")),
    ("coffee table", 2, -4.6, 1.2, 0.2, (0.35, 0.6, 0.2), (5, "table")),
    ("fireplace", 2, -4.2, -2.3, 0.6, (0.7, 0.2, 0.6), (27, "fireplace")),
    ("kitchen cabinet", 3, 4.7, -0.4, 0.45, (0.3, 1.6, 0.45), (7, "cabinet")),
    ("sink", 3, 4.7, 0.4, 0.92, (0.25, 0.3, 0.05), (15, "sink")),
    ("towel", 3, 4.4, -1.4, 0.75, (0.02, 0.2, 0.3), (20, "towel")),
    ("dining table", 4, 3.6, 3.9, 0.38, (0.5, 0.8, 0.38), (5, "table")),
    ("dining chair", 4, 2.7, 3.9, 0.45, (0.25, 0.25, 0.45), (3, "chair")),
    ("dining chair", 4, 4.5, 3.9, 0.45, (0.25, 0.25, 0.45), (3, "chair")),
    ("picture", 6, 4.0, 7.45, 1.6, (0.4, 0.03, 0.3), (6, "picture")),
    ("bed", 7, 4.4, 2.4, 0.3, (0.9, 0.8, 0.3), (11, "bed")),
    ("pillow", 7, 5.1, 2.4, 0.65, (0.15, 0.3, 0.08), (8, "cushion")),
    ("curtains", 7, 3.6, 1.6, 1.2, (0.8, 0.05, 1.1), (12, "curtain")),
    ("bathtub", 8, 7.0, 6.5, 0.3, (0.4, 0.8, 0.3), (25, "bathtub")),
    ("towel", 8, 5.6, 7.4, 1.2, (0.25, 0.02, 0.35), (20, "towel")),
    ("mirror", 8, 6.6, 7.45, 1.6, (0.3, 0.02, 0.4), (21, "mirror")),
    ("bed", 9, -0.6, 2.5, 0.3, (0.8, 0.9, 0.3), (11, "bed")),
    ("desk", 9, 1.6, 4.6, 0.38, (0.35, 0.5, 0.38), (5, "table")),
)

_FLOORS = (0.0, 2.8)
_STOREY = 2.6


def cottage() -> House:
    """The hand-drawn house."""
    level_of = {room[0]: room[2] for room in _ROOMS}
    neighbours: dict[int, list[int]] = {i: [] for i in range(len(_VIEWPOINTS))}
    for i, j in _EDGES:
        neighbours[i].append(j)
        neighbours[j].append(i)
    return House(
        name="cottage",
        viewpoints=tuple(
            Viewpoint(name, position, room, visible=tuple(sorted(neighbours[i])))
            for i, (name, position, room) in enumerate(_VIEWPOINTS)
        ),
        edges=_EDGES,
        rooms=tuple(
            Room(number, label, level, _storey_box(level, west, south, east, north))
            for number, label, level, west, south, east, north in _ROOMS
        ),
        objects=tuple(
            Object(i, label, room, OrientedBox((x, y, _FLOORS[level_of[room]] + z), radii=radii), category)
            for i, (label, room, x, y, z, radii, category) in enumerate(_OBJECTS)
        ),
        levels=tuple(Level(level, _storey_box(level, -6.5, -4.0, 7.5, 7.5)) for level in range(len(_FLOORS))),
    )


def _storey_box(level: int, west: float, south: float, east: float, north: float) -> Box:
    floor = _FLOORS[level]
    return Box((west, south, floor), (east, north, floor + _STOREY))
