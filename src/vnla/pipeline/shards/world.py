"""Houses that shards have made, and the world of all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from vnla.common.progress import Count, unheard
from vnla.houses.generate.unfinished import Unfinished
from vnla.houses.generate.world import HouseRecipe, as_extra
from vnla.houses.generate.world import SplitSizes as Houses
from vnla.houses.house import House
from vnla.pipeline.shards.parts import ShardParts
from vnla.pipeline.shards.shard import Shard, divide, shards


def world_parts(out: Path, preset: str, seed: int, houses: Houses, wanted: list[HouseRecipe]) -> ShardParts:
    """The parts of a world. What its houses are follows from what is compared here."""
    extra = {name: value for name, value in as_extra(preset, seed, wanted).items() if name != "houses"}
    return ShardParts(out, "world", {**extra, "parts": list(houses)})


def make_part(
    parts: ShardParts, shard: Shard, wanted: Sequence[HouseRecipe], workers: int | None = None, progress: Count = unheard
) -> tuple[int, bool]:
    """Make the houses of a shard; how many there are, and whether there was anything to do."""
    mine = shard.of_all(_divided(wanted, shard.count))
    with parts.making(shard) as place:
        if place is not None and mine:
            with closing(Unfinished(place).make(mine, workers)) as making:
                for _ in making:
                    progress(1)
    return len(mine), place is not None


def share_of(shard: Shard, wanted: Sequence[HouseRecipe]) -> int:
    """How many houses a shard makes."""
    return len(shard.of_all(_divided(wanted, shard.count)))


def houses_of(parts: ShardParts, wanted: Sequence[HouseRecipe]) -> Iterator[House]:
    """The houses of all shards in their order; nothing is read before all shards are known to be whole."""
    count = len(parts.complete())
    divided = zip(shards(count), _divided(wanted, count), strict=True)
    made = {recipe.name: Unfinished(parts.place(shard)) for shard, mine in divided for recipe in mine}
    return (made[recipe.name].read(recipe) for recipe in wanted)


def _divided(wanted: Sequence[HouseRecipe], count: int) -> list[list[HouseRecipe]]:
    return [[wanted[i] for i in share] for share in divide([recipe.viewpoints for recipe in wanted], count)]
