"""Times the commands of the front page on this machine, and writes the times into the pages: `make times`.

Each command runs as it is typed, in order, in an empty folder and with an empty cache. What is found is kept in
`results/times/times.json`; docs/times.md and README.md have it from there, and a test compares them.

python benchmarks/experiments/times.py [--skip demo] [--write-only]
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from vnla.common.files import write_text
from vnla.common.machine import commit, machine

ROOT = Path(__file__).parents[2]
README, PAGE = ROOT / "README.md", ROOT / "docs" / "times.md"
KEPT = ROOT / "results" / "times" / "times.json"
BLOCK = re.compile(r"```sh\n(.*?)```", re.DOTALL)
LINE = re.compile(
    r"^(?P<command>vnla [^#]*?)(?P<room> +)# (?:(?P<time>\d+ s|\d+ min(?: \d+ s)?): )?(?P<what>.+)$", re.MULTILINE
)
MARKS = "<!-- measured -->\n", "<!-- end of measured -->\n"
ADDRESS = re.compile(r"http://\S+")


def front() -> Iterator[tuple[str, str]]:
    """The commands of the front page, each with what is said of it."""
    found = BLOCK.search(README.read_text(encoding="utf-8"))
    assert found is not None
    for line in LINE.finditer(found[1]):
        yield line["command"], line["what"]


def words(seconds: float) -> str:
    """A time as the pages have it."""
    whole = round(seconds)
    return f"{whole} s" if whole < 90 else f"{whole // 60} min {whole % 60} s"


def timed(command: str, folder: Path) -> float:
    """How many seconds a command takes; `vnla serve` is ended when its page has answered."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), "PYTHONDONTWRITEBYTECODE": ""}
    typed = [sys.executable, "-u", "-m", *shlex.split(command)]
    began = time.monotonic()
    if typed[4] != "serve":
        subprocess.run(typed, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
        return time.monotonic() - began
    typed += ["--no-open", "--port", "0"]
    with subprocess.Popen(typed, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = next(filter(None, map(ADDRESS.search, process.stdout)))[0]
            urllib.request.urlopen(address, timeout=300).read()
            return time.monotonic() - began
        finally:
            process.send_signal(signal.SIGINT)


def sizes() -> dict[str, int]:
    """Bytes of what people fetch: the wheel if it is built, the page's scripts and styles, compressed."""
    assets = ROOT / "src" / "vnla" / "serve" / "assets"
    files = [path for path in assets.rglob("*") if path.suffix in (".js", ".css")]
    found = {"scripts and styles of the page, compressed": sum(len(gzip.compress(path.read_bytes())) for path in files)}
    return {**{f"`{path.name}`": path.stat().st_size for path in (ROOT / "dist").glob("*.whl")}, **found}


def measure(skipped: set[str]) -> dict[str, Any]:
    """Run the commands one after the other."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for command, _ in front():
            seconds = None if command.split()[1] in skipped else round(timed(command, Path(folder)), 1)
            print(command, "skipped" if seconds is None else words(seconds), flush=True)
            rows.append({"command": command, "seconds": seconds})
    version = ".".join(map(str, sys.version_info[:3]))
    about = {"machine": machine(), "python": version, "commit": commit(), "date": f"{datetime.now(UTC):%Y-%m-%d}"}
    return {**about, "rows": rows, "sizes": sizes()}


def table(found: dict[str, Any]) -> str:
    """What the page has between its marks."""
    where = found["machine"]
    said = f"{where['cores']} cores of {where['processor']}, {where['memory_gb']:.0f} GB, Python {found['python']}"
    rows = [f"| `{row['command']}` | {'' if row['seconds'] is None else words(row['seconds'])} |" for row in found["rows"]]
    weights = [f"| {what} | {count / 1e6:.2f} MB |" for what, count in found["sizes"].items()]
    return "\n".join(
        [
            f"On {said}; commit {found['commit']}, {found['date']}:",
            *["", "| command | time |", "| --- | --- |", *rows],
            *["", "| what | size |", "| --- | --- |", *weights, "", ""],
        ]
    )


def with_table(page: str, found: dict[str, Any]) -> str:
    """The page of times with what was found."""
    before, _, rest = page.partition(MARKS[0])
    return f"{before}{MARKS[0]}{table(found)}{MARKS[1]}{rest.partition(MARKS[1])[2]}"


def with_times(page: str, found: dict[str, Any]) -> str:
    """The front page with the time of each command at the head of what is said of it."""
    seconds = {row["command"]: row["seconds"] for row in found["rows"]}

    def told(line: re.Match[str]) -> str:
        time_of = seconds.get(line["command"])
        return f"{line['command']}{line['room']}# {'' if time_of is None else words(time_of) + ': '}{line['what']}"

    return LINE.sub(told, page)


if __name__ == "__main__":
    if "--write-only" not in sys.argv:
        kept = measure({each for before, each in pairwise(sys.argv) if before == "--skip"})
        KEPT.parent.mkdir(exist_ok=True)
        write_text(KEPT, json.dumps(kept, indent=1) + "\n")
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    write_text(PAGE, with_table(PAGE.read_text(encoding="utf-8"), kept))
    write_text(README, with_times(README.read_text(encoding="utf-8"), kept))
