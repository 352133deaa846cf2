"""A person as an advisor: one of the four by name, but nobody whom a program can ask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import torch

from vnla.assistance.advisor import Advisor, Lexicon
from vnla.common.errors import InputError
from vnla.world.budgets import SUBGOAL_ACTIONS


@dataclass(frozen=True)
class PersonAdvisor(Advisor):
    """A person: at the terminal with `vnla watch RUN --ask`, on the page with `vnla serve RUN`."""

    k: int = SUBGOAL_ACTIONS
    direct: bool = False
    speaks: bool = True

    def __post_init__(self) -> None:
        _nobody()

    def words(self) -> Sequence[str]:
        """Any."""
        _nobody()

    def ready(self, lexicon: Lexicon, device: torch.device | str = "cpu") -> NoReturn:  # noqa: ARG002
        """Never here."""
        _nobody()


def _nobody() -> NoReturn:
    raise InputError(
        "a person speaks at the terminal (vnla watch RUN --ask) and on the page (vnla serve RUN), "
        "to an agent that was trained with template, grammar or speaker"
    )
