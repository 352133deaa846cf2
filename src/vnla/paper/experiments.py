"""The paper's experiments as stages: houses, features, data sets, trainings, evaluations, the report.

    stages = Experiments(source, contents, seed=0, device="cpu", cores=2).stages()

Only what the wanted tables need is in the graph, and a stage that two tables need is in it once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

from vnla import __version__
from vnla.houses.folder import MANIFEST
from vnla.houses.generate.world import GENERATOR
from vnla.paper.evaluations import (
    CANDIDATES,
    TABLE_2,
    TABLE_3,
    TABLE_4,
    TABLE_7,
    Candidate,
    Trial,
    choose_iterations,
    evaluate_trial,
)
from vnla.paper.material import encode_views, make_tasks, make_world
from vnla.paper.reporting import Contents, Source, make_report
from vnla.paper.results import Layout
from vnla.paper.stages import Stage
from vnla.paper.trainings import ASKNAV, NOROOM, TRAININGS, Training, fingerprint, train_run, train_runs
from vnla.training.config import SYMBOLIC, RunConfig
from vnla.vision.store import INDEX, store_path

NEEDS: dict[int, tuple[Candidate, ...]] = {
    2: TABLE_2,
    3: TABLE_3,
    4: TABLE_4,
    7: (CANDIDATES["none"], CANDIDATES["learned"], *TABLE_7),
}
"""Table → the agents that it compares."""

Value = TypeVar("Value")

ITERATIONS = "evaluate/iterations"


def layout_of(out: Path, world: Path | None = None) -> Layout:
    """Where everything goes; `world` is one that exists already."""
    return Layout(out, world or out / "world")


class Experiments:
    """Stages of one run of experiments."""

    def __init__(
        self, source: Source, contents: Contents, *, seed: int, device: str, cores: int, threads: int | None = None
    ) -> None:
        """On so many cores, with so many threads for each training and evaluation, if that is said."""
        self.source, self.contents, self.seed, self.device, self.cores = source, contents, seed, device, cores
        self.layout, self.preset = source.layout, source.preset
        self.candidates = _once([each for table in contents.tables for each in NEEDS.get(table, ())])
        reference = [TRAININGS["learned"]] if contents.has(6) else []
        self.trainings = _once([*reference, *(TRAININGS[each.training] for each in self.candidates)])
        # The same for all and on every machine of so many cores, so that a run can be repeated to the last bit.
        self.threads = threads or max(1, cores // max(1, len(self.trainings)))
        # An odd number of trainings two at a time would leave a core idle during the last; three share two cores instead.
        shares = threads is None and self.threads == 1 and len(self.trainings) > cores and len(self.trainings) % cores == 1
        self.share = round(cores / (cores + 1) - 0.005, 2) if shares else self.threads
        self.judging = threads or 1  # threads of an evaluation: there are many, so one each fills the machine

    def stages(self) -> list[Stage]:
        """All stages, each after those that it builds on."""
        made = [*self._world(), *self._tasks(), *self._features()]
        made += [self._training(training) for training in self.trainings]
        made += self._iterations()
        made += [self._evaluation(each, split) for each in self.candidates for split in each.splits]
        return [*made, self._report(tuple(stage.name for stage in made))]

    @property
    def _own_world(self) -> bool:
        return self.layout.world.parent == self.layout.out

    def _world(self) -> list[Stage]:
        if not self._own_world:
            return []
        preset = self.preset
        config = {"preset": preset.name, "houses": asdict(preset.houses), "seed": self.seed, "generator": GENERATOR}
        given = (self.layout.world, preset.name, preset.houses, self.seed, self.cores)
        return [Stage("world", make_world, given, self.layout.world, config=config, cores=None, weight=15)]

    def _tasks(self) -> list[Stage]:
        names = [ASKNAV, NOROOM] if self.contents.has(4, 5) else [ASKNAV]
        return [self._data_set(name) for name in names]

    def _data_set(self, name: str) -> Stage:
        preset, out = self.preset, self.layout.tasks(name)
        options = (self.seed, preset.least, preset.fewest, preset.most_train.get(name))
        config = {"task": name, "options": options, **self._foreign(self.layout.world / MANIFEST)}
        given = (self.layout.world, out, name, *options)
        return Stage(f"tasks/{name}", make_tasks, given, out, self._after("world"), config, weight=5)

    def _foreign(self, description: Path) -> dict[str, str]:
        """What is not made here is known by the file that describes it, or by its place where there is none."""
        if self._own_world:
            return {}
        known = (
            hashlib.sha256(description.read_bytes()).hexdigest() if description.is_file() else str(description.absolute())
        )
        return {description.name: known}

    def _features(self) -> list[Stage]:
        encoder, reduced = self.preset.features, self.preset.reduced
        store = store_path(self.layout.world, self.preset.store)
        if encoder == SYMBOLIC or not self._own_world:
            return []
        given = (self.layout.world, encoder, reduced, self.device, self.cores)
        return [
            Stage(
                "features",
                encode_views,
                given,
                store,
                self._after("world"),
                {"encoder": encoder, "reduced": reduced},
                resumes=True,
                cores=None,
                weight=120,
            )
        ]

    def _after(self, *names: str) -> tuple[str, ...]:
        """Names of stages that are in the graph."""
        absent = set() if self._own_world else {"world", "features"}
        if self.preset.features == SYMBOLIC:
            absent.add("features")
        return tuple(name for name in names if name not in absent)

    def config(self, training: Training) -> RunConfig:
        """The configuration of a training."""
        return training.config(self.preset, self.layout.world, self.layout.tasks(training.tasks), self.preset.store)

    def _training(self, training: Training) -> Stage:
        config, run = self.config(training), self.layout.run(training.name)
        on_gpu = self.device.startswith("cuda")
        return Stage(
            f"train/{training.name}",
            train_run,
            (run, config, self.device),
            run,
            self._after("features", f"tasks/{training.tasks}"),
            {**fingerprint(config), **self._foreign(store_path(self.layout.world, config.features) / INDEX)},
            resumes=True,
            cores=self.share,
            device=self.device if on_gpu else "",
            joint=train_runs if on_gpu else None,
            weight=60,
        )

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
        on_gpu = self.device.startswith("cuda")
        return Stage(
            f"evaluate/{candidate.name}/{split}",
            evaluate_trial,
            (out, trial),
            out,
            tuple(after),
            config,
            cores=self.share if self.share < 1 else self.judging,
            device=self.device if on_gpu else "",
            weight=8,
        )

    def _report(self, after: tuple[str, ...]) -> Stage:
        config = {**asdict(self.contents), "version": __version__, "frequent": self.preset.frequent}
        given = (self.source, self.contents)
        return Stage("report", make_report, given, self.layout.report, after, config, cores=None, weight=15)


def _once(values: Iterable[Value]) -> list[Value]:
    """Each value once, where it first is."""
    return list(dict.fromkeys(values))
