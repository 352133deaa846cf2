"""One bit after the other is changed in checkpoints, features, speakers and what worlds keep: none is computed with."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

from cottage_run import write_cottage
from torture.readers import READERS
from vnla.common.errors import InputError
from vnla.houses.cottage import cottage
from vnla.houses.folder import read_world
from vnla.houses.sightings import by_boxes, keep_arrays, kept_arrays
from vnla.language.speaker.kept import read_with_moments
from vnla.training.checkpoints import read_checkpoint
from vnla.vision.store import FeatureStore


class Kept(NamedTuple):
    """A file of ours with a checksum: what makes a sample of it, and what is computed with."""

    name: str
    make: Callable[[Path], Path]
    content: Callable[[Path], dict[str, Any]]


def _sample(reader: str) -> Callable[[Path], Path]:
    return next(each for each in READERS if each.name == reader).make


def _tensors(path: Path) -> dict[str, Any]:
    return {name: tensor.numpy() for name, tensor in read_checkpoint(path)[0].items()}


def _features(path: Path) -> dict[str, Any]:
    store = FeatureStore.open(path.parent)
    store.verify()
    header = {name: str(value) for name, value in vars(store.header).items()}
    return {"features": np.array(store.array), **header}


def _in_view(folder: Path) -> Path:
    world = read_world(write_cottage(folder)[0])
    keep_arrays(world, "cottage", "the same", {"seen": by_boxes(cottage())})
    return world.path / "sights" / "cottage.npz"


def _seen(path: Path) -> dict[str, Any]:
    found = kept_arrays(read_world(path.parents[1]), "cottage", "the same")
    if found is None or set(found) != {"seen"}:
        raise InputError("it is drawn again")
    return found


def _facts(path: Path) -> dict[str, Any]:
    """What is computed with."""
    known = next(each for each in READERS if each.name == "facts").read(path)
    return {name: tensor.numpy() for name, tensor in vars(known).items()}


def _speaks(path: Path) -> dict[str, Any]:
    speaker, moments, _ = read_with_moments(path)
    tensors = {**speaker.network.state_dict(), **{f"adam.{name}": each for name, each in moments.items()}}
    return {name: tensor.numpy() for name, tensor in tensors.items()} | {"words": np.array(speaker.words)}


KEPT = (
    Kept("a checkpoint", _sample("checkpoint"), _tensors),
    Kept("features", _sample("features.f16"), _features),
    Kept("the index of features", _sample("features"), _features),
    Kept("what is in view", _in_view, _seen),
    Kept("facts", _sample("facts"), _facts),
    Kept("a speaker", _sample("speaker"), _speaks),
)


def flips(work: Path, seed: int, most: int) -> Iterator[dict[str, Any]]:
    """A report on each: so many bits, or all if there are no more, each changed alone."""
    for kept in KEPT:
        folder = work / "flips" / kept.name.replace(" ", "-")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        path = kept.make(folder)
        data, right = path.read_bytes(), kept.content(path)
        bits = 8 * len(data)
        chosen = Random(f"{seed} {kept.name}").sample(range(bits), min(most, bits))
        refused, wrong = 0, []
        for bit in sorted(chosen):
            damaged = bytearray(data)
            damaged[bit // 8] ^= 1 << bit % 8
            path.write_bytes(damaged)
            try:
                found = kept.content(path)
            except InputError:
                refused += 1
                continue
            if not _same(found, right):
                wrong.append({"bit": bit, "wrong": "was read as something else"})
        yield {"file": kept.name, "bytes": len(data), "bits": len(chosen), "refused": refused, "wrong": wrong}


def _same(found: dict[str, Any], right: dict[str, Any]) -> bool:
    """Whether the numbers are what they were; white space, or a name that nothing is computed with, may not be."""
    return found.keys() == right.keys() and all(
        np.array_equal(found[name], value) for name, value in right.items() if isinstance(value, np.ndarray)
    )
