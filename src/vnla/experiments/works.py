"""The stages that any experiments are made of: houses, features, data sets, trainings, evaluations.

works = Works(layout, preset, seed=0, device="cpu", cores=2, division=Division.of(trainings=11, cores=2))
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from vnla.experiments.embedded import FEATURES, package_checksums
from vnla.experiments.evaluations import PeerJob, evaluate_peer
from vnla.experiments.layout import ExperimentLayout
from vnla.experiments.material import encode_piece, encode_views, join_views, make_tasks, make_world, place_views
from vnla.experiments.presets import ExperimentPreset
from vnla.experiments.reporting import ExperimentReport, make_report
from vnla.experiments.trainings import fingerprint, train_run, train_runs
from vnla.houses.folder import MANIFEST
from vnla.houses.generate.world import GENERATOR
from vnla.pipeline.shards.features import feature_place
from vnla.pipeline.shards.shard import shards
from vnla.pipeline.stages import Given, Stage
from vnla.training.config import SYMBOLIC, RunConfig
from vnla.vision.level import encoder_and_views
from vnla.vision.store import INDEX, store_path


@dataclass(frozen=True)
class Division:
    """How trainings and evaluations share the cores."""

    threads: int
    """Of each training."""
    training: float
    """Cores that one keeps busy."""
    evaluation: float
    """Likewise."""

    @classmethod
    def of(cls, trainings: int, cores: int, threads: int | None = None) -> Division:
        """For so many trainings; `threads` of each training and evaluation, if that is said."""
        # The same for all and on every machine of so many cores, so that a run can be repeated to the last bit.
        each = threads or max(1, cores // max(1, trainings))
        # An odd number of trainings two at a time would leave a core idle during the last; three share two cores instead.
        if threads is None and each == 1 and trainings > cores and trainings % cores == 1:
            share = round(cores / (cores + 1) - 0.005, 2)
            return cls(each, share, share)
        return cls(each, each, threads or 1)  # there are many evaluations, so one thread each fills the machine


@dataclass(frozen=True)
class Works:
    """Makes stages. A world that somebody has already is neither made nor encoded."""

    layout: ExperimentLayout
    preset: ExperimentPreset
    seed: int
    device: str
    cores: int
    division: Division
    pieces: int = 1
    """Into how many the encoding of views is cut."""
    train: int | None = None
    """Houses for training, where they are not the preset's number."""
    mirrored: bool = False
    """Whether there are mirror images of these."""

    @classmethod
    def of(
        cls, source: ExperimentReport, seed: int, trainings: int, cores: int, threads: int | None = None, pieces: int = 1
    ) -> Works:
        """Return the works of experiments that have so many trainings."""
        division = Division.of(trainings, cores, threads)
        return cls(source.layout, source.preset, seed, source.device, cores, division, pieces)

    def ground(self, datasets: Sequence[str]) -> list[Stage]:
        """What comes before any training: houses, data sets by name, features."""
        return [*self._world(), *(self._data_set(name) for name in datasets), *self._features()]

    def training(
        self, name: str, run: Path, config: RunConfig, after: Sequence[str] = (), *, group: str = "", weight: float = 60
    ) -> Stage:
        """A training. On a GPU those of one group are trained side by side."""
        return Stage(
            f"train/{name}",
            train_run,
            (run, config, self.device),
            run,
            (*self.after("features", f"tasks/{Path(config.tasks).name}"), *after),
            {**fingerprint(config), **self.foreign(store_path(self.layout.world, config.features) / INDEX)},
            resumes=True,
            cores=self.division.training,
            device=self._gpu,
            joint=train_runs if self._gpu else None,
            group=group,
            apart=True,
            weight=weight,
        )

    def evaluation(
        self, name: str, work: Callable[..., None], given: Given, makes: Path, after: Sequence[str], config: Any
    ) -> Stage:
        """An evaluation of any kind."""
        cores, weight = self.division.evaluation, 8
        return Stage(name, work, given, makes, tuple(after), config, cores=cores, device=self._gpu, weight=weight)

    def peer(self, name: str, job: PeerJob, makes: Path, after: Sequence[str]) -> Stage:
        """An evaluation of an agent that learns nothing: no training has to be waited for, and no GPU."""
        config = {"peer": job.peer, "split": job.split, "seeds": job.seeds, **self.foreign(job.world / MANIFEST)}
        return Stage(name, evaluate_peer, (makes, job), makes, tuple(after), config, weight=8)

    def report(self, source: ExperimentReport, after: Sequence[str], config: Any) -> Stage:
        """The report, after everything else."""
        return Stage("report", make_report, (source,), self.layout.report, tuple(after), config, cores=None, weight=15)

    @property
    def _gpu(self) -> str:
        return self.device if self.device.startswith("cuda") else ""

    def after(self, *names: str) -> tuple[str, ...]:
        """Names of stages, without those that there is no need of."""
        absent = set() if self._own_world else {"world", "features"}
        if encoder_and_views(self.preset.features)[0] == SYMBOLIC:
            absent.add("features")
        return tuple(name for name in names if name not in absent)

    def foreign(self, description: Path) -> dict[str, str]:
        """What is not made here is known by the file that describes it, or by its place where there is none."""
        if self._own_world:
            return {}
        known = (
            hashlib.sha256(description.read_bytes()).hexdigest() if description.is_file() else str(description.absolute())
        )
        return {description.name: known}

    @property
    def _own_world(self) -> bool:
        return self.layout.world.parent == self.layout.out

    @property
    def _embedded(self) -> bool:
        """Whether the features of the world come with the package."""
        return self.preset.has_features(self.seed) and self.train is None and not self.mirrored

    def _world(self) -> list[Stage]:
        if not self._own_world:
            return []
        preset = self.preset
        config = {"preset": preset.name, "houses": asdict(preset.houses), "seed": self.seed, "generator": GENERATOR}
        parts = None if self.train is None else preset.houses.parts._replace(train=self.train)
        config |= {} if parts is None else {"train": self.train, "mirrored": self.mirrored}
        given = (self.layout.world, preset.name, preset.houses, self.seed, parts, self.cores)
        work = partial(make_world, mirrored=True) if self.mirrored else make_world
        return [Stage("world", work, given, self.layout.world, config=config, cores=None, weight=15)]

    def _data_set(self, name: str) -> Stage:
        preset, out = self.preset, self.layout.tasks(name)
        options = (self.seed, preset.least, preset.fewest, preset.most_train.get(name))
        config = {"task": name, "options": options, **self.foreign(self.layout.world / MANIFEST)}
        given = (self.layout.world, out, name, *options)
        return Stage(f"tasks/{name}", make_tasks, given, out, self.after("world"), config, weight=5)

    def _features(self) -> list[Stage]:
        encoder, reduced = self.preset.features, self.preset.reduced
        if encoder_and_views(encoder)[0] == SYMBOLIC or not self._own_world:
            return []
        store = store_path(self.layout.world, self.preset.store)
        config = {"encoder": encoder, "reduced": reduced}
        if self._embedded:
            config |= {"shipped": package_checksums()[FEATURES]}
            given = (self.layout.world, reduced)
            return [Stage("features", place_views, given, store, self.after("world"), config, weight=3)]
        return self.encoding("features", self.layout.world, store, None, self.after("world"), config)

    def encoding(
        self, name: str, world: Path, makes: Path, like: Path | None, after: Sequence[str], config: dict[str, Any]
    ) -> list[Stage]:
        """The encoding of a world's views, reduced as those of the world `like`: a stage, and pieces of it before it."""
        encoder, reduced = self.preset.features, self.preset.reduced
        pieces = [
            Stage(
                f"{name}/{shard.folder}",
                encode_piece,
                (world, encoder, shard, self.device, self.cores),
                feature_place(world, encoder, shard),
                tuple(after),
                {**config, "piece": str(shard)},
                resumes=True,
                cores=None,
                device=self._gpu,
                apart=True,
                piece_of=name,
                weight=120 / self.pieces,
            )
            for shard in (shards(self.pieces) if self.pieces > 1 else ())
        ]
        return [
            *pieces,
            Stage(
                name,
                join_views if pieces else encode_views,
                (world, encoder, reduced, like, self.device, self.cores),
                makes,
                (*after, *(piece.name for piece in pieces)),
                config,
                resumes=True,
                cores=None,
                weight=5 if pieces else 120,
            ),
        ]
