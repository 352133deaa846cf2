"""The tools of `vnla mcp`, called by the SDK's own client in this process."""

from __future__ import annotations

import base64
import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import numpy as np
import pytest
from mcp_types import ImageContent
from PIL import Image

from command import Vnla
from cottage_run import write_cottage
from remote.mcp_player import in_cottage, playing
from vnla.camera import HEADINGS
from vnla.common.errors import InputError
from vnla.remote.mcp_server.rules import URI
from vnla.remote.mcp_server.sessions import ToolSessions
from vnla.remote.mcp_server.setting import EpisodeTerms, OfferedTasks
from vnla.remote.observer import WorldObserver
from vnla.tasks.task_set import TaskSet
from vnla.world.budgets import TimeBudgets
from vnla.world.forward import PLAIN

KITCHEN = "1"


def test_whoever_follows_the_advisor_gets_there() -> None:
    async def walk() -> None:
        async with playing(in_cottage()) as player:
            begun = await player.start(KITCHEN)
            assert begun["status"] == {
                "task": KITCHEN, "instruction": "find a towel in the kitchen .", "advice": None, "step": 0, "time_left": 25,
                "requests_left": 3, "may_ask": True, "may_go_forward": False, "over": False,
            }  # fmt: skip
            assert begun["session"] is None
            assert (
                begun["view"]
                == "You are in the living room. To the left a fireplace, 2.6 m. Ahead nothing. To the right nothing."
            )
            scored = await player.follow()
            assert scored["episode"] == {
                "task": KITCHEN, "success": True, "room_success": True, "abandoned": False, "nav_error": 0.0,
                "oracle_success": True, "spl": 1.0, "steps": 7, "path_length": 8.14, "requests": 2, "help_budget": 3,
            }  # fmt: skip
            assert (scored["episodes"], scored["success_rate"]) == (1, 100.0)
            status = await player.do("status")
            assert (status["over"], status["time_left"], status["may_ask"]) == (True, 0, False)

    anyio.run(walk)


WALK = ["left", "left", "left", "forward", "forward", "up", "right", "forward", "down", "right", "forward"]


def elsewhere(offered: OfferedTasks, goal: str) -> OfferedTasks:
    """The same tasks in the same words, with another goal."""
    rules = offered.rules
    tasks = [replace(task, goals=(goal,), goal_room="", lengths=(1,)) for task in rules.tasks.tasks]
    world = rules.tasks.environment.world
    compiled = TaskSet.compile(world, tasks, TimeBudgets())
    return replace(offered, rules=replace(rules, tasks=replace(compiled, end_goals=rules.tasks.end_goals)))


def test_nothing_before_the_end_depends_on_the_goal() -> None:
    """But for the advisor, who is not asked here; `forward` goes to what is nearest to the middle of the view."""

    async def replies(offered: OfferedTasks) -> tuple[list[str], str]:
        async with playing(offered) as player:
            await player.do("list_tasks")
            await player.start(KITCHEN)
            for action in WALK:
                await player.do("act", action=action)
                await player.do("look", around=True)
                await player.do("status")
                await player.refused("score")
            await player.do("act", action="stop")
            before = list(player.replies)
            await player.do("score")
            return before, player.replies[-1]

    here = in_cottage(observe="around", forward=PLAIN)
    (one, first), (other, second) = (anyio.run(replies, each) for each in (here, elsewhere(here, "bathroom")))
    assert one == other
    assert first != second  # the goals do differ
    assert not [each for each in one if "nav_error" in each or "success" in each]


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("act", {"action": "jump"}, "act: action is 'jump'; input should be 'left', 'right', 'up', 'down', 'forward' or 'stop'"),
    ("act", {}, "act: needs action"),
    ("act", {"action": "left", "times": 13}, "act: times is 13; input should be less than or equal to 12"),
    ("act", {"action": "left", "steps": 2}, "act: takes no 'steps'; it takes action, times, session"),
    ("act", {"action": "left", "session": "abc"},
        "session 'abc': is not known here, or has expired; start without a session begins one"),
    ("look", {"around": True}, "around: this server shows what is in front of you alone; turn to see more"),
    ("start", {}, "task 1 is under way; act stop ends it, and start with give_up gives it up: the rest of its time then"
        " passes without action"),
    ("start", {"task": "9"}, "task '9': there is none of this id; list_tasks has them"),
    ("start", {"task": "x" * 500}, f"start: task is '{'x' * 59}…; string should have at most 200 characters"),
    ("score", {}, "task 1 is under way; score tells how it went when it has ended"),
    ("list_tasks", {"count": 0}, "list_tasks: count is 0; input should be greater than or equal to 1"),
    ("jump", {}, "'jump': there is no such tool; there are list_tasks, start, look, act, ask, status, score"),
]  # fmt: skip


def test_what_a_client_does_wrong_is_one_line_and_costs_nothing() -> None:
    async def walk() -> None:
        async with playing(in_cottage()) as player:
            for tool in ("look", "status", "ask"):
                assert await player.refused(tool) == "no task was started yet; call start"
            assert await player.refused("score") == "no episode has ended in this session; call start"
            before = (await player.start(KITCHEN))["status"]
            for tool, given, line in WRONG:
                assert await player.refused(tool, **given) == line
            assert await player.do("status") == before
            await player.do("ask")
            assert await player.refused("ask") == "you have asked in this time step already; act before you ask again"
            for _ in range(2):
                await player.do("act", action="left")
                await player.do("ask")
            await player.do("act", action="left")
            assert await player.refused("ask") == "no request is left in this episode"
            assert (await player.do("status"))["time_left"] == 22
            await player.do("act", action="stop")
            over = "the episode of task 1 has ended; score tells how, start begins the next"
            assert [await player.refused("act", action="left"), await player.refused("ask")] == [
                f"act: {over}",
                f"ask: {over}",
            ]

    anyio.run(walk)


def test_a_fault_of_the_server_is_not_shown_to_its_client(monkeypatch: pytest.MonkeyPatch) -> None:
    async def walk() -> None:
        async with playing(in_cottage()) as player:
            await player.start()
            with monkeypatch.context() as patch:
                patch.setattr(WorldObserver, "__call__", lambda *_: 1 / 0)
                assert await player.refused("look") == "Error executing tool look"
            await player.do("look")

    anyio.run(walk)


def test_an_action_that_is_repeated_ends_where_nothing_changes_and_with_the_time() -> None:
    async def walk() -> None:
        async with playing(in_cottage()) as player:
            await player.start(KITCHEN)
            assert [each["outcome"] for each in (await player.do("act", action="up", times=5))["steps"]] == [
                "turned",
                "stayed",
            ]
            turned = await player.do("act", action="left", times=12)
            assert [each["outcome"] for each in turned["steps"]] == ["turned"] * 12
            last = await player.do("act", action="left", times=12)
            assert len(last["steps"]) == 11 and last["status"]["over"]
            assert (await player.do("score"))["episode"]["steps"] == 25

    anyio.run(walk)


def test_who_gives_up_has_let_the_time_pass() -> None:
    async def walk() -> None:
        async with playing(in_cottage()) as player:
            await player.start()
            await player.do("act", action="left")
            assert (await player.start(give_up=True))["status"]["task"] == "1"
            listed = (await player.do("list_tasks", count=3))["tasks"]
            assert [each["state"] for each in listed] == ["ended", "under way", "new"]
            await player.do("act", action="stop")
            scored = await player.do("score")
            assert (scored["episodes"], scored["episode"]["task"]) == (2, "1")
            for _ in range(4):
                await player.start(give_up=True)
            assert (await player.refused("start", give_up=True)) == "all 6 tasks were started; there is no next one"
            await player.start("0", give_up=True)  # nothing is kept: for practice

    anyio.run(walk)


def test_all_around_and_the_exits() -> None:
    async def walk() -> None:
        async with playing(in_cottage(observe="around")) as player:
            await player.start("0")
            seen = await player.do("look", around=True)
            assert seen["around"].startswith("You are in the entryway. ") and "degrees to the right" in seen["around"]
            (way,) = seen["exits"]
            assert (way["number"], way["visited"], way["action"]) == (1, False, "right")
            while (way := (await player.do("look", around=True))["exits"][0])["action"] != "forward":
                await player.do("act", action=way["action"])
            await player.do("act", action="forward")
            came = [each for each in (await player.do("look", around=True))["exits"] if each["came_from"]]
            assert [each["visited"] for each in came] == [True]
            assert "(you came from there)" in player.replies[-1]

    anyio.run(walk)


def test_a_picture_is_what_is_in_view(vnla: Vnla, tmp_path: Path) -> None:
    world, tasks = write_cottage(tmp_path)
    assert vnla("world", "set", world, "--pictures", "examples.pictures:Painted").status == 0
    offered = OfferedTasks.of_world(world, tasks, "test_unseen", EpisodeTerms(picture_width=64))
    assert offered.declaration.observes == ("text", "pictures")

    async def walk() -> None:
        async with playing(offered) as player:
            await player.start()
            for view in (9, 10):
                words, picture = (await player.call("look")).content
                assert words.type == "text" and isinstance(picture, ImageContent) and picture.mime_type == "image/png"
                shown = np.array(Image.open(io.BytesIO(base64.b64decode(picture.data))))
                expected = offered.observer("cottage", "entryway", HEADINGS + view)["pictures"]
                assert shown.shape == (48, 64, 3) and np.array_equal(shown, expected)
                await player.do("act", action="right")

    anyio.run(walk)
    words_alone = OfferedTasks.of_world(world, tasks, "test_unseen", EpisodeTerms(observe="text"))
    assert words_alone.declaration.observes == ("text",)


def test_what_clients_are_told_of_the_tools() -> None:
    async def look() -> None:
        async with playing(in_cottage(observe="around")) as player:
            tools = {tool.name: tool for tool in (await player.client.list_tools()).tools}
            assert list(tools) == ["list_tasks", "start", "look", "act", "ask", "status", "score"]
            for tool in tools.values():
                assert tool.title and tool.description and "\n" not in tool.description and tool.annotations
                assert tool.input_schema["additionalProperties"] is False and tool.output_schema is not None
                assert all(each.get("description") for each in tool.input_schema["properties"].values())
            assert tools["act"].input_schema["properties"]["action"]["enum"] == [
                "left",
                "right",
                "up",
                "down",
                "forward",
                "stop",
            ]
            assert [name for name, tool in tools.items() if tool.annotations and tool.annotations.read_only_hint] == [
                "list_tasks", "look", "status", "score",
            ]  # fmt: skip
            (content,) = (await player.client.read_resource(URI)).contents
            text = str(content.model_dump()["text"])
            assert "in words. look with around" in text and "can be started again" in text and "{" not in text

    anyio.run(look)


def test_sessions_are_bounded_and_expire() -> None:
    now = [0.0]
    sessions = ToolSessions(in_cottage(), most=2, idle=60, clock=lambda: now[0])
    mine, begun = sessions.begin(None)
    other = sessions.of_connection("other")
    assert mine.key != other.key and begun["episode"] == "0/123"
    with pytest.raises(InputError, match="2 sessions are open, which is the most; try again later"):
        sessions.of_connection("third")
    now[0] = 50
    assert sessions.of_key(mine.key) is mine
    now[0] = 100
    assert sessions.of_connection("third") is not other  # which had expired
    assert sessions.of_key(mine.key) is mine
    now[0] = 200
    with pytest.raises(InputError, match="is not known here, or has expired"):
        sessions.of_key(mine.key)
    assert [each.record.unanswered for each in mine.ended] == [True]
    with pytest.raises(InputError, match="this session has expired, and its episode was abandoned"), mine:
        pass
    with pytest.raises(InputError, match="there is none of this id"):
        sessions.begin("9")
    assert len(sessions) == 0
    with pytest.raises(InputError, match="is not known here"):
        sessions.of_key(sessions.of_connection("other").key)  # it is no key that was given to anybody
