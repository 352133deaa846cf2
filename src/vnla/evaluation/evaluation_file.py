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

from vnla.assistance.advisor import Advisor, TemplateAdvisor
from vnla.assistance.help_teacher import Reason
from vnla.camera import VIEWS
from vnla.common import files
from vnla.common.arrays import NUMBERS, TEXTS, TRUTHS, WHOLE, ArraySpec, check_arrays, read_arrays, unpacked, write_arrays
from vnla.common.errors import InputError
from vnla.evaluation.evaluate import EvaluatedBatch, Evaluation
from vnla.evaluation.scores import Scores
from vnla.evaluation.trace import NOTHING, TENSORS, Trace
from vnla.tasks.task_set import TaskSet
from vnla.world.actions import NAV_ACTIONS
from vnla.world.forward import INFORMED, check_forward

EVALUATION = "evaluation.npz"
_SCORES = "scores."
_WHAT = "an evaluation that `vnla paper` or `vnla evaluate --npz` has made"
_PART = "a part of an evaluation"
_LARGEST = 512 * files.MEGABYTE
_LARGEST_CODE = 1 << 40  # of a subgoal, in old files
_MOST_REQUESTS = 1 << 31


def write_evaluation(path: Path, evaluation: Evaluation) -> None:
    """Write an evaluation to the file `path`."""
    arrays = _arrays(evaluation.trace, evaluation.scores)
    arrays["seeds"] = np.array(evaluation.seeds)
    arrays["tasks"] = np.array([task.id for task in evaluation.tasks.tasks])
    if evaluation.forward != INFORMED:
        arrays["forward"] = np.array([evaluation.forward])
    write_arrays(path, arrays)


def write_pieces(path: Path, pieces: Sequence[EvaluatedBatch], ids: Sequence[str], seeds: Sequence[int]) -> None:
    """Write some batches of an evaluation to the file `path`; `ids` are those of all tasks."""
    trace = Trace.join([piece.trace for piece in pieces])
    arrays = _arrays(trace, Scores.join([piece.scores for piece in pieces]))
    arrays["first"] = np.array([piece.rows[0] for piece in pieces])
    arrays["size"] = np.array([len(piece.trace) for piece in pieces])
    arrays["seeds"], arrays["tasks"] = np.array(seeds), np.array(ids)
    write_arrays(path, arrays)


def read_pieces(path: Path, ids: Sequence[str], seeds: Sequence[int]) -> list[EvaluatedBatch]:
    """Return the batches in a file that `write_pieces` wrote, of these tasks and seeds."""
    arrays, most = _read(path), len(ids) * len(seeds)
    sizes = {"first": ArraySpec(WHOLE, ("pieces",), 0, most), "size": ArraySpec(WHOLE, ("pieces",), 1, most)}
    check_arrays(path, _PART, arrays, sizes)
    first, size = unpacked(arrays["first"]), unpacked(arrays["size"])
    episodes = int(size.sum())
    if not len(size) or (first + size).max() > most:
        raise InputError(f"{path}: first or size is out of range; expected {_PART}")
    scores = _scores(path, arrays, (episodes,))
    found_ids, found_seeds, trace = _tasks_seeds_trace(path, arrays, TemplateAdvisor(), episodes)
    if (found_ids, found_seeds) != (list(ids), tuple(seeds)):
        raise InputError(f"{path}: is of other tasks or seeds than these; remove it and run its shard again")
    places = zip(first.tolist(), size.tolist(), np.cumsum(size).tolist(), strict=True)
    rows = [(range(begin, begin + count), slice(end - count, end)) for begin, count, end in places]
    return [EvaluatedBatch(np.array(numbers), trace.rows(which), scores.rows(which)) for numbers, which in rows]


def _arrays(trace: Trace, scores: Scores) -> dict[str, NDArray[Any]]:
    arrays: dict[str, NDArray[Any]] = {f"{_SCORES}{name}": array for name, array in scores.items()}
    arrays |= {f"trace.{name}": getattr(trace, name).numpy() for name in TENSORS}
    arrays["texts"] = np.array(trace.texts, dtype=np.str_)
    return arrays


def read_scores(path: Path) -> Scores:
    """Return the scores of an evaluation, (seeds, tasks)."""
    return _scores(path, _read(path), ("seeds", "tasks"))


def _scores(path: Path, arrays: Mapping[str, NDArray[Any]], shape: tuple[int | str, ...]) -> Scores:
    """Return the scores in a file, of which the first axes are to be of a `shape`."""
    names = [name for name in arrays if name.startswith(_SCORES)]
    check_arrays(path, _WHAT, arrays, {f"{_SCORES}success": ArraySpec(TRUTHS, shape)})
    check_arrays(path, _WHAT, arrays, {name: ArraySpec(NUMBERS, arrays[name].shape, finite=False) for name in names})
    try:
        return Scores({name.removeprefix(_SCORES): unpacked(arrays[name]) for name in names})
    except InputError as error:
        raise InputError(f"{path}: {error}; expected {_WHAT}") from None


def read_evaluation(path: Path, tasks: TaskSet, advisor: Advisor) -> Evaluation:
    """Return a whole evaluation of `tasks`; `advisor` is who helped, which old files do not say."""
    arrays = _read(path)
    ids, seeds, trace = _tasks_seeds_trace(path, arrays, advisor)
    if ids != [task.id for task in tasks.tasks]:
        raise InputError(f"{path}: is of other tasks than this data set has; remove it and run the command again")
    if int(trace.pose.max()) >= VIEWS * len(tasks.environment.world.ids):
        raise InputError(f"{path}: is of another world than this data set; remove it and run the command again")
    walked, forward = _forward(path, arrays), tasks.environment.world.forward
    if walked != forward:
        raise InputError(f"{path}: was walked with forward {walked}, not {forward}; remove it and run the command again")
    return Evaluation(tasks, seeds, trace, _scores(path, arrays, (len(seeds), len(ids))))


def read_trace(path: Path) -> tuple[list[str], tuple[int, ...], Trace, str]:
    """Return the tasks, the seeds, all that happened and where `forward` went, of a file that may be anybody's."""
    arrays = _read(path)
    return *_tasks_seeds_trace(path, arrays, TemplateAdvisor()), _forward(path, arrays)


def _forward(path: Path, arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return where `forward` went; a file that does not say is older than the choice."""
    if "forward" not in arrays:
        return INFORMED
    check_arrays(path, _WHAT, arrays, {"forward": ArraySpec(TEXTS, (1,))})
    forward = str(arrays["forward"][0])
    try:
        check_forward(forward)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return forward


def _tasks_seeds_trace(
    path: Path, arrays: dict[str, NDArray[Any]], advisor: Advisor, episodes: int | None = None
) -> tuple[list[str], tuple[int, ...], Trace]:
    """Return the tasks, the seeds and the trace of so many episodes; unless that is said, of one for each task and seed."""
    whose = {"tasks": ArraySpec(TEXTS, ("tasks",)), "seeds": ArraySpec(WHOLE, ("seeds",))}
    check_arrays(path, _WHAT, arrays, whose)
    ids, seeds = arrays["tasks"].tolist(), tuple(arrays["seeds"].tolist())
    count = len(ids) * len(seeds) if episodes is None else episodes
    if not count:
        raise InputError(f"{path}: has no episodes; expected {_WHAT}")
    check_arrays(path, _WHAT, arrays, _trace_specs(arrays, count))
    return ids, seeds, _trace(arrays, advisor)


def _trace_specs(arrays: Mapping[str, NDArray[Any]], episodes: int) -> dict[str, ArraySpec]:
    """Return what the arrays of a trace of so many episodes have to be."""
    nav = arrays.get("trace.nav")
    steps = nav.shape[1] if nav is not None and nav.ndim == 2 else 0
    each, texts = (episodes, steps), arrays.get("texts", np.zeros(0))
    specs = {
        "nav": ArraySpec(WHOLE, each, NOTHING, NAV_ACTIONS - 1),
        "pose": ArraySpec(WHOLE, (episodes, steps + 1), 0),
        "length": ArraySpec(WHOLE, (episodes,), 0, steps),
        "request": ArraySpec(TRUTHS, each),
        "teacher_request": ArraySpec(TRUTHS, each),
        "reason": ArraySpec(WHOLE, each, NOTHING, len(Reason) - 1),
        "help_budget": ArraySpec(WHOLE, (episodes,), NOTHING, _MOST_REQUESTS),
    }
    if "trace.phrase" in arrays or "trace.subgoal" not in arrays:
        specs["phrase"] = ArraySpec(WHOLE, each, NOTHING, texts.size - 1)
    else:
        specs["subgoal"] = ArraySpec(WHOLE, each, NOTHING, _LARGEST_CODE)
    own = {f"trace.{name}": spec for name, spec in specs.items()}
    return own | ({"texts": ArraySpec(TEXTS, ("texts",))} if "texts" in arrays else {})


def _trace(arrays: dict[str, NDArray[Any]], advisor: Advisor) -> Trace:
    """The trace in a file. Older files have the codes of an advisor's subgoals instead of phrases with their texts."""
    found = {name: arrays.get(f"trace.{name}") for name in TENSORS}
    texts = tuple(arrays["texts"].tolist()) if "texts" in arrays else ()
    if found["phrase"] is None:
        codes, places = np.unique(unpacked(arrays["trace.subgoal"]), return_inverse=True)
        said = codes[codes != NOTHING]
        texts = tuple(advisor.text(int(code)) for code in said)
        found["phrase"] = places.reshape(arrays["trace.subgoal"].shape) - (len(codes) - len(said))
    return Trace(
        **{name: torch.from_numpy(unpacked(array)) for name, array in found.items() if array is not None}, texts=texts
    )


def _read(path: Path) -> dict[str, NDArray[Any]]:
    return read_arrays(path, _WHAT, _LARGEST)
