"""What is in view in words: "You are in the hallway. To the left a door to the kitchen, 2 m. Ahead a bed, 2 m." """

from __future__ import annotations

from collections.abc import Iterable

from vnla.houses.rooms import ROOM_NAMES
from vnla.tasks.end_goals import with_article
from vnla.text.sights import Sight, Thing, Way

AHEAD = 13.0
"""Degrees to either side of the middle of the view that are still ahead: a third of the field of view."""

_SIDES = ("To the left", "Ahead", "To the right")
_LOOKS = {"down": " You look down at the floor.", "level": "", "up": " You look up."}
_ARTICLES = {"stairs": "on the stairs", "porch": "on the porch", "balcony": "on the balcony", "outdoor area": "outdoors"}


def describe(sight: Sight) -> str:
    """A few sentences on all that is in view, nearest first on each side."""
    where = f"You are {_ARTICLES.get(sight.room, f'in the {sight.room}')}." if sight.room else "You are in some room."
    sides = [f"{side} {_listed(sight, i)}." for i, side in enumerate(_SIDES)]
    return f"{where}{_LOOKS[sight.looks]} {' '.join(sides)}"


def side_of(bearing: float) -> int:
    """0 left, 1 ahead, 2 right."""
    return 0 if bearing < -AHEAD else 2 if bearing > AHEAD else 1


def metres(distance: float) -> str:
    """A distance as it is said."""
    return f"{distance:.1f}".removesuffix(".0") + " m"


def _listed(sight: Sight, side: int) -> str:
    ways = [_way(way, sight.room) for way in sight.ways if side_of(way.bearing) == side]
    things = _things(thing for thing in sight.things if side_of(thing.bearing) == side)
    return "; ".join([*ways, *things]) or "nothing"


def _way(way: Way, here: str) -> str:
    to = ("another " if way.room == here else "the ") + way.room if way.room in ROOM_NAMES.values() else "some room"
    if way.kind == "on":
        what = "room to walk on"
    elif way.kind.startswith("stairs"):
        what = way.kind if way.room == "stairs" else f"{way.kind} to {to}"
    else:
        what = f"{with_article(way.kind)} to {to}"
    return f"{what}, {metres(way.distance)}"


def _things(things: Iterable[Thing]) -> list[str]:
    """Each name once, with the distance of the nearest."""
    found: dict[str, list[Thing]] = {}
    for thing in things:
        found.setdefault(thing.name, []).append(thing)
    more = {name: f", and {len(each) - 1} more" if len(each) > 1 else "" for name, each in found.items()}
    return [f"{with_article(name)}, {metres(each[0].distance)}{more[name]}" for name, each in found.items()]
