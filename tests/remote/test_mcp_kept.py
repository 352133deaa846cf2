"""What `vnla mcp --out` keeps: each task once, what was abandoned as it stands, and results that anybody can score."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest

from command import Vnla
from cottage_run import write_cottage
from remote.mcp_player import in_cottage, playing
from vnla.common.errors import InputError
from vnla.remote.mcp_server.kept import KeptEpisodes
from vnla.remote.mcp_server.sessions import ToolSessions
from vnla.remote.mcp_server.setting import COTTAGE_SPLIT, EpisodeTerms, OfferedTasks

KITCHEN = "1"


def lines(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / COTTAGE_SPLIT / name).read_text().splitlines()]


def test_a_task_can_be_started_once_in_a_folder(tmp_path: Path) -> None:
    kept = KeptEpisodes(tmp_path, in_cottage())

    async def walk() -> None:
        async with playing(in_cottage(), kept) as one, playing(in_cottage(), kept) as other:
            await one.start(KITCHEN)
            again = "task 1: was started already, and a task can be started once here; start without a task begins the next"
            assert await other.refused("start", task=KITCHEN) == again
            assert [(await other.start())["status"]["task"], (await other.start(give_up=True))["status"]["task"]] == [
                "0",
                "2",
            ]
            states = [[each["state"] for each in (await each.do("list_tasks", count=4))["tasks"]] for each in (one, other)]
            assert states == [["taken", "under way", "taken", "new"], ["ended", "taken", "under way", "new"]]
            await one.do("act", action="stop")
            assert await one.refused("start", task=KITCHEN) == again
            assert (await one.start())["status"]["task"] == "3"

    anyio.run(walk)
    assert [record["task"] for record in lines(tmp_path, "episodes.jsonl")] == ["0", "1"]
    assert [record["instr_id"] for record in json.loads((tmp_path / COTTAGE_SPLIT / "results.json").read_text())] == [
        "0",
        "1",
    ]


def test_what_a_process_left_under_way_counts_as_it_stands(tmp_path: Path) -> None:
    kept = KeptEpisodes(tmp_path, in_cottage())

    async def walk() -> None:
        async with playing(in_cottage(), kept) as player:
            await player.start(KITCHEN)
            await player.follow()
            await player.start("0")
            await player.do("ask")
            await player.do("act", action="right", times=2)
            await player.do("act", action="forward")

    anyio.run(walk)  # its session is not closed: as if the process had been killed
    whole = (tmp_path / COTTAGE_SPLIT / "episodes.jsonl").read_text()
    with (tmp_path / COTTAGE_SPLIT / "answers.jsonl").open("a") as stream:
        stream.write('{"task":"0","ans')  # torn

    again = KeptEpisodes(tmp_path, in_cottage())
    assert (len(again), again.abandoned, again.claim(["0", "1", "2"])) == (2, 1, "2")
    first, left = lines(tmp_path, "episodes.jsonl")
    assert (tmp_path / COTTAGE_SPLIT / "episodes.jsonl").read_text().startswith(whole) and first["task"] == KITCHEN
    assert left["actions"] == ["right", "right", "forward", *[None] * 22]
    assert left["path"][0] == ["entryway", 21] and left["path"][3:] == [["hall_south", 23]] * 23
    assert left["said"] == ["turn 60 degrees right, go forward, turn right", *[None] * 24]
    assert left["errors"] == [[step, "no_answer"] for step in range(3, 25)]

    third = KeptEpisodes(tmp_path, in_cottage())  # the one that was claimed, and nothing twice
    assert (len(third), third.abandoned) == (3, 1)
    assert [record["task"] for record in lines(tmp_path, "episodes.jsonl")] == ["1", "0", "2"]
    fourth = KeptEpisodes(tmp_path, in_cottage())
    assert (len(fourth), fourth.abandoned) == (3, 0)


def test_a_server_that_ends_has_abandoned_what_was_under_way(tmp_path: Path) -> None:
    sessions = ToolSessions(in_cottage(), KeptEpisodes(tmp_path, in_cottage()))
    sessions.begin(KITCHEN)[0].act("left", 3)
    sessions.close()
    (record,) = lines(tmp_path, "episodes.jsonl")
    assert record["actions"] == ["left"] * 3 + [None] * 22


def test_what_is_kept_is_scored_as_the_client_was_told(vnla: Vnla, tmp_path: Path) -> None:
    world, tasks = write_cottage(tmp_path)
    offered = OfferedTasks.of_world(world, tasks, "test_unseen", EpisodeTerms(subset=4))
    kept = KeptEpisodes(tmp_path / "out", offered)

    async def walk() -> dict[str, Any]:
        async with playing(offered, kept) as player:
            await player.start()
            await player.do("act", action="right")
            for _ in range(2):
                await player.start(give_up=True)
                told = await player.follow()
            return told

    told = anyio.run(walk)
    given = ("--world", world, "--tasks", tasks, "--seed", 123, "--partial", "--json", tmp_path / "scores.json")
    assert vnla("score", tmp_path / "out", *given).status == 0
    (entry,) = json.loads((tmp_path / "scores.json").read_text())
    assert (entry["name"], entry["split"], entry["tasks"]) == ("out", "test_unseen", 3)
    assert [(each["field"], each["differ"]) for each in entry["claims"]] == [("is_success", 0)]
    figures = {name: each["value"] for name, each in entry["figures"].items()}
    assert told["episodes"] == 3 and 0 < told["success_rate"] < 100
    assert figures["success_rate"] == pytest.approx(told["success_rate"], abs=0.1)
    assert figures["nav_error"] == pytest.approx(told["nav_error"], abs=0.01)


@pytest.mark.parametrize(
    "line",
    [
        '{"task": "9", "answer": "start"}',
        '{"task": "0", "answer": "jump"}',
        '{"task": "0", "answer": "left"}',
        '{"task": "1", "answer": "start"}',
        '{"task": 1, "answer": ["start"]}',
        "[]",
    ],
)
def test_answers_that_cannot_be_are_refused(tmp_path: Path, line: str) -> None:
    KeptEpisodes(tmp_path, in_cottage()).claim([KITCHEN])
    path = tmp_path / COTTAGE_SPLIT / "answers.jsonl"
    path.write_text(f"{path.read_text()}{line}\n")
    with pytest.raises(InputError, match=r"answers\.jsonl: line 2: .*give another --out"):
        KeptEpisodes(tmp_path, in_cottage())


@pytest.mark.parametrize(
    "other", [{"seed": 124}, {"ratio": 0.5}, {"observe": "around"}, {"subset": 3}, {"forward": "plain"}]
)
def test_a_folder_that_was_begun_with_other_settings_is_refused(tmp_path: Path, other: dict[str, Any]) -> None:
    KeptEpisodes(tmp_path, in_cottage())
    with pytest.raises(InputError, match=r"was begun with .*; give another --out"):
        KeptEpisodes(tmp_path, in_cottage(**other))


def test_a_start_is_on_disk_before_anything_is_shown(tmp_path: Path) -> None:
    kept = KeptEpisodes(tmp_path, in_cottage())
    blind = replace(in_cottage(), observer=None)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        ToolSessions(blind, kept).of_connection("mine").start(KITCHEN)
    assert lines(tmp_path, "answers.jsonl") == [{"task": KITCHEN, "answer": "start"}]
