"""Which machine this is and which code, for benchmarks and reports; and which device to use."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path
from typing import Any

import torch

from vnla.common.errors import InputError

FLAGS = ("avx2", "avx512f", "avx512_bf16", "avx512_fp16", "amx_tile", "amx_bf16", "asimd", "sve", "bf16")
"""Of a processor's abilities those that matrix products depend on."""


def machine() -> dict[str, Any]:
    """What this machine is."""
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


def use_threads(count: int | None) -> None:
    """Compute with so many threads from now on; None leaves it as it is."""
    if count is not None:
        torch.set_num_threads(count)


def commit() -> str | None:
    """The commit of the checkout that this package runs from, if it does; with a + where files have changed since."""
    here = Path(__file__).parent
    try:
        head = _git(here, "rev-parse", "--short=12", "HEAD")
        return head + "+" if _git(here, "status", "--porcelain", "--untracked-files=no") else head
    except (OSError, subprocess.CalledProcessError):
        return None


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
