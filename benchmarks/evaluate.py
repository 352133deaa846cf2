"""How fast agents are evaluated: every task of a split under several seeds, all in one batch.

vnla bench evaluate
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.measure import Measurement, most_memory, seconds_of
from benchmarks.setting import bare_setting
from vnla.evaluation.evaluate import SEEDS, Evaluation, evaluate
from vnla.training.trainer import matrix_units, mixed_precision

POINTS = {"cpu": 500, "cuda": 5000}
"""By default; 5,000 is the size of the paper's dev and test sets."""


def bench_evaluate(
    *, points: int | None = None, seeds: int = len(SEEDS), hidden: int = 512, view_size: int = 2048,
    precision: str = "float32", device: str = "cpu", seed: int = 0,
) -> Iterator[Measurement]:  # fmt: skip
    """Episodes and agent steps a second, with metrics, of an agent of the paper's sizes with the learned policy."""
    points = points or POINTS[device]
    setting = bare_setting(points, hidden=hidden, view_size=view_size, seed=seed, device=device).of_evaluation()
    outcome: list[Evaluation] = []

    def run(number: int) -> None:
        with matrix_units(precision), mixed_precision(precision, setting.world.device):
            outcome.append(evaluate(setting.context, setting.tasks, seeds=SEEDS[:number], batch=number * points))

    run(1)  # warms up
    spent = seconds_of(lambda: run(seeds), device)
    scores = outcome[-1].scores
    episodes = points * seeds
    yield Measurement("evaluation", spent, "s", note=f"{points:,} points × {seeds} seeds in one batch")
    yield Measurement("episodes", episodes / spent, "episodes/s")
    yield Measurement(
        "agent steps", int(scores.steps.sum()) / spent, "steps/s",
        note=f"{scores.steps.mean():.1f} steps and {scores.requests.mean():.1f} requests an episode",
    )  # fmt: skip
    yield most_memory(device)
