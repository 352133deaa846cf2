"""The messages of visitors and participants of studies over the WebSocket, and the server's replies; each is checked."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from vnla.serve.episode_spec import LONGEST_LINK, LONGEST_TEXT
from vnla.serve.events import Action, Event, Frozen
from vnla.world.budgets import LONGEST_EPISODE

TOKEN = r"^[0-9a-f]{32}$"
"""By which a study knows a participant's browser."""
Words = Annotated[str, Field(max_length=LONGEST_TEXT)]
Number = Annotated[int, Field(ge=0, lt=2**53)]
StepNumber = Annotated[int, Field(ge=0, lt=LONGEST_EPISODE)]


class Message(BaseModel):
    """From a visitor."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    after: Number = 0
    """The last event that the visitor has seen."""
    at: float | None = Field(default=None, ge=0, lt=2**53)
    """When it was said, in milliseconds by the visitor's clock."""


class HelloMessage(Message):
    """The first message: the session to go on with, if there is one."""

    kind: Literal["hello"]
    session: str | None = Field(default=None, max_length=64)


class EpisodeMessage(Message):
    """Which episode: a link, a task, or a house and what to find there; nothing lets the server choose."""

    link: str | None = Field(default=None, max_length=LONGEST_LINK)
    task: str | None = Field(default=None, max_length=100)
    house: str | None = Field(default=None, max_length=64)
    goal: Words | None = None
    seed: Number | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if sum(each is not None for each in (self.link, self.task, self.goal)) > 1:
            raise ValueError("one of link, task and goal")
        return self


class WatchMessage(EpisodeMessage):
    """Show an episode."""

    kind: Literal["watch"]


class HelpMessage(EpisodeMessage):
    """Show an episode in which the visitor is the advisor."""

    kind: Literal["help"]


class AdviseMessage(Message):
    """The answer to a request: words, a phrase that was chosen, or neither: no answer."""

    kind: Literal["advise"]
    step: StepNumber
    text: Words | None = None
    choice: Words | None = None


class SpeakMessage(Message):
    """Words that nobody has asked for."""

    kind: Literal["speak"]
    step: StepNumber
    text: Words


class WhatIfMessage(Message):
    """A second walk, with other words at a step; with none."""

    kind: Literal["what_if"]
    step: StepNumber
    text: Words | None = None


class BeatMessage(Message):
    """Give the visitor a task, against the server's own agent or another."""

    kind: Literal["beat"]
    against: str | None = Field(default=None, max_length=200)


class BesideMessage(Message):
    """Show how another agent does on the task of the present episode, beside it."""

    kind: Literal["beside"]
    agent: str = Field(max_length=200)


class DayMessage(Message):
    """Give the visitor the task of the day."""

    kind: Literal["day"]


class ActMessage(Message):
    """The visitor's action."""

    kind: Literal["act"]
    action: Action


class AskMessage(Message):
    """The visitor asks the advisor."""

    kind: Literal["ask"]


class LeaveMessage(Message):
    """The visitor ends the episode."""

    kind: Literal["leave"]


class ContributeMessage(Message):
    """To give what one types from now on, having read a version of the text on that, or to give no more of it."""

    kind: Literal["contribute"]
    agrees: bool
    version: str = Field(default="", max_length=64)
    token: str | None = Field(default=None, pattern=TOKEN)
    """By which this browser's sentences are known; none if it has never given any."""


class WithdrawContributionsMessage(Message):
    """Delete all sentences that a browser with this token has given."""

    kind: Literal["withdraw_contributions"]
    token: str = Field(pattern=TOKEN)


class AgreeMessage(Message):
    """To take part, having read a version of the consent text; with the platform's id where people come from one."""

    kind: Literal["agree"]
    version: str = Field(max_length=64)
    platform: str | None = Field(default=None, min_length=1, max_length=200)


class NextMessage(Message):
    """To the next task. It acknowledges all events of the one before."""

    kind: Literal["next"]


class WithdrawMessage(Message):
    """Delete all that was recorded."""

    kind: Literal["withdraw"]


InEpisode = AdviseMessage | SpeakMessage | ActMessage | AskMessage | LeaveMessage
"""What visitors and participants say in an episode."""
OnContributions = ContributeMessage | WithdrawContributionsMessage
"""What visitors say about giving what they type."""
AnyMessage = Annotated[
    HelloMessage
    | WatchMessage
    | HelpMessage
    | WhatIfMessage
    | BeatMessage
    | DayMessage
    | BesideMessage
    | OnContributions
    | InEpisode,
    Field(discriminator="kind"),
]
MESSAGE: TypeAdapter[AnyMessage] = TypeAdapter(AnyMessage)
"""Reads and checks a visitor's message."""
StudyMessage = Annotated[
    HelloMessage | AgreeMessage | NextMessage | WithdrawMessage | InEpisode, Field(discriminator="kind")
]
STUDY_MESSAGE: TypeAdapter[StudyMessage] = TypeAdapter(StudyMessage)
"""Reads and checks a participant's message."""


class WelcomeReply(Frozen):
    """Where the session stands."""

    kind: Literal["welcome"] = "welcome"
    session: str
    snapshot: dict[str, Any]


class EventReply(Frozen):
    """Something has happened."""

    kind: Literal["event"] = "event"
    event: Event


class WhatIfReply(Frozen):
    """Another walk, beside the first; its events are in no session."""

    kind: Literal["second"] = "second"
    events: list[Event]


class RefusedReply(Frozen):
    """What was asked for cannot be done, and why."""

    kind: Literal["refused"] = "refused"
    why: str


class ContributionsReply(Frozen):
    """Whether a visitor's words are kept now."""

    kind: Literal["contributions"] = "contributions"
    agrees: bool
    token: str | None = None
    """With which they can be taken back."""
    count: int = 0
    """How many sentences are kept that were given with it."""
    withdrawn: int | None = None
    """How many have just been deleted."""


class StudyStatus(Frozen):
    """Where a participant stands: after every hello, and whenever it changes."""

    kind: Literal["study"] = "study"
    phase: Literal["consent", "practice", "task", "done", "out", "withdrawn"]
    title: str
    text: str
    """The consent text, or what there is to do."""
    version: str | None = None
    """Of the consent text."""
    platform: str | None = None
    """The parameter of the address that has the platform's id."""
    begun: bool = False
    """Whether the task is in front of the participant; otherwise `next` brings one."""
    over: bool = False
    """Whether it is done, so that `next` goes on."""
    passed: bool | None = None
    """Whether the last practice went well."""
    done: int = 0
    of: int = 0
    """Tasks, without practice."""
    seconds_left: float | None = None
    code: str | None = None
