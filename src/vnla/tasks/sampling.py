"""Algorithm 2 of the paper: how a dev or test set is sampled from buckets, evenly over the buildings.

Line by line, with one reading: the size is looked at after every bucket, not after a whole round over the buildings as the
`while` of the printed algorithm has it. The sizes in the paper's Tables 1 and 5 say so: every set from which nothing was
removed afterwards has fewer than 5,000 + N points, while a round over 61 buildings adds hundreds. `whole_rounds` does as
printed.

A `Fold` is a part of the training houses: `2/5` is the second of five parts, `-2/5` the other four. `first:61` are the first
61 houses of the data set, without mirror images (`vnla.houses.mirror`), `first:61,mirrored` these with theirs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from vnla.camera import Ints
from vnla.common.errors import InputError
from vnla.common.randomness import episode_key
from vnla.houses.mirror import mirrors_of
from vnla.tasks.task import Task

SIZE = 5000

Thing = TypeVar("Thing")


def sample(
    sizes: Sequence[int],
    environments: Sequence[str],
    *,
    most: int,
    random: np.random.Generator,
    least: int = SIZE,
    whole_rounds: bool = False,
) -> dict[int, Ints]:
    """Return which buckets are sampled, and which points of each, in rising order.

    A bucket is its number of points and its environment. No bucket gives more than `most` points (N of the paper); at least
    `least` points are sampled in all if there are that many.
    """
    chosen: dict[int, Ints] = {}
    left = [bucket for bucket, size in enumerate(sizes) if size]
    count = 0
    while count < least and left:
        sampled: set[str] = set()
        for bucket in _shuffled(left, random):
            if environments[bucket] in sampled or (count >= least and not whole_rounds):
                continue
            points = np.sort(random.random(sizes[bucket]).argsort()[:most])
            chosen[bucket] = points
            count += len(points)
            sampled.add(environments[bucket])
        left = [bucket for bucket in left if bucket not in chosen]
    return chosen


def _shuffled(buckets: Sequence[int], random: np.random.Generator) -> list[int]:
    return [buckets[place] for place in random.random(len(buckets)).argsort()]


def subset(tasks: Sequence[Task], size: int) -> list[Task]:
    """So many tasks, in their order, drawn by their ids alone: the same for everybody, a smaller subset within a larger."""
    drawn = {task.id for task in sorted(tasks, key=lambda task: (episode_key(f"subset {task.id}"), task.id))[:size]}
    return [task for task in tasks if task.id in drawn]


def some(things: Sequence[Thing], limit: int) -> list[Thing]:
    """Return at most so many of them, in their order; of the same things always the same."""
    places = np.random.default_rng(0).choice(len(things), min(limit, len(things)), replace=False)
    return [things[place] for place in sorted(places)]


class Fold(NamedTuple):
    """A part of the houses, or all but that part."""

    part: int
    of: int
    others: bool
    first: int = 0
    """So many houses, in the order of the data set, if that is said."""
    mirrored: bool = False
    """Whether the mirror images of these are among them."""

    @classmethod
    def of_text(cls, text: str) -> Fold:
        """From `2/5`, `-2/5` or `first:61`; all houses where nothing is said."""
        if not text:
            return cls(1, 1, False)
        if ahead := re.fullmatch(r"first:([1-9][0-9]{0,6})(,mirrored)?", text):
            return cls(1, 1, False, int(ahead[1]), bool(ahead[2]))
        found = re.fullmatch(r"(-?)([0-9]{1,6})/([0-9]{1,6})", text)
        if not found or not 1 <= int(found[2]) <= int(found[3]) or (found[1] and found[3] == "1"):
            raise InputError(
                f"fold {text}: expected a part of the houses such as 2/5, -2/5 for all but that part, or first:61"
            )
        return cls(int(found[2]), int(found[3]), bool(found[1]))

    def tasks(self, tasks: Sequence[Task]) -> list[Task]:
        """Return those in its houses."""
        return [tasks[place] for place in self.places(tasks)]

    def places(self, tasks: Sequence[Task]) -> list[int]:
        """Return the places of those in its houses."""
        chosen = self._first(tasks) if self.first else self._part(tasks)
        return [place for place, task in enumerate(tasks) if task.house in chosen]

    def _part(self, tasks: Sequence[Task]) -> set[str]:
        """Its houses, of all that have tasks."""
        houses = sorted({task.house for task in tasks})
        return {house for place, house in enumerate(houses) if (place % self.of == self.part - 1) is not self.others}

    def _first(self, tasks: Sequence[Task]) -> set[str]:
        """The first houses, and their mirror images if these are wanted."""
        names = list(dict.fromkeys(task.house for task in tasks))
        mirrors = mirrors_of(names)
        houses = [name for name in names if name not in mirrors]
        if len(houses) < self.first:
            raise InputError(f"fold first:{self.first}: there are tasks for training in {len(houses)} houses")
        chosen = set(houses[: self.first])
        return chosen | {name for name, house in mirrors.items() if house in chosen} if self.mirrored else chosen
