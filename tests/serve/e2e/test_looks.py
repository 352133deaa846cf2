"""How the page looks and sounds: on a phone, with few things moving, and to axe-core, on every screen."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from serve.e2e.conftest import Open
from serve.e2e.guest import DESK, PHONE, Guest
from serve.e2e.serving import Serving

COUNTS_DRAWING = """
window.drawn = [];
const draw = WebGL2RenderingContext.prototype.drawElements;
WebGL2RenderingContext.prototype.drawElements = function (...all) {
  drawn.push(all[1]);
  return draw.apply(this, all);
};
"""
LEAST = 9
"""Pixels of a letter's height and line."""
BALL = 5_000
"""More corners than what is drawn around the camera has; a house has more."""


def first(guest: Guest) -> None:
    guest.go().get_by_text("Why?").click()


def watch(guest: Guest) -> None:
    page = guest.go("/#watch")
    page.get_by_text("Why?").click()
    page.get_by_text("Let it look for something else").click()
    page.get_by_label("What should it find?").fill("find a towel in the bathhouse")
    expect(page.locator(".field mark")).to_be_attached()


def watched(guest: Guest) -> None:
    guest.go("/#watch")
    guest.to_end()


def help_it(guest: Guest) -> None:
    guest.go("/#help").get_by_label("Tell it the way").fill("turn right and glorp")
    expect(guest.page.locator(".field mark")).to_be_attached()


def what_if(guest: Guest) -> None:
    watched(guest)
    guest.button("What if …?").first.click()
    guest.button("… or nothing?").click()
    expect(guest.page.locator(".half")).to_have_count(2)


def beat(guest: Guest) -> None:
    guest.go("/#beat")
    guest.button("Ask").click()
    expect(guest.page.locator(".bubble.answers")).to_be_visible()


def beaten(guest: Guest) -> None:
    guest.go("/#beat")
    guest.button("It is here").click()
    expect(guest.page.locator(".ending")).to_be_visible()


def keys(guest: Guest) -> None:
    guest.go().keyboard.press("?")
    expect(guest.page.get_by_role("dialog", name="Keys")).to_be_visible()


def nowhere(guest: Guest) -> None:
    guest.go("/#w=nonsense")
    expect(guest.page.get_by_role("link", name="Watch another one")).to_be_visible()


@pytest.mark.parametrize(
    "screen",
    [
        first,
        watch,
        help_it,
        what_if,
        beat,
        keys,
        nowhere,
        *(pytest.param(each, marks=pytest.mark.slow) for each in (watched, beaten)),
    ],
)
def test_phones_and_desks_show_it_all_and_axe_finds_nothing(
    open_guest: Open, serving: Serving, screen: Callable[[Guest], None]
) -> None:
    guest = open_guest(serving, viewport=PHONE)
    screen(guest)
    for size in (PHONE, DESK):
        guest.page.set_viewport_size(size)
        assert guest.width_needed() <= size["width"]
        for scheme in ("light", "dark"):
            guest.page.emulate_media(color_scheme=scheme)
            found = Axe().run(guest.page).response["violations"]
            assert not found, [(each["id"], size, scheme, [node["html"] for node in each["nodes"]]) for each in found]


@pytest.mark.parametrize(("screen", "last"), [(help_it, "Say nothing"), (watched, "Another one"), (beaten, "Another one")])
def test_what_there_is_to_do_is_in_view(
    open_guest: Open, serving: Serving, screen: Callable[[Guest], None], last: str
) -> None:
    guest = open_guest(serving, viewport=DESK)
    screen(guest)
    box = guest.button(last).bounding_box()
    assert box is not None and box["y"] + box["height"] <= DESK["height"]


def test_names_on_a_small_plan_can_be_read(open_guest: Open, serving: Serving) -> None:
    guest = open_guest(serving, viewport=PHONE)
    watched(guest)
    names = guest.page.locator(".plan .name")
    height = "each => Math.hypot(each.getCTM().a, each.getCTM().b) * each.getAttribute('font-size')"
    heights = names.evaluate_all(f"all => all.map({height})")
    assert heights and min(heights) >= LEAST


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_the_house_passes_by_while_one_walks_unless_few_things_shall_move(
    open_guest: Open, serving: Serving, motion: str
) -> None:
    guest = open_guest(serving, reduced_motion=motion, viewport={"width": 400, "height": 500})
    guest.page.add_init_script(COUNTS_DRAWING)
    with guest.page.expect_response("**/mesh/*"):
        page = guest.go()
    guest.button("Pause").click()
    guest.page.wait_for_timeout(500)
    page.evaluate("drawn.length = 0")
    while "goes forward" not in page.locator(".now").inner_text():
        page.keyboard.press(".")
        page.wait_for_timeout(100)
    guest.see()
    shows_house = f"drawn.some((corners) => corners > {BALL})"
    if motion == "no-preference":
        guest.until(lambda: bool(page.evaluate(shows_house)))
    else:
        assert not page.evaluate(shows_house)


def test_what_happens_is_said(guest: Guest) -> None:
    guest.go("/#beat")
    live = guest.page.locator("[aria-live=polite].unseen")
    expect(live).to_contain_text("way ahead")
    guest.act("ArrowRight")
    expect(live).to_contain_text("You turn right. Looking ")
    guest.page.keyboard.press("a")
    expect(live).to_contain_text("The advisor says:")


def test_a_place_in_the_picture_is_a_button(guest: Guest) -> None:
    guest.go("/#beat")
    guest.until(lambda: bool(guest.state["steps"]))
    while not guest.state["steps"][-1]["ahead"]:
        guest.act("ArrowRight")
    before = guest.state["steps"][-1]["pose"]["viewpoint"]
    guest.button("Go forward to here").click()
    guest.until(lambda: guest.state["steps"][-1]["pose"]["viewpoint"] != before)
