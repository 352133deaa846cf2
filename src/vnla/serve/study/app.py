"""The server of a study: the page, and connections on which the study's service decides what comes next.

What could give an answer away is not there: names of objects and rooms, plans with names, and the recorded episode.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import cast

from fastapi import FastAPI
from pydantic import BaseModel

from vnla.common.errors import InputError
from vnla.common.progress import Tell, untold
from vnla.serve import messages
from vnla.serve.app import bare_app
from vnla.serve.connections import PATIENCE, Connection, Connections
from vnla.serve.content import INDEX, assets
from vnla.serve.engine import EpisodeEngine
from vnla.serve.limits import Limits
from vnla.serve.messages import STUDY_MESSAGE, TOKEN, StudyMessage
from vnla.serve.on_disk import on_disk
from vnla.serve.reduce import NOTHING
from vnla.serve.sessions import Session
from vnla.serve.site import Site, SiteLoader
from vnla.serve.study.design import Design
from vnla.serve.study.preparing import draw, houses_of, looked_at, tasks_of_study
from vnla.serve.study.records import ParticipantSession
from vnla.serve.study.service import StudyService
from vnla.serve.visitor_service import VisitorService
from vnla.training.trained import Trained


class StudySite(Site):
    """A world with several agents in it."""

    def __init__(self, trained: Mapping[str, Trained], cache: Path, secret: bytes) -> None:
        (first, one), *others = trained.items()
        super().__init__(one, cache, secret)
        worlds = self.service.world, self.service.walker_world
        self.agents = {first: self.service} | {name: VisitorService(EpisodeEngine(each), *worlds) for name, each in others}

    def check(self, design: Design) -> None:
        """Refuse a design that these agents and tasks cannot fulfil."""
        for condition in design.conditions:
            if condition.mode == "help" and not self.agents[condition.agent].engine.listens:
                raise InputError(f"condition {condition.name}: the agent {condition.agent} was not trained to follow words")
        tasks = self.engine.goals.tasks
        for task in tasks_of_study(design):
            if task not in tasks:
                raise InputError(f"{design.tasks}: has no task {task!r}, which the study names")

    def prepare(self, design: Design, tell: Tell = untold) -> None:
        """Make everything ready that participants see and that their words are read by, of all houses of a design."""
        folder, tasks = self.engine.trained.material.folder, self.engine.goals.tasks
        houses = houses_of([tasks[task] for task in tasks_of_study(design)], folder)
        if any(condition.mode == "help" for condition in design.conditions):
            around = looked_at(folder, houses, tell)
            for service in self.agents.values():
                service.reader.prepare(around)
        draw(self.pictures, houses, tell)

    def close(self) -> None:
        """Finish what is under way."""
        for service in self.agents.values():
            service.engine.close()


def make_study_app(loader: SiteLoader, study: StudyService, hosts: Collection[str], limits: Limits) -> FastAPI:
    """Return the server of a study. Its `loader` opens a `StudySite`."""
    page = {**assets(), INDEX: assets()[INDEX].marked("study")}
    return bare_app(StudyConnections(loader, study, limits), hosts, page)


class StudyConnections(Connections):
    """The connections of a study's participants."""

    MESSAGES = STUDY_MESSAGE
    ADVISABLE = ("help",)

    def __init__(self, loader: SiteLoader, study: StudyService, limits: Limits) -> None:
        super().__init__(loader, limits)
        self._study = study

    def service(self, session: Session) -> VisitorService:
        """Return the service of the present condition's agent; before the first task, that of the first agent."""
        site, trial = cast(StudySite, self.loader.now()), cast(ParticipantSession, session).trial
        if trial is None:
            return site.service
        return site.agents[next(each.agent for each in self._study.design.conditions if each.name == trial.condition)]

    async def replies(self, connection: Connection, message: StudyMessage) -> Sequence[BaseModel]:
        """Do what a participant says; nothing but a hello and consent is possible before there is a session."""
        if isinstance(message, messages.HelloMessage):
            return await self._greet(connection, message)
        if not connection.token:
            raise InputError("say hello first")
        if isinstance(message, messages.AgreeMessage):
            connection.enter(await self._study.agree(connection.token, message))
            return [await on_disk(self._study.status, connection.token)]
        if connection.session is None:
            raise InputError("agree to take part first")
        session = cast(ParticipantSession, connection.session)
        if isinstance(message, messages.WithdrawMessage):
            return [await self._study.withdraw(session)]
        site = cast(StudySite, await self.loader.soon(PATIENCE))
        return await self._study.hear(connection.token, session, message, site.agents)

    async def _greet(self, connection: Connection, hello: messages.HelloMessage) -> list[BaseModel]:
        """Give a browser without a token one; nothing is stored of it before somebody agrees to take part."""
        valid = hello.session is not None and re.fullmatch(TOKEN, hello.session)
        token = connection.token = hello.session if valid and hello.session else secrets.token_hex(16)
        session, status = await on_disk(self._study.session_of, token), await on_disk(self._study.status, token)
        if session is not None:
            self.resume(connection, session)
        snapshot = NOTHING if session is None else session.state
        return [messages.WelcomeReply(session=token, snapshot=snapshot), status]
