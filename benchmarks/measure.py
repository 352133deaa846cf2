"""One line of a benchmark, and how time is taken."""

from __future__ import annotations

import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import torch

from vnla.common import machine
from vnla.common.errors import InputError

Option = str | int | float | bool | None


@dataclass(frozen=True)
class Measurement:
    """A value, and what it is measured against where there is such a thing."""

    name: str
    value: float
    unit: str
    reference: float | None = None
    note: str = ""
    judged: bool = True
    """Whether a change of it is one of the program: a floor is the machine's."""

    @property
    def ratio(self) -> float | None:
        """How many times the reference."""
        return None if self.reference is None else self.value / self.reference


@dataclass(frozen=True)
class Benchmark:
    """Something to measure. Two measurements can be compared if name and options are the same."""

    name: str
    options: Mapping[str, Option]
    run: Callable[[], Iterator[Measurement]]
    times: str = ""
    """What the ratios in it are times of."""


def median_seconds(work: Callable[[], object], seconds: float, device: str = "cpu") -> float:
    """The median time of `work` over at least five calls and about `seconds` in all, after two to warm up."""
    work()
    work()
    times: list[float] = []
    while len(times) < 5 or sum(times) < seconds:
        times.append(seconds_of(work, device))
    return statistics.median(times)


def seconds_of(work: Callable[[], object], device: str = "cpu") -> float:
    """How long `work` takes, once."""
    wait_for(device)
    began = time.perf_counter()
    work()
    wait_for(device)
    return time.perf_counter() - began


def wait_for(device: str) -> None:
    """Until all that was queued on the device is done."""
    if device != "cpu":
        torch.cuda.synchronize(device)


def device_named(name: str) -> str:
    """A device that is there, of those that are measured."""
    if name not in ("cpu", "cuda"):
        raise InputError(f"device {name}: unknown; choose cpu or cuda")
    return machine.device_named(name)


def most_memory(device: str) -> Measurement:
    """The most memory that this process has taken so far, by earlier benchmarks too: so it is not judged."""
    if device != "cpu":
        return Measurement("most GPU memory", torch.cuda.max_memory_allocated(device) / 1e9, "GB", judged=False)
    scale = 1024 if sys.platform != "darwin" else 1
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale / 1e9
    return Measurement("most memory", most, "GB", note="of the process so far", judged=False)


@contextmanager
def one_thread() -> Iterator[None]:
    """PyTorch on one thread for the length of the block."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
