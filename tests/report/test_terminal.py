"""The map in the terminal: names, width, encodings and signs."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.console import Console

from vnla.common.errors import InputError
from vnla.houses.cottage import cottage
from vnla.report.canvas import Canvas
from vnla.report.plan import Step
from vnla.report.terminal import HouseText, house_text

WALK = (Step(4, 15, "turn left , go forward"), Step(4, 14), Step(3, 14), Step(1, 14), Step(5, 14, action="stop"))


def printed(text: HouseText, width: int = 80, encoding: str = "utf-8") -> str:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    Console(file=stream, width=width, color_system=None).print(text)
    stream.flush()
    return raw.getvalue().decode(encoding)


def test_every_room_is_named_once_for_each_time_it_is_there() -> None:
    output = printed(house_text(cottage()))
    for room in cottage().rooms:
        assert output.count(room.name) >= sum(other.name == room.name for other in cottage().rooms), room.name


def test_every_viewpoint_has_its_number() -> None:
    plan = printed(house_text(cottage())).partition("12 viewpoint")[0]
    digits = "".join(character if character.isdigit() else " " for character in plan.replace("Level", "")).split()
    levels = ["0", "1"]
    assert sorted(digits) == sorted([*map(str, range(13)), *levels])


@pytest.mark.parametrize("width", [30, 50, 80, 132])
def test_it_fits_the_console(width: int) -> None:
    lines = printed(house_text(cottage(), walk=WALK, goals=[5]), width).splitlines()
    assert max(map(cell_len, lines)) <= width


def test_it_fits_the_width_it_was_given() -> None:
    lines = printed(house_text(cottage(), walk=WALK, goals=[5], width=40), 120).splitlines()
    assert max(map(cell_len, lines)) <= 40


def test_plain_ascii_where_the_console_has_no_more() -> None:
    output = printed(house_text(cottage(), walk=WALK, goals=[11]), encoding="ascii")
    assert '"turn left, go forward"' in output
    assert "*11" in output
    assert "+----" in output
    assert "?" not in output, "nothing was replaced because it had no ASCII form"


@pytest.mark.parametrize(("view", "arrow"), [(0, "↑"), (12, "↑"), (13, "↗"), (15, "→"), (18, "↓"), (33, "←"), (23, "↖")])
def test_the_agent_is_an_arrow_in_its_heading(view: int, arrow: str) -> None:
    assert f"4{arrow}" in printed(house_text(cottage(), walk=[Step(3, 12), Step(4, view)]))


def test_goals_and_requests_are_marked() -> None:
    output = printed(house_text(cottage(), walk=WALK, goals=[11]))
    assert "★11" in output
    assert "4A" in output
    assert "A  at 4, living room: “turn left, go forward”" in output
    assert "4 → 3 → 1 → 5" in output


def test_only_a_walk_draws_a_path() -> None:
    assert "•" in printed(house_text(cottage(), walk=WALK))
    assert "•" not in printed(house_text(cottage()))


def test_stairs_lead_up_from_below_and_down_from_above() -> None:
    lower, _, upper = printed(house_text(cottage())).partition("12 viewpoint")[0].partition("Level 1")
    assert ("▲" in lower, "▼" in lower) == (True, False)
    assert ("▲" in upper, "▼" in upper) == (False, True)


def test_rooms_without_boxes_are_named_too() -> None:
    house = cottage()
    unmeasured = replace(house, rooms=tuple(replace(room, box=None) for room in house.rooms))
    assert "kitchen" in printed(house_text(unmeasured))


def test_a_viewpoint_that_is_not_there_is_an_error() -> None:
    with pytest.raises(InputError, match="viewpoint 99"):
        house_text(cottage(), goals=[99])


def test_walls_join_where_rooms_meet() -> None:
    canvas = Canvas(7, 5)
    canvas.box((0, 0), (3, 2))
    canvas.box((6, 2), (3, 0))
    canvas.box((0, 2), (6, 4))
    drawing = ["┌──┬──┐", "│  │  │", "├──┴──┤", "│     │", "└─────┘"]
    assert canvas.text(ascii_only=False).plain.split("\n") == drawing
    assert canvas.text(ascii_only=True).plain.split("\n")[2] == "+--+--+"


def test_labels_do_not_run_into_each_other() -> None:
    canvas = Canvas(8, 1)
    canvas.label((1, 0), [("12", "")], "●")
    canvas.label((3, 0), [("34", "")], "●")
    canvas.label((6, 0), [("56", "")], "●")
    assert canvas.text(ascii_only=False).plain == " 12●  56"
