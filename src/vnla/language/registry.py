"""Advisors by the name that commands and files give them: a person is one of them, but nobody whom a program can ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import torch

from vnla.assistance.advisor import Advisor, Lexicon, TemplateAdvisor
from vnla.assistance.later import on_a_cpu
from vnla.common.errors import InputError
from vnla.common.outside import check_fields
from vnla.common.registry import build, find, option_names
from vnla.language.advisor import GrammarAdvisor
from vnla.language.asking import LONGEST_READ, AskingInterpreter, houses_of
from vnla.language.dialogue import Asking
from vnla.language.interpreter import Houses
from vnla.language.speaker.advisor import SpeakerAdvisor
from vnla.world.budgets import SUBGOAL_ACTIONS
from vnla.world.compiled import World

if TYPE_CHECKING:
    from vnla.houses.folder import WorldFolder


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


@dataclass(frozen=True)
class DialogueAdvisor(Advisor):
    """Another advisor with the reader between: of what may mean several things the reader asks which, at a price, and tells
    the agent in its own words."""

    trains: ClassVar[bool] = False

    k: int = SUBGOAL_ACTIONS
    """How many actions are described."""
    direct: bool = False
    """Whether it acts for the agent during those actions, at test time too."""
    speaks: bool = True
    """Whether it says anything."""
    speaker: str = "grammar"
    """Who speaks: any advisor by its name."""
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """The options of that one, as JSON."""
    words_of: str = "template"
    """Whose words the agent is told: template or grammar."""
    asks: bool = True
    """Whether the reader asks back; else it takes the cheapest reading."""
    price: int = Asking.price
    """Requests that a question back costs besides the one that was answered."""
    margin: float = Asking.margin
    """A question is asked about readings that cost no more than this above the cheapest."""
    shortened: bool = False
    """Whether sides, ordinals and colours are left out of what is said, to try what a question is worth."""

    def __post_init__(self) -> None:
        check_fields(self)
        self.check_role("advisor dialogue", LONGEST_READ)
        if self.words_of not in (kinds := ("template", "grammar")):
            raise InputError(f"advisor dialogue: words_of is {self.words_of!r}; choose from {', '.join(kinds)}")
        if not isinstance(self.options, Mapping):
            raise InputError(f'advisor dialogue: options is {self.options!r}; expected an object, such as {{"sides": 1}}')
        _ = self.asking, self.spoken_by

    @property
    def asking(self) -> Asking | None:
        """When it asks back."""
        return Asking(self.price, self.margin) if self.asks else None

    @property
    def spoken_by(self) -> Advisor:
        """Who speaks."""
        if self.speaker == "dialogue":
            raise InputError("advisor dialogue: another one is not its speaker; name one that speaks by itself")
        return advisor_named(self.speaker, self.options, k=self.k)

    @property
    def own_words(self) -> Advisor:
        """The advisor in whose words the agent is told."""
        return advisor_named(self.words_of, k=self.k)

    def words(self) -> Sequence[str]:
        """Those that the agent is told, and those of who speaks."""
        return sorted({*self.own_words.words(), *self.spoken_by.words()})

    def ready(self, lexicon: Lexicon, device: torch.device | str = "cpu") -> NoReturn:  # noqa: ARG002
        """Never without a world's folder: what a sentence means is seen in its houses."""
        raise InputError("advisor dialogue: reads what is said in the houses; give the world as a folder")

    def ready_in(
        self, folder: WorldFolder, world: World, lexicon: Lexicon, device: torch.device | str = "cpu"
    ) -> AskingInterpreter:
        """Bound to the houses of a world."""
        on_a_cpu("dialogue", device)
        speaker = self.spoken_by.ready_in(folder, world, lexicon)
        houses = Houses(world, houses_of(folder))
        return AskingInterpreter.of(speaker, houses, self.own_words, lexicon, self.asking, shortened=self.shortened)


ADVISORS: dict[str, type[Advisor]] = {
    "template": TemplateAdvisor,
    "grammar": GrammarAdvisor,
    "speaker": SpeakerAdvisor,
    "person": PersonAdvisor,
    "dialogue": DialogueAdvisor,
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
    """An advisor that a run is trained with. A run's file may be untrusted: it names nobody who calls an address."""
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
