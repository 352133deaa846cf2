"""Work for stages in tests. It is done in other processes, so it is here and not in a test."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from vnla.common import files
from vnla.common.errors import InputError
from vnla.pipeline.scheduler import StageCallbacks, run_stages
from vnla.pipeline.stages import JointReport, Stage
from vnla.pipeline.workers import SomeFailedError

Report = Callable[[float, float, str], None]
DIARY = "diary.txt"
STEPS = 40
WAIT = "wait"
"""While there is a file of that name, nobody gets to the top."""


def note(folder: Path, line: str) -> None:
    """Add a line to the diary, which several processes write."""
    handle = os.open(folder / DIARY, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(handle, f"{line}\n".encode())
    os.close(handle)


def diary(folder: Path) -> list[str]:
    """The lines so far."""
    path = folder / DIARY
    return path.read_text().split() if path.exists() else []


def make(folder: Path, name: str, report: Report) -> None:
    """Make a file."""
    note(folder, name)
    report(1, 1, "")
    (folder / name).write_text(name)


def make_new(folder: Path, name: str, report: Report) -> None:
    """Make a file where there is none yet, and say so if there is."""
    if (folder / name).exists():
        raise InputError(f"{name} is there")
    make(folder, name, report)


def make_all(given: Sequence[tuple[Path, str]], report: JointReport) -> None:
    """Make several files in one go."""
    note(given[0][0], "+".join(name for _, name in given))
    for folder, name in given:
        (folder / name).write_text(name)
    report(1, 1, "")


def count_all(given: Sequence[tuple[Path, str]], report: JointReport) -> None:
    """Make several files, and say how far each is: the first a quarter, the second two quarters."""
    for which, (folder, name) in enumerate(given):
        report(which + 1, 4, name, which)
        (folder / name).write_text(name)


def make_some(given: Sequence[tuple[Path, str]], report: JointReport) -> None:
    """Make several files in one go, but for those of bad names."""
    if good := [each for each in given if each[1] != "bad"]:
        make_all(good, report)
    raise SomeFailedError({which: f"{name} is no name" for which, (_, name) in enumerate(given) if name == "bad"})


def linger(folder: Path, name: str, report: Report) -> None:
    """Take a while, with a line in the diary at the beginning and at the end."""
    note(folder, f"{name}+")
    time.sleep(0.3)
    make(folder, f"{name}-", report)
    (folder / name).write_text(name)


def meet(folder: Path, name: str, other: str, report: Report) -> None:
    """Wait for somebody who waits for us: two of these must be at work at the same time."""
    (folder / f"{name}.here").touch()
    end = time.monotonic() + 20
    while not (folder / f"{other}.here").exists():
        if time.monotonic() > end:
            raise InputError(f"{other} did not come")
        time.sleep(0.01)
    make(folder, name, report)


def make_if(folder: Path, name: str, needed: Path, report: Report) -> None:
    """Fail unless a file is there."""
    if not needed.exists():
        raise InputError(f"{needed.name} is missing")
    make(folder, name, report)


def die(folder: Path, name: str, report: Report) -> None:
    """Be killed, the first time."""
    marker = folder / "died"
    if not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    make(folder, name, report)


def be_told_twice(folder: Path, name: str, _: Report) -> None:
    """Be told to stop, and once more while the process leaves."""
    atexit.register(lambda: (os.kill(os.getpid(), signal.SIGTERM), (folder / name).touch()))
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(20)


def climb(folder: Path, name: str, report: Report) -> None:
    """Count to forty and remember where we were; half-way up it waits for as long as it is told to."""
    path = folder / "step.txt"
    (folder / "climber.pid").write_text(str(os.getpid()))
    done = int(path.read_text()) if path.exists() else 0
    for step in range(done, STEPS):
        time.sleep(0.05)
        while step == STEPS // 2 and (folder / WAIT).exists():
            time.sleep(0.05)
            report(step, STEPS, "steps")  # where it hears that it is to stop
        note(folder, f"step{step}")
        files.write_text(path, str(step + 1))  # whole or not at all, as a stage that goes on must
        report(step + 1, STEPS, "steps")
    (folder / name).write_text(name)


def climbing(folder: Path) -> list[Stage]:
    """Something quick, then something long that goes on where it was."""
    return [
        Stage("before", make, (folder, "before"), folder / "before"),
        Stage("climb", climb, (folder, "top"), folder / "top", after=("before",), resumes=True),
        Stage("after", make, (folder, "after"), folder / "after", after=("climb",)),
    ]


if __name__ == "__main__":
    from stage_work import climbing as climbing_of_a_module  # processes do not import the program that starts them

    run_stages(climbing_of_a_module(Path(sys.argv[1])), Path(sys.argv[1]), StageCallbacks(), 2)
