"""The service of a study: it takes people in, gives them one task after the other, and hands out completion codes.

Everything is in the store or in a record before anybody hears of it, and each step can be taken again: after a reload, a
lost connection or a killed server a participant is where they were. A code is given when the participant has acknowledged
all events of all tasks and the record on disk is complete.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from vnla.common.errors import InputError
from vnla.serve import messages
from vnla.serve.episode_spec import EpisodeSpec
from vnla.serve.events import EndedEvent
from vnla.serve.limits import Limits, TokenBucket
from vnla.serve.messages import StudyMessage, StudyStatus
from vnla.serve.on_disk import on_disk
from vnla.serve.study.assignment import Next, Try, cells, schedule, what_next
from vnla.serve.study.design import Consent, Design, ScheduleEntry
from vnla.serve.study.records import ParticipantSession, ParticipantSessions, Stamp, TrialHeader, record_of
from vnla.serve.study.store import Participant, Store, StudyKey, same_id
from vnla.serve.visitor_service import VisitorService
from vnla.serve.walk_events import rounded_metres

WITHDRAWN = "You have withdrawn. All that was recorded of you has been deleted. You can close this page."
OUT = "Thank you. The practice shows that this study is not for you. You can close this page."
DONE = "Thank you, all is done and recorded. This is your completion code."
_FINISHED: dict[str, tuple[Literal["done", "out"], str]] = {"completed": ("done", DONE), "out": ("out", OUT)}
_AT_ONCE = 50

Agents = Mapping[str, VisitorService]


class StudyService:
    """The service of the study in a folder."""

    def __init__(self, folder: Path, stamp: Stamp, limits: Limits, clock: Callable[[], float] = time.time) -> None:
        self.design = Design.read(folder)
        self.consent = Consent.read(folder)
        self.key = StudyKey.read(folder)
        self._cells = cells(self.design)
        self.store = Store.of(folder, self.design, self.key, clock)
        self.store.check(self.design.fingerprint)
        self.store.check_reader(stamp.reader)
        self.sessions = ParticipantSessions(folder, limits, stamp, self.design.shows)
        for name in self.store.withdrawn():  # in the moment in which a server was killed
            self._forget(name)
        everybody = [each.id for each in self.store.everybody()]
        recorded = [name for name in everybody if any(each.acknowledged for each in self.store.tries(name))]
        self.sessions.check(everybody, recorded)
        self._new, self._clock = TokenBucket(limits.new, _AT_ONCE), clock

    async def agree(self, token: str, message: messages.AgreeMessage) -> ParticipantSession:
        """Take somebody in who has read the consent text."""
        return await on_disk(self._agree, token, message)

    def _agree(self, token: str, message: messages.AgreeMessage) -> ParticipantSession:
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
        session = self.sessions.open(someone.id)
        session.record_consent(someone.consent)
        return session

    def session_of(self, token: str) -> ParticipantSession | None:
        """Return the session of who has a token; None if nobody has agreed with it."""
        someone = self.store.find(token)
        return None if someone is None else self.sessions.open(someone.id)

    async def withdraw(self, session: ParticipantSession) -> StudyStatus:
        """Delete all that there is of a participant."""
        async with session.turn:
            await on_disk(self._withdraw, session.name)
        return self._status("withdrawn", WITHDRAWN)

    def _withdraw(self, participant: str) -> None:
        self.store.withdraw(participant)
        self._forget(participant)

    def _forget(self, participant: str) -> None:
        self.sessions.remove(participant)
        self.store.forget(participant)

    def status(self, token: str) -> StudyStatus:
        """Return where a participant stands."""
        someone = self.store.find(token)
        if someone is None:
            consent, platform = self.consent, self.design.platform
            return self._status("consent", consent.text, version=consent.version, platform=platform)
        session, tries = self.sessions.open(someone.id), self.store.tries(someone.id)
        todo = self._schedule(someone)
        counted = [number for number, entry in enumerate(todo) if entry.kind != "practice"]
        done = sum(each.place in counted and each.passed is not None for each in tries)
        if someone.status != "at work":
            return self._status(*_FINISHED[someone.status], code=self.key.code(someone), done=done, of=len(counted))
        begun, over = _is_open(session, tries), session.outcome is not None
        entry = todo[tries[-1].place if begun else self._next(someone, tries).place]
        return self._status(
            "practice" if entry.kind == "practice" else "task",
            entry.condition.instructions,
            begun=begun,
            over=begun and over,
            passed=_went_well(session) if begun and over and entry.kind == "practice" else None,
            seconds_left=self._seconds_left(tries[-1]) if begun and not over else None,
            done=done,
            of=len(counted),
        )

    def _status(self, phase: str, text: str, **more: Any) -> StudyStatus:
        return StudyStatus.model_validate({"phase": phase, "title": self.design.name, "text": text, **more})

    async def hear(self, token: str, session: ParticipantSession, message: StudyMessage, agents: Agents) -> list[BaseModel]:
        """Do what a participant says."""
        async with session.turn:
            if message.after != session.state["number"]:
                return [messages.WelcomeReply(session=token, snapshot=session.state), await on_disk(self.status, token)]
            session.follow_from(message)
            try:
                return await self._do(token, session, message, agents)
            except InputError as error:
                await on_disk(session.record_refusal, message, str(error))
                raise

    async def _do(self, token: str, session: ParticipantSession, message: StudyMessage, agents: Agents) -> list[BaseModel]:
        someone = await on_disk(self.store.find, token)
        if someone is None:
            raise InputError("you do not take part; load the page again")
        tries = await on_disk(self.store.tries, someone.id)
        under_way = _is_open(session, tries) and session.outcome is None
        if not under_way and isinstance(message, messages.NextMessage):
            await self._go_on(someone, session, tries, agents)
            return [await on_disk(self.status, token)]
        if not under_way:
            raise InputError("no task is under way")
        condition = self._schedule(someone)[tries[-1].place].condition
        service, left = agents[condition.agent], self._seconds_left(tries[-1])
        if isinstance(message, messages.LeaveMessage) or (left is not None and left <= 0):
            await self._end(session, service)
            return [await on_disk(self.status, token)]
        if isinstance(message, messages.NextMessage):
            raise InputError("this task is not over yet")
        if isinstance(message, messages.SpeakMessage) and not self.design.unasked:
            raise InputError("in this study you speak when the robot asks")
        if isinstance(message, messages.AdviseMessage) and message.choice not in (None, _offer(session)):
            raise InputError("that was not offered; answer in your own words")
        assert not isinstance(message, messages.AgreeMessage | messages.WithdrawMessage)
        reply = await service.hear(session, message)
        if isinstance(reply, messages.RefusedReply):
            await on_disk(session.record_refusal, message, reply.why)
        over = [await on_disk(self.status, token)] if session.outcome is not None else []
        return [*([] if reply is None else [reply]), *over]

    async def _go_on(self, someone: Participant, session: ParticipantSession, tries: list[Try], agents: Agents) -> None:
        """End the task that is over, of which the participant has seen all, and begin the next.

        If the next has other instructions, it begins when the participant has read them."""
        ends = _is_open(session, tries)
        if ends:
            passed = _went_well(session)
            seen = session.state["number"]
            await on_disk(self.store.end, someone.id, tries[-1].number, passed=passed, acknowledged=seen)
            tries[-1] = tries[-1]._replace(passed=passed)
        if someone.status == "at work" and not (ends and self._is_other(someone, tries)):
            await self._begin(someone, session, tries, agents)

    def _is_other(self, someone: Participant, tries: list[Try]) -> bool:
        """Return whether the next task has other instructions than the last one, or is the first after practice."""
        following = self._next(someone, tries)
        if following.what != "task":
            return False
        last, coming = (self._schedule(someone)[number] for number in (tries[-1].place, following.place))
        practised = last.kind == "practice" != coming.kind
        return practised or coming.condition.instructions != last.condition.instructions

    async def _begin(self, someone: Participant, session: ParticipantSession, tries: list[Try], agents: Agents) -> None:
        following = self._next(someone, tries)
        if following.what != "task":
            tries = await on_disk(self.store.tries, someone.id)
            await on_disk(session.check, max(each.acknowledged for each in tries))
            await on_disk(self.store.finish, someone.id, "completed" if following.what == "done" else "out")
            return
        await on_disk(session.record_consent, someone.consent)  # in case the disk was full when they did
        begun = await on_disk(self.store.begin, someone.id, following.place, following.task)
        entry = self._schedule(someone)[begun.place]
        condition = entry.condition
        session.open_trial(TrialHeader(number=begun.number, place=begun.place, kind=entry.kind, condition=condition.name))
        spec = EpisodeSpec(task=begun.task, seed=self.key.seed(begun.task))
        await agents[condition.agent].begin(session, condition.mode, spec)

    async def _end(self, session: ParticipantSession, service: VisitorService) -> None:
        """End a task that the participant leaves, or that takes too long."""
        if session.mode == "beat":
            await service.hear(session, messages.LeaveMessage(kind="leave", after=session.state["number"]))
            return
        await service.complete(session)
        if session.state["ended"]:
            return
        assert session.spec is not None and session.state["waits"] is not None
        walk = await service.walk(session.spec)
        pose = walk.steps[session.state["waits"]["step"]].pose
        left, goals = rounded_metres(service.world.metres(pose, walk.task)), service.world.goals(walk.task)
        await session.append([EndedEvent(reason="left", success=False, metres=left, goals=goals)])

    def _next(self, someone: Participant, tries: list[Try]) -> Next:
        """Return what comes next; a try that was begun in the store and not in the record comes again."""
        if tries and tries[-1].passed is None:
            return Next("task", tries[-1].place, tries[-1].task)
        return what_next(self.design, self._schedule(someone), tries)

    def _schedule(self, someone: Participant) -> list[ScheduleEntry]:
        return schedule(self.design, self._cells[someone.cell])

    def _seconds_left(self, under_way: Try) -> float | None:
        if self.design.seconds is None:
            return None
        return round(under_way.began + self.design.seconds - self._clock(), 1)


def withdraw(folder: Path, code: str) -> str:
    """Delete all that there is of who has a completion code or id, in a study that nobody serves; return the id."""
    key = StudyKey.read(folder)
    store = Store.of(folder, Design.read(folder), key)
    for someone in store.everybody():
        if code == someone.id or (someone.finished is not None and code.upper() == key.code(someone)):
            store.withdraw(someone.id)
            record_of(folder, someone.id).unlink(missing_ok=True)
            store.forget(someone.id)
            return someone.id
    raise InputError(f"{folder}: nobody in this study has the completion code or id {code!r}")


def _is_open(session: ParticipantSession, tries: list[Try]) -> bool:
    """Return whether the present events are of the try that is under way."""
    under_way = bool(tries) and tries[-1].passed is None
    return under_way and session.trial is not None and session.trial.number == tries[-1].number


def _offer(session: ParticipantSession) -> str | None:
    """Return what the participant could choose to say."""
    waits = session.state["waits"]
    return (waits and waits["offer"]) or None


def _went_well(session: ParticipantSession) -> bool:
    """Return whether a participant found the goal, or answered every request in words that were understood.

    What an agent makes of the words is not theirs to answer for."""
    assert session.outcome is not None
    if session.outcome.reason == "left":
        return False
    if session.mode == "beat":
        return bool(session.outcome.success)
    asked = [step for step in session.state["steps"] if step["asked"] and session.mode == "help"]
    return all(step["advised"] and step["advised"]["understood"] for step in asked)
