"""The options of a run's help policy, chosen on a dev set and kept in the run's folder (`vnla tune`).

They are kept beside the configuration, not in it: a training goes on as it was configured, and everybody who uses the agent
reads them (`vnla.training.checkpoints.as_tuned`).
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

from vnla.common.progress import Share, unheard
from vnla.evaluation.evaluate import SEEDS
from vnla.evaluation.tuning import TriedOptions, measure, tune
from vnla.training.checkpoints import CONFIG
from vnla.training.config import RunConfig
from vnla.training.context import make_context
from vnla.training.trained import open_trained


def tune_run(
    run: Path,
    *,
    help_policy: str | None = None,
    split: str = "val_unseen",
    checkpoint: str = "val_unseen",
    limit: int | None = None,
    seeds: int = 1,
    device: str = "cpu",
    command: str = "",
    progress: Share = unheard,
) -> tuple[TriedOptions, list[TriedOptions], str]:
    """Choose the options of a run's help policy, or of another one; return the best, all that were tried, and the text of
    `TUNED`."""
    trained = open_trained(run, device=device)
    config = RunConfig.read(run / CONFIG)
    config = config if help_policy is None else config.asking(help_policy)
    context = make_context(config, trained.material, trained.agent(checkpoint), training=False)
    tasks, ratio = trained.material.evaluation_tasks(split, limit), config.help(training=False).ratio
    score = partial(measure, context, tasks, seeds=SEEDS[:seeds], ratio=ratio)
    best, tried = tune(config.policy, score, progress)
    found = {
        "command": command,
        "split": split,
        "checkpoint": checkpoint,
        "tasks": len(tasks),
        "seeds": list(SEEDS[:seeds]),
        "help_policy": config.help_policy,
        "help_options": best.options,
        "tried": [each.as_dict() for each in tried],
    }
    return best, tried, json.dumps(found, indent=2) + "\n"
