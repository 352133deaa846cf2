"""The colours of a floor plan: paper, ink, one quiet tint for each kind of room, and three strong ones for what happens."""

from __future__ import annotations

PAPER = "#fbfaf7"
INK = "#2c2a27"
QUIET_INK = "#77726a"
RULE = "#dedad2"
WALL = "#a39c90"
FURNITURE = "#8d877d"
DOT = "#5d584f"
EDGE = "#bab3a6"

WALK = "#28509e"
HELP = "#c8481f"
GOAL = "#f0b323"

_SLEEP = "#dfe5f0"
_WATER = "#d6e9e8"
_FOOD = "#f6e6cc"
_COMPANY = "#e3eada"
_PASSAGE = "#efebe3"
_WORK = "#e8e0ee"
_OUTDOORS = "#dde8cf"
_SERVICE = "#e9e4da"
_OTHER = "#eeedea"

ROOMS = (
    dict.fromkeys("b", _SLEEP)
    | dict.fromkeys("atS", _WATER)
    | dict.fromkeys("kdDB", _FOOD)
    | dict.fromkeys("flnrvw", _COMPANY)
    | dict.fromkeys("ehs", _PASSAGE)
    | dict.fromkeys("imoC", _WORK)
    | dict.fromkeys("pxy", _OUTDOORS)
    | dict.fromkeys("cgju", _SERVICE)
    | dict.fromkeys("zZ-", _OTHER)
)
"""Letter of a room → its colour; rooms for the same purpose share one."""

SEEN, UNSEEN = "#28639e", "#cf7417"
"""The test splits; blue and orange differ for every eye."""
