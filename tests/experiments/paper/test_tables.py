"""Tables and findings from hand-made scores: every expected number is worked out beside it."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from paper_scores import SEEDS, cottage_set, scores_of, write_scores
from tiny_paper import TINY
from vnla.assistance.advisor import TemplateAdvisor
from vnla.common.errors import InputError
from vnla.evaluation.confidence import Interval, minus
from vnla.evaluation.evaluation_file import EVALUATION, read_evaluation, read_scores
from vnla.experiments.evaluations import TESTS, read_iterations
from vnla.experiments.layout import ExperimentLayout
from vnla.experiments.paper import paper_tables as tables
from vnla.experiments.paper.candidates import OURS, TABLE_3, TABLE_4, TRAININGS, matching_iterations
from vnla.experiments.paper.paper_results import PaperResults, gain
from vnla.experiments.paper.policy_order import policy_order
from vnla.experiments.paper.published import TABLE_2, TABLE_6
from vnla.experiments.reporting import exceeds, gains, same
from vnla.report.curves import TrainingCurves
from vnla.report.document import NO_INTERVAL, Finding, ReportTable, RowGroup, Value

HALF = ["111000", "111000"]
ONCE = ["111111", "000000"]
"""Every task succeeds under one of the two seeds: half of all episodes, and no task differs from the others."""
"""Three of six succeed under both seeds."""
NOBODY, ALL = ["000000", "000000"], ["111111", "111111"]


@pytest.fixture
def results(tmp_path: Path) -> PaperResults:
    return PaperResults(ExperimentLayout(tmp_path, tmp_path / "world"), TINY)


def put(results: PaperResults, successes: dict[str, list[str]], splits: tuple[str, ...] = TESTS) -> None:
    for candidate, success in successes.items():
        for split in splits:
            write_scores(results.layout, candidate, split, scores_of(success))


def values(table: ReportTable) -> dict[str, list[Value]]:
    """First cell of each row, with its group before it → the numbers in the row."""
    found: dict[str, list[Value]] = {}
    group = ""
    for row in table.rows:
        if isinstance(row, RowGroup):
            group = f"{row.title}: "
        else:
            found[f"{group}{row[0]}"] = [cell for cell in row if isinstance(cell, Value)]
    return found


def told(items: list[object]) -> dict[str, Finding]:
    return {item.claim: item for item in items if isinstance(item, Finding)}


def test_an_evaluation_comes_back_from_disk(results: PaperResults) -> None:
    scores = scores_of(["110000", "100000"], nav_error=[[0.5] * 6, [1.25] * 6], steps=[[300] * 6, [2] * 6])
    write_scores(results.layout, "none", "test_seen", scores)
    path = results.layout.evaluation("none", "test_seen") / EVALUATION
    read = read_scores(path)
    assert np.array_equal(read.success, scores.success) and np.array_equal(read.nav_error, scores.nav_error)
    assert np.array_equal(read.steps, scores.steps)
    whole = read_evaluation(path, cottage_set(), TemplateAdvisor())
    assert whole.seeds == SEEDS and len(whole.trace) == 12 and bool((whole.trace.nav == -1).all())
    assert whole.summary()["success_rate"].each == (pytest.approx(100 * 2 / 6), pytest.approx(100 / 6))


def test_a_damaged_evaluation_is_named(tmp_path: Path) -> None:
    path = tmp_path / EVALUATION
    path.write_bytes(b"nothing")
    with pytest.raises(InputError, match=r"evaluation.npz: is damaged or no zip archive"):
        read_scores(path)


def test_table_2_has_the_mean_over_seeds_and_the_paper_beside_it(results: PaperResults) -> None:
    put(results, {"none": NOBODY, "first": NOBODY, "random": HALF, "learned": ALL, "teacher": ALL})
    # one of six under one seed, two of six under the other: mean 25%, standard error 100/12, times 1.95
    write_scores(results.layout, "first", "test_seen", scores_of(["100000", "110000"]))
    table, *findings = tables.help_policies(results)
    assert isinstance(table, ReportTable)
    first = values(table)["Test seen: FIRST"]
    assert first[0].mean == pytest.approx(25)
    assert first[0].high is not None and first[0].high - 25 == pytest.approx(1.95 * 100 / 12)
    assert (first[0].paper, first[0].paper_margin) == (40.33, 0.35)
    assert values(table)["Test unseen: LEARNED"][0].mean == 100
    claims = told(findings)
    assert claims["LEARNED succeeds more often than NONE on Test unseen"].holds is True
    assert "+100.0 points" in claims["LEARNED succeeds more often than NONE on Test unseen"].detail
    assert claims["FIRST succeeds more often than NONE on Test unseen"].holds is None  # both fail everywhere
    assert claims["RANDOM gains more over NONE on Test unseen than on Test seen"].holds is None  # 50 and 50 points
    equal = next(each for claim, each in claims.items() if claim.startswith("LEARNED and TEACHER"))
    assert equal.holds is True
    assert "SPACED" not in table.note and not any("SPACED" in name for name in (*values(table), *claims))


def test_spaced_stands_beside_table_2_where_it_was_evaluated_and_is_marked_as_ours(results: PaperResults) -> None:
    put(results, {"none": NOBODY, "first": NOBODY, "random": HALF, "learned": ALL, "teacher": ALL, "spaced": HALF})
    table, *findings = tables.help_policies(results)
    assert isinstance(table, ReportTable)
    row = values(table)["Test unseen: SPACED (ours)"]
    assert row[0].mean == 50 and row[0].paper is None
    assert "SPACED is ours, not the paper's" in table.note
    ours = [finding for finding in findings if isinstance(finding, Finding) and finding.ours]
    assert [finding.claim for finding in ours] == [
        f"LEARNED succeeds more often than SPACED on {split} (ours, not the paper's)"
        for split in ("Test seen", "Test unseen")
    ]
    # all against half: 0 or 1 in three tasks each, so 50 ± 2.571 · 54.8 / √6 = 57.5 points, which has zero in it
    assert all(finding.holds is None and "+50.0 points" in finding.detail for finding in ours)


def test_table_3_shows_the_iterations_and_who_gains_from_subgoals(results: PaperResults) -> None:
    put(results, {"direct-silent": NOBODY, "direct": ALL, "indirect": NOBODY}, TABLE_3[0].splits)
    results.layout.iterations.write_text(json.dumps({"iterations": {"silent": 50, "learned": 150}}))
    table, *findings = tables.advisors(results)
    assert isinstance(table, ReportTable)
    assert [[cell.mean for cell in row if isinstance(cell, Value)] for row in table.rows] == [
        [50, 0, 0, 0],
        [150, 100, 100, 100],
        [150, 0, 0, 0],
    ]
    assert [finding.holds for finding in findings if isinstance(finding, Finding)] == [True, None, True]
    assert read_iterations(results.layout.iterations) == {"silent": 50, "learned": 150}


def test_table_4_compares_where_agents_were_trained(results: PaperResults) -> None:
    put(results, {"noroom-random": NOBODY, "noroom-learned": ONCE, "transferred": ALL})
    table, *findings = tables.without_rooms(results)
    assert isinstance(table, ReportTable)
    assert [row[:2] for row in table.rows if not isinstance(row, RowGroup)] == [
        ("RANDOM", "NoRoom"),
        ("LEARNED", "NoRoom"),
        ("LEARNED", "AskNav"),
    ]
    holds = [finding.holds for finding in findings if isinstance(finding, Finding)]
    # transferred beats random; trained there is worse than transferred (-50 points); trained there beats random
    assert holds == [True, True, False, False, True, True]
    assert {each.tasks for each in TABLE_4} == {"noroom"}


def test_table_7_averages_over_the_thresholds(results: PaperResults) -> None:
    ae = {"rules-ae-2": ALL, "rules-ae-4": NOBODY, "rules-ae-8": NOBODY}
    put(results, {"none": NOBODY, **ae, "rules-bcd": ONCE, "learned": ALL})
    table, *findings = tables.teacher_rules(results)
    assert isinstance(table, ReportTable)
    assert [values(table)[name][0].mean for name in ("NONE", "Rules (b), (c), (d)", "All rules")] == [0, 50, 100]
    claims = told(findings)
    mean = claims["Rules (a), (e) succeed more often than not asking on Test seen (mean over δ)"]
    assert mean.holds is True and mean.detail.startswith("+33.3 points")
    # in the paper (30.36 + 39.46 + 30.71) / 3 - 28.39
    assert mean.detail.endswith("In the paper +5.1 points.")
    assert claims["Rules (b), (c), (d) alone do about as well as all rules on Test seen"].holds is False


def test_a_gain_is_taken_task_by_task() -> None:
    # One is better in one task of six by one: the standard error is 1/6, and t with 5 degrees of freedom 2.57058.
    found = gain(scores_of(["110000"] * 2), scores_of(["100000"] * 2))
    assert found[:3] == pytest.approx((100 / 6, (1 - 2.57058) * 100 / 6, (1 + 2.57058) * 100 / 6), rel=1e-4)
    assert found.over == "6 tasks"
    # The two disagree in every task, three against three.
    found = gain(scores_of(["111000"]), scores_of(["000111"]))
    assert found.value == 0 and found.low < -30 and found.high > 30


def test_a_smaller_error_is_a_gain() -> None:
    near, far = scores_of(NOBODY, nav_error=[[1.0] * 6] * 2), scores_of(NOBODY, nav_error=[[3.5] * 6] * 2)
    assert gain(near, far, "nav_error") == Interval(2.5, 2.5, 2.5, "6 tasks")


def test_independent_differences_add_squares() -> None:
    # distances to the bounds are 3 and 4 below, 6 and 8 above: hypotenuses 5 and 10
    assert minus(Interval(20, 17, 26), Interval(10, 2, 14)) == Interval(10, 5, 20)


@pytest.mark.parametrize(
    ("interval", "verdict", "alike"),
    [
        (Interval(9, 5, 12), "holds", "does not hold"),
        (Interval(-9, -12, -5), "does not hold", "does not hold"),
        (Interval(0.5, -0.5, 1.5), "inconclusive", "holds"),
        (Interval(1, 0.5, 1.5), "holds", "holds"),
        (Interval(1, -3, 5), "inconclusive", "inconclusive"),
        (Interval(0, math.nan, math.nan), "inconclusive", "inconclusive"),
    ],
)
def test_verdicts_follow_from_the_interval(interval: Interval, verdict: str, alike: str) -> None:
    assert gains("better", interval).verdict == verdict
    assert same("alike", interval).verdict == alike


@pytest.mark.parametrize(
    ("first", "verdict", "words"),
    [
        ("000001", "inconclusive", "NONE < FIRST is inconclusive"),  # one task of six says nothing
        ("000000", "inconclusive", "NONE < FIRST is inconclusive"),
        ("111111", "does not hold", "FIRST < RANDOM does not hold: −100.0 points"),
    ],
)
def test_the_order_of_policies_is_that_of_every_step(results: PaperResults, first: str, verdict: str, words: str) -> None:
    successes = {"none": NOBODY, "first": [first, first], "random": NOBODY, "learned": ALL, "teacher": ALL}
    put(results, successes)
    found = policy_order(results, TESTS[0])
    assert (found.verdict, found.ours) == (verdict, True)
    assert words in found.detail and "LEARNED ≈" not in found.detail


def test_an_inconclusive_finding_says_which_value_its_interval_contains() -> None:
    assert "The interval contains zero" in gains("better", Interval(1, -3, 5)).detail
    assert "smaller and larger than 2 points" in same("alike", Interval(1, -3, 5)).detail
    assert "The interval contains 50%" in exceeds("half", Interval(52, 48, 56), 50).detail
    assert exceeds("half", Interval(100, math.nan, math.nan), 50).detail == f"100.0% (no interval). {NO_INTERVAL}"
    assert "contains" not in gains("better", Interval(9, 5, 12)).detail + gains("x", Interval(0, math.nan, math.nan)).detail


def test_a_share_above_a_threshold() -> None:
    assert exceeds("half", Interval(60, 55, 65), 50).verdict == "holds"
    assert exceeds("half", Interval(52, 48, 56), 50).verdict == "inconclusive"
    assert exceeds("half", Interval(40, 35, 45), 50).verdict == "does not hold"


def test_a_bound_near_a_threshold_is_told_more_exactly() -> None:
    alike = same("alike", Interval(-1, -1.97, 0.5))
    assert (alike.verdict, alike.detail.partition(")")[0]) == ("holds", "−1.0 points (95% interval −1.97 to +0.5")
    early = exceeds("half", Interval(55, 50.04, 61), 50)
    assert (early.verdict, early.detail) == ("holds", "55.0% (95% interval 50.04 to 61.0).")


def curves(rates: dict[int, float]) -> TrainingCurves:
    return TrainingCurves((), (), tuple(rates), {"val_seen": tuple(rates.values()), "val_unseen": (0.0,) * len(rates)})


def test_agents_are_compared_where_they_do_equally_well_on_dev_seen() -> None:
    speaking = curves({100: 20.0, 200: 31.0, 300: 39.8, 400: 40.2})
    silent = curves({100: 35.0, 200: 40.4, 300: 44.0, 400: 48.0})
    # the highest that both reach is 40.2: within half a point the first time at 300 and at 200
    assert matching_iterations({"learned": speaking, "silent": silent}) == {"learned": 300, "silent": 200}


def test_where_rates_jump_the_nearest_is_taken() -> None:
    chosen = matching_iterations({"learned": curves({1: 10.0, 2: 30.0}), "silent": curves({1: 27.0, 2: 36.0, 3: 34.0})})
    assert chosen == {"learned": 2, "silent": 1}


def test_published_differences_are_those_of_the_papers_text() -> None:
    # "9-10% improvement in success rate over RANDOM and 24-28% over NONE"; FIRST: "12% and 14% over NONE"
    over_random = [tables.published_gain(split, "learned", "random") for split in TESTS]
    assert all(9 < each < 10 for each in over_random)
    assert [round(tables.published_gain(split, "learned", "none")) for split in TESTS] == [24, 28]
    assert [round(tables.published_gain(split, "first", "none")) for split in TESTS] == [12, 14]
    assert TABLE_2["test_seen"]["first"]["room_success_rate"] > TABLE_2["test_seen"]["random"]["room_success_rate"]
    assert tables.published_gain("test_seen", "teacher", "learned", "nav_error") == pytest.approx(0.06)


def test_there_are_eleven_trainings_one_of_ours_and_every_hyperparameter_has_the_papers_value() -> None:
    assert len(TRAININGS) == 11 + len(OURS) == 12
    assert len(TABLE_6) == 26
