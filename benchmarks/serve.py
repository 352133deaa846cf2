"""How a server holds up: a real one, in a process of its own, with many visitors at once, and what the page has to fetch.

vnla bench serve --visitors 200
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import http.client
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.hostile import HostileClients, HostileTally
from benchmarks.measure import Measurement
from vnla.agents import pretrained
from vnla.common.errors import InputError
from vnla.serve.http_server import open_files
from vnla.serve.limits import Limits
from vnla.serve.worlds import WARM

CORES = 2
LATENCY, LOST = 300.0, 0
"""The goals: milliseconds in which 95 of 100 answers are there, and steps that may be lost."""
FIRST_EMPTY, FIRST_FULL = 2.0, 0.5
"""Seconds from opening the page to its first picture, with nothing drawn yet and with everything."""
SCRIPTS, PANORAMA, MESH = 300.0, 200.0, 2.0
"""Kilobytes of scripts and styles, compressed, and of the six faces of a panorama; megabytes of a mesh."""

WRONG = ("2", "3", "5")
"""How statuses begin that a request must not get which is malformed, or calls the server by a wrong name."""
_STARTING = 600.0
_FACES = 12
"""Panoramas that are fetched of a house."""


def bench_serve(
    visitors: int = 200, seconds: float = 30.0, modes: str = "", run: str = pretrained.NAME, world: str = "",
    tasks: str = "", seed: int = 0, hostile: bool = False,
) -> Iterator[Measurement]:  # fmt: skip
    """A server with an agent, on two cores that it shares with its visitors, and with `hostile` clients."""
    from benchmarks.visitors import MODES, visit

    chosen = [mode.strip() for mode in modes.split(",")] if modes else list(MODES)
    unknown = [mode for mode in chosen if mode not in MODES]
    if unknown:
        raise InputError(f"mode {unknown[0]}: unknown; choose from {', '.join(MODES)}")
    with (
        tempfile.TemporaryDirectory(prefix="vnla-bench-") as folder,
        _two_cores(),
        _server(run, world, tasks, Path(folder)) as page,
    ):
        yield from _pictures(page)
        yield from _sizes(page)
        open_files()
        harm = HostileTally()
        others = HostileClients(page.address, harm).come() if hostile else None
        tally = asyncio.run(visit(page.address, visitors, seconds, chosen, seed, others))
    yield Measurement("steps told", tally.steps / seconds, "1/s", note=f"{visitors} visitors, a step a second each")
    lost = "; ".join(f"{why} ({count})" for why, count in tally.lost.most_common(3))
    yield Measurement("steps lost", sum(tally.lost.values()), "", note=lost or f"goal {LOST}", judged=False)
    for mode in chosen:
        yield from _latencies(mode, tally.latencies.get(mode, []))
    yield from _latencies("all", [spent for each in tally.latencies.values() for spent in each])
    for mode in chosen:
        if mode != "beat":  # there an answer is one step
            yield from _latencies(f"{mode}, to the last step", tally.whole.get(mode, []), None)
    yield from _harm(harm)


def _harm(harm: HostileTally) -> Iterator[Measurement]:
    """What hostile clients could do, where there were any."""
    limits = Limits()
    longest = {
        "silent": limits.request, "half": limits.request, "no hello": limits.hello, "no reading": limits.response,
    }  # fmt: skip
    for kind, lasted in sorted(harm.lasted.items()):
        yield Measurement(f"{kind}, longest stay", lasted, "s", longest[kind], f"dropped after {longest[kind]:.0f} s")
    for kind, statuses in sorted(harm.statuses.items()):
        wrong = sum(count for status, count in statuses.items() if status.startswith(WRONG))
        told = ", ".join(f"{status}: {count}" for status, count in statuses.most_common())
        yield Measurement(f"{kind}, answered wrongly", wrong, "", note=told, judged=False)


def _latencies(mode: str, spent: Sequence[float], goal: float | None = LATENCY) -> Iterator[Measurement]:
    """How long answers took: 50, 95 and 99 of 100 were there after; with a goal for 95."""
    if len(spent) < 2:
        raise InputError(f"mode {mode}: too few answers came to tell anything; measure for longer")
    hundredths = statistics.quantiles(spent, n=100, method="inclusive")
    for share in (50, 95, 99):
        wanted = goal if share == 95 else None
        note = f"{len(spent)} answers" if wanted is None else f"goal {wanted:.0f} ms"
        yield Measurement(f"{mode}, p{share}", 1000 * hundredths[share - 1], "ms", wanted, note)


@dataclass
class Page:
    """A browser that fetches from a server."""

    address: str

    def get(self, path: str) -> bytes:
        """What is there."""
        line = http.client.HTTPConnection(self.address, timeout=_STARTING)
        try:
            line.request("GET", path, headers={"accept-encoding": "gzip"})
            answer = line.getresponse()
            data = answer.read()
            if answer.status != 200:
                raise InputError(f"the server answers {path} with {answer.status}: {data[:200].decode(errors='replace')}")
            return gzip.decompress(data) if answer.headers["content-encoding"] == "gzip" else data
        finally:
            line.close()

    def json(self, path: str) -> Any:
        """What is there, as JSON."""
        return json.loads(self.get(path))

    def all(self, paths: Sequence[str]) -> list[bytes]:
        """Several at once, as a browser does."""
        with ThreadPoolExecutor(6) as lines:
            return list(lines.map(self.get, paths))

    def opened(self) -> list[str]:
        """Open the page: its scripts and styles."""
        found = re.findall(r'(?:src|href)="(/assets/[^"]+)"', self.get("/").decode())
        self.all(found)
        return found


def _pictures(page: Page) -> Iterator[Measurement]:
    """From opening the page to the first panorama: of the recorded walk, and of a house that nobody has been in."""
    began = time.perf_counter()
    page.opened()
    recorded = page.json("/first.json")
    start = next(event["start"]["viewpoint"] for event in recorded["events"] if event["kind"] == "begun")
    page.all(recorded["pictures"][start])
    yield Measurement("first picture of the page", time.perf_counter() - began, "s", FIRST_FULL, f"goal {FIRST_FULL} s")
    for what, goal in (
        ("first picture of a house, not drawn", FIRST_EMPTY),
        ("first picture of a house, drawn", FIRST_FULL),
    ):
        began = time.perf_counter()
        page.opened()
        house = page.json("/houses.json")[0]["house"]
        page.json(f"/plan/{house}.json")
        page.all(next(iter(page.json(f"/pictures/{house}.json").values())))
        yield Measurement(what, time.perf_counter() - began, "s", goal, f"goal {goal} s")


def _sizes(page: Page) -> Iterator[Measurement]:
    """What the page has to fetch."""
    from vnla.serve.content import INDEX, assets

    kinds = ("text/javascript", "text/css")
    files = [each.body for name, each in assets().items() if each.kind in kinds and name != INDEX]
    scripts = sum(len(gzip.compress(body)) for body in files) / 1000
    yield Measurement("scripts and styles", scripts, "kB", SCRIPTS, f"compressed; goal {SCRIPTS:.0f} kB")
    houses = [each["house"] for each in page.json("/houses.json")]
    six = list(page.json(f"/pictures/{houses[0]}.json").values())[:_FACES]
    panorama = max(sum(map(len, page.all(faces))) for faces in six) / 1000
    yield Measurement("largest panorama", panorama, "kB", PANORAMA, f"of {len(six)}; goal {PANORAMA:.0f} kB")
    mesh = max(len(page.get(f"/mesh/{house}.glb")) for house in houses) / 1e6
    yield Measurement("largest mesh", mesh, "MB", MESH, f"of {len(houses)}; goal {MESH:.0f} MB")


@contextlib.contextmanager
def _server(run: str, world: str, tasks: str, folder: Path) -> Iterator[Page]:
    """A server that is ready, with nothing drawn, whose sessions and pictures are in `folder`; gone after the block."""
    from vnla.experiments.embedded import embedded_world

    if run == pretrained.NAME and not Path(run).exists() and not world and not tasks:
        world, tasks = map(str, embedded_world())
    given = [*(["--world", world] if world else []), *(["--tasks", tasks] if tasks else [])]
    given += ["--port", "0", "--public", "--name", "localhost", "--record", str(folder / "sessions")]
    log, kept = folder / "log", {**os.environ, "XDG_CACHE_HOME": str(folder)}
    with log.open("w") as errors:
        command = [sys.executable, "-m", "vnla", "serve", run, *given]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, env=kept)
    try:
        assert server.stdout is not None
        told = re.search(r"http://([^/]+)/", server.stdout.readline())
        if told is None:
            raise InputError(f"the server does not start: {_last(log)}")
        page = Page(told[1])
        _wait_for(server, page, log)
        yield page
    finally:
        server.terminate()
        server.wait()


def _last(log: Path) -> str:
    return next(iter(log.read_text().strip().splitlines()[-1:]), "it says nothing")


def _wait_for(server: subprocess.Popen[str], page: Page, log: Path) -> None:
    """Until the server has opened its houses and has done beforehand what it does beforehand."""
    deadline = time.monotonic() + _STARTING
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise InputError(f"the server has ended: {_last(log)}")
        with contextlib.suppress(InputError, OSError):
            page.json("/houses.json")
            if WARM in log.read_text():
                return
        time.sleep(0.1)
    raise InputError("the server does not become ready")


@contextlib.contextmanager
def _two_cores() -> Iterator[None]:
    """This process and those that it starts on two cores, where a system knows such a thing."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[:CORES])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
