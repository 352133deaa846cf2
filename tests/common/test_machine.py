"""The machine: threads, a device by name, and the hint that others are at work."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from vnla.common import machine
from vnla.common.errors import InputError
from vnla.common.machine import (
    THREADS,
    busy_hint,
    commit,
    cores_here,
    device_named,
    loading,
    uncollected,
    uncommitted_hint,
    use_threads,
    workers_for,
)


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in THREADS:
        monkeypatch.setenv(name, "1")
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("threads")
def test_threads_are_set_here_and_for_processes_to_come() -> None:
    use_threads(2)
    assert torch.get_num_threads() == 2
    assert {os.environ[name] for name in THREADS} == {"2"}
    use_threads(None)
    assert torch.get_num_threads() == 2
    for count in (0, 99_999_999):
        with pytest.raises(InputError, match=f"^{count} threads: give 1 to 1,024$"):
            use_threads(count)
    assert torch.get_num_threads() == 2 and os.environ[THREADS[0]] == "2"


def test_workers_are_as_many_as_cores_unless_it_is_said() -> None:
    assert (workers_for(None), workers_for(3)) == (cores_here(), 3)
    for count in (-1, 99_999_999):
        with pytest.raises(InputError, match=f"^{count} workers: give 1 to 1,024$"):
            workers_for(count)


def test_threads_are_set_before_pytorch_is_loaded() -> None:
    script = "from vnla.common.machine import use_threads; use_threads(1); import torch; print(torch.get_num_threads())"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "2"}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"


@pytest.mark.parametrize("name", ["gpu", "cpu:1", "cuda:x", "nope", ""])
def test_an_unknown_device_is_named(name: str) -> None:
    with pytest.raises(InputError, match=f"device {name}: unknown; choose cpu, cuda"):
        device_named(name)


@pytest.mark.parametrize(
    ("load", "cores", "used", "words"),
    [
        (0.4, 2, 0.0, None),
        (2.0, 2, 0.0, "have kept 2.0 of 2 cores busy"),
        (7.9, 16, 0.0, None),
        (8.1, 16, 0.0, "have kept 8.1 of 16 cores busy"),
        (1.5, 2, 300.0, None),  # one of them is ours
    ],
)
def test_a_busy_machine_is_told(
    load: float, cores: int, used: float, words: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine.os, "getloadavg", lambda: (load, 0.0, 0.0))
    monkeypatch.setattr(machine.os, "cpu_count", lambda: cores)
    monkeypatch.setattr(machine.time, "process_time", lambda: used)
    hint = busy_hint()
    assert hint is None if words is None else hint is not None and words in hint and "\n" not in hint
    assert hint is None or "--threads 1" in hint
    assert "--threads" not in (busy_hint(threads=1) or "")


def test_no_garbage_is_looked_for_while_much_is_read_and_who_did_not_want_it_before_is_not_given_it() -> None:
    with pytest.raises(InputError), uncollected():
        assert not gc.isenabled()
        with uncollected():
            pass
        assert not gc.isenabled()
        raise InputError("there is nothing to read")
    assert gc.isenabled()


def test_no_garbage_is_looked_for_while_a_library_is_loaded() -> None:
    gc.unfreeze()
    with loading("torch"):
        assert gc.isenabled(), "it is there"
    assert not gc.get_freeze_count()
    try:
        with pytest.raises(ImportError), loading("a library that is not there"):
            assert not gc.isenabled()
            raise ImportError
        assert gc.isenabled() and gc.get_freeze_count()
    finally:
        gc.unfreeze()


def test_a_copy_without_a_checkout_is_told_its_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vnla.common.machine.__file__", str(tmp_path / "machine.py"))
    monkeypatch.delenv("VNLA_COMMIT", raising=False)
    assert commit() is None and uncommitted_hint() is None
    monkeypatch.setenv("VNLA_COMMIT", "0123456789ab")
    assert commit() == "0123456789ab" and uncommitted_hint() is None
    monkeypatch.setenv("VNLA_COMMIT", "0123456789ab+")
    assert "differs from commit 0123456789ab;" in (uncommitted_hint() or "")
    monkeypatch.setenv("VNLA_COMMIT", "yesterday's")
    with pytest.raises(InputError, match="is no commit; give 7 to 40 hexadecimal digits"):
        commit()
