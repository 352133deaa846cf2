"""WebSockets of visitors, which carry messages one way and events the other, within limits."""

from __future__ import annotations

import asyncio
import contextlib
import re
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, ClassVar

from fastapi import WebSocket, WebSocketDisconnect
from pydantic import BaseModel, TypeAdapter, ValidationError

from vnla.common.errors import InputError
from vnla.serve.contributions.collecting import Contributions
from vnla.serve.events import Event, Pose
from vnla.serve.limits import Limits, TokenBucket
from vnla.serve.messages import MESSAGE, AnyMessage, EventReply, HelloMessage, OnContributions, RefusedReply
from vnla.serve.sessions import Session, Sessions
from vnla.serve.site import SiteLoader
from vnla.serve.visitor_service import VisitorService, as_sentence, welcome

PATIENCE = 10.0
"""Seconds that a visitor waits for the houses before the server asks them to come back."""

BROWSER = "vnla-browser"
"""The cookie, digits drawn at random, that a browser's requests and its WebSockets have in common."""
_DIGITS = re.compile("[0-9a-f]{32}")

_FULL, _TOO_SLOW = 1013, 1008


class NoSessionError(InputError):
    """Somebody asks for what only those get who have a session."""


def browser_of(cookies: dict[str, str]) -> str | None:
    """Return the digits of a browser's cookie; None if it has none."""
    found = cookies.get(BROWSER, "")
    return found if _DIGITS.fullmatch(found) else None


class Connections(ABC):
    """All connections of a server."""

    MESSAGES: ClassVar[TypeAdapter[Any]]
    """Reads and checks a message."""
    ADVISABLE: ClassVar[tuple[str, ...]]
    """The modes in which a visitor may have something to say to an agent."""

    def __init__(self, loader: SiteLoader, limits: Limits) -> None:
        self.loader, self.limits = loader, limits
        self._open = 0
        self._browsers: defaultdict[str | None, set[Connection]] = defaultdict(set)

    @abstractmethod
    async def replies(self, connection: Connection, message: Any) -> Sequence[BaseModel]:
        """Do what a message says, and return what its sender hears besides events."""

    @abstractmethod
    def service(self, session: Session) -> VisitorService:
        """Return the service with the agent that a session's visitor meets."""

    async def serve(self, socket: WebSocket) -> None:
        """Serve one visitor until the connection is lost."""
        await socket.accept()
        if self._open >= self.limits.connections:
            await socket.send_text(RefusedReply(why="Too many visitors are here; try again later.").model_dump_json())
            await socket.close(_FULL)
            return
        self._open += 1
        browser, connection = browser_of(socket.cookies), Connection(self, socket)
        self._browsers[browser].add(connection)
        try:
            await connection.serve()
        finally:
            self._open -= 1
            self._browsers[browser].discard(connection)
            if not self._browsers[browser]:
                del self._browsers[browser]

    def session_of(self, browser: str | None, pose: Pose | None = None) -> Session:
        """Return the session of a browser that is connected; with a pose, one in which an agent that the visitor may speak
        to has stood there."""
        connections = self._browsers.get(browser, ()) if browser is not None else ()
        found = [each.session for each in connections if each.session is not None]
        if not found:
            raise NoSessionError("this is answered to the page of this server alone; open the page, with cookies allowed")
        if pose is None:
            return found[0]
        stood = pose.model_dump()
        for session in found:
            if session.mode in self.ADVISABLE and any(step["pose"] == stood for step in session.state["steps"]):
                return session
        raise NoSessionError("no agent of yours stands there")


class VisitorConnections(Connections):
    """The connections of a site's visitors."""

    MESSAGES = MESSAGE
    ADVISABLE = ("watch", "help")

    def __init__(
        self, loader: SiteLoader, sessions: Sessions, limits: Limits, contributions: Contributions | None = None
    ) -> None:
        """With `contributions` visitors are asked whether they give what they type."""
        super().__init__(loader, limits)
        self._sessions, self._contributions = sessions, contributions

    async def replies(self, connection: Connection, message: AnyMessage) -> Sequence[BaseModel]:
        """Do what a visitor says; a hello opens a session."""
        if isinstance(message, HelloMessage):
            session = self._sessions.open(message.session)
            connection.enter(session)
            return [welcome(session)]
        if connection.session is None:
            raise InputError("say hello first")
        if isinstance(message, OnContributions):
            if self._contributions is None:
                raise InputError("this server keeps nothing of what visitors type for others")
            return [await self._contributions.hear(connection.session, message)]
        site = await self.loader.soon(PATIENCE)
        reply = await site.service.hear(connection.session, message)
        kept = self._contributions and await self._contributions.note(connection.session, message, site.service, reply)
        return [*([] if reply is None else [reply]), *(kept or ())]

    def service(self, session: Session) -> VisitorService:  # noqa: ARG002
        """Return the service of the site's only agent."""
        return self.loader.now().service


class Connection:
    """One visitor's connection."""

    def __init__(self, connections: Connections, socket: WebSocket) -> None:
        self._connections, self._socket = connections, socket
        self._waiting: asyncio.Queue[str | None] = asyncio.Queue()
        self._bucket = TokenBucket(connections.limits.rate, connections.limits.burst)
        self.session: Session | None = None
        self.token = ""
        """By which a study knows the browser."""

    async def serve(self) -> None:
        """Receive and answer until the connection is lost."""
        tasks = [asyncio.create_task(self._send_waiting()), asyncio.create_task(self._receive())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if self.session is not None:
                self.session.subscribers.discard(self._send_event)
            for task in tasks:
                task.cancel()
            for task in tasks:
                with contextlib.suppress(asyncio.CancelledError):
                    await task

    def enter(self, session: Session) -> None:
        """Subscribe to the events of a session, and to none other."""
        if self.session is not None:
            self.session.subscribers.discard(self._send_event)
        session.subscribers.add(self._send_event)
        self.session = session

    async def _send_waiting(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # what is sent to somebody who has just left
            while (text := await self._waiting.get()) is not None:
                await self._socket.send_text(text)
            await self._socket.close(_TOO_SLOW)

    async def _receive(self) -> None:
        while True:
            received = await self._socket.receive()
            if received["type"] == "websocket.disconnect":
                return
            for reply in await self._replies(received.get("text")):
                self._send(reply)

    async def _replies(self, text: str | None) -> Sequence[BaseModel]:
        if not self._bucket.take():
            return [RefusedReply(why="That was too fast; wait a moment.")]
        if text is None or len(text.encode()) > self._connections.limits.message:
            return [RefusedReply(why="That message is too long.")]
        try:
            message = self._connections.MESSAGES.validate_json(text)
        except ValidationError:
            return [RefusedReply(why="That is no message that this server knows.")]
        try:
            return await self._connections.replies(self, message)
        except InputError as error:
            return [RefusedReply(why=as_sentence(str(error)))]

    def _send_event(self, event: Event) -> None:
        self._send(EventReply(event=event))

    def _send(self, reply: BaseModel) -> None:
        """Send a reply when its turn comes; who reads too slowly is disconnected, and can come back for the rest."""
        if self._waiting.qsize() >= self._connections.limits.unread:
            self._waiting.put_nowait(None)
        else:
            self._waiting.put_nowait(reply.model_dump_json())
