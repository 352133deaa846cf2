"""Crews: what comes back from them and in which order, what goes wrong in them, and how they end."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import crew_work
from processes import is_gone
from vnla.common.errors import InputError
from vnla.common.machine import THREADS
from vnla.common.process_pool import Member, mapped, process_pool, undisturbed

ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def test_what_is_mapped_comes_in_order() -> None:
    numbers = range(0, 12, 2)
    assert list(mapped(crew_work.halved, numbers, 3, name="halves")) == [0, 1, 2, 3, 4, 5]
    assert not multiprocessing.active_children()


def test_a_script_needs_no_guard(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import crew_work\nfrom vnla.common.process_pool import mapped\n"
        "print('begins')\nprint(list(mapped(crew_work.divided, [1, 2], 2, name='parts')))\n"
    )
    answer = subprocess.run(
        [sys.executable, script], env=ENVIRONMENT, capture_output=True, text=True, check=False, timeout=60
    )
    assert (answer.returncode, answer.stdout) == (0, "begins\n[1.0, 0.5]\n"), answer.stderr


def test_what_a_person_gave_wrong_comes_back_as_such_and_our_faults_with_their_traceback() -> None:
    with pytest.raises(InputError, match=r"^3 is odd$"):
        list(mapped(crew_work.halved, [2, 3], 2, name="halves"))
    with pytest.raises(RuntimeError, match=r"crew_work.py(.|\n)*ZeroDivisionError: division by zero"):
        list(mapped(crew_work.divided, [1, 0], 2, name="parts"))
    assert not multiprocessing.active_children()


def test_a_process_that_is_killed_is_told() -> None:
    with pytest.raises(InputError, match=r"a process \(victim\) was killed by SIGKILL"):
        list(mapped(crew_work.die, [1], 1, name="victim"))


def test_closing_what_is_mapped_ends_its_processes() -> None:
    making = mapped(crew_work.slow, range(100), 2, name="slow")
    assert next(making) == 0 and len(multiprocessing.active_children()) == 2
    making.close()  # type: ignore[attr-defined]
    assert not multiprocessing.active_children()


def test_a_process_ignores_ctrl_c_has_its_threads_and_no_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    with process_pool(lambda: Member(crew_work.surroundings, name="looker", threads=3), 1) as members:
        assert members[0].receive() == (True, False, ["3"] * len(THREADS), False)
    assert os.environ["OMP_NUM_THREADS"] == "7" and "MKL_NUM_THREADS" not in os.environ


def test_it_can_be_started_by_any_thread() -> None:
    found: list[list[int]] = []
    thread = threading.Thread(target=lambda: found.append(list(mapped(crew_work.halved, [0, 2], 2, name="halves"))))
    thread.start()
    thread.join()
    assert found == [[0, 1]]


def test_ctrl_c_waits_until_processes_are_started_and_does_not_reach_them() -> None:
    heard: list[str] = []
    with pytest.raises(KeyboardInterrupt), undisturbed():
        signal.raise_signal(signal.SIGINT)
        heard.append("not yet")
    assert heard == ["not yet"]
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_in_the_middle_of_starting_leaves_no_process() -> None:
    started: list[Member] = []

    def start() -> Member:
        started.append(Member(crew_work.sleep, name="sleeper"))
        signal.raise_signal(signal.SIGINT)
        return started[-1]

    with pytest.raises(KeyboardInterrupt), process_pool(start, 2):
        pytest.fail("the crew should not begin")
    assert len(started) == 2 and not any(member.process.is_alive() for member in started)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda each: each.name)
def test_processes_leave_with_whoever_started_them(number: signal.Signals) -> None:
    program = [sys.executable, crew_work.__file__, "main"]
    process = subprocess.Popen(program, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    members = [int(each) for each in process.stdout.readline().split()]
    assert len(members) == 2
    process.send_signal(number)
    process.wait(20)
    process.stdout.close()
    assert all(is_gone(member) for member in members)


@pytest.mark.parametrize("seconds", [0.0, 0.1, 0.5])
def test_ctrl_c_while_processes_start_is_told_by_one_process_alone(seconds: float) -> None:
    program = [sys.executable, crew_work.__file__, "count"]
    piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(program, env=ENVIRONMENT, **piped, text=True, start_new_session=True)
    assert process.stdout is not None and process.stdout.readline() == "begun\n"
    time.sleep(seconds)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal sends it
    _, said = process.communicate(timeout=20)
    assert said.count("Traceback") <= 1 and "multiprocessing/spawn.py" not in said
    assert is_gone(process.pid, kill=os.killpg)
