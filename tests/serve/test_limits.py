"""Whom a server answers, how much it takes from one visitor, and what it does when its disk is full."""

from __future__ import annotations

import asyncio
import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from starlette.datastructures import Headers
from starlette.testclient import WebSocketDenialResponse, WebSocketTestSession
from starlette.websockets import WebSocketDisconnect

from serve.visitor import HOST, Door, Visitor
from vnla.common.errors import InputError
from vnla.serve.addresses import Addresses, network_of
from vnla.serve.connections import Connection
from vnla.serve.events import Event
from vnla.serve.guard import Guard
from vnla.serve.limits import Limits, ReadingTime, TokenBucket, TooFastError
from vnla.serve.sessions import Session, Sessions
from vnla.serve.site import Site


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://evil.example", "localhost"),
        ("http://evil.example", "evil.example"),
        ("http://localhost:81", "localhost"),
        ("null", "localhost"),
        ("http://localhost.evil.example", "localhost.evil.example"),
    ],
)
def test_pages_of_others_cannot_talk_to_it(door: Door, origin: str, host: str) -> None:
    with pytest.raises(WebSocketDenialResponse) as denied:
        door.connect(origin, host)
    answer = door.get("/houses.json", headers={"origin": origin, "host": host})
    assert (answer.status_code, answer.text) == (
        (403, "This server answers only its own page.\n")
        if host == "localhost"
        else (421, "This server does not go by that name; to give it one: vnla serve --name NAME\n")
    )
    assert denied.value.status_code == answer.status_code


MALFORMED = [
    "[",
    "]",
    "[::1",
    "[x]",
    "localhost:port",
    "localhost:123456",
    "a@localhost",
    "localhost/x",
    "localhost,other",
    "a b",
]


@pytest.mark.parametrize("host", MALFORMED)
def test_a_host_that_is_none_is_told_so(door: Door, host: str) -> None:
    assert door.get("/houses.json", headers={"host": host}).status_code == 400
    assert door.get("/houses.json", headers={"origin": f"http://{host}"}).status_code == 400
    for origin, of in ((HOST, host), (f"http://{host}", "localhost")):
        with pytest.raises(WebSocketDenialResponse) as denied:
            door.connect(origin, of)
        assert denied.value.status_code == 400


@given(host=st.text(st.characters(max_codepoint=255)), origin=st.text(st.characters(max_codepoint=255)))
@example(host="[", origin="http://[")
@example(host="localhost", origin="http://localhost\n")
def test_whatever_the_headers_are_it_decides(host: str, origin: str) -> None:
    guard = Guard(lambda *_: None, ["localhost"])  # type: ignore[arg-type, return-value]
    raw = [(b"host", host.encode("latin-1")), (b"origin", origin.encode("latin-1"))]
    refusal = guard._refusal(Headers(raw=raw))
    assert (refusal is None and origin.endswith(f"://{host}")) or (refusal and refusal.status_code in (400, 403, 421))


def test_two_hosts_are_one_too_many() -> None:
    guard = Guard(lambda *_: None, ["localhost"])  # type: ignore[arg-type, return-value]
    for name in (b"host", b"origin"):
        raw = [(b"host", b"localhost"), (name, b"localhost"), (name, b"other")]
        refusal = guard._refusal(Headers(raw=raw))
        assert refusal is not None and refusal.status_code == 400


@pytest.mark.parametrize("host", ["localhost", "LocalHost:80", "[::1]", "[::1]:8000"])
def test_names_are_read_as_browsers_write_them(host: str) -> None:
    guard = Guard(lambda *_: None, ["Localhost", "::1"])  # type: ignore[arg-type, return-value]
    assert guard._refusal(Headers({"host": host, "origin": f"http://{host}"})) is None


def test_whoever_has_no_page_is_answered_by_name(door: Door) -> None:
    assert door.get("/").status_code == 200
    assert door.get("/", headers={"host": "localhost:1234"}).status_code == 200
    assert door.get("/", headers={"host": "other"}).status_code == 421
    assert door.get("/", headers={"host": ""}).status_code == 421


@pytest.mark.parametrize(
    ("reached", "host", "status"),
    [("10.0.0.5", "10.0.0.5:8000", None), ("10.0.0.5", "10.0.0.6", 421), ("fe80::1", "[fe80::1]", None), ("", "", 421)],
)
def test_it_answers_by_the_address_that_was_reached(reached: str, host: str, status: int | None) -> None:
    refusal = Guard(lambda *_: None, ["localhost"])._refusal(Headers({"host": host}), reached)  # type: ignore[arg-type, return-value]
    assert (refusal and refusal.status_code) == status


def answers(door: Door, *texts: str | bytes) -> list[dict[str, str]]:
    line = door.connect()
    for text in texts:
        line.send_text(text) if isinstance(text, str) else line.send_bytes(text)
    return [json.loads(line.receive_text()) for _ in texts]


def test_what_is_no_message_is_refused_and_harms_nothing(door: Door) -> None:
    strange = (
        "",
        "[]",
        "{}",
        '{"kind": "dance"}',
        '{"kind": "hello", "more": 1}',
        '{"kind": "act", "action": "fly"}',
        "[" * 5000,
    )
    for answer in answers(door, *strange):
        assert answer == {"kind": "refused", "why": "That is no message that this server knows."}
    *_, last = answers(door, "x" * 9000, b"\0", '{"kind": "beat"}')
    assert last == {"kind": "refused", "why": "Say hello first."}
    assert answers(door, "x" * 9000)[0]["why"] == "That message is too long."
    assert answers(door, '{"kind": "hello", "session": "../../etc/passwd"}')[0]["kind"] == "welcome"


def test_who_is_too_fast_waits(site: Site, folder: Path) -> None:
    with Door(site, folder, Limits(rate=0.001, burst=3)) as door:
        assert [answer["kind"] for answer in answers(door, *['{"kind": "hello"}'] * 5)] == ["welcome"] * 3 + ["refused"] * 2


def closed(line: WebSocketTestSession) -> int:
    """The code that a line is closed with, whatever is sent before."""
    with pytest.raises(WebSocketDisconnect) as end:
        while True:
            line.receive_text()
    return end.value.code


def test_there_are_so_many_visitors_and_no_more(site: Site, folder: Path) -> None:
    with Door(site, folder, Limits(connections=1)) as door:
        assert answers(door, '{"kind": "hello"}')[0]["kind"] == "welcome"
        assert answers(door, '{"kind": "hello"}')[0]["why"] == "Too many visitors are here; try again later."
        assert closed(door.lines[-1]) == 1013


def test_lines_on_which_nobody_says_hello_keep_nobody_out(site: Site, folder: Path) -> None:
    with Door(site, folder, Limits(connections=1, before_hello=2)) as door:
        silent = [door.connect() for _ in range(3)]
        assert closed(silent[0]) == 1013, "the one that came first makes room"
        assert answers(door, '{"kind": "hello"}')[0]["kind"] == "welcome"


def test_an_address_with_many_silent_connections_pushes_out_its_own(site: Site, folder: Path) -> None:
    with Door(site, folder, Limits(connections=1, before_hello=2)) as door:
        visitor = door.connect(client="198.51.100.1")
        silent = [door.connect(client="198.51.100.2") for _ in range(5)]
        assert [closed(each) for each in silent[:-1]] == [1013] * 4
        visitor.send_text('{"kind": "hello"}')
        assert json.loads(visitor.receive_text())["kind"] == "welcome"


def test_a_hello_counts_while_it_is_being_answered(site: Site, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Sessions.open

    async def slowly(sessions: Sessions, *given: Any) -> Session:
        await asyncio.sleep(0.5)
        return await opened(sessions, *given)

    monkeypatch.setattr(Sessions, "open", slowly)
    with Door(site, folder, Limits(connections=1, before_hello=2)) as door:
        line = door.connect()
        line.send_text('{"kind": "hello"}')
        for _ in range(3):
            door.connect()
        assert json.loads(line.receive_text())["kind"] == "welcome"


def test_whose_hello_fails_leaves_its_place_to_others(site: Site, folder: Path) -> None:
    with Door(site, folder, Limits(connections=1, crowd=1, new=0)) as door:
        first = Visitor(door)
        first.leave()
        refused = door.connect()
        refused.send_text('{"kind": "hello"}')
        assert json.loads(refused.receive_text())["why"] == "Too many visitors come at once; try again in a moment."
        assert Visitor(door, first.session).session == first.session


def test_who_says_nothing_is_let_go(site: Site, folder: Path) -> None:
    with Door(site, folder, Limits(hello=0.05)) as door:
        assert closed(door.connect()) == 1008
        line = door.connect()
        line.send_text("nonsense")
        assert closed(line) == 1008


def test_an_address_has_so_many_lines_and_new_sessions(site: Site, folder: Path) -> None:
    with Door(site, folder, Limits(address_connections=2, address_new=0, address_crowd=1)) as door:
        session = answers(door, '{"kind": "hello"}')[0]["session"]
        assert answers(door, '{"kind": "hello"}')[0]["why"].startswith("Too many visitors come from your address")
        line = door.connect()
        assert json.loads(line.receive_text())["why"].startswith("Too many pages are open at your address")
        assert closed(line) == 1013
        door.lose(door.lines[1])
        assert answers(door, json.dumps({"kind": "hello", "session": session}))[0]["session"] == session


def test_an_address_asks_so_often_and_no_more(site: Site, folder: Path) -> None:
    with Door(site, folder, Limits(address_requests=0, address_requests_burst=2)) as door:
        statuses = [door.get("/").status_code for _ in range(3)]
        assert statuses == [200, 200, 429]
        with pytest.raises(WebSocketDenialResponse):
            door.connect()


@pytest.mark.parametrize(
    ("host", "network"),
    [
        ("127.0.0.1", None), ("::1", None), ("::ffff:127.0.0.1", None), (None, None), ("", None),
        ("192.0.2.7", "192.0.2.7"), ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"), ("no address", "no address"),
    ],
)  # fmt: skip
def test_an_address_stands_for_one_visitor_or_one_house(host: str | None, network: str | None) -> None:
    assert network_of(host) == network


def test_addresses_are_forgotten_but_for_those_that_are_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vnla.serve.addresses.MOST", 2)
    addresses = Addresses(Limits())
    first = addresses.of("192.0.2.1")
    first.connections = 1
    for last in range(2, 9):
        addresses.of(f"192.0.2.{last}")
    assert addresses.of("192.0.2.1") is first and len(addresses._known) == 2
    first.connections = 0
    addresses.of("192.0.2.2")
    addresses.of("192.0.2.3")
    assert addresses.of("192.0.2.1") is not first
    assert addresses.of("127.0.0.1").most > 10**6


def test_so_many_sessions_begin_at_once_and_no_more(site: Site, folder: Path) -> None:
    """Who has one goes on with it; nothing is on the disk of somebody who has done nothing."""
    with Door(site, folder, Limits(new=0, crowd=2)) as door:
        kept = [answers(door, '{"kind": "hello"}')[0]["session"] for _ in range(2)]
        assert answers(door, '{"kind": "hello"}')[0]["why"] == "Too many visitors come at once; try again in a moment."
        assert not [*folder.glob("*.jsonl")]
        assert answers(door, json.dumps({"kind": "hello", "session": kept[0]}))[0]["session"] == kept[0]


def test_sessions_begin_again_when_some_time_has_passed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(TokenBucket.__init__, "__defaults__", (lambda: now,))
    sessions = Sessions(folder, Limits(new=0.5, crowd=1))
    asyncio.run(sessions.open(None))
    now = 1.9
    with pytest.raises(InputError, match="too many visitors come at once"):
        asyncio.run(sessions.open(None))
    now = 2.0
    asyncio.run(sessions.open(None))


def test_the_end_of_an_episode_is_on_the_disk_before_it_is_told(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    """In this order: written, forced to the disk, told."""
    happened: list[str] = []
    write, sync, told = os.write, os.fsync, Connection._send_event

    def writes(handle: int, data: bytes) -> int:
        happened.append("written, ended" if b'"kind":"ended"' in data else "written")
        return write(handle, data)

    def syncs(handle: int) -> None:
        happened.append("forced")
        sync(handle)

    def tells(line: Connection, event: Event) -> None:
        happened.append(f"told, {event.kind}")
        told(line, event)

    visitor.say("beat")
    with monkeypatch.context() as watched:
        watched.setattr(os, "write", writes)
        watched.setattr(os, "fsync", syncs)
        watched.setattr(Connection, "_send_event", tells)
        visitor.leave()
        visitor.connect()
        visitor.say("act", action="left")
        assert "forced" not in happened
        happened.clear()
        visitor.say("act", action="stop")
    assert happened.index("written, ended") < happened.index("forced") < happened.index("told, ended")


def test_what_cannot_be_forced_to_the_disk_has_not_happened(
    visitor: Visitor, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor.say("beat")
    before, log = visitor.state, next(folder.glob("*.jsonl")).read_bytes()
    with monkeypatch.context() as patch:

        def fails(_: int) -> None:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

        patch.setattr(os, "fsync", fails)
        assert "Input/output error" in str(visitor.say("act", action="stop"))
    assert (visitor.state, next(folder.glob("*.jsonl")).read_bytes()) == (before, log)


def test_sessions_that_nobody_uses_leave_memory_and_come_back(site: Site, folder: Path) -> None:
    with Door(site, folder, Limits(rate=1e6, burst=10**6, awake=1)) as door:
        first = Visitor(door)
        first.say("beat")
        seen = first.state
        first.leave()
        Visitor(door).leave()
        Visitor(door).leave()
        first.connect()
        assert first.state == seen


def test_a_session_does_not_grow_for_ever(site: Site, folder: Path) -> None:
    with Door(site, folder, Limits(rate=1e6, burst=10**6, unread=10**6, events=10)) as door:
        visitor = Visitor(door)
        while not (why := visitor.say("watch", task="0_0", seed=0)):
            pass
        assert why == "This session has become too long; open the page anew."
        assert visitor.state["number"] <= 10


def test_who_reads_too_slowly_is_let_go(site: Site, folder: Path) -> None:
    with Door(site, folder, Limits(rate=1e6, burst=10**6, unread=5)) as door:
        line = door.connect()
        line.send_text('{"kind": "hello"}')
        session = json.loads(line.receive_text())["session"]
        line.send_text('{"kind": "watch", "task": "0_0", "seed": 0}')
        with pytest.raises(WebSocketDisconnect):
            while True:
                line.receive_text()
        assert Visitor(door, session).state["ended"]


def test_a_full_disk_is_told_and_nothing_is_lost(visitor: Visitor, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    visitor.say("beat")
    visitor.say("act", action="left")
    seen, log = visitor.state, next(folder.glob("*.jsonl")).read_bytes()
    write = os.write

    def fails(handle: int, data: bytes) -> int:
        write(handle, data[: len(data) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", fails)
        for message in ({"kind": "act", "action": "left"}, {"kind": "ask"}, {"kind": "watch"}):
            assert "No space left on device" in str(visitor.say(**message))
    assert (visitor.state, next(folder.glob("*.jsonl")).read_bytes()) == (seen, log)
    assert visitor.say("act", action="right") is None
    assert visitor.state["steps"][-1]["pose"] == seen["steps"][0]["pose"]


def test_a_log_that_was_edited_is_named_with_its_line(folder: Path) -> None:
    folder.mkdir()
    name = "0" * 32
    (folder / f"{name}.jsonl").write_text('{"at": 0, "event": {"kind": "sang", "number": 1}}\n')
    with pytest.raises(InputError, match=rf"{name}.jsonl: line 1 is not a line of the log"):
        asyncio.run(Sessions(folder, Limits()).open(name))


def test_a_bucket_fills_with_time() -> None:
    now = 0.0
    bucket = TokenBucket(rate=2, burst=3, clock=lambda: now)
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]
    now = 1.0
    assert [bucket.take() for _ in range(3)] == [True, True, False]
    now = 100.0
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]


def test_who_has_had_a_text_read_for_too_long_waits() -> None:
    used = iter([0.0, 7.0, 7.0, 7.5])
    reading = ReadingTime(Limits(reading=0, reading_burst=5), used=lambda: next(used))
    assert reading.measure(lambda: "read") == "read"
    with pytest.raises(TooFastError):
        reading.measure(lambda: "read")


def test_a_text_that_cannot_be_read_takes_its_time_too() -> None:
    used = iter([0.0, 7.0])
    reading = ReadingTime(Limits(reading=0, reading_burst=5), used=lambda: next(used))
    with pytest.raises(ZeroDivisionError):
        reading.measure(lambda: 1 // 0)
    with pytest.raises(TooFastError):
        reading.measure(lambda: 1)
