"""A site with a small agent in the cottage, and a server for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cottage_run import write_cottage
from serve.visitor import Door, Visitor
from vnla import cli
from vnla.serve.engine import EpisodeEngine
from vnla.serve.site import Site
from vnla.training.trained import Trained, open_trained

SECRET = b"of the tests"


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """An agent that has learned next to nothing, walks about until its time is up, and asks as soon as it can."""
    folder = tmp_path_factory.mktemp("serve")
    world, tasks = write_cottage(folder)
    options = ["--world", world, "--tasks", tasks, "--features", "symbolic", "--help-policy", "first"]
    sizes = ["--iterations", 1, "--batch", 4, "--hidden", 8, "--seed", 7]
    with pytest.raises(SystemExit):
        cli.main([str(each) for each in ["train", folder / "run", *options, *sizes]])
    return open_trained(folder / "run")


@pytest.fixture(scope="session")
def engine(trained: Trained) -> Iterator[EpisodeEngine]:
    engine = EpisodeEngine(trained)
    yield engine
    engine.close()


@pytest.fixture(scope="session")
def site(trained: Trained, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    site = Site(trained, tmp_path_factory.mktemp("pictures"), SECRET)
    yield site
    site.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where sessions are kept."""
    return tmp_path / "sessions"


@pytest.fixture
def door(site: Site, folder: Path) -> Iterator[Door]:
    with Door(site, folder) as door:
        yield door


@pytest.fixture
def visitor(door: Door) -> Visitor:
    return Visitor(door)
