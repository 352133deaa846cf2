"""What the faster encoders cost and save: the tables of vision.md and benchmarks.md.

    python benchmarks/experiments/encoders.py success OUT 4    the demo's LEARNED on each encoder's features, four times
    python benchmarks/experiments/encoders.py likeness OUT     how alike their features are, and what a probe reads
    python benchmarks/experiments/encoders.py times OUT        the parts of `vnla features make`, in processor seconds

Everything is kept in OUT. The first takes an hour of two cores, and goes on where it was, or with more trainings; the others
need its world or its features, and make them if they are not there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console

from vnla.cli.paper import resumable
from vnla.evaluation.confidence import Floats, Interval, over_trainings
from vnla.evaluation.metrics import METRICS
from vnla.experiments.evaluations import TESTS, EvaluationJob, run_evaluation
from vnla.experiments.layout import ExperimentLayout, dataset_at, one_of
from vnla.experiments.presets import SMALL, ExperimentPreset
from vnla.experiments.trainings import ASKNAV, Training
from vnla.experiments.works import Division, Works
from vnla.houses.folder import WorldFolder, read_world
from vnla.houses.generate.world import recipe_of
from vnla.houses.images import FACE
from vnla.houses.render import lighting, raster, stage
from vnla.houses.render.panorama import around_of, render_panorama, views_of
from vnla.houses.render.warming import compile_kernels
from vnla.pipeline.progress import shown
from vnla.pipeline.scheduler import run_stages
from vnla.pipeline.stages import Stage
from vnla.training.config import RunConfig
from vnla.vision.encoders import Encoder, EncoderOptions, make_encoder
from vnla.vision.encoders.efficientnet import DIMENSION, SIZE, torch_encoder, trained_network
from vnla.vision.encoders.lite0 import graph_of
from vnla.vision.encoders.onnx import OnnxEncoder
from vnla.vision.store import store_path, world_features
from vnla.world.compiled import World

Value = TypeVar("Value")

ENCODERS = ("efficientnet-lite0", "efficientnet-lite0-int8", "panorama-lite0")
"""The first is what the others are held against."""
CORES = 2


class Success:
    """The trainings and evaluations as stages, and what came of them."""

    def __init__(self, out: Path, trainings: int = 1) -> None:
        self.layout = ExperimentLayout(out, out / "world")
        self.seeds = range(trainings)

    def stages(self) -> list[Stage]:
        """All of them, what belongs to a seed before that of the next."""
        made = self._works(ENCODERS[0]).ground([ASKNAV])[:2]  # without features
        made += [each for encoder in ENCODERS for each in self._features(encoder)]
        for seed in self.seeds:
            made += [self._training(encoder, seed) for encoder in ENCODERS]
            made += [self._evaluation(encoder, seed, split) for encoder in ENCODERS for split in TESTS]
        return made

    def values(self, encoder: str, split: str) -> Floats:
        """Success in per cent, task by task, over the seeds of the help budgets: (trainings, tasks)."""
        measure = METRICS["success_rate"]
        found = [self.layout.scores(one_of(encoder, seed), split) for seed in self.seeds]
        return np.stack([measure.scale * measure.sums(scores)[0].mean(axis=0) for scores in found])

    def rows(self) -> Iterator[str]:
        """A table of what came of it."""
        yield from _head("tasks", "encoder", "LEARNED, %", "each training", "more than the first, points")
        for split in TESTS:
            houses = [task.house for task in dataset_at(self.layout.tasks(ASKNAV)).split(split)]
            first = self.values(ENCODERS[0], split)
            for encoder in ENCODERS:
                values = self.values(encoder, split)
                each = " · ".join(f"{rate:.1f}" for rate in values.mean(axis=1))
                over = over_trainings(values, first, houses=houses, whole=100) if encoder != ENCODERS[0] else None
                yield _row(
                    split, f"`{encoder}`", _words(over_trainings(values, houses=houses, whole=100)), each, _words(over)
                )

    def _works(self, encoder: str) -> Works:
        division = Division.of(len(ENCODERS) * len(self.seeds), CORES, threads=1)
        return Works(self.layout, self._preset(encoder), 0, "cpu", CORES, division)

    def _preset(self, encoder: str) -> ExperimentPreset:
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

    def _evaluation(self, encoder: str, seed: int, split: str) -> Stage:
        name = one_of(encoder, seed)
        out = self.layout.evaluation(name, split)
        given = (out, EvaluationJob(self.layout.run(name), self._config(encoder, seed), split, SMALL.seeds, "cpu"))
        about, after = {"split": split, "seeds": SMALL.seeds}, (f"train/{name}",)
        return self._works(encoder).evaluation(f"evaluate/{name}/{split}", run_evaluation, given, out, after, about)


def _head(*columns: str) -> Iterator[str]:
    yield _row(*columns)
    yield _row(*("---" for _ in columns))


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _words(found: Interval | None) -> str:
    return "" if found is None else f"{found.value:.1f} ({found.low:.1f} to {found.high:.1f})"


def success(out: Path, trainings: str) -> Iterator[str]:
    """Trains and evaluates, and tells what came of it."""
    found = Success(out, int(trainings))
    stages = found.stages()
    with resumable(), shown(stages, Console(stderr=True)) as callbacks:
        run_stages(stages, out, callbacks, CORES)
    yield from found.rows()


def likeness(out: Path) -> Iterator[str]:
    """How much each encoder's features are those of the first, and what a probe reads from them."""
    folder = _with_features(out)
    command = [sys.executable, "-m", "vnla", "features", "probe", str(folder.path), "--json"]
    given = [each for encoder in ENCODERS for each in ("--encoder", encoder)]
    probes = json.loads(subprocess.run([*command, *given], check=True, stdout=subprocess.PIPE).stdout)
    first = _unit(folder, ENCODERS[0])
    yield from _head("encoder", "cosine to the first, mean", "least", "probe, mean", "objects", "rooms")
    for encoder in ENCODERS:
        cosine = (_unit(folder, encoder) * first).sum(axis=-1)
        values = {name: each["average_precision"] for name, each in probes[encoder]["labels"].items()}
        rooms = [value for name, value in values.items() if name.startswith("in: ") and value is not None]
        objects = [value for name, value in values.items() if not name.startswith("in: ") and value is not None]
        read = (probes[encoder]["mean_average_precision"], np.mean(objects), np.mean(rooms))
        yield _row(f"`{encoder}`", *(f"{each:.3f}" for each in (cosine.mean(), cosine.min(), *read)))


def _with_features(out: Path) -> WorldFolder:
    """The world, with the features of all encoders."""
    stages = [each for each in Success(out).stages() if each.name == "world" or each.name.startswith("features/")]
    with resumable(), shown(stages, Console(stderr=True)) as callbacks:
        run_stages(stages, out, callbacks, CORES)
    return read_world(out / "world")


def _unit(folder: WorldFolder, encoder: str) -> NDArray[np.float32]:
    """Features, each of length one: (viewpoints, 36, dimension)."""
    features = np.asarray(world_features(folder, encoder).for_world(World.compile(folder.houses)), np.float32)
    unit: NDArray[np.float32] = features / np.linalg.norm(features, axis=-1, keepdims=True)
    return unit


EVERY = 20
"""Of so many viewpoints one is encoded where times are taken; houses are all made ready, and all faces are drawn."""
IMPORTS = "import onnxruntime, vnla.vision.workers, vnla.houses.images, vnla.houses.render.warming"
COMPILES = "from vnla.houses.render.warming import compile_kernels; compile_kernels()"
INSIDE = {
    (stage, "bake"): "light",
    (lighting, "first_hits"): "light: rays between surfaces",
    (lighting, "_lamp_light"): "light: lamps",
    (lighting, "_pane_light"): "light: panes",
    (lighting, "mean_colour"): "light: textures made",
    (stage, "build_mesh"): "triangles",
    (stage, "pack"): "textures packed",
    (raster, "_colour"): "colouring",
    (raster, "_find"): "finding triangles",
}


class Clock:
    """Processor seconds by name."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def call(self, name: str, function: Callable[..., Value], *given: object, **options: object) -> Value:
        """What a function gives, its time noted."""
        began = time.process_time()
        found = function(*given, **options)
        self.seconds[name] = self.seconds.get(name, 0.0) + time.process_time() - began
        return found

    def watch(self, module: ModuleType, function: str, name: str) -> None:
        """Note the time of all calls of a function of a module."""
        setattr(module, function, partial(self.call, name, getattr(module, function)))


def times(out: Path) -> Iterator[str]:
    """What the parts of `vnla features make` take of one core in the demo's world."""
    stages = [Success(out).stages()[0]]
    with resumable(), shown(stages, Console(stderr=True)) as callbacks:
        run_stages(stages, out, callbacks, CORES)
    folder, clock = read_world(out / "world"), Clock()
    yield from _head("what", "s")
    with TemporaryDirectory() as empty:
        yield _row("modules, each process", f"{_seconds(IMPORTS):.1f}")
        yield _row("kernels, once", f"{_seconds(COMPILES, NUMBA_CACHE_DIR=empty):.1f}")
    compile_kernels()
    for (module, function), name in INSIDE.items():
        clock.watch(module, function, name)
    encoders = _encoders()
    every = sum(len(house.viewpoints) for house in folder.houses)
    drawn = 0
    for house in folder.houses:
        recipe = recipe_of(folder, house.name)
        assert recipe is not None, "the world was generated"
        scene = clock.call("houses made again from their seeds", recipe.make).scene
        ready = clock.call("houses made ready", stage.prepare, scene, workers=1)
        for stand in house.viewpoints:
            faces = clock.call(
                "six faces drawn a viewpoint", render_panorama, ready, stand.position, FACE, stand.rotation
            ).rgb
            views = clock.call("36 views cut out of them", views_of, faces, 224, 168, rotation=stand.rotation)
            around = clock.call("one picture all around cut out of them", around_of, faces, stand.rotation)[None]
            if drawn % EVERY == 0:
                for name, encoder in encoders.items():
                    clock.call(f"encoding, {name}", encoder.encode, around if encoder.panoramic else views)
            drawn += 1
    share = -(-drawn // EVERY) / every
    for name, seconds in clock.seconds.items():
        yield _row(name, f"{seconds / share if name.startswith('encoding') else seconds:.1f}")


def _encoders() -> dict[str, Encoder]:
    """Each encoder as it runs in one of several processes, in one thread, and the first in all ways that there are."""
    torch.set_num_threads(1)
    network, version = trained_network()
    by_onnxruntime = OnnxEncoder(ENCODERS[0], graph_of(network), DIMENSION, SIZE, weights=version)
    made = {name: make_encoder(name, EncoderOptions(device="cpu")) for name in ENCODERS}
    made[f"{ENCODERS[0]} by onnxruntime"] = by_onnxruntime
    made[f"{ENCODERS[0]} by PyTorch"] = torch_encoder(network, version, SIZE, "cpu")
    return {name: copy(each) if each.travels else each for name, each in made.items()}  # a copy runs in one thread


def _seconds(code: str, **environment: str) -> float:
    """Processor seconds that a new Python takes for something, in one thread."""
    code += "; import time, sys; sys.stdout.write(str(time.process_time()))"
    alone = {**os.environ, **environment, "OMP_NUM_THREADS": "1"}
    return float(subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.PIPE, env=alone).stdout)


if __name__ == "__main__":
    makers: dict[str, Callable[..., Iterator[str]]] = {"success": success, "likeness": likeness, "times": times}
    for line in makers[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:]):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
