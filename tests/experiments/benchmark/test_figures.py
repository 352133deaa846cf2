"""Figures of entries: worked out by hand, and what must hold of any."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vnla.common.errors import InputError
from vnla.evaluation.scores import Scores
from vnla.experiments.benchmark.definition import SETS, Condition, read_definition
from vnla.experiments.benchmark.figures import (
    FIGURES,
    charged,
    curve,
    difference,
    note,
    overfit,
    trapezoid_weights,
)
from vnla.experiments.benchmark.verification import VerifiedCondition, VerifiedEntry

DEFINITION = read_definition()
RATIOS = sorted(DEFINITION.ratios)
HOUSES = ["a", "a", "b", "b"]


def made(
    success: dict[float, list[int]],
    *,
    houses: list[str] | None = None,
    requests: list[int] | None = None,
    budgets: dict[float, list[int]] | None = None,
    sound: dict[float, list[bool]] | None = None,
    fresh: dict[float, list[int]] | None = None,
    fresh_seed: int = 1,
    preset: str = "tiny",
) -> VerifiedEntry:
    """An entry with these successes by τ, the same in both sets of houses unless `fresh` says otherwise."""
    each, conditions = houses or HOUSES, {}
    for name in SETS:
        for task in ("asknav", "noroom"):
            for ratio in RATIOS if task == DEFINITION.swept else [DEFINITION.ratio]:
                wanted = fresh if fresh is not None and name == "fresh" else success
                values = np.array(wanted.get(ratio, [0] * len(each)))
                scores = Scores(
                    {
                        "success": values.astype(bool),
                        "room_success": values.astype(bool),
                        "spl": values / 2,
                        "requests": np.array(requests or [0] * len(each)),
                        "help_budget": np.array((budgets or {}).get(ratio, [round(10 * ratio)] * len(each))),
                    }
                )
                condition = Condition(name, task, ratio)
                right = np.array((sound or {}).get(ratio, [True] * len(each)))
                tasks = SimpleNamespace(tasks=[SimpleNamespace(house=house) for house in each])
                conditions[condition.name] = VerifiedCondition(
                    condition, cast(Any, tasks), cast(Any, None), scores, right, (), (), ()
                )
    manifest = SimpleNamespace(fresh_seed=fresh_seed)
    entry = SimpleNamespace(definition=DEFINITION, preset=DEFINITION.preset(preset), manifest=manifest, path=Path("entry"))
    return VerifiedEntry(cast(Any, entry), None, conditions)


def flat(values: list[int]) -> dict[float, list[int]]:
    """The same successes at every τ."""
    return dict.fromkeys(RATIOS, values)


def test_the_figures_at_the_main_ratio_by_hand() -> None:
    entry = made({0.0: [0, 0, 1, 0], 0.4: [1, 0, 1, 1], 1.0: [1, 1, 1, 1]}, requests=[2, 1, 0, 3])
    values = {name: figure.of(entry, "common").value for name, figure in FIGURES.items()}
    assert values["success"] == values["room_success"] == values["noroom_success"] == 75
    assert values["spl"] == 37.5
    assert values["requests"] == 1.5
    assert values["gain"] == 50
    assert values["charged_0.10"] == pytest.approx(75 - 10 * 1.5)
    assert values["charged_0.02"] == pytest.approx(75 - 2 * 1.5)


def test_the_area_by_hand() -> None:
    """Mean budgets 0, 2, 4, 6, 8, 10; successes 0, 0, 1/2, 1/2, 1, 1: five trapezoids, two wide each, of ten."""
    steps = [[0, 0, 0, 0], [0, 0, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 1, 1], [1, 1, 1, 1]]
    entry = made(dict(zip(RATIOS, steps, strict=True)))
    by_hand = 2 * ((0 + 0) / 2 + (0 + 0.5) / 2 + 0.5 + (0.5 + 1) / 2 + 1) / 10
    assert FIGURES["area"].of(entry, "common").value == pytest.approx(100 * by_hand)


def test_the_area_is_against_budgets_and_not_against_ratios() -> None:
    """Half of the ratios lie within the first tenth of the budgets, so they count a tenth."""
    budgets = dict(zip(RATIOS, ([0] * 4, [0] * 4, [1] * 4, [1] * 4, [10] * 4, [10] * 4), strict=True))
    low = made({ratio: [1] * 4 if ratio < 0.5 else [0] * 4 for ratio in RATIOS}, budgets=budgets)
    assert FIGURES["area"].of(low, "common").value == pytest.approx(100 * 1 / 10)  # 1 wide at 1, then 0 at once


def test_an_interval_by_hand() -> None:
    """Two houses with charged means of 1 and 0: leaving out each gives 0 and 1, a variance of 1/2·(1/4 + 1/4), and 1 degree
    of freedom."""
    found = charged(0.0).of(made(flat([1, 1, 0, 0])), "common")
    assert found.value == 50 and found.over == "2 houses"
    assert found.high - found.value == pytest.approx(100 * 0.5 * math.tan(math.pi / 2 * 0.95))  # t of 1 degree is Cauchy's


@given(st.lists(st.integers(0, 1), min_size=4, max_size=4))
def test_the_area_of_a_flat_curve_is_its_height(values: list[int]) -> None:
    entry = made(flat(values))
    assert FIGURES["area"].of(entry, "common").value == pytest.approx(100 * sum(values) / 4)
    assert FIGURES["gain"].of(entry, "common").value == 0


@given(st.lists(st.integers(0, 20), min_size=2, max_size=8).map(sorted))
def test_weights_of_a_trapezoid(places: list[int]) -> None:
    weights = trapezoid_weights([float(each) for each in places])
    assert weights.sum() == pytest.approx(1) and (weights >= 0).all()
    if places[-1] > places[0]:  # a straight line's mean height is that in the middle
        assert weights @ np.array(places) == pytest.approx((places[0] + places[-1]) / 2)


@given(st.lists(st.integers(0, 1), min_size=4, max_size=4), st.lists(st.integers(0, 5), min_size=4, max_size=4))
def test_charged_by_its_price(values: list[int], requests: list[int]) -> None:
    entry = made(flat(values), requests=requests)
    success = FIGURES["success"].of(entry, "common").value
    assert charged(0.0).of(entry, "common").value == pytest.approx(success)
    dearer = [charged(price).of(entry, "common").value for price in (0.02, 0.05, 0.1)]
    assert dearer == sorted(dearer, reverse=True)
    assert dearer[2] == pytest.approx(success - 10 * sum(requests) / 4)


@given(st.lists(st.integers(0, 1), min_size=4, max_size=4), st.lists(st.integers(0, 1), min_size=4, max_size=4))
def test_a_difference_turned_round(one: list[int], other: list[int]) -> None:
    first, second = made(flat(one)), made(flat(other), fresh_seed=2)
    for figure in (FIGURES["success"], FIGURES["gain"]):
        for houses in SETS:
            there, back = difference(first, second, figure, houses), difference(second, first, figure, houses)
            assert there.value == pytest.approx(-back.value)
            assert there.low == pytest.approx(-back.high, nan_ok=True)
            value = figure.of(first, houses).value - figure.of(second, houses).value
            assert there.value == pytest.approx(value)


def test_common_houses_are_paired_and_fresh_ones_are_not() -> None:
    """What is easy or hard on both sides cancels where the houses are the same: always half of the tasks more, no spread."""
    houses = ["a", "a", "b", "b", "c", "c"]
    weak, strong = [0, 0, 1, 0, 0, 0], [1, 0, 1, 1, 1, 0]
    one, other = made(flat(strong), houses=houses), made(flat(weak), houses=houses, fresh_seed=2)
    figure = FIGURES["success"]
    common, fresh = (difference(one, other, figure, each) for each in SETS)
    assert common.value == fresh.value == pytest.approx(50)
    assert common.over == "3 houses, paired" and common.high - common.low == pytest.approx(0)
    assert fresh.over == "3 houses on each side, unpaired" and fresh.high - fresh.low > 50
    same = made(flat(weak), houses=houses, fresh_seed=1)
    assert difference(one, same, figure, "fresh").over == "3 houses, paired"


def test_variances_of_independent_figures_add() -> None:
    one, other = made(flat([1, 1, 0, 0])), made(flat([1, 0, 0, 0]), fresh_seed=2)
    figure = charged(0.0)  # no share: its interval is symmetric
    halves = [(each := figure.of(entry, "fresh")).high - each.value for entry in (one, other)]
    found = difference(one, other, figure, "fresh")
    assert found.high - found.value == pytest.approx(math.hypot(*halves))


def test_an_entry_that_knows_the_common_houses_shows() -> None:
    houses = [f"h{i // 4}" for i in range(80)]
    learned = [1, 1, 1, 0] * 19 + [1, 1, 0, 0]
    honest = [1, 0, 1, 0] * 10 + [1, 0, 0, 0] * 10
    entry = made(flat(learned), houses=houses, fresh=flat([1, 0, 0, 0] * 19 + [1, 1, 0, 0]))
    found = overfit(entry)
    assert found.value == pytest.approx(100 * (sum(learned) - 21) / 80) and found.low > 0
    assert "unpaired" in found.over
    same = overfit(made(flat(honest), houses=houses))
    assert same.value == 0 and same.low < 0 < same.high
    assert overfit(entry, FIGURES["requests"]).value == 0


def test_what_failed_without_help_for_want_of_a_record_is_no_gain() -> None:
    success = {0.0: [0, 0, 0, 0], 0.4: [1, 1, 0, 0]}
    assert FIGURES["gain"].of(made(success), "common").value == 50
    assert FIGURES["gain"].of(made(success, sound={0.0: [False] * 4}), "common").value == -50


def test_entries_of_other_sizes_are_not_compared() -> None:
    with pytest.raises(InputError, match="another size of the benchmark"):
        difference(made(flat([1, 0, 0, 1])), made(flat([1, 0, 0, 1]), preset="quick"), FIGURES["success"], "common")


def test_figures_of_a_real_entry(verified: VerifiedEntry, unasking: VerifiedEntry) -> None:
    for houses in SETS:
        points = curve(verified, houses)
        assert [point.ratio for point in points] == RATIOS
        budgets = [point.help_budget for point in points]
        assert budgets == sorted(budgets) and budgets[0] == 0
        assert all(point.requests.value <= point.help_budget for point in points)
        successes = [point.success.value for point in points]
        assert points[2].success == FIGURES["success"].of(verified, houses)
        assert min(successes) <= FIGURES["area"].of(verified, houses).value <= max(successes)
        assert FIGURES["area"].of(verified, houses).value == pytest.approx(np.trapezoid(successes, budgets) / budgets[-1])
        assert FIGURES["requests"].of(unasking, houses).value == 0
        assert difference(verified, unasking, FIGURES["area"], houses).value > 0
    assert difference(verified, unasking, FIGURES["success"], "fresh").over == "3 houses on each side, unpaired"
    assert note(verified, unasking) == "95% intervals over 3 houses (jackknife, t)."
