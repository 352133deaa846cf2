"""A trained agent and what it works on: that of a run, or one that comes with the package.

The latter are called "pretrained" and "pretrained-panorama". They need a world and a data set to be tried in; a run may be
given others than its own. Either reads them with the words it knows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from vnla.agents import pretrained
from vnla.agents.agent import Agent
from vnla.common.errors import InputError
from vnla.tasks.dataset import read_dataset
from vnla.tasks.vocabulary import Vocabulary
from vnla.training.checkpoints import CONFIG, VALIDATION, as_tuned, check_places, chosen_by, load_agent
from vnla.training.config import WORDS, RunConfig
from vnla.training.data import RunData

if TYPE_CHECKING:
    from vnla.vision.views import Source


@dataclass(frozen=True)
class Trained:
    """A run that was opened for use."""

    folder: Path
    config: RunConfig
    material: RunData
    only: str | None = None
    """The one checkpoint there is; None if there is one for every kind of split."""

    def agent(self, checkpoint: str) -> Agent:
        """Return the best agent by a validation split, the last, or that of an iteration."""
        which = self.only if self.only and checkpoint in VALIDATION else checkpoint
        return load_agent(self.folder, self.config, self.material, which)

    def agent_for(self, split: str, checkpoint: str | None = None) -> Agent:
        """Return the agent to be tried on a split, unless another checkpoint is named."""
        return self.agent(checkpoint or chosen_by(split))


def open_trained(
    run: Path,
    *,
    world: Path | None = None,
    tasks: Path | None = None,
    device: str = "cpu",
    source: Source | None = None,
    forward: str | None = None,
) -> Trained:
    """Return the agent of a run, in another world or on another data set if they are given; the pretrained one needs both.
    It walks by another `forward` if one is given.

    What it sees may come from another `source` than the world's features.
    """
    if pretrained.is_meant(run):
        if world is None or tasks is None:
            raise InputError(f"the {run} agent: say which --world and --tasks to try it on")
        return _opened(pretrained.folder_of(run), world, tasks, device, source, forward, only="val_unseen")
    return _opened(run, world, tasks, device, source, forward)


def _opened(
    folder: Path,
    world: Path | None,
    tasks: Path | None,
    device: str,
    source: Source | None,
    forward: str | None,
    only: str | None = None,
) -> Trained:
    saved = as_tuned(folder, RunConfig.read(folder / CONFIG))
    check_places(folder, saved, world=world is None, tasks=tasks is None)
    config = replace(
        saved, world=str(world or saved.world), tasks=str(tasks or saved.tasks), forward=forward or saved.forward
    )
    material = RunData.load(config, device, _words(folder, saved), source)
    return Trained(folder, config, material, only)


def _words(folder: Path, saved: RunConfig) -> Vocabulary | None:
    """Return the words that an agent knows, whatever it is tried on; None where neither it nor its data set can tell."""
    if (folder / WORDS).exists():
        return Vocabulary.read(folder / WORDS)
    return read_dataset(Path(saved.tasks)).vocabulary if Path(saved.tasks).exists() else None
