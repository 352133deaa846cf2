"""Whom an evaluation asks: a policy in this process, or a server behind an address; and what can be wrong with an answer."""

from __future__ import annotations

import threading
import traceback
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np

from vnla.agents.policy import Choice, Policy, acts_one_at_a_time, is_policy, read_choice
from vnla.common.errors import InputError
from vnla.common.outside import shown
from vnla.observation import ONE_VIEW, SENSOR, TEXT, Observation, declared, named
from vnla.world.actions import Nav

ACTIONS = {action.name.lower(): action for action in Nav}
"""The navigation actions by the names that are sent and written down."""
WIDTH = 224
"""Of pictures, in pixels, where nobody says another; they are as high as three quarters of it."""
MOST_EPISODES = 4096
"""Episodes that are kept in mind; the oldest are forgotten."""
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
class Answer:
    """What an agent does: an action, or else a request."""

    action: Nav | None
    chances: tuple[float, ...] | None = None
    """How probable it finds each action before it hears anything, in the order of `Nav`; then it can be known what the help
    teacher would have said."""


@dataclass(frozen=True)
class Declaration:
    """What an agent says of itself."""

    name: str
    observes: tuple[str, ...] = (TEXT,)
    batch: int = 1
    """How many episodes it takes in one call."""
    picture_width: int = WIDTH
    version: int = 1
    """Of the protocol that it speaks; 1 where it speaks none, in this process."""

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features that it observes."""
        return named(self.observes, ONE_VIEW)

    @property
    def sensors(self) -> tuple[str, ...]:
        """Names of the sensors that it is lent."""
        return named(self.observes, SENSOR)


class Participant(ABC):
    """Somebody whom an evaluation asks, for one episode or for several at a time."""

    declaration: Declaration
    concurrent: bool = False
    """Whether several threads may call it."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """What else determines its answers, as far as it is known here; for JSON."""
        return {}

    @abstractmethod
    def start(self, observations: Sequence[Observation]) -> Sequence[Fault | None]:
        """Begin some episodes, and return what went wrong with each."""

    @abstractmethod
    def act(self, observations: Sequence[Observation]) -> Sequence[Answer | Fault]:
        """Return what it does in each of some episodes."""


class UnknownEpisodeError(InputError):
    """An episode that has not begun, or was forgotten."""


@dataclass
class _Episode:
    state: Any
    turn: int = -1
    answer: Answer | Fault | None = None


class LocalPolicy(Participant):
    """A policy in this process that acts one episode at a time. Its states are kept here, by the names of the episodes.

    A turn that was answered is answered the same again. A policy may return an `Answer`, or a `Fault` where it knows that it
    has no answer, in the place of `(navigation, ask)`.
    """

    def __init__(self, policy: Policy) -> None:
        """In results it is called what it says as `name`, or as its class."""
        who = type(policy).__name__
        if not is_policy(policy):
            raise InputError(f"agent {who}: is no policy; it needs reset(instruction) and act(observation, state)")
        if not acts_one_at_a_time(policy):
            raise InputError(f"agent {who}: takes a batch, so it is trained first: vnla train RUN --agent …")
        self.policy = policy
        width = getattr(policy, "picture_width", WIDTH)
        called = str(getattr(policy, "name", who))
        self.declaration = Declaration(called, declared(policy, (TEXT,)), picture_width=width)
        self.concurrent = bool(getattr(policy, "concurrent", False))
        self._episodes: dict[str, _Episode] = {}
        self._lock = threading.Lock()

    @property
    def settings(self) -> Mapping[str, Any]:
        """What the policy says of itself."""
        return getattr(self.policy, "settings", {})

    def start(self, observations: Sequence[Observation]) -> Sequence[Fault | None]:
        """Reset the policy for each."""
        for now in observations:
            state = self._call("reset", now["instruction"])
            self._episodes.pop(now["episode"], None)
            self._episodes[now["episode"]] = _Episode(state)
            if len(self._episodes) > MOST_EPISODES:
                self._episodes.pop(next(iter(self._episodes)), None)
        return [None] * len(observations)

    def act(self, observations: Sequence[Observation]) -> Sequence[Answer | Fault]:
        """One after the other."""
        if self.concurrent:
            return [self._act(each) for each in observations]
        with self._lock:
            return [self._act(each) for each in observations]

    def _act(self, now: Observation) -> Answer | Fault:
        episode = self._episodes.get(now["episode"])
        if episode is None:
            raise UnknownEpisodeError(f"episode {shown(now['episode'])}: has not begun here, or is over")
        if episode.answer is None or episode.turn != now["turn"]:
            episode.answer, episode.turn = self._answer(episode, now), now["turn"]
        if isinstance(episode.answer, Answer) and is_last(episode.answer, now):
            episode.state = None
        return episode.answer

    def _answer(self, episode: _Episode, now: Observation) -> Answer | Fault:
        if now["has_requested"] and now["advice"] and hasattr(self.policy, "hear"):
            episode.state = self._call("hear", now["advice"], episode.state)
        said = self._call("act", now, episode.state)
        if isinstance(said, tuple) and len(said) == 2 and isinstance(said[0], Answer | Fault):
            answer: Answer | Fault = said[0]
            after = said[1]
        else:
            choice, after = read_choice(self.called, said)
            answer = _answer(choice, now)
        if not (isinstance(answer, Answer) and answer.action is None):
            episode.state = after
        return answer

    @property
    def called(self) -> str:
        """What errors call it."""
        return f"agent {type(self.policy).__module__}:{type(self.policy).__qualname__}"

    def _call(self, method: str, *given: Any) -> Any:
        """Return what a method of the policy returns; whatever it raises is one line that names class, method and place.

        Its author reads that. An error of a class is no wrong answer: counted as one it would stand in a table as a weak
        agent.
        """
        try:
            return getattr(self.policy, method)(*given)
        except InputError:
            raise
        except Exception as error:
            *_, (place, line, _, _) = traceback.extract_tb(error.__traceback__)
            why = " ".join(f"{type(error).__name__}: {error}".split())[:_LONGEST]
            raise InputError(f"{self.called}.{method} failed in {Path(place).name}, line {line}: {why}") from error


def is_last(answer: Answer, now: Observation) -> bool:
    """Whether an episode ends with an answer."""
    return answer.action is Nav.STOP or (answer.action is not None and now["time_left"] == 1)


def _answer(choice: Choice, now: Observation) -> Answer:
    """A request that would not be answered is passed over, and the navigation action beside it carried out."""
    action, chances = choice.named, None
    if action is None:
        chances = _chances(choice.logits, now["may_go_forward"])
        action = Nav(int(np.argmax(chances)))
    return Answer(None if choice.ask > 0 and now["may_request"] else action, chances)


def _chances(logits: Sequence[float], may_go_forward: bool) -> tuple[float, ...]:
    """Probabilities of the actions; `forward` has none where nothing is in view."""
    values = np.array(logits, np.float64)
    if not may_go_forward:
        values[Nav.FORWARD] = -np.inf
    weights = np.exp(values - values.max())
    return tuple((weights / weights.sum()).tolist())
