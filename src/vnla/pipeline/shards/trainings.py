"""Grids of trainings that shards share: each trains its own, in the folders that they have on one machine.

Nothing has to be put together. What the merge does is to see that all are finished, by one version and as they were wanted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path

from vnla.common.errors import InputError
from vnla.pipeline.shards.parts import ShardParts
from vnla.pipeline.shards.shard import Shard
from vnla.training.checkpoints import is_finished
from vnla.training.config import RunConfig

Runs = Mapping[Path, RunConfig]


def training_parts(out: Path, runs: Runs) -> ShardParts:
    """The parts of a grid of runs in the folder `out`, each known by what differs, but for places."""
    return ShardParts(out, "trainings", {_name(out, path): _described(config) for path, config in runs.items()})


def share_of(shard: Shard, runs: Runs) -> dict[Path, RunConfig]:
    """The runs that a shard trains."""
    return dict(list(runs.items())[shard.number - 1 :: shard.count])


def check_finished(runs: Runs, count: int) -> None:
    """That every run of a grid is there and finished."""
    for number, (path, config) in enumerate(runs.items()):
        if not is_finished(path, config):
            raise InputError(
                f"{path}: is not finished; run the same command with --shard {Shard(number % count + 1, count)}"
            )


def _name(out: Path, path: Path) -> str:
    return path.relative_to(out).as_posix() if path != out else path.name


def _described(config: RunConfig) -> dict[str, object]:
    return asdict(replace(config, world="", tasks="", begins_with=""))
