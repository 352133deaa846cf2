"""Simulated visitors of a real server, and what is made of what they saw."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn

from benchmarks import visitors
from benchmarks.serve import LATENCY, _latencies, bench_serve
from benchmarks.visitors import MODES, visit
from serve.conftest import site, trained
from serve.visitor import GENEROUS, Opened
from vnla.common.errors import InputError
from vnla.serve.app import make_app
from vnla.serve.sessions import Sessions
from vnla.serve.site import Site

__all__ = ["site", "trained"]


@pytest.fixture
def address(site: Site, tmp_path: Path) -> Iterator[str]:
    """Of a server in this process."""
    app = make_app(Opened(site), Sessions(tmp_path, GENEROUS), ["127.0.0.1"], GENEROUS)
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join()


def test_no_step_is_lost_in_any_mode(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visitors, "PACE", 0.05)
    monkeypatch.setattr(visitors, "ANSWERING", {"choice": 0.05, "text": 0.05})
    monkeypatch.setattr(visitors, "ARRIVING", 0.2)
    tally = asyncio.run(visit(address, 6, 4.0, MODES, seed=0))
    assert not tally.lost
    assert tally.steps > 20
    assert set(tally.latencies) == set(MODES)
    assert all(0 < each < 4 for spent in tally.latencies.values() for each in spent)


def test_what_is_lost_is_counted(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visitors, "ARRIVING", 0.0)
    monkeypatch.setattr(
        "vnla.serve.visitor_service.VisitorService._beat", lambda *_: (_ for _ in ()).throw(InputError("no task today"))
    )
    tally = asyncio.run(visit(address, 2, 1.0, ["beat"], seed=0))
    assert tally.lost == {"No task today.": 2}
    nobody = asyncio.run(visit("127.0.0.1:9", 1, 0.5, ["watch"], seed=0))
    assert sum(nobody.lost.values()) == 1


def test_latencies_are_held_against_their_goal() -> None:
    lines = list(_latencies("watch", [each / 1000 for each in range(101)]))
    assert [(line.name, line.value) for line in lines] == [
        ("watch, p50", pytest.approx(50)),
        ("watch, p95", pytest.approx(95)),
        ("watch, p99", pytest.approx(99)),
    ]
    assert [line.reference for line in lines] == [None, LATENCY, None]
    with pytest.raises(InputError, match="measure for longer"):
        list(_latencies("watch", [0.1]))


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(InputError, match="mode sleep: unknown; choose from beat, watch, help"):
        next(bench_serve(modes="beat,sleep"))
