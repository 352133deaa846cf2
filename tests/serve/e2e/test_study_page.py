"""A study in the browser, from the consent to the code."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from serve.conftest import SECRET
from serve.e2e.conftest import Open
from serve.e2e.guest import PHONE, Guest
from serve.e2e.serving import Serving
from serve.visitor import GENEROUS, Opened
from vnla.cli.serve import OWN_NAMES
from vnla.serve.study.app import StudySite, make_study_app
from vnla.serve.study.design import DESIGN, Design
from vnla.serve.study.making import StudySizes, conditions_of, make_study
from vnla.serve.study.records import Stamp
from vnla.serve.study.service import StudyService
from vnla.training.trained import Trained

AGENT = "agent"


@pytest.fixture
def studying(pictured: Trained, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Serving]:
    """A study; a test may give fields of its own."""
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
    path, fields = folder / DESIGN, getattr(request, "param", {})
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))
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
    guest.button("Copy the code").click()
    page.get_by_text("I do not want to take part after all").click()
    check(guest)
    guest.button("Withdraw and delete …").click()
    check(guest)
    guest.button("Keep it").click()
    expect(page.locator(".code")).to_have_text(code)
    guest.button("Withdraw and delete …").click()
    guest.button("Delete it all").click()
    expect(page.get_by_text("All that was recorded of you has been deleted.", exact=False)).to_be_visible()


def test_withdrawing(open_guest: Open, studying: Serving) -> None:
    guest = open_guest(studying)
    page = guest.go()
    page.get_by_label("I have read this and agree to take part.").check()
    guest.button("Begin").click()
    guest.button("Withdraw").click()
    guest.button("Withdraw and delete").click()
    expect(page.get_by_text("All that was recorded of you has been deleted.", exact=False)).to_be_visible()


@pytest.mark.parametrize("studying", [{"platform": "PROLIFIC_PID"}], indirect=True)
def test_who_comes_without_an_id_is_told_before_consent(open_guest: Open, studying: Serving) -> None:
    guest = open_guest(studying, viewport=PHONE)
    for path in ("/", "/?PROLIFIC_PID=", "/?PROLIFIC_PID=%20%20"):
        page = guest.go(path)
        expect(page.get_by_text("no id of yours", exact=False)).to_be_visible()
        assert not page.get_by_role("checkbox").count()
    check(guest)
    page = guest.go("/?PROLIFIC_PID=%20a1B2%20")
    page.get_by_role("checkbox").check()
    guest.button("Begin").click()
    expect(guest.button("Start")).to_be_visible()


def test_who_cannot_draw_is_told_before_consent(plain: Browser, studying: Serving) -> None:
    guest = Guest(plain, studying.address, viewport=PHONE)
    page = guest.go()
    expect(page.get_by_text("this browser cannot draw them", exact=False)).to_be_visible()
    assert not page.get_by_role("checkbox").count()
    check(guest)
