"""The paper's experiments as stages: houses, features, data sets, trainings, evaluations, the report.

    stages = Experiments(source, contents, seed=0, device="cpu", cores=2).stages()

Only what the wanted tables need is in the graph, and a stage that two tables need is in it once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

from vnla import __version__
from vnla.experiments.paper.evaluations import (
    CANDIDATES,
    TABLE_2,
    TABLE_3,
    TABLE_4,
    TABLE_7,
    TESTS,
    Candidate,
    Trial,
    choose_iterations,
    evaluate_trial,
)
from vnla.experiments.paper.peers import PEERS, Visit, peer_on
from vnla.experiments.paper.reporting import Contents, Source, make_report
from vnla.experiments.paper.results import Layout
from vnla.experiments.paper.trainings import ASKNAV, NOROOM, TRAININGS, Training
from vnla.experiments.paper.works import Division, Works
from vnla.pipeline.stages import Stage
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


def layout_of(out: Path, world: Path | None = None) -> Layout:
    """Where everything goes; `world` is one that exists already."""
    return Layout(out, world or out / "world")


class Experiments:
    """Stages of one run of experiments."""

    def __init__(
        self,
        source: Source,
        contents: Contents,
        *,
        seed: int,
        device: str,
        cores: int,
        threads: int | None = None,
        pieces: int = 1,
    ) -> None:
        """On so many cores, with so many threads for each training and evaluation, if that is said. What is large is cut
        into `pieces`, for several machines."""
        self.source, self.contents, self.device = source, contents, device
        self.layout, self.preset = source.layout, source.preset
        self.candidates = _once([each for table in contents.tables for each in NEEDS.get(table, ())])
        reference = [TRAININGS["learned"]] if contents.has(6) else []
        self.trainings = _once([*reference, *(TRAININGS[each.training] for each in self.candidates)])
        division = Division.of(len(self.trainings), cores, threads)
        self.works = Works(self.layout, self.preset, seed, device, cores, division, pieces)

    def stages(self) -> list[Stage]:
        """All stages, each after those that it builds on."""
        made = self.works.ground([ASKNAV, NOROOM] if self.contents.has(4, 5) else [ASKNAV])
        made += [self._training(training) for training in self.trainings]
        made += self._iterations()
        made += [self._evaluation(each, split) for each in self.candidates for split in each.splits]
        made += self._peers()
        return [*made, self._report(tuple(stage.name for stage in made))]

    def config(self, training: Training) -> RunConfig:
        """The configuration of a training."""
        return training.config(self.preset, self.layout.world, self.layout.tasks(training.tasks), self.preset.store)

    def _training(self, training: Training) -> Stage:
        return self.works.training(training.name, self.layout.run(training.name), self.config(training))

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
        trial = Trial(
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
        return self.works.evaluation(f"evaluate/{candidate.name}/{split}", evaluate_trial, (out, trial), out, after, config)

    def _peers(self) -> list[Stage]:
        tables = [table for table in PEERS_ON if self.contents.has(table)] if self.contents.peers else []
        return [self._peer(peer, PEERS_ON[table], split) for table in tables for peer in PEERS for split in TESTS]

    def _peer(self, peer: str, tasks: str, split: str) -> Stage:
        layout, name = self.layout, peer_on(peer, tasks)
        visit = Visit(peer, layout.world, layout.tasks(tasks), split, self.preset.seeds)
        return self.works.peer(f"evaluate/{name}/{split}", visit, layout.evaluation(name, split), [f"tasks/{tasks}"])

    def _report(self, after: tuple[str, ...]) -> Stage:
        config = {**asdict(self.contents), "version": __version__, "frequent": self.preset.frequent}
        given = (self.source, self.contents)
        return Stage("report", make_report, given, self.layout.report, after, config, cores=None, weight=15)


def _once(values: Iterable[Value]) -> list[Value]:
    """Each value once, where it first is."""
    return list(dict.fromkeys(values))
