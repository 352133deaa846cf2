"""The first screen and the three modes, as visitors use them."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Error, expect

from serve.e2e.conftest import Open
from serve.e2e.guest import Guest
from serve.e2e.serving import Serving
from serve.visitor import GENEROUS
from vnla.cli.serve import OWN_NAMES
from vnla.serve.app import make_app
from vnla.serve.sessions import Sessions
from vnla.serve.site import SiteLoader

LOST = "I am lost. Where should I go?"


def test_what_is_not_local_is_refused_and_noticed(guest: Guest) -> None:
    guest.go()
    guest.page.evaluate("fetch('http://example.org/').catch(() => 0)")
    assert any("Content Security Policy" in each for each in guest.troubles)
    before = len(guest.troubles)
    page = guest.page
    page.evaluate("document.head.append(Object.assign(document.createElement('style'), {textContent: 'p {color: red}'}))")
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<p style=\\'color: red\\' onclick=\\'go()\\'></p>')")
    page.evaluate("document.body.lastElementChild.click()")  # some browsers look at a handler when it is first needed
    inline = [each for each in guest.troubles[before:] if "Content Security Policy" in each]
    assert len(inline) == 3, guest.troubles
    for address in ("http://example.org/", "http://192.0.2.1/"):
        with pytest.raises(Error, match="ERR_NAME_NOT_RESOLVED"):
            guest.page.goto(address)
        assert f"asks for {address}" in guest.troubles
    guest.forgiven = ""


def test_the_first_screen_plays_before_any_model_is_there(
    open_guest: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vnla.serve.connections.PATIENCE", 0.1)
    nothing_yet = SiteLoader(lambda _: pytest.fail("nobody opens it"))
    with Serving(make_app(nothing_yet, Sessions(tmp_path, GENEROUS), OWN_NAMES, GENEROUS)) as serving:
        guest = open_guest(serving)
        page = guest.go()
        expect(page.get_by_role("heading", level=1)).to_have_text(
            "This robot looks for a guitar in the bedroom. It may ask for help twice."
        )
        slider = page.get_by_role("slider")
        guest.until(lambda: int(slider.input_value()) > 0)
        guest.button("Pause").click()
        slider.fill("0")
        for _ in range(3 * int(slider.get_attribute("max") or "0")):
            page.evaluate("() => new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
            if page.locator(".bubble.asks").is_visible():
                break
            page.keyboard.press(".")
        expect(page.locator(".bubble.asks")).to_have_text(LOST)
        page.keyboard.press(".")
        expect(page.locator(".bubble.answers")).to_be_visible()
        guest.see()
        expect(page.get_by_text("How much it wants to ask")).not_to_be_visible()
        page.get_by_text("Why?").click()
        expect(page.get_by_text("How much it wants to ask")).to_be_visible()
        page.get_by_role("main").get_by_role("link", name="Help it").click()
        expect(page.get_by_role("status").first).to_contain_text("The houses are not ready yet: getting ready")


class TestWatch:
    def test_pause_step_scrub_and_speed(self, guest: Guest) -> None:
        page = guest.go("/#watch")
        slider = page.get_by_role("slider")
        guest.button("Pause").click()
        slider.press("Home")
        for _ in range(4):
            page.keyboard.press(",")
        page.keyboard.press(".")
        expect(page.locator(".now")).to_have_text("It asks for help.")
        expect(page.locator(".bubble.asks")).to_have_text(LOST)
        guest.button("One moment on").click()
        expect(page.locator(".bubble.answers")).to_be_visible()
        page.keyboard.press(",")
        expect(page.locator(".bubble.asks")).to_be_visible()
        slider.fill("5")
        expect(slider).to_have_value("5")
        guest.button("Speed: 1 times").click()
        page.keyboard.press("p")
        guest.until(lambda: int(slider.input_value()) > 5)
        guest.to_end()
        expect(page.locator(".ending")).to_contain_text("It did not find it.")
        guest.see()
        self._shows_where_it_went_wrong(guest)

    def _shows_where_it_went_wrong(self, guest: Guest) -> None:
        """Dragged to the right while it is paused, as it was found by many."""
        page = guest.page
        guest.button("See it again").click()
        guest.pause()
        expect(page.locator(".ending")).to_have_count(0)
        slider = page.get_by_role("slider")
        box = slider.bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + 10, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"], box["y"] + box["height"] / 2, steps=5)
        page.mouse.up()
        expect(page.locator(".ending")).to_be_visible()
        expect(page.locator(".plan .wrong").or_(page.locator(".storeys")).first).to_be_attached()
        wrong = guest.state["ended"]["ending"]["wrong_turn"]
        guest.button("What if somebody had told it the way there?").click()
        expect(page.get_by_label(f"What if it had heard something else at step {wrong['step'] + 1}?")).to_be_visible()
        page.get_by_role("button", name="Never mind").click()

    def test_why(self, guest: Guest) -> None:
        page = guest.go("/#watch")
        guest.button("Pause").click()
        page.get_by_role("slider").press("Home")
        page.get_by_text("Why?").click()
        guest.until(guest.stands_still)
        thought = guest.state["steps"][0]["thought"]
        for name, before, after in zip(ACTIONS, thought["before"], thought["after"], strict=True):
            row = page.get_by_role("row", name=name)
            expect(row).to_contain_text(f"{int(100 * before + 0.5)} % → {int(100 * after + 0.5)} %")
        shown = page.locator(".attention .word").all_inner_texts()
        assert shown == [word for word, _ in thought["attention"]]

    def test_another_house_and_something_typed(self, guest: Guest) -> None:
        page = guest.go("/#watch")
        page.get_by_text("Let it look for something else").click()
        page.get_by_label("In which house").select_option("House 1, 10 rooms")
        field = page.get_by_label("What should it find?")
        field.fill("find a towel in the bathhouse")
        expect(page.locator(".field mark")).to_have_text("bathhouse")
        expect(page.locator(".told")).to_contain_text("Not understood: bathhouse")
        guest.button("find a towel in the bathroom").click()
        expect(page.locator(".told")).to_contain_text("Understood as: Find a towel in the bathroom.")
        expect(page.locator(".field mark")).to_have_count(0)
        field.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_contain_text("It looks for a towel in the bathroom.")

    def test_goals_on_demand(self, guest: Guest) -> None:
        page = guest.go("/#watch")
        guest.button("Pause").click()
        page.get_by_role("slider").press("Home")
        expect(page.locator(".plan .goal")).to_have_count(0)
        page.keyboard.press("g")
        expect(page.get_by_label("Show where it is")).to_be_checked()
        guest.until(guest.stands_still)
        assert guest.state["ended"]["goals"]

    def test_a_link_gives_the_same_episode_in_another_browser(
        self, guest: Guest, open_guest: Open, serving: Serving
    ) -> None:
        page = guest.go("/#watch")
        guest.to_end()
        guest.button("Link to this walk").click()
        page.wait_for_url("**/#w=*")
        other = open_guest(serving)
        other.page.goto(page.url)
        other.to_end()
        assert other.state["steps"] == guest.state["steps"]
        assert other.state["ended"] == guest.state["ended"]
        assert other.walked() == guest.walked()


ACTIONS = ("turn left", "turn right", "look up", "look down", "go forward", "stop")


class TestHelp:
    def test_a_whole_episode(self, guest: Guest) -> None:
        page = guest.go("/#help")
        field = page.get_by_label("Tell it the way")
        expect(page.locator(".bubble.asks")).to_have_text(LOST)
        expect(page.locator(".plan .way")).to_be_attached()
        guest.see()
        field.fill("turn right and glorp")
        expect(page.locator(".field mark")).to_have_text("glorp")
        expect(page.locator(".told")).to_contain_text("Understood as: turn 90 degrees right; not understood: glorp")
        field.fill("turn 30 degrees right and walk two steps")
        expect(page.locator(".told")).to_have_text("Understood as: turn right, go forward 2 steps")
        field.press("Enter")
        expect(page.locator(".talk li").first).to_contain_text("You: “turn 30 degrees right and walk two steps”")
        expect(page.locator(".talk li").first).to_contain_text("It heard: “turn right, go forward 2 steps”")
        guest.until(guest.stands_still)
        first = guest.state["steps"][0]
        while guest.state["ended"] is None:
            step = guest.state["waits"]["step"]
            guest.button("Say what the advisor would", exact=False).click()
            guest.until(lambda step=step: guest.stands_still() and guest.state["steps"][-1]["step"] > step)
        assert guest.state["steps"][0] == first

        self._speaks_unasked(guest)
        self._asks_what_if(guest)

    def _speaks_unasked(self, guest: Guest) -> None:
        page, asked = guest.page, [step["asked"] for step in guest.state["steps"]]
        step = asked.index(None) + 1
        page.get_by_role("slider").fill(str(step))
        page.get_by_text("Speak unasked").click()
        before = guest.state["steps"][:step]
        page.get_by_label("It hears you at step", exact=False).fill("turn around")
        guest.button("Say it").click()
        expect(page.locator(".talk")).to_contain_text("You spoke unasked.")
        assert guest.state["steps"][:step] == before
        assert guest.state["steps"][step]["advised"]["text"] == "turn around"
        assert guest.state["steps"][step]["asked"] is None

    def _asks_what_if(self, guest: Guest) -> None:
        page = guest.page
        guest.to_end()
        guest.button("What if …?").first.click()
        page.get_by_label("What if it had heard something else at step 1?").fill("look up")
        guest.button("See").click()
        expect(page.get_by_role("heading", level=2)).to_have_text(
            ["What happened: it heard turn 30 degrees right and walk two steps", "What if: it heard look up"]
        )
        expect(page.locator(".half .view canvas")).to_have_count(2)
        assert guest.second["steps"][0]["advised"]["understood"] == "look up"
        assert guest.second["steps"][0]["thought"]["before"] == guest.state["steps"][0]["thought"]["before"]
        guest.button("Back").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("It looks for")

    def test_words_that_may_mean_two_things_are_drawn_and_chosen(self, guest: Guest) -> None:
        page = guest.go("/#help")
        guest.until(lambda: guest.state["waits"] is not None)
        way = guest.state["waits"]["way"]
        plans = [{"understood": text, "actions": [], "viewpoints": way[:n]} for text, n in (("turn left", 1), ("stop", 2))]
        reading = {"understood": "turn left", "parts": [[0, 2, True]], "suggestions": [], "absent": [], "why": None}
        page.route("**/advice?*text=go", lambda route: route.fulfill(json={**reading, "plans": plans}))
        page.get_by_label("Tell it the way").fill("go")
        expect(page.locator(".told")).to_have_text("Understood as: turn left. It may mean either of these:")
        expect(page.locator(".plan .tie")).to_have_count(2)
        expect(page.locator(".plan .mark.one, .plan .mark.two")).to_have_text(["1", "2"])
        page.locator(".ties button").nth(1).click()
        expect(page.get_by_label("Tell it the way")).to_have_value("stop")
        expect(page.locator(".plan .tie")).to_have_count(0)
        expect(page.locator(".told")).to_have_text("Understood as: stop")

    def test_say_nothing(self, guest: Guest) -> None:
        guest.go("/#help")
        guest.button("Say nothing").click()
        expect(guest.page.locator(".talk li").first).to_contain_text("You: nothing")


class TestBeat:
    def test_a_whole_episode_with_the_keyboard_alone(self, guest: Guest) -> None:
        page = guest.go()
        link = page.get_by_role("main").get_by_role("link", name="Beat it")
        while not link.evaluate("link => link === document.activeElement"):
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_contain_text("Find ")
        guest.until(lambda: guest.state["begun"] is not None)
        guest.see()
        requests = guest.state["begun"]["requests"]
        assert requests > 0
        page.keyboard.press("a")
        guest.until(lambda: guest.state["steps"][0]["advised"] is not None)
        expect(page.locator(".bubble.answers")).to_have_text(guest.state["steps"][0]["advised"]["text"])
        for key in ("ArrowRight", "ArrowUp", "ArrowDown"):
            guest.act(key)
        while not guest.state["steps"][-1]["ahead"]:
            guest.act("ArrowRight")
        stood = guest.state["steps"][-1]["pose"]["viewpoint"]
        guest.act(" ")
        assert guest.state["steps"][-1]["pose"]["viewpoint"] != stood
        while guest.state["ended"] is None:
            guest.act("ArrowLeft")
        ended = guest.state["ended"]
        assert ended["reason"] == "time"
        assert len(guest.state["steps"]) == guest.state["begun"]["time"]
        expect(page.locator(".ending")).to_contain_text("You did not find it." if not ended["success"] else "You found it.")
        expect(page.locator(".plan .other")).to_be_attached()
        expect(page.locator(".plan .goal").or_(page.locator(".storeys")).first).to_be_attached()
        expect(page.get_by_role("row", name="You")).to_contain_text(str(ended["score"]["yours"]))
        expect(page.get_by_role("row", name="The robot")).to_contain_text(str(ended["score"]["its"]))
        episode = guest.state["begun"]["episode"]
        page.keyboard.press("n")
        guest.until(lambda: guest.state["begun"]["episode"] != episode)

    def test_turning_back_shows_the_same_picture(self, guest: Guest) -> None:
        guest.go("/#beat")
        before = guest.see()
        guest.act("ArrowRight")
        guest.until(lambda: abs(guest.see().astype(int) - before).mean() > 5)
        guest.act("ArrowLeft")
        guest.until(lambda: abs(guest.see().astype(int) - before).mean() < 1)

    def test_by_buttons(self, guest: Guest) -> None:
        guest.go("/#beat")
        for name in ("turn left", "turn right", "look up", "look down"):
            before = guest.state["number"]
            guest.button(name, exact=False).click()
            guest.until(lambda before=before: guest.state["number"] > before)
        guest.button("It is here").click()
        expect(guest.page.locator(".ending")).to_be_visible()
