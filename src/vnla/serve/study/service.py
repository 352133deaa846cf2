"""The desk of a study: takes people in, gives them one task after the other, and hands out completion codes.

Everything is in the store or in a record before anybody is told of it, and each step can be taken again: after a reload, a
lost line or a killed server a participant is where they were. A code is given when the participant has acknowledged all
events of all tasks and the record on disk is complete.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel

from vnla.common.errors import InputError
from vnla.serve import messages
from vnla.serve.episode_spec import EpisodeSpec
from vnla.serve.events import EndedEvent
from vnla.serve.limits import Limits, TokenBucket
from vnla.serve.messages import WelcomeReply
from vnla.serve.study.assignment import Next, Try, cells, places, what_next
from vnla.serve.study.design import Consent, Design, ScheduleEntry
from vnla.serve.study.records import ParticipantSession, ParticipantSessions, Stamp, TrialHeader, record_of
from vnla.serve.study.store import Participant, Store, StudyKey, same_id
from vnla.serve.study.words import AgreeMessage, NextMessage, StudyMessage, StudyStatus, WithdrawMessage
from vnla.serve.visitor_service import VisitorService
from vnla.serve.walk_events import metres

WITHDRAWN = "You have withdrawn. All that was recorded of you has been deleted. You can close this page."
OUT = "Thank you. The practice shows that this study is not for you. You can close this page."
DONE = "Thank you, all is done and recorded. This is your completion code."
_FINISHED: dict[str, tuple[Literal["done", "out"], str]] = {"completed": ("done", DONE), "out": ("out", OUT)}
_AT_ONCE = 50

Agents = Mapping[str, VisitorService]


class StudyService:
    """The desk of the study in a folder."""

    def __init__(self, folder: Path, stamp: Stamp, limits: Limits, clock: Callable[[], float] = time.time) -> None:
        self.design = Design.read(folder)
        self.consent = Consent.read(folder)
        self.secret = StudyKey.read(folder)
        self._cells = cells(self.design)
        self.store = Store(folder, self.secret, cells=len(self._cells), patience=60 * self.design.patience, clock=clock)
        self.store.check(self.design.fingerprint)
        self.records = ParticipantSessions(folder, limits, stamp, self.design.shows)
        for name in self.store.withdrawn():  # in the moment in which a server was killed
            self._forget(name)
        known = [each.id for each in self.store.everybody()]
        self.records.check(known, [name for name in known if any(each.acknowledged for each in self.store.tries(name))])
        self._new, self._clock = TokenBucket(limits.new, _AT_ONCE), clock

    def agree(self, token: str, message: AgreeMessage) -> ParticipantSession:
        """Take somebody in who has read the consent text."""
        if message.version != self.consent.version:
            raise InputError("the consent text has changed; load the page again and read it")
        platform = message.platform if self.design.platform else None
        if self.store.find(token) is None:
            if self.design.platform and not (platform and same_id(platform)):
                raise InputError(
                    "this address has no id of yours in it; come by the link that you were given for this study"
                )
            if not self._new.take():
                raise InputError("too many people begin at once; try again in a moment")
        someone = self.store.join(token, message.version, platform, self.design.participants)
        record = self.records.open(someone.id)
        record.agrees(someone.consent)
        return record

    def enter(self, token: str) -> ParticipantSession | None:
        """The record of who has a token; None if nobody has agreed with it."""
        someone = self.store.find(token)
        return None if someone is None else self.records.open(someone.id)

    async def withdraw(self, record: ParticipantSession) -> StudyStatus:
        """Delete all that there is of a participant."""
        async with record.turn:
            self.store.withdraw(record.name)
            self._forget(record.name)
        return StudyStatus(phase="withdrawn", title=self.design.name, text=WITHDRAWN)

    def _forget(self, participant: str) -> None:
        self.records.remove(participant)
        self.store.forget(participant)

    def standing(self, token: str) -> StudyStatus:
        """Where a participant stands."""
        someone = self.store.find(token)
        if someone is None:
            text, version = self.consent.text, self.consent.version
            return StudyStatus(
                phase="consent", title=self.design.name, text=text, version=version, platform=self.design.platform
            )
        record, tries = self.records.open(someone.id), self.store.tries(someone.id)
        todo = self._todo(someone)
        counted = [number for number, place in enumerate(todo) if place.kind != "practice"]
        done = sum(each.place in counted and each.passed is not None for each in tries)
        if someone.status != "at work":
            phase, text = _FINISHED[someone.status]
            code = self.secret.code(someone)
            return StudyStatus(phase=phase, title=self.design.name, text=text, code=code, done=done, of=len(counted))
        begun, over = _is_open(record, tries), record.outcome is not None
        place = todo[tries[-1].place if begun else self._next(someone, tries).place]
        return StudyStatus(
            phase="practice" if place.kind == "practice" else "task",
            title=self.design.name,
            text=place.condition.instructions,
            begun=begun,
            over=begun and over,
            passed=_went_well(record) if begun and over and place.kind == "practice" else None,
            seconds_left=self._left(tries[-1]) if begun and not over else None,
            done=done,
            of=len(counted),
        )

    async def hear(self, token: str, record: ParticipantSession, message: StudyMessage, agents: Agents) -> list[BaseModel]:
        """Do what a participant says."""
        async with record.turn:
            if message.after != record.state["number"]:
                return [WelcomeReply(session=token, snapshot=record.state), self.standing(token)]
            record.hears(message)
            try:
                return await self._do(token, record, message, agents)
            except InputError as error:
                record.refuses(message, str(error))
                raise

    async def _do(self, token: str, record: ParticipantSession, message: StudyMessage, agents: Agents) -> list[BaseModel]:
        someone = self._known(token)
        tries = self.store.tries(someone.id)
        going = _is_open(record, tries) and record.outcome is None
        if not going and isinstance(message, NextMessage):
            await self._go_on(someone, record, tries, agents)
            return [self.standing(token)]
        if not going:
            raise InputError("no task is under way")
        condition = self._todo(someone)[tries[-1].place].condition
        visits, left = agents[condition.agent], self._left(tries[-1])
        if isinstance(message, messages.LeaveMessage) or (left is not None and left <= 0):
            await self._end(record, visits)
            return [self.standing(token)]
        if isinstance(message, NextMessage):
            raise InputError("this task is not over yet")
        if isinstance(message, messages.SpeakMessage) and not self.design.unasked:
            raise InputError("in this study you speak when the robot asks")
        if isinstance(message, messages.AdviseMessage) and message.choice not in (None, _offered(record)):
            raise InputError("that was not offered; answer in your own words")
        assert not isinstance(message, AgreeMessage | WithdrawMessage)
        reply = await visits.hear(record, message)
        if isinstance(reply, messages.RefusedReply):
            record.refuses(message, reply.why)
        over = [self.standing(token)] if record.outcome is not None else []
        return [*([] if reply is None else [reply]), *over]

    async def _go_on(self, someone: Participant, record: ParticipantSession, tries: list[Try], agents: Agents) -> None:
        """End the task that is over, of which the participant has seen all, and begin the next; if that has something else
        to do, it begins when the participant has read what."""
        ends = _is_open(record, tries)
        if ends:
            passed = _went_well(record)
            self.store.end(someone.id, tries[-1].number, passed=passed, acknowledged=record.state["number"])
            tries[-1] = tries[-1]._replace(passed=passed)
        if someone.status == "at work" and not (ends and self._is_other(someone, tries)):
            await self._begin(someone, record, tries, agents)

    def _is_other(self, someone: Participant, tries: list[Try]) -> bool:
        """Whether the next task has other instructions than the last one, or is the first after practice."""
        following = self._next(someone, tries)
        if following.what != "task":
            return False
        last, coming = (self._todo(someone)[number] for number in (tries[-1].place, following.place))
        practised = last.kind == "practice" != coming.kind
        return practised or coming.condition.instructions != last.condition.instructions

    async def _begin(self, someone: Participant, record: ParticipantSession, tries: list[Try], agents: Agents) -> None:
        following = self._next(someone, tries)
        if following.what != "task":
            record.check(max(each.acknowledged for each in self.store.tries(someone.id)))
            self.store.finish(someone.id, "completed" if following.what == "done" else "out")
            return
        record.agrees(someone.consent)  # in case the disk was full when they did
        attempt = self.store.begin(someone.id, following.place, following.task)
        place = self._todo(someone)[attempt.place]
        condition = place.condition
        record.opens(TrialHeader(number=attempt.number, place=attempt.place, kind=place.kind, condition=condition.name))
        wanted = EpisodeSpec(task=attempt.task, seed=self.secret.seed(attempt.task))
        await agents[condition.agent].begin(record, condition.mode, wanted)

    async def _end(self, record: ParticipantSession, visits: VisitorService) -> None:
        """End a task that the participant leaves, or that takes too long."""
        if record.mode == "beat":
            await visits.hear(record, messages.LeaveMessage(kind="leave", after=record.state["number"]))
            return
        assert record.wanted is not None and record.state["waits"] is not None
        walked = await visits.walked(record.wanted)
        pose = walked.steps[record.state["waits"]["step"]].pose
        left = metres(visits.scene.metres(pose, walked.task))
        record.append([EndedEvent(reason="left", success=False, metres=left, goals=visits.scene.goals(walked.task))])

    def _next(self, someone: Participant, tries: list[Try]) -> Next:
        """What comes next; a try that was begun in the store and not in the record comes again."""
        if tries and tries[-1].passed is None:
            return Next("task", tries[-1].place, tries[-1].task)
        return what_next(self.design, self._todo(someone), tries)

    def _todo(self, someone: Participant) -> list[ScheduleEntry]:
        return places(self.design, self._cells[someone.cell])

    def _left(self, attempt: Try) -> float | None:
        """Seconds that are left of a task's."""
        if self.design.seconds is None:
            return None
        return round(attempt.began + self.design.seconds - self._clock(), 1)

    def _known(self, token: str) -> Participant:
        someone = self.store.find(token)
        if someone is None:
            raise InputError("you do not take part; load the page again")
        return someone


def withdraw(folder: Path, code: str) -> str:
    """Delete all that there is of who has a completion code, or that id, in a study that nobody serves; the id."""
    design, secret = Design.read(folder), StudyKey.read(folder)
    store = Store(folder, secret, cells=len(cells(design)), patience=60 * design.patience)
    for someone in store.everybody():
        if code == someone.id or (someone.finished is not None and code.upper() == secret.code(someone)):
            store.withdraw(someone.id)
            record_of(folder, someone.id).unlink(missing_ok=True)
            store.forget(someone.id)
            return someone.id
    raise InputError(f"{folder}: nobody in this study has the completion code or id {code!r}")


def _is_open(record: ParticipantSession, tries: list[Try]) -> bool:
    """Whether the present events are of the try that is under way."""
    return bool(tries) and tries[-1].passed is None and record.trial is not None and record.trial.number == tries[-1].number


def _offered(record: ParticipantSession) -> str | None:
    """What the participant could choose to say."""
    waits = record.state["waits"]
    return (waits and waits["offer"]) or None


def _went_well(record: ParticipantSession) -> bool:
    """Whether a participant did what there was to do: found the goal, or answered every request in words that were
    understood. What an agent makes of the words is not theirs to answer for."""
    assert record.outcome is not None
    if record.outcome.reason == "left":
        return False
    if record.mode == "beat":
        return bool(record.outcome.success)
    asked = [step for step in record.state["steps"] if step["asked"] and record.mode == "help"]
    return all(step["advised"] and step["advised"]["understood"] for step in asked)
