"""The command as a process: what it sets before anything is loaded, and Ctrl-C at any of its moments."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from processes import is_gone
from vnla.cli import main

ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
COMMAND = [sys.executable, "-m", "vnla"]


def printed(script: str, **environment: str) -> str:
    given = {name: value for name, value in ENVIRONMENT.items() if name != "OMP_WAIT_POLICY"} | environment
    return subprocess.run([sys.executable, "-c", script], env=given, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    ("processor", "given", "policy"),
    [
        ("x86_64", {}, "PASSIVE"),
        ("AMD64", {}, "PASSIVE"),
        ("x86_64", {"OMP_WAIT_POLICY": "ACTIVE"}, "ACTIVE"),
        ("aarch64", {}, None),
    ],
)
def test_threads_wait_asleep_where_it_helps_unless_a_person_says_otherwise(
    processor: str, given: dict[str, str], policy: str | None
) -> None:
    script = f"import os, platform; platform.machine = lambda: {processor!r}; import vnla; " + (
        "print(os.environ.get('OMP_WAIT_POLICY'))"
    )
    assert printed(script, **given) == f"{policy}\n"


@pytest.mark.parametrize(
    "module", ["vnla.__main__", "vnla.vision.workers", "vnla.common.process_pool", "vnla.pipeline.executor"]
)
def test_what_every_process_imports_is_free_of_pytorch(module: str) -> None:
    assert printed(f"import sys, {module}; print('torch' in sys.modules)") == "False\n"


def begin(out: Path) -> subprocess.Popen[str]:
    """`vnla world make` as a terminal starts it, of so many houses that nobody waits for all of them."""
    return subprocess.Popen(
        [*COMMAND, "world", "make", str(out), "--workers", "3", "--train", "3000"],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.parametrize("seconds", [0.3, 0.8, 2.0])
def test_ctrl_c_at_any_time_ends_with_one_line_and_leaves_nothing(tmp_path: Path, seconds: float) -> None:
    process = begin(tmp_path / "deep" / "world")
    time.sleep(seconds)
    os.killpg(process.pid, signal.SIGINT)
    out, said = process.communicate(timeout=300)  # an hour would not do for the houses
    if process.returncode == -signal.SIGINT and "/vnla/" not in said:  # Python itself had not begun yet: a busy machine
        test_ctrl_c_at_any_time_ends_with_one_line_and_leaves_nothing(tmp_path, 2 * seconds)
        return
    assert (process.returncode, out, said) == (130, "", "vnla: interrupted\n")
    assert is_gone(process.pid, seconds=30, kill=os.killpg)
    assert not list(tmp_path.iterdir())


def test_in_the_background_ctrl_c_stays_ignored() -> None:
    script = "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); sys.argv = ['vnla', '--version']; " + (
        "from vnla import __main__; __main__.signal.signal = lambda *_: sys.exit('changed'); __main__.main()"
    )
    assert printed(script).startswith("vnla ")


TIDYING = """
import os, signal, time
import vnla.cli, vnla.__main__

class Tidied:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000):
            pass

def command():
    Tidied()
    time.sleep(30)
    print("not heard")

vnla.cli.main = command
vnla.__main__.main()
"""


def test_ctrl_c_in_the_middle_of_tidying_up_is_heard() -> None:
    done = subprocess.run([sys.executable, "-c", TIDYING], env=ENVIRONMENT, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "vnla: interrupted\n")


LOADING = """
import abc, importlib, os, signal
import vnla.cli, vnla.__main__

register, sent = abc.ABCMeta.register, []

def registered(kind, other):
    sent.append(True)
    os.kill(os.getpid(), signal.SIGINT)
    return register(kind, other)

def command():
    abc.ABCMeta.register = registered
    try:
        importlib.import_module("scipy._lib._ccallback_c")
    finally:
        abc.ABCMeta.register = register
    print("not heard" if sent else "not sent")

vnla.cli.main = command
vnla.__main__.main()
"""


def test_ctrl_c_is_heard_that_comes_while_cython_loads_a_module_and_drops_whatever_is_raised() -> None:
    done = subprocess.run([sys.executable, "-c", LOADING], env=ENVIRONMENT, capture_output=True, text=True, timeout=60)
    if done.stdout == "not sent\n":
        pytest.skip("this SciPy loads its modules in another way")
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "vnla: interrupted\n")


@pytest.mark.parametrize("closed", [">&-", ">&- 2>&- <&-"])
def test_streams_that_are_closed_are_no_error(closed: str) -> None:
    done = subprocess.run(f"{sys.executable} -m vnla --version {closed}", shell=True, env=ENVIRONMENT, timeout=60)
    assert done.returncode == 0
    refused = subprocess.run(f"{sys.executable} -m vnla nonsense {closed}", shell=True, env=ENVIRONMENT, timeout=60)
    assert refused.returncode == 2


def test_a_complaint_is_one_line_of_bounded_length(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["train", "x" * 3000 + "\x1b[2J\nz"])
    said = capfd.readouterr().err
    assert said.count("\n") == 1 and len(said) < 2000 and "\x1b" not in said
