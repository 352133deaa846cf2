"""Scores as arrays by name."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from vnla.common.errors import InputError
from vnla.evaluation.scores import Scores

TWO = Scores({"success": np.array([True, False]), "reasons": np.arange(6).reshape(2, 3)})


def test_an_array_is_had_by_its_name_and_as_an_attribute() -> None:
    assert set(TWO) == {"success", "reasons"} and len(TWO) == 2
    assert TWO.success is TWO["success"]
    assert TWO.shape == (2,)
    with pytest.raises(AttributeError, match="these episodes have no score 'turns'"):
        _ = TWO.turns
    assert copy.copy(TWO).success is TWO.success


def test_scores_join_and_reshape_whole_episodes() -> None:
    table = Scores.join([TWO, TWO.rows(slice(1, None))]).reshape(1, 3)
    assert table.shape == (1, 3)
    assert table.success.tolist() == [[True, False, False]]
    assert table.reasons.tolist() == [[[0, 1, 2], [3, 4, 5], [3, 4, 5]]]
    assert table.rows(0).success.tolist() == [True, False, False]
    assert Scores.join([TWO]).success.tolist() == [True, False]


def test_others_are_put_in_their_place_and_the_first_stay() -> None:
    changed = TWO | {"success": np.array([0.5, 1.0]), "turns": np.array([1, 2])}
    assert changed.success.tolist() == [0.5, 1.0] and changed.turns.tolist() == [1, 2]
    assert TWO.success.tolist() == [True, False] and "turns" not in TWO
    with pytest.raises(TypeError):
        TWO["success"] = changed.success  # type: ignore[index]


def test_arrays_are_of_the_same_episodes() -> None:
    with pytest.raises(InputError, match=r"scores: turns has the shape \(3,\), but the episodes have \(2,\)"):
        TWO | {"turns": np.zeros(3)}
