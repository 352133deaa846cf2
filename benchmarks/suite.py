"""Everything that `vnla bench` measures, each as one benchmark with its options; and what belongs to `vnla bench all`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.evaluate import POINTS, bench_evaluate
from benchmarks.measure import Benchmark, Measurement
from benchmarks.render import bench_render
from benchmarks.scale import bench_scale
from benchmarks.tasks import bench_tasks
from benchmarks.train import ITERATIONS, bench_train
from benchmarks.world import CPP_STEPS_A_SECOND, bench_world

_TIMES = (
    f"times: of {CPP_STEPS_A_SECOND[1]:,} steps/s, the upper end of {CPP_STEPS_A_SECOND[0]:,}-{CPP_STEPS_A_SECOND[1]:,} "
    "measured for the C++ simulator"
)


def _bench_serve(**options: Any) -> Iterator[Measurement]:
    """Visitors of a server, whose packages are installed with the extra `serve` only."""
    from vnla.cli.serve import check_installed

    check_installed()
    from benchmarks.serve import bench_serve

    return bench_serve(**options)


_BENCHMARKS: dict[str, tuple[Callable[..., Iterator[Measurement]], str]] = {
    "world": (bench_world, _TIMES),
    "tasks": (bench_tasks, ""),
    "render": (bench_render, ""),
    "train": (bench_train, ""),
    "evaluate": (bench_evaluate, ""),
    "scale": (bench_scale, "times: of what each is compared with"),
    "serve": (_bench_serve, "times: of the goal"),
}

PRECISIONS = {"cpu": ("float32", "bfloat16"), "cuda": ("float32", "tf32", "bfloat16")}
"""That training is measured in."""

_NOT_COMPARED = {"seconds", "iterations", "folder", "cluster"}  # how long is measured, and where, not what


def benchmark(name: str, **options: Any) -> Benchmark:
    """The benchmark of that name."""
    run, times = _BENCHMARKS[name]
    kept = {option: value for option, value in options.items() if option not in _NOT_COMPARED and value != ""}
    return Benchmark(name, kept, lambda: run(**options), times)


def suite(device: str, seed: int, *, quick: bool = False) -> Iterator[Benchmark]:
    """All benchmarks that make sense on a device, at the paper's sizes, or in a minute to see that they run."""
    seconds = 0.05 if quick else 1.0
    sizes = {"hidden": 64, "view_size": 128} if quick else {"hidden": 512, "view_size": 2048}
    yield benchmark("world", houses=9 if quick else 90, seconds=seconds, device=device, seed=seed)
    if device == "cpu":
        yield benchmark("tasks", preset="small", seed=seed)
        yield benchmark("render", viewpoints=12 if quick else 60, seconds=seconds, seed=seed)
    for eager in (False, True) if device == "cuda" else (False,):
        for precision in PRECISIONS[device]:
            yield benchmark(
                "train", batch=10 if quick else 100, **sizes, precision=precision, eager=eager, device=device,
                iterations=2 if quick else ITERATIONS[device], seconds=3 * seconds, seed=seed,
            )  # fmt: skip
    points = 20 if quick else POINTS[device]
    yield benchmark("evaluate", points=points, seeds=5, **sizes, precision="float32", device=device, seed=seed)
