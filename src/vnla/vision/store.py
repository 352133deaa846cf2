"""The feature store: the features of all views of a world as one memory-mapped float16 array with an index.

::

    WORLD/features/<encoder>/features.json    what this is, the order of the viewpoints, checksums by house; written last
    WORLD/features/<encoder>/features.f16     (viewpoints, 36, dimension) float16, little-endian, nothing else

A store may have the level views alone: `"views": "level"` in its index and an array (viewpoints, 12, dimension). It is kept
under the encoder's name and `-level`. Where there is none of that name, the level views of the encoder's own are taken.

While features are being made, `features.json` is missing and two more files are there: `unfinished.json`, which says what
is being made, and `done`, one byte a viewpoint. A byte is set only after that viewpoint's features are on disk, so a killed
extraction continues where it was, and never counts half a row as done.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import itertools
import json
import os
import shlex
import shutil
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vnla.camera import HEADINGS, VIEWS
from vnla.common import checksums, files
from vnla.common.errors import InputError
from vnla.common.machine import cores_here
from vnla.common.progress import Count, unheard
from vnla.houses.folder import WorldFolder
from vnla.vision.encoders import ENCODERS, Size
from vnla.vision.level import ALL, LEVEL, LEVEL_SHOWN, LEVEL_VIEWS, encoder_and_views, store_name

if TYPE_CHECKING:
    from vnla.world.compiled import World

FORMAT = "vnla-features"
VERSION = 1
INDEX, UNFINISHED, DONE, ARRAY = "features.json", "unfinished.json", "done", "features.f16"
WHAT = "the index of a feature store"
DTYPE = np.dtype("<f2")
LARGEST = float(np.finfo(np.float16).max)
_PIECE = 1 << 20  # bytes
_INFINITE = 0x7C00  # the bits of that number; those of no number are more
IMPORTED, REDUCED = "from ", "components of "
"""How the weights of a store begin whose features came from a file, or are those of another, reduced."""

Place = tuple[str, str]
"""A viewpoint: the name of its house, and its id."""
Features = NDArray[np.float16]


@dataclass(frozen=True)
class Header:
    """What features are of and how they were made: two stores with equal headers hold the same features."""

    encoder: str
    weights: str
    dimension: int
    size: Size
    """Of the images, in pixels."""
    vfov: float
    """Vertical field of view of the images, degrees."""
    world: str
    """Checksum of the world folder; empty where the folder has none."""
    viewpoints: tuple[Place, ...]
    options: tuple[tuple[str, Any], ...] = ()
    """The encoder's own, by name."""
    views: str = ALL
    """Which views of each viewpoint: all, or level."""

    @property
    def view_count(self) -> int:
        """How many views there are of each viewpoint."""
        return HEADINGS if self.views == LEVEL else VIEWS

    def as_json(self) -> dict[str, Any]:
        """The header as the index has it; viewpoints by house, in order."""
        houses: list[dict[str, Any]] = []
        for house, viewpoint in self.viewpoints:
            if not houses or houses[-1]["name"] != house:
                houses.append({"name": house, "viewpoints": []})
            houses[-1]["viewpoints"].append(viewpoint)
        return {
            "format": FORMAT,
            "version": VERSION,
            "encoder": self.encoder,
            "weights": self.weights,
            **({"options": dict(self.options)} if self.options else {}),
            **({"views": self.views} if self.views != ALL else {}),
            "shape": [len(self.viewpoints), self.view_count, self.dimension],
            "dtype": "float16",
            "image": list(self.size),
            "vfov": self.vfov,
            "world": self.world,
            "houses": houses,
        }


class Sums(NamedTuple):
    """Checksums (SHA-256)."""

    array: str = ""
    """Of the whole array; empty where it is not finished."""
    houses: Mapping[str, str] = MappingProxyType({})
    """Of each house's part of it; of stores that were made before there were any, none."""


def read_header(path: Path) -> tuple[Header, Sums]:
    """The header in an index, and the checksums."""
    value = files.read_json(path, WHAT)
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise InputError(f'{path}: is not {WHAT}: expected "format": "{FORMAT}"')
    if value.get("version") != VERSION:
        raise InputError(f"{path}: version {value.get('version')!r}; this vnla reads version {VERSION}: use a newer one")
    try:
        places = tuple((str(each["name"]), str(name)) for each in value["houses"] for name in each["viewpoints"])
        width, height = map(int, value["image"])
        header = Header(
            encoder=str(value["encoder"]),
            weights=str(value["weights"]),
            dimension=int(value["shape"][2]),
            size=Size(width, height),
            vfov=float(value["vfov"]),
            world=str(value["world"]),
            viewpoints=places,
            options=tuple(dict(value.get("options", {})).items()),
            views=_views_of(value.get("views", ALL)),
        )
        by_house = {str(each["name"]): str(each.pop("sha256")) for each in value["houses"] if "sha256" in each}
        if not places or header.dimension < 1:
            raise ValueError("it describes no features")
        if header.as_json() != {key: each for key, each in value.items() if key != "sha256"}:
            raise ValueError("its fields do not agree with each other")
        return header, Sums(str(value.get("sha256", "")), by_house)
    except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
        raise InputError(f"{path}: is damaged ({error!r}); make the features again") from None


def _views_of(value: object) -> str:
    if value not in (ALL, LEVEL):
        raise ValueError(f"views {value!r}")
    return str(value)


@dataclass(frozen=True)
class FeatureStore:
    """Finished features on disk."""

    path: Path
    header: Header
    sums: Sums
    cut: bool = False
    """Whether only the level views are given, of a file that has all."""

    @classmethod
    def open(cls, path: Path) -> FeatureStore:
        """The store in the folder `path`. The array is mapped, not read; `verify` reads it."""
        files.existing_folder(path, "a folder of features")
        if not (path / INDEX).is_file() and (path / UNFINISHED).is_file():
            raise InputError(f"{path}: its features are not finished; run the same vnla features command again")
        header, sums = read_header(path / INDEX)
        found = files.existing_file(path / ARRAY, "the array of a feature store").stat().st_size
        expected = len(header.viewpoints) * row_bytes(header)
        if found != expected:
            raise InputError(f"{path / ARRAY}: {found:,} bytes, but {INDEX} describes {expected:,}; make the features again")
        return cls(path, header, sums)

    @property
    def sha256(self) -> str:
        """The checksum of the array."""
        return self.sums.array

    @cached_property
    def array(self) -> Features:
        """(viewpoints, 36, dimension), or 12 of level views, mapped into memory, not to be written on."""
        shape = (len(self.header.viewpoints), self.file_views, self.header.dimension)
        mapped = np.memmap(self.path / ARRAY, dtype=DTYPE, mode="r", shape=shape)
        found: Features = mapped[:, LEVEL_VIEWS] if self.cut else mapped
        return found

    @property
    def file_views(self) -> int:
        """How many views of each viewpoint the file has."""
        return VIEWS if self.cut else self.header.view_count

    @property
    def shown(self) -> tuple[int, ...]:
        """Which of the file's views is seen in each of the 36, where they are not these: up and down as level."""
        if self.header.views == ALL:
            return ()
        first = LEVEL_VIEWS.start if self.cut else 0
        return tuple(first + view for view in LEVEL_SHOWN)

    def level(self) -> FeatureStore:
        """The level views alone."""
        if self.header.views == LEVEL:
            return self
        return FeatureStore(self.path, replace(self.header, views=LEVEL), self.sums, cut=True)

    def verify(self) -> None:
        """Read the whole array, a piece at a time: it has to be what its checksums say, and hold numbers alone."""
        damaged, endless = self._read_through()
        if damaged:
            raise InputError(f"{self.path / ARRAY}: is not what {INDEX} describes: damaged; make the features again")
        if endless:
            raise InputError(f"{self.path}: holds values that are no numbers; make the features again")

    def damaged(self, progress: Count = unheard) -> list[str]:
        """The houses whose features are not what the index describes, or no numbers; `progress` counts viewpoints. Of a
        store without checksums by house, all of them if anything is not what it was."""
        damaged, endless = self._read_through(progress)
        return [name for name, _ in rows_by_house(self.header) if name in damaged or name in endless]

    def _read_through(self, progress: Count = unheard) -> tuple[set[str], set[str]]:
        """The houses that are not what their checksum says, and those with values that are no numbers."""
        in_file = replace(self.header, views=ALL) if self.cut else self.header
        found = list(_houses_read(self.path, in_file, progress))
        endless = {each.name for each in found if not each.numbers}
        if self.sums.houses:
            return {each.name for each in found if each.sha256 != self.sums.houses.get(each.name)}, endless
        whole = checksums.of_file(self.path / ARRAY) == self.sha256
        return set() if whole else {each.name for each in found}, endless

    def at_poses(self, world: World, poses: NDArray[np.int64]) -> Features:
        """What is seen from some poses of a world, (poses, dimension)."""
        shown = np.array(LEVEL_SHOWN if self.header.views == LEVEL else range(VIEWS))
        found: Features = self.for_world(world)[poses // VIEWS, shown[poses % VIEWS]]
        return found

    def for_world(self, world: World) -> Features:
        """Features in the order of the world's viewpoints; the mapped array itself where that is the order on disk."""
        wanted = viewpoints_of(world)
        if wanted == self.header.viewpoints:
            return self.array
        row = {place: i for i, place in enumerate(self.header.viewpoints)}
        for house, viewpoint in wanted:
            if (house, viewpoint) not in row:
                raise InputError(
                    f"{self.path}: has no features of viewpoint {viewpoint} of house {house}; make them for this world"
                )
        return self.array[[row[place] for place in wanted]]


class StoreWriter(contextlib.AbstractContextManager["StoreWriter"]):
    """A store in the making. `pending` are the rows not yet done; `finish` turns it into a `FeatureStore`.

    Leaving the `with` block without `finish` keeps what is done, for the next attempt with an equal header. Whoever would
    rather start again sets `durable` to False and does not wait for the disk after every row.
    """

    def __init__(self, path: Path, header: Header, *, durable: bool = True) -> None:
        _check(header)
        self.path, self.header, self._durable = path, header, durable
        if (path / INDEX).exists():
            raise _exists(path, FeatureStore.open(path).header, header)
        if not (path / UNFINISHED).exists():
            _begin(path, header)
        elif (begun := read_header(path / UNFINISHED)[0]) != header:
            raise _exists(path, begun, header)
        self._array = (path / ARRAY).open("r+b")
        self._marks = (path / DONE).open("r+b")
        try:
            _lock(self._marks, path)
            self._done = _marks(self._marks, self._array, header, path)
        except BaseException:
            self.close()
            raise

    @property
    def pending(self) -> NDArray[np.int64]:
        """Numbers of the viewpoints whose features are still missing."""
        return np.flatnonzero(self._done == 0)

    def write(self, first: int, features: NDArray[np.floating[Any]]) -> None:
        """Store the features (n, 36, dimension) of the viewpoints from number `first` on, and mark them as done; 12 each if
        the store has level views alone."""
        count, shape = len(features), (self.header.view_count, self.header.dimension)
        if features.shape[1:] != shape or not 0 <= first <= first + count <= len(self._done):
            raise ValueError(f"features of shape {features.shape} do not fit rows {first} and on of this store")
        with np.errstate(invalid="ignore"):
            good = (np.abs(features) <= LARGEST).all(axis=(1, 2))
        if not good.all():
            house, viewpoint = self.header.viewpoints[first + int(good.argmin())]
            raise InputError(
                f"viewpoint {viewpoint} of house {house}: a feature is no number, or beyond float16's ±{LARGEST:,.0f}"
            )
        _put(self._array, first * row_bytes(self.header), features.astype(DTYPE).tobytes(), self._durable)
        # The order matters: features reach the disk before the mark that vouches for them.
        _put(self._marks, first, b"\1" * count, self._durable)
        self._done[first : first + count] = 1

    def read(self, rows: slice) -> Features:
        """What is stored of some viewpoints, (n, 36 or 12, dimension)."""
        size = row_bytes(self.header)
        self._array.seek(rows.start * size)
        data = self._array.read((rows.stop - rows.start) * size)
        return np.frombuffer(data, dtype=DTYPE).reshape(-1, self.header.view_count, self.header.dimension)

    def finish(self) -> FeatureStore:
        """Write the index, which makes the store whole. Every viewpoint must be done."""
        if len(self.pending):
            house, viewpoint = self.header.viewpoints[self.pending[0]]
            raise InputError(
                f"{self.path}: {len(self.pending):,} viewpoints have no features, the first is {viewpoint} of house {house}"
            )
        os.fsync(self._array.fileno())
        self.close()
        index = {**self.header.as_json(), "sha256": checksums.of_file(self.path / ARRAY)}
        sums = {each.name: each.sha256 for each in _houses_read(self.path, self.header)}
        for house in index["houses"]:
            house["sha256"] = sums[house["name"]]
        files.write_text(self.path / INDEX, json.dumps(index, indent=1) + "\n")
        for name in (UNFINISHED, DONE):
            (self.path / name).unlink()
        return FeatureStore.open(self.path)

    def discard(self) -> None:
        """Remove what was written."""
        self.close()
        shutil.rmtree(self.path)
        with contextlib.suppress(OSError):
            self.path.parent.rmdir()

    def close(self) -> None:
        """Let go of the files; what is done stays."""
        self._array.close()
        self._marks.close()

    def __exit__(self, *_: object) -> None:
        self.close()


def store_path(world: Path, encoder: str) -> Path:
    """Where a world folder keeps the features of an encoder."""
    if not any(each.isascii() and each.isalnum() for each in encoder):
        raise InputError(f"encoder {encoder!r}: a name needs letters or digits")
    return world / "features" / files.file_name(encoder)


def world_features(folder: WorldFolder, name: str) -> FeatureStore:
    """The features that a world folder keeps under a name, an encoder's as a rule; they must be of this very world.

    Level views that are not kept by themselves are those of the encoder's 36, if these are there.
    """
    path = store_path(folder.path, name)
    whole, views = encoder_and_views(name)
    if not path.is_dir() and views == LEVEL and (store_path(folder.path, whole) / INDEX).is_file():
        return world_features(folder, whole).level()
    if not path.is_dir():
        raise InputError(f"{path}: no features; {_missing(folder, name)}")
    if not (path / INDEX).is_file() and (path / UNFINISHED).is_file():
        again = _command(folder, name, read_header(path / UNFINISHED)[0])
        raise InputError(f"{path}: its features are not finished; go on with: {again}")
    store = FeatureStore.open(path)
    if store.header.world != world_checksum(folder):
        again = _command(folder, name, store.header)
        raise InputError(f"{path}: made before the world was changed; remove that folder and make it again with: {again}")
    return store


def stale_features(folder: WorldFolder) -> list[str]:
    """Names of the features in a world folder that were made before the world was changed."""
    checksum = world_checksum(folder)
    headers = {path.parent.name: read_header(path)[0] for path in sorted(folder.path.glob(f"features/*/{INDEX}"))}
    return [name for name, header in headers.items() if header.world != checksum]


def _missing(folder: WorldFolder, name: str) -> str:
    """What to do about features that are not there."""
    encoder, _, size = name.rpartition("-")
    there = sorted(path.parent.name for path in folder.path.glob(f"features/*/{INDEX}"))
    alone, views = encoder_and_views(name)
    if views == LEVEL and (alone in ENCODERS or ":" in alone):
        return f"make them with: {_shell('make', folder.path, '--encoder', alone, '--views', LEVEL)}"
    if size.isdecimal() and (
        encoder_and_views(encoder)[0] in ENCODERS or (encoder and store_path(folder.path, encoder).name in there)
    ):
        return f"make them with: {_shell('reduce', folder.path, '--encoder', encoder, '--size', size)}"
    make = _shell("make", folder.path, "--encoder", name)
    if name in ENCODERS or ":" in name or not there:
        return f"make them with: {make}"
    return f"there are {', '.join(there)}; make others with: {make}"


def _command(folder: WorldFolder, name: str, header: Header) -> str:
    """The command that makes features like those that are there."""
    if header.weights.startswith(IMPORTED):
        of = [] if header.views == ALL else ["--views", header.views]
        return _shell("import", folder.path, header.weights.removeprefix(IMPORTED), "--name", name, *of)
    if header.weights.startswith(REDUCED):
        encoder = name.removesuffix(f"-{header.dimension}")
        return _shell("reduce", folder.path, "--encoder", encoder, "--size", header.dimension)
    own = [part for option, value in header.options for part in ("--encoder-option", f"{option}={_typed(value)}")]
    own += [] if header.views == ALL else ["--views", header.views]
    usual = store_path(folder.path, store_name(header.encoder, header.views))
    named = [] if usual == store_path(folder.path, name) else ["--name", name]
    return _shell("make", folder.path, "--encoder", header.encoder, *own, *named)


def _typed(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _shell(*words: object) -> str:
    return shlex.join(["vnla", "features", *map(str, words)])


def world_checksum(folder: WorldFolder) -> str:
    """What tells a world folder from another with the same names in it; empty without a `world.json`.

    Where its pictures come from is a part of it if `world.json` says so.
    """
    if "sha256" not in folder.manifest:
        return ""
    pictures = {name: folder.manifest[name] for name in ("pictures",) if name in folder.manifest}
    return checksums.of_json({**folder.manifest["sha256"], **pictures})[:16]


def viewpoints_of(world: World) -> tuple[Place, ...]:
    """The world's viewpoints in its order."""
    return tuple(
        (house, viewpoint) for house, graph in zip(world.houses, world.graphs, strict=True) for viewpoint in graph.ids
    )


def row_bytes(header: Header) -> int:
    """Bytes of one viewpoint's features on disk."""
    return header.view_count * header.dimension * DTYPE.itemsize


def _check(header: Header) -> None:
    if not header.viewpoints or header.dimension < 1:
        raise InputError("features need at least one viewpoint and one value a view")
    if len(set(header.viewpoints)) < len(header.viewpoints):
        raise InputError("features: a viewpoint is listed twice")


def _begin(path: Path, header: Header) -> None:
    """Files of the right size, empty; the description comes last, as only with it do they count as begun."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        for name, size in ((ARRAY, len(header.viewpoints) * row_bytes(header)), (DONE, len(header.viewpoints))):
            with (path / name).open("wb") as stream:
                stream.truncate(size)
                os.fsync(stream.fileno())
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None
    files.write_text(path / UNFINISHED, json.dumps(header.as_json(), indent=1) + "\n")


def _exists(path: Path, found: Header, wanted: Header) -> InputError:
    if found == wanted:
        return InputError(f"{path}: these features are there already; remove that folder to make them again")
    changed = [name for name, value in vars(wanted).items() if getattr(found, name) != value]
    return InputError(f"{path}: holds features with another {' and '.join(changed)}; remove that folder first")


def _marks(stream: io.BufferedRandom, array: io.BufferedRandom, header: Header, path: Path) -> NDArray[np.uint8]:
    done = np.frombuffer(stream.read(), dtype=np.uint8).copy()
    size = array.seek(0, os.SEEK_END)
    if len(done) != len(header.viewpoints) or done.max() > 1 or size != len(done) * row_bytes(header):
        raise InputError(f"{path}: the unfinished features are damaged; remove that folder and start again")
    return done


def _put(stream: io.BufferedRandom, offset: int, data: bytes, durable: bool) -> None:
    stream.seek(offset)
    stream.write(data)
    stream.flush()
    if durable:
        os.fsync(stream.fileno())


def _lock(stream: io.BufferedRandom, path: Path) -> None:
    """Keep a second process from writing here; where the system cannot lock files, nobody is kept from it."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise InputError(f"{path}: another process is writing these features; wait for it") from None


def are_numbers(features: Features) -> bool:
    """Whether none of the features of viewpoints is infinite or no number: by their bits, in a fifth of the time."""
    return all(int((each.view("<u2") & 0x7FFF).max()) < _INFINITE for each in features)


def rows_by_house(header: Header) -> Iterator[tuple[str, range]]:
    """The houses in the order of the array, and their rows."""
    first = 0
    for name, places in itertools.groupby(header.viewpoints, key=lambda place: place[0]):
        last = first + sum(1 for _ in places)
        yield name, range(first, last)
        first = last


class _HouseRead(NamedTuple):
    """What was found in the part of the array that is a house's."""

    name: str
    sha256: str
    numbers: bool


def _houses_read(path: Path, header: Header, progress: Count = unheard) -> Iterator[_HouseRead]:
    """Each house's part of the array as it is on disk, read once, in as many threads as there are cores: what is hashed is
    looked at as well. No more than a piece for each thread is in memory."""
    size, houses = row_bytes(header), list(rows_by_house(header))

    def read(name: str, rows: range) -> _HouseRead:
        digest, left, numbers = hashlib.sha256(), len(rows) * size, True
        with (path / ARRAY).open("rb") as stream:
            stream.seek(rows.start * size)
            while left and (data := stream.read(min(left, _PIECE))):
                digest.update(data)
                numbers = numbers and len(data) % DTYPE.itemsize == 0 and are_numbers(np.frombuffer(data, DTYPE)[None])
                left -= len(data)
        return _HouseRead(name, digest.hexdigest(), numbers)

    with ThreadPoolExecutor(cores_here()) as threads:
        for (_, rows), found in zip(houses, threads.map(read, *zip(*houses, strict=True)), strict=True):
            progress(len(rows))
            yield found
