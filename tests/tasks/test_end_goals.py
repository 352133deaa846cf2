"""End-goals as the paper words them."""

from __future__ import annotations

import pytest

from vnla.houses.rooms import ROOM_NAMES
from vnla.tasks.end_goals import Form, end_goal, form, plain, room_plural


@pytest.mark.parametrize(
    ("label", "room", "rooms", "text"),
    [
        ("armchair", "l", 1, "find an armchair in the living room ."),
        ("towel", "a", 3, "find a towel in one of the bathrooms ."),
        ("curtains", "b", 1, "find curtains in the bedroom ."),
        ("uniform", "v", 2, "find a uniform in one of the tv rooms ."),
        ("picture", "s", 1, "find a picture in the stairs ."),
        ("picture", "s", 2, "find a picture in one of the staircases ."),
        ("book", "i", 2, "find a book in one of the libraries ."),
        ("towel", None, 1, "find a towel ."),
        ("umbrella", None, 5, "find an umbrella ."),
        ("toilet paper", None, 1, "find toilet paper ."),
        ("chest of drawers", "b", 1, "find a chest of drawers in the bedroom ."),
    ],
)
def test_end_goals(label: str, room: str | None, rooms: int, text: str) -> None:
    assert end_goal(label, room, rooms) == text


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("glass", Form.SINGULAR),
        ("wine glass", Form.SINGULAR),
        ("bus", Form.SINGULAR),
        ("cactus", Form.SINGULAR),
        ("stairs", Form.PLURAL),
        ("dumbbells", Form.PLURAL),
        ("kitchen cabinets", Form.PLURAL),
        ("scissors", Form.PLURAL),
        ("clothes", Form.PLURAL),
        ("bowl of apples", Form.SINGULAR),
        ("shelf with books", Form.SINGULAR),
        ("exercise equipment", Form.MASS),
    ],
)
def test_forms(label: str, expected: Form) -> None:
    assert form(label) is expected


def test_every_room_has_a_plural() -> None:
    assert all(room_plural(label).endswith("s") for label in ROOM_NAMES)


def test_labels_become_plain_words() -> None:
    assert plain("Coffee  Table") == "coffee table"
    assert plain("shelf /w#clutter") == "shelf w clutter"
