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


def test_where_words_may_mean_two_ways_both_are_told_as_the_page_names_places(tmp_path: Path) -> None:
    folder = read_world(write_cottage(tmp_path)[0])
    reader = AdviceReader(folder, PLACES, TemplateAdvisor().words(), TemplateAdvisor(), AROUND)
    names = set(PLACES.viewpoints(HOUSE).values())
    poses = [Pose(viewpoint=each, heading=heading, row=1) for each in sorted(names) for heading in range(0, 12, 3)]
    tied = [(pose, found) for pose in poses if (found := reader.read("leave the room", pose)).plans]
    assert tied, "there are rooms with two doors"
    for pose, found in tied:
        one, two = found.plans
        assert one.understood == found.understood and one.actions != two.actions
        assert one.viewpoints[0] == two.viewpoints[0] == pose.viewpoint
        assert {*one.viewpoints, *two.viewpoints} <= names
        shown = reader.shown("leave the room", found, pose)
        assert [each.viewpoints for each in shown.plans] == [one.viewpoints, two.viewpoints]
