"""Takes the pictures of the page in the browser for the documentation, from a real server: part of `make pictures`.

It needs Chromium: the one that the variable CHROMIUM names, or `chromium` or `google-chrome` from the path.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, ViewportSize, sync_playwright

IMAGES = Path(__file__).parents[2] / "docs" / "images"
SENTENCE = "turn right, then moonwalk"
"""What is typed in the picture of *Help it*: one part is understood, and one is not."""
SIZE = ViewportSize(width=1280, height=1000)
SCALE = 0.75
"""Pixels of a picture for one of the page."""
FLAGS = ["--disable-gpu", "--enable-unsafe-swiftshader", "--no-first-run"]
BARE = 180_000
"""Bytes of a picture of a view above which it shows more than a wall."""
VISITORS = 12
"""How many visitors come until one sees more than a wall: the server chooses their walks."""
PATIENCE = 300_000
"""Milliseconds for houses that have to be drawn first."""


@contextmanager
def server() -> Iterator[str]:
    """Run `vnla serve` and give its address."""
    command = [sys.executable, "-u", "-m", "vnla", "serve", "--no-open", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = next(filter(None, (re.search(r"http://\S+", line) for line in process.stdout)))
            yield found[0].rstrip("/")
        finally:
            process.terminate()


def drawn(page: Page) -> None:
    """Wait until the view is there in full."""
    page.locator(".view canvas").first.wait_for()
    page.locator(".drawing").first.wait_for(state="detached")
    page.wait_for_timeout(1500)


def watch(page: Page, address: str) -> None:
    """A walk, stopped where the advisor speaks."""
    page.goto(f"{address}/")
    drawn(page)
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("slider").fill("3")
    while not page.locator(".bubble.answers").is_visible():  # the answer to its second request
        page.keyboard.press(".")
        page.wait_for_timeout(1000)
    drawn(page)


def help_it(page: Page, address: str) -> None:
    """The agent asks, and somebody types an answer; walks without a request are passed over."""
    page.goto(f"{address}/#help")
    drawn(page)
    field = page.get_by_label("Tell it the way")
    while True:
        page.locator(".timeline").wait_for()
        if field.is_visible():
            break
        if page.locator(".ending").is_visible():
            page.keyboard.press("n")
        page.get_by_role("slider").press("End")
        page.wait_for_timeout(1500)
    field.fill(SENTENCE)
    page.locator("mark").first.wait_for()
    drawn(page)


def take(folder: Path) -> None:
    """Take both pictures into a folder."""
    names = (os.environ.get("CHROMIUM"), "chromium", "google-chrome")
    chromium = next((found for name in names if name and (found := shutil.which(name))), None)
    if chromium is None:
        sys.exit("no Chromium; name one by the variable CHROMIUM")
    with server() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, chromium_sandbox=False, args=FLAGS)
        for name, screen in (("page", watch), ("help", help_it)):
            for _ in range(VISITORS):
                page = browser.new_context(viewport=SIZE, device_scale_factor=SCALE).new_page()
                page.set_default_timeout(PATIENCE)
                screen(page, address)
                page.screenshot(path=folder / f"{name}.png")
                seen = len(page.locator(".view").first.screenshot())
                page.context.close()
                if seen > BARE:
                    break
        browser.close()


if __name__ == "__main__":
    take(Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES)
