"""What a guest is: somebody who acts from what it is told, in one episode or in several at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar

from vnla.world.actions import Nav

ACTIONS = {action.name.lower(): action for action in Nav}
"""The navigation actions by the names that guests use."""

OBSERVATIONS = ("picture", "text", "symbols")
"""What a guest may ask to be shown; or `features:NAME`, or `sense:NAME`."""
FEATURES, SENSE = "features:", "sense:"


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
    """`vnla.text.sights.Sight.as_dict`."""
    features: Mapping[str, bytes] = field(default_factory=dict)
    """Name → numbers, as little-endian float32."""
    senses: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """Name → what is noticed (`vnla.agent.senses`)."""


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
        self._states |= {each.episode: self.welcome(each) for each in beginnings}
        return [None] * len(beginnings)

    def act(self, observations: Sequence[Observation]) -> Sequence[Answer | Fault]:
        """One after the other."""
        return [self._answer(each) for each in observations]

    def _answer(self, observation: Observation) -> Answer:
        answer = Answer(self.decide(self._states[observation.episode], observation))
        if is_last(answer, observation):
            del self._states[observation.episode]
        return answer
