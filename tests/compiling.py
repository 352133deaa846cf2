"""Compiles the loops that tests call: once and before them, where each of pytest's workers would compile the same."""

from __future__ import annotations

import tempfile
from pathlib import Path

from cottage_run import write_cottage
from vnla.houses.render.warming import compile_kernels
from vnla.training.config import RunConfig, TrainingConfig
from vnla.training.together import train_together


def main() -> None:
    """Light and draw something, and learn for an iteration."""
    compile_kernels()
    with tempfile.TemporaryDirectory() as folder:
        world, tasks = write_cottage(Path(folder))
        sizes = {"hidden": 8, "help_hidden": 8, "dropout": 0.5}
        config = RunConfig(str(world), str(tasks), "symbolic", training=TrainingConfig(1, 4), agent_options=sizes)
        train_together([(Path(folder) / "run", config)], "cpu")


if __name__ == "__main__":
    main()
