"""The state of a page: the same from all events at once, piece by piece, or from a snapshot on."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from vnla.serve.engine import EpisodeEngine, EpisodeRequest, walk_all
from vnla.serve.places import PlaceNames, VisitorWorld
from vnla.serve.reduce import NOTHING, reduced
from vnla.serve.walk_events import begun_event, walk_events


@pytest.fixture(scope="module")
def events(engine: EpisodeEngine) -> list[dict[str, Any]]:
    """Two episodes, the second told anew from its fifth step on."""
    scene = VisitorWorld(engine.trained.material.world, PlaceNames(engine.goals.houses.values()))
    task = engine.goals.offered[0]
    walks = walk_all(engine, [EpisodeRequest(task, 0, {}), EpisodeRequest(task, 0, {4: "stop"})])
    shown = [begun_event(walks[0], walks[0].start, scene, "watch", "e"), *walk_events(walks[0], scene)]
    again = [*shown, *walk_events(walks[1], scene, first=4)]
    return [
        event.model_copy(update={"number": i}).model_dump(mode="json") for i, event in enumerate([*shown, *again], start=1)
    ]


@given(data=some.data())
def test_a_snapshot_and_the_rest_is_all(events: list[dict[str, Any]], data: some.DataObject) -> None:
    cut = data.draw(some.integers(0, len(events)))
    seen_again = data.draw(some.integers(0, cut))
    assert reduced(events[seen_again:], reduced(events[:cut])) == reduced(events)


def test_a_state_has_what_was_told_of_each_step(events: list[dict[str, Any]]) -> None:
    middle = next(i for i, event in enumerate(events[1:], start=1) if event["kind"] == "begun")
    first = reduced(events[:middle])
    assert [step["step"] for step in first["steps"]] == list(range(len(first["steps"])))
    assert all(step["thought"] and step["acted"] for step in first["steps"])
    assert first["steps"][0]["asked"] == "agent"
    assert first["steps"][0]["advised"]["by"] == "advisor"
    assert first["ended"]["reason"] == "time"


def test_what_is_told_anew_makes_the_rest_void(events: list[dict[str, Any]]) -> None:
    steps, before = reduced(events)["steps"], reduced(events[: len(events) // 2])["steps"]
    assert [step["step"] for step in steps] == list(range(len(steps)))
    assert [step["pose"] for step in steps[:5]] == [step["pose"] for step in before[:5]]
    assert (before[4]["advised"], steps[4]["advised"]["understood"]) == (None, "stop")


def test_what_a_newer_server_says_is_passed_over() -> None:
    assert reduced([{"number": 1, "kind": "sang", "song": "la"}]) == {**NOTHING, "number": 1}
