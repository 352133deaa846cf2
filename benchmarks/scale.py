"""What it costs to go beyond one process and beyond memory: each entry compares two ways in the same run, in turn.

vnla bench scale
"""

from __future__ import annotations

import os
import resource
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from benchmarks.measure import Measurement, wait_for
from benchmarks.setting import bare_setting
from benchmarks.shards import bench_shards
from benchmarks.sizes import Scale
from benchmarks.stages import bench_stages
from benchmarks.start import begin
from vnla.camera import VIEWS
from vnla.common.capture import CACHES
from vnla.common.errors import InputError
from vnla.common.process_pool import GONE, Failure, Member, sound, told
from vnla.common.tables import DeviceTable, DiskTable, FeatureTable, lend
from vnla.houses.scatter import real_sized_houses
from vnla.training.config import TrainingConfig
from vnla.training.ranks import ENVIRONMENT, joined
from vnla.training.split import SplitTrainer
from vnla.training.trainer import Trainer
from vnla.world.compiled import World

_WARM_UP = 2
_FAREWELL = 5.0
"""Seconds that a process has to leave by itself: one that compiled has processes of its own to end."""
_BESIDES = 6e9
"""Bytes that two trainings may need besides the features that one of them has in memory."""
_DIFFERENT = 4099
"""Rows of a made-up feature file that differ from each other, a prime number."""


class Turn(NamedTuple):
    """One iteration."""

    seconds: float
    processor: float
    losses: tuple[float, float]
    memory: float
    """The most that the process has had so far, in gigabytes."""


def bench_scale(*, entries: str = "", **options: int | str) -> Iterator[Measurement]:
    """All entries, or those named, with commas between."""
    scale = Scale(**options)  # type: ignore[arg-type]
    names = [name.strip() for name in entries.split(",") if name.strip()] or _usual(scale)
    unknown = next((name for name in names if name not in ENTRIES), None)
    if unknown is not None:
        raise InputError(f"entry {unknown}: unknown; choose from {', '.join(ENTRIES)}")
    for name in names:
        yield from ENTRIES[name](scale)


def _usual(scale: Scale) -> list[str]:
    """The entries that make sense on a device: shards and stages are the same whatever it is."""
    if scale.device == "cpu":
        return list(ENTRIES)
    return ["memory", *(["processes"] if torch.cuda.device_count() >= scale.processes else []), "start"]


def _memory(scale: Scale) -> Iterator[Measurement]:
    """A training whose features stay elsewhere, and one that has them where it computes, an iteration each in turn."""
    with tempfile.TemporaryDirectory(dir=scale.folder or None) as folder:
        path = Path(folder) / "features.f16"
        size = _write_features(path, scale)
        yield Measurement(f"features {scale.where}", size / 1e9, "GB", note=f"{scale.houses:,} houses", judged=False)
        if scale.device == "cpu" and _room() < 1.2 * size + _BESIDES:
            yield from _alone(scale, path)
            return
        with _members([(_train, scale, str(path), kind, None) for kind in ("memory", "disk")]) as (memory, disk):
            turns = [(_go(memory), _go(disk)) for _ in range(scale.iterations)]
    if any(one.losses != other.losses for one, other in turns):
        raise InputError(f"the two trainings differ: features {scale.where} are not those in memory")
    note = "× that of one with all in memory; the same to the last bit"
    yield from _compared(f"iteration, features {scale.where}", turns, note)
    ends = turns[-1]
    yield Measurement(f"  most memory, {scale.where}", ends[1].memory, "GB", ends[0].memory, "× all in memory", judged=False)


def _alone(scale: Scale, path: Path) -> Iterator[Measurement]:
    """The one with features on disk, where there is no room for the other."""
    with _members([(_train, scale, str(path), "disk", None)]) as (disk,):
        turns = [_go(disk) for _ in range(scale.iterations)]
    note = "too little memory to have them all in it and compare"
    yield Measurement("iteration, features on disk", statistics.median(turn.seconds for turn in turns), "s", note=note)
    yield Measurement("  iteration, processor time of one", statistics.median(turn.processor for turn in turns), "s")
    yield Measurement("  most memory, on disk", turns[-1].memory, "GB", judged=False)


def _room() -> float:
    """Bytes that programs could still have, where the system says so."""
    told = Path("/proc/meminfo")
    lines = told.read_text().splitlines() if told.is_file() else []
    return next((float(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable")), float("inf"))


def _processes(scale: Scale) -> Iterator[Measurement]:
    """Several processes of one thread each that train together, and one."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    count = str(scale.processes)
    places = [dict(zip(ENVIRONMENT, (str(rank), count, "127.0.0.1", port), strict=True)) for rank in range(scale.processes)]
    for rank, place in enumerate(places):
        place["LOCAL_RANK"] = str(rank)
    work = [(_train, scale, "", "memory", place) for place in (None, *places)]
    with _members(work) as (alone, *together):
        turns = []
        for _ in range(scale.iterations):
            one = _go(alone)
            for member in together:
                member.send(None)
            first, *_ = [_received(member) for member in together]
            turns.append((one, first))
    apart = max(abs(a - b) / abs(a) for one, other in turns for a, b in zip(one.losses, other.losses, strict=True) if a)
    name = f"iteration, {scale.processes} processes"
    yield from _compared(name, turns, "× that of one process with one thread")
    yield Measurement("  losses, largest difference", apart, "of the loss", note="by the order of sums", judged=False)


def _compared(name: str, turns: Sequence[tuple[Turn, Turn]], note: str) -> Iterator[Measurement]:
    """The median of the second of each pair against that of the first, by the clock and by the processor."""
    for field, what in (("seconds", name), ("processor", f"  {name}: processor time of one")):
        first, second = (statistics.median(getattr(turn[place], field) for turn in turns) for place in (0, 1))
        yield Measurement(what, second, "s", first, note if field == "seconds" else "× the same")


def _start(scale: Scale) -> Iterator[Measurement]:
    """From starting a process to its first iteration's end: with nothing compiled before, and once more."""
    parts: list[dict[str, float]] = []
    with tempfile.TemporaryDirectory() as folder, _environment(dict.fromkeys(CACHES, folder)):
        for _ in range(2):
            began = time.time()
            with _members([(begin, scale.device, scale.hidden, scale.view_size, scale.batch, scale.seed)]) as (member,):
                member.send(None)
                times: dict[str, float] = member.receive()
                before = [began, *times.values()]
                parts.append({name: at - before[place] for place, (name, at) in enumerate(times.items())})
    first, again = (sum(each.values()) for each in parts)
    yield Measurement("start, kernels compiled", first, "s")
    yield Measurement("start, kernels on disk", again, "s", first, "× the first time")
    yield from (Measurement(f"  {name}", seconds, "s", judged=False) for name, seconds in parts[1].items())


@contextmanager
def _environment(more: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in more}
    os.environ.update(more)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


ENTRIES: dict[str, Callable[[Scale], Iterator[Measurement]]] = {
    "memory": _memory,
    "processes": _processes,
    "start": _start,
    "shards": bench_shards,
    "stages": bench_stages,
}
"""What is measured, by name."""


def _write_features(path: Path, scale: Scale) -> int:
    """A feature file for the houses of a setting; its size in bytes."""
    rows = sum(len(house.viewpoints) for house in real_sized_houses(scale.houses, scale.seed)) * VIEWS
    block = np.random.default_rng(scale.seed).random((_DIFFERENT, scale.view_size), dtype=np.float32).astype(np.float16)
    data = block.tobytes()
    with path.open("wb") as stream:
        for _ in range(rows // _DIFFERENT):
            stream.write(data)
        stream.write(block[: rows % _DIFFERENT].tobytes())
    return rows * scale.view_size * 2


def _train(pipe: Connection, scale: Scale, path: str, kind: str, place: dict[str, str] | None) -> None:
    """A process that does an iteration when it is told to, alone or, in a `place`, with others."""

    def views(world: World) -> Tensor | FeatureTable:
        if kind == "disk" and isinstance(scale.cache, int):
            given = Path(path), scale.view_size, world.first, VIEWS, scale.cache
            return DiskTable(*given) if scale.device == "cpu" else DeviceTable(*given, device=world.device)
        rows = np.fromfile(path, dtype=np.float16).reshape(-1, scale.view_size)
        return lend(rows, world.device) if kind == "disk" else torch.from_numpy(rows).to(world.device)

    torch.set_num_threads(1)
    setting = bare_setting(
        max(500, 2 * scale.houses), hidden=scale.hidden, view_size=scale.view_size, seed=scale.seed, device=scale.device,
        houses=scale.houses, views=views if path else None,
    )  # fmt: skip
    config = TrainingConfig(batch=scale.batch, seed=scale.seed, precision="float32" if scale.device == "cpu" else "tf32")
    os.environ.update(place or {})
    with ExitStack() as held:
        ranks = held.enter_context(joined(scale.device)) if place else None
        kind_of = Trainer if ranks is None else SplitTrainer
        options = {} if ranks is None else {"ranks": ranks}
        trainer = kind_of(setting.context, setting.tasks, config, learns_to_ask=True, **options)  # type: ignore[arg-type]
        for _ in range(_WARM_UP):
            trainer.iterate()
        pipe.send(None)
        with suppress(*GONE):  # that is all; those who train together part in order
            while True:
                pipe.recv()
                pipe.send(_turn(trainer, scale.device))


def _turn(trainer: Trainer, device: str) -> Turn:
    began, used = time.perf_counter(), time.process_time()
    nav, ask = trainer.iterate().both().tolist()
    wait_for(device)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1024 if sys.platform != "darwin" else 1) / 1e9
    return Turn(time.perf_counter() - began, time.process_time() - used, (nav, ask), memory)


@contextmanager
def _members(work: Sequence[tuple[object, ...]]) -> Iterator[list[Member]]:
    """Processes that are ready to begin."""
    members: list[Member] = []
    try:
        for function, *given in work:
            members.append(Member(told, function, *given, name="vnla bench", threads=1))
        for member in members:
            _received(member)
        yield members
    finally:
        for member in members:
            member.pipe.close()  # whoever trains with others leaves together with them
        for member in members:
            member.leave_in(_FAREWELL)


def _go(member: Member) -> Turn:
    member.send(None)
    return _received(member)


def _received(member: Member) -> Turn:
    try:
        turn: Turn | Failure = member.receive()
    except GONE:
        raise InputError(f"a process of the benchmark {member.fate()}; is there enough memory?") from None
    return sound(turn)
