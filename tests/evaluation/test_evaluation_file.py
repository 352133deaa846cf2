"""Evaluations on disk. `data/evaluation.npz` was written before metrics could be added: two seeds of the cottage's tasks."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cottage_players import TASKS, context
from vnla.assistance.advisor import TemplateAdvisor
from vnla.assistance.help_policies import AtFirst
from vnla.common.errors import InputError
from vnla.evaluation.evaluate import EvaluatedBatch, evaluate
from vnla.evaluation.evaluation_file import read_evaluation, read_pieces, read_scores, write_evaluation, write_pieces
from vnla.evaluation.metrics import METRICS, score
from vnla.evaluation.trace import TENSORS

EARLIER = Path(__file__).parent / "data" / "evaluation.npz"


def test_a_file_on_somebodys_disk_is_read_and_tells_every_figure() -> None:
    found = read_evaluation(EARLIER, TASKS, TemplateAdvisor())
    assert found.seeds == (123, 435) and found.scores.shape == (2, 6)
    assert set(found.summary()) == set(METRICS)
    assert found.summary()["success_rate"].each == (pytest.approx(100 * found.scores.success[0].mean()), pytest.approx(0))
    assert found.reasons["requests"] != found.reasons["steps"]


def test_its_scores_are_what_its_episodes_are_scored_now() -> None:
    found = read_evaluation(EARLIER, TASKS, TemplateAdvisor())
    again = score(found.trace, TASKS.environment, TASKS.goals.repeat(2)).reshape(2, 6)
    assert set(again) == set(found.scores)
    for name in again:
        assert np.allclose(again[name], found.scores[name]), name


def changed(path: Path, out: Path, **arrays: np.ndarray | None) -> Path:
    """The same file with some arrays put in or, where they are None, left out; a name's dots are written as __."""
    with np.load(path) as found:
        kept = dict(found) | {name.replace("__", "."): array for name, array in arrays.items()}
    np.savez(out, **{name: array for name, array in kept.items() if array is not None})
    return out


def test_a_score_that_is_missing_takes_only_its_figure_away(tmp_path: Path) -> None:
    path = changed(EARLIER, tmp_path / "evaluation.npz", scores__ndtw=None)
    found = read_evaluation(path, TASKS, TemplateAdvisor())
    assert set(found.summary()) == set(METRICS) - {"ndtw"}


def test_a_score_nobody_here_knows_comes_back_as_it_was(tmp_path: Path) -> None:
    turns = np.arange(12, dtype=np.float64).reshape(2, 6) / 8
    path = changed(EARLIER, tmp_path / "evaluation.npz", scores__turns=turns)
    assert np.array_equal(read_scores(path)["turns"], turns)
    write_evaluation(tmp_path / "again.npz", read_evaluation(path, TASKS, TemplateAdvisor()))
    assert np.array_equal(read_scores(tmp_path / "again.npz")["turns"], turns)


def _claiming(shape: tuple[int, ...]) -> bytes:
    """An array of which there is only the header."""
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return stream.getvalue()


def test_what_is_no_evaluation_is_named(tmp_path: Path) -> None:
    path = changed(EARLIER, tmp_path / "evaluation.npz", scores__success=None)
    with pytest.raises(InputError, match=r"evaluation\.npz: lacks 'scores\.success'"):
        read_scores(path)
    path = changed(EARLIER, tmp_path / "evaluation.npz", scores__turns=np.zeros((2, 5)))
    with pytest.raises(InputError, match=r"evaluation\.npz: scores: turns has the shape \(2, 5\)"):
        read_scores(path)
    path = changed(EARLIER, tmp_path / "evaluation.npz", trace__nav=None)
    with pytest.raises(InputError, match=r"evaluation\.npz: lacks 'trace\.nav'"):
        read_evaluation(path, TASKS, TemplateAdvisor())
    path = tmp_path / "claims.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("scores.success.npy", _claiming((1 << 36,)))
    with pytest.raises(InputError, match=r"claims\.npz: cannot be read"):
        read_scores(path)
    other = replace(TASKS, tasks=TASKS.tasks[::-1])
    with pytest.raises(InputError, match="is of other tasks"):
        read_evaluation(EARLIER, other, TemplateAdvisor())


ODD: dict[str, tuple[np.ndarray | None, str]] = {
    "tasks": (np.array(3), "tasks is of int64"),
    "seeds": (np.array([[123, 435]]), "seeds has 2 axes, not 1"),
    "texts": (np.zeros((0, 3), "<U1"), "texts has 2 axes, not 1"),
    "trace__pose": (np.full((12, 26), 2**63 - 1), "is of another world"),
    "trace__length": (np.full(12, 26), "trace.length has values from 26 to 26, not from 0 to 25"),
    "trace__nav": (np.zeros(()), "trace.nav is of float64"),
    "trace__request": (np.zeros((12, 25), np.int64), "trace.request is of int64"),
    "trace__reason": (np.full((12, 25), 7), "trace.reason has values from 7 to 7, not from -1 to 6"),
    "trace__phrase": (np.zeros((12, 25), np.int64), "trace.phrase has values from 0 to 0, not from -1 to -1"),
    "trace__subgoal": (np.full((12, 25), -2), "trace.subgoal has values from -2"),
    "trace__help_budget": (np.array([np.nan] * 12), "trace.help_budget is of float64"),
    "scores__success": (np.array(True), "scores.success has 0 axes, not 2"),
    "scores__turns": (np.full((2, 6), "x"), "scores.turns is of <U1"),
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_array_is_one_line(tmp_path: Path, name: str) -> None:
    odd, message = ODD[name]
    path = changed(EARLIER, tmp_path / "evaluation.npz", **{name: odd})
    with pytest.raises(InputError, match=message) as error:
        read_evaluation(path, TASKS, TemplateAdvisor())
    assert "\n" not in str(error.value) and str(error.value).startswith(str(path))


PIECES: dict[str, np.ndarray] = {
    "first": np.array([-1]),
    "size": np.array([2**62]),
    "trace__pose": np.array(["a"]),
    "scores__success": np.zeros((6, 6), bool),
    "tasks": np.zeros(0, "<U1"),
    "seeds": np.array(["1"]),
}


@pytest.mark.parametrize("name", PIECES)
def test_odd_arrays_of_a_part_are_one_line(tmp_path: Path, name: str) -> None:
    whole = evaluate(context(policy=AtFirst()), TASKS, seeds=[1])
    ids = [task.id for task in TASKS.tasks]
    piece = EvaluatedBatch(np.arange(6), whole.trace, whole.scores.reshape(6))
    write_pieces(tmp_path / "part.npz", [piece], ids, [1])
    (again,) = read_pieces(tmp_path / "part.npz", ids, [1])
    assert np.array_equal(again.rows, piece.rows) and np.array_equal(again.trace.pose, piece.trace.pose)
    path = changed(tmp_path / "part.npz", tmp_path / "odd.npz", **{name: PIECES[name]})
    with pytest.raises(InputError, match=r"odd\.npz: ") as error:
        read_pieces(path, ids, [1])
    assert "\n" not in str(error.value)


def test_everything_comes_back(tmp_path: Path) -> None:
    made = evaluate(context(policy=AtFirst()), TASKS, seeds=[1])
    write_evaluation(tmp_path / "evaluation.npz", made)
    read = read_evaluation(tmp_path / "evaluation.npz", TASKS, TemplateAdvisor())
    assert read.summary() == made.summary()
    assert all(np.array_equal(read.scores[name], array) for name, array in made.scores.items())
    assert read.trace.texts == made.trace.texts
    for name in TENSORS:
        assert np.array_equal(getattr(read.trace, name), getattr(made.trace, name)), name
