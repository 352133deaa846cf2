"""Entries from files of every kind, and what two of them differ by, against numbers worked out by hand."""

from __future__ import annotations

import io
import json
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from cottage_players import TASKS, WORLD, context
from vnla.assistance.acting import Acting, sampled
from vnla.assistance.help_policies import AtRandom
from vnla.common.errors import InputError
from vnla.evaluation.allowance import Allowance
from vnla.evaluation.contest import Entry, Pair, ScoringData, common, enter, name_of, pairs
from vnla.evaluation.evaluate import Evaluation, evaluate
from vnla.evaluation.evaluation_file import write_evaluation
from vnla.evaluation.metrics import METRICS
from vnla.evaluation.results import results_of, write_results
from vnla.evaluation.scores import Scores
from vnla.report.contest import entries_table, pairs_table
from vnla.tasks.dataset import Dataset
from vnla.world.forward import INFORMED

SEEDS = (123, 435)


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    return evaluate(context(Acting(sampled, direct=True), AtRandom()), TASKS, seeds=SEEDS)


@pytest.fixture
def material() -> ScoringData:
    dataset = Dataset(Path("tasks"), "asknav", {"test_unseen": Path("tasks/none.json")}, {})
    dataset._read["test_unseen"] = TASKS.tasks
    return ScoringData(WORLD, dataset, Allowance(), METRICS, _compiled={("test_unseen", INFORMED): TASKS})


def test_a_file_and_an_evaluation_of_the_same_run(evaluation: Evaluation, material: ScoringData, tmp_path: Path) -> None:
    write_results(tmp_path / "mine.json", results_of(evaluation))
    write_evaluation(tmp_path / "theirs" / "test_unseen" / "evaluation.npz", evaluation)
    one, other = enter(tmp_path / "mine.json", material), enter(tmp_path / "theirs", material)
    assert (one.name, other.name, one.split, other.split) == ("mine", "theirs", "test_unseen", "test_unseen")
    assert (one.scores.shape, other.scores.shape) == ((1, 6), (2, 6))
    assert np.array_equal(one.scores.success[0], other.scores.success[0])
    for name in evaluation.scores:
        assert np.array_equal(other.scores[name], evaluation.scores[name]), name
    assert enter(tmp_path / "theirs" / "test_unseen" / "evaluation.npz", material).name == "theirs"


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("pose", 10**6, "is not in its house"),
        ("pose", -1, r"trace\.pose has values from -1 to \d+, not of 0 or more"),
        ("length", 99, r"trace\.length has values from \d+ to 99, not from 0 to 25"),
        ("nav", 9, r"trace\.nav has values from -1 to 9, not from -1 to 5"),
        ("help_budget", -5, r"trace\.help_budget has values from -5"),
        ("help_budget", -1, "help budget is -1, but seed 123 draws 3 for this task"),
        ("pose", 0, "an agent does not begin|does not lead|stops at"),
    ],
)
def test_an_evaluation_that_cannot_be_is_refused(
    evaluation: Evaluation, material: ScoringData, tmp_path: Path, field: str, value: int, message: str
) -> None:
    broken = getattr(evaluation.trace, field).clone()
    broken[1:] = value
    write_evaluation(tmp_path / "evaluation.npz", replace(evaluation, trace=replace(evaluation.trace, **{field: broken})))
    with pytest.raises(InputError, match=message):
        enter(tmp_path / "evaluation.npz", material)


def test_other_archives_are_refused(material: ScoringData, tmp_path: Path) -> None:
    path = tmp_path / "evaluation.npz"
    tasks = np.array(["0"])
    for arrays, message in (
        ({"a": np.zeros(3)}, "lacks 'tasks'"),
        ({"tasks": tasks, "seeds": np.array([1.5])}, "seeds is of float64"),
        ({"tasks": tasks, "seeds": np.array([1])}, r"lacks 'trace\.nav'"),
    ):
        np.savez(path, **arrays)
        with pytest.raises(InputError, match=message):
            enter(path, material)
    with path.open("wb") as stream:
        np.save(stream, np.zeros(3))
    whole = io.BytesIO()
    np.savez_compressed(whole, tasks=np.arange(10_000).astype(str))
    for content in (b"no archive", path.read_bytes(), whole.getvalue()[:-200], b"PK" + whole.getvalue()[300:]):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"no zip archive|cannot be read|lacks"):
            enter(path, material)
    with pytest.raises(InputError, match=r"has neither evaluation\.npz nor results\.json"):
        enter(tmp_path / "..", material)


def test_a_file_of_tasks_that_nobody_knows(material: ScoringData, tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text(json.dumps([{"instr_id": "x", "trajectory": [["a", 0, 0]]}]))
    with pytest.raises(InputError, match="none of its tasks is in the data set"):
        enter(path, material)


def entry(name: str, success: list[int], tasks: list[int], requests: list[int] | None = None) -> Entry:
    chosen = TASKS.rows(tasks)
    houses = tuple(replace(task, house="abc"[i % 3]) for i, task in zip(tasks, chosen.tasks, strict=True))
    budgets = {"requests": np.array([requests]), "help_budget": np.array([[2] * len(tasks)])} if requests else {}
    scores = Scores({"success": np.array([success]).astype(bool), **budgets})
    metrics = {name: METRICS[name] for name in ("success_rate", *(("budget_used",) if requests else ()))}
    return Entry(name, Path(name), "test_unseen", replace(chosen, tasks=houses), 6, (0,), scores, metrics)


def test_a_pair_is_compared_on_the_tasks_that_both_have() -> None:
    one, other = entry("one", [1, 0, 0, 1], [0, 1, 2, 3]), entry("other", [1, 1, 1, 0], [1, 2, 3, 4])
    pair = Pair(one, other)
    assert pair.tasks == ("1", "2", "3") == common([one, other])
    assert pair.difference("success_rate").value == pytest.approx(100 - 100 / 3)
    assert pair.only() == (0.0, 2.0)
    assert one.figure("success_rate").value == 50
    assert one.figure("success_rate", ["1", "3"]).value == 50


def test_ratios_are_compared_as_ratios() -> None:
    one = entry("one", [1, 0, 0], [0, 1, 2], requests=[2, 2, 1])
    other = entry("other", [1, 0, 0], [0, 1, 2], requests=[1, 1, 1])
    assert Pair(one, other).difference("budget_used").value == pytest.approx(50 - 100 * 5 / 6)
    assert Pair(one, one).difference("success_rate")[:3] == (0, 0, 0)  # paired: nothing to tell apart


def test_pairs_that_cannot_be() -> None:
    with pytest.raises(InputError, match="have no task in common"):
        pairs([entry("one", [1], [0]), entry("other", [1], [1])])
    with pytest.raises(InputError, match="compare entries of one split"):
        pairs([entry("one", [1], [0]), replace(entry("other", [1], [0]), split="test_seen")])
    names = [(pair.one.name, pair.other.name) for pair in pairs([entry(name, [1], [0]) for name in "abc"])]
    assert names == [("a", "b"), ("a", "c"), ("b", "c")]


def test_names_of_paths(tmp_path: Path) -> None:
    for name in ("mine.json", "learned/test_unseen/results.json", "dir/test_unseen.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("[]")
    names = ["mine.json", "learned/test_unseen/results.json", "learned/test_unseen", "learned", "dir/test_unseen.json"]
    assert [name_of(tmp_path / name) for name in names] == ["mine", "learned", "learned", "learned", "dir"]


def test_for_a_json_file(evaluation: Evaluation, material: ScoringData, tmp_path: Path) -> None:
    records = [asdict(each) for each in results_of(evaluation)]
    records[0]["is_success"] = not records[0]["is_success"]
    (tmp_path / "mine.json").write_text(json.dumps(records))
    found = json.loads(json.dumps(enter(tmp_path / "mine.json", material).as_dict(), allow_nan=False))
    assert found["claims"][0]["differ"] == 1
    assert found["figures"]["success_rate"]["low"] is None  # one house


def test_the_number_of_houses_stands_beside_tables_and_in_files() -> None:
    one, other = entry("one", [1, 0, 0, 1], [0, 1, 2, 3]), entry("other", [1, 1, 1, 0], [0, 1, 2, 3])
    note = "95% intervals over 3 houses (jackknife, t)."
    assert note in entries_table([one, other]).note and note in pairs_table([Pair(one, other)]).note
    assert one.as_dict()["note"] == note == Pair(one, other).as_dict()["note"]
    assert one.as_dict()["figures"]["success_rate"]["over"] == "3 houses" == one.figure("success_rate").over
    alone = entry("one", [1, 0], [0, 3])  # in one house
    assert entries_table([alone]).note.startswith("One house has no interval. ")
    assert alone.as_dict()["note"] == "One house has no interval."
