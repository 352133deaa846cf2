"""The server of a study: the page, and lines on which the desk decides what comes next.

What could give an answer away is not there: names of objects and rooms, plans with names, and the recorded episode.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

from fastapi import FastAPI, WebSocket
from pydantic import BaseModel

from vnla.common.errors import InputError
from vnla.serve.answers import Content
from vnla.serve.app import bare_app
from vnla.serve.connections import PATIENCE, Connection, Connections
from vnla.serve.engine import EpisodeEngine
from vnla.serve.limits import Limits
from vnla.serve.messages import AnyMessage, HelloMessage, WelcomeReply
from vnla.serve.page import INDEX, assets
from vnla.serve.reduce import NOTHING
from vnla.serve.sessions import Session
from vnla.serve.site import Site, SiteLoader
from vnla.serve.study.design import Design
from vnla.serve.study.records import ParticipantSession
from vnla.serve.study.service import StudyService
from vnla.serve.study.words import STUDY_MESSAGE, TOKEN, AgreeMessage, StudyMessage, WithdrawMessage
from vnla.serve.visitor_service import VisitorService
from vnla.training.trained import Trained

MARK = b'<meta name="study">'
"""In the head of the page of a study, by which its scripts know what they are to show."""


class StudySite(Site):
    """A world with several agents in it."""

    def __init__(self, trained: Mapping[str, Trained], cache: Path, secret: bytes) -> None:
        (first, one), *others = trained.items()
        super().__init__(one, cache, secret)
        visits = {name: VisitorService(EpisodeEngine(each), self.visits.scene, self.visits.walkers) for name, each in others}
        self.agents = {first: self.visits, **visits}

    def check(self, design: Design) -> None:
        """Refuse a design that these agents and tasks cannot fulfil."""
        for condition in design.conditions:
            if condition.mode == "help" and not self.agents[condition.agent].engine.listens:
                raise InputError(f"condition {condition.name}: the agent {condition.agent} was not trained to follow words")
        known = self.engine.goals.tasks
        for task in (*design.practice.tasks, *design.catch, *(task for group in design.groups for task in group)):
            if task not in known:
                raise InputError(f"{design.tasks}: has no task {task!r}, which the study names")

    def close(self) -> None:
        """Finish what is under way."""
        for visits in self.agents.values():
            visits.engine.close()


def make_study_app(opening: SiteLoader, desk: StudyService, hosts: Collection[str], limits: Limits) -> FastAPI:
    """The server of a study. Its `opening` opens a `StudySite`."""
    page = {**assets(), INDEX: marked(assets()[INDEX])}
    return bare_app(StudyConnections(opening, desk, limits), hosts, page)


def marked(page: Content) -> Content:
    """The page with the mark of a study."""
    return replace(page, body=page.body.replace(b"<head>", b"<head>" + MARK))


class StudyConnections(Connections):
    """All lines of a study's server."""

    SPOKEN_TO = ("help",)

    def __init__(self, opening: SiteLoader, desk: StudyService, limits: Limits) -> None:
        super().__init__(opening, None, limits)
        self.desk = desk

    def visits(self, session: Session) -> VisitorService:
        """Return the visits of the present condition's agent; before the first task, those of the first agent."""
        site, trial = cast(StudySite, self.opening.now()), cast(ParticipantSession, session).trial
        if trial is None:
            return site.visits
        return site.agents[next(each.agent for each in self.desk.design.conditions if each.name == trial.condition)]

    def line(self, socket: WebSocket) -> Connection:
        """A new participant's line."""
        return _StudyConnection(self, socket)


class _StudyConnection(Connection):
    def __init__(self, lines: StudyConnections, socket: WebSocket) -> None:
        super().__init__(lines, socket)
        self._desk = lines.desk
        self._token = ""

    def _read(self, text: str) -> AnyMessage:
        return cast(AnyMessage, STUDY_MESSAGE.validate_json(text))

    async def _do(self, message: AnyMessage) -> BaseModel | None:
        for each in await self._replies(cast(StudyMessage, message)):
            self._say(each)
        return None

    async def _replies(self, word: StudyMessage) -> list[BaseModel]:
        if isinstance(word, HelloMessage):
            return self._greet(word)
        if not self._token:
            raise InputError("say hello first")
        if isinstance(word, AgreeMessage):
            self._enter(self._desk.agree(self._token, word))
            return [self._desk.standing(self._token)]
        if self.session is None:
            raise InputError("agree to take part first")
        record = cast(ParticipantSession, self.session)
        if isinstance(word, WithdrawMessage):
            return [await self._desk.withdraw(record)]
        site = cast(StudySite, await self._lines.opening.soon(PATIENCE))
        return await self._desk.hear(self._token, record, word, site.agents)

    def _greet(self, hello: HelloMessage) -> list[BaseModel]:
        """A browser without a token gets one; nothing is kept of it before somebody agrees to take part."""
        known = hello.session is not None and re.fullmatch(TOKEN, hello.session)
        self._token = hello.session if known and hello.session else secrets.token_hex(16)
        record = self._desk.enter(self._token)
        if record is not None:
            self._enter(record)
        snapshot = NOTHING if record is None else record.state
        return [WelcomeReply(session=self._token, snapshot=snapshot), self._desk.standing(self._token)]
