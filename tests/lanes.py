"""What a trainer computes on its lane, as numbers."""

from __future__ import annotations

from vnla.training.checkpoints import checkpoint_file
from vnla.training.trainer import Losses, Trainer


def losses_read(trainer: Trainer, losses: Losses) -> list[float]:
    """Both losses of an iteration, read where they are computed, when they are."""
    with trainer.stream.entered():
        numbers: list[float] = trainer.stream.read({"losses": losses.both()}).tensors()["losses"].tolist()
        return numbers


def state_file(trainer: Trainer, **notes: str) -> bytes:
    """A checkpoint of it as it is now."""
    return checkpoint_file(trainer.state().tensors(), {"done": str(trainer.done), **notes})
