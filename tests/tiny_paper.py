"""The smallest run of all experiments of the paper: four little houses, symbolic features, two iterations.

python tests/tiny_paper.py OUT
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from vnla.experiments.paper.presets import Preset
from vnla.experiments.paper.reporting import Contents
from vnla.experiments.paper.run import run_experiments
from vnla.houses.generate.world import WorldPreset as Houses
from vnla.training.config import TrainingConfig

TINY = Preset(
    name="tiny",
    houses=Houses(train=2, dev=1, test=1, sizes=(12, 14)),
    training=TrainingConfig(iterations=2, batch=8, learning_rate=1e-2),
    validate_every=1,
    agent={"hidden": 16, "help_hidden": 16, "word_embedding": 8},
    features="symbolic",
    most_train={"asknav": 100, "noroom": 100},
    least=10,
    fewest=1,
    seeds=(1, 2),
    frequent=1,
)
CONTENTS = Contents("All experiments, tiny", successes=1, failures=1)


def run_table(out: Path, **options: Any) -> None:
    """Table 2 alone, with pictures, on one core; a log beside it."""
    contents = Contents("Table 2 alone", (2,), successes=1, failures=1)
    with out.with_suffix(".log").open("a") as log:
        preset = replace(TINY, features="pixels")
        run_experiments(out, preset, contents, command="tiny", console=Console(file=log), cores=1, **options)


def contents_of(out: Path) -> dict[str, bytes]:
    """What a run has made, but for what holds times of day."""
    timed = ("stages", "tensorboard", "report.html", "document.json", ".lock")
    paths = [path for path in sorted(out.rglob("*")) if path.is_file() and not set(path.relative_to(out).parts) & set(timed)]
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in paths}


if __name__ == "__main__":
    run_experiments(Path(sys.argv[1]), TINY, CONTENTS, command="tiny", console=Console(stderr=True), cores=2)
