"""The story of an episode: every request is in it, and it says rightly how things went."""

from __future__ import annotations

import io
import math
import re

import pytest
import torch
from rich.console import Console

from cottage_players import HOUSE, TASKS, context, scripted
from vnla.assistance.acting import Acting, sampled
from vnla.assistance.advisor import Advisor, TemplateAdvisor
from vnla.assistance.help_policies import AsTaught, AtFirst, AtRandom, HelpPolicy, Never
from vnla.assistance.help_teacher import Reason
from vnla.bcui import bcui
from vnla.evaluation.evaluate import run_task
from vnla.report.plan import visits
from vnla.report.story import Account, compass, final_chance, follow, put_into_words, sights, tell, what_went_wrong
from vnla.rollout import RolloutContext
from vnla.world.actions import Nav

L, R, U, D, F, S = Nav
TO_KITCHEN = (L, L, L, F, F, F, S)  # task 1, what the teacher does


def account(task: int, *actions: Nav, policy: HelpPolicy | None = None, advisor: Advisor | None = None) -> Account:
    who = context(scripted(*actions), policy or Never(), advisor)
    return follow(run_task(who, TASKS, str(task)), 0, HOUSE, TASKS.tasks[task], who.advisor)


@pytest.mark.parametrize("task", range(6))
@pytest.mark.parametrize("policy", [AtRandom(), AtFirst(), AsTaught()])
def test_every_request_and_every_answer_is_told(task: int, policy: HelpPolicy) -> None:
    who = context(scripted(), policy)  # it never stops, so it uses all of its budget
    rollout = run_task(who, TASKS, str(task), ratio=1.0)
    story = str(tell(rollout, 0, HOUSE, TASKS.tasks[task], who.advisor))
    asked = [transition for transition in rollout.transitions if bool(transition.request)]
    assert story.count("It asks for help") == story.count("The advisor says: “") == len(asked) > 0
    for transition in asked:
        assert f"“{who.advisor.text(int(transition.heard))}”" in story
    for transition in rollout.transitions:
        assert f"\n{transition.step + 1:3d}  " in story


def test_a_way_that_leads_to_the_goal_is_a_success() -> None:
    told = account(1, *TO_KITCHEN)
    story = str(put_into_words(told))
    assert story.startswith("“Find a towel in the kitchen.”\nThe agent begins in the living room and looks south;")
    assert "the nearest goal is 8.1 m away" in story
    assert "Success. It stopped in the kitchen, at a goal." in story
    assert "walked 8.1 m; the shortest path is 8.1 m long" in story
    assert "; its teacher would" not in story
    assert [stay.viewpoint for stay in visits(told.walk())] == [4, 3, 1, 5]


def test_what_the_teacher_would_have_done_is_told_where_it_differs() -> None:
    assert re.search(r"It turns right \(\d+%\); its teacher would turn left\.", str(put_into_words(account(1, R, S))))


def test_words_and_pictures_have_the_same_number_and_say_when_it_is_from() -> None:
    told = account(1, *TO_KITCHEN, policy=AtFirst())
    first = told.steps[0]
    assert first.said is not None and first.tentative != first.final
    assert final_chance(first) == f"{first.final[first.action]:.0%} after advice"
    lines = [line.strip() for line in str(put_into_words(told)).splitlines()]
    turns = [line for line in lines if line.startswith("It turns left (")]
    assert turns == [f"It turns left ({final_chance(step)})." for step in told.steps if step.action is L]


def test_a_folded_line_goes_on_below_the_words_of_its_step() -> None:
    console = Console(width=40, file=io.StringIO())
    console.print(put_into_words(account(1, *TO_KITCHEN)))
    lines = console.file.getvalue().splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("  1  "))
    last = next(number for number, line in enumerate(lines) if line.startswith("  7  "))
    steps = lines[first : last + 1]
    assert len(steps) > 7 * 3 and max(map(len, steps)) <= 40
    assert all(line[:5].strip().isdigit() or (line[:5].isspace() and line[5] != " ") for line in steps)


@pytest.mark.parametrize(
    ("actions", "sentences"),
    [
        ((S,), ["wrong room: living room instead of kitchen", "never left", "stopped too early, with 24 steps left"]),
        (TO_KITCHEN[:-2], ["wrong room: hallway instead of kitchen", "ran out of time"]),
        # turns left at the kitchen until the dining room is in view, goes there and stops
        (
            (*TO_KITCHEN[:-1], L, L, L, F, S),
            ["near enough after 6 actions", "wrong room: dining room", "with 14 steps left"],
        ),
    ],
)
def test_what_went_wrong(actions: tuple[Nav, ...], sentences: list[str]) -> None:
    told = account(1, *actions)
    wrong = what_went_wrong(told)
    assert not told.success
    assert len(wrong) == len(sentences)
    for sentence, expected in zip(wrong, sentences, strict=True):
        assert expected in sentence
        assert sentence in str(put_into_words(told))


def test_the_right_room_can_be_too_far_from_the_goal() -> None:
    """Task 4 is after a picture in hall_north; hall_south is the same hallway, 3 m away."""
    told = account(4, L, L, F, F, S)
    assert told.metres_left == pytest.approx(math.sqrt(9.04))
    assert "It is in the right kind of room, but not near enough" in what_went_wrong(told)[0]


def test_a_success_has_nothing_wrong_even_when_time_ran_out() -> None:
    told = account(1, *TO_KITCHEN[:-1])  # then it turns on the spot until the end
    assert told.success
    assert not told.stopped
    assert what_went_wrong(told) == []
    assert "Success. Its time ran out in the kitchen, at a goal." in str(put_into_words(told))


def test_beats_carry_what_the_rollout_has() -> None:
    told = account(1, *TO_KITCHEN, policy=AtFirst())
    first = told.steps[0]
    assert (first.viewpoint, first.view) == (4, 18)
    assert first.metres_left == pytest.approx(2 * math.sqrt(6.5) + math.sqrt(9.25), rel=1e-5)
    assert sum(first.tentative) == pytest.approx(1, abs=1e-5)
    assert 0 < first.entropy <= math.log(6) + 1e-6
    assert first.said == "turn 90 degrees left, go forward"
    assert told.requests == told.help_budget
    assert {step.reason for step in told.steps[told.help_budget :]} == {Reason.NO_BUDGET}


def test_a_silent_direct_advisor_is_told_as_such() -> None:
    silent = TemplateAdvisor(direct=True, speaks=False)
    story = str(put_into_words(account(1, *TO_KITCHEN, policy=AtFirst(), advisor=silent)))
    assert "The advisor says nothing and takes over." in story
    assert "The advisor acts for it: it turns left." in story
    assert "“”" not in story


def test_one_episode_of_many_is_told_alone() -> None:
    who: RolloutContext = context(Acting(sampled, direct=False), AtRandom())
    which = torch.arange(6)
    together = bcui(TASKS.episodes(which, seed=123), who.agent.eval() and who)
    for i in which.tolist():
        alone = run_task(who, TASKS, str(i), seed=123)
        told = follow(together, i, HOUSE, TASKS.tasks[i], who.advisor)
        expected = follow(alone, 0, HOUSE, TASKS.tasks[i], who.advisor)
        assert [(step.viewpoint, step.view, step.action, step.said) for step in told.steps] == [
            (step.viewpoint, step.view, step.action, step.said) for step in expected.steps
        ]
        assert (told.last, told.help_budget) == (expected.last, expected.help_budget)


def test_sights_are_the_things_in_view_nearest_first() -> None:
    """From the bathroom's middle the towel (1.46 m) and the mirror (1.57 m) are to the north, nothing to the west."""
    seen = sights(HOUSE)
    assert seen(11, 12) == ["towel", "mirror"]
    assert seen(11, 12 + 9) == []


def test_the_compass() -> None:
    assert [compass(12 + heading) for heading in (0, 1, 3, 6, 9)] == ["north", "north-east", "east", "south", "west"]


def test_the_story_prints_on_a_console_that_knows_only_ascii() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    Console(file=stream, width=200).print(put_into_words(account(1, *TO_KITCHEN, policy=AtFirst())))
    stream.flush()
    assert '"Find a towel in the kitchen."' in stream.buffer.getvalue().decode()  # type: ignore[attr-defined]
