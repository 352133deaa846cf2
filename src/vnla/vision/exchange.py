"""Features in the files that other programs have: tab-separated text as for R2R and VNLA, HDF5 as DUET and others use it.

`ResNet-152-imagenet.tsv` has one line a viewpoint and no header: scanId, viewpointId, image_w, image_h, vfov, and base64 of
36 × dimension float32. It has 4 GB, so it is read line by line. An HDF5 file has one array (36, dimension) under the key
`<scan>_<viewpoint>`. Both may hold viewpoints that the world lacks, which are passed over, but not the other way round.

Where a world has level views alone, they are written as all 36, those that look up or down as whoever does so sees them.
"""

from __future__ import annotations

import base64
import binascii
import itertools
from collections.abc import Iterator, Sequence
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from vnla.camera import HEIGHT, VIEWS, WIDTH
from vnla.common import files
from vnla.common.errors import InputError
from vnla.common.process_pool import GONE, Failure, Member, process_pool, sound
from vnla.common.progress import Count, unheard
from vnla.vision.encoders.base import Float32, Size
from vnla.vision.level import ALL, LEVEL, LEVEL_SHOWN, LEVEL_VIEWS
from vnla.vision.store import IMPORTED, Features, FeatureStore, Header, Place, StoreWriter

TSV, HDF5 = (".tsv",), (".h5", ".hdf5")
TSV_WHAT = "tab-separated features: scanId, viewpointId, image_w, image_h, vfov, features"
LARGEST_DIMENSION = 1 << 14
LONGEST_LINE = VIEWS * LARGEST_DIMENSION * 4 * 4 // 3 + 4096
NO_LIMIT = 1 << 50
MATTERPORT_SIZE, MATTERPORT_FIELD = Size(WIDTH, HEIGHT), 60.0
"""What the images of nearly all published features were, where a file does not say."""


PATIENCE = 60.0
"""Seconds that the HDF5 library has for a viewpoint."""


class ViewpointFeatures(NamedTuple):
    """One viewpoint's features and where in the file they stand, for messages."""

    where: str
    place: Place
    size: Size
    vfov: float
    features: Float32  # (36, dimension)


def import_features(
    path: Path,
    out: Path,
    viewpoints: Sequence[Place],
    *,
    name: str,
    world: str = "",
    columns: int | None = None,
    views: str = ALL,
    progress: Count = unheard,
) -> FeatureStore:
    """Make the store `out` from a file of features, or of the level `views` in it; whole or not at all.

    `columns` takes only the first values of each view: DUET's files have class scores after the features.
    """
    records = read_tsv(path) if _is_tsv(path) else read_hdf5_apart(path, viewpoints)
    first = next(records, None)
    if first is None:
        raise InputError(f"{path}: is empty; expected features")
    dimension = columns or first.features.shape[1]
    weights = f"{IMPORTED}{path.name}"
    header = Header(name, weights, dimension, first.size, first.vfov, world, tuple(viewpoints), views=views)
    with StoreWriter(out, header, durable=False) as store:
        try:
            seen = _fill(store, itertools.chain([first], records), progress)
            missing = [place for place in header.viewpoints if place not in seen]
            if missing:
                house, viewpoint = missing[0]
                counts = f"{len(missing):,} of the world's {len(header.viewpoints):,} viewpoints"
                raise InputError(f"{path}: lacks {counts}, the first is {viewpoint} of house {house}")
            return store.finish()
        except BaseException:
            store.discard()
            raise


def _fill(store: StoreWriter, records: Iterator[ViewpointFeatures], progress: Count) -> dict[Place, str]:
    """Store the records of the world's viewpoints; gives those, with where in the file they stand."""
    row = {place: i for i, place in enumerate(store.header.viewpoints)}
    seen: dict[Place, str] = {}
    only = LEVEL_VIEWS if store.header.views == LEVEL else slice(None)
    for record in records:
        if record.place not in row:
            continue
        if record.place in seen:
            raise InputError(f"{record.where}: repeats the viewpoint of {seen[record.place]}")
        if record.features.shape[1] < store.header.dimension:
            raise InputError(
                f"{record.where}: {record.features.shape[1]} values a view; expected {store.header.dimension}, as before it"
            )
        seen[record.place] = record.where
        store.write(row[record.place], record.features[None, only, : store.header.dimension])
        progress(1)
    return seen


def read_tsv(path: Path) -> Iterator[ViewpointFeatures]:
    """The records of a tab-separated file, one at a time; all must have the same dimension."""
    dimension = None
    for number, line in files.read_lines(path, TSV_WHAT, LONGEST_LINE, NO_LIMIT, NO_LIMIT):
        if not line:
            continue
        record = _parse(line, f"{path}: line {number}")
        dimension = dimension or record.features.shape[1]
        if record.features.shape[1] != dimension:
            raise InputError(
                f"{record.where}: {record.features.shape[1]} values a view, but {dimension} in the lines before"
            )
        yield record


def _parse(line: str, where: str) -> ViewpointFeatures:
    fields = line.split("\t")
    if len(fields) != 6:
        raise InputError(f"{where}: {len(fields)} fields; expected 6, {TSV_WHAT}")
    house, viewpoint, width, height, vfov, encoded = fields
    try:
        size, field = Size(int(width), int(height)), float(vfov)
    except ValueError:
        raise InputError(
            f"{where}: image_w, image_h and vfov must be numbers, not {width!r}, {height!r}, {vfov!r}"
        ) from None
    try:
        data = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as error:
        raise InputError(f"{where}: the features are not base64 ({error})") from None
    if not data or len(data) % (VIEWS * 4):
        raise InputError(f"{where}: the features have {len(data):,} bytes; expected 36 × dimension float32")
    features = np.frombuffer(data, dtype="<f4").reshape(VIEWS, -1)
    return ViewpointFeatures(where, (house, viewpoint), size, field, _finite(features, where))


def read_hdf5(path: Path, viewpoints: Sequence[Place]) -> Iterator[ViewpointFeatures]:
    """The records of those viewpoints in an HDF5 file; each must be there."""
    h5py = _h5py()
    files.existing_file(path, "an HDF5 file of features")
    try:
        with h5py.File(path, "r") as archive:
            for house, viewpoint in viewpoints:
                yield _record(archive, path, house, viewpoint)
    except InputError:
        raise
    except (OSError, RuntimeError, LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise InputError(f"{path}: cannot be read as HDF5 ({' '.join(str(error).split())})") from None


def read_hdf5_apart(path: Path, viewpoints: Sequence[Place], patience: float = PATIENCE) -> Iterator[ViewpointFeatures]:
    """The same, read by a process of its own: in a damaged file the HDF5 library may look for something for ever, with ever
    more memory, and hear nobody. It is ended when it is not back after so many seconds."""
    with process_pool(lambda: Member(_send_hdf5, path, viewpoints, name="vnla HDF5", threads=1), 1) as (member,):
        for place in viewpoints:
            if not member.pipe.poll(patience):
                raise InputError(f"{path}: the HDF5 library is not back from key {'_'.join(place)}; the file is damaged")
            try:
                record: ViewpointFeatures | Failure = member.receive()
            except GONE:
                raise InputError(f"{path}: the process that read it {member.fate()}; the file is damaged") from None
            yield sound(record)


def _send_hdf5(pipe: Connection, path: Path, viewpoints: Sequence[Place]) -> None:
    try:
        for record in read_hdf5(path, viewpoints):
            pipe.send(record)
    except Exception as error:
        pipe.send(Failure.of(error))


def _record(archive: Any, path: Path, house: str, viewpoint: str) -> ViewpointFeatures:
    key = f"{house}_{viewpoint}"
    where = f"{path}: key {key}"
    if key not in archive:
        raise InputError(f"{where} is not there; expected one key <scan>_<viewpoint> a viewpoint of the world")
    if archive.get(key, getclass=True, getlink=True) is not _h5py().HardLink:
        raise InputError(f"{where}: is a link to elsewhere; expected the features themselves")
    data = archive[key]
    shape, kind = getattr(data, "shape", None), getattr(getattr(data, "dtype", None), "kind", None)
    if shape is None or len(shape) != 2 or shape[0] != VIEWS or not 0 < shape[1] <= LARGEST_DIMENSION or kind != "f":
        raise InputError(f"{where}: shape {shape}; expected {VIEWS} × dimension floating-point numbers")
    if data.external:
        raise InputError(f"{where}: keeps its numbers in another file; expected the features themselves")
    size = Size(
        *(int(data.attrs.get(name, usual)) for name, usual in zip(("image_w", "image_h"), MATTERPORT_SIZE, strict=True))
    )
    vfov = float(data.attrs.get("vfov", MATTERPORT_FIELD))
    return ViewpointFeatures(where, (house, viewpoint), size, vfov, _finite(np.asarray(data[...], dtype=np.float32), where))


def _finite(features: Float32, where: str) -> Float32:
    if not np.isfinite(features).all():
        raise InputError(f"{where}: a feature is not a finite number")
    return features


def export_features(store: FeatureStore, path: Path, progress: Count = unheard) -> None:
    """Write a store as a `.tsv` or `.h5` file, whole or not at all."""
    write = _write_tsv if _is_tsv(path) else _write_hdf5
    if path.exists():
        raise InputError(f"{path}: exists already; give a new name, or remove it first")
    with files.new_file(path) as working:
        write(store, working, progress)


def _write_tsv(store: FeatureStore, path: Path, progress: Count) -> None:
    header = store.header
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        for (house, viewpoint), features in zip(header.viewpoints, _all_views(store), strict=True):
            encoded = base64.b64encode(features.astype("<f4").tobytes()).decode("ascii")
            stream.write(f"{house}\t{viewpoint}\t{header.size.width}\t{header.size.height}\t{header.vfov:g}\t{encoded}\n")
            progress(1)


def _all_views(store: FeatureStore) -> Iterator[Features]:
    """Features (36, dimension) of each viewpoint in turn."""
    shown = list(LEVEL_SHOWN) if store.header.views == LEVEL else slice(None)
    return (features[shown] for features in store.array)


def _write_hdf5(store: FeatureStore, path: Path, progress: Count) -> None:
    header = store.header
    about = {"image_w": header.size.width, "image_h": header.size.height, "vfov": header.vfov}
    with _h5py().File(path, "w", locking=False) as archive:  # the unfinished file is held already
        for (house, viewpoint), features in zip(header.viewpoints, _all_views(store), strict=True):
            data = archive.create_dataset(f"{house}_{viewpoint}", data=features.astype(np.float32))
            data.attrs.update({"scanId": house, "viewpointId": viewpoint, **about})
            progress(1)


def _is_tsv(path: Path) -> bool:
    ending = path.suffix.lower()
    if ending not in TSV + HDF5:
        raise InputError(f"{path}: unknown kind of file; expected a name that ends in {', '.join(TSV + HDF5)}")
    return ending in TSV


def _h5py() -> Any:
    try:
        return import_module("h5py")
    except ImportError as error:
        raise InputError(f"HDF5 files need the package h5py ({error}); pip install h5py, or use .tsv") from None
