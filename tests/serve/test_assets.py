"""The built page is what its sources make, and is no larger than it may be."""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import vnla.serve

ASSETS = Path(vnla.serve.__file__).parent / "assets"
WEB = Path(__file__).parents[2] / "web"
SOURCES = ("index.html", "package.json", "package-lock.json", "vite.config.ts", "tsconfig.json", "src")
LARGEST = 300_000
"""Bytes of all scripts and styles, compressed."""


def sources_hash() -> str:
    """As `web/sources.mjs` makes it."""
    found = [WEB / name for name in SOURCES]
    files = [each for path in found for each in ([path] if path.is_file() else path.rglob("*")) if each.is_file()]
    whole = hashlib.sha256()
    for path in sorted(files, key=str):
        whole.update(path.relative_to(WEB).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return whole.hexdigest()


def events() -> ModuleType:
    spec = importlib.util.spec_from_file_location("web_events", WEB / "events.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_was_built_from_these_sources() -> None:
    kept = (ASSETS / "sources.sha256").read_text().strip()
    assert kept == sources_hash(), "the page is older than its sources; run: make web"


def test_the_types_of_events_are_those_of_the_server() -> None:
    assert events().typescript() == (WEB / "src" / "events.ts").read_text()


def reached(page: str) -> set[str]:
    """The files that a page names, and those that its scripts and styles name."""
    found = set(re.findall(r'(?:src|href)="/assets/([^"]+)"', page))
    pending = list(found)
    while pending:
        text = (ASSETS / pending.pop()).read_text()
        new = set(re.findall(r"""["'`(](?:\./|/assets/)?([\w.-]+\.(?:js|css))["'`)]""", text)) - found
        found |= new
        pending.extend(new)
    return found


def test_all_that_the_page_names_is_there_and_nothing_else() -> None:
    """Files of another build, which a merge may leave here, are in nobody's way but are shipped with every wheel."""
    found = {path.name for path in ASSETS.iterdir()}
    assert found == reached((ASSETS / "index.html").read_text()) | {"index.html", "sources.sha256"}


def test_nothing_is_left_from_an_earlier_build() -> None:
    there = {path.name for path in ASSETS.iterdir()}
    reached, ahead = set(), {"index.html"}
    while ahead:
        name = ahead.pop()
        reached.add(name)
        text = (ASSETS / name).read_text(encoding="utf-8")
        ahead |= {each for each in there - reached if each in text}
    assert there - reached - {"sources.sha256"} == set(), "the page does not need these; run: make web"


def test_scripts_and_styles_are_small() -> None:
    sizes = {path.name: len(gzip.compress(path.read_bytes())) for path in ASSETS.glob("*.[jc]s*")}
    assert sum(sizes.values()) <= LARGEST, sizes


def test_nothing_comes_from_elsewhere() -> None:
    text = "".join(path.read_text() for path in ASSETS.iterdir() if path.suffix in (".html", ".css"))
    assert not re.search(r"https?://|//[a-z]+\.[a-z]", text)


def test_the_lock_names_no_registry() -> None:
    assert '"resolved"' not in (WEB / "package-lock.json").read_text()
