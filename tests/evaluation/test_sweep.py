"""Success against help: budgets grow with τ, shrink with k, and are drawn."""

from __future__ import annotations

import json

import pytest
import torch

from cottage_players import TASKS, VOCABULARY, context
from vnla.assistance.help_policies import AtFirst
from vnla.common.errors import InputError
from vnla.evaluation.sweep import SweepRow, sweep, with_k
from vnla.world.actions import Nav


@pytest.fixture(scope="module")
def rows() -> list[SweepRow]:
    four = context(policy=AtFirst())
    two = with_k(four, 2, VOCABULARY)
    return sweep({4: four, 2: two}, TASKS, ratios=(0.32, 0.0, 0.16), seeds=(1, 2))


def test_requests_are_time_times_ratio_over_k(rows: list[SweepRow]) -> None:
    """25 · 0.16 / 4 = 1 and so on: whole numbers, so nothing is left to chance."""
    expected = [(0.0, 2, 0), (0.16, 2, 2), (0.32, 2, 4), (0.0, 4, 0), (0.16, 4, 1), (0.32, 4, 2)]
    assert [(row.ratio, row.k, row.figures["requests"].mean) for row in rows] == expected


def test_rows_are_json(rows: list[SweepRow]) -> None:
    record = json.loads(json.dumps(rows[4].as_dict(), allow_nan=False))
    assert (record["ratio"], record["k"], record["requests"]) == (0.16, 4, [1.0, 0.0])


def test_another_k_has_its_own_words() -> None:
    two = with_k(context(), 2, VOCABULARY)
    assert two.advisor.k == 2
    assert len(two.bound_advisor.phrases.words.length) == 6**2 + 1


def test_words_that_nobody_said_in_training_are_unknown() -> None:
    """Five turns to the left: "turn 150 degrees left .", backwards, then the end mark."""
    five = with_k(context(), 5, VOCABULARY)
    words = [".", "left", "degrees", None, "turn"]
    expected = [VOCABULARY.unknown if word is None else VOCABULARY[word] for word in words] + [VOCABULARY.end]
    code = int(five.advisor.code(torch.tensor([[int(Nav.LEFT)] * 5])))
    tails = five.bound_advisor.phrases.tails
    assert tails.tokens[code, : tails.length[code]].tolist() == expected


def test_nonsense_is_refused() -> None:
    with pytest.raises(InputError, match=r"ratio of 1\.5"):
        sweep({4: context()}, TASKS, ratios=(0.4, 1.5))
