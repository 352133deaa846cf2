"""Which machine this is and which code, for benchmarks and reports; which device to use, how many cores and threads.

PyTorch is loaded only by the functions that ask it something: processes that do without it import this module as well.
"""

from __future__ import annotations

import gc
import math
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any

from vnla.common.errors import InputError

FLAGS = ("avx2", "avx512f", "avx512_bf16", "avx512_fp16", "amx_tile", "amx_bf16", "asimd", "sve", "bf16")
"""Of a processor's abilities those that matrix products depend on."""

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""The environment's words for how many threads a library uses; each reads them once, when it is loaded."""

MOST_THREADS = 1024
"""Of one process, and processes of one command. With many more OpenMP ends the process without a word."""

COMMIT = "VNLA_COMMIT"
"""The environment's word for the commit that a copy without a checkout was made from."""
UNCOMMITTED = "+"
"""What stands behind a commit where files have changed since."""

BACKGROUND = 10
"""The niceness of what nobody waits for: it has about a tenth of a core that somebody else wants."""

BUSY = 0.5
"""The part of the cores from which on it is worth a word that others use them."""


def machine() -> dict[str, Any]:
    """What this machine is."""
    import torch

    information = _processor()
    abilities = information.get("flags", information.get("Features", "")).split()
    return {
        "processor": information.get("model name") or platform.processor() or platform.machine(),
        "flags": [flag for flag in FLAGS if flag in abilities],
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "memory_gb": _memory(),
        "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
        "system": platform.platform(),
    }


def machine_words(device: str = "cpu") -> str:
    """The same in a few words; the GPU only if it is the `device` that was used."""
    found = machine()
    gpu = f", {found['gpu']}" if device.startswith("cuda") and found["gpu"] else ""
    return f"{found['processor']}, {found['cores']} cores{gpu}"


def device_named(name: str | None) -> str:
    """The device that a person asked for, checked; without a name a GPU if there is one."""
    import torch

    if name is None:
        return "cuda" if torch.cuda.is_available() else "cpu"
    kind, _, number = name.partition(":")
    if kind not in ("cpu", "cuda") or (number and not number.isdecimal()) or (kind == "cpu" and number):
        raise InputError(f"device {name}: unknown; choose cpu, cuda, or cuda:1 for the second GPU")
    if kind == "cuda" and not torch.cuda.is_available():
        raise InputError(f"device {name}: there is no GPU that PyTorch can use; --device cpu works everywhere")
    if number and int(number) >= torch.cuda.device_count():
        raise InputError(f"device {name}: there are {torch.cuda.device_count()} GPUs, numbered from 0")
    return name


def awaken(device: str) -> None:
    """Have a GPU begin to get ready, which takes it a second, and go on meanwhile. If it cannot, whoever uses it is told."""
    import torch

    def compute() -> None:
        with suppress(RuntimeError):
            values = torch.ones(8, 8, device=device)
            values @ values

    if not device.startswith("cpu"):
        Thread(target=compute, daemon=True).start()


@contextmanager
def uncollected() -> Iterator[None]:
    """Python looks for no garbage in the block. Where a large data set is read, that takes half of the time."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


@contextmanager
def loading(library: str) -> Iterator[None]:
    """For a large library, early in a program, when little else is there. What is loaded in the block stays, so Python looks
    for garbage neither meanwhile, which takes a seventh of the time, nor in it later."""
    if library in sys.modules:
        yield
        return
    with uncollected():
        try:
            yield
        finally:
            gc.freeze()


def cores_here() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def lower_priority() -> None:
    """Let this thread, and what it starts, leave the cores to others while they want them.

    Only Linux knows that of a thread; elsewhere nothing changes."""
    if sys.platform == "linux":
        os.nice(BACKGROUND)


def workers_for(wanted: int | None) -> int:
    """How many cores or processes to work with: those that were asked for, checked; as many as there are cores if nobody
    did."""
    if wanted is not None and not 1 <= wanted <= MOST_THREADS:
        raise InputError(f"{wanted} workers: give 1 to {MOST_THREADS:,}")
    return wanted or cores_here()


def use_threads(count: int | None) -> None:
    """Compute with so many threads from now on, here and in processes that are started; None leaves it as it is.

    The environment tells libraries that are loaded later, a call tells PyTorch if it is there. Loops in machine code share
    PyTorch's threads (`vnla.common.openmp`).
    """
    if count is None:
        return
    if not 1 <= count <= MOST_THREADS:
        raise InputError(f"{count} threads: give 1 to {MOST_THREADS:,}")
    os.environ.update(dict.fromkeys(THREADS, str(count)))
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(count)


@contextmanager
def threads_of_processes(count: int | None) -> Iterator[None]:
    """Libraries in processes that are started in the block use so many threads; None leaves it as it is."""
    before = {name: os.environ.get(name) for name in THREADS}
    if count is not None:
        os.environ.update(dict.fromkeys(THREADS, str(count)))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def busy_hint(threads: int | None = None) -> str | None:
    """A line for people if other programs keep much of the machine busy as a long command begins; None if they do not.

    The load is the system's average over the last minute, less what this process has added to it so far. Who computes with
    one thread gets no advice about `threads`.
    """
    cores = os.cpu_count() or 1
    if not hasattr(os, "getloadavg"):
        return None
    others = os.getloadavg()[0] - (1 - math.exp(-time.process_time() / 60))
    if others < BUSY * cores:
        return None
    advice = "" if threads == 1 else "; threads that wait for each other lose most, --threads 1 may be several times faster"
    load = f"{others:.1f} of {cores} core{'' if cores == 1 else 's'}"
    return f"note: other programs have kept {load} busy in the last minute, so this takes longer{advice}"


def commit() -> str | None:
    """The commit of the checkout that this package runs from, if it does; with a + where files have changed since.

    A copy of the files of a checkout does not know its commit, and whoever made the copy says it in `VNLA_COMMIT`.
    """
    here = Path(__file__).parent
    try:
        head = _git(here, "rev-parse", "--short=12", "HEAD")
        return head + UNCOMMITTED if _git(here, "status", "--porcelain", "--untracked-files=no") else head
    except (OSError, subprocess.CalledProcessError):
        return _said_commit()


def _said_commit() -> str | None:
    said = os.environ.get(COMMIT)
    if said and not re.fullmatch(r"[0-9a-f]{7,40}\+?", said):
        raise InputError(f"{COMMIT}={said}: is no commit; give 7 to 40 hexadecimal digits, and a + if files have changed")
    return said or None


def uncommitted_hint() -> str | None:
    """A line for people if the code has changes that are not committed; None if it has none."""
    found = commit()
    if found is None or not found.endswith(UNCOMMITTED):
        return None
    changed = found.removesuffix(UNCOMMITTED)
    return f"note: the code differs from commit {changed}; records and the report say so, as {found}"


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "--no-optional-locks", "-C", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _processor() -> dict[str, str]:
    """The fields of the first processor where the system has a file about it."""
    information = Path("/proc/cpuinfo")
    if not information.is_file():
        return {}
    first = information.read_text().split("\n\n")[0]
    return {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in first.splitlines())}


def _memory() -> float | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1)
    except (AttributeError, ValueError, OSError):
        return None
