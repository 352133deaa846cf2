"""What the faster encoders cost and save: the tables of vision.md and benchmarks.md.

    python docs/encoders.py success OUT     the demo's LEARNED trained on each encoder's features, several times
    python docs/encoders.py likeness OUT    how much their features are alike, and what a probe reads from them
    python docs/encoders.py times OUT       the parts of `vnla features make`, in processor seconds

Everything is kept in OUT. The first takes an hour of two cores, and goes on where it was; the others need its world, and make
it if it is not there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
from rich.console import Console

from vnla.beyond.evaluations import FRESH
from vnla.beyond.experiments import FRESH_SEED
from vnla.beyond.results import Layout, one_of
from vnla.evaluation.confidence import Floats, Interval, over_trainings
from vnla.evaluation.kept import EVALUATION
from vnla.evaluation.metrics import METRICS
from vnla.houses.generate.world import Parts
from vnla.paper.evaluations import TESTS, Trial, evaluate_trial
from vnla.paper.foreman import carry_out
from vnla.paper.material import make_test_tasks, make_world
from vnla.paper.presets import SMALL, Preset
from vnla.paper.progress import shown
from vnla.paper.results import dataset_at, scores_at
from vnla.paper.stages import Stage
from vnla.paper.trainings import ASKNAV, Training
from vnla.paper.works import Division, Works
from vnla.training.config import RunConfig
from vnla.vision.store import store_path

ENCODERS = ("efficientnet-lite0", "panorama-lite0", "efficientnet-lite0-int8")
"""The first is what the others are held against."""
TRAININGS = 4
FRESH_HOUSES = 8
"""Houses that nobody was trained or chosen in."""
CORES = 2
CHALLENGES = {"test_seen": "seen houses", "test_unseen": "unseen houses", FRESH: f"{FRESH_HOUSES} fresh houses"}


class Success:
    """The trainings and evaluations as stages, and what came of them."""

    def __init__(self, out: Path) -> None:
        self.layout = Layout(out, out / "world")
        self.out = out

    def stages(self) -> list[Stage]:
        """All of them, in an order in which the first two encoders can be compared first."""
        made = [*self._works(ENCODERS[0]).ground([ASKNAV])[:2], *self._fresh()]  # without features
        for encoders in (ENCODERS[:2], ENCODERS[2:]):
            made += [stage for encoder in encoders for stage in self._features(encoder)]
            pairs = [(encoder, seed) for seed in range(TRAININGS) for encoder in encoders]
            made += [self._training(*pair) for pair in pairs]
            made += [self._evaluation(*pair, split) for split in TESTS for pair in pairs]
            made += [stage for encoder in encoders for stage in self._fresh_features(encoder)]
            made += [self._evaluation(*pair, FRESH) for pair in pairs]
        return made

    def values(self, encoder: str, challenge: str) -> Floats:
        """Success in per cent, task by task, over the seeds of the help budgets: (trainings, tasks)."""
        measure = METRICS["success_rate"]
        places = [self.layout.evaluation(one_of(encoder, seed), challenge) for seed in range(TRAININGS)]
        return np.stack([measure.scale * measure.sums(scores_at(place / EVALUATION))[0].mean(axis=0) for place in places])

    def rows(self) -> Iterator[str]:
        """A table of what came of it."""
        yield "| tasks in | encoder | LEARNED, % | each training | more than the first, points |\n| --- | --- | --- | --- | --- |"
        for challenge, title in CHALLENGES.items():
            dataset = dataset_at(self.layout.tasks(FRESH if challenge == FRESH else ASKNAV))
            houses = [task.house for task in dataset.split("test_unseen" if challenge == FRESH else challenge)]
            first = self.values(ENCODERS[0], challenge)
            for encoder in ENCODERS:
                values = self.values(encoder, challenge)
                each = " · ".join(f"{rate:.1f}" for rate in values.mean(axis=1))
                over = over_trainings(values, first, houses=houses) if encoder != ENCODERS[0] else None
                yield f"| {title} | `{encoder}` | {_words(over_trainings(values, houses=houses))} | {each} | {_words(over)} |"

    def _works(self, encoder: str) -> Works:
        division = Division.of(len(ENCODERS) * TRAININGS, CORES, threads=1)
        return Works(self.layout, self._preset(encoder), 0, "cpu", CORES, division)

    def _preset(self, encoder: str) -> Preset:
        return replace(SMALL, features=encoder)

    def _features(self, encoder: str) -> list[Stage]:
        preset = self._preset(encoder)
        config = {"encoder": encoder, "reduced": preset.reduced}
        store = store_path(self.layout.world, preset.store)
        return self._works(encoder).encoding(f"features/{encoder}", self.layout.world, store, None, ("world",), config)

    def _config(self, encoder: str, seed: int) -> RunConfig:
        preset, layout = self._preset(encoder), self.layout
        base = Training("learned").config(preset, layout.world, layout.tasks(ASKNAV), preset.store)
        return replace(base, training=replace(base.training, seed=seed))

    def _training(self, encoder: str, seed: int) -> Stage:
        name = one_of(encoder, seed)
        made = self._works(encoder).training(name, self.layout.run(name), self._config(encoder, seed))
        return replace(made, after=(f"features/{encoder}", f"tasks/{ASKNAV}"))

    def _evaluation(self, encoder: str, seed: int, challenge: str) -> Stage:
        name, config = one_of(encoder, seed), self._config(encoder, seed)
        split, after = challenge, [f"train/{name}"]
        if challenge == FRESH:
            world, tasks = self.layout.fresh_world, self.layout.tasks(FRESH)
            config = replace(config, world=str(world.absolute()), tasks=str(tasks.absolute()))
            split, after = "test_unseen", [*after, f"{FRESH}/tasks", f"{FRESH}/features/{encoder}"]
        out = self.layout.evaluation(name, challenge)
        given = (out, Trial(self.layout.run(name), config, split, SMALL.seeds, "cpu"))
        about = {"split": split, "seeds": SMALL.seeds}
        return self._works(encoder).evaluation(f"evaluate/{name}/{challenge}", evaluate_trial, given, out, after, about)

    def _fresh(self) -> list[Stage]:
        """More houses to try the agents in: the four of the test split say little of others."""
        world, tasks, layout = self.layout.fresh_world, self.layout.tasks(FRESH), self.layout
        count = 100 * FRESH_HOUSES
        given = (world, SMALL.name, SMALL.houses, FRESH_SEED, Parts(0, 0, FRESH_HOUSES), CORES)
        config = {"houses": asdict(SMALL.houses), "count": FRESH_HOUSES}
        made = [Stage(f"{FRESH}/world", make_world, given, world, config=config, cores=None, weight=15)]
        made += [
            Stage(
                f"{FRESH}/tasks",
                make_test_tasks,
                (world, tasks, layout.tasks(ASKNAV), layout.world, FRESH_SEED, count, SMALL.fewest),
                tasks,
                (f"{FRESH}/world", f"tasks/{ASKNAV}"),
                {"size": count},
                weight=5,
            )
        ]
        return made

    def _fresh_features(self, encoder: str) -> list[Stage]:
        preset, world = self._preset(encoder), self.layout.fresh_world
        after = (f"{FRESH}/world", f"features/{encoder}")
        about = {"encoder": encoder, "reduced": preset.reduced}
        store, name = store_path(world, preset.store), f"{FRESH}/features/{encoder}"
        return self._works(encoder).encoding(name, world, store, self.layout.world, after, about)


def _words(found: Interval | None) -> str:
    return "" if found is None else f"{found.value:.1f} ({found.low:.1f} to {found.high:.1f})"


def success(out: Path) -> Iterator[str]:
    """Trains and evaluates, and tells what came of it."""
    found = Success(out)
    stages = found.stages()
    with shown(stages, Console(stderr=True)) as audience:
        carry_out(stages, out, audience, CORES)
    yield from found.rows()


if __name__ == "__main__":
    what = {"success": success}[sys.argv[1]]
    for line in what(Path(sys.argv[2])):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
