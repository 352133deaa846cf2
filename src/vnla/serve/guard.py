"""Whom a server answers, how often, and what it tells browsers not to do.

It answers by its names, and by the address at which a request has reached it: a page of somebody else's that is led here by
a name of theirs, which they let point to this machine, has neither.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from vnla.serve.addresses import Addresses

_NAME = r"(?:\[[0-9a-fA-F:.]+\]|[^\s\x00-\x1f\x7f\[\]@:/?#,\\]*)"
_HOST = re.compile(rf"(?P<name>{_NAME})(?::[0-9]{{0,5}})?")
_ORIGIN = re.compile(rf"null|[a-zA-Z][a-zA-Z0-9+.-]*://(?P<host>{_NAME}(?::[0-9]{{0,5}})?)")
"""What the headers may have in them. "null" is the origin of a page that is nobody's."""

_POLICY = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' blob: data:; connect-src 'self'; worker-src 'self' blob:; "
        "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


NAME = re.compile(_NAME)
"""A name that a server may go by."""


class Guard:
    """Answers only those who use one of the server's names, and no pages of others: so no page that somebody visits can talk
    to a server that runs on their machine, by whatever name it finds it."""

    def __init__(self, app: ASGIApp, hosts: Collection[str], addresses: Addresses | None = None) -> None:
        """`addresses` have so many requests each."""
        self._app, self._hosts, self._addresses = app, frozenset(map(str.lower, hosts)), addresses

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        sends = _with_policy(send)
        refusal = self._refusal(Headers(scope=scope), *(scope.get("server") or ())[:1]) or self._wait(scope)
        if refusal is None:
            await self._app(scope, receive, sends)
        else:
            await _refuse(refusal, scope, receive, sends)

    def _refusal(self, headers: Headers, reached: str = "") -> PlainTextResponse | None:
        """Return the refusal of a request, which has `reached` an address of this machine; None if it is answered."""
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        host = _HOST.fullmatch(hosts[0] if hosts else "")
        origin = _ORIGIN.fullmatch(origins[0]) if origins else None
        if len(hosts) > 1 or len(origins) > 1 or host is None or (origins and origin is None):
            return PlainTextResponse("The header Host or Origin of this request is not well-formed.\n", 400)
        name = host["name"].strip("[]").lower()
        if name not in self._hosts and not (name and name == reached.lower()):
            return PlainTextResponse("This server does not go by that name; to give it one: vnla serve --name NAME\n", 421)
        if origin is not None and origin["host"] != host[0]:
            return PlainTextResponse("This server answers only its own page.\n", 403)
        return None

    def _wait(self, scope: Scope) -> PlainTextResponse | None:
        """Return the refusal of a request whose address asks too often."""
        client = scope.get("client")
        if self._addresses is None or self._addresses.of(client and client[0]).requests.take():
            return None
        return PlainTextResponse("That was too fast; wait a moment.\n", 429, {"Retry-After": "5"})


async def _refuse(answer: PlainTextResponse, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request, or the handshake of a WebSocket; where that can have no answer of its own, it gets 403."""
    if scope["type"] == "websocket":
        await receive()
        if "websocket.http.response" not in scope.get("extensions", {}):
            await send({"type": "websocket.close", "code": 1008, "reason": "not from this page"})
            return
    await answer(scope, receive, send)


def _with_policy(send: Send) -> Send:
    async def sends(message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.http.response.start"):
            MutableHeaders(scope=message).update(_POLICY)
        await send(message)

    return sends
