"""A small furnished room, drawn by several tests."""

import pytest

from vnla.houses.render import PreparedScene, prepare
from vnla.houses.scene import NO_OBJECT, Light, Material, Part, Scene

WHITE = Material((0.9, 0.9, 0.88))
WOOD = Material((0.5, 0.33, 0.2), "wood", scale=0.8, gloss=0.3)


@pytest.fixture(scope="session")
def room() -> Scene:
    """Five metres by four, with a window to the north, a table, a ball, a pillar and a picture."""
    building = [
        Part("box", (0, 0, -0.1), (5, 4, 0.2), Material((0.6, 0.45, 0.3), "planks")),
        Part("box", (0, 0, 2.8), (5, 4, 0.2), WHITE),
        Part("box", (0, -2, 1.35), (5.1, 0.1, 2.7), WHITE),
        Part("box", (-2.5, 0, 1.35), (0.1, 4.1, 2.7), Material((0.6, 0.7, 0.65))),
        Part("box", (2.5, 0, 1.35), (0.1, 4.1, 2.7), WHITE),
        Part("box", (-1.75, 2, 1.35), (1.6, 0.1, 2.7), WHITE),
        Part("box", (1.75, 2, 1.35), (1.6, 0.1, 2.7), WHITE),
        Part("box", (0, 2, 0.45), (1.9, 0.1, 0.9), WHITE),
        Part("box", (0, 2, 2.45), (1.9, 0.1, 0.5), WHITE),
    ]
    objects = [
        Part("box", (0, 2, 1.55), (1.9, 0.02, 1.3), Material((0.85, 0.93, 1.0), glow=0.9)),
        Part("box", (1.2, -0.8, 0.72), (1.2, 0.8, 0.05), WOOD, turn=0.4),
        Part("sphere", (-1.2, 0.8, 0.4), (0.8, 0.8, 0.8), Material((0.8, 0.2, 0.2), "dots", scale=0.3)),
        Part("cylinder", (-1.6, -1.2, 1.0), (0.4, 0.4, 2.0), Material((0.3, 0.4, 0.7), "stripes", scale=0.2)),
        Part("box", (2.43, 0.3, 1.6), (0.03, 0.9, 0.7), Material((1, 1, 1), "picture", seed=3)),
    ]
    owner = (NO_OBJECT,) * len(building) + tuple(range(len(objects)))
    return Scene((*building, *objects), owner, (Light((0, 0, 2.4), power=2.0),), sun=(0.3, 0.8, 0.6))


@pytest.fixture(scope="session")
def stage(room: Scene) -> PreparedScene:
    return prepare(room)
