"""The small world as it comes with the package: its houses, AskNav in them, and what is seen from every viewpoint.

    world, tasks = embedded_world()

It is what `vnla world make --preset small --seed 0`, `vnla tasks make` and `vnla features make` give. It never changes, so
nobody has to draw 15,300 views before an agent can walk. Features are rounded to sixteenths, which makes them a fifth as
large. The world is unpacked once into the user's cache, whole or not at all, and its checksums are compared whenever it is
used. `vnla serve`, `watch`, `evaluate`, the demo and the tests share it. `release/embedded.py` makes these files.
"""

from __future__ import annotations

import json
import shutil
from functools import cache
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from vnla.common import checksums, files
from vnla.common.errors import InputError

DATA = Path(__file__).parent
CHECKSUMS, FOLDERS, FEATURES = "checksums.json", "small.zip", "features.xz"
"""Files of the package: checksums, world and tasks, and features. The first has also those of all that is unpacked."""
WORLD, TASKS = "world", "tasks"
NAME = "small"
"""The preset that it is."""
SEED = 0
LARGEST = 128 * files.MEGABYTE

_unpacking = Lock()

_WHAT = "a part of the package vnla"


class EmbeddedWorld(NamedTuple):
    """Where the small world is."""

    world: Path
    """The world folder, with features of EfficientNet-Lite0."""
    tasks: Path
    """AskNav in it."""


def embedded_world() -> EmbeddedWorld:
    """Return the small world in the user's cache; it is unpacked if it is not there, which takes a few seconds once."""
    with _unpacking:
        return _unpacked(files.user_cache())


@cache
def _unpacked(place: Path) -> EmbeddedWorld:
    expected = package_checksums()
    folder = place / f"{NAME}-{checksums.of_json(expected)[:12]}"
    if not is_whole(folder, expected):
        _unpack(folder, expected)
    return EmbeddedWorld(folder / WORLD, folder / TASKS)


def package_checksums() -> dict[str, str]:
    """Return the checksum of each file of the small world, by its path in the cache, and of those of the package."""
    path = DATA / CHECKSUMS
    with files.taken_apart(path, f"{_WHAT}; install it again"):
        return {str(name): str(digest) for name, digest in files.read_json(path, _WHAT).items()}


def is_whole(folder: Path, expected: dict[str, str]) -> bool:
    """Return whether a folder has everything of the small world, and nothing of it was changed."""
    paths = {folder / name: digest for name, digest in expected.items() if "/" in name}
    try:
        return all(checksums.of_file(path) == digest for path, digest in paths.items())
    except OSError:
        return False


def _unpack(folder: Path, expected: dict[str, str]) -> None:
    """Unpack everything into a new folder, in place of one that is damaged."""
    for name in (FOLDERS, FEATURES):
        if checksums.of_file(files.existing_file(DATA / name, _WHAT)) != expected[name]:
            raise InputError(f"{DATA / name}: is damaged; install vnla again")
    if folder.exists():
        shutil.rmtree(folder, ignore_errors=True)
    try:
        with files.new_folder(folder) as new:
            files.unpack_zip(DATA / FOLDERS, new, _WHAT, LARGEST)
            write_features(new)
    except InputError:
        if not is_whole(folder, expected):  # else another process was quicker
            raise
    if not is_whole(folder, expected):
        raise InputError(f"{folder}: could not be unpacked; install vnla again")


def write_features(folder: Path) -> None:
    """Write the array of features into the small world in `folder`, whose index is there."""
    from vnla.experiments.embedded.rounding import unpacked
    from vnla.vision.encoders import DEFAULT
    from vnla.vision.store import ARRAY, INDEX, read_header, store_path

    store = store_path(folder / WORLD, DEFAULT)
    header, _ = read_header(store / INDEX)
    files.write_bytes(store / ARRAY, unpacked(DATA / FEATURES, header).tobytes())


def is_embedded(world: Path) -> bool:
    """Return whether a world folder is the small world, so that its features need not be made."""
    from vnla.houses.folder import MANIFEST

    inside = json.loads((embedded_world().world / MANIFEST).read_text(encoding="utf-8"))
    there = files.read_json(world / MANIFEST, "the description of a world folder") if (world / MANIFEST).is_file() else {}
    same = ("houses", "splits", "sha256", "pictures")
    return isinstance(there, dict) and all(there.get(name) == inside.get(name) for name in same)


def place_features(world: Path) -> None:
    """Put the features of the small world into a folder that is the same world, in place of others of the same name."""
    from vnla.vision.encoders import DEFAULT
    from vnla.vision.store import ARRAY, INDEX, store_path

    if not is_embedded(world):
        raise InputError(
            f"{world}: is not the small world that comes with vnla; make its features: vnla features make {world}"
        )
    source, target = store_path(embedded_world().world, DEFAULT), store_path(world, DEFAULT)
    if target.exists():
        shutil.rmtree(target)
    with files.new_folder(target) as new:
        for name in (ARRAY, INDEX):
            shutil.copyfile(source / name, new / name)


def withdraw_features(world: Path) -> None:
    """Remove features that came with the package from a world folder, so that they can be made there."""
    from vnla.experiments.embedded.rounding import ROUNDED
    from vnla.vision.encoders import DEFAULT
    from vnla.vision.store import INDEX, read_header, store_path

    target = store_path(world, DEFAULT)
    if (target / INDEX).is_file() and read_header(target / INDEX)[0].weights.endswith(ROUNDED):
        shutil.rmtree(target)
