"""Told episodes in the cottage: the pictures and words are of what happened, and failures say why."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from cottage_players import HOUSE, TASKS, context, scripted
from vnla.assistance.help_policies import AtFirst, HelpPolicy, Never
from vnla.common.errors import InputError
from vnla.evaluation.evaluate import Evaluation, evaluate, run_task
from vnla.report.document import EpisodeReport
from vnla.report.episodes import examples, failure, tell_episode
from vnla.report.story import Account, follow
from vnla.world.actions import Nav

L, R, U, D, F, S = Nav
TO_KITCHEN = (L, L, L, F, F, F, S)
"""Task 1, what the teacher does: 2.55 m within the living room, 2.55 m to the hallway and 3.04 m to the kitchen."""


def account(task: int, *actions: Nav, policy: HelpPolicy | None = None) -> Account:
    who = context(scripted(*actions), policy or Never())
    return follow(run_task(who, TASKS, str(task)), 0, HOUSE, TASKS.tasks[task], who.advisor)


def told(*actions: Nav, policy: HelpPolicy | None = None) -> EpisodeReport:
    who = context(scripted(*actions), policy or Never())
    return tell_episode(who, TASKS, [HOUSE], "1", seed=7, command="vnla watch")


def test_a_success_has_nothing_wrong() -> None:
    episode = told(*TO_KITCHEN)
    assert episode.success
    assert episode.wrong == ""
    assert episode.title == "Find a towel in the kitchen."
    assert episode.outcome.startswith("ended at a goal · 7 of ")
    assert episode.name == "episode-1-7"


@pytest.mark.parametrize(
    ("actions", "sentence"),
    [
        ((S,), "It never left the place where it began, 8.1 m from the nearest goal."),
        ((L, L, L, F, S), "It never left the living room where it began, 5.6 m from the nearest goal."),
        ((L, L, L, F, F, S), "It stopped 3.0 m from the nearest goal, in the hallway instead of the kitchen."),
        ((*TO_KITCHEN[:-1], *(R,) * 6, F, F, S), "It was near enough after 6 actions, but went on and ended"),
    ],
)
def test_why_it_failed(actions: tuple[Nav, ...], sentence: str) -> None:
    assert failure(account(1, *actions)).startswith(sentence)


def test_running_out_of_time_is_said() -> None:
    late = account(1, L, L, L, F, F)  # then it turns for ever
    assert not late.stopped
    assert failure(late) == "It ran out of time 3.0 m from the nearest goal, in the hallway instead of the kitchen."


def test_there_is_a_frame_for_start_requests_and_end() -> None:
    episode = told(*TO_KITCHEN, policy=AtFirst())
    asked = [frame for frame in episode.frames if frame.letter]
    story = "\n".join(episode.story)
    assert [frame.letter for frame in asked] == ["A", "B", "C"][: len(asked)]
    assert len(asked) == story.count("It asks for help") > 0
    for frame in asked:
        assert frame.said.strip("“”") in story
    assert episode.frames[0].title.startswith("At the start, in the living room, looking south")
    assert episode.frames[-1].title.startswith("At the end, after 7 actions, in the kitchen")
    assert all(frame.alt for frame in episode.frames)


def test_pictures_are_pictures() -> None:
    episode = told(*TO_KITCHEN, policy=AtFirst())
    for picture in (episode.map, episode.film, *(frame.image for frame in episode.frames)):
        with Image.open(io.BytesIO(picture)) as image:
            assert image.format == "PNG"  # sketches, since the cottage has no photographs
    assert "in the living room, then in the hallway, then in the kitchen" in episode.map_alt
    assert "It asked for help in the living room" in episode.map_alt


def test_pictures_of_the_house_are_in_the_frames() -> None:
    red = np.zeros((240, 320, 3), np.uint8) + np.array([200, 0, 0], np.uint8)
    who = context(scripted(*TO_KITCHEN), Never())
    episode = tell_episode(who, TASKS, [HOUSE], "1", images=lambda *_: red)
    with Image.open(io.BytesIO(episode.frames[0].image)) as image:
        assert image.format == "JPEG"
        assert np.abs(np.asarray(image)[180, 240].astype(int) - [200, 0, 0]).max() < 12


def test_a_house_that_is_not_given_is_named() -> None:
    with pytest.raises(InputError, match=f"its house {HOUSE.name} is not among those given"):
        tell_episode(context(policy=Never()), TASKS, [], "1")


def evaluation(success: list[int], error: list[float], requests: list[int], shortest: list[float]) -> Evaluation:
    real = evaluate(context(policy=Never()), TASKS, seeds=[1])
    arrays = {"success": np.array([success], bool), "nav_error": np.array([error]), "requests": np.array([requests])}
    return replace(real, scores=real.scores | arrays | {"shortest": np.array([shortest])})


def test_examples_are_the_longest_helped_success_and_the_most_ordinary_failure() -> None:
    """Errors of the failures are 3, 4 and 20 m: the median is 4."""
    found = evaluation([1, 1, 1, 0, 0, 0], [0, 0, 0, 3, 4, 20], [0, 1, 2, 0, 0, 0], [50, 5, 9, 1, 1, 1])
    assert examples(found) == ["2", "4"]
    assert examples(found, successes=3, failures=2) == ["2", "1", "0", "4", "3"]
    assert examples(evaluation([1] * 6, [0] * 6, [1] * 6, [1, 2, 3, 4, 5, 6])) == ["5"]


def test_examples_are_about_different_rooms_as_long_as_there_are_any() -> None:
    found = evaluation([1] * 4 + [0] * 2, [0, 0, 0, 0, 3, 3], [1] * 6, [6, 5, 4, 3, 2, 1])
    rooms = ("bathroom", "bathroom", "kitchen", "bathroom", "kitchen", "office")
    tasks = [replace(task, goal_room=room) for task, room in zip(TASKS.tasks, rooms, strict=True)]
    found = replace(found, tasks=replace(found.tasks, tasks=tuple(tasks)))
    assert examples(found, successes=3, failures=1) == ["0", "2", "1", "5"]
