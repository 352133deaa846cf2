"""Evaluations that shards have carried out, and the whole of them.

What is shared are the evaluations of runs on splits; where shards are more than those, the batches of each, which are the
same as on one machine, so that every episode is computed as it would be there.

::

    evaluations.shards/2-of-8/<run>/<split>-0-of-3.npz     every third batch of an evaluation, from the first on
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from math import gcd
from pathlib import Path
from typing import Any, NamedTuple

from vnla.common import files
from vnla.common.errors import InputError
from vnla.evaluation.evaluate import EvaluatedBatch, Evaluation, joined
from vnla.evaluation.evaluation_file import read_pieces, write_pieces
from vnla.evaluation.metrics import Metric
from vnla.pipeline.shards.parts import ShardParts
from vnla.pipeline.shards.shard import shards
from vnla.tasks.task_set import TaskSet
from vnla.training.checkpoints import CONFIG, TUNED

PLACES = ("world", "tasks", "begins_with")
"""Of a run's configuration what differs where a disk is mounted elsewhere."""


class EvaluationSlice(NamedTuple):
    """Every n-th batch of the evaluation of a run on a split."""

    run: str
    split: str
    which: int
    of: int

    @property
    def every(self) -> tuple[int, int]:
        """Which batches, as `vnla.evaluation.evaluate.played` has it."""
        return self.which, self.of

    def file(self, place: Path) -> Path:
        """Where it is in the folder of a part."""
        return place / self.run / f"{self.split}-{self.which}-of-{self.of}.npz"


def slices(runs: Sequence[str], splits: Sequence[str], count: int) -> list[list[EvaluationSlice]]:
    """What each of so many shards carries out."""
    pairs = [(run, split) for run in runs for split in splits]
    of = 1 if len(pairs) >= count else count // gcd(count, len(pairs))
    every = [EvaluationSlice(run, split, which, of) for run, split in pairs for which in range(of)]
    return [every[number::count] for number in range(count)]


def evaluation_parts(out: Path, runs: Mapping[str, Path], settings: Mapping[str, Any]) -> ShardParts:
    """The parts of evaluations that are to be in `out`; runs are known by their name and all that they have learned."""
    return ShardParts(out, "evaluations", {"runs": {name: _learned(path) for name, path in runs.items()}, **settings})


def write_slice(
    place: Path, part: EvaluationSlice, pieces: Sequence[EvaluatedBatch], tasks: TaskSet, seeds: Sequence[int]
) -> None:
    """Write a slice into the folder of a part; one without a batch leaves no file."""
    if pieces:
        write_pieces(part.file(place), pieces, [task.id for task in tasks.tasks], seeds)


class MergedEvaluations:
    """The evaluations of all shards, which were checked."""

    def __init__(self, parts: ShardParts, runs: Sequence[str], splits: Sequence[str]) -> None:
        self._parts, count = parts, len(parts.complete())
        self._slices = dict(zip(shards(count), slices(runs, splits, count), strict=True))

    def evaluation(
        self, run: str, split: str, tasks: TaskSet, seeds: Sequence[int], metrics: Mapping[str, Metric]
    ) -> Evaluation:
        """The whole evaluation of a run on a split."""
        ids = [task.id for task in tasks.tasks]
        pieces: list[EvaluatedBatch] = []
        for shard, mine in self._slices.items():
            for part in mine:
                file = part.file(self._parts.place(shard))
                if (part.run, part.split) == (run, split) and file.exists():
                    pieces += read_pieces(file, ids, seeds)
        pieces.sort(key=lambda piece: int(piece.rows[0]))
        self._check(pieces, len(tasks) * len(seeds), f"{run}, {split}")
        return joined(tasks, seeds, pieces, metrics)

    def _check(self, pieces: Sequence[EvaluatedBatch], episodes: int, what: str) -> None:
        """That every episode is there once: it is not where a machine had memory for other batches than the others."""
        end = 0
        for piece in pieces:
            if piece.rows[0] != end:
                break
            end += len(piece.trace)
        if end != episodes:
            raise InputError(
                f"{self._parts.folder}: the batches of {what} do not fit together: the machines had memory for batches of"
                " different sizes; run all shards on machines of one kind"
            )


def _learned(run: Path) -> str:
    """A checksum of what a run has learned and how: its configuration, but for places, what was chosen for its
    help policy, and its checkpoints."""
    digest = hashlib.sha256()
    config = files.read_json(run / CONFIG, "the configuration of a run")
    digest.update(json.dumps({name: config[name] for name in sorted(config) if name not in PLACES}).encode())
    for path in [*run.glob(TUNED), *sorted(run.glob("*.safetensors"))]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]
