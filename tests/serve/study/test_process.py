"""Studies as they are run: commands as processes, servers that are killed, disks that are full, a proxy in front.

A server takes seconds to begin, so tests share one where they can.
"""

from __future__ import annotations

import json
import re
import resource
import signal
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from command import Vnla
from serve.study.conftest import fill_in, new_study
from serve.study.served import Guest, Served, command
from vnla.serve.sessions import log_lines
from vnla.training.trained import Trained

NAME = "study.example.org"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def short(folder: Path, trained: Trained) -> Path:
    """A study without practice."""
    new_study(folder, trained)
    path = folder / "study.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "practice": {"tasks": [], "passes": 0, "most": 1}}))
    return folder


@pytest.fixture(scope="module")
def study(trained: Trained, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return short(tmp_path_factory.mktemp("served") / "study", trained)


@pytest.fixture(scope="module")
def server(study: Path, cache: Path) -> Iterator[Served]:
    with Served(study, cache, "--name", NAME) as server:
        yield server


def newest(study: Path) -> Path:
    """The record that was begun last."""
    return max((study / "records").glob("*.jsonl"), key=lambda path: path.stat().st_mtime_ns)


def events(path: Path) -> list[dict[str, Any]]:
    return [line["event"] for line in log_lines(path) if "event" in line]


@pytest.mark.slow
def test_from_new_to_numbers(trained: Trained, tmp_path: Path, cache: Path, vnla: Vnla) -> None:
    study, data = tmp_path / "trial", tmp_path / "data"

    def run(*arguments: object) -> str:
        process = command(*arguments, cache=cache)
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        return out

    sizes = ("--each", 1, "--practice", 0, "--passes", 0, "--catch", 0)
    assert f"vnla study serve {study}" in run("study", "new", study, trained.folder, *sizes)
    fill_in(study)
    with Served(study, cache) as server:
        guest = Guest(server)
        assert guest.agree() is None
        guest.go_through()
        code = guest.standing["code"]
        assert re.fullmatch(r"[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}", code)
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(timeout=60) in (0, 130)
    said = run("study", "export", study, "--out", data)
    assert "1 completed" in said and code in (data / "participants.csv").read_text()
    [line] = [line for line in said.splitlines() if line.startswith("vnla evaluate")]
    assert "success_rate" in vnla(*line.split()[1:]).out


@pytest.mark.slow
def test_a_killed_server_goes_on_exactly_where_it_was(trained: Trained, tmp_path: Path, cache: Path) -> None:
    """Killed in the middle of a task and in the moment of a word: all that was told is there again, once."""
    study = short(tmp_path / "study", trained)
    with Served(study, cache) as first:
        guest = Guest(first)
        guest.agree()
        guest.say("next")
        guest.do_something()
        path, seen, standing = newest(study), guest.state, guest.standing
        assert standing["begun"]
        first.kill()
    told = path.read_bytes()
    with path.open("ab") as cut:
        cut.write(b'{"at":1.5,"event":{"numb')  # the line that it was about to write
    with Served(study, cache) as second:
        guest = Guest(second, guest.session)
        assert guest.state == seen and guest.standing == standing and path.read_bytes() == told
        while not guest.standing["begun"] or guest.standing["over"]:
            guest.say("next")
        word = guest.word()
        guest.line.send_text(json.dumps({**word, "after": guest.state["number"]}))
        second.kill()
        with pytest.raises(ConnectionClosed):
            while True:
                guest.line.receive_text()
    before = guest.state["number"]
    with Served(study, cache) as third:
        guest = Guest(third, guest.session)
        guest.say(**{**word, "after": before})  # nobody knows whether it was heard
        taken = [line["heard"] for line in log_lines(path) if line.get("heard", {}).get("after") == before]
        assert [each["kind"] for each in taken] == [word["kind"]]
        guest.go_through()
        assert guest.standing["code"]
    assert [event["number"] for event in events(path)] == list(range(1, guest.state["number"] + 1))


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="the limits of a running process can be set on Linux only")
def test_a_disk_without_room(server: Served, study: Path) -> None:
    """No file of the server's may grow: it says so, nothing is lost, and it goes on when there is room again."""
    guest, other, process = Guest(server), Guest(server), server.process.pid
    guest.agree()
    guest.say("next")
    path, before = newest(study), guest.state
    told = path.read_bytes()
    soft, hard = resource.prlimit(process, resource.RLIMIT_FSIZE)
    try:
        for room in (0, len(told), len(told) + 100):
            resource.prlimit(process, resource.RLIMIT_FSIZE, (room, hard))
            assert "cannot record this" in str(guest.do_something())
            assert guest.state == before and path.read_bytes() == told
        resource.prlimit(process, resource.RLIMIT_FSIZE, (0, hard))
        assert "cannot record this" in str(other.agree())
        assert other.standing["phase"] == "consent"
    finally:
        resource.prlimit(process, resource.RLIMIT_FSIZE, (soft, hard))
    assert other.agree() is None
    guest.go_through()
    assert guest.standing["code"]


def answer(host: str, name: str) -> int:
    """The status of the answer to somebody who calls a server by a name."""
    request = urllib.request.Request(f"http://{host}/", headers={"Host": name})
    try:
        with urllib.request.urlopen(request, timeout=60) as found:
            return int(found.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_behind_a_proxy_it_goes_by_the_proxys_name(server: Served) -> None:
    assert answer(server.host, NAME) == answer(server.host, server.host) == 200
    assert answer(server.host, "other.example.org") == 421


@pytest.mark.usefixtures("server")
def test_two_servers_do_not_share_a_study(study: Path, vnla: Vnla) -> None:
    status, _, err = vnla("study", "serve", study, "--port", 0, "--no-open")
    assert status == 2
    assert err.startswith(f"vnla: error: {study}: another process is at work there") and err.count("\n") == 1
