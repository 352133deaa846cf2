"""What people did, scored: the same figures as an evaluation's, and no walk that the task does not allow."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cottage_players import HOUSE, TASKS, context
from vnla.assistance.acting import Acting, sampled
from vnla.assistance.help_policies import AtRandom
from vnla.common.errors import InputError
from vnla.evaluation.evaluate import Evaluation, evaluate
from vnla.evaluation.recorded import ConditionScores, score_recorded, spreadsheet
from vnla.evaluation.results import results_of, write_results
from vnla.world.budgets import TimeBudgets

SEEDS = (123, 435)
EACH_ACTION = ("agent_nav", "agent_ask", "teacher_ask", "teacher_ask_reason", "subgoals")
STEP = math.pi / 6


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    return evaluate(context(Acting(sampled, direct=True), AtRandom()), TASKS, seeds=SEEDS)


@pytest.fixture
def file(evaluation: Evaluation, tmp_path: Path) -> Path:
    """What two people did under two conditions; the walks are an agent's."""
    records = []
    for seed, condition in zip(SEEDS, ("one", "other"), strict=True):
        path = tmp_path / f"{seed}.json"
        write_results(path, results_of(evaluation, seed))
        for number, record in enumerate(json.loads(path.read_text())):
            record |= {"participant": "ab"[number % 2], "condition": condition, "help_budget": sum(record["agent_ask"])}
            records.append(record)
    path = tmp_path / "recorded.json"
    path.write_text(json.dumps(records))
    return path


def scored(path: Path) -> dict[str, ConditionScores]:
    return score_recorded(path, [HOUSE], TASKS.tasks, TimeBudgets())


def changed(path: Path, change: Callable[[dict[str, Any]], object], number: int = 0) -> Path:
    records = json.loads(path.read_text())
    change(records[number])
    path.write_text(json.dumps(records))
    return path


def test_figures_are_those_of_the_evaluation(evaluation: Evaluation, file: Path) -> None:
    found = scored(file)
    assert list(found) == ["one", "other"]
    for place, condition in enumerate(found.values()):
        scores = evaluation.scores.rows(place)
        assert condition.participants == tuple("ababab")
        for name in set(scores) - {"help_budget"}:
            assert np.array_equal(condition.scores[name], scores[name]), name
        assert condition.summary()["nav_error"].value == pytest.approx(scores.nav_error.mean())


def test_what_the_file_says_of_success_is_not_believed(file: Path) -> None:
    before = scored(file)["one"].scores.success
    after = scored(changed(file, lambda record: record.update(is_success=not record["is_success"])))["one"].scores.success
    assert np.array_equal(before, after)


@pytest.mark.slow
def test_a_difference_is_that_of_the_figures_and_a_person_is_drawn_with_both_sides(file: Path) -> None:
    one, other = scored(file).values()
    more = other.minus(one)
    for name, figure in more.items():
        assert figure.value == pytest.approx(other.summary()[name].value - one.summary()[name].value, nan_ok=True)
        assert not figure.low > figure.value and not figure.high < figure.value
    nothing = one.minus(one)
    assert (nothing["nav_error"].low, nothing["nav_error"].value, nothing["nav_error"].high) == (0, 0, 0)
    written = other.as_dict(("one", one))["difference"]
    assert written["to"] == "one" and written["figures"]["steps"]["value"] == more["steps"].value


def test_a_row_an_episode(file: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(spreadsheet(scored(file)))))
    assert [(row["participant"], row["condition"]) for row in rows[5:7]] == [("b", "one"), ("a", "other")]
    assert len(rows) == 12 and float(rows[0]["nav_error"]) == scored(file)["one"].scores.nav_error[0]
    assert "reasons.exceed" in rows[0]
    bare = json.loads(file.read_text())
    for record in bare:
        for name in (*EACH_ACTION[2:4], "agent_nav"):
            record.pop(name)
    file.write_text(json.dumps(bare))
    rows = list(csv.DictReader(io.StringIO(spreadsheet(scored(file)))))
    assert not [name for name in rows[0] if name.startswith(("ask_", "reasons"))] and rows[0]["requests"]


def test_walks_that_nobody_began_or_that_ended_at_once_are_scored(file: Path) -> None:
    for number in range(12):
        changed(file, cut, number)
    assert (scored(file)["one"].scores.steps == 0).all()


def cut(record: dict[str, Any], actions: int = 0) -> None:
    """The same walk, left early."""
    record["trajectory"] = record["trajectory"][: actions + 1]
    for name in EACH_ACTION:
        record[name] = record[name][:actions]


def turned(record: dict[str, Any], place: int, by: float) -> None:
    record["trajectory"][place][1] += by


def silent(record: dict[str, Any]) -> None:
    """Without saying by which actions."""
    del record["agent_nav"]


def lengthened(record: dict[str, Any]) -> None:
    """Stands still for longer than there is time."""
    record["trajectory"] += record["trajectory"][-1:] * 30
    for name in EACH_ACTION:
        record.pop(name)


def jumped(record: dict[str, Any]) -> None:
    """Ends somewhere else in the house."""
    names = [each.id for each in HOUSE.viewpoints]
    here = record["trajectory"][-2][0]
    near = {here, *(names[j] for j in HOUSE.neighbours[names.index(here)])}
    record["trajectory"][-1][0] = next(name for name in names if name not in near)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda record: record.update(instr_id="77"), "field instr_id: '77' is no task of this data set"),
        (lambda record: record.update(participant=7), "field participant is 7; expected text"),
        (lambda record: record.update(scan="villa"), "field scan is 'villa', but task"),
        (lambda record: turned(record, 0, STEP), "field trajectory: entry 0: the task begins with another heading"),
        (jumped, "is no neighbour of"),
        (lambda record: (silent(record), turned(record, -1, 3 * STEP)), "no action leads from"),
        (lambda record: turned(record, -1, 3 * STEP), "does not lead from"),
        (lambda record: record["agent_nav"].__setitem__(0, [0, 0, 0]), "step 1: "),
        (lengthened, "step 26: the time budget of 25 steps is over"),
        (lambda record: record.update(help_budget=26), "field help_budget is 26; expected 0 to 25"),
        (lambda record: record.update(help_budget=-1), "field help_budget is -1; expected a whole number from 0 to 1,000"),
        (
            lambda record: record.update(help_budget=0, agent_ask=[1] * len(record["agent_ask"])),
            "asks once more than the help budget of 0 allows",
        ),
    ],
)
def test_what_cannot_have_happened_is_refused(file: Path, change: Callable[[dict[str, Any]], object], message: str) -> None:
    lengths = [len(record["trajectory"]) for record in json.loads(file.read_text())]
    longest = lengths.index(max(lengths))
    with pytest.raises(InputError) as error:
        scored(changed(file, change, longest))
    assert str(error.value).startswith(f"{file}: record {longest}: ")
    assert message in str(error.value) and "\n" not in str(error.value)


def test_nobody_does_a_task_twice(file: Path) -> None:
    records = json.loads(file.read_text())
    file.write_text(json.dumps([*records, records[3]]))
    with pytest.raises(InputError, match="record 12: is of the same person, condition and task as record 3"):
        scored(file)
    for record in (records[3], records[4]):
        record.pop("participant")
    file.write_text(json.dumps([*records, records[3]]))
    assert len(scored(file)["one"].participants) == 7  # nobody knows whose they are


@pytest.mark.parametrize(
    ("text", "message"), [("[]", "has no records"), ("{}", "has no records"), ("[1]", "record 0: is not")]
)
def test_what_is_no_results_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "file.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        scored(path)
