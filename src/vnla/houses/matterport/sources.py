"""Finds the files of each building in the folder layouts that people have.

The connectivity folder is `SRC/connectivity`, or SRC itself. Rooms and objects are looked for under `SRC/v1/scans`,
`SRC/scans` and SRC, in `<id>/house_segmentations/`, in `<id>/<id>/house_segmentations/` (the download unpacked where it
lay) and in the download itself, `<id>/house_segmentations.zip`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from vnla.common import files
from vnla.common.errors import InputError
from vnla.houses.matterport.notes import shown

SUFFIX = "_connectivity.json"
SEGMENTATIONS = "house_segmentations"
PANORAMAS = "panorama_to_region.txt"
SCANS_WHAT = "scans.txt, one building a line"


@dataclass(frozen=True, slots=True)
class TextFile:
    """A text file in a folder or, where `member` is given, in a zip archive."""

    path: Path
    member: str | None = None

    def __str__(self) -> str:
        return str(self.path) if self.member is None else f"{self.path}:{self.member}"

    def place(self, line: int) -> str:
        """A line of the file, as messages name it."""
        return f"{self}:{line}"

    def lines(self, what: str) -> Iterator[tuple[int, str]]:
        """The lines with their numbers from 1."""
        if self.member is None:
            return files.read_lines(self.path, what)
        return files.read_zip_lines(self.path, self.member, what)


@dataclass(frozen=True, slots=True)
class BuildingFiles:
    """The files of one building; None where there is none."""

    name: str
    connectivity: Path
    house: TextFile | None = None
    panoramas: TextFile | None = None


def find_buildings(
    source: Path, *, connectivity: Path | None = None, scans: Path | None = None, only: Sequence[str] = ()
) -> tuple[BuildingFiles, ...]:
    """The buildings under `source`; `connectivity` and `scans` say where to look instead, `only` which ones to take."""
    files.existing_folder(source, "a folder with Matterport3D buildings")
    folder = _connectivity_folder(source, connectivity)
    roots = [files.existing_folder(scans, "the folder of scans")] if scans else _scan_roots(source)
    names = _chosen(folder, only)
    for name in names:
        _check_name(name, str(folder))
    return tuple(_building(name, folder, roots) for name in names)


def check_plain_name(name: str) -> None:
    """Raise `ValueError` where `name` cannot be part of a file name and of a line of fields."""
    if not name or name.startswith(".") or any(c in "/\\" or c.isspace() or not c.isprintable() for c in name):
        raise ValueError(f"{shown(name)} cannot be a building's name: no spaces, no slashes, no leading dot")


def _check_name(name: str, place: str) -> None:
    try:
        check_plain_name(name)
    except ValueError as error:
        raise InputError(f"{place}: {error}") from None


def _connectivity_folder(source: Path, given: Path | None) -> Path:
    if given is not None:
        return files.existing_folder(given, "the folder of connectivity files")
    if (source / "connectivity").is_dir():
        return source / "connectivity"
    if next(source.glob(f"*{SUFFIX}"), None) is not None:
        return source
    raise InputError(f"{source}: has no connectivity folder and no *{SUFFIX} files; name their folder with --connectivity")


def _scan_roots(source: Path) -> list[Path]:
    return [root for root in (source / "v1" / "scans", source / "scans", source) if root.is_dir()]


def _chosen(folder: Path, only: Sequence[str]) -> list[str]:
    listed = folder / "scans.txt"
    found = sorted(path.name.removesuffix(SUFFIX) for path in folder.glob(f"*{SUFFIX}"))
    names = _listed(listed, found, only) if listed.exists() else found
    if not names:
        raise InputError(f"{folder}: has no buildings; expected files called <id>{SUFFIX}")
    for name in only:
        if name not in names:
            raise InputError(f"{folder}: has no building {shown(name)}; it has {_some(names)}")
    return [name for name in names if name in only] if only else names


def _listed(path: Path, found: list[str], only: Sequence[str]) -> list[str]:
    names: dict[str, None] = {}
    present = set(found)
    for line, text in files.read_lines(path, SCANS_WHAT):
        name = text.strip()
        if not name:
            continue
        if name in names:
            raise InputError(f"{path}:{line}: the building {shown(name)} is listed twice")
        if name not in present and (not only or name in only):
            raise InputError(f"{path}:{line}: the building {shown(name)} has no file {name[:40]}{SUFFIX} beside this one")
        names[name] = None
    return list(names)


def _building(name: str, folder: Path, roots: Sequence[Path]) -> BuildingFiles:
    return BuildingFiles(
        name, folder / f"{name}{SUFFIX}", house=_find(name, roots, f"{name}.house"), panoramas=_find(name, roots, PANORAMAS)
    )


def _find(name: str, roots: Sequence[Path], file: str) -> TextFile | None:
    for root in roots:
        for folder in (root / name / SEGMENTATIONS, root / name / name / SEGMENTATIONS):
            if (folder / file).exists():
                return TextFile(folder / file)
        archive = root / name / f"{SEGMENTATIONS}.zip"
        if archive.exists() and (member := _member(archive, name, file)):
            return TextFile(archive, member)
    return None


def _member(archive: Path, name: str, file: str) -> str | None:
    wanted = PurePosixPath(name, SEGMENTATIONS, file)
    for member in files.zip_members(archive, "the download of a building's rooms and objects"):
        # Compared as paths: some of the published archives have // in their names.
        if PurePosixPath(member) == wanted:
            return member
    return None


def _some(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 5 else f"{', '.join(names[:4])} and {len(names) - 4} others"
