"""The agent that comes with the package; `card.md` beside this file says what it was trained on and how well it does.

It is kept like a run: its configuration, the words it knows, and its weights in float16.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent
NAME = "pretrained"
