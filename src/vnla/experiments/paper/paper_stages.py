"""The paper's experiments as stages: houses, features, data sets, trainings, evaluations, the report.

    stages = PaperStages(source, seed=0, cores=2).stages()

Only what the wanted tables need is in the graph, and a stage that two tables need is in it once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path
from typing import TypeVar, Unpack

from vnla import __version__
from vnla.experiments.evaluations import PEERS, TESTS, EvaluationJob, PeerJob, peer_on, run_evaluation
from vnla.experiments.layout import ExperimentLayout
from vnla.experiments.paper.candidates import (
    BESIDE_TABLE_2,
    CANDIDATES,
    TABLE_2,
    TABLE_3,
    TABLE_4,
    TABLE_7,
    TRAININGS,
    Candidate,
    choose_iterations,
)
from vnla.experiments.paper.paper_report import Contents, PaperReport
from vnla.experiments.presets import BEGINNING, SHARED, ExperimentPreset
from vnla.experiments.running import RunOptions, check_world, is_elsewhere, run_experiment_stages
from vnla.experiments.trainings import ASKNAV, NOROOM, Training, train_beginning, train_rest
from vnla.experiments.works import Works
from vnla.pipeline.stages import Stage
from vnla.training.checkpoints import checkpoint
from vnla.training.config import RunConfig

NEEDS: dict[int, tuple[Candidate, ...]] = {
    2: TABLE_2,
    3: TABLE_3,
    4: TABLE_4,
    7: (CANDIDATES["none"], CANDIDATES["learned"], *TABLE_7),
}
"""Table → the agents that it compares."""
PEERS_ON = {2: ASKNAV, 4: NOROOM}
"""Table → the tasks on which agents that learn nothing stand beside them."""

Value = TypeVar("Value")

ITERATIONS = "evaluate/iterations"


def run_experiments(
    out: Path,
    preset: ExperimentPreset,
    contents: Contents,
    *,
    command: str,
    world: Path | None = None,
    seed: int = 0,
    **options: Unpack[RunOptions],
) -> PaperReport:
    """Carry out every stage that is not done yet; from what is returned the tables can be read.

    `world` is an existing world with features, instead of one that is generated. `seed` is of houses, data sets and
    trainings.
    """
    source = report_of(out, preset, contents, command=command, world=world, seed=seed, **options)
    threads = options.get("threads")
    run_experiment_stages(lambda cores, pieces: PaperStages(source, seed, cores, threads, pieces), source, options)
    return source


def report_of(
    out: Path,
    preset: ExperimentPreset,
    contents: Contents,
    *,
    command: str,
    world: Path | None = None,
    seed: int = 0,
    **options: Unpack[RunOptions],
) -> PaperReport:
    """Return what the report will be made from; nothing is carried out."""
    if world is not None:
        check_world(world, preset)
    if is_elsewhere(options.get("cluster")):
        out, world = out.absolute(), world and world.absolute()
    preset = replace(preset, training=replace(preset.training, seed=seed))
    layout = ExperimentLayout.of(out, world)
    return PaperReport(layout, command, preset, contents, device=options.get("device", "cpu"))


class PaperStages:
    """Stages of one run of experiments."""

    def __init__(
        self, source: PaperReport, seed: int = 0, cores: int = 1, threads: int | None = None, pieces: int = 1
    ) -> None:
        """On so many cores, with so many threads for each training and evaluation, if that is said. What is large is cut
        into `pieces`, for several machines."""
        self.source, self.contents, self.device = source, source.contents, source.device
        self.layout, self.preset = source.layout, source.preset
        beside = BESIDE_TABLE_2 if self.contents.has(2) and self.contents.peers else ()
        self.candidates = _once([*(each for table in self.contents.tables for each in NEEDS.get(table, ())), *beside])
        reference = [TRAININGS["learned"]] if self.contents.has(6) else []
        trainings = _once([*reference, *(TRAININGS[each.training] for each in self.candidates)])
        self.trainings = sorted(trainings, key=self._continues)  # LEARNED comes before those that begin with its agent
        self.works = Works.of(source, seed, len(self.trainings), cores, threads, pieces)

    def stages(self) -> list[Stage]:
        """All stages, each after those that it builds on."""
        made = self.works.ground([ASKNAV, NOROOM] if self.contents.has(4, 5) else [ASKNAV])
        made += self._beginning()
        made += [self._training(training) for training in self.trainings]
        made += self._iterations()
        made += [self._evaluation(each, split) for each in self.candidates for split in each.splits]
        made += self._peers()
        return [*made, self._report(tuple(stage.name for stage in made))]

    def config(self, training: Training) -> RunConfig:
        """The configuration of a training."""
        own = training.config(self.preset, self.layout.world, self.layout.tasks(training.tasks), self.preset.store)
        return self._continued(own) if self._continues(training) else own

    def _continues(self, training: Training) -> bool:
        """Whether a training begins with LEARNED's agent."""
        return training.name in self.preset.continuing

    @property
    def _begins_apart(self) -> bool:
        """Whether what LEARNED shares is a stage of its own, so that nobody waits for LEARNED's end. A GPU trains LEARNED
        beside others instead."""
        return bool(self.preset.continuing) and not self.device.startswith("cuda")

    def _continued(self, config: RunConfig) -> RunConfig:
        """The rest of a training that begins with what LEARNED is at its first validation; the rate falls as it would."""
        whole, begun = config.training, self.preset.validate_every
        left = whole.iterations - begun
        rest = replace(whole, iterations=left, cooldown=min(1.0, whole.cooldown * whole.iterations / left))
        run = self.layout.run(BEGINNING if self._begins_apart else SHARED)
        return replace(config, training=rest, begins_with=str(checkpoint(run.absolute(), begun)))

    def _beginning(self) -> list[Stage]:
        """The iterations of LEARNED up to its first validation."""
        if not self._begins_apart:
            return []
        run, config, until = self.layout.run(BEGINNING), self.config(TRAININGS[SHARED]), self.preset.validate_every
        whole = self.works.training(BEGINNING, run, config, weight=30)
        return [replace(whole, work=train_beginning, given=(run, config, self.device, until), config=[whole.config, until])]

    def _training(self, training: Training) -> Stage:
        run, config = self.layout.run(training.name), self.config(training)
        if self._continues(training):
            after = (f"train/{BEGINNING if self._begins_apart else SHARED}",)
            return self.works.training(training.name, run, config, after, group="continuing", weight=30)
        if training.name == SHARED and self._begins_apart:
            rest = self.works.training(SHARED, run, config, (f"train/{BEGINNING}",), weight=30)
            return replace(rest, work=train_rest, given=(run, self.layout.run(BEGINNING), config, self.device))
        return self.works.training(training.name, run, config)

    def _iterations(self) -> list[Stage]:
        names = _once([each.training for each in self.candidates if each.matched])
        if not names:
            return []
        runs = {name: self.layout.run(name) for name in names}
        given = (self.layout.iterations, runs)
        after = tuple(f"train/{name}" for name in names)
        return [Stage(ITERATIONS, choose_iterations, given, self.layout.iterations, after, weight=1)]

    def _evaluation(self, candidate: Candidate, split: str) -> Stage:
        training = TRAININGS[candidate.training]
        elsewhere = candidate.tasks != training.tasks
        job = EvaluationJob(
            self.layout.run(training.name),
            self.config(training),
            split,
            self.preset.seeds,
            self.device,
            self.layout.tasks(candidate.tasks) if elsewhere else None,
            candidate.help_policy,
            candidate.advisor,
            self.layout.iterations if candidate.matched else None,
        )
        out = self.layout.evaluation(candidate.name, split)
        after = [f"train/{training.name}", f"tasks/{candidate.tasks}", *([ITERATIONS] if candidate.matched else [])]
        advisor = None if candidate.advisor is None else asdict(candidate.advisor)
        config = {
            "split": split, "seeds": self.preset.seeds, "tasks": candidate.tasks, "policy": candidate.help_policy,
            "advisor": advisor,
        }  # fmt: skip
        return self.works.evaluation(f"evaluate/{candidate.name}/{split}", run_evaluation, (out, job), out, after, config)

    def _peers(self) -> list[Stage]:
        tables = [table for table in PEERS_ON if self.contents.has(table)] if self.contents.peers else []
        return [self._peer(peer, PEERS_ON[table], split) for table in tables for peer in PEERS for split in TESTS]

    def _peer(self, peer: str, tasks: str, split: str) -> Stage:
        layout, name = self.layout, peer_on(peer, tasks)
        job = PeerJob(peer, layout.world, layout.tasks(tasks), split, self.preset.seeds)
        return self.works.peer(f"evaluate/{name}/{split}", job, layout.evaluation(name, split), [f"tasks/{tasks}"])

    def _report(self, after: tuple[str, ...]) -> Stage:
        config = {**asdict(self.contents), "version": __version__, "frequent": self.preset.frequent}
        return self.works.report(self.source, after, config)


def _once(values: Iterable[Value]) -> list[Value]:
    """Each value once, where it first is."""
    return list(dict.fromkeys(values))
