"""Features that shards have made, house by house, and the store of all of them."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from vnla.common.errors import InputError
from vnla.common.progress import Count, unheard
from vnla.houses.folder import WorldFolder
from vnla.pipeline.shards.parts import RECORD, ShardParts
from vnla.pipeline.shards.shard import Shard, divide, shards
from vnla.vision.encoders import Encoder
from vnla.vision.making import check_pictures, encode
from vnla.vision.store import INDEX, FeatureStore, Header, Place, StoreWriter, store_path

ROWS = 64
"""Viewpoints that are copied at once."""


def feature_parts(out: Path, header: Header) -> ShardParts:
    """The parts of the store `out`, of which `header` is to be that of the whole."""
    config = {name: value for name, value in header.as_json().items() if name not in ("houses", "format", "version")}
    viewpoints = hashlib.sha256(repr(header.viewpoints).encode()).hexdigest()[:16]
    return ShardParts(out, "features", {**config, "viewpoints": viewpoints})


def feature_place(world: Path, encoder: str, shard: Shard) -> Path:
    """Where the part of a shard is going to be."""
    return ShardParts(store_path(world, encoder), "features", {}).place(shard)


def share_of(shard: Shard, header: Header) -> tuple[Place, ...]:
    """The viewpoints that a shard encodes: whole houses."""
    return shard.of_all(_divided(header, shard.count))


def make_part(
    parts: ShardParts,
    shard: Shard,
    folder: WorldFolder,
    header: Header,
    encoder: Encoder,
    progress: Count = unheard,
    *,
    describe: Callable[[str], None] = lambda _: None,
    batch: int | None = None,
    workers: int | None = None,
) -> bool:
    """Encode the houses of a shard, or go on with them; whether there was anything to do."""
    own = replace(header, viewpoints=share_of(shard, header))
    with parts.making(shard) as place:
        if place is not None and own.viewpoints and not (place / INDEX).exists():
            check_pictures(folder, own)
            with StoreWriter(place, own) as store:
                progress(len(own.viewpoints) - len(store.pending))
                encode(folder, encoder, store, progress, describe=describe, batch=batch, workers=workers)
                store.finish()
    return place is not None


def merge(parts: ShardParts, header: Header, progress: Count = unheard) -> FeatureStore:
    """The store of all shards, each of which is held against its checksum first; continues where it was."""
    count = len(parts.complete())
    first: dict[str, int] = {}
    for row, (house, _) in enumerate(header.viewpoints):
        first.setdefault(house, row)
    with StoreWriter(parts.out, header) as store:
        missing = set(store.pending.tolist())
        progress(len(header.viewpoints) - len(missing))
        for shard, own in zip(shards(count), _divided(header, count), strict=True):
            if own:
                part = _opened(parts, shard, replace(header, viewpoints=own))
                _copy(part, store, first, missing, progress)
        return store.finish()


def _opened(parts: ShardParts, shard: Shard, expected: Header) -> FeatureStore:
    place = parts.place(shard)
    try:
        part = FeatureStore.open(place)
        part.verify()
    except InputError as error:
        raise InputError(f"{error}: remove {place} and run the same command with --shard {shard}") from None
    if part.header != expected:
        raise InputError(f"{place}: holds other features than its {RECORD} says; remove it and run --shard {shard} again")
    return part


def _copy(part: FeatureStore, store: StoreWriter, first: dict[str, int], missing: set[int], progress: Count) -> None:
    """Put the rows of a part where they belong, those that are there already left alone."""
    row = 0
    for house, places in groupby(part.header.viewpoints, key=lambda place: place[0]):
        size = len(list(places))
        for begin in range(0, size, ROWS):
            count, to = min(ROWS, size - begin), first[house] + begin
            if missing.intersection(range(to, to + count)):
                store.write(to, part.array[row + begin : row + begin + count])
                progress(count)
        row += size


def _divided(header: Header, count: int) -> list[tuple[Place, ...]]:
    """Viewpoints in shares of about the same number, houses whole and in their order."""
    sizes = Counter(house for house, _ in header.viewpoints)
    names, divided = list(sizes), divide(list(sizes.values()), count)
    share_of_house = {names[i]: number for number, share in enumerate(divided) for i in share}
    shares: list[list[Place]] = [[] for _ in divided]
    for place in header.viewpoints:
        shares[share_of_house[place[0]]].append(place)
    return [tuple(share) for share in shares]
