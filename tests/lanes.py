"""What a trainer computes on its lane, as numbers."""

from __future__ import annotations

from vnla.training.trainer import Losses, Trainer


def losses_read(trainer: Trainer, losses: Losses) -> list[float]:
    """Both losses of an iteration, read where they are computed, when they are."""
    with trainer.lane.entered():
        return trainer.lane.read(losses.both()).numbers()
