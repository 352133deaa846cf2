"""Success against help: budgets grow with τ, shrink with k, and are drawn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from cottage_players import END_GOALS, HOUSE, TASKS, VOCABULARY, WORLD, players
from vnla.errors import InputError
from vnla.evaluation.metrics import rooms_of
from vnla.evaluation.sweep import Row, draw_sweep, sweep, with_k
from vnla.policies import AtFirst

ROOMS = rooms_of(WORLD, [HOUSE])


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    four = players(policy=AtFirst())
    two = with_k(four, 2, VOCABULARY, VOCABULARY.end)
    return sweep({4: four, 2: two}, TASKS, END_GOALS, ROOMS, ratios=(0.32, 0.0, 0.16), seeds=(1, 2))


def test_requests_are_time_times_ratio_over_k(rows: list[Row]) -> None:
    """25 · 0.16 / 4 = 1 and so on: whole numbers, so nothing is left to chance."""
    expected = [(0.0, 2, 0), (0.16, 2, 2), (0.32, 2, 4), (0.0, 4, 0), (0.16, 4, 1), (0.32, 4, 2)]
    assert [(row.ratio, row.k, row.figures["requests"].mean) for row in rows] == expected


def test_rows_are_json(rows: list[Row]) -> None:
    record = json.loads(json.dumps(rows[4].as_dict(), allow_nan=False))
    assert (record["ratio"], record["k"], record["requests"]) == (0.16, 4, [1.0, 0.0])


def test_another_k_has_its_own_words() -> None:
    two = with_k(players(), 2, VOCABULARY, VOCABULARY.end)
    assert two.advisor.k == 2
    assert len(two.tails.length) == 6**2 + 1
    with pytest.raises(InputError, match="'150'"):  # five turns of 30 degrees, which nobody said in training
        with_k(players(), 5, VOCABULARY, VOCABULARY.end)


def test_the_picture_has_a_line_for_each_k(rows: list[Row], tmp_path: Path) -> None:
    both, one = tmp_path / "both.png", tmp_path / "one.png"
    draw_sweep(rows, both)
    draw_sweep(rows[:3], one, figure="nav_error")
    orange = (0xC8, 0x48, 0x1F)
    assert [orange in _colours(path) for path in (both, one)] == [True, False]


def _colours(path: Path) -> set[object]:
    with Image.open(path) as image:
        return {colour for _, colour in image.convert("RGB").getcolors(1 << 24) or []}


def test_nonsense_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"ratio of 1\.5"):
        sweep({4: players()}, TASKS, END_GOALS, ROOMS, ratios=(0.4, 1.5))
    with pytest.raises(InputError, match="no rows"):
        draw_sweep([], tmp_path / "empty.png")
