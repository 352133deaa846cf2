"""Visitors' lines to the server: WebSockets that carry messages one way and events the other, within limits."""

from __future__ import annotations

import asyncio
import contextlib

from fastapi import WebSocket, WebSocketDisconnect
from pydantic import BaseModel, ValidationError

from vnla.common.errors import InputError
from vnla.serve.events import Event
from vnla.serve.limits import Bucket, Limits
from vnla.serve.messages import MESSAGE, AnyMessage, Hello, News, Refused
from vnla.serve.sessions import Session, Sessions
from vnla.serve.site import Opening
from vnla.serve.visits import as_sentence, welcome

PATIENCE = 10.0
"""Seconds that a visitor waits for the houses before being told to come back."""

_FULL, _TOO_SLOW = 1013, 1008


class Lines:
    """All lines of a server."""

    def __init__(self, opening: Opening, sessions: Sessions | None, limits: Limits) -> None:
        """Without sessions where lines of another kind keep their own."""
        self.opening, self.sessions, self.limits = opening, sessions, limits
        self._open = 0

    async def talk(self, socket: WebSocket) -> None:
        """Serve one visitor until the line is lost."""
        await socket.accept()
        if self._open >= self.limits.connections:
            await socket.send_text(Refused(why="Too many visitors are here; try again later.").model_dump_json())
            await socket.close(_FULL)
            return
        self._open += 1
        try:
            await self.line(socket).serve()
        finally:
            self._open -= 1

    def line(self, socket: WebSocket) -> Line:
        """A new visitor's line."""
        return Line(self, socket)


class Line:
    """One visitor's line."""

    def __init__(self, lines: Lines, socket: WebSocket) -> None:
        self._lines, self._socket = lines, socket
        self._waiting: asyncio.Queue[str | None] = asyncio.Queue()
        self._bucket = Bucket(lines.limits.rate, lines.limits.burst)
        self._session: Session | None = None

    async def serve(self) -> None:
        """Hear and answer until the line is lost."""
        sending = asyncio.create_task(self._send())
        hearing = asyncio.create_task(self._hear())
        try:
            await asyncio.wait((sending, hearing), return_when=asyncio.FIRST_COMPLETED)
        finally:
            if self._session is not None:
                self._session.listeners.discard(self._told)
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
            return Refused(why="That was too fast; wait a moment.")
        if text is None or len(text.encode()) > self._lines.limits.message:
            return Refused(why="That message is too long.")
        try:
            message = self._read(text)
        except ValidationError:
            return Refused(why="That is no message that this server knows.")
        try:
            return await self._do(message)
        except InputError as error:
            return Refused(why=as_sentence(str(error)))

    def _read(self, text: str) -> AnyMessage:
        return MESSAGE.validate_json(text)

    async def _do(self, message: AnyMessage) -> BaseModel | None:
        if isinstance(message, Hello):
            assert self._lines.sessions is not None
            self._enter(self._lines.sessions.open(message.session))
        if self._session is None:
            raise InputError("say hello first")
        if isinstance(message, Hello):
            return welcome(self._session)
        site = await self._lines.opening.soon(PATIENCE)
        return await site.visits.hear(self._session, message)

    def _enter(self, session: Session) -> None:
        if self._session is not None:
            self._session.listeners.discard(self._told)
        session.listeners.add(self._told)
        self._session = session

    def _told(self, event: Event) -> None:
        self._say(News(event=event))

    def _say(self, answer: BaseModel) -> None:
        """Send it when its turn comes; who reads too slowly is let go, and can come back for the rest."""
        if self._waiting.qsize() >= self._lines.limits.unread:
            self._waiting.put_nowait(None)
        else:
            self._waiting.put_nowait(answer.model_dump_json())
