"""What a version of the benchmark consists of: houses, data sets, help budgets and prices, with checksums of all.

    definition = read_definition()
    preset = definition.preset("quick")

A version never changes. Another generator, other tasks or other budgets are another version. Of the two files beside this
module one has all numbers, and the other the checksums of what follows from them, against which `vnla benchmark make` holds
what it makes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files as package_files
from typing import Any

from vnla.common.checksums import of_json
from vnla.common.errors import InputError
from vnla.common.outside import from_json
from vnla.houses.generate.world import PRESETS as WORLDS
from vnla.houses.generate.world import SplitSizes, WorldPreset

FILE, SUMS = "asknav-open-1.json", "asknav-open-1-sums.json"
NAME = "AskNav-Open"
SPLIT = "test_unseen"
"""The split that all tasks of the benchmark stand in."""
COMMON, FRESH = "common", "fresh"
"""The two sets of test houses: the same for everybody, and those drawn by the digest of an entry's artefact."""
SETS = (COMMON, FRESH)


@dataclass(frozen=True)
class BenchmarkPreset:
    """One size of the benchmark."""

    name: str
    houses: str
    """The kind of houses, a preset of `vnla world make`."""
    base_parts: tuple[int, int, int] | None
    """How many houses the base has for training, development and test; None takes the preset's numbers."""
    base_seed: int
    test_houses: int
    """Houses of the common set, and of the fresh set of each entry."""
    common_seed: int
    points: Mapping[str, int]
    """Data set → least number of tasks in each set of test houses."""
    training_points: Mapping[str, int]
    """Data set → most training points of the base; 0 keeps all."""
    fewest: int
    """Labels that occur less often in the base are left out."""
    sha256: Mapping[str, str]
    """What was made → its checksum (`vnla.experiments.benchmark.houses`)."""

    @property
    def world(self) -> WorldPreset:
        """The kind of houses."""
        return WORLDS[self.houses]

    @property
    def base_sizes(self) -> SplitSizes:
        """Houses of the base for training, development and test."""
        return self.world.parts if self.base_parts is None else SplitSizes(*self.base_parts)


@dataclass(frozen=True)
class Condition:
    """What an entry is tried on: a set of houses, a data set, and τ of the help budgets."""

    houses: str
    task: str
    ratio: float

    @property
    def name(self) -> str:
        """That of its file."""
        return f"{self.houses}/{self.task}-{self.ratio:.2f}"


@dataclass(frozen=True)
class BenchmarkDefinition:
    """A version of the benchmark."""

    version: str
    generator: int
    """Version of the generator of houses."""
    seed: int
    """Seed of the help budgets: the benchmark gives it, and an entry cannot choose it."""
    k: int
    ratio: float
    """τ of the main figures."""
    ratios: tuple[float, ...]
    """τ from 0 to 1, for the curve of success against help."""
    swept: str
    """The data set on which all of these are tried."""
    prices: tuple[float, ...]
    """Prices of a request, in success."""
    presets: Mapping[str, BenchmarkPreset]

    def preset(self, name: str) -> BenchmarkPreset:
        """Return the preset of that name."""
        if name not in self.presets:
            raise InputError(f"preset {name}: unknown; choose from {', '.join(self.presets)}")
        return self.presets[name]

    def conditions(self, preset: BenchmarkPreset) -> tuple[Condition, ...]:
        """Return all that an entry is tried on."""
        return tuple(
            Condition(houses, task, ratio)
            for houses in SETS
            for task in preset.points
            for ratio in (self.ratios if task == self.swept else (self.ratio,))
        )

    @property
    def called(self) -> str:
        """What people call this version."""
        return f"{NAME} {self.version}"


@cache
def _content(name: str = FILE) -> dict[str, Any]:
    text = package_files("vnla.experiments.benchmark").joinpath(name).read_text(encoding="utf-8")
    content: dict[str, Any] = from_json(text, unique=True)
    return content


def definition_checksum() -> str:
    """Return the checksum of all numbers of the definition: entries name it."""
    return of_json(_content())


@cache
def read_definition() -> BenchmarkDefinition:
    """Return the version of the benchmark that comes with this package."""
    content = _content()
    presets = {name: _preset(name, each, _content(SUMS).get(name, {})) for name, each in content["presets"].items()}
    plain = {name: value for name, value in content.items() if name not in ("presets", "ratios", "prices")}
    return BenchmarkDefinition(**plain, ratios=tuple(content["ratios"]), prices=tuple(content["prices"]), presets=presets)


def _preset(name: str, content: Mapping[str, Any], sums: Mapping[str, str]) -> BenchmarkPreset:
    parts = content["base_parts"]
    return BenchmarkPreset(name, **{**content, "base_parts": None if parts is None else tuple(parts)}, sha256=sums)
