"""Whole generated worlds: how many houses, how large, and how they are divided for training and testing.

A world folder remembers the seed of each house, so that what its houses look like can be made again from the folder alone.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vnla.common.crew import mapped
from vnla.common.errors import InputError
from vnla.common.machine import cores_here
from vnla.houses.folder import WorldFolder
from vnla.houses.generate.build import GeneratedHouse, generate_house
from vnla.houses.house import House
from vnla.houses.scatter import REAL_SIZES

GENERATOR = 1
"""Version of the generator: it changes when the same seed gives another house."""

_LEAST, _MOST = 8, 348  # viewpoints of the smallest and the largest real building


@dataclass(frozen=True)
class Preset:
    """A kind of world: houses for training, development and test, and the viewpoints of their size deciles."""

    train: int
    dev: int
    test: int
    sizes: tuple[int, ...]

    @property
    def houses(self) -> int:
        """How many there are in all."""
        return self.train + self.dev + self.test


PRESETS = {
    "small": Preset(train=11, dev=2, test=4, sizes=(18, 25, 32)),
    "paper": Preset(train=61, dev=11, test=18, sizes=(_LEAST, *REAL_SIZES, _MOST)),
}


@dataclass(frozen=True)
class Recipe:
    """What determines one house."""

    name: str
    seed: int
    viewpoints: int

    def make(self) -> GeneratedHouse:
        """The house, and what it looks like."""
        return generate_house(self.name, self.seed, self.viewpoints)


def recipes(preset: Preset, seed: int) -> list[Recipe]:
    """The houses of a world: sizes spread evenly over the deciles, in random order, each with a seed of its own."""
    random = np.random.default_rng([seed, GENERATOR])
    spread = (np.arange(preset.houses) + 0.5) / preset.houses
    sizes = np.interp(spread, np.linspace(0, 1, len(preset.sizes)), preset.sizes)
    seeds = random.choice(2**31, preset.houses, replace=False)
    order = random.permutation(preset.houses)
    return [Recipe(f"house{i:03d}", int(seeds[i]), round(float(sizes[order[i]]))) for i in range(preset.houses)]


def splits(preset: Preset, made: Iterable[Recipe]) -> dict[str, list[str]]:
    """Which houses are for training, development and test."""
    names = [recipe.name for recipe in made]
    dev, test = preset.train, preset.train + preset.dev
    return {"train": names[:dev], "dev": names[dev:test], "test": names[test:]}


def make_houses(wanted: list[Recipe], workers: int | None = None) -> Generator[House]:
    """The houses as data, in order, made by several processes, which end when it is closed."""
    workers = min(workers or cores_here(), len(wanted))
    yield from map(_house, wanted) if workers == 1 else mapped(_house, wanted, workers, name="vnla houses")


def _house(recipe: Recipe) -> House:
    return recipe.make().house


def as_extra(preset: str, seed: int, wanted: list[Recipe]) -> dict[str, Any]:
    """What a world folder keeps about how it was generated."""
    return {
        "generator": GENERATOR,
        "preset": preset,
        "seed": seed,
        "houses": {recipe.name: [recipe.seed, recipe.viewpoints] for recipe in wanted},
    }


def recipe_of(folder: WorldFolder, house: str) -> Recipe | None:
    """How a house of a generated world was made; None where it was not generated."""
    extra = folder.manifest.get("extra", {})
    if "generator" not in extra:
        return None
    if extra["generator"] != GENERATOR:
        raise InputError(
            f"{folder.path}: was made by generator {extra['generator']}, but this vnla has generator {GENERATOR}: "
            f"make it again with `vnla world make --preset {extra['preset']} --seed {extra['seed']}`"
        )
    if house not in extra["houses"]:
        raise InputError(f"{folder.path}: has no house {house}")
    return Recipe(house, *extra["houses"][house])
