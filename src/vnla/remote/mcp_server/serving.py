"""Serving clients over stdio, or over HTTP."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from typing import Any

import anyio
import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings

from vnla.remote.mcp_server.sessions import IDLE, MOST_SESSIONS

PATH = "/mcp"
_LARGEST_BODY = 1 << 16
_LEAVE = 2  # seconds that open streams have when a server ends


def serve_stdio(server: MCPServer[Any]) -> None:
    """Serve the one client at the other end of stdin and stdout, until it closes them."""
    anyio.run(server.run_stdio_async)


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
    uvicorn.Server(config).run(sockets=[listener])


def security(names: Sequence[str]) -> TransportSecuritySettings:
    """Refuse requests for other hosts, and from pages of other hosts.

    So a page that a person visits in a browser does not reach a server on their machine.
    """
    bare = [f"[{name}]" if ":" in name else name for name in names]
    hosts = [each for name in bare for each in (name, f"{name}:*")]
    return TransportSecuritySettings(
        allowed_hosts=hosts, allowed_origins=[f"{scheme}://{host}" for scheme in ("http", "https") for host in hosts]
    )
