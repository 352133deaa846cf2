"""What participants may say in a study besides what visitors say in an episode, and how they are told where they stand."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from vnla.serve.events import Frozen
from vnla.serve.messages import ActMessage, AdviseMessage, AskMessage, HelloMessage, LeaveMessage, Message, SpeakMessage

TOKEN = r"^[0-9a-f]{32}$"


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


StudyMessage = Annotated[
    HelloMessage
    | AgreeMessage
    | NextMessage
    | WithdrawMessage
    | AdviseMessage
    | SpeakMessage
    | ActMessage
    | AskMessage
    | LeaveMessage,
    Field(discriminator="kind"),
]
STUDY_MESSAGE: TypeAdapter[StudyMessage] = TypeAdapter(StudyMessage)
"""Reads and checks any of them."""


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
