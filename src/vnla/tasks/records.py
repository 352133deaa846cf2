"""Data points as the JSON records of AskNav and NoRoom (docs/formats.md)."""

from __future__ import annotations

import json
from typing import Any

from vnla.camera import TURN
from vnla.common.randomness import episode_key
from vnla.houses.house import House
from vnla.houses.rooms import NO_LABEL, ROOM_NAMES
from vnla.tasks.points import TURNS, HousePoints
from vnla.tasks.recipes import DatasetRecipe
from vnla.world.actions import Nav

_SPARE_BITS = 10  # of 63: 53 bits are what every reader of JSON takes exactly
_NO_REGION = -1
_TRIPLES = {
    **{index: [index, 0, 0] for index in range(128)},
    **{TURNS[action]: triple for action, triple in zip(Nav, ([0, -1, 0], [0, 1, 0], [0, 0, 1], [0, 0, -1]), strict=False)},
}
"""A move as the simulator's action: the index of where to go, and the signs of turns; index 0 stays, so zeros are `stop`."""


class RecordMaker:
    """Makes the records of one house. What many of them share, paths above all, is worked out once."""

    def __init__(self, points: HousePoints, recipe: DatasetRecipe) -> None:
        self._points = points
        self._task = recipe.name
        self._hop: list[list[int]] = points.graph.hop.tolist()
        self._distance: list[list[float]] = points.graph.distance.tolist()
        self._paths: dict[tuple[int, int], list[str]] = {}
        number = {viewpoint: i for i, viewpoint in enumerate(points.graph.ids)}
        ids = [viewpoint.id for viewpoint in points.house.viewpoints]
        self._ends = [[number[ids[goal.viewpoint]] for goal in bucket.goals] for bucket in points.buckets]

    def __call__(self, which: int) -> dict[str, Any]:
        """The record of one data point.

        Its `path_id` is a hash of what is asked and where it begins, so it stays the same whatever else is in the data set.
        """
        points = self._points
        bucket, ends = points.buckets[points.bucket[which]], self._ends[points.bucket[which]]
        start = int(points.start[which])
        begin = points.graph.ids[start]
        room, name = region(points.house, begin)
        return {
            "scan": bucket.house,
            "path_id": episode_key(f"{self._task}/{bucket.house}/{bucket.end_goal}/{begin}") >> _SPARE_BITS,
            "heading": float(points.heading[which]) * TURN,
            "instructions": [bucket.end_goal],
            "paths": [self._path(start, end) for end in ends],
            "trajectories": [self._trajectory(row) for row in range(points.first[which], points.first[which + 1])],
            "distances": [self._distance[start][end] for end in ends],
            "start_region": room,
            "start_region_name": name,
            "end_regions": [goal.room for goal in bucket.goals],
            "end_region_name": "" if bucket.room is None else ROOM_NAMES[bucket.room],
            "object_name": bucket.object,
            "object_indices": [list(goal.objects) for goal in bucket.goals],
        }

    def line(self, which: int) -> str:
        """The same as it stands in a file."""
        return json.dumps(self(which), separators=(",", ":"))

    def _path(self, start: int, end: int) -> list[str]:
        if (start, end) not in self._paths:
            path = [start]
            while path[-1] != end:
                path.append(self._hop[path[-1]][end])
            self._paths[start, end] = [self._points.graph.ids[each] for each in path]
        return self._paths[start, end]

    def _trajectory(self, row: int) -> list[list[int]]:
        moves = self._points.moves[row, : self._points.lengths[row]].tolist()
        return [_TRIPLES[move] for move in moves]


def region(house: House, viewpoint: str) -> tuple[int, str]:
    """The id and the name of the room that a viewpoint is in."""
    room = house.room_of(house.number[viewpoint])
    return (_NO_REGION, ROOM_NAMES[NO_LABEL]) if room is None else (room.id, room.name)
