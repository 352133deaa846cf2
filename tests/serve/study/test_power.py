"""How many people are needed: against a textbook, against simulated studies, and what follows from more of anything."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_ind, ttest_rel

from command import Vnla
from vnla.common.errors import InputError
from vnla.serve.study.power import Expected, PowerAnalysis

Arrangement = Literal["within", "between"]


@pytest.mark.parametrize(("arrangement", "people"), [("between", 128), ("within", 34)])
def test_cohens_tables(arrangement: Arrangement, people: int) -> None:
    """An effect of half a standard deviation, level 0.05, power 0.8: 64 people in each of two groups, or 34 pairs.

    In one task, where all people have the same chance, the variance of either side is p(1-p).
    """
    same, difference = Expected(success=0.5, spread=0.0), 0.2
    for _ in range(50):  # until it is half the standard deviation, which depends on it
        both = sum(same.variances(difference, tasks=1))
        difference = 0.5 * math.sqrt(both if arrangement == "within" else both / 2)
    assert PowerAnalysis(arrangement).people(difference, 1, same, cells=2) == people


@pytest.mark.parametrize("arrangement", ["within", "between"])
def test_simulated_studies_find_the_difference_as_often_as_said(arrangement: Arrangement) -> None:
    """People whose chances have a beta distribution do tasks; half a person's chance is their own, half the condition's."""
    expected, difference, tasks, runs = Expected(success=0.4, spread=0.15, correlation=0.0), 0.15, 8, 2000
    comparison = PowerAnalysis(arrangement)
    people = comparison.people(difference, tasks, expected, cells=2)
    assert people is not None
    random = np.random.default_rng(0)

    def shares(mean: float, count: int) -> np.ndarray:
        both = mean * (1 - mean) / expected.spread**2 - 1
        chances = random.beta(mean * both, (1 - mean) * both, size=(runs, count))
        return random.binomial(tasks, chances) / tasks

    each = people if arrangement == "within" else people // 2
    one, other = shares(0.4, each), shares(0.55, each)
    test = ttest_rel if arrangement == "within" else ttest_ind
    found = (test(one, other, axis=1).pvalue < 0.05).mean()
    assert found == pytest.approx(comparison.finds(people, difference, tasks, expected), abs=0.03)
    assert found > 0.78


@given(
    arrangement=st.sampled_from(["within", "between"]),
    success=st.floats(0.2, 0.6),
    difference=st.floats(0.05, 0.3),
    tasks=st.integers(1, 30),
    cells=st.integers(1, 12),
)
def test_the_fewest_that_fill_all_cells(
    arrangement: Arrangement, success: float, difference: float, tasks: int, cells: int
) -> None:
    comparison, expected = PowerAnalysis(arrangement), Expected(success=success)
    people = comparison.people(difference, tasks, expected, cells)
    assert people is not None and people % cells == 0 and people >= 4
    assert comparison.finds(people, difference, tasks, expected) >= 0.8
    if people - cells >= 4:
        assert comparison.finds(people - cells, difference, tasks, expected) < 0.8


def test_what_is_not_there_is_not_found_by_any_number() -> None:
    assert PowerAnalysis("within").people(0.0001, 1, Expected()) is None


def test_chances_that_cannot_be_are_refused(vnla: Vnla) -> None:
    with pytest.raises(InputError, match="no chances are like that"):
        Expected(success=0.9).variances(0.2, 4)
    status, _, err = vnla("study", "power", "--success", 95)
    assert status == 2 and err.startswith("vnla: error: 95% and 100%") and err.count("\n") == 1


def test_the_table_of_the_page_is_computed() -> None:
    page = (Path(__file__).parents[3] / "docs" / "human-study.md").read_text()
    found = re.findall(r"^\| \+(\d+) points((?: \| \d+){6}) \|$", page, re.MULTILINE)
    assert len(found) == 6
    for points, cells in found:
        needed = [
            PowerAnalysis(arrangement).people(int(points) / 100, tasks, Expected(), cells=2)  # type: ignore[arg-type]
            for arrangement in ("within", "between")
            for tasks in (4, 8, 16)
        ]
        assert [int(each) for each in cells.split("|")[1:]] == needed


def test_the_table(vnla: Vnla) -> None:
    status, out, _ = vnla("study", "power", "--difference", 15, "--difference", -10, "--tasks", 6)
    assert status == 0 and "+15 points" in out and "-10 points" in out and "6 tasks" in out
    needed = PowerAnalysis("within").people(0.15, 6, Expected(), 2)
    assert f" {needed} " in out
