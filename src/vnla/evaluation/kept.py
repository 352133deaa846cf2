"""An evaluation on disk: all that happened in every episode, so that tables and figures never need the agent again.

`evaluation.npz` has the arrays of `Scores` and the fields of `Trace`, whole numbers in as few bytes as they need, and the
seeds and ids of the tasks; `docs/formats.md` describes each. There is no pickle in it. Whatever scores a file has are read:
those of somebody's own metrics come back too, and a figure whose scores are not there is not told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from vnla.common import files
from vnla.common.arrays import read_arrays, unpacked, write_arrays
from vnla.common.errors import InputError
from vnla.evaluation.evaluate import Evaluation, Piece
from vnla.evaluation.scores import Scores
from vnla.evaluation.trace import NOTHING, TENSORS, Trace
from vnla.roles.advisor import Advisor, TemplateAdvisor
from vnla.tasks.task_set import TaskSet
from vnla.world.actions import NAV_ACTIONS

EVALUATION = "evaluation.npz"
_SCORES = "scores."
_WHAT = "an evaluation that `vnla paper` or `vnla evaluate --npz` has made"
_LARGEST = 512 * files.MEGABYTE


def write_evaluation(path: Path, evaluation: Evaluation) -> None:
    """Write an evaluation to the file `path`."""
    arrays = _arrays(evaluation.trace, evaluation.scores)
    arrays["seeds"] = np.array(evaluation.seeds)
    arrays["tasks"] = np.array([task.id for task in evaluation.tasks.tasks])
    write_arrays(path, arrays)


def write_pieces(path: Path, pieces: Sequence[Piece], ids: Sequence[str], seeds: Sequence[int]) -> None:
    """Write some batches of an evaluation to the file `path`; `ids` are those of all tasks."""
    trace = Trace.join([piece.trace for piece in pieces])
    arrays = _arrays(trace, Scores.join([piece.scores for piece in pieces]))
    arrays["first"] = np.array([piece.rows[0] for piece in pieces])
    arrays["size"] = np.array([len(piece.trace) for piece in pieces])
    arrays["seeds"], arrays["tasks"] = np.array(seeds), np.array(ids)
    write_arrays(path, arrays)


def read_pieces(path: Path, ids: Sequence[str], seeds: Sequence[int]) -> list[Piece]:
    """The batches in a file that `write_pieces` wrote, of these tasks and seeds."""
    arrays = _read(path)
    scores = _scores(path, arrays)
    try:
        trace = _trace(arrays, TemplateAdvisor())
        found = arrays["tasks"].tolist(), arrays["seeds"].tolist()
        places = zip(arrays["first"].tolist(), arrays["size"].tolist(), strict=True)
        ends = np.cumsum(arrays["size"]).tolist()
    except (KeyError, ValueError) as error:
        raise InputError(f"{path}: lacks {error}; expected a part of an evaluation") from None
    if found != (list(ids), list(seeds)):
        raise InputError(f"{path}: is of other tasks or seeds than these; remove it and run its shard again")
    rows = [(range(first, first + size), slice(end - size, end)) for (first, size), end in zip(places, ends, strict=True)]
    return [Piece(np.array(numbers), trace.rows(which), scores.rows(which)) for numbers, which in rows]


def _arrays(trace: Trace, scores: Scores) -> dict[str, NDArray[Any]]:
    arrays: dict[str, NDArray[Any]] = {f"{_SCORES}{name}": array for name, array in scores.items()}
    arrays |= {f"trace.{name}": getattr(trace, name).numpy() for name in TENSORS}
    arrays["texts"] = np.array(trace.texts, dtype=np.str_)
    return arrays


def read_scores(path: Path) -> Scores:
    """The scores of an evaluation, (seeds, tasks)."""
    return _scores(path, _read(path))


def _scores(path: Path, arrays: Mapping[str, NDArray[Any]]) -> Scores:
    found = {name.removeprefix(_SCORES): unpacked(each) for name, each in arrays.items() if name.startswith(_SCORES)}
    if "success" not in found:
        raise InputError(f"{path}: lacks '{_SCORES}success'; expected {_WHAT}")
    try:
        return Scores(found)
    except InputError as error:
        raise InputError(f"{path}: {error}; expected {_WHAT}") from None


def read_evaluation(path: Path, tasks: TaskSet, advisor: Advisor) -> Evaluation:
    """A whole evaluation of `tasks`; `advisor` is who helped, which old files do not say."""
    arrays = _read(path)
    scores = _scores(path, arrays)
    ids, seeds, trace = _told(path, arrays, advisor)
    if ids != [task.id for task in tasks.tasks]:
        raise InputError(f"{path}: is of other tasks than this data set has; remove it and run the command again")
    return Evaluation(tasks, seeds, trace, scores)


def read_trace(path: Path) -> tuple[list[str], tuple[int, ...], Trace]:
    """The tasks, the seeds and all that happened, of a file that may be anybody's."""
    return _told(path, _read(path), TemplateAdvisor())


def _told(path: Path, arrays: dict[str, NDArray[Any]], advisor: Advisor) -> tuple[list[str], tuple[int, ...], Trace]:
    try:
        trace = _trace(arrays, advisor)
        seeds, ids = tuple(map(int, arrays["seeds"].ravel())), [str(each) for each in arrays["tasks"].ravel()]
    except KeyError as error:
        raise InputError(f"{path}: lacks {error}; expected {_WHAT}") from None
    except (RuntimeError, TypeError, ValueError, OverflowError, SystemError) as error:  # the last: no character
        raise InputError(f"{path}: has an array of the wrong kind ({error}); expected {_WHAT}") from None
    _check_shapes(path, trace, len(ids) * len(seeds))
    return ids, seeds, trace


def _check_shapes(path: Path, trace: Trace, episodes: int) -> None:
    steps = trace.nav.shape[1] if trace.nav.ndim == 2 else 0
    one, each = ("length", "help_budget"), ("nav", "request", "teacher_request", "reason", "phrase")
    shapes = dict.fromkeys(one, (episodes,)) | dict.fromkeys(each, (episodes, steps)) | {"pose": (episodes, steps + 1)}
    for name, shape in shapes.items():
        found = getattr(trace, name)
        if found.shape != shape or not episodes:
            raise InputError(f"{path}: trace.{name} has the shape {tuple(found.shape)}, not {shape}; expected {_WHAT}")
        if found.dtype != (torch.bool if name.endswith("request") else torch.int64):
            raise InputError(f"{path}: trace.{name} is of {found.dtype}; expected {_WHAT}")
    taken = torch.arange(steps) < trace.length[:, None]
    if (
        not ((trace.length >= 0) & (trace.length <= steps)).all()
        or not ((trace.nav >= NOTHING) & (trace.nav < NAV_ACTIONS))[taken].all()
    ):
        raise InputError(f"{path}: trace.length or trace.nav is out of range; expected {_WHAT}")


def _trace(arrays: dict[str, NDArray[Any]], advisor: Advisor) -> Trace:
    """The trace in a file. Older files have the codes of an advisor's subgoals instead of phrases with their texts."""
    found = {name: arrays.get(f"trace.{name}") for name in TENSORS}
    texts = tuple(arrays["texts"].tolist()) if "texts" in arrays else ()
    if found["phrase"] is None:
        codes, places = np.unique(unpacked(arrays["trace.subgoal"]), return_inverse=True)
        said = codes[codes != NOTHING]
        texts = tuple(advisor.text(int(code)) for code in said)
        found["phrase"] = places.reshape(arrays["trace.subgoal"].shape) - (len(codes) - len(said))
    missing = next((name for name, array in found.items() if array is None), None)
    if missing is not None:
        raise KeyError(f"trace.{missing}")
    return Trace(
        **{name: torch.from_numpy(unpacked(array)) for name, array in found.items() if array is not None}, texts=texts
    )


def _read(path: Path) -> dict[str, NDArray[Any]]:
    return read_arrays(path, _WHAT, _LARGEST)
