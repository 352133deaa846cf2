"""Serving clients over stdio, or over HTTP, until they leave or a signal comes."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import anyio
import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings

from vnla.common.stopping import Interrupted, signals_noted
from vnla.remote.mcp_server.sessions import IDLE, MOST_SESSIONS

PATH = "/mcp"
_LARGEST_BODY = 1 << 16
_LEAVE = 2  # seconds that open streams have when a server ends
_STDIN = 0


def serve_stdio(server: MCPServer[Any]) -> None:
    """Serve the one client at the other end of stdin and stdout, until it closes them."""
    with _stdin_that_ends() as end, signals_noted(lambda _: end()) as stop:
        anyio.run(server.run_stdio_async)
    if stop.number is not None:
        raise Interrupted(stop.number)


@contextmanager
def _stdin_that_ends() -> Iterator[Callable[[], None]]:
    """Put a pipe in the place of stdin, and give a function that ends it.

    A thread that reads stdin itself cannot be interrupted: after Ctrl-C the process would wait for the client's next line.
    """
    source = os.dup(_STDIN)
    reading, writing = os.pipe()
    os.dup2(reading, _STDIN)
    os.close(reading)

    def end() -> None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, writing)  # whoever writes at this moment writes to nowhere, and to no other file
        os.close(nowhere)

    def pass_on() -> None:
        with suppress(OSError), os.fdopen(os.dup(source), "rb", buffering=0) as lines:
            while chunk := lines.read(1 << 16):
                while chunk:
                    chunk = chunk[os.write(writing, chunk) :]
        end()

    threading.Thread(target=pass_on, daemon=True, name="stdin").start()
    try:
        yield end
    finally:
        os.dup2(source, _STDIN)
        os.close(source)


def serve_http(server: MCPServer[Any], listener: socket.socket, names: Sequence[str]) -> None:
    """Serve clients at a socket, until Ctrl-C. Requests for another host than `names` are refused, and pages of others."""
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=_LARGEST_BODY,
        session_idle_timeout=IDLE,
        max_sessions=MOST_SESSIONS,
        transport_security=security(names),
    )
    config = uvicorn.Config(app, log_level="error", server_header=False, timeout_graceful_shutdown=_LEAVE)
    with signals_noted() as stop:  # uvicorn raises again what it has heard, which would end us before all is kept
        uvicorn.Server(config).run(sockets=[listener])
    if stop.number is not None:
        raise Interrupted(stop.number)


def security(names: Sequence[str]) -> TransportSecuritySettings:
    """Refuse requests for other hosts, and from pages of other hosts.

    So a page that a person visits in a browser does not reach a server on their machine.
    """
    bare = [f"[{name}]" if ":" in name else name for name in names]
    hosts = [each for name in bare for each in (name, f"{name}:*")]
    return TransportSecuritySettings(
        allowed_hosts=hosts, allowed_origins=[f"{scheme}://{host}" for scheme in ("http", "https") for host in hosts]
    )
