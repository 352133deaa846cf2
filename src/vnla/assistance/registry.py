"""The help policies by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from vnla.assistance.certain import Certain
from vnla.assistance.help_policies import (
    AsTaught,
    AtFirst,
    AtRandom,
    Cloning,
    Entropy,
    HelpPolicy,
    Imitation,
    Learned,
    Never,
    Spaced,
)
from vnla.assistance.if_wrong import AskIfWrong
from vnla.assistance.threshold import Threshold
from vnla.assistance.valued import Valued
from vnla.common.registry import build

HELP_POLICIES: dict[str, Callable[..., HelpPolicy]] = {
    "none": Never,
    "first": AtFirst,
    "random": AtRandom,
    "learned": Learned,
    "teacher": AsTaught,
    "spaced": Spaced,
    "entropy": Entropy,
    "cloning": Cloning,
    "imitation": Imitation,
    "valued": Valued,
    "threshold": Threshold,
    "certain": Certain,
    "if-wrong": AskIfWrong,
}
"""By the name that commands and files give them: the paper's five, two rules to compare them with, two trainings without
an advisor at test time, those that go by what a request is worth, by a threshold of the help module and by how certain the
agent is, and a reference line that knows the navigation teacher's action."""


def help_policy(name: str, options: Mapping[str, Any] | None = None) -> HelpPolicy:
    """The policy of that name, or of a `package.module:Class`, with options."""
    return build("help policy", name, HELP_POLICIES, options or {}, HelpPolicy)
