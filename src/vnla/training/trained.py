"""A trained agent and what it works on: that of a run, or the one that comes with the package.

The latter is called "pretrained" and needs a world and a data set to be tried in; it reads them with the words it knows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from vnla import pretrained
from vnla.agent.agent import Agent
from vnla.common.errors import InputError
from vnla.tasks.vocabulary import Vocabulary
from vnla.training.checkpoints import CONFIG, load_agent
from vnla.training.config import RunConfig
from vnla.training.data import RunData, with_tasks


@dataclass(frozen=True)
class Trained:
    """A run that was opened for use."""

    folder: Path
    config: RunConfig
    material: RunData
    only: str | None = None
    """The one checkpoint there is; None if there is one for every kind of split."""

    def agent(self, checkpoint: str) -> Agent:
        """The best agent by a validation split, or the last."""
        return load_agent(self.folder, self.config, self.material, self.only or checkpoint)


def open_trained(run: Path, *, world: Path | None = None, tasks: Path | None = None, device: str = "cpu") -> Trained:
    """The agent of a run, on another data set if `tasks` says so; for the pretrained one `world` and `tasks` are needed."""
    if str(run) == pretrained.NAME and not run.exists():
        return _open_pretrained(world, tasks, device)
    if world is not None:
        raise InputError("--world: a run has its own world; only the pretrained agent is given one")
    config = RunConfig.read(run / CONFIG)
    material = RunData.load(config, device)
    return Trained(run, config, with_tasks(material, tasks) if tasks else material)


def _open_pretrained(world: Path | None, tasks: Path | None, device: str) -> Trained:
    if world is None or tasks is None:
        raise InputError("the pretrained agent: say which --world and --tasks to try it on")
    folder = pretrained.FOLDER
    config = replace(RunConfig.read(folder / CONFIG), world=str(world), tasks=str(tasks))
    material = RunData.load(config, device)
    known = Vocabulary.read(folder / pretrained.VOCABULARY)
    return Trained(folder, config, replace(material, dataset=replace(material.dataset, words=known)), only="val_unseen")
