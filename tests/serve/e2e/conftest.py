"""The page in a real browser: a server of the cottage, with pictures, and a headless Chromium that reaches nothing else.

Playwright's own plugin for pytest keeps an event loop running for a whole session, in which no other test of the process
could run one; so the few fixtures that are needed are here, and last as long as a file of tests.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, sync_playwright

from serve.conftest import SECRET
from serve.e2e.guest import Guest
from serve.e2e.serving import Serving
from serve.visitor import GENEROUS, Opened
from vnla.cli.serve import OWN_NAMES
from vnla.houses.house import House
from vnla.houses.pictures import IMAGES, SCANS
from vnla.houses.skybox import face_directions, write_skybox
from vnla.serve.app import make_app
from vnla.serve.sessions import Sessions
from vnla.serve.site import Site
from vnla.training.trained import Trained, open_trained

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--disable-gpu",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
_FACE = 64
_STRIPES = 9

Open = Callable[..., Guest]


def chromium() -> str:
    """Where a Chromium is."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("there is no Chromium: install one (apt install chromium), or name one in the variable CHROMIUM")
    return found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, chromium_sandbox=False, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def plain(browser: Browser) -> Iterator[Browser]:
    """A browser without WebGL."""
    flags = [*(flag for flag in FLAGS if "swiftshader" not in flag), "--disable-3d-apis"]
    plain = browser.browser_type.launch(executable_path=chromium(), chromium_sandbox=False, args=flags)
    yield plain
    plain.close()


@pytest.fixture(scope="session")
def pictured(trained: Trained, tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """The agent in a cottage of which there are pictures: each direction has a colour, and there are stripes."""
    world = tmp_path_factory.mktemp("pictured") / "world"
    shutil.copytree(trained.config.world, world)
    write_pictures(world, trained.material.folder.houses)
    return open_trained(trained.folder, world=world, tasks=Path(trained.config.tasks))


def write_pictures(world: Path, houses: Iterable[House]) -> None:
    """Pictures of all viewpoints of some houses of a world."""
    for house in houses:
        for number, stand in enumerate(house.viewpoints):
            directions = face_directions(_FACE, stand.rotation)
            stripes = np.sin((_STRIPES + number) * directions.sum(-1, keepdims=True)) > 0
            faces = np.rint(directions * 90 + 128 + 37 * (2 * stripes - 1)).astype(np.uint8)
            write_skybox(world / SCANS / house.name / IMAGES, stand.id, faces)


@pytest.fixture(scope="session")
def pictured_site(pictured: Trained, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    site = Site(pictured, tmp_path_factory.mktemp("pictures"), SECRET)
    yield site
    site.close()


@pytest.fixture(scope="module")
def serving(pictured_site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    sessions = Sessions(tmp_path_factory.mktemp("sessions"), GENEROUS)
    with Serving(make_app(Opened(pictured_site), sessions, OWN_NAMES, GENEROUS)) as serving:
        yield serving


@pytest.fixture
def open_guest(browser: Browser) -> Iterator[Callable[..., Guest]]:
    """Opens guests of a server; nothing may go wrong for any of them."""
    guests: list[Guest] = []

    def opened(serving: Serving, **options: object) -> Guest:
        guests.append(Guest(browser, serving.address, **options))
        return guests[-1]

    yield opened
    troubles = [trouble for guest in guests for trouble in guest.close()]
    assert not troubles, troubles


@pytest.fixture
def guest(open_guest: Open, serving: Serving) -> Guest:
    return open_guest(serving)
