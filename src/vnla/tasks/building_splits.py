"""Which buildings are for training, dev and test (section 5: 61, 11 and 18 of Matterport3D's 90).

In order: a file that the user gives, the world's own splits, the standard ones if every building is Matterport3D's, and
otherwise a split by hashed names in the paper's proportions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vnla.common import files
from vnla.common.errors import InputError
from vnla.common.randomness import episode_key
from vnla.houses.folder import WorldFolder
from vnla.tasks.end_goals import matterport_splits

PARTS = ("train", "dev", "test")
_OTHER_NAMES = {"val": "dev", "validation": "dev", "development": "dev"}
_SHARES = (0.12, 0.20)  # of dev and test, as 11 and 18 of 90
_WHAT = 'a split of buildings, {"train": [names], "dev": [names], "test": [names]}'


@dataclass(frozen=True)
class BuildingSplits:
    """The buildings of each part, and a line on where the split comes from."""

    parts: Mapping[str, tuple[str, ...]]
    source: str


def building_splits(world: WorldFolder, path: Path | None = None) -> BuildingSplits:
    """The split of a world's buildings; `path` is the user's own split."""
    names = [house.name for house in world.houses]
    if path is not None:
        return BuildingSplits(_checked(files.read_json(path, _WHAT), names, str(path)), f"the file {path.name}")
    if world.splits:
        splits = {name: list(members) for name, members in world.splits.items()}
        return BuildingSplits(_checked(splits, names, str(world.path)), "the world's own splits")
    standard = matterport_splits()
    if set(names) <= {name for members in standard.values() for name in members}:
        parts = {part: tuple(name for name in names if name in standard[part]) for part in PARTS}
        return BuildingSplits(parts, "the standard splits of Matterport3D (61, 11 and 18 buildings)")
    note = "hashed names (68%, 12% and 20%), because the world has no splits; give --splits for others"
    return BuildingSplits(_hashed(names), note)


def _hashed(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Dev and test take the names of lowest hash, at least one each of three buildings or more; training the others."""
    order = sorted(names, key=lambda name: (episode_key(name), name))
    dev, test = (max(1, round(share * len(names))) if len(names) > 2 else 0 for share in _SHARES)
    part = {name: "dev" if i < dev else "test" if i < dev + test else "train" for i, name in enumerate(order)}
    return {each: tuple(name for name in names if part[name] == each) for each in PARTS}


def _checked(value: Any, names: Sequence[str], place: str) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise InputError(f"{place}: expected {_WHAT}")
    parts: dict[str, tuple[str, ...]] = dict.fromkeys(PARTS, ())
    part_of: dict[str, str] = {}
    for name, members in value.items():
        part = _OTHER_NAMES.get(name, name)
        if part not in parts:
            raise InputError(f"{place}: the split {name!r} is none of {', '.join(PARTS)}")
        if not isinstance(members, list) or not all(isinstance(each, str) for each in members):
            raise InputError(f"{place}: the split {name!r} is not a list of names; expected {_WHAT}")
        for house in members:
            if house not in names:
                raise InputError(f"{place}: the split {name!r} has the building {house!r}, which the world does not have")
            if part_of.setdefault(house, part) != part:
                raise InputError(f"{place}: the building {house!r} is in the splits {part_of[house]} and {part}")
        parts[part] = tuple(members)
    if not parts["train"]:
        raise InputError(f"{place}: no building is for training; give some under train")
    return parts
