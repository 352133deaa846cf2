"""Benchmarks as a file: what was measured, on which machine, with which versions, by which command."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.measure import Benchmark, Measurement, Option
from vnla import __version__
from vnla.common import files
from vnla.common.errors import InputError
from vnla.common.machine import commit, machine

FORMAT, VERSION = "vnla-bench", 1
_WHAT = "measurements, as `vnla bench … --json FILE` writes them"


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
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise InputError(f"{path}: is damaged ({type(error).__name__}: {error}); expected {_WHAT}") from None


def _measured(value: dict[str, Any]) -> Measured:
    return Measured(str(value["name"]), dict(value["options"]), tuple(_measurement(line) for line in value["measurements"]))


def _measurement(line: dict[str, Any]) -> Measurement:
    reference = None if line["reference"] is None else float(line["reference"])
    name, unit, note = (str(line[each]) for each in ("name", "unit", "note"))
    return Measurement(name, float(line["value"]), unit, reference, note, bool(line["judged"]))


def versions() -> dict[str, str]:
    """Of all that the speed depends on."""
    return {
        "vnla": __version__,
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "numpy": np.__version__,
    }
