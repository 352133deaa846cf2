"""Advisors by the name that commands and files give them: a person is one of them, but nobody whom a program can ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import torch

from vnla.assistance.advisor import Advisor, Lexicon, TemplateAdvisor
from vnla.common.errors import InputError
from vnla.common.registry import build, find, option_names
from vnla.language.advisor import GrammarAdvisor
from vnla.language.speaker.advisor import SpeakerAdvisor
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


ADVISORS: dict[str, type[Advisor]] = {
    "template": TemplateAdvisor,
    "grammar": GrammarAdvisor,
    "speaker": SpeakerAdvisor,
    "person": PersonAdvisor,
}
"""A person says where they speak: `vnla serve` and `vnla watch --ask` put one into the place of a run's own."""


CHAT, CHAT_ADVISOR = "openai:", "vnla.remote.chat_advisor:ChatAdvisor"
"""How the names of chat models begin, and their class: a plug-in, which is imported where somebody names one."""


def advisor_class(name: str) -> Any:
    """What an advisor of that name is made from."""
    return find("advisor", CHAT_ADVISOR if name.startswith(CHAT) else name, ADVISORS)


def advisor_named(name: str, options: Mapping[str, Any] | None = None, **role: Any) -> Advisor:
    """The advisor of that name, of a `package.module:Class`, a chat model `openai:MODEL`, or one that a package offers.

    `role` says what every advisor has: `k`, and whether it is `direct` and `speaks`. A class without a field for one of them
    is asked for nothing else than what it is.
    """
    given = _given(name, role)
    if name.startswith(CHAT):
        return build("advisor", CHAT_ADVISOR, ADVISORS, options or {}, Advisor, **given, model=name.removeprefix(CHAT))
    return build("advisor", name, ADVISORS, options or {}, Advisor, **given)


def for_training(advisor: Advisor) -> Advisor:
    """An advisor that a run is trained with. A run's file may be a stranger's: it names nobody who calls an address."""
    if not advisor.trains:
        raise InputError(f"advisor {type(advisor).__name__}: is for evaluation; a run is not trained with it")
    return advisor


def _given(name: str, role: Mapping[str, Any]) -> dict[str, Any]:
    """What of a role the class of that name is made with; what it cannot be is refused."""
    maker = advisor_class(name)
    if not (isinstance(maker, type) and issubclass(maker, Advisor)):
        return {}  # `build` says so
    taken = option_names(maker)
    for each, value in role.items():
        fixed = getattr(maker, each, None)
        if taken is not None and each not in taken and value != fixed:
            raise InputError(f"advisor {name}: has no field {each}, and its own is {fixed}; it cannot be {value}")
    return {each: value for each, value in role.items() if taken is None or each in taken}
