"""Every n-th open, write, fsync and rename in a command's folder fails, or the power goes with it.

A command that meets a fault ends well or with one line; then the same command, undisturbed, ends with the bytes that it has
where nothing ever failed. `faults.c` stands between the commands and the disk.
"""

from __future__ import annotations

import ctypes
import math
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from torture.commands import COMMANDS, Begun, Command, Ended, Material, complaint, is_there, left_in, load

WAYS = {"no space": 1, "I/O error": 2, "short write": 3, "kill": 4, "power": 5}
_KILLED = -9


def library(folder: Path) -> Path:
    """`faults.c`, compiled."""
    made = folder / "faults.so"
    source = Path(__file__).with_name("faults.c")
    if not made.exists() or made.stat().st_mtime < source.stat().st_mtime:
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", str(made), str(source), "-ldl", "-lpthread"], check=True)
    return made


def restart_with(folder: Path) -> None:
    """Be the same program with the library loaded, if it is not."""
    wanted = str(library(folder))
    if os.environ.get("LD_PRELOAD") != wanted:
        environment = {**os.environ, "LD_PRELOAD": wanted}
        os.execve(sys.executable, [sys.executable, "-m", "torture", *sys.argv[1:]], environment)


class Tormented:
    """One command, and what it leaves where nothing fails."""

    def __init__(self, command: Command, material: Material, folder: Path) -> None:
        self.command, self.material, self.folder = command, material, folder
        self._shim = ctypes.CDLL(None)
        self._counted = folder.with_name(f"{folder.name}.count")
        ended = self._run("none", 0)
        if ended.status:
            raise RuntimeError(f"{command.name}: {ended.said}")
        self.operations = int(self._counted.read_text())
        self.seconds = ended.seconds
        self.expected = left_in(folder, command.passing)

    def _run(self, way: str, at: int, *, fresh: bool = True) -> Ended:
        if fresh:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
            self.command.prepare(self.material, self.folder)
        said = self.folder.with_name(f"{self.folder.name}.said")
        begun = Begun(self.command.arguments(self.material, self.folder), said, lambda: self._arm(way, at))
        ended = begun.wait()
        return ended if begun.leaves_nobody() else ended._replace(said=f"processes stay: {ended.said}", status=1)

    def _arm(self, way: str, at: int) -> None:
        """In the command's process."""
        self.command.before()
        if way == "again":
            return
        os.environ["TORTURE"] = str(self.folder.with_name(f"{self.folder.name}.faults"))
        self._shim.torture_arm(str(self.folder).encode(), WAYS.get(way, WAYS["I/O error"]), at)
        if way == "none":
            leave = os._exit

            def counted(status: int) -> None:
                self._counted.write_text(str(self._shim.torture_count()))
                leave(status)

            os._exit = counted  # type: ignore[assignment]

    def tried(self, way: str, at: int) -> dict[str, Any] | None:
        """What is wrong after the `at`-th operation has failed in that way; None if nothing is."""
        ended = self._run(way, at)
        about = {"command": self.command.name, "way": way, "operation": at, "status": ended.status}
        if ended.status == _KILLED:
            if way not in ("kill", "power"):
                return {**about, "wrong": "was killed"}
        elif ended.status and (wrong := complaint(ended.said)):
            return {**about, "wrong": wrong}
        again = self._run("again", 0, fresh=False)
        if again.status and not is_there(again.said):
            return {**about, "wrong": f"cannot be resumed: {again.said[-1000:]}"}
        found = left_in(self.folder, self.command.passing)
        if found != self.expected:
            names = sorted(name for name in {*found, *self.expected} if found.get(name) != self.expected.get(name))
            return {**about, "wrong": f"other bytes in {', '.join(names)[:500]}"}
        return None


def faults(
    work: Path, seed: int, most: int | None, commands: Sequence[str] = (), seconds: float | None = None
) -> Iterator[dict[str, Any]]:
    """A report on each command: every operation fails in every way, or `most` of them drawn by the seed, or as many as can
    be tried within some seconds."""
    chosen_commands = [command for command in COMMANDS if not commands or command.name in commands]
    load(chosen_commands)
    material = Material(work / "material")
    for command in chosen_commands:
        tormented = Tormented(command, material, work / "faults" / command.name.replace(" ", "-"))
        every = [(way, at) for way in WAYS for at in range(1, tormented.operations + 1)]
        chosen = Random(f"{seed} {command.name}").sample(every, min(most or len(every), len(every)))
        deadline, found = time.monotonic() + (seconds or math.inf), list[dict[str, Any] | None]()
        for way, at in chosen:
            if time.monotonic() > deadline:
                break
            found.append(tormented.tried(way, at))
            done = f"{command.name}: {len(found)} of {len(chosen)}, {len(found) - found.count(None)} wrong"
            print(done, end="\r" if len(found) % 10 else "\n", file=sys.stderr, flush=True)
        yield {
            "command": command.name,
            "operations": tormented.operations,
            "faults": len(found),
            "of": len(every),
            "wrong": [each for each in found if each is not None],
        }
