"""A visitor who turns away from a task of their own and comes back to it."""

from __future__ import annotations

from playwright.sync_api import expect

from serve.e2e.guest import Guest

_LATE = """
const { set } = Object.getOwnPropertyDescriptor(WebSocket.prototype, "onmessage");
Object.defineProperty(WebSocket.prototype, "onmessage", {
    set(hear) { set.call(this, (message) => setTimeout(() => hear(message), 500)); },
});
"""
"""Lets the page hear half a second late what the server says."""


def test_a_task_waits_for_who_watches_meanwhile(guest: Guest) -> None:
    page = guest.go("/#beat")
    guest.act("ArrowLeft")
    begun, steps = guest.state["begun"], guest.state["steps"]
    page.get_by_role("link", name="Watch", exact=True).click()
    guest.until(lambda: guest.state["begun"]["mode"] == "watch")
    page.get_by_role("link", name="Beat it", exact=True).click()
    guest.until(lambda: guest.state["begun"]["mode"] == "beat" and len(guest.state["steps"]) == len(steps))
    assert guest.state["begun"] == begun
    expect(page.locator(".pad")).to_be_visible()
    guest.act("s")
    expect(page.get_by_text("Found so far, of 1 task")).to_be_visible()
    assert guest.state["ended"]["score"]["tasks"] == 1


def test_who_turns_back_before_the_page_has_heard_of_the_walk_they_watch_goes_on_too(guest: Guest) -> None:
    guest.page.add_init_script(_LATE)
    page = guest.go("/#beat")
    guest.act("ArrowLeft")
    begun = guest.state["begun"]
    for _ in range(2):
        page.get_by_role("link", name="Watch", exact=True).click()
        guest.until(lambda: guest.state["begun"]["mode"] == "watch")
        page.get_by_role("link", name="Beat it", exact=True).click()
        guest.until(lambda: guest.state["begun"]["mode"] == "beat")
    assert guest.state["begun"] == begun
    expect(page.locator(".pad")).to_be_visible()
