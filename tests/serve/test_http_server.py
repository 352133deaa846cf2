"""Clients who do not ask, do not finish asking, or do not take what they asked for, at a real socket."""

from __future__ import annotations

import json
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from serve.visitor import GENEROUS, Opened
from vnla.cli.serve import LOOPBACK, OWN_NAMES, listening
from vnla.serve.app import make_app
from vnla.serve.http_server import PatientServer, patient_server
from vnla.serve.limits import Limits
from vnla.serve.sessions import Sessions
from vnla.serve.site import Site

HASTY = replace(GENEROUS, request=0.3, response=0.5)
ASKED = b"GET / HTTP/1.1\r\nHost: localhost\r\n"


@contextmanager
def serving(site: Site, folder: Path, limits: Limits, proxies: tuple[str, ...] = ()) -> Iterator[tuple[int, PatientServer]]:
    """The port of a server, and the server."""
    listener = listening(LOOPBACK, 0)
    app = make_app(Opened(site), Sessions(folder, limits), (*OWN_NAMES, "example.org"), limits)
    server = patient_server(app, limits, proxies)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield listener.getsockname()[1], server
    finally:
        server.should_exit = True
        thread.join()


def gone(line: socket.socket, say: Callable[[], object] = lambda: None) -> float:
    """Seconds until a line is closed by the other side, while something is said now and then."""
    began = time.monotonic()
    line.settimeout(0.1)
    while time.monotonic() - began < 10:
        try:
            say()
            if not line.recv(65536):
                return time.monotonic() - began
        except TimeoutError:
            continue
        except OSError:
            return time.monotonic() - began
    raise AssertionError("the line stays open")


def wait_until(true: Callable[[], bool]) -> None:
    began = time.monotonic()
    while not true():
        assert time.monotonic() - began < 10
        time.sleep(0.02)


@pytest.mark.parametrize(
    "said",
    [b"", ASKED + b"X-Slow: ", ASKED + b"Content-Length: 9\r\n\r\n1", ASKED + b"\r\n" + ASKED],
    ids=["silent", "half", "half a body", "half the second"],
)
def test_who_does_not_ask_in_time_is_let_go(site: Site, folder: Path, said: bytes) -> None:
    with serving(site, folder, HASTY) as (port, _), socket.create_connection((LOOPBACK, port)) as line:
        line.sendall(said)
        drips = (lambda: line.send(b"x")) if said else (lambda: None)
        assert gone(line, drips) < 8


def test_who_does_not_take_an_answer_is_let_go_and_visitors_are_not(site: Site, folder: Path) -> None:
    with serving(site, folder, HASTY) as (port, server):
        origin = f"http://{LOOPBACK}:{port}"
        with connect(f"ws://{LOOPBACK}:{port}/ws", origin=origin) as visitor, socket.socket() as line:  # type: ignore[arg-type]
            visitor.send('{"kind": "hello"}')
            assert json.loads(visitor.recv())["kind"] == "welcome"
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            line.connect((LOOPBACK, port))
            line.setblocking(False)
            asked = b"GET /first.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 50
            with suppress(BlockingIOError):
                while line.send(asked):
                    pass
            wait_until(lambda: len(server.server_state.connections) == 2)
            wait_until(lambda: len(server.server_state.connections) == 1)
            visitor.send('{"kind": "hello"}')
            assert json.loads(visitor.recv())["kind"] == "welcome", "who has said nothing for a while is still here"


def test_where_connections_are_too_many_those_make_room_that_ask_nothing(site: Site, folder: Path) -> None:
    with serving(site, folder, GENEROUS) as (port, server):
        server._watch._most = 3
        silent = [socket.create_connection((LOOPBACK, port)) for _ in range(6)]
        wait_until(lambda: len(server.server_state.connections) == 3)
        with socket.create_connection((LOOPBACK, port)) as line:
            line.sendall(ASKED + b"Connection: close\r\n\r\n")
            assert line.recv(100).startswith(b"HTTP/1.1 200")
        for each in silent:
            each.close()


def ask(port: int, *headers: str) -> str:
    """The whole answer to a request for the page."""
    with socket.create_connection((LOOPBACK, port)) as line:
        line.sendall("\r\n".join(["GET / HTTP/1.1", *headers, "Connection: close", "", ""]).encode("latin-1"))
        return b"".join(iter(lambda: line.recv(65536), b"")).decode("latin-1")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (["Host: example.org"], 200), (["Host: other.org"], 421), (["Host: ["], 400), (["Host: a b"], 400),
        (["Host: example.org", "Origin: http://["], 400), (["Host: example.org", "Origin: https://other.org"], 403),
        (["no header"], 400), ([], 400),
    ],
)  # fmt: skip
def test_headers_that_are_none_are_refused_in_a_line(port: int, headers: list[str], status: int) -> None:
    answer = ask(port, *headers)
    assert answer.startswith(f"HTTP/1.1 {status} "), answer[:200]
    assert status == 200 or answer.partition("\r\n\r\n")[2].count("\n") <= 1
    assert "Traceback" not in answer


@pytest.fixture(scope="module")
def port(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with serving(site, tmp_path_factory.mktemp("sessions"), GENEROUS) as (port, _):
        yield port


@pytest.mark.parametrize("trusted", [True, False])
def test_only_a_known_proxy_says_for_whom_it_asks(site: Site, folder: Path, trusted: bool) -> None:
    limits = replace(GENEROUS, address_requests=0, address_requests_burst=1)
    headers = ["Host: example.org", "X-Forwarded-Proto: https"]
    with serving(site, folder, limits, (LOOPBACK,) if trusted else ()) as (port, _):
        one, again, other = (ask(port, *headers, f"X-Forwarded-For: 192.0.2.{last}") for last in (1, 1, 2))
    assert one.startswith("HTTP/1.1 200") and other.startswith("HTTP/1.1 200")
    assert again.startswith("HTTP/1.1 429" if trusted else "HTTP/1.1 200")
    assert ("; Secure" in one) == trusted


def test_what_clients_send_fills_no_log(port: int, caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("uvicorn.error").addHandler(caplog.handler)
    try:
        assert ask(port, "Host: example.org", "no header").startswith("HTTP/1.1 400")
        for origin in ("http://other.org", "null", "http://["):
            with pytest.raises(InvalidStatus):
                connect(f"ws://{LOOPBACK}:{port}/ws", origin=origin).__enter__()  # type: ignore[arg-type]
        with connect(f"ws://{LOOPBACK}:{port}/ws") as line, pytest.raises(ConnectionClosed):
            line.send("x" * 99_999)
            line.recv(timeout=20)
    finally:
        logging.getLogger("uvicorn.error").removeHandler(caplog.handler)
    assert not [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
