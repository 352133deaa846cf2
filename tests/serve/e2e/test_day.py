"""The task of the day, other agents, and the end of a walk that found it, in a browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from cottage_run import write_cottage
from serve.conftest import SECRET
from serve.e2e.conftest import Open, write_pictures
from serve.e2e.guest import DESK, PHONE, Guest
from serve.e2e.serving import Serving
from serve.visitor import GENEROUS, Opened
from vnla.camera import VIEWS
from vnla.cli.serve import OWN_NAMES
from vnla.houses.folder import read_world
from vnla.serve.app import make_app
from vnla.serve.other_agents import OtherAgents, OtherTrainedAgent
from vnla.serve.sessions import Sessions
from vnla.serve.site import Site
from vnla.training.trained import Trained, open_trained


@pytest.fixture(scope="module")
def street_site(trained: Trained, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Two cottages with pictures, a task of the day, and another agent, which is the same one."""
    folder = tmp_path_factory.mktemp("street")
    world, tasks = write_cottage(folder, houses=2)
    write_pictures(world, read_world(world).houses)
    found = open_trained(trained.folder, world=world, tasks=tasks)
    site = Site(found, folder / "pictures", SECRET, days=folder / "days")
    other = OtherTrainedAgent(site.engine)
    other.around = True
    site.service.other_agents = OtherAgents({"another": lambda: other})
    yield site
    site.close()


@pytest.fixture(scope="module")
def street(street_site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    sessions = Sessions(tmp_path_factory.mktemp("sessions"), GENEROUS)
    with Serving(make_app(Opened(street_site), sessions, OWN_NAMES, GENEROUS)) as serving:
        yield serving


MOST_TASKS = 12
"""Tasks that are tried until one is solved."""


def axe_finds_nothing(guest: Guest) -> None:
    for scheme in ("light", "dark"):
        guest.page.emulate_media(color_scheme=scheme)
        found = Axe().run(guest.page).response["violations"]
        assert not found, [(each["id"], scheme, [node["html"] for node in each["nodes"]]) for each in found]


def begin_day(guest: Guest) -> None:
    guest.go("/#today")
    guest.button("Begin").click()
    expect(guest.page.locator(".pad")).to_be_visible()


@pytest.mark.parametrize("size", [PHONE, pytest.param(DESK, marks=pytest.mark.slow)], ids=["phone", "desk"])
def test_a_day(open_guest: Open, street: Serving, size: dict[str, int], tmp_path: Path) -> None:
    guest = open_guest(street, viewport=size, accept_downloads=True)
    begin_day(guest)
    page, begun = guest.page, guest.state["begun"]
    expect(page.get_by_role("timer")).to_contain_text("4:")
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"Task of {begun['day']}")
    guest.act("ArrowRight")
    page.reload()
    expect(page.locator(".pad")).to_be_visible()
    assert guest.state["begun"] == begun and len(guest.state["steps"]) == 2
    page.get_by_role("link", name="Beat it").click()
    first = page.get_by_text("Finish the task of the day first; Today goes on with it.")
    expect(first).to_be_visible()
    page.get_by_role("link", name="Watch").click()
    guest.until(lambda: guest.state["begun"]["mode"] == "watch")
    page.get_by_role("link", name="Today").click()
    expect(first).to_have_count(0)
    guest.button("Begin").click()
    guest.until(lambda: guest.state["begun"] == begun)
    expect(page.locator(".pad")).to_be_visible()
    guest.button("It is here").click()
    expect(page.locator(".marks i")).to_have_count(2)
    result = guest.state["ended"]["ending"]["day"]
    assert result["date"] == datetime.now(UTC).date().isoformat()
    expect(page.locator(".days .own")).to_have_count(1)
    with page.expect_download() as download:
        guest.button("Picture").click()
    picture = tmp_path / "result.png"
    download.value.save_as(picture)
    assert picture.read_bytes().startswith(b"\x89PNG") and download.value.suggested_filename.endswith(".png")
    assert guest.width_needed() <= size["width"]
    axe_finds_nothing(guest)
    kept = json.loads(page.evaluate("localStorage.getItem('vnla-days')"))
    assert kept == {result["date"]: result}
    page.get_by_role("link", name="Watch").click()
    guest.until(lambda: guest.state["begun"]["mode"] == "watch")
    page.get_by_role("link", name="Today").click()
    expect(page.locator(".marks i")).to_have_count(2)
    expect(guest.button("Begin")).to_have_count(0)
    other = open_guest(street)
    other.go(f"/#day={result['token']}")
    expect(other.page.locator(".shared")).to_contain_text(f"Somebody's task of {result['date']}: ")
    expect(other.button("Begin")).to_be_visible()
    other.go("/#day=%")
    other.page.reload()
    other.forgiven = "404"
    expect(other.page.locator(".shared")).to_contain_text("This result was not made here")


def test_two_agents_side_by_side_and_one_to_beat(open_guest: Open, street: Serving) -> None:
    guest = open_guest(street, viewport=PHONE)
    page = guest.go("/#watch")
    guest.to_end()
    guest.button("Side by side").click()
    expect(page.get_by_role("heading", level=2)).to_have_text(["The robot of this page", "another"])
    expect(page.locator(".half").nth(1).locator(".around image")).to_have_count(12)
    assert [step["pose"] for step in guest.second["steps"]] == [step["pose"] for step in guest.state["steps"]]
    assert guest.width_needed() <= PHONE["width"]
    axe_finds_nothing(guest)
    page.get_by_role("link", name="Beat it").click()
    guest.button("It is here").click()
    page.get_by_label("Against whom").select_option("another")
    page.locator(".agents").get_by_role("button", name="Beat it").click()
    guest.until(lambda: guest.state["begun"]["agent"] == "another" and guest.state["ended"] is None)
    guest.button("It is here").click()
    expect(page.locator(".ending")).to_contain_text("Another ")
    expect(page.locator(".plan .name").first).to_be_attached()  # who walked without names is told them now
    page.get_by_role("link", name="Watch").click()
    guest.until(lambda: guest.state["begun"]["mode"] == "watch")
    guest.see()


def test_what_was_found_is_outlined(open_guest: Open, street: Serving, street_site: Site) -> None:
    guest = open_guest(street, viewport=DESK)
    page = guest.go("/#beat")
    for _ in range(MOST_TASKS):
        find(guest, street_site)
        if guest.state["ended"]["success"]:
            break
        before = guest.state["begun"]["episode"]
        page.keyboard.press("n")
        guest.until(lambda before=before: guest.state["begun"]["episode"] != before)
    assert guest.state["ended"]["success"], "some ways are short enough for somebody who turns one way only"
    expect(page.locator(".outline polygon").first).to_be_attached()
    expect(page.locator(".plan .sought").or_(page.locator(".storeys")).first).to_be_attached()
    axe_finds_nothing(guest)


def find(guest: Guest, street_site: Site) -> None:
    """Go where the goal is and stop there; the server knows where."""
    guest.until(lambda: bool(guest.state["steps"]))
    world = street_site.service.walker_world
    task = next(
        task for task in street_site.engine.goals.offered
        if guest.state["begun"]["sentence"].lower() == task.end_goal.replace(" .", ".")
        and guest.state["begun"]["house"] == world.places.name(world.house(task))
    )  # fmt: skip
    number = {world.pose(each).viewpoint: each for each in range(0, VIEWS * len(world._names), VIEWS)}
    while guest.state["ended"] is None:
        pose = guest.state["steps"][-1]["pose"]
        way = world.way(number[pose["viewpoint"]], task)
        if len(way) == 1:
            guest.act("s")
        elif guest.state["steps"][-1]["ahead"][:1] == way[1:2]:
            guest.act(" ")
        else:
            guest.act("ArrowRight")
