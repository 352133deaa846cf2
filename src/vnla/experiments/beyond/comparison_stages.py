"""The comparison as stages: houses, features, data sets, trainings phase by phase, evaluations, the report.

    stages = ComparisonStages(source, cores=2).stages()

On a GPU the runs of a phase are trained side by side, with all seeds, as many as it has room for; the next phase begins when
all of them have ended.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from math import ceil
from pathlib import Path
from typing import Unpack

from vnla import __version__
from vnla.common.errors import InputError
from vnla.evaluation.sweep import RATIOS
from vnla.experiments.beyond.arms import BEST, LEARNED, Phase
from vnla.experiments.beyond.comparison_report import ComparisonReport
from vnla.experiments.beyond.plan import UNSEEN, Challenge, ComparisonPlan
from vnla.experiments.evaluations import PEERS, EvaluationJob, PeerJob, run_ceilings, run_evaluation, run_sweep, run_tuning
from vnla.experiments.layout import FRESH, ExperimentLayout, one_of
from vnla.experiments.material import make_test_tasks, make_world
from vnla.experiments.running import RunOptions, check_world, is_elsewhere, run_experiment_stages
from vnla.experiments.trainings import ASKNAV, NOROOM, Training
from vnla.experiments.works import Works
from vnla.houses.folder import MANIFEST, read_manifest
from vnla.houses.generate.world import GENERATOR, SplitSizes
from vnla.pipeline.stages import Stage
from vnla.training.checkpoints import TUNED
from vnla.training.config import SYMBOLIC, RunConfig
from vnla.vision.level import encoder_and_views
from vnla.vision.store import INDEX, store_path

BESIDE = 8
"""Trainings that a GPU has side by side unless it is said: larger batches than the paper's fill more of it."""
FRESH_SEED = 10_000
"""How far the seed of the fresh houses is from that of the others."""


@dataclass(frozen=True)
class TrainingStep:
    """A phase in one of several trainings."""

    phase: Phase
    iterations: int
    training: int
    place: int
    """How many phases come before it."""
    before: str | None
    """The step that it goes on from."""

    @property
    def name(self) -> str:
        """That of its stage and its folder."""
        return one_of(self.phase.name, self.training)


def run_comparison(
    out: Path,
    plan: ComparisonPlan,
    *,
    command: str,
    world: Path | None = None,
    beside: int = BESIDE,
    **options: Unpack[RunOptions],
) -> ComparisonReport:
    """Carry out every stage that is not done yet; from what is returned the tables can be read.

    `world` is an existing world with features. On a GPU at most so many trainings run `beside` each other.
    """
    if world is not None:
        check_world(world, plan.preset)
    if plan.fresh:
        _check_fresh(world, plan)
    if is_elsewhere(options.get("cluster")):
        out, world = out.absolute(), world and world.absolute()
    layout = ExperimentLayout.of(out, world)
    source = ComparisonReport(layout, command, plan.preset, plan, device=options.get("device", "cpu"))
    threads = options.get("threads")
    run_experiment_stages(lambda cores, pieces: ComparisonStages(source, cores, threads, beside, pieces), source, options)
    return source


def _check_fresh(world: Path | None, plan: ComparisonPlan) -> None:
    """That fresh houses can be like the others, and look like them."""
    if encoder_and_views(plan.preset.features)[0] == SYMBOLIC:
        raise InputError(f"fresh houses: {SYMBOLIC} features differ from world to world; give --fresh 0")
    if world is not None and read_manifest(world).get("source") != "generated":
        raise InputError(f"fresh houses: {world} was not generated, and houses like its own cannot be; give --fresh 0")


class ComparisonStages:
    """Stages of one comparison."""

    def __init__(
        self, source: ComparisonReport, cores: int, threads: int | None = None, beside: int = BESIDE, pieces: int = 1
    ) -> None:
        """On so many cores, with so many threads for each training and evaluation, if that is said; on a GPU at most so many
        trainings `beside` each other. What is large is cut into `pieces`, for several machines."""
        self.source, self.plan, self.layout = source, source.plan, source.layout
        self.device, self.cores, self.beside = source.device, cores, beside
        self.steps = self._steps()
        works = Works.of(source, self.plan.seed, len(self.steps), cores, threads, pieces)
        self.works = replace(works, train=self.plan.train, mirrored=self.plan.mirrored)

    def stages(self) -> list[Stage]:
        """All stages, each after those that it builds on."""
        made = [*self.works.ground([ASKNAV, NOROOM]), *self._fresh()]
        made += [*self._trainings(), *self._tunings()]
        for training in range(self.plan.trainings):
            for arm in self.plan.arms:
                made += [self._evaluation(arm.name, training, each) for each in self.plan.challenges]
        made += [*self._peers(), *self._sweeps(), *self._ceilings()]
        return [*made, self._report(tuple(stage.name for stage in made))]

    def _steps(self) -> dict[str, TrainingStep]:
        """All trainings by name, each once."""
        found: dict[str, TrainingStep] = {}
        for training in range(self.plan.trainings):
            for arm in self.plan.arms:
                before = None
                lengths = arm.lengths(self.plan.scale.iterations)
                for place, (phase, length) in enumerate(zip(arm.phases, lengths, strict=True)):
                    step = TrainingStep(phase, length, training, place, before)
                    before = found.setdefault(step.name, step).name
        return found

    def config(self, step: TrainingStep) -> RunConfig:
        """The configuration of a training: that of the paper's LEARNED, but for what its phase changes."""
        preset, layout = self.plan.preset, self.layout
        base = Training(LEARNED).config(preset, layout.world, layout.tasks(ASKNAV), preset.store)
        base = replace(base, training=replace(base.training, seed=self.plan.seed + step.training))
        return step.phase.config(base, step.iterations, layout.run(step.before) if step.before else None)

    def _trainings(self) -> list[Stage]:
        """Phase after phase, each in groups of about the same size."""
        made = []
        for place in range(1 + max(step.place for step in self.steps.values())):
            steps = [step for step in self.steps.values() if step.place == place]
            groups = ceil(len(steps) / self.beside)
            made += [self._training(step, f"{place}-{i * groups // len(steps)}") for i, step in enumerate(steps)]
        return made

    def _training(self, step: TrainingStep, group: str) -> Stage:
        config = self.config(step)
        part = step.iterations * config.training.batch / (self.plan.scale.iterations * self.plan.preset.training.batch)
        return self.works.training(
            step.name,
            self.layout.run(step.name),
            config,
            [f"train/{step.before}"] if step.before else [],
            group=group,
            weight=60 * part,
        )

    def _tunings(self) -> list[Stage]:
        """The options of help policies, chosen on the dev set."""
        return [
            self.works.evaluation(
                f"tune/{step.name}",
                run_tuning,
                (self.layout.run(step.name), step.phase.tunes, self.device),
                self.layout.run(step.name) / TUNED,
                (f"train/{step.name}",),
                {"help_policy": step.phase.tunes, "seeds": 1},
            )
            for step in self.steps.values()
            if step.phase.tunes
        ]

    def _made(self, name: str) -> tuple[str, ...]:
        """Return the stages after which an agent can be evaluated."""
        return (f"train/{name}", *([f"tune/{name}"] if self.steps[name].phase.tunes else []))

    def _fresh(self) -> list[Stage]:
        """Houses that nobody was trained or chosen in, and tasks there."""
        plan, layout, works = self.plan, self.layout, self.works
        if not plan.fresh:
            return []
        preset, out, seed = plan.preset, layout.fresh_world, plan.seed + FRESH_SEED
        world, features, tasks = (f"{FRESH}/{what}" for what in ("world", "features", "tasks"))
        size = plan.fresh * plan.scale.fresh_tasks
        return [
            Stage(
                world,
                make_world,
                (out, preset.name, preset.houses, seed, SplitSizes(0, 0, plan.fresh), self.cores),
                out,
                config={"houses": asdict(preset.houses), "count": plan.fresh, "seed": seed, "generator": GENERATOR},
                cores=None,
                weight=15,
            ),
            Stage(
                tasks,
                make_test_tasks,
                (out, layout.tasks(FRESH), layout.tasks(ASKNAV), layout.world, seed, size, preset.fewest),
                layout.tasks(FRESH),
                (world, f"tasks/{ASKNAV}"),
                {"seed": seed, "size": size, "fewest": preset.fewest, **works.foreign(layout.world / MANIFEST)},
                weight=5,
            ),
            *works.encoding(
                features,
                out,
                store_path(out, preset.store),
                layout.world,
                (world, *works.after("features")),
                {
                    "encoder": preset.features,
                    "reduced": preset.reduced,
                    **works.foreign(store_path(layout.world, preset.store) / INDEX),
                },
            ),
        ]

    def _job(self, arm: str, training: int, challenge: Challenge) -> tuple[EvaluationJob, tuple[str, ...]]:
        """The evaluation of an agent, and the stages that it builds on."""
        name = one_of(arm, training)
        config = self.config(self.steps[name])
        run, seeds, elsewhere = self.layout.run(name), self.plan.preset.seeds, self.layout.tasks(challenge.tasks)
        if challenge.tasks == FRESH:
            config = replace(config, world=str(self.layout.fresh_world.absolute()), tasks=str(elsewhere.absolute()))
            job = EvaluationJob(run, config, challenge.split, seeds, self.device)
            return job, (*self._made(name), f"{FRESH}/tasks", f"{FRESH}/features")
        tasks = None if challenge.tasks == ASKNAV else elsewhere
        return EvaluationJob(run, config, challenge.split, seeds, self.device, tasks), (
            *self._made(name),
            f"tasks/{challenge.tasks}",
        )

    def _evaluation(self, arm: str, training: int, challenge: Challenge) -> Stage:
        job, after = self._job(arm, training, challenge)
        name = one_of(arm, training)
        out = self.layout.evaluation(name, challenge.name)
        config = {**asdict(challenge), "seeds": self.plan.preset.seeds}
        return self.works.evaluation(f"evaluate/{name}/{challenge.name}", run_evaluation, (out, job), out, after, config)

    def _peers(self) -> list[Stage]:
        """Agents that learn nothing, on the same tasks."""
        peers = PEERS if self.plan.peers else ()
        return [self._peer(peer, challenge) for peer in peers for challenge in self.plan.challenges]

    def _peer(self, peer: str, challenge: Challenge) -> Stage:
        layout, fresh = self.layout, challenge.tasks == FRESH
        world = layout.fresh_world if fresh else layout.world
        job = PeerJob(peer, world, layout.tasks(challenge.tasks), challenge.split, self.plan.preset.seeds)
        after = [f"{FRESH}/tasks" if fresh else f"tasks/{challenge.tasks}"]
        out = layout.evaluation(peer, challenge.name)
        return self.works.peer(f"evaluate/{peer}/{challenge.name}", job, out, after)

    def _sweeps(self) -> list[Stage]:
        """Success against help, of the first training of each agent."""
        made = []
        for arm in self.plan.arms if self.plan.sweeps else ():
            job, after = self._job(arm.name, 0, UNSEEN)
            out = self.layout.sweep(arm.name)
            config = {"ratios": RATIOS, "seeds": self.plan.preset.seeds}
            made.append(self.works.evaluation(f"sweep/{arm.name}", run_sweep, (out, job), out, after, config))
        return made

    def _ceilings(self) -> list[Stage]:
        """What is left to win for two agents, of their first training."""
        made, scale = [], self.plan.scale
        for arm in (LEARNED, BEST) if self.plan.ceilings else ():
            if self.plan.has(arm):
                job, after = self._job(arm, 0, UNSEEN)
                out = self.layout.ceilings(arm)
                config = {"limit": scale.limit, "schedules": scale.schedules, "seed": self.plan.preset.seeds[0]}
                given = (out, job, scale.limit, scale.schedules)
                made.append(self.works.evaluation(f"ceilings/{arm}", run_ceilings, given, out, after, config))
        return made

    def _report(self, after: tuple[str, ...]) -> Stage:
        config = {"version": __version__, "trainings": self.plan.trainings, "fresh": self.plan.fresh}
        return self.works.report(self.source, after, config)
