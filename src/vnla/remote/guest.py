"""What a guest is: somebody who acts from what it is told, in one episode or in several at a time."""

from __future__ import annotations

import traceback
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar

from vnla.common.errors import InputError
from vnla.common.outside import shown
from vnla.world.actions import Nav

ACTIONS = {action.name.lower(): action for action in Nav}
"""The navigation actions by the names that guests use."""

OBSERVATIONS = ("picture", "text", "symbols")
"""What a guest may ask to be shown; or `features:NAME`, or `sense:NAME`."""
FEATURES, SENSE = "features:", "sense:"
_LONGEST = 300  # characters of an error of somebody's


class Fault(StrEnum):
    """What can be wrong with an answer."""

    UNKNOWN_ACTION = "unknown_action"
    MALFORMED = "malformed"  # no JSON, or not the object that was asked for
    NO_BUDGET = "no_budget"  # a request with none left
    ASKED_TWICE = "asked_twice"  # a second request in one time step
    TOO_LARGE = "too_large"
    LATE = "late"
    HTTP_ERROR = "http_error"
    NO_ANSWER = "no_answer"


UNANSWERED = frozenset({Fault.LATE, Fault.HTTP_ERROR, Fault.NO_ANSWER})
"""Those that are worth another try: nobody has answered yet."""


@dataclass(frozen=True)
class Declared:
    """What a guest says of itself."""

    name: str
    observes: tuple[str, ...] = ("text",)
    batch: int = 1
    """How many episodes it takes in one call."""
    width: int = 224
    """Of its pictures, in pixels; they are as high as three quarters of it."""

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features that it is shown."""
        return tuple(each.removeprefix(FEATURES) for each in self.observes if each.startswith(FEATURES))

    @property
    def senses(self) -> tuple[str, ...]:
        """Names of the senses that it is lent."""
        return tuple(each.removeprefix(SENSE) for each in self.observes if each.startswith(SENSE))


@dataclass(frozen=True)
class Beginning:
    """How an episode begins."""

    episode: str
    instruction: str
    time: int
    """Time steps."""
    requests: int


@dataclass(frozen=True)
class Last:
    """What became of the last answer."""

    action: str | None
    """What was done: an action, "request", or nothing."""
    outcome: str
    """"moved", "turned", "stayed" (there was nowhere to go, nothing more to see), "answered" or "error"."""
    metres: float = 0.0
    """How far it went."""
    error: str | None = None
    """What was wrong with the answer."""
    led: bool = False
    """Whether the advisor acted in its place."""


@dataclass(frozen=True)
class Observation:
    """All that a guest is told before it answers."""

    episode: str
    turn: int
    """How many answers were asked for before in this episode; a call that is tried again has the same."""
    instruction: str
    """The end-goal, with what the advisor said last before it."""
    end_goal: str
    advice: str | None
    """What the advisor said last."""
    step: int
    time_left: int
    """Time steps, this one included."""
    requests_left: int
    may_request: bool
    """Whether a request would be answered now."""
    may_go_forward: bool
    """Whether a place to go to is in view."""
    last: Last | None
    picture: bytes | None = None
    """PNG."""
    text: str | None = None
    symbols: Mapping[str, Any] | None = None
    """`vnla.vision.symbols.Symbols.as_dict`."""
    features: Mapping[str, bytes] = field(default_factory=dict)
    """Name → numbers, as little-endian float32."""
    senses: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """Name → what is noticed (`vnla.agents.sensors`)."""


@dataclass(frozen=True)
class Answer:
    """What a guest does: an action, or else a request."""

    action: Nav | None
    chances: tuple[float, ...] | None = None
    """How probable it finds each action before it hears anything, in the order of `Nav`; then it can be known what the help
    teacher would have said."""


def is_last(answer: Answer, now: Observation) -> bool:
    """Whether an episode ends with an answer."""
    return answer.action is Nav.STOP or (answer.action is not None and now.time_left == 1)


class Guest(ABC):
    """An agent that is not ours."""

    at_once: ClassVar[bool] = False
    """Whether several threads may call it."""
    declared: Declared

    @property
    def settings(self) -> dict[str, Any]:
        """What else determines its answers, as far as it is known here; for JSON."""
        return {}

    @abstractmethod
    def begin(self, beginnings: Sequence[Beginning]) -> Sequence[Fault | None]:
        """Some episodes begin; what went wrong with each."""

    @abstractmethod
    def act(self, observations: Sequence[Observation]) -> Sequence[Answer | Fault]:
        """What it does in each of some episodes."""


def called(guest: Guest, method: str, *given: Any) -> Any:
    """What a method of a guest in this process gives; whatever it raises is one line that names class, method and place.

    Its author reads that. An error of a class is no wrong answer: counted as one it would stand in a table as a weak agent.
    """
    try:
        return getattr(guest, method)(*given)
    except InputError:
        raise
    except Exception as error:
        *_, (place, line, _, _) = traceback.extract_tb(error.__traceback__)
        why = " ".join(f"{type(error).__name__}: {error}".split())
        raise InputError(f"{name_of(guest)}.{method} failed in {Path(place).name}, line {line}: {why[:_LONGEST]}") from error


def checked_answers(guest: Guest, method: str, answers: Any, count: int) -> list[Answer | Fault]:
    """What a guest in this process answers to so many observations, if it is of the right kind."""
    found = list(answers) if isinstance(answers, Sequence) and not isinstance(answers, str) else None
    if found is None or len(found) != count or not all(isinstance(each, Fault) or _is_answer(each) for each in found):
        raise InputError(
            f"{name_of(guest)}.{method} gave {shown(answers)}; expected a list of {count}, each an Answer or a Fault"
        )
    return found


def _is_answer(value: Any) -> bool:
    return isinstance(value, Answer) and isinstance(value.action, Nav | None)


def name_of(guest: Guest) -> str:
    """What a guest is called in messages: its class."""
    return f"agent {type(guest).__module__}:{type(guest).__qualname__}"


class Lone(Guest):
    """A guest that thinks of one episode at a time, in this process: to write one, write `welcome` and `decide`.

    What it keeps of an episode is what `welcome` gives.
    """

    def __init__(self, declared: Declared) -> None:
        self.declared = declared
        self._states: dict[str, Any] = {}

    @abstractmethod
    def welcome(self, beginning: Beginning) -> Any:
        """What it keeps of an episode, to be changed as it goes on."""

    @abstractmethod
    def decide(self, state: Any, observation: Observation) -> Nav | None:
        """An action, or None: a request."""

    def begin(self, beginnings: Sequence[Beginning]) -> Sequence[Fault | None]:
        """Each has a state of its own."""
        self._states |= {each.episode: called(self, "welcome", each) for each in beginnings}
        return [None] * len(beginnings)

    def act(self, observations: Sequence[Observation]) -> Sequence[Answer | Fault]:
        """One after the other."""
        return [self._answer(each) for each in observations]

    def _answer(self, observation: Observation) -> Answer:
        action = called(self, "decide", self._states[observation.episode], observation)
        if not isinstance(action, Nav | None):
            actions = ", ".join(f"Nav.{each.name}" for each in Nav)
            raise InputError(
                f"{name_of(self)}.decide gave {shown(action)}; expected one of {actions}, or None for a request"
            )
        answer = Answer(action)
        if is_last(answer, observation):
            del self._states[observation.episode]
        return answer
