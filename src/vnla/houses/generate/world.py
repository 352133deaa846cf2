"""Whole generated worlds: how many houses, how large, and how they are divided for training and testing.

A world folder remembers the seed of each house, so that what its houses look like can be made again from the folder alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from vnla.common import files
from vnla.common.errors import InputError
from vnla.common.machine import workers_for
from vnla.common.process_pool import mapped
from vnla.houses.folder import MANIFEST, WorldFolder
from vnla.houses.generate.build import VIEWPOINTS_A_ROOM, GeneratedHouse, generate_house
from vnla.houses.generate.wishes import Wishes
from vnla.houses.house import House
from vnla.houses.mirror import SUFFIX, mirrors_of
from vnla.houses.scatter import REAL_SIZES

GENERATOR = 1
"""Version of the generator: it changes when the same seed gives another house."""

_LEAST, _MOST = 8, 348  # viewpoints of the smallest and the largest real building
_MOST_ASKED = 100_000


class SplitSizes(NamedTuple):
    """How many houses there are for training, development and test."""

    train: int
    dev: int
    test: int


@dataclass(frozen=True)
class WorldPreset:
    """A kind of world: houses for training, development and test, and the viewpoints of their size deciles."""

    train: int
    dev: int
    test: int
    sizes: tuple[int, ...]

    @property
    def parts(self) -> SplitSizes:
        """Its houses for training, development and test."""
        return SplitSizes(self.train, self.dev, self.test)

    @property
    def houses(self) -> int:
        """How many there are in all."""
        return sum(self.parts)

    def divided(self, houses: int) -> SplitSizes:
        """So many houses in the preset's proportions, at least one in each part; one house more changes no part but one."""
        if houses < len(self.parts):
            raise InputError(f"{houses} houses: at least {len(self.parts)} are needed, for training, development and test")
        count = [1] * len(self.parts)
        for _ in range(houses - len(self.parts)):
            # Sainte-Laguë's rule: the next one goes where it comes nearest to the proportions.
            claims = [share / (2 * has + 1) for share, has in zip(self.parts, count, strict=True)]
            count[claims.index(max(claims))] += 1
        return SplitSizes(*count)


PRESETS = {
    "small": WorldPreset(train=11, dev=2, test=4, sizes=(18, 25, 32)),
    "paper": WorldPreset(train=61, dev=11, test=18, sizes=(_LEAST, *REAL_SIZES, _MOST)),
}


@dataclass(frozen=True)
class HouseRecipe:
    """What determines one house."""

    name: str
    seed: int
    viewpoints: int
    wishes: Wishes | None = None
    mirrored: bool = False

    def make(self) -> GeneratedHouse:
        """The house, and what it looks like."""
        if self.mirrored:
            return self.original.make().mirrored(self.name)
        return generate_house(self.name, self.seed, self.viewpoints, self.wishes)

    @property
    def original(self) -> HouseRecipe:
        """The house that it mirrors; itself if it mirrors none."""
        return replace(self, name=self.name.removesuffix(SUFFIX), mirrored=False) if self.mirrored else self

    def mirror(self) -> HouseRecipe:
        """Its mirror image."""
        return replace(self, name=f"{self.name}{SUFFIX}", mirrored=True)


def recipes(
    preset: WorldPreset, seed: int, parts: SplitSizes | None = None, wishes: Wishes | None = None
) -> list[HouseRecipe]:
    """The houses of a world: those for training, then development, then test; the preset's numbers unless `parts` says so,
    and the preset's houses unless somebody has wishes.

    A house is known by its number. In a smaller world of the same preset and seed are the first houses of each part, in a
    larger one further houses of each, and all have the names that they have elsewhere.
    """
    parts = parts or preset.parts
    firsts = (0, preset.train, preset.train + preset.dev)
    if wishes is not None and wishes.sizes is not None:
        preset = replace(preset, sizes=tuple(round(rooms * VIEWPOINTS_A_ROOM) for rooms in wishes.sizes))
    return [
        replace(recipe, wishes=wishes)
        for first, size, count in zip(firsts, preset.parts, parts, strict=True)
        for recipe in itertools.islice(_part(preset, seed, first, size), count)
    ]


def _part(preset: WorldPreset, seed: int, first: int, size: int) -> Iterator[HouseRecipe]:
    """The houses of a part, without end: `size` houses from the `first` on of every village."""
    for village in itertools.count():
        yield from _village(preset, seed, village)[first : first + size]


@lru_cache(maxsize=8)
def _village(preset: WorldPreset, seed: int, number: int) -> list[HouseRecipe]:
    """As many houses as the preset has: sizes spread evenly over the deciles, in random order, each with its own seed."""
    random = np.random.default_rng([seed, GENERATOR, *([number] if number else [])])
    spread = (np.arange(preset.houses) + 0.5) / preset.houses
    sizes = np.interp(spread, np.linspace(0, 1, len(preset.sizes)), preset.sizes)
    seeds = random.choice(2**31, preset.houses, replace=False)
    order = random.permutation(preset.houses)
    first = number * preset.houses
    return [HouseRecipe(f"house{first + i:03d}", int(seeds[i]), round(float(sizes[order[i]]))) for i in range(preset.houses)]


def with_mirrored(wanted: list[HouseRecipe], train: int) -> list[HouseRecipe]:
    """The houses, of which the first `train` are for training, and after them the mirror images of these."""
    return [*wanted, *(recipe.mirror() for recipe in wanted[:train])]


def splits(preset: WorldPreset, made: Iterable[HouseRecipe], parts: SplitSizes | None = None) -> dict[str, list[str]]:
    """Which houses are for training, development and test; mirror images are for training."""
    made = list(made)
    names = iter([recipe.name for recipe in made if not recipe.mirrored])
    divided = {name: list(itertools.islice(names, count)) for name, count in (parts or preset.parts)._asdict().items()}
    divided["train"] += [recipe.name for recipe in made if recipe.mirrored]
    return divided


def make_houses(wanted: list[HouseRecipe], workers: int | None = None) -> Generator[House]:
    """The houses as data, in order, made by several processes, which end when it is closed."""
    workers = min(workers_for(workers), len(wanted))
    yield from map(_house, wanted) if workers == 1 else mapped(_house, wanted, workers, name="vnla houses")


def _house(recipe: HouseRecipe) -> House:
    return recipe.make().house


def as_extra(preset: str, seed: int, wanted: list[HouseRecipe]) -> dict[str, Any]:
    """What a world folder keeps about how it was generated."""
    wishes = wanted[0].wishes
    return {
        "generator": GENERATOR,
        "preset": preset,
        "seed": seed,
        "houses": {recipe.name: [recipe.seed, recipe.viewpoints] for recipe in wanted},
        **({} if wishes is None else {"wishes": wishes.as_json()}),
        **({"mirrored": True} if any(recipe.mirrored for recipe in wanted) else {}),
    }


def recipe_of(folder: WorldFolder, house: str) -> HouseRecipe | None:
    """How a house of a generated world was made; None where it was not generated."""
    extra = folder.manifest.get("extra", {})
    if not isinstance(extra, dict) or "generator" not in extra:
        return None
    with files.taken_apart(folder.path / MANIFEST, "how its houses were made; make the world again"):
        return _recipe(folder, house, extra)


def _recipe(folder: WorldFolder, house: str, extra: Mapping[str, Any]) -> HouseRecipe:
    if extra["generator"] != GENERATOR:
        raise InputError(
            f"{folder.path}: was made by generator {extra['generator']}, but this vnla has generator {GENERATOR}: "
            f"make it again with `vnla world make --preset {extra['preset']} --seed {extra['seed']}{_options(folder)}`"
        )
    if house not in extra["houses"]:
        raise InputError(f"{folder.path}: has no house {house}")
    seed, viewpoints = extra["houses"][house]
    if not (type(seed) is type(viewpoints) is int and 0 <= seed < 2**63 and 0 < viewpoints <= _MOST_ASKED):
        raise ValueError(f"{house} {seed} {viewpoints}")
    return HouseRecipe(house, seed, viewpoints, _wishes(folder), mirrored=house in mirrors_of(extra["houses"]))


def _wishes(folder: WorldFolder) -> Wishes | None:
    wishes = folder.manifest["extra"].get("wishes")
    with files.taken_apart(folder.path / MANIFEST, "what was wished of its houses; make the world again"):
        return None if wishes is None else Wishes.of_json(wishes)


def _options(folder: WorldFolder) -> str:
    """The options for a world's wishes, and for its numbers of houses, where they are not the preset's."""
    mirrors, wishes = mirrors_of(folder.manifest["extra"]["houses"]), _wishes(folder)
    parts = {name: len([house for house in houses if house not in mirrors]) for name, houses in folder.splits.items()}
    wished = ("" if wishes is None else wishes.options()) + (" --mirrored" if mirrors else "")
    preset = PRESETS.get(folder.manifest["extra"]["preset"])
    if preset is None or parts == preset.parts._asdict():
        return wished
    return wished + "".join(f" --{name} {count}" for name, count in parts.items())
