"""By what a study's records are made: digits of its configuration, this program, the world, the tasks and the agents."""

from __future__ import annotations

import hashlib
from pathlib import Path

import vnla
from vnla.agents import pretrained
from vnla.common import checksums
from vnla.common.files import existing_file
from vnla.houses.folder import read_world
from vnla.serve.study.design import Design
from vnla.serve.study.records import Stamp
from vnla.tasks.dataset import read_dataset
from vnla.training.checkpoints import checkpoint
from vnla.vision.store import world_checksum

CHECKPOINT = "val_unseen"
"""Which of a run's agents takes part."""
_DIGITS = 16


def stamp_of(design: Design) -> Stamp:
    """The stamp of records that are made now."""
    weights = {name: _weights(run) for name, run in design.agents.items()}
    code = f"{vnla.__version__}+{checksums.of_program()[:_DIGITS]}"
    return Stamp(
        study=design.name,
        configuration=design.fingerprint,
        code=code,
        world=world_checksum(read_world(Path(design.world))),
        tasks=_digits(sorted(read_dataset(Path(design.tasks)).paths.values())),
        checkpoints=weights,
    )


def _weights(run: str) -> str:
    folder = pretrained.folder_of(run)
    return _digits([existing_file(checkpoint(folder, CHECKPOINT), "an agent of a run")])


def _digits(paths: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:_DIGITS]
