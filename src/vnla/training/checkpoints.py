"""A run: one training from configuration to checkpoints, in a folder.

::

    config.json                     everything that determines the run
    log.jsonl                       a line for every report and every validation
    last.safetensors                the state to go on from
    best_val_seen.safetensors       the agent with the best success rate on that split; also best_val_unseen
    checkpoints/1000.safetensors    the agent at each validation, if the run keeps them
    tensorboard/                    curves

`vnla train` on a folder that has a `config.json` goes on where the run was.
"""

from __future__ import annotations

from pathlib import Path

from safetensors.torch import load_file

from vnla.agent.agent import Agent
from vnla.common import files
from vnla.common.errors import InputError
from vnla.training.cast import make_agent
from vnla.training.config import RunConfig
from vnla.training.data import RunData

CONFIG, LOG, LAST = "config.json", "log.jsonl", "last.safetensors"
VALIDATION = ("val_seen", "val_unseen")


def checkpoint(run: Path, which: str | int) -> Path:
    """Where an agent is: the "last", the best by a validation split, or that of an iteration, if they were kept."""
    if isinstance(which, int):
        return run / "checkpoints" / f"{which}.safetensors"
    return run / (LAST if which == "last" else f"best_{which}.safetensors")


def checkpoints_of(run: Path) -> list[str]:
    """The checkpoints that a run has, by the names that `checkpoint` takes."""
    return [which for which in (*VALIDATION, "last") if checkpoint(run, which).exists()]


def load_agent(run: Path, config: RunConfig, material: RunData, which: str | int = "val_unseen") -> Agent:
    """The agent of a finished or running training: its best by a validation split, the last, or that of an iteration."""
    agent = make_agent(config, material)
    path = checkpoint(run, which)
    files.existing_file(path, "an agent; `vnla train` makes it at its first validation")
    saved = load_file(path, device=str(material.world.device))
    own = {name.removeprefix("agent."): value for name, value in saved.items() if name.startswith("agent.")}
    try:
        agent.load_state_dict(own)
    except RuntimeError as error:
        raise InputError(f"{path}: does not fit the run's configuration: {str(error).splitlines()[-1].strip()}") from None
    return agent.eval()


def runs_in(folder: Path) -> list[Path]:
    """The run in a folder, or the runs in its folders if it holds several; the folder itself if there is none."""
    if (folder / CONFIG).exists() or not folder.is_dir():
        return [folder]
    return sorted(path.parent for path in folder.glob(f"*/{CONFIG}")) or [folder]
