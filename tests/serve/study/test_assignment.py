"""Cells, orders and what comes next; `test_balance` has how they fill."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from vnla.common.errors import InputError
from vnla.serve.study.assignment import Count, Next, Try, cells, chosen, schedule, what_next, williams
from vnla.serve.study.design import Design, PracticeRules, StudyCondition
from vnla.serve.study.store import Store, StudyKey

SECRET = StudyKey(b"key")


def design(kinds: tuple[str, ...] = ("help:person", "beat"), **fields: object) -> Design:
    return Design.model_validate(
        {
            "name": "try",
            "world": "world",
            "tasks": "tasks",
            "agents": {"learned": "run"},
            "conditions": [StudyCondition(name=kind, kind=kind, agent="learned") for kind in kinds],  # type: ignore[arg-type]
            "arrangement": "within",
            "groups": [[f"t{i}" for i in range(2 * len(kinds))]],
            "practice": PracticeRules(tasks=["p0", "p1"], passes=1, most=3),
            "catch": ["c0"],
            **fields,
        }
    )


@pytest.mark.parametrize("count", range(1, 9))
def test_every_order_is_balanced_in_places_and_in_what_follows_what(count: int) -> None:
    rows = williams(count)
    assert len(rows) == (count if count % 2 == 0 or count == 1 else 2 * count)
    at_place = Counter((place, each) for row in rows for place, each in enumerate(row))
    follows = Counter(pair for row in rows for pair in pairwise(row))
    assert len(at_place) == count**2 and len(set(at_place.values())) == 1
    assert len(follows) == count * (count - 1) and len(set(follows.values())) <= 1


def test_every_task_is_done_equally_often_under_every_condition() -> None:
    study = design(("help:advisor", "help:person", "beat"), catch=[])
    done = Counter(
        (place.tasks[0], place.condition.name)
        for cell in cells(study)
        for place in schedule(study, cell)
        if place.kind == "task"
    )
    assert len(done) == 6 * 3 and set(done.values()) == {2}


def test_places_are_practice_then_blocks_each_with_an_easy_task_that_is_not_its_first() -> None:
    study = design(("help:advisor", "beat"))
    for cell in cells(study):
        todo = schedule(study, cell)
        assert [place.kind for place in todo].count("practice") == 1  # nothing to practise in watching
        assert todo[0].kind == "practice" and todo[0].condition.kind == "beat"
        kinds = [place.kind for place in todo if place.condition.kind == "beat"][1:]
        assert sorted(kinds) == ["catch", "task", "task"] and kinds[0] == "task"


def test_practice_goes_on_until_it_goes_well_or_too_often_does_not() -> None:
    study = design(("beat",))
    todo = schedule(study, cells(study)[0])
    tries = [Try(1, 0, "p0", False), Try(2, 0, "p1", False)]
    assert what_next(study, todo, []) == Next("task", 0, "p0")
    assert what_next(study, todo, tries) == Next("task", 0, "p0")
    assert what_next(study, todo, [*tries, Try(3, 0, "p0", False)]) == Next("out")
    passed = [*tries, Try(3, 0, "p0", True)]
    assert what_next(study, todo, passed) == Next("task", 1, "t0")
    rest = [Try(3 + i, i, "", False) for i in range(1, len(todo))]
    assert what_next(study, todo, [*passed, *rest]) == Next("done")


def test_fewest_completed_first_then_fewest_begun_then_the_draw() -> None:
    def draw(cell: int) -> bytes:
        return bytes([9 - cell])

    assert chosen([Count(2, 0, 2), Count(1, 0, 9), Count(2, 0, 2)], draw) == 1
    assert chosen([Count(1, 0, 5), Count(1, 0, 4), Count(0, 1, 5)], draw) == 1
    assert chosen([Count(1, 1, 4), Count(0, 2, 4), Count(2, 0, 4)], draw) == 2


def test_who_comes_twice_is_one_participant_and_the_study_can_be_full(tmp_path: Path) -> None:
    store = Store(tmp_path, SECRET, cells=2, patience=1e9)
    first = store.join("a" * 32, "v", "platform-1", most=2)
    assert store.join("a" * 32, "v", "platform-1", most=2) == first
    with pytest.raises(InputError, match="begun this study already"):
        store.join("b" * 32, "v", "platform-1", most=2)
    assert store.join("b" * 32, "v", "platform-2", most=2).cell != first.cell
    with pytest.raises(InputError, match="as many participants as it needs"):
        store.join("c" * 32, "v", most=2)


def test_nothing_of_a_person_can_be_read_back(tmp_path: Path) -> None:
    store = Store(tmp_path, SECRET, cells=1, patience=1e9)
    someone = store.join("a" * 32, "v", "PROLIFIC-4711")
    there = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"a" * 32 not in there and b"PROLIFIC" not in there and someone.id.encode() in there
    store.withdraw(someone.id)
    assert store.withdrawn() == [someone.id] and store.everybody() == []
    store.forget(someone.id)
    assert someone.id.encode() not in b"".join(path.read_bytes() for path in tmp_path.iterdir())


def test_another_configuration_is_refused_once_somebody_takes_part(tmp_path: Path) -> None:
    store = Store(tmp_path, SECRET, cells=1, patience=1e9)
    store.check("one")
    store.check("two")
    store.join("a" * 32, "v")
    store.check("two")
    with pytest.raises(InputError, match="changed after people had begun"):
        store.check("one")
