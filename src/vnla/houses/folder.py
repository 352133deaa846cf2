"""The world folder: houses on disk, as the Matterport3D layout itself plus `world.json`.

::

    world.json                                             what this is, its splits, a checksum of every file
    connectivity/scans.txt                                 names of the houses
    connectivity/<house>_connectivity.json                 viewpoints and edges
    v1/scans/<house>/house_segmentations/<house>.house     levels, rooms, objects
    v1/scans/<house>/house_segmentations/panorama_to_region.txt

Programs written for Matterport3D read such a folder as it is, and `read_world` reads a folder that has no `world.json`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from vnla.common import checksums, files
from vnla.common.errors import InputError
from vnla.houses.house import House
from vnla.houses.matterport import BuildingFiles, find_buildings, read_house, write_matterport
from vnla.houses.matterport.notes import shown

FORMAT = "vnla-world"
VERSION = 1
MANIFEST = "world.json"
WHAT = "world.json, the description of a world folder"

Track = Callable[[Sequence[BuildingFiles]], Iterable[BuildingFiles]]
"""Hands on what it is given one by one: a progress bar."""


@dataclass(frozen=True)
class WorldFolder:
    """A world that was read. `splits` and `manifest` are empty where the folder has no `world.json`."""

    path: Path
    houses: tuple[House, ...]
    splits: dict[str, tuple[str, ...]]
    manifest: dict[str, Any]

    def __fspath__(self) -> str:
        """It stands for its folder wherever a path is asked for."""
        return str(self.path)

    def split(self, name: str) -> tuple[House, ...]:
        """The houses of one split."""
        if name not in self.splits:
            choices = f"it has {', '.join(self.splits)}" if self.splits else "it has none"
            raise InputError(f"{self.path}: has no split {shown(name)}; {choices}")
        return tuple(house for house in self.houses if house.name in self.splits[name])

    @property
    def pictures(self) -> tuple[str, dict[str, Any]] | None:
        """The source of its pictures, and the source's options, if `world.json` names one (`vnla.houses.pictures`)."""
        chosen = self.manifest.get("pictures")
        return None if chosen is None else (chosen["source"], chosen.get("options", {}))

    @property
    def features(self) -> str | None:
        """The features that agents see unless told otherwise, if `world.json` names any; several with commas between."""
        return self.manifest.get("features")

    def choosing(self, **choices: Any) -> WorldFolder:
        """The same world with other `pictures` or `features`, for `write_manifest`; None takes a choice back."""
        if choices and not self.manifest:
            command = f"vnla world import matterport {self.path} OUT"
            raise InputError(f"{self.path}: has no {MANIFEST}; make it a world first with: {command}")
        unchanged = {name: value for name, value in self.manifest.items() if name not in choices}
        manifest = {**unchanged, **{name: value for name, value in choices.items() if value is not None}}
        _check_choices(self.path / MANIFEST, manifest)
        return replace(self, manifest=manifest)


def write_world(
    path: Path,
    houses: Sequence[House],
    *,
    source: str,
    splits: Mapping[str, Sequence[str]] | None = None,
    extra: Mapping[str, Any] | None = None,
    choices: Mapping[str, Any] | None = None,
) -> None:
    """Write `houses` as the new world folder `path`, whole or not at all.

    `source` says where the houses come from ("generated", "matterport"); `extra` is kept in `world.json` as it is, and
    `choices` are its `pictures` and `features`, as `WorldFolder.choosing` has them.
    """
    if not houses:
        raise InputError(f"{path}: a world needs at least one house")
    names = [house.name for house in houses]
    listed = {name: list(members) for name, members in (splits or {}).items()}
    _check_splits(str(path), listed, names)
    with files.new_folder(path) as folder:
        write_matterport(folder, houses)
        manifest = {
            "format": FORMAT,
            "version": VERSION,
            "name": path.absolute().name,
            "source": source,
            "houses": names,
            "splits": listed,
            "counts": counts(houses),
            "extra": dict(extra or {}),
            "sha256": {file.relative_to(folder).as_posix(): _sha256(file) for file in _files(folder)},
            **(choices or {}),
        }
        _check_choices(path / MANIFEST, manifest)
        files.write_text(folder / MANIFEST, _manifest_text(manifest))


def read_world(path: Path, track: Track = iter) -> WorldFolder:
    """The world in a world folder, or in any folder of Matterport3D files."""
    manifest = read_manifest(path)
    if manifest:
        _check_checksums(path, manifest["sha256"])
    buildings = find_buildings(path, only=manifest.get("houses", ()))
    houses = tuple(map(read_house, track(buildings)))
    splits = {name: tuple(members) for name, members in manifest.get("splits", {}).items()}
    return WorldFolder(path, houses, splits, manifest)


def read_manifest(path: Path) -> dict[str, Any]:
    """What `world.json` says of a world, checked; nothing where the folder has none."""
    files.existing_folder(path, "a world folder")
    return _manifest(path / MANIFEST) if (path / MANIFEST).exists() else {}


def write_manifest(folder: WorldFolder) -> None:
    """Write a world's `world.json` anew, with what `choosing` has changed."""
    files.write_text(folder.path / MANIFEST, _manifest_text(folder.manifest))


def counts(houses: Iterable[House]) -> dict[str, int]:
    """How many of each thing there are."""
    total = {"houses": 0, "viewpoints": 0, "edges": 0, "rooms": 0, "objects": 0}
    for house in houses:
        total["houses"] += 1
        total["viewpoints"] += len(house.viewpoints)
        total["edges"] += len(house.edges)
        total["rooms"] += len(house.rooms)
        total["objects"] += len(house.objects)
    return total


def _manifest(path: Path) -> dict[str, Any]:
    value = files.read_json(path, WHAT)
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise InputError(f'{path}: is not the description of a world: expected "format": "{FORMAT}"')
    if value.get("version") != VERSION:
        found = shown(value.get("version"))
        raise InputError(f"{path}: field version is {found}; this vnla reads version {VERSION}: use a newer one")
    if not _texts(value.get("houses")):
        raise InputError(f"{path}: field houses is {shown(value.get('houses'))}; expected a list of names")
    for field in ("splits", "sha256"):
        if not isinstance(value.get(field), dict):
            raise InputError(f"{path}: field {field} is {shown(value.get(field))}; expected an object")
    for name, members in value["splits"].items():
        if not _texts(members):
            raise InputError(f"{path}: field splits, {shown(name)} is {shown(members)}; expected a list of names")
    _check_splits(str(path), value["splits"], value["houses"])
    _check_choices(path, value)
    return value


def _manifest_text(manifest: Mapping[str, Any]) -> str:
    return json.dumps(manifest, indent=2, allow_nan=False) + "\n"


def _check_choices(path: Path, manifest: Mapping[str, Any]) -> None:
    """What a world may choose, and need not."""
    pictures, features = manifest.get("pictures", {"source": ""}), manifest.get("features", "")
    sound = isinstance(pictures, dict) and set(pictures) <= {"source", "options"}
    if not sound or not isinstance(pictures.get("source"), str) or not isinstance(pictures.get("options", {}), dict):
        raise InputError(
            f'{path}: field pictures is {shown(pictures)}; expected {{"source": "NAME", "options": {{"name": value}}}}'
        )
    if not isinstance(features, str):
        raise InputError(f"{path}: field features is {shown(features)}; expected names, with commas between several")


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _check_splits(place: str, splits: Mapping[str, Sequence[str]], names: Sequence[str]) -> None:
    existing = set(names)
    split_of: dict[str, str] = {}
    for split, members in splits.items():
        for name in members:
            if name not in existing:
                raise InputError(f"{place}: the split {shown(split)} has the house {shown(name)}, which does not exist")
            if name in split_of:
                raise InputError(f"{place}: the house {shown(name)} is in the splits {split_of[name]} and {split}")
            split_of[name] = split


def _check_checksums(folder: Path, expected: Mapping[str, object]) -> None:
    found = {file.relative_to(folder).as_posix(): file for file in _files(folder)}
    for name, digest in expected.items():
        if name not in found:
            raise InputError(f"{folder}: the file {name[:200]!r} is missing, but {MANIFEST} lists it; make the world again")
        if _sha256(found[name]) != digest:
            raise InputError(
                f"{found[name]}: is not the file that {MANIFEST} describes: damaged or edited; make the world again,"
                f" or remove {MANIFEST} to read the folder without splits and checks"
            )


def _files(folder: Path) -> list[Path]:
    """The files that are the houses; a world folder may hold others, which are not described."""
    found = [path for part in ("connectivity", "v1") for path in (folder / part).rglob("*") if path.is_file()]
    return sorted(found)


def _sha256(path: Path) -> str:
    if path.stat().st_size > files.LARGEST_TEXT:
        raise InputError(f"{path}: is too large to belong to a world; make the world again")
    return checksums.of_file(path)
