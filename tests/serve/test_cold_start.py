"""`vnla serve` with nothing prepared and an empty cache: what a first visitor waits for.

On two quiet cores the recorded walk has its first picture in a part of a second, and each mode answers some three seconds
later. The bounds here hold on a machine that does ten other things; what was wrong once took two minutes and drew houses.
"""

from __future__ import annotations

import json
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from serve.cold import ANSWERED, Cold
from serve.study.served import Line
from vnla.serve.shipped import shipped_files

FIRST = 20.0
"""Seconds that the first picture may take."""


@pytest.fixture(scope="module")
def cold(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cold]:
    server = Cold(tmp_path_factory.mktemp("cold"))
    yield server
    server.process.kill()
    server.process.communicate()


def begun(line: Line, mode: str) -> tuple[dict[str, Any], list[str]]:
    """Ask for a mode as the page does, again where it is refused; its first event, and why it was refused before."""
    why: list[str] = []
    line.send_text(json.dumps({"kind": mode, "after": 0}))
    while (answer := json.loads(line.receive_text()))["kind"] != "event":
        if answer["kind"] == "refused":
            why.append(answer["why"])
            time.sleep(0.5)
            line.send_text(json.dumps({"kind": mode, "after": 0}))
    return answer["event"], why


def hello(server: Cold) -> Line:
    line = Line(server.host)
    line.send_text(json.dumps({"kind": "hello", "after": 0}))
    assert json.loads(line.receive_text())["kind"] == "welcome"
    return line


def test_the_first_picture_needs_no_house(cold: Cold) -> None:
    assert b"<script" in cold.get("/")
    recorded = json.loads(cold.get("/first.json"))
    at = next(event for event in recorded["events"] if event["kind"] == "stood")["pose"]["viewpoint"]
    for face in recorded["pictures"][at]:
        assert cold.get(face)[:4] == b"RIFF"
    assert time.monotonic() - cold.began < FIRST


def test_nobody_else_lists_the_sessions(cold: Cold) -> None:
    assert stat.S_IMODE((cold.cache.parent / "sessions").stat().st_mode) == 0o700


def test_a_visitor_who_comes_at_once_is_answered(cold: Cold) -> None:
    line = hello(cold)
    event, _ = begun(line, "help")
    assert event["kind"] == "begun" and time.monotonic() - cold.began < ANSWERED
    line.close()


@pytest.mark.slow
def test_what_says_that_it_is_ready_is(cold: Cold) -> None:
    """Every mode answers at once, and the houses that are entered are there: nothing is drawn for them."""
    cold.until_it_says("ready")
    for mode in ("help", "beat", "watch"):
        line, since = hello(cold), time.monotonic()
        event, refused = begun(line, mode)
        assert (event["mode"], refused) == (mode, [])
        for face in json.loads(cold.get(f"/pictures/{event['house']}.json"))[event["start"]["viewpoint"]]:
            assert cold.get(face)[:4] == b"RIFF"
            assert mode == "beat" or Path(face).name in shipped_files(), "those who walk themselves know it by another name"
        assert cold.get(f"/mesh/{event['house']}.glb")[:4] == b"glTF"
        assert time.monotonic() - since < ANSWERED
        line.close()
