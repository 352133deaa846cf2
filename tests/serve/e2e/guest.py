"""A visitor with a browser of their own, who notes all that goes wrong in it and hears what the page hears."""

from __future__ import annotations

import io
import json
import re
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, Request, WebSocket, expect

from vnla.serve.reduce import NOTHING, State, reduced

_PATIENCE = 30_000
expect.set_options(timeout=_PATIENCE)
WIDE, DESK, PHONE = {"width": 1000, "height": 720}, {"width": 1280, "height": 800}, {"width": 390, "height": 844}

COARSE = 0.5
"""Pixels of the screen for one of the page, across: without a GPU what takes long is to colour them."""


class Guest:
    """One page in a context of its own."""

    def __init__(self, browser: Browser, address: str, **options: Any) -> None:
        self.address = address
        usual = {"viewport": WIDE, "reduced_motion": "reduce", "device_scale_factor": COARSE}
        self.context = browser.new_context(**{**usual, **options})
        self.context.set_default_timeout(_PATIENCE)
        self.troubles: list[str] = []
        """What should not have happened."""
        self.forgiven: str | None = None
        """Errors that a test brings about itself, as a pattern."""
        self.state: State = NOTHING
        """What the page has been told, reduced as the server does it."""
        self.second: State = NOTHING
        self.welcomes: list[State] = []
        self.heard: list[str] = []
        self.page = self.context.new_page()
        self.page.on("request", self._asks)
        self.page.on("console", self._logs)
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("websocket", self._connects)

    def go(self, path: str = "/") -> Page:
        """Open a page of the server."""
        self.page.goto(self.address + path)
        return self.page

    def button(self, name: str, *, exact: bool = True) -> Locator:
        return self.page.get_by_role("button", name=name, exact=exact)

    def close(self) -> list[str]:
        """Leave; all that has gone wrong."""
        self.context.close()
        return [each for each in self.troubles if self.forgiven is None or not re.search(self.forgiven, each)]

    def stands_still(self) -> bool:
        """Whether the agent waits for an answer, or is done."""
        return self.state["waits"] is not None or self.state["ended"] is not None

    def until(self, holds: Callable[[], bool], seconds: float = _PATIENCE / 1000) -> None:
        """Wait until something holds that the page has been told."""
        deadline = time.monotonic() + seconds
        while not holds():
            told = f"mode {(self.state['begun'] or {}).get('mode')}, {len(self.state['steps'])} steps"
            assert time.monotonic() < deadline, f"nothing comes after {told}"
            self.page.wait_for_timeout(20)

    def act(self, key: str) -> None:
        """One action by a key, and what comes of it."""
        expect(self.page.locator(".pad")).to_be_visible()
        self.until(lambda: bool(self.state["steps"]))  # what the page has heard may be told here a little later
        steps = len(self.state["steps"])
        self.page.keyboard.press(key)
        self.until(lambda: len(self.state["steps"]) > steps or self.state["ended"] is not None)

    def pause(self) -> None:
        """Let nothing go on by itself, if something does."""
        if self.button("Pause").count():
            self.page.keyboard.press("p")
        expect(self.button("Play")).to_be_visible()

    def to_end(self) -> None:
        """To the end of what there is to see."""
        slider = self.page.get_by_role("slider")
        expect(slider).to_be_visible()
        self.until(self.stands_still)
        slider.press("End")
        expect(self.page.locator(".ending")).to_be_visible()

    def see(self) -> NDArray[np.uint8]:
        """The picture when it is there; it is not blank."""
        expect(self.page.locator(".view canvas").first).to_be_visible()
        expect(self.page.locator(".drawing")).to_have_count(0)
        self.page.wait_for_timeout(50)
        pixels = self.pixels()
        assert pixels.std() > 20
        return pixels

    def pixels(self) -> NDArray[np.uint8]:
        """What the first view shows, without what lies over it: (height, width, 3)."""
        box = self.page.locator(".view canvas").first
        with Image.open(io.BytesIO(box.screenshot(animations="allow"))) as picture:
            return np.asarray(picture.convert("RGB"))

    def walked(self) -> str:
        """The walk as it is drawn on the plan."""
        return self.page.locator(".plan .walk").first.get_attribute("points") or ""

    def width_needed(self) -> int:
        """Pixels that the page is wide."""
        return int(self.page.evaluate("document.documentElement.scrollWidth"))

    def _asks(self, request: Request) -> None:
        if not request.url.startswith((self.address + "/", "data:", "blob:")):
            self.troubles.append(f"asks for {request.url}")

    def _logs(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.troubles.append(message.text)

    def _connects(self, line: WebSocket) -> None:
        if not line.url.startswith(self.address.replace("http", "ws", 1) + "/"):
            self.troubles.append(f"connects to {line.url}")
        line.on("framereceived", self._hears)

    def _hears(self, text: str | bytes) -> None:
        answer = json.loads(text)
        self.heard.append(str(text))
        match answer["kind"]:
            case "event":
                self.state = reduced([answer["event"]], self.state)
            case "welcome":
                self.state = answer["snapshot"]
                self.welcomes.append(self.state)
            case "second":
                self.second = reduced(answer["events"])
