"""The examples of an agent, an advisor and a help policy, through the commands that their first lines show."""

from __future__ import annotations

from pathlib import Path

import pytest

from command import Command
from cottage_run import write_cottage
from vnla.training.checkpoints import CONFIG
from vnla.training.config import RunConfig

OPTIONS = {
    "agent": ("--agent", "examples.agent:GruAgent", "--agent-option", "hidden=24", "--agent-option", "embedding=8"),
    "advisor": ("--advisor", "examples.advisor:Warmer", "--advisor-option", "near=3", "--hidden", "16"),
    "help_policy": ("--help-policy", "examples.help_policy:Unsure", "--help-option", "nats=1.2", "--hidden", "16"),
}
EXAMPLES = Path(__file__).parents[2] / "examples"
