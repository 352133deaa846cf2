"""Tables and findings from hand-made evaluations: six tasks in two houses, two trainings."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pytest

from paper_scores import scores_of, write_scores
from tiny_beyond import PLAN, SCALE
from vnla.evaluation.confidence import Interval
from vnla.experiments.beyond import comparison_report as tables
from vnla.experiments.beyond.arms import chosen_arms
from vnla.experiments.beyond.plan import ComparisonPlan, ComparisonResults
from vnla.experiments.evaluations import PEERS
from vnla.experiments.layout import ExperimentLayout
from vnla.experiments.reporting import gains_least
from vnla.report.ceilings import LINES
from vnla.report.document import Finding, Item, ReportTable, RowGroup, Value

NOBODY, HALF, ALL = ["000000", "000000"], ["111000", "111000"], ["111111", "111111"]

Put = Callable[[dict[str, tuple[list[str], ...]]], ComparisonResults]


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Put:
    """Writes evaluations: arm → the successes of each training, on every set of tasks."""
    monkeypatch.setattr(ComparisonResults, "houses", lambda *_: np.array(["a", "a", "a", "b", "b", "b"]))

    def write(successes: dict[str, tuple[list[str], ...]]) -> ComparisonResults:
        plan = ComparisonPlan(SCALE, chosen_arms(SCALE, list(successes)), trainings=len(successes["learned"]))
        results = ComparisonResults(ExperimentLayout(tmp_path, tmp_path / "world"), plan)
        for arm, trainings in successes.items():
            for training, success in enumerate(trainings):
                for challenge in plan.challenges:
                    write_scores(results.layout, f"{arm}/seed{training}", challenge.name, scores_of(success))
        for peer in PEERS:
            for challenge in plan.challenges:
                write_scores(results.layout, peer, challenge.name, scores_of(HALF))
        return results

    return write


def rows(items: list[Item]) -> dict[str, list[object]]:
    """Group and first cell → the other cells."""
    table, group, found = items[0], "", {}
    assert isinstance(table, ReportTable)
    for row in table.rows:
        if isinstance(row, RowGroup):
            group = row.title
        else:
            found[f"{group}: {row[0]}"] = list(row[1:])
    return found


def verdicts(items: list[Item]) -> dict[str, bool | None]:
    return {item.claim: item.holds for item in items if isinstance(item, Finding)}


def test_b1_is_over_trainings_and_houses(put: Put) -> None:
    """BEST succeeds in house a when trained once, in both houses when trained again: 75%. Houses have 100 and 50%: a
    standard error of 25 with one degree of freedom. That trainings have 50 and 100% comes from house b alone."""
    results = put({"learned": (NOBODY, NOBODY), "tuned": (NOBODY, ["100000", "000000"]), "best": (HALF, ALL)})
    items = tables.agents_table(results)
    found = rows(items)
    success, over, error, requests, each, sensors = found["Test unseen: BEST"]
    assert sensors == "view, clock, requests, advice, been" and found["Test unseen: LEARNED"][5] == "view only"
    table = items[0]
    assert isinstance(table, ReportTable)
    for note in ("been: places are recognised exactly", "clock: the time that it shows comes from the true", "(informed)"):
        assert note in table.note
    odds = 0.75 / 0.25
    reach = math.exp(12.7062 * 0.25 / (0.75 * 0.25))
    assert isinstance(success, Value) and success.mean == 75
    assert success.low == pytest.approx(100 * odds / (odds + reach), rel=1e-3)
    assert success.high == pytest.approx(100 * odds * reach / (odds * reach + 1))
    assert over == Value(75, -100, 100, unit="points", over="2 trainings, 2 houses"), "as far as a difference can be"
    assert each == "50.0 · 100.0" and isinstance(error, Value) and isinstance(requests, Value)
    # one of twelve episodes of one training, none of the other
    tuned = found["Test unseen: TUNED"][0]
    assert isinstance(tuned, Value) and tuned.mean == pytest.approx(100 / 24)
    assert found["Test unseen: LEARNED"][1] is None  # over itself
    assert sum(name.endswith(": BEST") for name in found) == 4
    planner = found["Test unseen: PLANNER"]
    assert isinstance(planner[0], Value) and planner[0].mean == 50 and planner[4] is None, "nobody trained it"


@pytest.mark.parametrize(("best", "learned", "holds"), [(ALL, NOBODY, True), (NOBODY, ALL, False)])
def test_a_gain_that_every_draw_has_holds(put: Put, best: list[str], learned: list[str], holds: bool) -> None:
    found = verdicts(tables.agents_table(put({"learned": (learned, learned), "best": (best, best)})))
    assert found["BEST succeeds at least 10 points more often than LEARNED on Test unseen"] is holds
    assert found["BEST succeeds more often than LEARNED on NoRoom, test seen"] is holds


def test_a_gain_in_one_house_alone_cannot_be_told(put: Put) -> None:
    results = put({"learned": (NOBODY,), "best": (HALF,)})
    assert set(verdicts(tables.agents_table(results)).values()) == {None}  # 50 points, ± 12.7 · 50
    found = rows(tables.agents_table(results))["Test seen: BEST"][1]
    assert found == Value(50, -100, 100, unit="points", over="2 houses")


def test_how_many_trainings_there_were_is_said(put: Put) -> None:
    once, twice = (tables.note(put({"learned": (NOBODY,) * count})) for count in (1, 2))
    assert "trained once" in once and "do not say what another training would give" in once
    assert "over the 2 trainings of each agent, too" in twice
    assert all("95% intervals over 2 houses" in each for each in (once, twice))


def test_b2_has_who_differs_in_one_thing(put: Put) -> None:
    results = put({"learned": (NOBODY,), "tuned": (NOBODY,), "reward": (HALF,), "best": (ALL,)})
    items = tables.parts_table(results)
    found = rows(items)
    added = ("other tuning", "reward, without sensors", "sensors, under reward", "sensors and reward", "all of it")
    assert list(found) == [f": {what}" for what in added]
    agent, over, *gains = found[": sensors, under reward"]
    assert (agent, over) == ("BEST", "REWARD") and [each.mean for each in gains if isinstance(each, Value)] == [50] * 4
    assert verdicts(items) == {
        "TUNED succeeds more often than LEARNED on Test unseen: other tuning": None,
        "REWARD succeeds more often than TUNED on Test unseen: reward, without sensors": None,
        "BEST succeeds more often than REWARD on Test unseen: sensors, under reward": None,
        "BEST succeeds more often than TUNED on Test unseen: sensors and reward": True,
    }
    assert tables.parts_table(put({"learned": (NOBODY,)})) == []


@pytest.mark.parametrize(
    ("found", "holds"),
    [((12, 10, 14), True), ((12, 9.99, 14), None), ((9, 8, 9.9), False), ((9, 8, 10), None), ((12, np.nan, np.nan), None)],
)
def test_at_least_so_much_is_by_the_whole_interval(found: tuple[float, float, float], holds: bool | None) -> None:
    told = gains_least("more", Interval(*found), 10)
    assert told.holds is holds
    assert told.detail.startswith("+12.0 points" if found[0] == 12 else "+9.0 points")


def put_ceilings(folder: Path, names: Iterable[str]) -> list[Item]:
    """Table B3 of agents of whom these lines were found."""
    results = ComparisonResults(ExperimentLayout(folder, folder / "world"), PLAN)
    for arm, share in (("learned", 20.0), ("best", 30.0)):
        line = {"success": {"value": share, "low": share - 5, "high": None}}
        path = results.layout.ceilings(arm)
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({"tasks": 1200, "houses": 2, "lines": dict.fromkeys(names, line)}))
    return tables.ceilings_lines(results)


def test_b3_has_two_agents_line_by_line(tmp_path: Path) -> None:
    items = put_ceilings(tmp_path, [name for names in LINES.values() for name in names])
    found = rows(items)
    assert found["The agent: as it is"] == [Value(20, 15, None, "%"), Value(30, 25, None, "%")]
    assert isinstance(items[0], ReportTable) and "1,200 tasks" in items[0].note
    best = list(found).index("In hindsight, of many walks: at the best times")
    assert [name.split(": ", 1)[1] for name in list(found)[best + 1 : best + 3]] == [
        "placebo: sampled actions, best",
        "placebo: sampled actions, mean",
    ]


def test_b3_of_an_earlier_version_has_no_best_times_without_their_placebo(tmp_path: Path) -> None:
    earlier = ("own", "never", "rules", "worst", "mean", "best", "own_following", "best_following", "nav_teacher")
    found = rows(put_ceilings(tmp_path, earlier))
    assert "The agent: as it is" in found and "What the time allows: the navigation teacher" in found
    assert not any("best times" in name or "searcher" in name for name in found)
