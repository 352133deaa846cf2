"""`vnla mcp` as a process: clients at its stdin and stdout, and at an address."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

import vnla as package
from command import Vnla
from cottage_run import write_cottage
from remote.mcp_player import Player
from vnla.cli.mcp import McpOptions
from vnla.language.advisor import GrammarAdvisor
from vnla.remote.mcp_server.kept import KeptEpisodes
from vnla.remote.mcp_server.setting import COTTAGE_SPLIT

PROGRAM = [sys.executable, "-m", "vnla", "mcp"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(package.__file__).parents[1]), "OMP_NUM_THREADS": "1"}


def test_a_whole_walk_over_stdio_and_a_process_that_is_killed(tmp_path: Path) -> None:
    """The client does not know who serves it, so the process writes its own number down: that of the lock."""
    out = tmp_path / "out"

    async def walk() -> tuple[str, dict[str, Any]]:
        given = StdioServerParameters(command=PROGRAM[0], args=[*PROGRAM[1:], "--out", str(out)], env=ENVIRONMENT)
        with (tmp_path / "errors").open("w") as errors:
            async with Client(stdio_client(given, errlog=errors)) as client:
                player = Player(client)
                await player.start("1")
                scored = await player.follow()
                await player.start()
                await player.do("act", action="left", times=2)
                os.kill(int((out / ".lock").read_text()), signal.SIGKILL)
                return client.instructions or "", scored

    instructions, scored = anyio.run(walk)
    assert "Call start" in instructions and "session" not in instructions
    assert scored["episode"]["success"] and scored["episode"]["steps"] == 7
    assert (tmp_path / "errors").read_text() == f"{out}: 0 of 6 tasks have ended\n"
    kept = KeptEpisodes(out, McpOptions().offered())
    assert (len(kept), kept.abandoned, kept.claim("012")) == (2, 1, "2")


def test_ctrl_c_ends_a_server_whose_client_says_nothing(tmp_path: Path) -> None:
    """A thread waits for the client's next line, which never comes."""
    process = subprocess.Popen(
        [*PROGRAM, "--out", str(tmp_path)],
        env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdin and process.stdout and process.stderr
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "somebody", "version": "1"}}
    for message in (
        {"id": 1, "method": "initialize", "params": client},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "start", "arguments": {}}},
    ):
        process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    process.stdin.flush()
    answers = [json.loads(process.stdout.readline()) for _ in range(2)]
    assert [answer["id"] for answer in answers] == [1, 2] and not answers[1]["result"]["isError"]
    process.send_signal(signal.SIGINT)
    try:
        assert process.wait(timeout=30) == 130
    finally:
        process.kill()
    assert process.stderr.read().endswith("vnla: interrupted\n")
    assert (tmp_path / COTTAGE_SPLIT / "results.json").is_file()


class Address:
    """A server at an address, in a process of its own."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.process = subprocess.Popen(
            [*PROGRAM, "--http", "127.0.0.1:0", "--allow-host", "house.example", "--out", str(out)],
            env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.process.stdout
        said = self.process.stdout.readline()
        assert said.startswith("vnla mcp is at http://127.0.0.1:") and said.endswith("/mcp (Ctrl-C ends it)\n"), said
        self.url = said.split()[4]

    def status(self, **headers: str) -> int:
        """That of the answer to a request that has no session."""
        usual = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
        request = urllib.request.Request(self.url, data=body, headers=usual | headers)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code


@pytest.fixture(scope="module")
def addresses() -> Iterator[list[Address]]:
    servers: list[Address] = []
    yield servers
    for server in servers:
        server.process.kill()
        server.process.wait()


@pytest.fixture
def address(addresses: list[Address], tmp_path: Path) -> Address:
    """One that runs, in whatever order tests come."""
    if not addresses or addresses[-1].process.poll() is not None:
        addresses.append(Address(tmp_path / "out"))
    return addresses[-1]


def test_requests_for_other_hosts_and_from_pages_of_others_are_refused(address: Address) -> None:
    own = address.url.removesuffix("/mcp")
    assert address.status(Host="evil.example") == address.status(Host="evil.example:80") == 421
    assert address.status(Origin="http://evil.example") == address.status(Origin="null") == 403
    understood = 400  # and it has no session
    for headers in ({}, {"Origin": own}, {"Host": "localhost"}, {"Host": "house.example:80"}):
        assert address.status(**headers) == understood


async def takes_turns(url: str, mode: str) -> tuple[Player, Player]:
    """Two clients at once, of which one walks to the end; the other's episode stays under way."""
    async with Client(url, mode=mode) as first, Client(url, mode=mode) as second:
        one, other = Player(first), Player(second)
        begun = [(await each.start())["status"] for each in (one, other)]
        assert begun[0]["task"] != begun[1]["task"] and begun[0]["time_left"] == begun[1]["time_left"] == 25
        await one.do("act", action="left", times=3)
        assert (await other.do("status"))["time_left"] == 25
        await other.do("ask")
        assert (await one.do("status"))["advice"] is None
        await one.do("act", action="stop")
        assert (await one.do("score"))["episode"]["steps"] == 4
        await other.refused("score")
        return one, other


def test_two_sessions_at_once_of_a_protocol_that_has_sessions(address: Address) -> None:
    one, other = anyio.run(takes_turns, address.url, "legacy")
    assert one.session is other.session is None


def test_two_sessions_at_once_of_a_protocol_that_has_none(address: Address) -> None:
    one, other = anyio.run(takes_turns, address.url, "2026-07-28")
    assert one.session and other.session and one.session != other.session

    async def stranger() -> None:
        async with Client(address.url, mode="2026-07-28") as client:
            player = Player(client)
            line = "session: this connection has none of its own; give the session that start replied"
            assert await player.refused("look") == line
            assert len((await player.do("list_tasks"))["tasks"]) == 6
            player.session = one.session
            assert (await player.do("score"))["episodes"] == 1

    anyio.run(stranger)


def test_a_server_that_is_told_to_end_has_kept_everything(address: Address) -> None:
    anyio.run(takes_turns, address.url, "legacy")
    address.process.send_signal(signal.SIGTERM)
    assert address.process.wait(timeout=60) == 130
    answers, records = (
        [json.loads(line) for line in (address.out / COTTAGE_SPLIT / name).read_text().splitlines()]
        for name in ("answers.jsonl", "episodes.jsonl")
    )
    started = [each["task"] for each in answers if each["answer"] == "start"]
    assert sorted(record["task"] for record in records) == sorted(started)
    abandoned = [record for record in records if record["errors"]]
    assert len(abandoned) == len(records) / 2


WRONG = {
    "--world and --tasks: give both, or none for the embedded cottage": ("--world", "{world}"),
    "--observe smell: choose from text, picture, both, around, all": ("--observe", "smell"),
    "--observe both: the embedded cottage has no pictures; choose text, around, or another --world": ("--observe", "both"),
    "--picture-width 30: expected pixels": ("--picture-width", "30"),
    "--forward back: choose from informed, plain": ("--forward", "back"),
    "--http 8000: expected HOST:PORT, such as localhost:8765": ("--http", "8000"),
    "--http localhost:99999: expected HOST:PORT": ("--http", "localhost:99999"),
    "--allow-host needs --http": ("--allow-host", "house.example"),
}


@pytest.mark.parametrize("line", WRONG)
def test_what_cannot_be_served_ends_with_a_line(vnla: Vnla, tmp_path: Path, line: str) -> None:
    answer = vnla("mcp", *(word.format(world=tmp_path) for word in WRONG[line]))
    assert answer.status == 2 and answer.out == ""
    assert answer.err.startswith(f"vnla: error: {line}") and answer.err.count("\n") == 1


def test_a_missing_package_is_named(vnla: Vnla, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vnla.cli.mcp.find_spec", lambda _: None)
    answer = vnla("mcp")
    assert (answer.status, answer.err.endswith("install it with: pip install 'vnla[mcp]'\n")) == (2, True)


@pytest.fixture(scope="module")
def street(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    world, tasks = write_cottage(tmp_path_factory.mktemp("street"), houses=2)
    return {"world": world, "tasks": tasks}


def test_options_reach_what_is_offered(street: dict[str, Any]) -> None:
    options = {
        "seed": 9, "subset": 5, "observe": "around", "picture_width": 64, "ratio": 0.5, "forward": "plain", "k": 2,
        "advisor_language": "grammar", "advisor_option": ["says=landmarks"],
    }  # fmt: skip
    terms = McpOptions(**options).terms()
    assert {name: getattr(terms, name) for name in list(options)[:6]} == dict(list(options.items())[:6])
    assert isinstance(terms.advisor, GrammarAdvisor) and (terms.advisor.k, terms.advisor.says) == (2, "landmarks")
    assert dict(terms.advisor_settings) == {"advisor": "grammar", "advisor_options": {"says": "landmarks"}}
    offered = McpOptions(**street, split="val_seen", subset=5, observe="around", forward="plain", ratio=0.5, k=2).offered()
    found = offered.settings()
    assert (found["split"], found["k"], found["ratio"], len(offered.tasks)) == ("val_seen", 2, 0.5, 5)
    assert (found["forward"], found["observes"]) == ("plain", ["text", "text_around", "exits"])
    usual = McpOptions(**street).offered()
    assert (usual.split, len(usual.tasks), usual.terms.seed) == ("test_unseen", 12, 123)
    assert usual.declaration.observes == ("text",)
    assert len(McpOptions(subset=2).offered().tasks) == 2  # of the cottage
