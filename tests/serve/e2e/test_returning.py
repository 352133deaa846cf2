"""A visitor who turns away from a task of their own and comes back to it."""

from __future__ import annotations

from playwright.sync_api import expect

from serve.e2e.guest import Guest


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
