"""Scores are of help budgets that the scorer's seeds draw: who chooses among budgets after the walk is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import torch

from cottage_players import TASKS, WORLD, context
from vnla.assistance.acting import Acting, sampled
from vnla.assistance.help_policies import AtRandom
from vnla.common.errors import InputError
from vnla.evaluation.allowance import Allowance
from vnla.evaluation.checked import check
from vnla.evaluation.contest import ScoringData, enter, pairs
from vnla.evaluation.evaluate import SEEDS, Evaluation, evaluate
from vnla.evaluation.evaluation_file import write_evaluation
from vnla.evaluation.results import results_of, write_results
from vnla.gym import AskNavEnv
from vnla.report.contest import entries_table, pairs_table
from vnla.tasks.dataset import Dataset
from vnla.tasks.task_set import TaskSet
from vnla.world.budgets import TimeBudgets
from vnla.world.forward import INFORMED


def cottage_tasks_often(count: int) -> TaskSet:
    """The cottage's six tasks again and again, each with an id and with budgets of its own."""
    some = TASKS.rows([number % len(TASKS) for number in range(count)])
    named = tuple(replace(task, id=f"{number}") for number, task in enumerate(some.tasks))
    return replace(some, tasks=named, key=torch.arange(1000, 1000 + count))


MANY = cottage_tasks_often(60)
PLAYED = context(Acting(sampled, direct=True), AtRandom())


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    """A walker that acts, and asks, at random, under the five seeds."""
    return evaluate(PLAYED, MANY, seeds=SEEDS)


def material(**allowed: Any) -> ScoringData:
    dataset = Dataset(Path("tasks"), "asknav", {"test_unseen": Path("tasks/none.json")}, {})
    dataset._read["test_unseen"] = MANY.tasks
    return ScoringData(WORLD, dataset, Allowance(**allowed), _compiled={("test_unseen", INFORMED): MANY})


def best_of_five(evaluation: Evaluation, path: Path, change: Callable[[dict[str, Any]], object] = lambda _: None) -> Path:
    """Write for each task the walk of the seed under which it goes best: by success, then by help."""
    under = [results_of(evaluation, seed) for seed in SEEDS]
    best = [max(walks, key=lambda walk: (walk.is_success, walk.help_budget)) for walks in zip(*under, strict=True)]
    records = [asdict(each) for each in best]
    for record in records:
        change(record)
    path.write_text(json.dumps(records))
    return path


def test_the_best_of_five_seeds_is_refused(evaluation: Evaluation, tmp_path: Path) -> None:
    own = 100 * float(evaluation.scores.success[0].mean())
    chosen = best_of_five(evaluation, tmp_path / "chosen.json")
    gained = 100 * float(check(chosen, MANY, Allowance(seed=None)).scores.success.mean())
    assert gained > own + 5, "this walker gains nothing, so the test says nothing"
    with pytest.raises(InputError, match=r"field help_budget is 2, but seed 123 draws 3 .* 11 records are wrong in all"):
        check(chosen, MANY)


def test_a_file_that_names_no_budgets_is_held_to_those_of_the_seed(evaluation: Evaluation, tmp_path: Path) -> None:
    hidden = best_of_five(evaluation, tmp_path / "hidden.json", lambda record: record.pop("help_budget"))
    check(hidden, MANY, Allowance(seed=None))
    with pytest.raises(InputError, match=r"asks once more than the help budget of 2 allows \(seed 123, "):
        check(hidden, MANY)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_results_file_has_the_scores_of_its_own_seed_alone(evaluation: Evaluation, tmp_path: Path, seed: int) -> None:
    write_results(tmp_path / "mine.json", results_of(evaluation, seed))
    entry = enter(tmp_path / "mine.json", material(seed=seed))
    assert (entry.seeds, entry.any_budget) == ((seed,), False)
    if seed != SEEDS[0]:
        with pytest.raises(InputError, match=f"but seed {SEEDS[0]} draws"):
            enter(tmp_path / "mine.json", material())


def changed_budgets(evaluation: Evaluation, change: Callable[[torch.Tensor], torch.Tensor]) -> Evaluation:
    return replace(evaluation, trace=replace(evaluation.trace, help_budget=change(evaluation.trace.help_budget)))


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda found: changed_budgets(found, lambda budget: budget + 1), r"help budget is \d, but seed 123 draws \d"),
        (lambda found: changed_budgets(found, lambda budget: budget.roll(len(MANY))), r"but seed \d+ draws \d"),
        (lambda _: evaluate(PLAYED, MANY, seeds=SEEDS, ratio=0.8), r"but seed 123 draws \d .*τ = 0\.4 and k = 4"),
        (lambda found: replace(found, seeds=(123, 435, 435, 867, 983)), r"has the seed 435 more than once"),
        (lambda found: replace(found, seeds=tuple(range(2**63, 2**63 + 5))), r"one of its seeds is 9223372036854775812"),
        (lambda _: evaluate(PLAYED, MANY, seeds=(7, 123)), None),
        (lambda _: evaluate(PLAYED, MANY, seeds=(435, 7)), r"its seeds are 435, 7; .* seed 123"),
    ],
)
def test_an_evaluation_has_the_budgets_of_its_seeds(
    evaluation: Evaluation, tmp_path: Path, made: Callable[[Evaluation], Evaluation], message: str | None
) -> None:
    write_evaluation(tmp_path / "evaluation.npz", made(evaluation))
    if message is None:
        entry = enter(tmp_path / "evaluation.npz", material())
        assert (entry.seeds, entry.scores.shape) == ((123,), (1, len(MANY)))
        return
    with pytest.raises(InputError, match=message) as error:
        enter(tmp_path / "evaluation.npz", material())
    assert "\n" not in str(error.value)


def test_an_evaluation_counts_with_the_seeds_that_the_scorer_gives(evaluation: Evaluation, tmp_path: Path) -> None:
    path = tmp_path / "evaluation.npz"
    write_evaluation(path, evaluation)
    assert enter(path, material()).seeds == SEEDS
    alone = enter(path, material(seed=867))
    assert alone.seeds == (867,)
    assert alone.scores.success[0].tolist() == evaluation.scores.success[3].tolist()
    write_evaluation(path, evaluate(PLAYED, MANY, seeds=(435, 123, 983)))
    assert enter(path, material()).seeds == (123, 435), "983 alone may have been chosen of the last three"


def test_any_budget_is_said_loudly(evaluation: Evaluation, tmp_path: Path) -> None:
    write_results(tmp_path / "one.json", results_of(evaluation))
    one, other = (
        enter(path, material(seed=None)) for path in (tmp_path / "one.json", best_of_five(evaluation, tmp_path / "two.json"))
    )
    assert one.any_budget and one.as_dict()["comparable"] is False and one.as_dict()["budget_seeds"] is None
    table = entries_table([one, other])
    assert "any budget; not comparable" in table.title
    assert ("budget seeds", "any", "any") in table.rows
    found = pairs([one, other])
    verdicts = [row[2] for row in pairs_table(found).rows if isinstance(row, tuple)]
    assert set(verdicts) == {"not comparable", None}
    assert found[0].as_dict()["comparable"] is False


def test_no_seed_is_compared_with_any_budget(evaluation: Evaluation, tmp_path: Path) -> None:
    write_results(tmp_path / "one.json", results_of(evaluation))
    held = enter(tmp_path / "one.json", material())
    assert held.as_dict()["comparable"] is True and held.as_dict()["budget_seeds"] == [123]
    assert ("budget seeds", "123") in entries_table([held]).rows


def test_the_environment_draws_what_files_are_held_to() -> None:
    env = AskNavEnv(budgets=TimeBudgets())
    given = [int(env.reset(seed=SEEDS[0], options={"task": each.id})[0]["requests_left"]) for each in TASKS.tasks]
    assert given == Allowance().largest(TASKS) and len(set(given)) > 1
