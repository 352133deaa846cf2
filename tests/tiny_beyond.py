"""The smallest comparison past the paper: five little houses, symbolic features, five iterations, two trainings.

python tests/tiny_beyond.py OUT
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from tiny_paper import TINY
from vnla.experiments.beyond.arms import ComparisonScale, Tuning, chosen_arms
from vnla.experiments.beyond.comparison_stages import run_comparison
from vnla.experiments.beyond.plan import ComparisonPlan

SCALE = ComparisonScale(
    preset=replace(
        TINY, houses=replace(TINY.houses, test=2), training=replace(TINY.training, iterations=5), validate_every=2
    ),
    begun=Tuning(batch=8, learning_rate=1e-2, dropout=0.5),
    begun_share=0.4,
    further=Tuning(batch=12, learning_rate=5e-3, dropout=0.2, cooldown=0.3),
    worth=Tuning(batch=6, learning_rate=5e-3, dropout=0.2),
    worth_share=0.2,
    reward={"imitation": 0.05},
    limit=2,
    schedules=3,
)
PLAN = ComparisonPlan(SCALE, chosen_arms(SCALE, ["best", "valued"]), trainings=2)

if __name__ == "__main__":
    run_comparison(Path(sys.argv[1]), PLAN, command="tiny", console=Console(stderr=True), cores=2)
