"""Trainings that were made and evaluated elsewhere: packed there, gathered here.

    pack(Path("learned.zip"), out, stages)             # there
    gather(out, stages, Path("learned.zip"))           # here

Weights stay where they were made. What travels is small: the configuration and the log of each run, its evaluations with
every episode, and the records of all stages that are done. Here a piece is taken if each record has the fingerprint that
the stage has here, and names commits that exist; if a run has the configuration that its record says; and if an evaluation
is of the tasks that are here. The evaluations of a training come with it, so that no table mixes two runs of one name.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vnla.common import files
from vnla.common.errors import InputError
from vnla.common.lock import alone_in
from vnla.common.machine import UNCOMMITTED
from vnla.evaluation.evaluation_file import EVALUATION, read_trace
from vnla.experiments.evaluations import EvaluationJob, PeerJob
from vnla.experiments.layout import dataset_at
from vnla.experiments.trainings import fingerprint
from vnla.pipeline.scheduler import RECORDS
from vnla.pipeline.stages import RECORD_ALONE, Stage, StageGraph, StageRecords, commits_in
from vnla.training.checkpoints import CONFIG, LOG, TUNED
from vnla.training.config import RunConfig

RUN_FILES = (CONFIG, LOG, f"{LOG}.gz", TUNED)
"""What travels of a run."""
EVALUATION_FILES = (EVALUATION, "summary.json")
"""What travels of an evaluation; its `results.json` is the first seed of what stands in these."""
MADE_HERE = ("world", "tasks")
"""Kinds of stages of which the records alone travel, because every machine makes the same."""

_WHAT = "trainings that `vnla paper --pack` has packed"
_RECORD = "the record of a stage"
_LARGEST = 1024 * files.MEGABYTE
_LONGEST = 80
"""Characters of a value that a message shows."""


def kind_of(stage: Stage) -> str:
    """Return the first word of a stage's name: world, features, tasks, train, evaluate or report."""
    return stage.name.partition("/")[0]


def pack(file: Path, out: Path, stages: Sequence[Stage]) -> list[str]:
    """Write what is done of `stages` in the folder `out`, without weights, to the zip archive `file`; return their names."""
    records = StageRecords(out / RECORDS, StageGraph(stages))
    done = [stage for stage in stages if kind_of(stage) != "report" and records.is_done(stage)]
    if not any(kind_of(stage) in ("train", "evaluate") for stage in done):
        raise InputError(f"{out}: no training or evaluation is done, so there is nothing to pack")
    paths = [path for stage in done for path in (records.file(stage), *_files_of(stage))]
    files.write_zip(file, {path.relative_to(out).as_posix(): path for path in paths})
    return [stage.name for stage in done]


def _files_of(stage: Stage) -> list[Path]:
    """Return the files that a stage has made and that travel."""
    names = {"train": RUN_FILES, "evaluate": EVALUATION_FILES}.get(kind_of(stage), ())
    if stage.makes.is_file():
        return [stage.makes] if names else []
    return [path for path in (stage.makes / name for name in names) if path.is_file()]


def gather(out: Path, stages: Sequence[Stage], source: Path, *, uncommitted: bool = False) -> list[str]:
    """Take what `source`, a folder of experiments or an archive, has and `out` has not; return the names of the stages.

    With `uncommitted` a record need not name a commit, or one that has all of the code.
    """
    with alone_in(out), _opened(source) as folder:
        return _Gathering(out, folder, source, StageGraph(stages), uncommitted).taken()


@contextmanager
def _opened(source: Path) -> Iterator[Path]:
    """The folder with the pieces, for the length of the block."""
    if source.is_dir():
        yield source
        return
    with tempfile.TemporaryDirectory() as temporary:
        files.unpack_zip(source, Path(temporary), _WHAT, _LARGEST)
        yield Path(temporary)


@dataclass(frozen=True)
class _Gathering:
    """The pieces in a `folder`, which people know as `source`."""

    out: Path
    folder: Path
    source: Path
    graph: StageGraph
    uncommitted: bool

    def taken(self) -> list[str]:
        """Check every record, then take what is not there yet; return the names of the stages."""
        records = StageRecords(self.out / RECORDS, self.graph)
        found = {name: self._record(records.file(stage)) for name, stage in self.graph.stages.items()}
        done = {name: record for name, record in found.items() if record.get("done") is True and name != "report"}
        if not done:
            raise InputError(f"{self.source}: no stage of these experiments is done; expected {_WHAT}")
        for name, record in done.items():
            with files.taken_apart(self.source, _WHAT):
                self._check_record(self.graph.stages[name], record, done)
        taken = []
        for name, record in done.items():
            stage = self.graph.stages[name]
            if kind_of(stage) == "train" and records.is_done(stage):
                self._check_same_run(stage)
            if kind_of(stage) not in MADE_HERE and not records.is_done(stage):
                self._take(stage, record, records.file(stage))
                taken.append(name)
        return taken

    def _record(self, here: Path) -> dict[str, Any]:
        path = self.folder / RECORDS / here.name
        record = files.read_json(path, _RECORD) if path.is_file() else {}
        return record if isinstance(record, dict) else {}

    def _check_record(self, stage: Stage, record: Mapping[str, Any], done: Mapping[str, Any]) -> None:
        if record.get("fingerprint") != self.graph.fingerprints[stage.name]:
            there, here = (json.loads(json.dumps(each)) for each in (record.get("config"), stage.config))
            raise InputError(
                f"{self.source}: {stage.name} {_difference(there, here)}; give the same options, and use the same version"
            )
        missing = next((name for name in self.graph.basis(stage) if name not in done), None)
        if missing is not None:
            raise InputError(f"{self.source}: has {stage.name} without {missing}, which it builds on; pack it again")
        commits = commits_in(record)
        changed = [each for each in commits if each.endswith(UNCOMMITTED)]
        if not self.uncommitted and (changed or not commits):
            why = f"was done with {changed[0]}, a commit with changes" if changed else "names no commit"
            raise InputError(f"{self.source}: {stage.name} {why}; --allow-uncommitted takes it nevertheless")

    def _check_same_run(self, stage: Stage) -> None:
        """Refuse another training of one that is there. Logs hold times, so no two runs have the same."""
        here, there = (_read_log(stage.makes), _read_log(self._there(stage)))
        if here != there:
            raise InputError(f"{self.source}: has another run of {stage.name} than {self.out}; leave one of them out")

    def _there(self, stage: Stage) -> Path:
        return self.folder / stage.makes.relative_to(self.out)

    def _take(self, stage: Stage, record: Mapping[str, Any], file: Path) -> None:
        """Copy what a stage has made, checked, and then its record."""
        there, kind = self._there(stage), kind_of(stage)
        if kind == "train":
            _check_run(there / CONFIG, stage, self.source)
        elif kind == "evaluate" and not there.is_file():
            _check_evaluation(there / EVALUATION, stage.given[1], stage, self.source)
        if kind in ("train", "evaluate"):
            _copy(there, stage.makes, RUN_FILES if kind == "train" else EVALUATION_FILES)
        else:
            files.vacant(stage.makes)  # what is unfinished there would count as done
        noted = {**record, "gathered": "whole" if kind in ("train", "evaluate") else RECORD_ALONE}
        files.write_text(file, json.dumps(noted, indent=2, sort_keys=True) + "\n")


def _copy(there: Path, here: Path, names: Sequence[str]) -> None:
    """Copy a file, or those of a folder that have such names."""
    if there.is_file():
        files.write_bytes(here, there.read_bytes())
        return
    with files.new_folder(here) as folder:
        for name in names:
            if (there / name).is_file():
                (folder / name).write_bytes((there / name).read_bytes())


def _read_log(run: Path) -> str:
    packed = run / f"{LOG}.gz"
    return (
        files.read_gzip(packed, "the log of a run") if packed.is_file() else files.read_text(run / LOG, "the log of a run")
    )


def _check_run(path: Path, stage: Stage, source: Path) -> None:
    """Refuse a run whose configuration is not that of its stage."""
    there = json.loads(json.dumps(fingerprint(RunConfig.read(path))))
    here = {name: value for name, value in json.loads(json.dumps(stage.config)).items() if name in there}
    if there != here:
        raise InputError(f"{source}: the configuration of {stage.name} {_difference(there, here)}, unlike its record")


def _check_evaluation(path: Path, job: EvaluationJob | PeerJob, stage: Stage, source: Path) -> None:
    """Refuse an evaluation of other tasks or seeds than those that are here."""
    tasks = job.tasks if job.tasks is not None else Path(job.config.tasks) if isinstance(job, EvaluationJob) else None
    ids, seeds, _, _ = read_trace(path)
    wanted = [] if tasks is None else [task.id for task in dataset_at(tasks).split(job.split)]
    if ids != wanted or seeds != tuple(job.seeds):
        raise InputError(f"{source}: {stage.name} is of other tasks or seeds than {tasks}; make it again with the same code")


def _difference(there: Any, here: Any, name: str = "") -> str:
    """Return in words the first thing in which two configurations differ."""
    if isinstance(there, dict) and isinstance(here, dict):
        for key in sorted({*there, *here}):
            if there.get(key) != here.get(key):
                return _difference(there.get(key), here.get(key), f"{name}.{key}" if name else str(key))
    if there == here:
        return "builds on other stages than it does here"
    words = [json.dumps(each)[:_LONGEST] for each in (there, here)]
    return f"has {name or 'the configuration'} {words[0]}, here it is {words[1]}"
