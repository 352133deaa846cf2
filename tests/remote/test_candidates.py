"""A model that goes to a candidate leaves the records of one that names the actions; it is shown what is all around."""

from __future__ import annotations

import base64
import io
import itertools
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from fake_servers import Say, serving
from remote.cottage_rules import KITCHEN, rules, showing
from vnla.assistance.advisor import TemplateAdvisor
from vnla.camera import VIEWS
from vnla.houses.folder import read_world, write_world
from vnla.houses.generate.world import HouseRecipe, as_extra
from vnla.houses.images import world_images
from vnla.remote.caller import Address, Caller, Manner
from vnla.remote.candidates import listed
from vnla.remote.chat import Chat
from vnla.remote.episode import EpisodeRecord, EvaluationRules
from vnla.remote.evaluated_agent import Declaration, LocalPolicy
from vnla.remote.evaluation import evaluate_policy
from vnla.remote.folder import EvaluationFolder
from vnla.remote.mosaic import label, mosaic
from vnla.remote.observer import WorldObserver
from vnla.remote.prompts import read_prompt
from vnla.tasks.task_set import TaskSet
from vnla.world.budgets import TimeBudgets
from vnla.world.compiled import World

Says = Callable[[str, int], dict[str, Any]]
"""The words of the user, and the number of the call in its episode → what the model answers."""


def walked(by: EvaluationRules, place: Path, says: Says, **options: Any) -> tuple[dict[Any, EpisodeRecord], int]:
    """The records of a model, and how many calls it took."""
    turns: dict[str, int] = {}

    def answers(_path: str, value: Any) -> Say:
        words = value["messages"][-1]["content"]
        goal = words.partition("\n")[0]
        turns[goal] = turns.get(goal, -1) + 1
        content = json.dumps(says(words, turns[goal]))
        return Say.json({"choices": [{"message": {"content": content}}]})

    with serving(answers) as server:
        caller = Caller(Address.of(f"{server.url}/v1"), Manner(timeout=60, retries=0, largest=1 << 20))
        chat = Chat("m", caller, read_prompt(None, "text-around"), observe="text-around", **options)
        policy, folder = LocalPolicy(chat), EvaluationFolder(place, {"agent": "m"})
        visit = evaluate_policy(policy, by, showing(policy.declaration), seeds=(123,), folder=folder)
        assert visit.answers >= len(server.seen)
        words = [value["messages"][-1]["content"] for _, value, _ in server.seen]
    done = folder.done(lambda _: True)
    (place / "prompts.txt").write_text("\n\n".join(words))
    return done, len(words)


def goes(words: str, turn: int) -> dict[str, Any]:
    """Here and there, one candidate after the other; it asks now and then, and stops late."""
    last = words.rpartition("Candidates:\n")[2].partition("Steps left")[0].strip().splitlines()
    left = int(words.rpartition("Steps left: ")[2].partition(".")[0])
    if turn % 3 == 1 and "(not now)" not in words:
        return {"request": True}
    return {"action": "stop"} if left < 3 else {"go": 1 + turn % len(last)}


@pytest.mark.parametrize(("forward", "direct"), [("informed", True), ("plain", False)])
def test_going_to_candidates_is_the_same_episode_as_naming_the_actions(forward: str, direct: bool, tmp_path: Path) -> None:
    """With an advisor who acts in its place, too: nothing is done that was not done by one who answers action by action."""
    by = rules(TemplateAdvisor(direct=direct))
    world = by.tasks.environment.world.with_forward(forward)
    by = replace(by, tasks=TaskSet.compile(world, by.tasks.tasks, TimeBudgets()))
    found, calls = walked(by, tmp_path / "goes", goes)
    steps = sum(len(each.actions) + sum(text is not None for text in each.said) for each in found.values())
    assert len(found) == 6 and calls < steps and not any(each.errors for each in found.values())
    assert any(len({place for place, _ in each.path}) > 2 for each in found.values())
    script = {
        by.tasks.tasks[number].end_goal: named(found[by.tasks.tasks[number].id, 123]) for number in range(len(by.tasks))
    }

    def names(words: str, turn: int) -> dict[str, Any]:
        goal = next(each for each in script if f"Your task: {each.removesuffix(' .')}\n" in words)
        return script[goal][turn]

    again, more = walked(by, tmp_path / "names", names)
    assert again == found and more == steps
    same = [(tmp_path / each / "episodes.jsonl").read_bytes() for each in ("goes", "names")]
    assert same[0] == same[1]


def named(record: EpisodeRecord) -> list[dict[str, Any]]:
    """The answers, action by action, of which an episode was made."""
    pairs = zip(record.said, record.actions, strict=True)
    return [each for said, done in pairs for each in ([{"request": True}] if said is not None else []) + [{"action": done}]]


def test_one_call_takes_it_to_a_candidate_and_it_is_told() -> None:
    """From living_west, looking south, the one exit is 101 degrees to the left: three turns, and forward."""
    by = rules()
    walk, show = by.begin(KITCHEN, 123), showing(Declaration("x", ("exits", "text_around")))

    def now() -> Any:
        viewpoint = by.tasks.environment.world.ids[walk.pose // VIEWS]
        return walk.observation(**show(walk.task.house, viewpoint, walk.pose), **show.sensed(walk.sensed(show.sensors)))

    with serving(lambda *_: Say.json({"choices": [{"message": {"content": '{"go": 1}'}}]})) as server:
        chat = Chat(
            "m", Caller(Address.of(f"{server.url}/v1")), read_prompt(None, "text-around"), observe="text-around", memory=3
        )
        state = chat.reset("")
        for calls, action in ((1, "LEFT"), (1, "LEFT"), (1, "LEFT"), (1, "FORWARD"), (2, None)):
            answer, state = chat.act(now(), state)
            assert len(server.seen) == calls
            assert action is None or answer.action.name == action  # type: ignore[union-attr]
            walk.take(answer)
    first, second = (value["messages"][1]["content"] for _, value, _ in server.seen)
    assert "Candidates:\n1: 101 degrees to the left, 2.5 m\nSteps left: 25." in first
    assert "Last: go 1: left, left, left, forward: you walked 2.5 m\n" in second and "Steps left: 21." in second
    assert "So far:\n- in view: You are in the living room. → go 1: left, left, left, forward: you walked" in second
    assert ", you came from there" in second


@pytest.mark.parametrize(
    ("last", "told"),
    [
        ({"outcome": "stayed", "action": "left", "metres": 0.0, "led": False}, "; you are not there"),
        ({"outcome": "turned", "action": "right", "metres": 0.0, "led": True}, "; you are not there"),
        ({"outcome": "moved", "action": "forward", "metres": 9.0, "led": False}, "; that is another place than candidate 1"),
    ],
)
def test_a_walk_stops_where_that_was_not_to_be_expected(last: dict[str, Any], told: str) -> None:
    exits = [{"heading": -90.0, "elevation": 0.0, "metres": 2.0, "visited": False, "came_from": False, "action": "left"}]
    begun = rules().begin(KITCHEN, 123).observation(exits=exits, text_around="You are here.")
    with serving(lambda *_: Say.json({"choices": [{"message": {"content": '{"go": 1}'}}]})) as server:
        chat = Chat("m", Caller(Address.of(f"{server.url}/v1")), read_prompt(None, "text-around"), observe="text-around")
        _, state = chat.act(begun, chat.reset(""))
        went_on = type(begun)(begun) | {
            "last": {"error": None, "outcome": "turned", "action": "left", "metres": 0, "led": False}
        }
        chat.act(went_on, state)
        assert len(server.seen) == 1
        chat.act(type(begun)(begun) | {"last": {"error": None, **last}}, state)
        assert len(server.seen) == 2 and told in server.seen[1][1]["messages"][1]["content"]


def test_candidates_in_words() -> None:
    flat = {"elevation": 0.0, "visited": False, "came_from": False}
    exits = [
        {**flat, "heading": 0.2, "metres": 2.04},
        {**flat, "heading": 179.8, "metres": 3, "visited": True, "came_from": True},
        {**flat, "heading": -179.7, "metres": 3, "visited": True},
        {**flat, "heading": 44.6, "metres": 3.25, "elevation": -20.4},
    ]
    assert listed(exits).splitlines() == [
        "1: ahead, 2.0 m",
        "2: behind you, 3.0 m, you came from there",
        "3: behind you, 3.0 m, you were there before",
        "4: 45 degrees to the right, 3.2 m, 20 degrees down",
    ]
    assert listed([]) == "none"


def test_labels_and_the_order_of_the_headings() -> None:
    """Each view is told by its colour: the first row begins 90 degrees to the left, and goes to the right."""
    pictures = np.stack([np.full((48, 64, 3), 10 * turn, np.uint8) for turn in range(12)])
    whole = mosaic(pictures, [{"heading": -44.0}, {"heading": 178.0}])
    assert whole.shape == (2 * (48 + 8), 6 * 64, 3)
    middles = [[int(whole[row * 56 + 8 + 24, column * 64 + 32, 0]) for column in range(6)] for row in range(2)]
    assert middles == [[90, 100, 110, 0, 10, 20], [30, 40, 50, 60, 70, 80]]
    assert [label(turn, []) for turn in (0, 1, 6, 7, 11)] == ["ahead", "30° right", "behind", "150° left", "30° left"]
    assert label(11, [1, 4]) == "30° left: go 1 or 4"
    changed = mosaic(pictures, [{"heading": -44.0}, {"heading": 60.0}])
    bands = [slice(0, 8), slice(56, 64)]
    assert all((whole[band] != changed[band]).any() for band in bands), "numbers stand above the view that they are in"


def test_a_panorama_is_the_twelve_level_pictures(tmp_path: Path) -> None:
    """As the simulator draws them, from the agent's own heading; one picture is sent, with as many pixels as told."""
    recipe = HouseRecipe("small", 1, 8)
    house = recipe.make().house
    write_world(tmp_path / "w", [house], source="generated", extra=as_extra("test", 0, [recipe]))
    folder = read_world(tmp_path / "w")
    world, stand = World.compile(folder.houses), house.viewpoints[2].id
    views = world_images(folder, (32, 24))(house.name, stand)
    show = WorldObserver(Declaration("seer", ("pictures", "pictures_around"), picture_width=32), folder, world)
    shown = show(house.name, stand, 2 * VIEWS + 24 + 10)  # it looks up
    assert set(shown) == {"pictures", "pictures_around"}
    np.testing.assert_array_equal(shown["pictures_around"], views[[12 + (10 + turn) % 12 for turn in range(12)]])
    exits = [{"heading": 5.0, "elevation": 0.0, "metres": 2.0, "visited": False, "came_from": False, "action": "forward"}]
    now = rules().begin(KITCHEN, 123).observation(**shown, exits=exits)
    with serving(lambda *_: Say.json({"choices": [{"message": {"content": '{"action": "stop"}'}}]})) as server:
        caller = Caller(Address.of(f"{server.url}/v1"))
        chat = Chat("m", caller, read_prompt(None, "picture,panorama"), observe="picture,panorama", width=32)
        chat.act(now, chat.reset(""))
        system, user = (message["content"] for message in server.seen[0][1]["messages"])
    assert "a picture of what is in front of you, about 80 degrees wide; and one picture of twelve views" in system
    text, *pictures = user
    assert "Candidates:\n1: 5 degrees to the right, 2.0 m" in text["text"]
    sent = [
        np.array(Image.open(io.BytesIO(base64.b64decode(each["image_url"]["url"].partition(",")[2])))) for each in pictures
    ]
    np.testing.assert_array_equal(sent[0], views[24 + 10])
    np.testing.assert_array_equal(sent[1], mosaic(shown["pictures_around"], exits))


def test_so_many_of_the_last_pictures_stay() -> None:
    """The others are lines of the history; with one, as it always was, there is but the picture of now."""
    for kept in (1, 3):
        count = itertools.count()
        with serving(lambda *_: Say.json({"choices": [{"message": {"content": '{"action": "left"}'}}]})) as server:
            chat = Chat("m", Caller(Address.of(f"{server.url}/v1")), read_prompt(None, "picture"), pictures=kept)
            assert chat.settings.get("pictures", 1) == kept
            walk, state = rules().begin(KITCHEN, 123), chat.reset("")
            for number in itertools.islice(count, 5):
                now = walk.observation(pictures=np.full((3, 4, 3), number, np.uint8))
                answer, state = chat.act(now, state)
                walk.take(answer)
            content = server.seen[-1][1]["messages"][1]["content"]
        sent = [each["image_url"]["url"] for each in content if each["type"] == "image_url"]
        colours = [np.array(Image.open(io.BytesIO(base64.b64decode(each.partition(",")[2]))))[0, 0, 0] for each in sent]
        assert colours == list(range(5))[-kept:]
        assert [each["type"] for each in content] == ["text", "image_url"] * kept
        assert content[-2]["text"].count("- left: done") == 4
        assert all(each["text"] == "What you saw before; after it: left: done" for each in content[:-2:2])
