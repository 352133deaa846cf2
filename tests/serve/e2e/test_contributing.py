"""A visitor of a real browser gives what they type, and takes it back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from serve.e2e.conftest import Open
from serve.e2e.guest import PHONE, Guest
from serve.e2e.serving import Serving
from serve.visitor import GENEROUS, Opened
from vnla.cli.serve import OWN_NAMES
from vnla.serve.app import make_app
from vnla.serve.contributions.collecting import Contributions
from vnla.serve.contributions.store import ContributionStore
from vnla.serve.sessions import Sessions
from vnla.serve.site import Site


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> ContributionStore:
    return ContributionStore(tmp_path_factory.mktemp("given"), b"secret")


@pytest.fixture(scope="module")
def collecting(pictured_site: Site, store: ContributionStore, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    sessions: Path = tmp_path_factory.mktemp("sessions")
    app = make_app(Opened(pictured_site), Sessions(sessions, GENEROUS), OWN_NAMES, GENEROUS, Contributions(store))
    with Serving(app) as serving:
        yield serving


def say(guest: Guest, text: str) -> None:
    guest.until(guest.stands_still)
    step = guest.state["waits"]["step"]
    guest.page.get_by_label("Tell it the way").fill(text)
    guest.button("Say it").click()
    guest.until(lambda: guest.stands_still() and guest.state["steps"][-1]["step"] > step)


def check(guest: Guest) -> None:
    assert guest.width_needed() <= PHONE["width"]
    for colour in ("light", "dark"):
        guest.page.emulate_media(color_scheme=colour)  # type: ignore[arg-type]
        found = Axe().run(guest.page).response["violations"]
        assert not found, [(each["id"], [node["html"] for node in each["nodes"]]) for each in found]


def test_giving_and_taking_back(open_guest: Open, collecting: Serving, store: ContributionStore) -> None:
    guest = open_guest(collecting, viewport=PHONE)
    page = guest.go("/#help")
    say(guest, "turn left")
    assert not store.everything()
    page.get_by_text("Give what you type").click()
    agrees = page.get_by_label("I agree to give what I type to the robot.")
    expect(agrees).not_to_be_checked()
    agrees.check()
    expect(guest.button("Take it all back")).to_be_visible()
    check(guest)
    field = page.get_by_label("Tell it the way")
    field.fill("qwertz")
    guest.button("Give it all the same").click()
    expect(page.get_by_text("would not understand that", exact=False)).to_be_visible()
    say(guest, "turn right <b>")
    page.reload()
    expect(page.get_by_text("You give what you type")).to_be_visible()
    page.get_by_text("You give what you type").click()
    expect(page.get_by_text("2 sentences of yours kept so far.")).to_be_visible()
    given = {each.contribution.text: each.contribution.understood for each in store.everything()}
    assert set(given) == {"qwertz", "turn right <b>"} and given["qwertz"] is None
    guest.button("Take it all back").click()
    guest.button("Delete them").click()
    expect(page.get_by_text("2 sentences deleted.")).to_be_visible()
    expect(agrees).not_to_be_checked()
    assert not store.everything()
    assert page.evaluate("Object.keys(localStorage)") == []


def test_a_page_that_does_not_collect_does_not_ask(guest: Guest) -> None:
    page = guest.go("/#help")
    guest.until(guest.stands_still)
    assert not page.get_by_text("Give what you type").count()
