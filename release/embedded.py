"""Makes the small world that comes with the package: python release/embedded.py FOLDER

FOLDER is for what is made on the way, and what it has already is not made again. Drawing and encoding all views takes four
minutes of processor time.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from vnla.common import checksums, files
from vnla.experiments.embedded import CHECKSUMS, DATA, FEATURES, FOLDERS, NAME, SEED, TASKS, WORLD, write_features
from vnla.experiments.embedded.rounding import packed, restored, rounded, rounded_header
from vnla.houses.folder import read_world
from vnla.houses.sightings import sightings_of
from vnla.vision.encoders import DEFAULT
from vnla.vision.store import ARRAY, INDEX, FeatureStore, StoreWriter, store_path


def make(folder: Path) -> None:
    """Make what is missing of the world, the tasks and the features."""
    world, tasks = folder / WORLD, folder / TASKS
    commands = {
        world: ["world", "make", world, "--preset", NAME, "--seed", SEED],
        tasks: ["tasks", "make", world, tasks, "--seed", SEED],
        store_path(world, DEFAULT) / INDEX: ["features", "make", world, "--encoder", DEFAULT],
    }
    for made, words in commands.items():
        if not made.exists():
            subprocess.run([sys.executable, "-m", "vnla", *map(str, words)], check=True)
    small = read_world(world)
    for house in small.split("test"):  # advice is read in these: what is in view there is drawn and kept
        sightings_of(small, house)


def ship(made: Path) -> None:
    """Write the files of the package."""
    store = FeatureStore.open(store_path(made / WORLD, DEFAULT))
    store.verify()
    files.write_bytes(DATA / FEATURES, packed(store.array))
    with tempfile.TemporaryDirectory() as place:
        small = Path(place)
        shutil.copytree(made / WORLD, small / WORLD, ignore=shutil.ignore_patterns("features"))
        shutil.copytree(made / TASKS, small / TASKS)
        index = store_path(small / WORLD, DEFAULT)
        with StoreWriter(index, rounded_header(store.header), durable=False) as writer:
            writer.write(0, restored(rounded(store.array)))
            writer.finish()
        (index / ARRAY).unlink()
        write_members(small)


def write_members(small: Path) -> None:
    """Write the archive of everything but the array, and the checksums of everything."""
    members = {path.relative_to(small).as_posix(): path for path in sorted(small.rglob("*")) if path.is_file()}
    members = {name: path for name, path in members.items() if path.name != ".lock"}
    files.write_zip(DATA / FOLDERS, members)
    write_features(small)
    array = store_path(small / WORLD, DEFAULT) / ARRAY
    sums = {name: checksums.of_file(path) for name, path in members.items()}
    sums |= {array.relative_to(small).as_posix(): checksums.of_file(array)}
    sums |= {name: checksums.of_file(DATA / name) for name in (FOLDERS, FEATURES)}
    files.write_text(DATA / CHECKSUMS, json.dumps(sums, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    make(Path(sys.argv[1]))
    ship(Path(sys.argv[1]))
