"""Advice typed on the page: turns and steps by rules, doors and rooms by what is there, and what was not understood."""

from __future__ import annotations

from pathlib import Path

from cottage_run import write_cottage
from vnla.assistance.advisor import TemplateAdvisor
from vnla.houses.cottage import cottage
from vnla.houses.folder import read_world
from vnla.language.advisor import GrammarAdvisor
from vnla.language.sights import plain_sights
from vnla.language.surroundings import Surroundings
from vnla.serve.events import Pose
from vnla.serve.places import PlaceNames
from vnla.serve.understood import Ears

HOUSE = cottage()
PLACES = PlaceNames([HOUSE])
AROUND = {HOUSE.name: Surroundings(HOUSE, plain_sights(HOUSE))}
NORTH = Pose(viewpoint=PLACES.viewpoints(HOUSE)[HOUSE.number["hall_south"]], heading=0, row=1)


def test_it_is_understood_where_the_agent_stands(tmp_path: Path) -> None:
    folder = read_world(write_cottage(tmp_path)[0])
    ears = Ears(folder, PLACES, TemplateAdvisor().words(), TemplateAdvisor(), AROUND)
    assert ears.advice("turn left", NORTH).phrase == "turn left", "as the advisor means it"
    assert ears.advice("turn right, then into the kitchen", NORTH).phrase == "turn 90 degrees right, go forward"
    assert ears.advice("turn right, then into the kitchen").phrase != ears.advice("into the kitchen", NORTH).phrase
    text = "turn right, frobnicate, then into the kitchen"
    found = ears.advice(text, NORTH)
    assert [text[start:end] for start, end, good in found.parts if not good] == ["frobnicate"]
    assert found.phrase == "turn 90 degrees right, go forward"
    assert ears.advice("日本語", NORTH).phrase is None and ears.advice("", NORTH).phrase is None


def test_an_agent_that_knows_peoples_words_hears_those(tmp_path: Path) -> None:
    folder = read_world(write_cottage(tmp_path)[0])
    ears = Ears(folder, PLACES, GrammarAdvisor().words(), GrammarAdvisor(), AROUND)
    assert ears.advice("turn 30 degrees left", NORTH).phrase == "turn slightly left"
    assert ears.advice("turn right, then into the kitchen", NORTH).phrase == "turn right, go forward"
