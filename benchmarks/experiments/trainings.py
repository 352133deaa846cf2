"""What two agents differ by, each trained several times: success over trainings, houses and tasks.

    python benchmarks/experiments/trainings.py tasks/asknav test_unseen panorama.json \\
        results/panorama/seed?/test_unseen.npz --against results/paper/full/learned/test_unseen.npz

Each file has every episode of one training's evaluation, as `vnla evaluate --npz` writes it. The data set says in which
house a task is; it is that of the evaluations, or the tasks do not match and nothing is written.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from vnla.common.errors import InputError
from vnla.common.files import write_text
from vnla.common.machine import commit
from vnla.evaluation.confidence import Floats, over_trainings
from vnla.tasks.dataset import read_dataset


def success(paths: list[Path], tasks: list[str]) -> Floats:
    """Return the success of each task in %, over the seeds of the help budgets: (trainings, tasks)."""
    found = []
    for path in paths:
        with np.load(path, allow_pickle=False) as arrays:
            if arrays["tasks"].tolist() != tasks:
                raise InputError(f"{path}: has other tasks than the data set")
            found.append(100 * arrays["scores.success"].mean(axis=0))
    return np.stack(found)


def main() -> None:
    """Write the figures of both agents and their difference."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", type=Path)
    parser.add_argument("split")
    parser.add_argument("out", type=Path)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--against", type=Path, nargs="+", required=True)
    given = parser.parse_args()
    tasks = list(read_dataset(given.tasks).split(given.split))
    houses, names = np.array([task.house for task in tasks]), [task.id for task in tasks]
    one, other = (success(paths, names) for paths in (given.files, given.against))
    figures = {
        "one": over_trainings(one, houses=houses, whole=100),
        "other": over_trainings(other, houses=houses, whole=100),
        "difference": over_trainings(one, other, houses=houses, whole=100),
    }
    for name, figure in figures.items():
        print(f"{name}: {figure} over {figure.over}")
    about = {"commit": commit(), "split": given.split, "files": [str(each) for each in given.files]}
    about["against"] = [str(each) for each in given.against]
    each = {"one": one.mean(axis=1).tolist(), "other": other.mean(axis=1).tolist()}
    found = {name: figure._asdict() for name, figure in figures.items()}
    write_text(given.out, json.dumps({**about, "trainings": each, "figures": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
