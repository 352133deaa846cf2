"""Some of the paper's trainings at a time, on machines that keep nothing, and the report from all of them.

A part of the experiments is what some trainings need: what they build on, they, and the evaluations of them alone. What such
a part has made is packed and gathered by `vnla.experiments.gathering`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from vnla.common.errors import InputError
from vnla.experiments.gathering import MADE_HERE, gather, kind_of, pack
from vnla.experiments.paper.candidates import CANDIDATES
from vnla.experiments.paper.paper_report import PaperReport
from vnla.experiments.paper.paper_stages import ITERATIONS, PaperStages
from vnla.experiments.running import RunOptions, run_experiment_stages
from vnla.experiments.works import Works
from vnla.pipeline.scheduler import RECORDS
from vnla.pipeline.stages import Stage, StageGraph, StageRecords


@dataclass(frozen=True)
class PaperPart:
    """Which part of the experiments is made, and what becomes of it."""

    only: tuple[str, ...] = ()
    """Names of trainings; all where there are none."""
    sources: tuple[Path, ...] = ()
    """Folders and archives to gather first."""
    uncommitted: bool = False
    """Whether pieces may come from code that is not committed."""
    packed: Path | None = None
    """The archive to write in the end."""


@dataclass
class ChosenStages:
    """Some stages of experiments."""

    works: Works
    chosen: Sequence[Stage]

    def stages(self) -> list[Stage]:
        """Return the stages, each after those that it builds on."""
        return list(self.chosen)


@dataclass(frozen=True)
class PartResult:
    """What there is after a part was made."""

    gathered: list[str]
    packed: list[str]
    missing: list[str]
    """Trainings and evaluations that the report waits for."""


def run_part(source: PaperReport, seed: int, part: PaperPart, **options: Unpack[RunOptions]) -> PartResult:
    """Gather what was made elsewhere, make what was chosen, and pack it."""
    if options.get("sharing") is not None:
        raise InputError("--shard: shares all the work; leave it out, or leave --only, --gather and --pack out")
    threads, out = options.get("threads"), source.layout.out
    every = PaperStages(source, seed).stages()
    chosen = stages_of(every, part.only)

    def make(names: Sequence[str]) -> None:
        def among(cores: int, pieces: int) -> ChosenStages:
            whole = PaperStages(source, seed, cores, threads, pieces)
            stages = whole.stages()
            return ChosenStages(whole.works, [each for each in stages if each.name in names or each.piece_of in names])

        run_experiment_stages(among, source, options)

    gathered: list[str] = []
    if part.sources:
        make([stage.name for stage in every if kind_of(stage) in MADE_HERE])
        gathered = [name for each in part.sources for name in gather(out, every, each, uncommitted=part.uncommitted)]
    if part.only or not part.sources:
        make([stage.name for stage in chosen])
    packed = [] if part.packed is None else pack(part.packed, out, chosen)
    return PartResult(gathered, packed, missing_stages(every, out))


def stages_of(stages: Sequence[Stage], trainings: Sequence[str]) -> list[Stage]:
    """Return the stages that some trainings need: what they build on, they, and what builds on no other training."""
    if not trainings:
        return list(stages)
    every = StageGraph(stages).stages
    below: dict[str, set[str]] = {}
    for name, stage in every.items():
        own = {name} if kind_of(stage) == "train" else set()
        below[name] = own.union(*(below[each] for each in stage.after))
    wanted = {f"train/{name}" for name in trainings}
    unknown = next((name for name in trainings if f"train/{name}" not in every), None)
    if unknown is not None:
        there = ", ".join(name.partition("/")[2] for name, stage in every.items() if kind_of(stage) == "train")
        raise InputError(f"--only {unknown}: these tables need no such training; choose from {there}")
    kept = {name for name in every if below[name] and below[name] <= wanted}
    for name in reversed(every):
        if name in kept:
            kept |= set(every[name].after)
    return [stage for name, stage in every.items() if name in kept]


def missing_stages(stages: Sequence[Stage], out: Path) -> list[str]:
    """Return the trainings, and the evaluations of trained agents, that are not done."""
    records = StageRecords(out / RECORDS, StageGraph(stages))
    return [stage.name for stage in stages if _is_trained(stage) and not records.is_done(stage)]


def _is_trained(stage: Stage) -> bool:
    """Whether a stage is a training or comes after one; agents that learn nothing are evaluated with the report."""
    kind, _, name = stage.name.partition("/")
    return kind == "train" or stage.name == ITERATIONS or (kind == "evaluate" and name.partition("/")[0] in CANDIDATES)
