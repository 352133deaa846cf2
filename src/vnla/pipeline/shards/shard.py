"""One of n equal shares of a piece of work, and what falls to it.

    shard = Shard.parse("2/8")
    mine = shard.of_all(divide([house.viewpoints for house in houses], shard.count))

The division depends on nothing but the work and n, so machines that never speak with each other agree on it.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from vnla.common.errors import InputError

MERGE = "merge"
"""What is given instead of a shard to put all of them together."""
MOST = 100_000
HELP = "Share of the work, such as 2/8 for a job array; merge puts all shares together. [default: all of it]"

Value = TypeVar("Value")


@dataclass(frozen=True)
class Shard:
    """The share with a number, from 1, of so many."""

    number: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """The shard that a person means by "2/8"."""
        match = re.fullmatch(r"\s*(\d{1,6})/(\d{1,6})\s*", text)
        if match is None:
            raise InputError(f"--shard {text}: give a number and how many there are, such as 2/8, or {MERGE}")
        number, count = int(match[1]), int(match[2])
        if not 1 <= count <= MOST or not 1 <= number <= count:
            raise InputError(f"--shard {text}: shards are numbered from 1 to how many there are, at most {MOST:,}")
        return cls(number, count)

    @property
    def folder(self) -> str:
        """The name of the folder with its part."""
        return f"{self.number}-of-{self.count}"

    def of_all(self, shares: Sequence[Value]) -> Value:
        """What falls to it."""
        return shares[self.number - 1]

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"


def shards(count: int) -> list[Shard]:
    """All of so many."""
    return [Shard(number + 1, count) for number in range(count)]


def divide(weights: Sequence[float], count: int) -> list[list[int]]:
    """The numbers of pieces of work in so many shares of about the same weight, each share in rising order.

    The heaviest comes first, and each goes where least is so far: no share has more than 4/3 of the least that is possible.
    """
    shares: list[list[int]] = [[] for _ in range(count)]
    loads = [(0.0, share) for share in range(count)]
    for piece in sorted(range(len(weights)), key=lambda each: (-weights[each], each)):
        load, share = heapq.heappop(loads)
        shares[share].append(piece)
        heapq.heappush(loads, (load + weights[piece], share))
    return [sorted(share) for share in shares]
