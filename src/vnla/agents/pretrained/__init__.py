"""The agent that comes with the package; `card.md` beside this file says what it was trained on and how well it does.

It is kept like a run: its configuration, the words it knows, and its weights in float16.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent
NAME = "pretrained"


def is_meant(run: Path | str) -> bool:
    """Whether a person who names this run means the agent of the package."""
    return str(run) == NAME and not Path(run).exists()


def folder_of(run: Path | str) -> Path:
    """Return the folder of a run, or of the agent of the package where that is meant."""
    return FOLDER if is_meant(run) else Path(run)
