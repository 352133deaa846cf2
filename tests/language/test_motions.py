"""What people say of turns and steps, in `motions.tsv`: order, corrections, what is not to be done, amounts, conditions."""

from __future__ import annotations

import cProfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cottage_poses import AROUND, pose
from vnla.assistance.advisor import TemplateAdvisor
from vnla.camera import VIEWS
from vnla.houses.generate.world import PRESETS, recipes
from vnla.language.grounding import denote, motions
from vnla.language.lexer import LONGEST
from vnla.language.parser import parse
from vnla.language.reader import read_advice
from vnla.language.sights import boxed_sights
from vnla.language.surroundings import Surroundings
from vnla.world.actions import Nav

TEXT = (Path(__file__).parent / "motions.tsv").read_text(encoding="utf-8")
DEVELOPED, HELD_OUT = ([line.split("\t") for line in part.splitlines() if "\t" in line] for part in TEXT.split("# Held out"))
PAPER = TemplateAdvisor()
WORDS = frozenset(PAPER.words())


def done(said: str) -> str:
    return "".join("LRUDFS"[action] for action in motions(parse(said)).plan) or "-"


@pytest.mark.parametrize(("said", "meant"), DEVELOPED)
def test_what_is_said_is_done(said: str, meant: str) -> None:
    assert done(said) == meant
    assert meant != "-" or motions(parse(said)).why


def test_most_of_what_nobody_developed_it_on_is_done() -> None:
    good = [done(said) == meant for said, meant in HELD_OUT]
    assert len(good) == 40 and sum(good) >= 36


@pytest.mark.parametrize(
    ("said", "viewpoint", "heading", "there"),
    [
        ("leave the hall, but do not go into the living room", "hall_south", 9, "kitchen entryway dining stairs_foot"),
        ("go into any room but not the kitchen", "hall_south", 3, "living_east entryway dining stairs_foot"),
        ("go into the room behind you, the kitchen", "hall_south", 9, "kitchen"),
        ("go into the kitchen behind you", "hall_south", 9, "kitchen"),
    ],
)
def test_where_it_leads_in_the_cottage(said: str, viewpoint: str, heading: int, there: str) -> None:
    """From hall, south, the kitchen lies at 99.5 degrees, the living room's first viewpoint at 281, and nearest."""
    meant = denote(parse(said), AROUND, pose(viewpoint, heading), AROUND.after)
    assert AROUND.graph.ids[meant.pose // VIEWS] in there.split(), (meant.frames, meant.why)


def test_metres_are_those_of_the_house() -> None:
    """The living room is 2.55 m from the hall's south end; its next place is farther on."""
    here = pose("hall_south", 9)
    for metres, steps in (("2.5 metres", 1), ("8 feet", 1), ("5 metres", 2)):
        assert denote(parse(f"walk {metres}"), AROUND, here, AROUND.after).plan == (Nav.FORWARD,) * steps, metres


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("", "nothing was said"),
        ("向左转", "there is no word in it that could be read"),
        ("\x00\x1b[31m\x07", "nothing in it says where to go"),
        ("<img src=x onerror=alert(1)>", "nothing in it says where to go"),
        ("lovely weather", "nothing in it says where to go"),
        ("go to the sofa", "it speaks of what is there, and nothing is known of the house"),
        ("turn left " * 1000, "it is 72 actions: only the first 12 are told; it is too long: only the first 400"),
        ("xyzzy " * 2000, "nothing in it says where to go"),
        ("turn 45 degrees left", "45 degrees: a turn is 30 degrees, so it takes 60 (possible: 30 or 60)"),
        ("walk 1.5 steps", "1.5 steps: steps are whole; say 1 or 2"),
        ("turn left if you see the sofa", "it depends on something that only you can see"),
        ("turn left and smile", "not all of it was understood"),
    ],
)
def test_people_are_told_why(said: str, why: str) -> None:
    found = read_advice(said, PAPER, WORDS)
    assert (found.why or "").startswith(why)


def test_what_is_beyond_the_twelfth_action_is_marked() -> None:
    said = "turn right, walk 6 steps, turn left, walk 4 steps, stop"
    found = read_advice(said, PAPER, WORDS)
    assert [said[start:end] for start, end, good in found.parts if not good] == ["walk 4 steps", "stop"]
    assert found.why == "it is 17 actions: only the first 12 are told"


WORST = (
    ("turn left until you see the sofa, walk past the table to the door, " * 8)[:LONGEST],
    # Found by a search over the words of the lists, each the slowest of some thousands.
    ": no need it is behind you plant plant goo hang : no need : : : : islands cupboards hang plant houseplants goo plant"
    " islands islands it is behind you hang : islands hang islands : goo houseplants hang cupboards : goo cupboards"
    " plant : cupboards plant goo : : plant plant hang no need plant plant plant right , now cupboards",
    ("around the desks around the around the desks desks " * 9)[:LONGEST],
    ("clock easy chair easy chair entryway to the left of easy chair once you're past entryway " * 5)[:LONGEST],
)


@pytest.fixture(scope="module")
def large() -> Surroundings:
    """A house of real sizes, with hundreds of things."""
    made = recipes(PRESETS["paper"], 0)[70].make()
    return Surroundings(made.house, boxed_sights(made))


@pytest.mark.parametrize("said", WORST)
def test_a_long_sentence_takes_little_of_the_processor(said: str, large: Surroundings) -> None:
    """By calls of functions, since processors differ and have other things to do: 300,000 take less than 0.2 s."""
    place = large, 129 * VIEWS + 16
    read_advice("go to the sofa, past the chair and into the kitchen", PAPER, WORDS, place)  # tables are made once
    with cProfile.Profile() as profile:
        read_advice(said, PAPER, WORDS, place)
    assert sum(each.callcount for each in profile.getstats()) < 400_000


@pytest.mark.parametrize(
    "said",
    ["", " ", "\x00", "x" * 10_000, "turn left " * 1000, "<b>turn left</b>", "{{7*7}}", "../../etc/passwd",
     "\u202eturn left",
     "поверните налево", "左に曲がって", "🏠🏠", "\ud800", "1e999 steps", "turn -60 degrees", "'; drop table walks; --"],
)  # fmt: skip
def test_an_answer_to_everything(said: str) -> None:
    """Which says so where nothing is done, where a house is known and where none is."""
    for place in (None, (AROUND, pose("hall_south", 0))):
        found = read_advice(said, PAPER, WORDS, place)
        assert found.understood or found.why


@given(st.text(max_size=80))
@settings(deadline=None, max_examples=40)
def test_whatever_is_not_done_has_a_reason(said: str) -> None:
    found = read_advice(said, PAPER, WORDS, (AROUND, pose("hall_south", 0)))
    assert found.understood or found.why


def test_what_only_tells_how_things_are_is_said_to_do_so() -> None:
    found = read_advice("the kitchen is behind you", PAPER, WORDS, (AROUND, pose("hall_south", 0)))
    assert found.understood is None and found.why == "it says how things are, not what to do"
