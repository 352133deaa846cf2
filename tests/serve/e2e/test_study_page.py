"""A study in the browser, from the consent to the code."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from serve.conftest import SECRET
from serve.e2e.conftest import Open
from serve.e2e.guest import PHONE, Guest
from serve.e2e.serving import Serving
from serve.visitor import GENEROUS, Opened
from vnla.cli.serve import OWN_NAMES
from vnla.serve.study.app import StudySite, make_study_app
from vnla.serve.study.design import Design
from vnla.serve.study.making import StudySizes, conditions_of, make_study
from vnla.serve.study.records import Stamp
from vnla.serve.study.service import StudyService
from vnla.training.trained import Trained

AGENT = "agent"


@pytest.fixture
def studying(pictured: Trained, tmp_path: Path) -> Iterator[Serving]:
    folder, agents = tmp_path / "study", {AGENT: str(pictured.folder)}
    make_study(
        folder,
        world=Path(pictured.config.world),
        tasks=Path(pictured.config.tasks),
        agents=agents,
        conditions=conditions_of("help:person,beat", agents),
        arrangement="within",
        split="test_unseen",
        sizes=StudySizes(each=1, groups=1, practice=1, passes=0, catch=0),
        seed=0,
    )
    site = StudySite({AGENT: pictured}, tmp_path / "pictures", SECRET)
    desk = StudyService(folder, Stamp.of(Design.read(folder)), GENEROUS)
    with Serving(make_study_app(Opened(site), desk, OWN_NAMES, GENEROUS)) as serving:
        yield serving
    site.close()


def check(guest: Guest) -> None:
    """What must hold on every screen."""
    assert guest.width_needed() <= PHONE["width"]
    found = Axe().run(guest.page).response["violations"]
    assert not found, [(each["id"], [node["html"] for node in each["nodes"]]) for each in found]


def do_task(guest: Guest) -> None:
    """What there is to do, somehow; with a reload in the middle."""
    guest.until(lambda: guest.state["begun"] is not None and guest.state["ended"] is None)
    if guest.state["begun"]["mode"] == "beat":
        guest.act("ArrowLeft")
        guest.page.reload()
        guest.see()
        check(guest)
        guest.page.keyboard.press("s")
    else:
        expect(guest.page.get_by_label("Tell it the way")).to_be_visible()
        guest.page.reload()
        check(guest)
        while guest.state["ended"] is None:
            step = guest.state["waits"]["step"]
            guest.page.get_by_label("Tell it the way").fill("turn right and walk two steps")
            guest.button("Say it").click()
            guest.until(lambda step=step: guest.stands_still() and guest.state["steps"][-1]["step"] > step)
        guest.to_end()
    guest.button("Go on").click()


@pytest.mark.slow
def test_from_consent_to_code(open_guest: Open, studying: Serving) -> None:
    guest = open_guest(studying, viewport=PHONE)
    page = guest.go()
    begin = guest.button("Begin")
    expect(begin).to_be_disabled()
    check(guest)
    page.get_by_label("I have read this and agree to take part.").check()
    begin.click()
    for number in (1, 2):
        expect(page.get_by_text(f"Task {number} of 2")).to_be_visible()
        guest.button("Start").click()
        do_task(guest)
    expect(page.locator(".code")).to_be_visible()
    code = page.locator(".code").inner_text()
    check(guest)
    page.reload()
    expect(page.locator(".code")).to_have_text(code)


def test_withdrawing(open_guest: Open, studying: Serving) -> None:
    guest = open_guest(studying)
    page = guest.go()
    page.get_by_label("I have read this and agree to take part.").check()
    guest.button("Begin").click()
    guest.button("Withdraw").click()
    guest.button("Withdraw and delete").click()
    expect(page.get_by_text("All that was recorded of you has been deleted.", exact=False)).to_be_visible()
