"""A server at a socket: what a connection may take of it before and after there is a request.

uvicorn waits for a request as long as anybody likes, and for whoever does not take an answer. Here a request has to arrive
within a time and an answer has to be taken within one; and where connections become too many for the process, those that
have asked for nothing yet make room, the longest waiting first.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Iterable
from typing import Any

import h11
import uvicorn

from vnla.serve.limits import Limits

_OFTEN = 5
"""Connections are looked at every so many ticks of the server, of a tenth of a second each."""
_FILES = 16_384
"""Files and connections that a process may have open, if the system lets it."""
_OWN_FILES = 200
"""Of those, what is not connections."""
_OF_OTHERS = ("Invalid HTTP request received.", "ASGI callable returned without completing handshake.")
"""What uvicorn says of a request that is none, and of a WebSocket that was refused."""
_LEAVE = 2
"""Seconds that connections have when the server ends."""


class ConnectionWatch:
    """Ends connections that take too long to ask, or to take what they have asked for."""

    def __init__(self, limits: Limits, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        """`most` connections may be open at once."""
        self._limits, self._most, self._clock = limits, most, clock
        self._asking: dict[Any, tuple[object, float]] = {}
        """Connection → what was asked last, and since when the next request is being waited for."""
        self._unsent: dict[Any, float] = {}
        """Connection → since when something has been waiting to be taken."""

    def look(self, connections: Iterable[Any]) -> None:
        """Look at all connections, which are uvicorn's protocols, and end those whose time is up."""
        now, present = self._clock(), [each for each in connections if each.transport is not None]
        self._asking = {each: self._asking_of(each, now) for each in present if _is_asking(each)}
        self._unsent = {each: self._unsent.get(each, now) for each in present if each.transport.get_write_buffer_size() > 0}
        late = {each for each, since in self._unsent.items() if now - since > self._limits.response}
        late |= {each for each, (_, since) in self._asking.items() if now - since > self._limits.request}
        waiting = sorted(self._asking.keys() - late, key=lambda each: self._asking[each][1])
        late |= {*waiting[: max(0, len(present) - len(late) - self._most)]}
        for each in late:
            each.transport.abort()

    def _asking_of(self, connection: Any, now: float) -> tuple[object, float]:
        asked, since = self._asking.get(connection, (connection.cycle, now))
        return (asked, since) if asked is connection.cycle else (connection.cycle, now)


def _is_asking(connection: Any) -> bool:
    """Return whether a request is being waited for, or the rest of one; WebSockets have limits of their own."""
    conn = getattr(connection, "conn", None)
    return isinstance(conn, h11.Connection) and conn.their_state in (h11.IDLE, h11.SEND_BODY)


class PatientServer(uvicorn.Server):
    """uvicorn, with a `ConnectionWatch`."""

    def __init__(self, config: uvicorn.Config, limits: Limits) -> None:
        super().__init__(config)
        self._watch = ConnectionWatch(limits, open_files() - _OWN_FILES)

    async def on_tick(self, counter: int) -> bool:
        """Look at the connections now and then."""
        if counter % _OFTEN == 0:
            self._watch.look([*self.server_state.connections])
        return await super().on_tick(counter)


def patient_server(app: Any, limits: Limits, proxies: Iterable[str] = ()) -> PatientServer:
    """Return a server of an app; what `proxies` say of whom they ask for is believed, and nobody else."""
    trusted = [*proxies]
    config = uvicorn.Config(
        app, http="h11", log_level="warning", ws_max_size=limits.message, server_header=False,
        proxy_headers=bool(trusted), forwarded_allow_ips=trusted, timeout_graceful_shutdown=_LEAVE,
        ws_per_message_deflate=False,  # events are small and many
    )  # fmt: skip
    logging.getLogger("uvicorn.error").addFilter(_is_ours)
    return PatientServer(config, limits)


def _is_ours(record: logging.LogRecord) -> bool:
    """Return whether a message is on this server, and not on what a client has sent, who could fill the disk with it."""
    return not record.getMessage().startswith(_OF_OTHERS)


def open_files() -> int:
    """Return how many files this process may have open, after asking for as many as are needed."""
    try:
        import resource
    except ImportError:  # not on Windows
        return 512
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _FILES if soft == resource.RLIM_INFINITY else soft
