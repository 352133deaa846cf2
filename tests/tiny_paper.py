"""The smallest run of all experiments of the paper: four little houses, symbolic features, two iterations.

python tests/tiny_paper.py OUT
"""

from __future__ import annotations

import sys
from pathlib import Path

from rich.console import Console

from vnla.houses.generate.world import Preset as Houses
from vnla.paper.presets import Preset
from vnla.paper.reporting import Contents
from vnla.paper.run import run_experiments
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

if __name__ == "__main__":
    run_experiments(Path(sys.argv[1]), TINY, CONTENTS, command="tiny", console=Console(stderr=True), cores=2)
