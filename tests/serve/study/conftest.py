"""A study in the cottage."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from serve.study.people import StudyDoor
from vnla.serve.keys import KEY
from vnla.serve.study.app import StudySite
from vnla.serve.study.design import CONSENT
from vnla.serve.study.making import StudySizes, conditions_of, make_study
from vnla.serve.study.store import StudyKey
from vnla.training.trained import Trained

AGENT = "agent"
SECRET = StudyKey(bytes(range(32)))
"""Of all studies here: they share a site."""


@pytest.fixture(scope="session")
def study_site(trained: Trained, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudySite]:
    site = StudySite({AGENT: trained}, tmp_path_factory.mktemp("pictures"), SECRET.names)
    yield site
    site.close()


def new_study(folder: Path, trained: Trained) -> None:
    """Two conditions of one task each, one task to practise with and one to catch."""
    agents = {AGENT: str(trained.folder)}
    make_study(
        folder,
        world=Path(trained.config.world),
        tasks=Path(trained.config.tasks),
        agents=agents,
        conditions=conditions_of("help:person,beat", agents),
        arrangement="within",
        split="test_unseen",
        sizes=StudySizes(each=1, groups=1, practice=1, passes=1, catch=1),
        seed=0,
    )
    (folder / KEY).write_text(SECRET.key.hex())
    fill_in(folder)


def fill_in(folder: Path) -> None:
    """Fill in all blanks of a consent text."""
    path = folder / CONSENT
    path.write_text(re.sub(r"\[\[(.*?)\]\]", r"\1", path.read_text()))


@pytest.fixture
def study(trained: Trained, tmp_path: Path) -> Path:
    new_study(tmp_path / "study", trained)
    return tmp_path / "study"


@pytest.fixture
def door(study_site: StudySite, study: Path) -> Iterator[StudyDoor]:
    with StudyDoor(study_site, study) as door:
        yield door
