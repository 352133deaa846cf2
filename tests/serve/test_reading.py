"""Advice typed on the page: what it means where the agent stands, and what was not understood."""

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
from vnla.serve.reading import AdviceReader

HOUSE = cottage()
PLACES = PlaceNames([HOUSE])
AROUND = {HOUSE.name: Surroundings(HOUSE, plain_sights(HOUSE))}
NORTH = Pose(viewpoint=PLACES.viewpoints(HOUSE)[HOUSE.number["hall_south"]], heading=0, row=1)


def test_it_is_understood_where_the_agent_stands(tmp_path: Path) -> None:
    folder = read_world(write_cottage(tmp_path)[0])
    reader = AdviceReader(folder, PLACES, TemplateAdvisor().words(), TemplateAdvisor(), AROUND)
    assert reader.read("turn left", NORTH).understood == reader.read("turn left").understood == "turn 90 degrees left"
    assert reader.read("turn right, then into the kitchen", NORTH).understood == "turn 90 degrees right, go forward"
    assert reader.read("turn right, then into the kitchen").understood != reader.read("into the kitchen", NORTH).understood
    text = "turn right, frobnicate, then into the kitchen"
    found = reader.read(text, NORTH)
    assert [text[start:end] for start, end, good in found.parts if not good] == ["frobnicate"]
    assert found.understood == "turn 90 degrees right, go forward"
    assert reader.read("日本語", NORTH).understood is None and reader.read("", NORTH).understood is None


def test_an_agent_that_knows_peoples_words_hears_those(tmp_path: Path) -> None:
    folder = read_world(write_cottage(tmp_path)[0])
    reader = AdviceReader(folder, PLACES, GrammarAdvisor().words(), GrammarAdvisor(), AROUND)
    assert reader.read("turn 30 degrees left", NORTH).understood == "turn slightly left"
    assert reader.read("turn right, then into the kitchen", NORTH).understood == "turn right, go forward"
