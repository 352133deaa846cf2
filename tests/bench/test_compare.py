"""Two files of measurements: what counts as slower, and what cannot be compared."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.compare import compare, read_both
from benchmarks.measure import Measurement
from benchmarks.record import Measured, Record
from vnla.common.errors import InputError

RECORD = Record(
    machine={"processor": "abacus", "cores": 2, "threads": 2, "gpu": None},
    versions={"vnla": "1"},
    commit="abc",
    date="2020-01-01T00:00:00+00:00",
    command="vnla bench train",
    benchmarks=(
        Measured(
            "train",
            {"batch": 100},
            (
                Measurement("iteration", 2.0, "s", 1.0, "× its floor"),
                Measurement("agent steps", 100.0, "steps/s"),
                Measurement("floor", 1.0, "s", judged=False),
            ),
        ),
    ),
)


def with_values(**values: float) -> Record:
    """The record with other values."""
    (train,) = RECORD.benchmarks
    lines = tuple(replace(line, value=values.get(line.name.replace(" ", "_"), line.value)) for line in train.measurements)
    return replace(RECORD, benchmarks=(replace(train, measurements=lines),))


def written(folder: Path, record: Record, name: str) -> Path:
    path = folder / name
    path.write_text(record.text())
    return path


@pytest.mark.parametrize(
    ("values", "worse", "better"),
    [
        ({}, [], []),
        ({"iteration": 2.19}, [], []),
        ({"iteration": 2.21}, ["iteration"], []),
        ({"iteration": 1.0}, [], ["iteration"]),
        ({"agent_steps": 91.0}, [], []),
        ({"agent_steps": 90.0}, ["agent steps"], []),
        ({"agent_steps": 111.0}, [], ["agent steps"]),
        ({"floor": 5.0}, [], []),
    ],
)
def test_less_time_and_more_steps_are_better(values: dict[str, float], worse: list[str], better: list[str]) -> None:
    lines = compare(RECORD, with_values(**values))
    assert [line.name for line in lines if line.worse(0.1)] == worse
    assert [line.name for line in lines if line.better(0.1)] == better


def test_what_only_one_file_has_is_shown_and_not_judged() -> None:
    (train,) = RECORD.benchmarks
    other = replace(train, options={"batch": 50})
    lines = compare(RECORD, replace(RECORD, benchmarks=(train, other)))
    alone = [line for line in lines if line.old is None]
    assert [line.benchmark.options["batch"] for line in alone] == [50, 50, 50]
    assert not any(line.worse(0) or line.better(0) for line in alone)


def test_files_without_anything_in_common_are_refused() -> None:
    (train,) = RECORD.benchmarks
    with pytest.raises(InputError, match="no benchmark in common: one has train, batch 100; the other has train, batch 50"):
        compare(RECORD, replace(RECORD, benchmarks=(replace(train, options={"batch": 50}),)))


def test_another_unit_is_refused() -> None:
    (train,) = RECORD.benchmarks
    other = replace(train, measurements=(Measurement("iteration", 2000, "ms"),))
    with pytest.raises(InputError, match="in s and in ms"):
        compare(RECORD, replace(RECORD, benchmarks=(other,)))


def test_machines_must_be_the_same_unless_told(tmp_path: Path) -> None:
    one = written(tmp_path, RECORD, "one.json")
    other = written(tmp_path, replace(RECORD, machine={**RECORD.machine, "gpu": "loom"}), "other.json")
    with pytest.raises(InputError, match=r"different machines \(gpu: None and loom\)"):
        read_both(one, other)
    before, after = read_both(one, other, any_machine=True)
    assert (before.machine["gpu"], after.machine["gpu"]) == (None, "loom")


def test_a_file_gives_back_what_was_written(tmp_path: Path) -> None:
    assert Record.read(written(tmp_path, RECORD, "one.json")) == RECORD


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda value: value.pop("format"), "does not hold measurements"),
        (lambda value: value.update(version=2), "is of version 2"),
        (lambda value: value.pop("machine"), "is damaged"),
        (lambda value: value["benchmarks"][0].pop("options"), "is damaged"),
        (lambda value: value["benchmarks"][0]["measurements"][0].update(value="fast"), "is damaged"),
        (lambda value: value.update(benchmarks=7), "is damaged"),
    ],
)
def test_what_is_no_record_is_refused_by_name(tmp_path: Path, change: Any, complaint: str) -> None:
    value = json.loads(RECORD.text())
    change(value)
    path = tmp_path / "file.json"
    path.write_text(json.dumps(value))
    with pytest.raises(InputError, match=complaint) as caught:
        Record.read(path)
    assert "file.json" in str(caught.value)


def test_a_record_of_this_machine_says_what_it_is() -> None:
    record = Record.here(RECORD.benchmarks, "vnla bench train")
    assert record.machine["processor"] and record.machine["cores"] >= record.machine["threads"] >= 1
    assert set(record.versions) == {"vnla", "python", "torch", "numpy"}
    assert record.command == "vnla bench train"
