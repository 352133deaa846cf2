"""The agents that come with the package; `card.md` in each folder says what it was trained on and how well it does.

Each is kept like a run: its configuration, the words it knows, and its weights in float16.
"""

from __future__ import annotations

from pathlib import Path

NAME = "pretrained"
"""The agent that sees one view at a time."""
PANORAMA = "pretrained-panorama"
"""The agent that sees all around."""
FOLDERS = {NAME: Path(__file__).parent / "one_view", PANORAMA: Path(__file__).parent / "panorama"}


def is_meant(run: Path | str) -> bool:
    """Return whether a person who names this run means an agent of the package."""
    return str(run) in FOLDERS and not Path(run).exists()


def folder_of(run: Path | str) -> Path:
    """Return the folder of a run, or of the agent of the package where that is meant."""
    return FOLDERS[str(run)] if is_meant(run) else Path(run)
