"""Benchmarks as a file: what was measured, on which machine, with which versions, by which command."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import torch

from vnla import __version__, files
from vnla.bench.measure import Benchmark, Measurement, Option
from vnla.errors import InputError

FORMAT, VERSION = "vnla-bench", 1
_WHAT = "measurements, as `vnla bench … --json FILE` writes them"

FLAGS = ("avx2", "avx512f", "avx512_bf16", "avx512_fp16", "amx_tile", "amx_bf16", "asimd", "sve", "bf16")
"""Of a processor's abilities those that matrix products depend on."""


@dataclass(frozen=True)
class Measured:
    """A benchmark that was run."""

    name: str
    options: Mapping[str, Option]
    measurements: tuple[Measurement, ...]

    @classmethod
    def of(cls, benchmark: Benchmark, measurements: Sequence[Measurement]) -> Measured:
        """What came out of `benchmark`."""
        return cls(benchmark.name, benchmark.options, tuple(measurements))

    @property
    def title(self) -> str:
        """Name and options in one line."""
        return ", ".join([self.name, *(f"{name} {value}" for name, value in self.options.items())])


@dataclass(frozen=True)
class Record:
    """Benchmarks that were run together."""

    machine: Mapping[str, Any]
    versions: Mapping[str, str]
    commit: str | None
    date: str
    command: str
    benchmarks: tuple[Measured, ...]

    @classmethod
    def here(cls, benchmarks: Sequence[Measured], command: str) -> Record:
        """Benchmarks that were run on this machine just now."""
        date = datetime.now(UTC).isoformat(timespec="seconds")
        return cls(machine(), versions(), commit(), date, command, tuple(benchmarks))

    def text(self) -> str:
        """The file's content."""
        value = asdict(self)
        for benchmark, measured in zip(value["benchmarks"], self.benchmarks, strict=True):
            for line, measurement in zip(benchmark["measurements"], measured.measurements, strict=True):
                line["ratio"] = measurement.ratio
        return json.dumps({"format": FORMAT, "version": VERSION, **value}, indent=2) + "\n"

    @classmethod
    def read(cls, path: Path) -> Record:
        """What was written to a file."""
        value = files.read_json(path, _WHAT)
        if not isinstance(value, dict) or value.get("format") != FORMAT:
            raise InputError(f"{path}: does not hold {_WHAT}")
        if value.get("version") != VERSION:
            raise InputError(f"{path}: is of version {value.get('version')}, this vnla reads {VERSION}; measure again")
        try:
            return cls(
                machine=dict(value["machine"]), versions=dict(value["versions"]), commit=value["commit"],
                date=str(value["date"]), command=str(value["command"]),
                benchmarks=tuple(_measured(each) for each in value["benchmarks"]),
            )  # fmt: skip
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(f"{path}: is damaged ({type(error).__name__}: {error}); expected {_WHAT}") from None


def _measured(value: dict[str, Any]) -> Measured:
    return Measured(str(value["name"]), dict(value["options"]), tuple(_measurement(line) for line in value["measurements"]))


def _measurement(line: dict[str, Any]) -> Measurement:
    reference = None if line["reference"] is None else float(line["reference"])
    name, unit, note = (str(line[each]) for each in ("name", "unit", "note"))
    return Measurement(name, float(line["value"]), unit, reference, note, bool(line["judged"]))


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


def versions() -> dict[str, str]:
    """Of all that the speed depends on."""
    return {
        "vnla": __version__,
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "numpy": np.__version__,
    }


def commit() -> str | None:
    """The commit of the checkout that this package runs from, if it does; with a + where files have changed since."""
    here = Path(__file__).parent
    try:
        head = _git(here, "rev-parse", "HEAD")
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
