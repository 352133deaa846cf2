"""WebSockets of visitors, which carry messages one way and events the other, within limits.

A connection is a visitor's from its first hello on. There is room for so many with a hello and for so many without. When a
new one without a hello needs room, the address with the most of them loses its oldest, so that connections on which nobody
ever says hello keep nobody out who comes from elsewhere.
"""

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
from vnla.serve.addresses import Addresses, AddressUse
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
_CLOSING = 1.0
"""Seconds that somebody has to take the reason why a connection is closed."""


class FullError(InputError):
    """There are as many visitors as there may be."""


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
        self.addresses = Addresses(limits)
        self._before_hello: defaultdict[AddressUse, dict[Connection, None]] = defaultdict(dict)
        """Address → its connections without a hello, in the order in which they came."""
        self._visitors: set[Connection] = set()
        self._browsers: defaultdict[str | None, set[Connection]] = defaultdict(set)
        self._completing: set[asyncio.Task[None]] = set()

    @abstractmethod
    async def replies(self, connection: Connection, message: Any) -> Sequence[BaseModel]:
        """Do what a message says, and return what its sender hears besides events."""

    @abstractmethod
    def service(self, session: Session) -> VisitorService:
        """Return the service with the agent that a session's visitor meets."""

    async def serve(self, socket: WebSocket) -> None:
        """Serve one visitor until the connection is lost."""
        await socket.accept()
        address = self.addresses.of(socket.client and socket.client.host)
        browser, connection = browser_of(socket.cookies), Connection(self, socket, address)
        if address.connections >= address.most:
            await connection.refuse("Too many pages are open at your address; close one of them.")
            return
        address.connections += 1
        self._before_hello[address][connection] = None
        self._browsers[browser].add(connection)
        while sum(map(len, self._before_hello.values())) > self.limits.before_hello:
            most = max(self._before_hello.values(), key=len)
            oldest = next(iter(most))
            self._no_longer_before_hello(oldest)
            oldest.end(_FULL)
        try:
            await connection.serve()
        finally:
            address.connections -= 1
            self._no_longer_before_hello(connection)
            self._visitors.discard(connection)
            self._browsers[browser].discard(connection)
            if not self._browsers[browser]:
                del self._browsers[browser]

    def resume(self, connection: Connection, session: Session) -> None:
        """Let a visitor go on with a session; the rest of a walk that was cut off is sent when the site is open."""
        connection.enter(session)
        if session.is_cut_off:
            completing = asyncio.create_task(self._complete(session))
            self._completing.add(completing)
            completing.add_done_callback(self._completing.discard)

    async def _complete(self, session: Session) -> None:
        with contextlib.suppress(InputError):  # then the next message does it
            await self.loader.soon(PATIENCE)
            await self.service(session).complete(session)

    def greet(self, connection: Connection) -> None:
        """Make a connection that says hello a visitor's, if there is room, before the hello is answered. Newer connections
        without a hello can then not take its place. A connection that is being closed stays without a visitor."""
        if connection not in self._visitors and len(self._visitors) >= self.limits.connections:
            raise FullError("too many visitors are here; try again later")
        if self._no_longer_before_hello(connection):
            self._visitors.add(connection)

    def turn_away(self, connection: Connection) -> None:
        """Undo `greet` for a connection whose hello could not be answered."""
        if connection.session is None and connection in self._visitors:
            self._visitors.remove(connection)
            self._before_hello[connection.address][connection] = None

    def _no_longer_before_hello(self, connection: Connection) -> bool:
        """Forget that a connection has not said hello; return whether it was among those."""
        of_address = self._before_hello.get(connection.address, {})
        found = of_address.pop(connection, connection) is None
        if not of_address:
            self._before_hello.pop(connection.address, None)
        return found

    def knows(self, connection: Connection) -> bool:
        """Return whether somebody has said hello."""
        return connection in self._visitors

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
            session = await self._sessions.open(message.session, connection.address.new)
            self.resume(connection, session)
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

    def __init__(self, connections: Connections, socket: WebSocket, address: AddressUse) -> None:
        self._connections, self._socket = connections, socket
        self._waiting: asyncio.Queue[str | int] = asyncio.Queue()
        """What is to be sent; last the code to close with."""
        self._over = self._full = False
        self._bucket = TokenBucket(connections.limits.rate, connections.limits.burst)
        self.address = address
        """What the visitor's address uses."""
        self.session: Session | None = None
        self.token = ""
        """By which a study knows the browser."""

    async def serve(self) -> None:
        """Receive and answer until the connection is lost, or there is a reason to close it."""
        tasks = [asyncio.create_task(self._send_waiting()), asyncio.create_task(self._receive())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._over = True
            if self.session is not None:
                self.session.subscribers.discard(self._send_event)
            for task in tasks:
                task.cancel()
            codes = [await _ended(task) for task in tasks]
        for code in codes:
            if code is not None:
                await self._close(code)

    async def refuse(self, why: str) -> None:
        """Say why there is no room, and close."""
        with contextlib.suppress(WebSocketDisconnect, RuntimeError, TimeoutError):
            async with asyncio.timeout(_CLOSING):
                await self._socket.send_text(RefusedReply(why=why).model_dump_json())
        await self._close(_FULL)

    def enter(self, session: Session) -> None:
        """Subscribe to the events of a session, and to none other."""
        if self.session is not None:
            self.session.subscribers.discard(self._send_event)
        if not self._over:
            session.subscribers.add(self._send_event)
        self.session = session

    def end(self, code: int) -> None:
        """Close the connection when all that waits is sent."""
        if not self._over:
            self._over = True
            self._waiting.put_nowait(code)

    async def _close(self, code: int) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError, TimeoutError):
            async with asyncio.timeout(_CLOSING):
                await self._socket.close(code)

    async def _send_waiting(self) -> int | None:
        """Send what waits; return the code to close with, None if the visitor has left."""
        try:
            while isinstance(next_ := await self._waiting.get(), str):
                async with asyncio.timeout(self._connections.limits.sending):
                    await self._socket.send_text(next_)
        except (WebSocketDisconnect, RuntimeError):  # what is sent to somebody who has just left
            return None
        except TimeoutError:
            return _TOO_SLOW
        return next_

    async def _receive(self) -> int | None:
        """Answer messages; return the code to close with, None if the visitor has left.

        What a message says is done to its end, also if its sender has left meanwhile."""
        deadline = asyncio.get_running_loop().time() + self._connections.limits.hello
        try:
            while True:
                async with asyncio.timeout_at(None if self._connections.knows(self) else deadline):
                    received = await self._socket.receive()
                if received["type"] == "websocket.disconnect":
                    return None
                await asyncio.shield(self._answer(received.get("text")))
                if self._full:
                    self.end(_FULL)
        except TimeoutError:
            return _TOO_SLOW

    async def _answer(self, text: str | None) -> None:
        for reply in await self._replies(text):
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
            if isinstance(message, HelloMessage):
                self._connections.greet(self)
            return await self._connections.replies(self, message)
        except InputError as error:
            if isinstance(message, HelloMessage):
                self._connections.turn_away(self)
            self._full = isinstance(error, FullError)
            return [RefusedReply(why=as_sentence(str(error)))]

    def _send_event(self, event: Event) -> None:
        self._send(EventReply(event=event))

    def _send(self, reply: BaseModel) -> None:
        """Send a reply when its turn comes; who reads too slowly is disconnected, and can come back for the rest."""
        if self._waiting.qsize() >= self._connections.limits.unread:
            self.end(_TOO_SLOW)
        elif not self._over:
            self._waiting.put_nowait(reply.model_dump_json())


async def _ended(task: asyncio.Task[int | None]) -> int | None:
    """Return what a task has returned; None if it was cancelled."""
    try:
        return await task
    except asyncio.CancelledError:
        return None
