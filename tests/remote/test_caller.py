"""Calls over HTTP: bounded in time and size, tried again where that may help, written down without the key."""

from __future__ import annotations

import base64
import json
import math
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from email.utils import formatdate
from itertools import chain, repeat
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from fake_servers import Answers, Say, serving
from vnla.common.errors import InputError
from vnla.remote.caller import Address, BusyError, Caller, Manner, NobodyAnswersError, retry_after
from vnla.remote.evaluated_agent import Fault
from vnla.remote.folder import Journal

QUICK = Manner(timeout=1.5, retries=0, back_off=0.01, give_up=0, largest=100)


def once(say: Say) -> Answers:
    return lambda _path, _value: say


def in_turn(*says: Say) -> Answers:
    """One after the other; the last for ever."""
    left: Iterator[Say] = chain(says, repeat(says[-1]))
    return lambda _path, _value: next(left)


def call(url: str, manner: Manner = QUICK, **options: Any) -> bytes | Fault:
    return Caller(Address.of(url), manner, **options)("/act", {"a": 1})


@pytest.fixture
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that callers wait between two tries, which pass at once."""
    slept: list[float] = []
    monkeypatch.setattr(Caller, "_pause", lambda _, seconds: slept.append(seconds))
    return slept


@pytest.mark.parametrize(
    ("say", "expected"),
    [
        (Say(b"hello"), b"hello"),
        (Say(b"x" * 100), b"x" * 100),
        (Say(b"x" * 101), Fault.TOO_LARGE),
        (Say(b"x" * 10_000_000), Fault.TOO_LARGE),
        (Say(after=60), Fault.LATE),
        (Say(b"x" * 90, drips=1), Fault.LATE),
        (Say(status=500), Fault.HTTP_ERROR),
        (Say(status=404, body=b"nothing here"), Fault.HTTP_ERROR),
        (Say(status=302, headers={"Location": "http://example.org"}), Fault.HTTP_ERROR),
        (Say(drops=True), Fault.NO_ANSWER),
        (Say(b"half", cut=10), Fault.NO_ANSWER),
        (Say(b"", status=204), b""),
    ],
)
def test_what_comes_of_a_call(say: Say, expected: bytes | Fault, naps: list[float]) -> None:
    """Who is late is not waited for: nothing had been sent to its end when it was given up."""
    with serving(once(say)) as server:
        assert call(server.url) == expected
        assert len(server.seen) == 1 and not naps
        assert expected is not Fault.LATE or server.replied == 0


def test_nobody_there() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        assert call(f"http://127.0.0.1:{taken.getsockname()[1]}") is Fault.NO_ANSWER
    assert call("http://no-such-host.invalid") is Fault.NO_ANSWER


def test_somebody_who_speaks_something_else() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        other.settimeout(5)
        import threading

        def speak() -> None:
            peer, _ = other.accept()
            with peer:
                peer.sendall(b"220 mail ready\r\n" * 5)

        threading.Thread(target=speak, daemon=True).start()
        assert call(f"http://127.0.0.1:{other.getsockname()[1]}") in (Fault.NO_ANSWER, Fault.LATE)


@pytest.mark.parametrize(("status", "tries"), [(429, 3), (503, 3), (400, 1), (401, 1)])
def test_what_may_change_is_tried_again(status: int, tries: int) -> None:
    with serving(in_turn(Say(status=status), Say(drops=True), Say(b"now"))) as server:
        expected = b"now" if tries == 3 else Fault.HTTP_ERROR
        assert call(server.url, Manner(timeout=2, retries=2, back_off=0.01)) == expected
        assert len(server.seen) == tries


def test_a_server_that_wants_to_be_left_alone_is(naps: list[float]) -> None:
    with serving(in_turn(Say(status=429, headers={"Retry-After": "7"}), Say(status=503), Say(b"now"))) as server:
        assert call(server.url, Manner(timeout=2, retries=2, back_off=0.01)) == b"now"
    assert naps[0] == 7 and 0.01 <= naps[1] <= 0.02 and len(naps) == 2, "half of the back-off at least, then twice as much"


def test_a_busy_server_is_waited_for_and_that_is_no_error_of_anybody(tmp_path: Path, naps: list[float]) -> None:
    """More often than an error is tried again, with longer and longer waits; in the journal it is no fault of the agent."""
    journal, came = Journal(tmp_path / "calls.jsonl"), list[object]()
    says = [Say(status=429), Say(status=503, headers={"Retry-After": "2"}), *[Say(status=429)] * 7, Say(b"now")]
    with serving(in_turn(*says)) as server:
        caller = Caller(Address.of(server.url), Manner(timeout=2, retries=0, give_up=1), journal)
        assert caller("/act", 1, after=lambda each: came.append(each) or {}) == b"now"
    journal.close()
    assert came == [None] * 9 + [b"now"]
    assert naps[1] == 2 and all(0.25 * 2**i <= nap <= 0.5 * 2**i for i, nap in enumerate(naps) if i not in (1, *range(6, 9)))
    assert all(15 <= nap <= 30 for nap in naps[7:]), "never longer, where it does not say how long"
    notes = [json.loads(line) for line in (tmp_path / "calls.jsonl").read_text().splitlines()]
    assert [note.get("fault") for note in notes] == ["busy"] * 9 + [None]


def test_a_server_that_is_busy_for_too_long_is_given_up() -> None:
    with serving(once(Say(status=429, body=b"slow down"))) as server:
        caller = Caller(Address.of(server.url), Manner(timeout=2, retries=0, back_off=0.05, give_up=0, max_wait=0.4))
        began = time.monotonic()
        with pytest.raises(BusyError, match=r"busy, and --max-wait 0.4 seconds are not enough \(HTTP 429: slow down\)"):
            caller("/act", 1)
        assert len(server.seen) > 2 and time.monotonic() - began < 5
    with serving(once(Say(status=503, headers={"Retry-After": "60"}))) as server, pytest.raises(BusyError):
        call(server.url, Manner(timeout=2, max_wait=30))  # what it asks for is too long already


def test_who_waits_is_not_given_up_while_others_are_answered(naps: list[float]) -> None:
    """A server that lets some pass is there, however long one of many calls has to wait."""
    with serving(in_turn(Say(status=429), Say(b"others"), Say(status=429), Say(b"mine"))) as server:
        caller = Caller(Address.of(server.url), Manner(timeout=2, back_off=0.01, max_wait=0.6))

        def pause(seconds: float) -> None:
            if not naps:
                naps.append(seconds)
                time.sleep(0.5)
                assert caller("/act", 2) == b"others"
                time.sleep(0.3)

        caller._pause = pause  # type: ignore[method-assign]
        assert caller("/act", 1) == b"mine"


def test_when_to_try_again() -> None:
    assert retry_after(None) == retry_after("soon") == retry_after("-5") == retry_after("nan") == 0
    assert retry_after("2.5") == 2.5
    assert retry_after("1e99") == 300
    assert 5 < retry_after(formatdate(time.time() + 10, usegmt=True)) <= 10


@pytest.mark.parametrize("date", ["Mon, 01 Jan 0001 00:00:00 -0000", "Fri, 31 Dec 9999 23:59:59 -2359", "9" * 5000])
def test_a_date_that_no_clock_shows(date: str) -> None:
    assert 0 <= retry_after(date) <= 300


@pytest.mark.parametrize(
    "odd", [{"timeout": math.inf}, {"timeout": math.nan}, {"timeout": 0.0}, {"back_off": math.inf}, {"retries": -1}]
)
def test_a_manner_that_no_clock_can_keep(odd: dict[str, float]) -> None:
    with pytest.raises(InputError, match=f"^{next(iter(odd)).replace('_', ' ')} .*: must be a"):
        Manner(**odd)  # type: ignore[arg-type]


def test_after_so_many_in_a_row_it_is_no_use() -> None:
    manner = Manner(timeout=2, retries=0, give_up=3)
    with serving(in_turn(Say(drops=True), Say(drops=True), Say(b"here"), Say(status=500, body=b"out of memory"))) as server:
        caller = Caller(Address.of(server.url), manner)
        assert [caller("/act", 1) for _ in range(5)] == [Fault.NO_ANSWER, Fault.NO_ANSWER, b"here", *[Fault.HTTP_ERROR] * 2]
        with pytest.raises(NobodyAnswersError, match=r"no answer to 3 calls in a row \(HTTP 500: out of memory\)"):
            caller("/act", 1)


def test_connections_are_kept_and_a_closed_one_is_opened_again() -> None:
    with serving(in_turn(Say(b"1", headers={"Connection": "close"}), Say(b"2"), Say(b"3"))) as server:
        caller = Caller(Address.of(server.url), QUICK)
        assert [caller("/act", 1) for _ in range(3)] == [b"1", b"2", b"3"]


def test_every_try_is_written_down_and_never_the_key(tmp_path: Path) -> None:
    key = "sk-secret-1234"
    journal = Journal(tmp_path / "calls.jsonl")
    with serving(in_turn(Say(status=500, body=f"no {key}".encode()), Say(f'{{"you": "{key}"}}'.encode()))) as server:
        call(server.url, Manner(timeout=2, retries=1, back_off=0.01), journal=journal, key=key)
        assert all(headers["Authorization"] == f"Bearer {key}" for _, _, headers in server.seen)
    journal.close()
    text = (tmp_path / "calls.jsonl").read_text()
    assert key not in text
    first, second = map(json.loads, text.splitlines())
    assert (first["attempt"], first["fault"], first["reply"]) == (1, "http_error", "HTTP 500: no (key)")
    assert (second["attempt"], second["reply"], second["request"]) == (2, '{"you": "(key)"}', {"a": 1})


REPEATS: dict[str, Callable[[str], Say]] = {
    "a body": lambda sent: Say.json({"you": sent}),
    "an error": lambda sent: Say(json.dumps({"error": f"wrong key: {sent}"}).encode(), status=401),
    "an error that is cut": lambda sent: Say(b"x" * 280 + sent.encode(), status=500),
    "a header": lambda sent: Say(headers={"X-You": sent, "Retry-After": sent}, status=504),
    "a redirection": lambda sent: Say(
        quote(sent).encode(), status=302, headers={"Location": f"http://localhost/?key={quote(sent)}"}
    ),
    "a reply too long": lambda sent: Say((sent + "x" * 100).encode() * 100),
    "base64": lambda sent: Say(base64.b64encode(sent.encode())),
    "UTF-16": lambda sent: Say(sent.encode("utf-16")),
    "headers that are none": lambda sent: Say(headers={"Content-Length": sent}),
}


@pytest.mark.parametrize("where", REPEATS)
def test_a_key_that_a_server_repeats(where: str, tmp_path: Path) -> None:
    """In no file, in no message, and not in what is passed on: whole, in part, or written otherwise."""
    key = 'sk-"very"/secret+1234'
    journal = Journal(tmp_path / "calls.jsonl")
    with serving(lambda *_: REPEATS[where](server.seen[-1][2]["Authorization"])) as server:
        caller = Caller(Address.of(server.url), replace(QUICK, give_up=2, largest=1000), journal, key)
        told = []
        for _ in range(2):
            try:
                told.append(repr(caller("/act", {"a": 1})))
            except NobodyAnswersError as error:
                told.append(str(error))
        assert server.seen[-1][2]["Authorization"] == f"Bearer {key}"
    journal.close()
    for text in ((tmp_path / "calls.jsonl").read_text().replace("\\u0000", ""), *told):
        for piece in ("very", "secret+", "secret%2B", base64.b64encode(key.encode()).decode()[4:12], "c2VjcmV0"):
            assert piece not in text.replace("\0", "").replace("\\x00", "")


def test_a_key_in_the_address_is_refused() -> None:
    with pytest.raises(InputError, match="address: it has the key in it") as error:
        Caller(Address.of("http://host/sk-secret-1234/v1"), key="sk-secret-1234")
    assert "sk-secret" not in str(error.value)


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("ftp://host", "expected http://HOST:PORT"),
        ("http://", "expected http://HOST:PORT"),
        ("http://host:port", "Port could not be cast"),
        ("http://me:secret@host", "has a password in it"),
        ("http://host/?a=b", "without"),
    ],
)
def test_addresses(url: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint) as error:
        Address.of(url)
    assert "secret" not in str(error.value)
    assert str(Address.of("https://[::1]:80/v1/")) == "https://[::1]:80/v1"
