"""Commands that are tormented: each is run in a folder, and what it leaves there is compared.

Everything is as small as it can be, so that a command ends within seconds. A command runs in a copy of this process, where
all that it imports is loaded already; signals and statuses are those of `python -m vnla`.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image

EXAMPLE = Path(__file__).parents[2] / "examples" / "world.json"
HOUSES = ("--train", 1, "--dev", 1, "--test", 1)
POINTS = ("--size", 10, "--most-train", 40, "--fewest", 1)
TRAINING = ("--features", "symbolic", "--batch", 4, "--hidden", 8, "--iterations", 6, "--validate-every", 2, "--threads", 1)


@dataclass(frozen=True)
class Material:
    """What commands work on, each thing made when it is first asked for."""

    folder: Path

    @property
    def cottage(self) -> Path:
        """The cottage as a world, with pictures of nothing in particular: drawing houses takes minutes."""
        return self._made("cottage", _cottage) / "world"

    @property
    def places(self) -> tuple[object, ...]:
        """The cottage and its tasks, as options."""
        return ("--world", self.cottage, "--tasks", self.cottage.parent / "tasks")

    @property
    def run(self) -> Path:
        """A training in the cottage."""
        return self._made("runs", lambda folder: _done("train", folder / "run", *self.places, *TRAINING)) / "run"

    @property
    def houses(self) -> Path:
        """A world of three little houses."""
        return self._made("houses", lambda folder: _done("world", "make", folder / "world", *HOUSES)) / "world"

    @property
    def points(self) -> Path:
        """Tasks in those houses."""
        return self._made("points", lambda folder: _done("tasks", "make", self.houses, folder / "tasks", *POINTS)) / "tasks"

    def _made(self, name: str, make: Callable[[Path], None]) -> Path:
        place = self.folder / name
        if not (place / "complete").exists():
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(parents=True)
            make(place)
            (place / "complete").touch()
        return place


def _cottage(folder: Path) -> None:
    from cottage_run import write_cottage
    from vnla.houses.folder import read_world, write_manifest

    world, _ = write_cottage(folder)
    random = np.random.default_rng(0)
    (house,) = (found := read_world(world)).houses
    write_manifest(found.choosing(pictures={"source": "panoramas"}))
    (world / "pictures" / house.name).mkdir(parents=True)
    for stand in house.viewpoints:
        pixels = random.integers(0, 256, (8, 16, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(world / "pictures" / house.name / f"{stand.id}.png")


def _done(*arguments: object) -> None:
    ended = Begun(arguments, Path(os.devnull)).wait()
    if ended.status:
        raise RuntimeError(f"{arguments}: {ended.status}")


class Command(NamedTuple):
    """What is run in a folder, what has to be there before, and what of the outcome depends on the clock."""

    name: str
    arguments: Callable[[Material, Path], tuple[object, ...]]
    prepare: Callable[[Material, Path], None] = lambda _material, _folder: None
    passing: tuple[str, ...] = ()
    """Names of files and folders that are not compared."""
    modules: tuple[str, ...] = ()
    """What it imports when it is called."""
    before: Callable[[], None] = lambda: None
    """Called first in its process."""


PAPER = "paper"


def _offer_tiny() -> None:
    """A preset of the paper's experiments that is over within a minute."""
    from tiny_paper import TINY
    from vnla.experiments.paper.presets import PRESETS

    PRESETS[TINY.name] = TINY


def _copy_world(material: Material, folder: Path) -> None:
    shutil.copytree(material.cottage, folder / "world")


def _copy_houses(material: Material, folder: Path) -> None:
    """Houses that can be drawn: what is in view in them will be kept there."""
    shutil.copytree(material.houses, folder / "world")


COMMANDS = (
    Command(
        "world import",
        lambda _, folder: ("world", "import", "json", EXAMPLE, folder / "world"),
        modules=("vnla.houses.plain", "vnla.houses.folder"),
    ),
    Command(
        "world make",
        lambda _, folder: ("world", "make", folder / "world", *HOUSES),
        modules=("vnla.houses.generate.unfinished",),
    ),
    Command(
        "features make",
        lambda _, folder: ("features", "make", folder / "world", "--encoder", "pixels", "--size", "32x32", "--batch", 64),
        _copy_world,
        modules=("vnla.vision.making",),
    ),
    Command(
        "tasks make",
        lambda given, folder: ("tasks", "make", given.houses, folder / "tasks", *POINTS),
        modules=("vnla.tasks.generate", "vnla.tasks.dataset"),
    ),
    Command(
        "train",
        lambda given, folder: ("train", folder / "run", *given.places, *TRAINING),
        passing=("tensorboard",),
        modules=("vnla.training.together",),
    ),
    Command(
        "train with practice",
        lambda given, folder: ("train", folder / "run", *given.places, *TRAINING, "--practice", 1),
        passing=("tensorboard",),
        modules=("vnla.training.together", "vnla.training.practice"),
    ),
    Command(
        "train to spot",
        lambda given, folder: (
            "train", folder / "run", "--world", folder / "world", "--tasks", given.points, *TRAINING, "--sense", "spotted",
        ),
        _copy_houses,
        passing=("tensorboard", "sights"),  # what is in view is kept if that can be done, and drawn again else
        modules=("vnla.training.together", "vnla.training.spotting", "vnla.houses.render"),
    ),
    Command(
        "evaluate",
        lambda given, folder: (
            "evaluate", given.run, "--split", "test_seen", "--seeds", 2, "--subset", 20, "--json", folder / "all.json",
            "--csv", folder / "all.csv", "--results", folder / "results", "--npz", folder / "npz",
        ),
        modules=("vnla.training.trained", "vnla.evaluation.evaluation_file"),
    ),
    Command(
        "evaluate a guest",
        lambda given, folder: (
            "evaluate", "--agent", "scripted", *given.places, "--split", "test_seen", "--subset", 10, "--seeds", 1,
            "--out", folder / "guest",
        ),
        passing=("calls.jsonl", "summary.json"),
        modules=("vnla.remote.evaluation",),
    ),
    Command(
        PAPER,
        lambda _, folder: ("paper", folder / "out", "--preset", "tiny", "--workers", 1),
        passing=("stages", "tensorboard", "report.html", "document.json"),
        modules=("vnla.experiments.paper.run", "tiny_paper"),
        before=_offer_tiny,
    ),
)  # fmt: skip


class Ended(NamedTuple):
    """How a command ended: its status, negative for a signal, and what it said on stderr."""

    status: int
    said: str
    seconds: float


class Begun:
    """A command that has begun, in a process group of its own."""

    def __init__(self, arguments: tuple[object, ...], said: Path, before: Callable[[], None] = lambda: None) -> None:
        """What it says goes to the file `said`; `before` is called in its process."""
        self._said, self._began = said, time.monotonic()
        sys.stdout.flush()
        sys.stderr.flush()
        self.process = os.fork()
        if not self.process:
            _become([str(each) for each in arguments], said, before)

    def send(self, number: signal.Signals) -> None:
        """Send a signal to it and to whatever it has started, as a terminal does."""
        try:
            os.killpg(self.process, number)
        except ProcessLookupError:
            os.kill(self.process, number)  # it is not the head of its group yet

    def is_over(self, seconds: float) -> bool:
        """Whether it has ended by itself within some seconds; it can still be waited for."""
        deadline = time.monotonic() + seconds
        while not os.waitid(os.P_PID, self.process, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.002)
        return True

    def wait(self, seconds: float = 600) -> Ended:
        """Until it is gone; what is there after so many seconds is killed. Seconds in which it was stopped do not count."""
        left, before, late = seconds, time.monotonic(), ""
        while True:
            number, status = os.waitpid(self.process, os.WNOHANG)
            if number:
                break
            before, passed = time.monotonic(), time.monotonic() - before
            left -= 0 if _state(self.process)[0] == "T" else passed
            if left < 0 and not late:
                late = f"it was ended after {seconds:.0f} s, {self._processes()}: "
                self.send(signal.SIGKILL)
            time.sleep(0.005)
        said = late + (self._said.read_text(errors="replace") if self._said.exists() else "")
        return Ended(os.waitstatus_to_exitcode(status), said, time.monotonic() - self._began)

    def _processes(self) -> str:
        """What it and those that it has started are doing, and for how long they had the processor."""
        numbers = [int(each.name) for each in Path("/proc").glob("[0-9]*")]
        states = {number: _state(number) for number in numbers}
        ours = [f"{number} {state} {ran:.1f} s" for number, (state, group, ran) in states.items() if group == self.process]
        return ", ".join(ours)

    def leaves_nobody(self, seconds: float = 10) -> bool:
        """Whether all processes that it has started are gone after some seconds."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                os.killpg(self.process, 0)
            except ProcessLookupError:
                return True
            time.sleep(0.05)
        os.killpg(self.process, signal.SIGKILL)
        return False


def _state(process: int) -> tuple[str, int, float]:
    """Of a process: its state, which is T if somebody has stopped it, its group, and its seconds of the processor."""
    try:
        told = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # it is gone, or the system has no such files
        return "?", 0, 0.0
    return told[0], int(told[2]), (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")


def _become(arguments: list[str], said: Path, before: Callable[[], None]) -> None:
    """Be the command, and never return."""
    status = 1
    try:
        os.setsid()
        nowhere = os.open(os.devnull, os.O_RDWR)
        mouth = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        for stream, handle in ((0, nowhere), (1, nowhere), (2, mouth)):
            os.dup2(handle, stream)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
        sys.argv = ["vnla", *arguments]
        before()
        from vnla.__main__ import main

        main()
        status = 0
    except SystemExit as left:
        status = left.code if isinstance(left.code, int) else 0 if left.code is None else 1
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def left_in(folder: Path, passing: tuple[str, ...] = ()) -> dict[str, str]:
    """The files in a folder: path → SHA-256. Hidden ones and those that pass are left out."""
    found = {}
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if path.is_file() and not any(part.startswith(".") or part in passing for part in parts):
            found["/".join(parts)] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def complaint(said: str) -> str | None:
    """What is wrong with what a command that failed has said: more than one line of complaint, or none; None if nothing."""
    lines = [line for line in said.splitlines() if line.startswith("vnla: error: ")]
    if "Traceback" in said or len(lines) != 1:
        return said[-2000:] or "nothing was said"
    return None


def is_there(said: str) -> bool:
    """Whether a command says that what it was to make is there: what is whole is not made again."""
    return "exists already" in said or "there already" in said


def load(commands: Iterable[Command]) -> None:
    """Import what commands import, and make them, so that copies of this process need not."""
    for module in dict.fromkeys(each for command in commands for each in command.modules):
        importlib.import_module(module)
    importlib.import_module("vnla.cli").command()
