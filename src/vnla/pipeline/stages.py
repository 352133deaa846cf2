"""A graph of stages, each kept when it is done.

    stages = [
        Stage("world", make_world, (out / "world", "small"), out / "world", config={"preset": "small"}),
        Stage("tasks", make_tasks, (out / "world", out / "tasks"), out / "tasks", after=("world",)),
    ]

A stage is known by its fingerprint: its name, its configuration and the fingerprints of the stages that it builds on. What
it makes is kept as long as the fingerprint is the same, and made again when it is not. Whether a stage is done stands in a
record beside the work, written last; while it is being done the record says that it has begun, so that work which can go on
where it was is not mistaken for that of another configuration.

`vnla.pipeline.scheduler` has stages carried out.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from vnla.common import checksums, files
from vnla.common.errors import InputError
from vnla.common.machine import commit
from vnla.common.outside import is_real

Report = Callable[[float, float, str], None]
"""How far a stage is: so much is done, of so much, and a word on it."""

Given = tuple[Any, ...]

RECORD_ALONE = "record"
"""In a record that was gathered: what the stage made stays where it was made."""


class JointReport(Protocol):
    """How far stages are that are done together: `which` is the place of the one that is meant."""

    def __call__(self, done: float, of: float, note: str = "", which: int = 0) -> None:
        """So much is done of it, of so much, and a word on it."""


@dataclass(frozen=True)
class Stage:
    """One piece of work. `work` is a function of a module, called in another process as `work(*given, report)`."""

    name: str
    work: Callable[..., None]
    given: Given
    makes: Path
    """The file or folder that is there when the stage is done."""
    after: tuple[str, ...] = ()
    """Names of the stages that it builds on."""
    config: Any = None
    """What decides the result, as JSON can hold it. Paths do not belong here: a folder may be moved."""
    resumes: bool = False
    """Whether work that was interrupted can go on; if not, what it left is removed before it begins again."""
    cores: float | None = 1
    """How many cores it works on; None is all of them, with nothing beside it; less than one, it shares a core."""
    device: str = ""
    """Stages on the same device wait for each other; on none of them where this is empty."""
    joint: Callable[[Sequence[Given], JointReport], None] | None = None
    """Stages with the same function here, of one group, wait until all of them can begin, and are done by one call of it."""
    group: str = ""
    apart: bool = False
    """Whether it may go to any machine where several share the work; others go with what they build on."""
    piece_of: str = ""
    """The name of the stage that this is a piece of. Into how many pieces its work is cut does not change the result, so
    they are no part of its fingerprint, and there is no need of them where it is done."""
    weight: float = 1.0
    """About how long it takes, for the estimate of the time left."""


class StageGraph:
    """Stages in an order in which they can be carried out, with their fingerprints."""

    def __init__(self, stages: Sequence[Stage]) -> None:
        self.stages: dict[str, Stage] = {}
        self.fingerprints: dict[str, str] = {}
        for stage in stages:
            missing = [name for name in stage.after if name not in self.stages]
            if missing:
                raise ValueError(f"stage {stage.name}: it builds on {missing[0]}, which does not come before it")
            if stage.name in self.stages:
                raise ValueError(f"stage {stage.name}: there are two of that name")
            self.stages[stage.name] = stage
            self.fingerprints[stage.name] = self._fingerprint(stage)

    def _fingerprint(self, stage: Stage) -> str:
        value = [stage.name, stage.config, [self.fingerprints[name] for name in self.basis(stage)]]
        return checksums.of_json(value)

    def basis(self, stage: Stage) -> list[str]:
        """Names of the stages that one builds on, pieces of stages not counted."""
        return [name for name in stage.after if not self.stages[name].piece_of]

    @property
    def fingerprint(self) -> str:
        """Of the graph as a whole, however its stages are cut into pieces."""
        every = [self.fingerprints[name] for name, stage in self.stages.items() if not stage.piece_of]
        return hashlib.sha256("\n".join(every).encode()).hexdigest()

    def joined(self, stage: Stage) -> list[Stage]:
        """The stages that are done together with one, itself included."""
        if stage.joint is None:
            return [stage]
        return [each for each in self.stages.values() if (each.joint, each.group) == (stage.joint, stage.group)]


@dataclass(frozen=True)
class StageRecords:
    """What is done and what has begun, in the folder `path`: a JSON file for each stage."""

    path: Path
    graph: StageGraph

    def is_done(self, stage: Stage) -> bool:
        """Whether a stage was done with this configuration, and what it made is still there.

        A record may have come alone from another machine, which keeps what the stage made; then that is not asked for.
        """
        found = self._read(stage)
        there = found.get("gathered") == RECORD_ALONE or stage.makes.exists()
        return bool(found.get("done")) and self._is_same(stage, found) and there

    def begin(self, stage: Stage) -> None:
        """Make room for a stage, unless it can go on with what is there, and note that it has begun."""
        found = self._read(stage)
        if not (stage.resumes and self._is_same(stage, found)):
            remove(stage.makes)
            found = {}
        self._write(stage, done=False, seconds=found.get("seconds", 0.0), commits=commits_in(found))

    def end(self, stage: Stage, seconds: float, *, done: bool) -> None:
        """Note that a stage is done, or that it was interrupted; `seconds` are those since `begin`."""
        found = self._read(stage)
        self._write(stage, done=done, seconds=self.seconds(stage) + seconds, commits=commits_in(found))

    def seconds(self, stage: Stage) -> float:
        """How long a stage has taken so far, interruptions not counted."""
        return float(self._read(stage).get("seconds", 0.0))

    def file(self, stage: Stage, ending: str = "json") -> Path:
        """Where the record of a stage is."""
        return self.path / f"{stage.name.replace('/', '-')}.{ending}"

    def _is_same(self, stage: Stage, found: Mapping[str, Any]) -> bool:
        return bool(found.get("fingerprint") == self.graph.fingerprints[stage.name])

    def _read(self, stage: Stage) -> dict[str, Any]:
        path = self.file(stage)
        try:
            found = files.read_json(path, "the record of a stage") if path.exists() else {}
        except InputError:  # damaged: the stage is done again
            found = {}
        sound = isinstance(found, dict) and is_real(found.get("seconds", 0.0), 0)
        return found if sound else {}

    @cached_property
    def _commit(self) -> list[str]:
        """The commit that stages are done with now, if it is known; asked once, because stages may be many."""
        return list(filter(None, [commit()]))

    def _write(self, stage: Stage, *, done: bool, seconds: float, commits: Sequence[str]) -> None:
        record = {
            "stage": stage.name,
            "done": done,
            "seconds": round(seconds, 3),
            "after": list(stage.after),
            "config": stage.config,
            "fingerprint": self.graph.fingerprints[stage.name],
            "commits": list(dict.fromkeys([*commits, *self._commit])),
        }
        files.write_text(self.file(stage), json.dumps(record, indent=2, sort_keys=True) + "\n")


def commits_in(record: Mapping[str, Any]) -> list[str]:
    """Return the commits that a stage was done with, several where it was resumed; none in records that do not say."""
    found = record.get("commits")
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def remove(path: Path) -> None:
    """Remove a file or a folder, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def make_empty(path: Path, report: Report) -> None:  # noqa: ARG001
    """Make an empty file: the least that a stage can do, on whichever machine (`vnla bench scale --entries stages`)."""
    path.touch()
