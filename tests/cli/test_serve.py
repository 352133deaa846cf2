"""`vnla serve`: it says where it is, serves, ends when it is told to, and what it says to bad input."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

import vnla as package
from command import Vnla
from cottage_run import write_cottage
from vnla import cli
from vnla.cli.serve import OWN_NAMES, HostingOptions, names_of
from vnla.serve.reduce import NOTHING, reduced
from vnla.serve.sessions import log_lines


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run in it."""
    folder = tmp_path_factory.mktemp("home")
    world, tasks = write_cottage(folder)
    options = ["--world", world, "--tasks", tasks, "--features", "symbolic", "--iterations", 1, "--batch", 4, "--hidden", 8,
               "--help-policy", "first"]  # fmt: skip
    with pytest.raises(SystemExit):
        cli.main([str(each) for each in ["train", folder / "run", *options]])
    return folder


class Served:
    """A server in a process of its own."""

    def __init__(self, home: Path) -> None:
        program = [sys.executable, "-m", "vnla", "serve", "run", "--port", "0", "--no-open", "--record", "sessions"]
        paths = {"PYTHONPATH": str(Path(package.__file__).parents[1]), "XDG_CACHE_HOME": str(home / "cache")}
        self.process = subprocess.Popen(
            program, cwd=home, env={**os.environ, **paths}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stdout
        found = re.fullmatch(r"vnla is at http://(.*)/ \(Ctrl-C ends it\)\n", self.process.stdout.readline())
        assert found, self.process.communicate()
        self.host = found[1]

    def say(self, *messages: dict[str, object]) -> list[dict[str, object]]:
        """The answers, one for each message at least."""
        with connect(f"ws://{self.host}/ws", origin=f"http://{self.host}") as line:  # type: ignore[arg-type]
            answers = []
            for message in messages:
                line.send(json.dumps(message))
                answers.append(json.loads(line.recv(timeout=60)))
            return answers


@pytest.fixture
def served(home: Path) -> Iterator[Served]:
    server = Served(home)
    yield server
    server.process.kill()
    server.process.wait()


def test_it_serves_and_ends_when_told_to(served: Served) -> None:
    with urllib.request.urlopen(f"http://{served.host}/", timeout=60) as answer:
        assert b"<!doctype html>" in answer.read().lower()
    welcome, begun = served.say({"kind": "hello"}, {"kind": "beat"})
    assert (welcome["kind"], begun["kind"]) == ("welcome", "event")
    served.process.send_signal(signal.SIGINT)
    assert served.process.wait(timeout=60) in (0, 130)


@pytest.mark.slow
def test_a_server_that_is_killed_has_kept_every_session(home: Path, served: Served) -> None:
    welcome, *_ = served.say({"kind": "hello"}, {"kind": "beat"})
    served.process.kill()
    served.process.wait()
    again = Served(home)
    try:
        back = again.say({"kind": "hello", "session": welcome["session"]})[0]
        assert back["session"] == welcome["session"]
        assert back["snapshot"]["begun"]["mode"] == "beat"  # type: ignore[index]
    finally:
        again.process.kill()
        again.process.wait()


def helped(server: Served, session: object, seen: dict[int, object], more: int) -> object:
    """Help one agent after the other, until so many more events were seen; then the server is killed. Return the session."""
    state, dice, least = NOTHING, random.Random(more), len(seen) + more
    with (
        connect(f"ws://{server.host}/ws", origin=f"http://{server.host}") as line,  # type: ignore[arg-type]
        contextlib.suppress(ConnectionClosed),
    ):
        line.send(json.dumps({"kind": "hello", "session": session}))
        while True:
            answer = json.loads(line.recv(timeout=60))
            if answer["kind"] == "welcome":
                session, state = answer["session"], answer["snapshot"]
            elif answer["kind"] == "event":
                event = answer["event"]
                seen[event["number"]], state = event, reduced([event], state)
            waits = state["waits"]
            if waits:
                said = dice.choice([{"text": "turn left"}, {"choice": waits["offer"] or "go forward"}, {}])
                line.send(json.dumps({"kind": "advise", "after": state["number"], "step": waits["step"], **said}))
            elif state["ended"] or state["begun"] is None:
                line.send(json.dumps({"kind": "help", "task": "0_0", "seed": dice.randrange(9), "after": state["number"]}))
            if len(seen) >= least:
                server.process.kill()
    server.process.wait()
    return session


@pytest.mark.slow
def test_whenever_it_is_killed_all_that_a_helper_has_seen_is_there(home: Path) -> None:
    seen: dict[int, object] = {}
    session: object = None
    for more in (1, 20, 150):
        server = Served(home)
        try:
            session = helped(server, session, seen, more)
        finally:
            server.process.kill()
        logged = {
            line["event"]["number"]: line["event"]
            for line in log_lines(home / "sessions" / f"{session}.jsonl")
            if "event" in line
        }
        assert {number: logged[number] for number in seen} == seen
    assert len(seen) >= 171


def test_what_cannot_be_served_ends_with_a_line(vnla: Vnla, home: Path, tmp_path: Path) -> None:
    options = ["--no-open", "--port", "0", "--record", tmp_path / "sessions"]
    answer = vnla("serve", tmp_path / "nothing", *options)
    assert answer.status == 2
    assert f"{tmp_path / 'nothing'}" in answer.err.splitlines()[-1]
    answer = vnla("serve", home / "run", "--world", tmp_path, *options)
    assert answer.status == 2


def test_a_port_that_is_taken_is_named(vnla: Vnla, home: Path, tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        answer = vnla("serve", home / "run", "--no-open", "--port", port, "--record", tmp_path / "sessions")
    assert answer.status == 2
    assert answer.err == (
        f"vnla: error: 127.0.0.1 port {port}: cannot be opened (Address already in use); try another --port\n"
    )


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--public"], "--public: say under which host name visitors reach this server, for example: --name example.org"),
        (["--name", "https://a.org"], "--name https://a.org: is no name of a server; give it without scheme and port"),
        (["--name", "a.org:80"], "--name a.org:80: is no name of a server"),
        (["--proxy", "proxy.example"], "--proxy proxy.example: is no address or network, such as 10.0.0.2 or 10.0.0.0/8"),
    ],
)
def test_what_cannot_be_hosted_is_said_in_a_line(vnla: Vnla, tmp_path: Path, options: list[str], why: str) -> None:
    answer = vnla("serve", "--no-open", "--port", "0", "--record", tmp_path / "sessions", *options)
    assert answer.status == 2
    assert answer.err.startswith(f"vnla: error: {why}") and answer.err.count("\n") == 1
    assert not (tmp_path / "sessions").exists()


def test_the_public_is_believed_by_its_proxy_alone() -> None:
    public = HostingOptions(public=True, name=["example.org"])
    assert public.names("127.0.0.1") == ("localhost", "127.0.0.1", "::1", "example.org")
    assert public.proxies("127.0.0.1") == ("127.0.0.1", "::1") and public.proxies("0.0.0.0") == ()
    assert HostingOptions(proxy=["10.0.0.0/8"]).proxies("0.0.0.0") == ("10.0.0.0/8",)
    assert HostingOptions().proxies("127.0.0.1") == ()
    assert (public.limits().keep, HostingOptions().limits().keep) == (30 * 86_400, None)
    assert HostingOptions(keep=1, visitors=7, per_address=3).limits().connections == 7
    assert names_of("0.0.0.0")[:3] == OWN_NAMES and "0.0.0.0" not in names_of("0.0.0.0")
