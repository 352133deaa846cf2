"""Anybody's results file: what is right is scored as it was run, what is wrong is named, counted, and never a crash."""

from __future__ import annotations

import copy
import json
import math
import tracemalloc
from dataclasses import asdict, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cottage_players import HOUSE, TASKS, VOCABULARY, WORLD, context
from vnla.assistance.acting import Acting, sampled
from vnla.assistance.help_policies import AtRandom
from vnla.common.errors import InputError
from vnla.evaluation.allowance import Allowance
from vnla.evaluation.checked import check, read_records
from vnla.evaluation.contest import ScoringData, enter
from vnla.evaluation.evaluate import Evaluation, evaluate
from vnla.evaluation.json_objects import objects_in
from vnla.evaluation.results import read_result, results_of, write_results
from vnla.tasks.dataset import Dataset
from vnla.tasks.task_set import TaskSet
from vnla.world.actions import Nav
from vnla.world.budgets import TimeBudgets
from vnla.world.compiled import World

SEED = 123
SCHEMA = json.loads(files("vnla.evaluation").joinpath("results.schema.json").read_text())
EVALUATION = evaluate(context(Acting(sampled, direct=True), AtRandom()), TASKS, seeds=[SEED])
RECORDS: list[dict[str, Any]] = json.loads(json.dumps([asdict(each) for each in results_of(EVALUATION)]))
CHANGED = 1  # of eleven actions with two requests
START = TASKS.tasks[CHANGED].start


@pytest.fixture
def evaluation() -> Evaluation:
    return EVALUATION


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "results.json"
    write_results(path, results_of(EVALUATION))
    return path


def written(path: Path, records: object) -> Path:
    path.write_text(json.dumps(records))
    return path


def changed(path: Path, change: Any) -> Path:
    records = copy.deepcopy(RECORDS)
    change(records[CHANGED])
    return written(path, records)


def test_a_right_file_has_the_scores_of_the_run(evaluation: Evaluation, file: Path) -> None:
    found = check(file, TASKS, Allowance(seed=SEED))
    for name in set(found.scores) - {each for each in found.scores if each.startswith(("ask_", "reasons"))}:
        assert np.array_equal(found.scores[name], evaluation.scores[name][0]), name
    assert found.trace.nav.tolist() == evaluation.trace.nav[:, : found.trace.nav.shape[1]].tolist()
    assert (found.wrong, found.missing) == ((), ())


def test_the_teacher_of_a_file_is_not_believed(file: Path) -> None:
    """What it would have done depends on what the agent thought, which no path tells."""
    scores = check(file, TASKS).scores
    assert all(scores[name].sum() == 0 for name in scores if name.startswith(("ask_", "reasons")))


def test_actions_that_a_file_does_not_name_are_worked_out(evaluation: Evaluation, tmp_path: Path) -> None:
    bare = [{name: each[name] for name in ("instr_id", "trajectory")} for each in RECORDS]
    found = check(written(tmp_path / "bare.json", bare), TASKS)
    assert np.array_equal(found.scores.success, evaluation.scores.success[0])
    for row, actions in enumerate(found.trace.nav.tolist()):
        expected = evaluation.trace.nav[row].tolist()
        for step, action in enumerate(actions):
            stays = evaluation.trace.pose[row, step] == evaluation.trace.pose[row, step + 1]
            assert action == expected[step] or stays, (row, step)  # up at the top and forward at a wall look the same


def test_every_goal_reached_and_stopped_at_is_inferred_as_stop(tmp_path: Path) -> None:
    told = evaluate(context(), TASKS, seeds=[SEED])  # the teacher's walk
    bare = [{"instr_id": each.instr_id, "trajectory": each.trajectory} for each in results_of(told)]
    trace = check(written(tmp_path / "bare.json", bare), TASKS).trace
    last = [actions[length - 1] for actions, length in zip(trace.nav.tolist(), trace.length.tolist(), strict=True)]
    assert set(last) == {int(Nav.STOP)}


def turned(record: dict[str, Any], entry: int, by: float) -> None:
    record["trajectory"][entry][1] += by


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda record: record.update(instr_id="77_0"), "task 77_0: is none of the 6 tasks of this split"),
        (lambda record: record.update(instr_id="2"), "record 2: task 2: has a record already"),
        (lambda record: record.update(instr_id=[1]), "record 1: field instr_id is [1]"),
        (lambda record: record.update(scan="castle"), "field scan is 'castle'"),
        (lambda record: record["trajectory"][0].__setitem__(0, "kitchen"), f"step 0: the task begins at {START}"),
        (lambda record: turned(record, 0, math.pi / 6), f"step 0: the task begins at {START}"),
        (lambda record: record["trajectory"][3].__setitem__(0, "attic"), "step 3: house cottage has no viewpoint 'attic'"),
        (lambda record: turned(record, 2, 0.2), "step 2: heading"),
        (lambda record: record["trajectory"][2].__setitem__(2, 2.0), "none of the 36 views"),
        (lambda record: turned(record, -1, math.pi), "step 11: stop does not lead from"),
        (lambda record: record["trajectory"][-1].__setitem__(0, "bedroom_west"), "does not lead from"),
        (
            lambda record: record.update(agent_nav=None, trajectory=[*record["trajectory"][:1], ["bedroom_west", 0, 0]],
                                         agent_ask=None, subgoals=None, teacher_ask=None, teacher_ask_reason=None),
            f"step 1: no action leads from {START}",
        ),
        (lambda record: record["agent_nav"].__setitem__(0, [0, 0, 0]), f"step 1: stop does not lead from {START}"),
        (lambda record: record["agent_ask"].__setitem__(0, 2), "field agent_ask: entry 0 is 2"),
        (lambda record: record.update(help_budget=9), "is 9, but seed 123 draws 3 for this task"),
        (lambda record: record.update(help_budget=10**30), "field help_budget is 1000"),
        (lambda record: record.update(help_budget=True), "field help_budget is True"),
        (lambda record: record.update(agent_ask=[1] * len(record["agent_nav"])), "asks once more than the help budget"),
        (lambda record: record.update(agent_ask=[0] * len(record["agent_nav"])), "without asking"),
        (
            lambda record: record.update(trajectory=record["trajectory"][:1] * 27, agent_nav=None, agent_ask=None,
                                         subgoals=None, teacher_ask=None, teacher_ask_reason=None),
            "step 26: the time budget of 25 steps is over",
        ),
        (lambda record: record["trajectory"][1].__setitem__(1, 10**400), "field trajectory"),
        (lambda record: record["teacher_ask_reason"].__setitem__(0, []), "field teacher_ask_reason: entry 0 is []"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_task_and_step(file: Path, change: Any, message: str) -> None:
    with pytest.raises(InputError) as error:
        check(changed(file, change), TASKS)
    line = str(error.value)
    assert message in line
    assert str(file) in line
    assert "\n" not in line


def test_only_stop_stays_where_there_is_somewhere_to_go(tmp_path: Path) -> None:
    blocked = TASKS.environment.blocked(TASKS.start).tolist()
    assert True in blocked and False in blocked
    for number, (task, wall) in enumerate(zip(TASKS.tasks, blocked, strict=True)):
        pose = [task.start, task.heading * math.pi / 6, 0]
        path = written(tmp_path / "still.json", [{"instr_id": f"{number}", "trajectory": [pose] * 3}])
        if wall:  # forward was tried
            assert check(path, TASKS, partial=True).trace.nav.tolist() == [[Nav.FORWARD, Nav.STOP]]
        else:
            with pytest.raises(InputError, match=f"task {number}: step 1: stops at {task.start} .* but the walk goes on"):
                check(path, TASKS, partial=True)


def test_a_task_is_held_to_the_budget_of_the_seed_where_it_is_known(file: Path) -> None:
    check(file, TASKS, Allowance(seed=SEED))
    with pytest.raises(InputError, match="field help_budget is"):
        check(file, TASKS, Allowance(seed=SEED + 1))
    with pytest.raises(InputError, match="τ = 0 and k = 4 give this task 0 at most"):
        check(file, TASKS, Allowance(ratio=0.0, seed=None))
    with pytest.raises(InputError, match="seed 123 draws 0 for this task"):
        check(file, TASKS, Allowance(ratio=0.0))


def test_all_budgets_together_are_no_larger_than_luck_allows(tmp_path: Path) -> None:
    many = TASKS.rows([i % 6 for i in range(600)])
    many = many.__class__(**{**vars(many), "tasks": tuple(
        task.__class__(**{**{name: getattr(task, name) for name in task.__slots__}, "id": f"{i}"})
        for i, task in enumerate(many.tasks)
    )})  # fmt: skip

    def asking(times: int) -> Path:
        records = []
        for task in many.tasks:
            start = [task.start, task.heading * math.pi / 6, 0]
            turns = [[task.start, (task.heading + i) * math.pi / 6, 0] for i in range(1, 4)]
            asks = [int(i < times) for i in range(3)]
            records.append({"instr_id": task.id, "trajectory": [start, *turns], "agent_ask": asks})
        return written(tmp_path / "many.json", records)

    check(asking(2), many, Allowance(seed=None))
    with pytest.raises(InputError, match="asks 1,800 times in all"):
        check(asking(3), many, Allowance(seed=None))  # 2.5 is the mean


def test_what_a_file_says_of_itself_is_compared(file: Path) -> None:
    def lie(record: dict[str, Any]) -> None:
        record.update(is_success=not record["is_success"], nav_error=0.123, spl="high", steps=len(record["agent_nav"]))

    claims = {claim.field: claim for claim in check(changed(file, lie), TASKS).claims}
    assert (claims["is_success"].said, claims["is_success"].differ) == (6, 1)
    assert claims["is_success"].first.startswith(f"task {CHANGED} says ")
    assert (claims["nav_error"].said, claims["nav_error"].differ) == (1, 1)
    assert claims["spl"].differ == 1
    assert claims["steps"].differ == 0


def test_missing_tasks(file: Path) -> None:
    written(file, RECORDS[:4])
    with pytest.raises(InputError, match=r"no record of task 4; of 6 tasks 2 are missing \(if .* --partial\)"):
        check(file, TASKS)
    some = check(file, TASKS, partial=True)
    assert (len(some.tasks), some.of) == (4, 6)
    counted = check(file, TASKS, lenient=True)
    assert (len(counted.tasks), counted.missing) == (6, ("4", "5"))
    assert not counted.scores.success[4:].any()
    assert counted.scores.steps[4:].tolist() == [0, 0]
    assert np.array_equal(counted.scores.success[:4], some.scores.success)


def test_wrong_records_are_counted_where_that_is_wanted(file: Path) -> None:
    records = copy.deepcopy(RECORDS)
    records[0]["trajectory"][-1][0] = "attic"
    records[1]["agent_ask"] = "often"
    records.append({"instr_id": "9", "trajectory": [["entryway", 0, 0]]})
    written(file, records)
    with pytest.raises(InputError, match="3 records are wrong in all"):
        check(file, TASKS)
    found = check(file, TASKS, lenient=True)
    assert len(found.wrong) == 3
    assert found.missing == ("1",)  # its record could not be read
    assert not found.scores.success[:2].any()
    assert found.scores.shape == (6,)


def test_a_record_that_cannot_be_walked_is_counted_in_every_house(tmp_path: Path) -> None:
    """Not in the first house alone, whose first viewpoint no task of another house can be at."""
    world = World.compile([HOUSE, replace(HOUSE, name="other")])
    some = [replace(task, house="other") for task in TASKS.tasks[:2]]
    tasks = TaskSet.compile(world, some, TimeBudgets(), vocabulary=VOCABULARY)
    walked = [{name: each[name] for name in ("instr_id", "trajectory")} for each in RECORDS[:2]]
    records = [walked[0] | {"trajectory": [["attic", 0, 0]]}, walked[1]]
    path = written(tmp_path / "houses.json", records)
    with pytest.raises(InputError, match="house other has no viewpoint 'attic'"):
        check(path, tasks)
    assert len(check(path, tasks, lenient=True).wrong) == 1


def test_a_missing_task_is_a_failure_even_beside_its_goal(file: Path) -> None:
    """The first task begins where it ends: an agent that stays would succeed."""
    first, *others = TASKS.tasks
    tasks = [replace(first, goals=(first.start,)), *others]
    beside = TaskSet.compile(WORLD, tasks, TimeBudgets(), vocabulary=VOCABULARY)
    found = check(written(file, RECORDS[1:]), beside, lenient=True)
    assert found.missing == ("0",)
    assert found.scores.nav_error[0] == 0 and not found.scores.success[0]
    assert (found.scores.spl[0], found.scores.oracle_success[0]) == (0, False)


def test_a_record_that_cannot_be_read_is_no_task_that_is_left_out(file: Path) -> None:
    """Of four records one cannot be read: a subset of four tasks, of which one is a failure, and not one of three."""
    records = copy.deepcopy(RECORDS[:4])
    records[1]["agent_ask"] = "often"
    found = check(written(file, records), TASKS, partial=True, lenient=True)
    assert (len(found.tasks), found.missing, len(found.wrong)) == (4, ("1",), 1)
    assert not found.scores.success[1]


@pytest.mark.parametrize("records", [[], [1, "two", None], {"instr_id": "0"}, "text", [{"instr_id": "0"}]])
def test_files_without_anything_to_score(tmp_path: Path, records: object) -> None:
    for lenient in (False, True):
        with pytest.raises(InputError):
            check(written(tmp_path / "odd.json", records), TASKS, lenient=lenient)


def test_a_file_of_any_size_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    path.write_text("[" + " " * (2 << 20) + "]")
    with pytest.raises(InputError, match="too large"):
        check(path, TASKS)


def test_a_file_of_any_size_is_not_read_where_no_split_is_named(tmp_path: Path) -> None:
    """A file is of one split, so of the largest at most."""
    path = tmp_path / "large.json"
    path.write_text("[" + "[]," * (1 << 20) + "[]]")
    dataset = Dataset(Path("tasks"), "asknav", {"test_unseen": Path("none")}, {})
    dataset._read["test_unseen"] = TASKS.tasks
    with pytest.raises(InputError, match="3 MB is too large for"):
        enter(path, ScoringData(WORLD, dataset))


def test_lists_in_the_place_of_records_are_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "lists.json"
    path.write_text("[" + "[[]], " * 100_000 + '{"instr_id": "0"}\n]')
    tracemalloc.start()
    try:
        records = read_records(path)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert records == [None] * 100_000 + [{"instr_id": "0"}] and most < 5_000_000


def test_more_records_than_anybody_makes_are_one_line(tmp_path: Path) -> None:
    path = tmp_path / "many.json"
    path.write_text("[" + "{}," * 1_000_000 + "{}]")
    with pytest.raises(InputError, match=r"many.json: has more than 1,000,000 records; expected "):
        read_records(path)


@given(st.lists(st.dictionaries(st.text(max_size=3), st.integers() | st.none(), max_size=2)), st.sampled_from([None, 0, 2]))
def test_records_are_read_as_they_were_written(records: list[Any], indent: int | None) -> None:
    assert list(objects_in(json.dumps(records, indent=indent))) == records


@pytest.mark.parametrize("text", ["", "[", "[{}", "[{},]", "[{} {}]", "[{}]]", '["', "]", "{}x", "nul", '[{"a": 1', "[,]"])
def test_what_is_no_list_in_json_is_one_line(text: str, tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(text)
    with pytest.raises(InputError, match=r"r\.json: .*(is not valid JSON|is not a list).*; expected "):
        read_records(tmp_path / "r.json")


def test_an_agent_that_never_acts(tmp_path: Path) -> None:
    start = [[task.start, task.heading * math.pi / 6, 0] for task in TASKS.tasks]
    path = written(tmp_path / "still.json", [{"instr_id": f"{i}", "trajectory": [each]} for i, each in enumerate(start)])
    assert check(path, TASKS).scores.steps.tolist() == [0] * 6


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just("entryway"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(list(RECORDS[0])), inner, max_size=3),
    max_leaves=5,
)


def places(value: object, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The ways to everything in a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [way, *(found for name, each in inner for found in places(each, (*way, name)))]


WAYS = [way for way in places(RECORDS) if way]


@st.composite
def mutated(draw: st.DrawFn) -> Any:
    """The records with a few things replaced, removed, repeated or swapped."""
    records = copy.deepcopy(RECORDS)
    for _ in range(draw(st.integers(1, 3))):
        *way, name = draw(st.sampled_from(WAYS))
        inside: Any = records
        try:
            for part in way:
                inside = inside[part]
            kind = draw(st.sampled_from(["replace", "remove", "repeat", "swap"]))
            if kind == "replace":
                inside[name] = draw(json_values)
            elif kind == "remove":
                del inside[name]
            elif kind == "repeat" and isinstance(inside, list):
                inside.insert(name, copy.deepcopy(inside[name]))
            elif kind == "swap" and isinstance(inside, list):
                inside[0], inside[name] = inside[name], inside[0]
        except (LookupError, TypeError):
            continue  # an earlier change has taken the place away
    return records


@settings(max_examples=100, deadline=None)
@given(mutated(), st.booleans(), st.booleans())
def test_a_mutated_file_is_scored_or_refused_in_one_line(
    tmp_path_factory: pytest.TempPathFactory, records: Any, partial: bool, lenient: bool
) -> None:
    path = written(tmp_path_factory.getbasetemp() / "mutated.json", records)
    try:
        found = check(path, TASKS, partial=partial, lenient=lenient)
    except InputError as error:
        assert len(str(error)) < 2000
    else:
        assert len(found.tasks) == 6 or partial
        assert all(np.isfinite(array).all() for array in found.scores.values())


@settings(max_examples=100, deadline=None)
@given(mutated())
def test_what_is_read_is_what_the_schema_allows(records: Any) -> None:
    validator = jsonschema.Draft202012Validator(SCHEMA)
    for record in records:
        try:
            read_result(record, "record")
        except InputError:
            continue
        assert not [error.message for error in validator.iter_errors([record])], record


def test_the_schema_holds_for_what_we_write(file: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(json.loads(file.read_text()), SCHEMA)
    assert set(SCHEMA["items"]["properties"]) == set(RECORDS[0])
