"""Whom a server answers, and what it tells browsers not to do."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_POLICY = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' blob: data:; connect-src 'self'; worker-src 'self' blob:; "
        "style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Guard:
    """Answers only those who use one of the server's names, and no pages of others: so no page that somebody visits can talk
    to a server that runs on their machine, by whatever name it finds it."""

    def __init__(self, app: ASGIApp, hosts: Collection[str]) -> None:
        self._app, self._hosts = app, frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif not self._knows(Headers(scope=scope)):
            await self._refuse(scope, receive, send)
        else:
            await self._app(scope, receive, _with_policy(send) if scope["type"] == "http" else send)

    def _knows(self, headers: Headers) -> bool:
        host, origin = headers.get("host", ""), headers.get("origin")
        name = urlsplit(f"//{host}").hostname or ""
        if self._hosts and name not in self._hosts:
            return False
        return origin is None or urlsplit(origin).netloc == host

    @staticmethod
    async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": "not from this page"})
        else:
            await PlainTextResponse("This server answers only its own page.\n", 403)(scope, receive, send)


def _with_policy(send: Send) -> Send:
    async def sends(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(_POLICY)
        await send(message)

    return sends
