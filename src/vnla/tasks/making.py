"""A data set of a whole world, from its houses to a folder on disk."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from vnla.houses.folder import WorldFolder
from vnla.houses.house import House
from vnla.tasks.buckets import FEWEST, Filters
from vnla.tasks.building_splits import BuildingSplits, building_splits
from vnla.tasks.dataset import Dataset, write_dataset
from vnla.tasks.generate import Generated, Place, generate, generate_tests
from vnla.tasks.points import HousePoints
from vnla.tasks.recipes import RECIPES, DatasetRecipe
from vnla.tasks.statistics import PAPER


@dataclass(frozen=True)
class Tracks:
    """Progress bars: of houses whose points are made, and of points that are written to a named file."""

    houses: Callable[[Sequence[House]], Iterable[House]] = iter
    points: Callable[[Sequence[Place], str], Iterable[Place]] = lambda places, _: places


class Worked(Protocol):
    """Points of a world's houses that others have worked out."""

    def points(self, house: House, filters: Filters) -> HousePoints:
        """Those of a house."""

    def line(self, house: int, point: int) -> str:
        """The record of one, by its place."""


@dataclass(frozen=True)
class Made:
    """A data set that was made, with the split of the buildings and the manifest on disk."""

    points: Generated
    parts: BuildingSplits
    manifest: dict[str, Any]


def make_dataset(
    world: WorldFolder,
    out: Path,
    recipe: DatasetRecipe,
    *,
    seed: int = 0,
    size: int | None = None,
    splits: Path | None = None,
    fewest: int = FEWEST,
    most_train: int | None = None,
    compress: bool = False,
    tracks: Tracks | None = None,
    worked: Worked | None = None,
) -> Made:
    """Make the data set of a recipe for a world as the new folder `out`. `most_train` is as `training_points` has it; what
    others have `worked` out is taken from them.
    """
    tracks = tracks or Tracks()
    parts = building_splits(world, splits)
    made = generate(
        world.houses,
        recipe,
        parts,
        seed=seed,
        size=size,
        most_train=training_points(most_train, world, recipe.name),
        fewest=fewest,
        track=tracks.houses,
        work=None if worked is None else worked.points,
    )
    line = None if worked is None else worked.line
    manifest = write_dataset(out, made, world=_source(world, parts), compress=compress, track=tracks.points, line=line)
    return Made(made, parts, manifest)


def make_tests(
    world: WorldFolder,
    out: Path,
    like: Dataset,
    known: WorldFolder,
    *,
    seed: int = 0,
    size: int,
    fewest: int = FEWEST,
) -> Made:
    """Make a test set in all houses of a world, for agents trained on another data set, as the new folder `out`.

    It asks for what is frequent in the world `known`, which the data set `like` was made from, and has its words and times.
    """
    recipe = RECIPES[like.task]
    filters = Filters.of(known.houses, rooms=recipe.rooms, fewest=fewest)
    made = generate_tests(world.houses, recipe, filters, seed=seed, size=size)
    parts = BuildingSplits({"test": tuple(house.name for house in world.houses)}, "houses for tests alone")
    manifest = write_dataset(out, made, world=_source(world, parts), like=like)
    return Made(made, parts, manifest)


def _source(world: WorldFolder, parts: BuildingSplits) -> dict[str, Any]:
    """What a data set was made from."""
    return {**identity(world), "splits_from": parts.source, "splits": {k: list(v) for k, v in parts.parts.items()}}


def identity(world: WorldFolder) -> dict[str, Any]:
    """The world's name, and a checksum of what its houses are, whatever files they came in."""
    digest = hashlib.sha256()
    for house in world.houses:
        digest.update(repr(house).encode())
    return {"name": world.manifest.get("name", world.path.absolute().name), "sha256": digest.hexdigest()}


def training_points(wanted: int | None, world: WorldFolder, task: str) -> int | None:
    """How many training points to keep, None for all: what is wanted (0 is all); by default all, but as many as the paper
    has in a generated world of its size, whose houses have more things to find than the paper's buildings."""
    if wanted is not None:
        return wanted or None
    return PAPER[task]["train"].points if world.manifest.get("extra", {}).get("preset") == "paper" else None
