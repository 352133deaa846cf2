"""Visitors' lines to the server: WebSockets that carry messages one way and events the other, within limits."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections import defaultdict
from typing import ClassVar

from fastapi import WebSocket, WebSocketDisconnect
from pydantic import BaseModel, ValidationError

from vnla.common.errors import InputError
from vnla.serve.events import Event, Pose
from vnla.serve.limits import Limits, TokenBucket
from vnla.serve.messages import MESSAGE, AnyMessage, EventReply, HelloMessage, RefusedReply
from vnla.serve.sessions import Session, Sessions
from vnla.serve.site import SiteLoader
from vnla.serve.visitor_service import VisitorService, as_sentence, welcome

PATIENCE = 10.0
"""Seconds that a visitor waits for the houses before being told to come back."""

BROWSER = "vnla-browser"
"""The cookie, digits drawn at random, by which what a browser fetches is known to come from where its lines do."""
_DIGITS = re.compile("[0-9a-f]{32}")

_FULL, _TOO_SLOW = 1013, 1008


class NoSessionError(InputError):
    """Somebody asks for what only those get who have a session."""


def browser_of(cookies: dict[str, str]) -> str | None:
    """The digits that a browser has been given; None if it has none."""
    found = cookies.get(BROWSER, "")
    return found if _DIGITS.fullmatch(found) else None


class Connections:
    """All lines of a server."""

    SPOKEN_TO: ClassVar[tuple[str, ...]] = ("watch", "help")
    """The modes in which a visitor may have something to say to an agent."""

    def __init__(self, opening: SiteLoader, sessions: Sessions | None, limits: Limits) -> None:
        """Without sessions where lines of another kind keep their own."""
        self.opening, self.sessions, self.limits = opening, sessions, limits
        self._open = 0
        self._browsers: defaultdict[str | None, set[Connection]] = defaultdict(set)

    async def talk(self, socket: WebSocket) -> None:
        """Serve one visitor until the line is lost."""
        await socket.accept()
        if self._open >= self.limits.connections:
            await socket.send_text(RefusedReply(why="Too many visitors are here; try again later.").model_dump_json())
            await socket.close(_FULL)
            return
        self._open += 1
        browser, line = browser_of(socket.cookies), self.line(socket)
        self._browsers[browser].add(line)
        try:
            await line.serve()
        finally:
            self._open -= 1
            self._browsers[browser].discard(line)
            if not self._browsers[browser]:
                del self._browsers[browser]

    def session_of(self, browser: str | None) -> Session:
        """The session of a browser that has a line here."""
        return self._sessions(browser)[0]

    def session_at(self, browser: str | None, pose: Pose) -> Session:
        """The session in which an agent that the visitor may speak to has stood at a pose."""
        stood = pose.model_dump()
        for session in self._sessions(browser):
            if session.mode in self.SPOKEN_TO and any(step["pose"] == stood for step in session.state["steps"]):
                return session
        raise NoSessionError("no agent of yours stands there")

    def _sessions(self, browser: str | None) -> list[Session]:
        lines = self._browsers.get(browser, ()) if browser is not None else ()
        found = [line.session for line in lines if line.session is not None]
        if not found:
            raise NoSessionError("this is answered to the page of this server alone; open the page, with cookies allowed")
        return found

    def visits(self, session: Session) -> VisitorService:  # noqa: ARG002
        """Return what serves a session: the visits of the agent that its visitor meets."""
        return self.opening.now().visits

    def line(self, socket: WebSocket) -> Connection:
        """A new visitor's line."""
        return Connection(self, socket)


class Connection:
    """One visitor's line."""

    def __init__(self, lines: Connections, socket: WebSocket) -> None:
        self._lines, self._socket = lines, socket
        self._waiting: asyncio.Queue[str | None] = asyncio.Queue()
        self._bucket = TokenBucket(lines.limits.rate, lines.limits.burst)
        self.session: Session | None = None

    async def serve(self) -> None:
        """Hear and answer until the line is lost."""
        sending = asyncio.create_task(self._send())
        hearing = asyncio.create_task(self._hear())
        try:
            await asyncio.wait((sending, hearing), return_when=asyncio.FIRST_COMPLETED)
        finally:
            if self.session is not None:
                self.session.listeners.discard(self._told)
            for task in (sending, hearing):
                task.cancel()
            for task in (sending, hearing):
                with contextlib.suppress(asyncio.CancelledError):
                    await task

    async def _send(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # what is sent to somebody who has just left
            while (text := await self._waiting.get()) is not None:
                await self._socket.send_text(text)
            await self._socket.close(_TOO_SLOW)

    async def _hear(self) -> None:
        while True:
            received = await self._socket.receive()
            if received["type"] == "websocket.disconnect":
                return
            answer = await self._answer(received.get("text"))
            if answer is not None:
                self._say(answer)

    async def _answer(self, text: str | None) -> BaseModel | None:
        if not self._bucket.take():
            return RefusedReply(why="That was too fast; wait a moment.")
        if text is None or len(text.encode()) > self._lines.limits.message:
            return RefusedReply(why="That message is too long.")
        try:
            message = self._read(text)
        except ValidationError:
            return RefusedReply(why="That is no message that this server knows.")
        try:
            return await self._do(message)
        except InputError as error:
            return RefusedReply(why=as_sentence(str(error)))

    def _read(self, text: str) -> AnyMessage:
        return MESSAGE.validate_json(text)

    async def _do(self, message: AnyMessage) -> BaseModel | None:
        if isinstance(message, HelloMessage):
            assert self._lines.sessions is not None
            self._enter(self._lines.sessions.open(message.session))
        if self.session is None:
            raise InputError("say hello first")
        if isinstance(message, HelloMessage):
            return welcome(self.session)
        site = await self._lines.opening.soon(PATIENCE)
        return await site.visits.hear(self.session, message)

    def _enter(self, session: Session) -> None:
        if self.session is not None:
            self.session.listeners.discard(self._told)
        session.listeners.add(self._told)
        self.session = session

    def _told(self, event: Event) -> None:
        self._say(EventReply(event=event))

    def _say(self, answer: BaseModel) -> None:
        """Send it when its turn comes; who reads too slowly is let go, and can come back for the rest."""
        if self._waiting.qsize() >= self._lines.limits.unread:
            self._waiting.put_nowait(None)
        else:
            self._waiting.put_nowait(answer.model_dump_json())
