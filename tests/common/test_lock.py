"""One process at a time in a folder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from vnla.common.errors import InputError
from vnla.common.lock import alone_in

HOLD = """
import sys, time
from pathlib import Path
from vnla.common.lock import alone_in
with alone_in(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""


def test_who_is_second_is_told_who_is_first(tmp_path: Path) -> None:
    with alone_in(tmp_path / "run"):
        with (
            pytest.raises(InputError, match=rf"run: another process is at work there \({os.getpid()}\)"),
            alone_in(tmp_path / "run"),
        ):
            pass
        with alone_in(tmp_path / "other"):
            pass
    with alone_in(tmp_path / "run"):
        pass


def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], env=environment, stdout=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.readline() == b"held\n"
    with pytest.raises(InputError, match=rf"\({process.pid}\)"), alone_in(tmp_path):
        pass
    process.send_signal(signal.SIGKILL)
    process.communicate()
    with alone_in(tmp_path):
        pass


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("precious")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / ".lock").symlink_to(tmp_path / "mine")
    with pytest.raises(InputError, match=r"run/\.lock: is a symbolic link; remove it"), alone_in(tmp_path / "run"):
        pass
    assert (tmp_path / "mine").read_text() == "precious"


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be written"), alone_in(tmp_path / "file" / "run"):
        pass
