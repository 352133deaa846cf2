"""The houses and the walks that tests of the benchmark share; they take a few seconds, once for each process."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiny_benchmark import Walks, copied_houses, manifest_of, walked, written
from vnla.experiments.benchmark.entry import Manifest
from vnla.experiments.benchmark.verification import VerifiedEntry, verify_entry


@pytest.fixture(scope="session")
def houses(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied_houses(tmp_path_factory)


@pytest.fixture(scope="session")
def manifest() -> Manifest:
    return manifest_of()


@pytest.fixture(scope="session")
def walks(houses: Path, manifest: Manifest) -> Walks:
    return walked(houses, manifest)


@pytest.fixture(scope="session")
def entry(walks: Walks, manifest: Manifest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("entries") / "walker", manifest, walks)


@pytest.fixture(scope="session")
def verified(entry: Path, houses: Path) -> VerifiedEntry:
    return verify_entry(entry, houses)


@pytest.fixture(scope="session")
def unasking(houses: Path, tmp_path_factory: pytest.TempPathFactory) -> VerifiedEntry:
    """A walker that never asks: another artefact, and so other fresh houses."""
    manifest = manifest_of("one that never asks")
    path = written(tmp_path_factory.mktemp("entries") / "unasking", manifest, walked(houses, manifest, asks=0))
    return verify_entry(path, houses)
