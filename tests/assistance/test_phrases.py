"""What the advisor says, and reading it back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vnla.assistance.phrases import read_subgoal, subgoal_text, subgoal_words, until_stop, with_subgoal
from vnla.common.errors import InputError
from vnla.world.actions import Nav

L, R, U, D, F, S = Nav
plans = st.lists(st.sampled_from(Nav), min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("plan", "text"),
    [
        ([L, L, F, F], "turn 60 degrees left, go forward 2 steps"),  # the paper's own example
        ([R, R, F, L], "turn 60 degrees right, go forward, turn left"),  # the paper's Figure 1
        ([R], "turn right"),
        ([R, R, R, R], "turn 120 degrees right"),
        ([F, F, F, F], "go forward 4 steps"),
        ([U, U, F], "look up, look up, go forward"),  # not aggregated, not dropped
        ([D, L, D], "look down, turn left, look down"),
        ([F, S, S, S], "go forward, stop"),
        ([S, S, S, S], "stop"),
        ([L, R, L, L], "turn left, turn right, turn 60 degrees left"),
    ],
)
def test_subgoals_are_worded_as_in_the_paper(plan: list[Nav], text: str) -> None:
    assert subgoal_text(plan) == text


def test_the_easy_variant_says_one_phrase_an_action() -> None:
    assert subgoal_text([L, L, F, F], aggregate=False) == "turn left, turn left, go forward, go forward"


def test_commas_are_words_of_their_own() -> None:
    assert subgoal_words([L, F, F]) == ("turn", "left", ",", "go", "forward", "2", "steps")


def test_a_subgoal_is_put_before_the_end_goal_with_a_full_stop_between() -> None:
    assert (
        with_subgoal("turn left, stop", "find a towel in the kitchen .")
        == "turn left , stop . find a towel in the kitchen ."
    )
    assert with_subgoal("", "find a towel .") == "find a towel ."


@given(plans, st.booleans())
def test_a_subgoal_read_back_gives_its_plan(plan: list[Nav], aggregate: bool) -> None:
    assert read_subgoal(subgoal_text(plan, aggregate=aggregate)) == until_stop(plan)
    assert read_subgoal(" ".join(subgoal_words(plan, aggregate=aggregate))) == until_stop(plan)


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("  Turn   LEFT,look Up ", (L, U)),
        ("turn 30 degrees right", (R,)),
        ("go forward 1 step", (F,)),
        ("go forward 100 steps", (F,) * 100),
        ("stop, go forward", (S,)),
    ],
)
def test_a_subgoal_may_be_written_as_people_write(text: str, plan: tuple[Nav, ...]) -> None:
    assert read_subgoal(text) == plan


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("jump", "cannot read 'jump'"),
        ("turn left, , stop", "cannot read ''"),
        ("turn 45 degrees left", "not a multiple of 30"),
        ("turn 0 degrees left", "out of range"),
        ("go forward 999999999999 steps", "out of range"),
        ("go forward 101 steps", "out of range"),
        ("go forward 0 steps", "out of range"),
        ("turn left right", "cannot read 'turn left right'; say for example 'turn 60 degrees left"),
    ],
)
def test_what_cannot_be_understood_is_named(text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        read_subgoal(text)
