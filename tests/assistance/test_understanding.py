"""What people say, as an agent reads it: advice and end-goals in free words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from furnished import small_houses
from vnla.assistance.advisor import TemplateAdvisor
from vnla.assistance.phrases import read_subgoal, subgoal_text
from vnla.assistance.understanding import MOST_ACTIONS, Part, advice, end_goal
from vnla.houses.cottage import cottage
from vnla.houses.rooms import ROOM_NAMES
from vnla.tasks.buckets import Filters, buckets_of
from vnla.tasks.recipes import ASKNAV, NOROOM, DatasetRecipe
from vnla.world.actions import Nav

WORDS = frozenset(TemplateAdvisor().words())


def strange(text: str, parts: Sequence[Part]) -> list[str]:
    """What was not understood."""
    return [text[start:end] for start, end, understood in parts if not understood]


@pytest.mark.parametrize(
    ("said", "phrase"),
    [
        ("turn right and walk two steps", "turn right, go forward 2 steps"),
        ("Please turn LEFT 60° then go straight ahead.", "turn 60 degrees left, go forward"),
        ("turn around", "turn 120 degrees right, turn 60 degrees right"),
        ("make a U-turn", "turn 120 degrees right, turn 60 degrees right"),
        ("left, left, forward twice", "turn left, turn left, go forward 2 steps"),
        ("take a left and then take three steps", "turn left, go forward 3 steps"),
        ("you should just keep going straight for 3 steps", "go forward 3 steps"),
        ("rotate ninety degrees to your right", "turn 90 degrees right"),
        ("turn left two times", "turn 60 degrees left"),
        ("walk six steps", "go forward 4 steps, go forward 2 steps"),
        ("look up twice and stop here", "look up, look up, stop"),
        ("look to the left", "turn left"),
        ("turn 45 degrees left", "turn 60 degrees left"),
        ("turn 40 degrees left", "turn left"),
        ("a step forward now", "go forward"),
        ("go", "go forward"),
    ],
)
def test_free_words_are_read_as_the_advisors(said: str, phrase: str) -> None:
    found = advice(said, WORDS)
    assert found.phrase == phrase
    assert not strange(said, found.parts) and not found.suggestions


@pytest.mark.parametrize(
    ("said", "phrase", "missed"),
    [
        ("do not stop", None, ["not stop"]),
        ("don’t turn left, turn right", "turn right", ["don’t turn left"]),
        ("walk through the door on the left", None, ["walk through the door on the left"]),
        ("go forward until you see a table and stop", "go forward, stop", ["until you see a table"]),
        ("turn left at the sofa", "turn left", ["sofa"]),
        ("stop, then go forward", "stop", ["go forward"]),
        ("go back", None, ["go back"]),
        ("look around", None, ["look around"]),
        ("turn 0 degrees left", None, ["turn 0 degrees left"]),
        ("go forward 99999999999 steps", None, ["go forward 99999999999 steps"]),
        ("walk 1.5 steps", None, ["walk 1.5 steps"]),
        ("walk twelve steps, turn left", "go forward 4 steps, go forward 4 steps, go forward 4 steps", ["turn left"]),
        ("<b>turn left</b>", None, ["<b>turn left</b>"]),
        ("geh links", None, ["geh links"]),
        ("please", None, []),
        ("", None, []),
    ],
)
def test_what_is_not_understood_is_told(said: str, phrase: str | None, missed: list[str]) -> None:
    found = advice(said, WORDS)
    assert found.phrase == phrase
    assert strange(said, found.parts) == missed


def test_misspelt_words_are_not_taken_for_others_but_suggested() -> None:
    assert advice("trun lft, then go foward", WORDS) == (
        None,
        ((0, 8, False), (15, 24, False)),
        ("turn left, go forward",),
    )


@pytest.mark.parametrize("aggregate", [True, False])
def test_all_that_the_advisor_says_is_understood_as_itself(aggregate: bool) -> None:
    for plan in product(Nav, repeat=4):
        said = subgoal_text(plan, aggregate=aggregate)
        found = advice(said, WORDS)
        assert found.phrase == said
        assert not strange(said, found.parts)


def test_an_agent_is_told_nothing_in_words_that_it_lacks() -> None:
    assert advice("turn around", WORDS - {"120"}).phrase == "turn 90 degrees right, turn 90 degrees right"
    assert advice("turn left, go forward", WORDS - {"forward"}).phrase == "turn left"
    assert advice("turn left", frozenset()).phrase is None


SAID = "turn left right around go forward 2 two 60 degrees ° steps twice look up down stop , . and then not the u-turn table"
TYPED = "a the in find cup lamps toilet room x"


def texts(words: str) -> st.SearchStrategy[str]:
    """Anything, and some words in any order."""
    return st.one_of(st.text(max_size=80), st.lists(st.sampled_from(words.split()), max_size=14).map(" ".join))


@given(texts(SAID))
def test_nothing_that_is_typed_is_an_error(said: str) -> None:
    found = advice(said, WORDS)
    check(said, found.parts)
    assert (found.phrase is not None) == any(understood for *_, understood in found.parts)
    for phrase in (found.phrase, *found.suggestions):
        if phrase:
            assert 0 < len(read_subgoal(phrase)) <= MOST_ACTIONS
            assert advice(phrase, WORDS).phrase == phrase


def check(text: str, parts: Sequence[Part]) -> None:
    """Parts are stretches of the text, one after another."""
    ends = [place for start, end, _ in parts for place in (start, end)]
    assert ends == sorted(ends) and all(start < end for start, end, _ in parts)
    assert not ends or 0 <= ends[0] <= ends[-1] <= len(text)


class Askable(NamedTuple):
    object: str
    room: str | None
    end_goal: str


KNOWN = [
    Askable("cup", "kitchen", "find a cup in the kitchen ."),
    Askable("picture", "kitchen", "find a picture in the kitchen ."),
    Askable("picture", "bedroom", "find a picture in one of the bedrooms ."),
    Askable("curtains", "living room", "find curtains in the living room ."),
    Askable("table lamp", "bedroom", "find a table lamp in one of the bedrooms ."),
    Askable("toilet", "toilet", "find a toilet in the toilet ."),
    Askable("towel", "toilet", "find a towel in the toilet ."),
    Askable("pillow", "bedroom", "find a pillow in one of the bedrooms ."),
    Askable("pillows", "bedroom", "find pillows in one of the bedrooms ."),
    Askable("plant", "stairs", "find a plant in one of the staircases ."),
]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("find a cup in the kitchen", "find a cup in the kitchen ."),
        ("Find a mug in the kitchen!", "find a cup in the kitchen ."),
        ("where are the cups?", "find a cup in the kitchen ."),
        ("pictures in the bedroom", "find a picture in one of the bedrooms ."),
        ("kitchen picture", "find a picture in the kitchen ."),
        ("the toilet", "find a toilet in the toilet ."),
        ("a towel in the toilet", "find a towel in the toilet ."),
        ("pillow", "find a pillow in one of the bedrooms ."),
        ("pillows", "find pillows in one of the bedrooms ."),
        ("a plant on the stairs", "find a plant in one of the staircases ."),
    ],
)
def test_an_end_goal_is_found_by_its_thing_and_room(typed: str, meant: str) -> None:
    found = end_goal(typed, KNOWN)
    assert found.end_goal == meant
    assert not strange(typed, found.parts) and not found.suggestions


@pytest.mark.parametrize(
    ("typed", "missed", "suggested"),
    [
        ("find a picture", [], ["find a picture in the kitchen", "find a picture in one of the bedrooms"]),
        ("find a towel in the kitchen", [], ["find a towel in the toilet"]),
        ("find a towel in the dungeon", ["dungeon"], ["find a towel in the toilet"]),
        ("find a curtian", ["curtian"], ["find curtains in the living room"]),
        ("a curtian in the livng room", ["curtian", "livng", "room"], ["find curtains in the living room"]),
        ("find a lmap", ["lmap"], ["find a table lamp in one of the bedrooms"]),
        ("find a lamp", ["lamp"], ["find a table lamp in one of the bedrooms"]),
        ("find a dragon in the toilet", ["dragon"], ["find a toilet in the toilet", "find a towel in the toilet"]),
    ],
)
def test_what_cannot_be_asked_for_is_told_with_what_can(typed: str, missed: list[str], suggested: list[str]) -> None:
    found = end_goal(typed, KNOWN)
    assert found.end_goal is None
    assert strange(typed, found.parts) == missed
    assert list(found.suggestions) == suggested


def test_what_is_not_understood_beside_a_clear_wish_is_told() -> None:
    found = end_goal("find a red cup", KNOWN)
    assert found.end_goal == KNOWN[0].end_goal and strange("find a red cup", found.parts) == ["red"]


@pytest.mark.parametrize("recipe", [ASKNAV, NOROOM])
def test_all_that_can_be_asked_for_is_understood_as_itself(recipe: DatasetRecipe) -> None:
    """In each house, and in all together, where there may be one bedroom in one and several in another."""
    everything = []
    for house in (cottage(), *small_houses(3)):
        buckets = buckets_of(house, Filters.of([house], rooms=recipe.rooms, fewest=1), recipe)
        known = [Askable(each.object, each.room and ROOM_NAMES[each.room], each.end_goal) for each in buckets]
        assert [end_goal(each.end_goal, known).end_goal for each in known] == [each.end_goal for each in known]
        everything += known
    assert all(end_goal(each.end_goal, everything).end_goal == each.end_goal for each in everything)


@given(texts(TYPED))
def test_no_wish_is_an_error_and_suggestions_can_be_asked_for(typed: str) -> None:
    found = end_goal(typed, KNOWN)
    check(typed, found.parts)
    assert (found.end_goal is None) != (not found.suggestions)
    for each in found.suggestions:
        assert end_goal(each, KNOWN).end_goal == f"{each} ."


def test_where_nothing_can_be_asked_for_nothing_is_suggested() -> None:
    assert end_goal("find a cup", []) == (None, ((7, 10, False),), ())
