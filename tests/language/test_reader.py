"""What people type, as an agent reads it: advice and end-goals in free words."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from furnished import small_houses
from vnla.assistance.advisor import TemplateAdvisor
from vnla.assistance.phrases import read_subgoal
from vnla.houses.cottage import cottage
from vnla.language.advisor import GrammarAdvisor
from vnla.language.parser import Part
from vnla.language.reader import LONGEST_ADVICE, TextReading, find_end_goal, read_advice
from vnla.language.sights import plain_sights
from vnla.language.surroundings import Surroundings
from vnla.tasks.buckets import Filters, buckets_of
from vnla.tasks.recipes import ASKNAV, NOROOM, DatasetRecipe

PAPER = TemplateAdvisor()
WORDS = frozenset(PAPER.words())
AROUND = Surroundings(cottage(), plain_sights(cottage()))
HERE = AROUND.graph.ids.index("hall_south") * 36 + 12


def advice(text: str) -> TextReading:
    return read_advice(text, PAPER, WORDS)


def strange(text: str, parts: Sequence[Part]) -> list[str]:
    """What was not understood."""
    return [text[start:end] for start, end, understood in parts if not understood]


SAID_AND_MEANT = [
    ("turn right and walk two steps", "turn 90 degrees right, go forward 2 steps"),
    ("Please turn LEFT 60° then go straight ahead.", "turn 60 degrees left, go forward"),
    ("turn around", "turn 120 degrees right, turn 60 degrees right"),
    ("make a U-turn", "turn 120 degrees right, turn 60 degrees right"),
    ("left, left, forward twice", "turn 60 degrees left, go forward 2 steps"),
    ("take a left and then take three steps", "turn 90 degrees left, go forward 3 steps"),
    ("you should just keep going straight for 3 steps", "go forward 3 steps"),
    ("rotate ninety degrees to your right", "turn 90 degrees right"),
    ("turn left two times", "turn 60 degrees left"),
    ("walk six steps", "go forward 4 steps, go forward 2 steps"),
    ("look up twice and stop here", "look up, look up, stop"),
    ("look to the left", "turn left"),
    ("turn slightly left", "turn left"),
    ("turn 45 degrees left", "turn 60 degrees left"),
    ("turn 40 degrees left", "turn left"),
    ("a step forward now", "go forward"),
    ("go", "go forward"),
]


@pytest.mark.parametrize(("said", "phrase"), SAID_AND_MEANT)
def test_free_words_are_read_as_the_advisors(said: str, phrase: str) -> None:
    found = advice(said)
    assert found.understood == phrase
    assert not strange(said, found.parts) and not found.suggestions


@pytest.mark.parametrize("said", ["turn left", "take a left", "make a left turn", "to the left", "turn 90 degrees left"])
def test_a_left_is_a_right_angle_with_and_without_a_house(said: str) -> None:
    assert advice(said).understood == "turn 90 degrees left"
    assert read_advice(said, PAPER, WORDS, (AROUND, HERE)).understood == "turn 90 degrees left"
    assert read_advice(f"{said}, {said}", PAPER, WORDS, (AROUND, HERE)) == advice(f"{said}, {said}")
    grammar = GrammarAdvisor()
    assert read_advice(said, grammar, grammar.words()).understood == "turn left", "as that advisor says it"


@pytest.mark.parametrize(
    ("said", "phrase", "missed"),
    [
        ("do not stop", None, []),
        ("don’t turn left, turn right", "turn 90 degrees right", []),
        ("walk through the door on the left", None, ["walk through the door on the left"]),
        ("stop, then go forward", "stop", ["go forward"]),
        ("go back", "turn 120 degrees right, turn 60 degrees right, go forward", []),
        ("look around", None, ["look around"]),
        ("<b>turn left</b>", "turn 90 degrees left", ["<b>", "</b>"]),
        ("geh links", None, ["geh links"]),
        ("please", None, []),
        ("", None, []),
    ],
)
def test_what_is_not_understood_is_told(said: str, phrase: str | None, missed: list[str]) -> None:
    found = advice(said)
    assert found.understood == phrase
    assert strange(said, found.parts) == missed


def test_misspelt_words_are_suggested_as_they_may_be_meant() -> None:
    found = advice("trun lft, then go foward")
    assert found.suggestions == ("turn left, then go forward",)


def test_an_agent_is_told_nothing_in_words_that_it_lacks() -> None:
    assert read_advice("turn around", PAPER, WORDS - {"120"}).understood == "turn 90 degrees right, turn 90 degrees right"
    assert read_advice("turn left, go forward", PAPER, WORDS - {"forward"}).understood is None
    assert read_advice("turn left", PAPER, frozenset()).understood is None


SAID = "turn left right around go forward 2 two 60 degrees ° steps twice look up down stop , . and then not the u-turn table"
TYPED = "a the in find cup lamps toilet room x"


def texts(words: str) -> st.SearchStrategy[str]:
    """Anything, and some words in any order."""
    return st.one_of(st.text(max_size=80), st.lists(st.sampled_from(words.split()), max_size=14).map(" ".join))


@given(texts(SAID))
def test_nothing_that_is_typed_is_an_error(said: str) -> None:
    found = advice(said)
    check(said, found.parts)
    assert found.understood is None or any(understood for *_, understood in found.parts)
    if found.understood:
        assert 0 < len(read_subgoal(found.understood)) <= LONGEST_ADVICE


def check(text: str, parts: Sequence[Part]) -> None:
    """Parts are stretches of the text, one after another."""
    ends = [place for start, end, _ in parts for place in (start, end)]
    assert ends == sorted(ends) and all(start < end for start, end, _ in parts)
    assert not ends or 0 <= ends[0] <= ends[-1] <= len(text)


KNOWN = [
    "find a cup in the kitchen .",
    "find a picture in the kitchen .",
    "find a picture in one of the bedrooms .",
    "find curtains in the living room .",
    "find a table lamp in one of the bedrooms .",
    "find a toilet in the toilet .",
    "find a towel in the toilet .",
    "find a pillow in one of the bedrooms .",
    "find pillows in one of the bedrooms .",
    "find a plant in one of the staircases .",
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
    found = find_end_goal(typed, KNOWN)
    assert found.understood == meant
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
    found = find_end_goal(typed, KNOWN)
    assert found.understood is None
    assert strange(typed, found.parts) == missed
    assert list(found.suggestions) == suggested


def test_what_is_not_understood_beside_a_clear_wish_is_told() -> None:
    found = find_end_goal("find a red cup", KNOWN)
    assert found.understood == KNOWN[0] and strange("find a red cup", found.parts) == ["red"]


@pytest.mark.parametrize("recipe", [ASKNAV, NOROOM])
def test_all_that_can_be_asked_for_is_understood_as_itself(recipe: DatasetRecipe) -> None:
    """In each house, and in all together, where there may be one bedroom in one and several in another."""
    everything = []
    for house in (cottage(), *small_houses(3)):
        buckets = buckets_of(house, Filters.of([house], rooms=recipe.rooms, fewest=1), recipe)
        known = [each.end_goal for each in buckets]
        assert [find_end_goal(each, known).understood for each in known] == known
        everything += known
    assert all(find_end_goal(each, everything).understood == each for each in everything)


@given(texts(TYPED))
def test_no_wish_is_an_error_and_suggestions_can_be_asked_for(typed: str) -> None:
    found = find_end_goal(typed, KNOWN)
    check(typed, found.parts)
    assert (found.understood is None) != (not found.suggestions)
    for each in found.suggestions:
        assert find_end_goal(each, KNOWN).understood == f"{each} ."


def test_where_nothing_can_be_asked_for_nothing_is_suggested() -> None:
    assert find_end_goal("find a cup", [])[:3] == (None, ((7, 10, False),), ())
