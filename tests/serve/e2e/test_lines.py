"""What happens to a visitor's line: reloads, others, a lost connection, links that lead nowhere."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from serve.e2e.conftest import Open
from serve.e2e.guest import Guest
from serve.e2e.serving import Serving

CLICK = "words => [...document.querySelectorAll('button')].find(each => each.textContent === words)?.click()"
"""Clicks a button now, if it is there."""


def begin(guest: Guest, mode: str) -> None:
    """Go into the middle of an episode."""
    guest.go(f"/#{mode}")
    guest.until(lambda: bool(guest.state["steps"]))
    if mode == "help":
        guest.button("Say what the advisor would", exact=False).click()
        guest.until(lambda: guest.stands_still() and guest.state["steps"][0]["advised"] is not None)
    elif mode == "beat":
        for key in ("ArrowLeft", "ArrowUp"):
            guest.act(key)
    else:
        guest.until(guest.stands_still)


@pytest.mark.parametrize("mode", ["watch", "help", "beat"])
def test_a_reload_in_the_middle_changes_nothing(guest: Guest, mode: str) -> None:
    begin(guest, mode)
    if mode != "beat":
        guest.page.get_by_role("slider").fill("1")
        guest.pause()
    sentence, before = guest.page.get_by_role("heading", level=1).inner_text(), guest.state
    guest.until(lambda: guest.walked() != "")
    walked, visits = guest.walked(), len(guest.welcomes)
    guest.page.reload()
    guest.until(lambda: len(guest.welcomes) > visits)
    assert guest.welcomes[-1] == before
    expect(guest.page.get_by_role("heading", level=1)).to_have_text(sentence)
    expect(guest.page.locator(".plan .walk").first).to_have_attribute("points", walked)
    assert guest.state == before, "the reload began nothing new"
    if mode != "beat":
        expect(guest.button("Play")).to_be_visible()
    guest.see()


def test_two_visitors_do_not_disturb_each_other(open_guest: Open, serving: Serving) -> None:
    one, other = open_guest(serving), open_guest(serving)
    begin(one, "beat")
    begin(other, "beat")
    assert one.state["begun"]["episode"] != other.state["begun"]["episode"]
    before = other.state
    for key in ("ArrowLeft", "ArrowUp", "ArrowDown"):
        one.act(key)
    other.page.wait_for_timeout(200)
    assert other.state == before
    other.act("ArrowRight")
    assert [step["acted"]["action"] for step in one.state["steps"][:-1]] == ["left", "up", "left", "up", "down"]
    assert [step["acted"]["action"] for step in other.state["steps"][:-1]] == ["left", "up", "right"]


def test_a_connection_lost_and_regained(guest: Guest, serving: Serving) -> None:
    guest.forgiven = "WebSocket connection|ERR_INTERNET_DISCONNECTED"
    begin(guest, "beat")
    steps = len(guest.state["steps"])
    guest.context.set_offline(True)
    serving.lose_lines()
    lost = guest.page.get_by_text("The connection is lost.")
    expect(lost).to_be_visible()
    guest.page.keyboard.press("ArrowRight")
    guest.context.set_offline(False)
    expect(lost).not_to_be_visible()
    guest.until(lambda: len(guest.state["steps"]) == steps + 1)
    assert guest.state["steps"][-2]["acted"]["action"] == "right", "what was pressed meanwhile is done, once"
    guest.act("ArrowLeft")
    assert len(guest.state["steps"]) == steps + 2


def test_another_tab_of_the_same_session(open_guest: Open, serving: Serving) -> None:
    """As when a tab is duplicated: each shows what is done in the other, and who is left behind can go on."""
    one, other = open_guest(serving), open_guest(serving)
    begin(one, "help")
    session = one.page.evaluate("sessionStorage.getItem('vnla-session')")
    other.context.add_init_script(f"sessionStorage.setItem('vnla-session', '{session}')")
    other.go("/#help")
    other.until(lambda: other.state == one.state)
    number = one.state["number"]
    for tab in (one, other):
        tab.page.get_by_role("slider").press("End")
        expect(tab.button("Say nothing")).to_be_visible()
    for tab in (one, other):  # at once: the answer of the first takes the button away from the second
        tab.page.evaluate(
            "[...document.querySelectorAll('button')].find(({ textContent: text }) => text === 'Say nothing')?.click()"
        )
    one.until(lambda: one.state["number"] > number and one.state == other.state)
    assert [each["step"] for each in one.state["steps"]] == [*range(len(one.state["steps"]))]
    other.page.get_by_role("link", name="Watch").click()
    other.until(lambda: other.state["begun"]["mode"] == "watch" and other.state == one.state)
    expect(one.page.get_by_role("heading", level=1)).to_have_text("Another tab of this page does something else.")
    one.button("Go on here").click()
    one.until(lambda: one.state["begun"]["mode"] == "help" and bool(one.state["steps"]))
    expect(one.page.get_by_role("heading", level=1)).not_to_contain_text("Another tab")
    expect(other.button("Go on here")).to_be_visible()


def test_a_browser_that_cannot_draw_says_so_and_does_the_rest(plain: Browser, serving: Serving) -> None:
    guest = Guest(plain, serving.address)
    guest.forgiven = "WebGL"
    trouble = guest.page.locator(".view .trouble")
    guest.go("/#watch")
    expect(trouble).to_have_text(
        "This browser cannot draw the house (it has no WebGL 2). All else works; the plan shows the place."
    )
    guest.to_end()
    assert len(guest.walked().split()) > 1
    begin(guest, "help")
    guest.page.get_by_label("Tell it the way").fill("turn left")
    step = guest.state["waits"]["step"]
    guest.button("Say it").click()
    guest.until(lambda: guest.stands_still() and guest.state["steps"][-1]["step"] > step)
    begin(guest, "beat")
    expect(trouble).to_be_visible()
    guest.page.keyboard.press("s")
    expect(guest.page.locator(".ending")).to_be_visible()
    assert not guest.close()


@pytest.mark.parametrize("link", ["w=nonsense", "w=eyJ0YXNrIjoiOTlfMCIsInNlZWQiOjB9"])
def test_a_link_that_leads_nowhere_is_told_in_a_sentence(guest: Guest, link: str) -> None:
    page = guest.go(f"/#{link}")
    expect(page.get_by_role("status").first).to_contain_text("link")
    page.get_by_role("link", name="Watch another one").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("It looks for")
    expect(page.get_by_role("status").first).to_have_text("")
