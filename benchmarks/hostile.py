"""Hostile clients of a server: silent connections, requests by halves, readers that take nothing, headers that are none.

They come while visitors are there (`benchmarks.visitors`), and each group notes what the server did with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

COUNTS = {"silent": 500, "half": 500, "no hello": 500, "no reading": 50}
"""How many clients of a kind come at once; those who are gone come again."""
ADDRESSES = 25
"""Addresses that they come from."""
_AGAIN = 1.0
"""Seconds until a client that was let go comes again."""
_DRIP = 2.0
"""Seconds between two characters of half a request."""
_FLOOD = 0.01
"""Seconds between two requests that are not as they should be."""

BAD_HEADERS = (
    b"Host: [\r\n", b"Host: localhost\r\nOrigin: http://[\r\n", b"Host: a b\r\n", b"Host: localhost\r\nHost: other\r\n",
    b"Host: \xff\xfe\r\n", b"Host: localhost\r\nX: " + b"x" * 1_000_000 + b"\r\n", b"no header at all\r\n", b"\x00\r\n",
)  # fmt: skip


@dataclass
class HostileTally:
    """What hostile clients have seen."""

    lasted: dict[str, float] = field(default_factory=dict)
    """Kind → the longest that one of them could stay, in seconds."""
    statuses: dict[str, Counter[str]] = field(default_factory=dict)
    """Kind → the statuses of answers; "none" where the connection was closed without one."""

    def stayed(self, kind: str, seconds: float) -> None:
        """Note how long a client could stay."""
        self.lasted[kind] = max(self.lasted.get(kind, 0.0), seconds)


@dataclass(frozen=True)
class HostileClients:
    """All of them, against a server at an address (HOST:PORT)."""

    address: str
    tally: HostileTally

    async def come(self) -> None:
        """Keep coming until cancelled."""
        kinds: dict[str, Callable[[random.Random], Awaitable[None]]] = {
            "silent": self._silent, "half": self._half, "no hello": self._no_hello, "no reading": self._no_reading,
        }  # fmt: skip
        clients = [
            self._again(kind, stay, random.Random(f"{kind} {number}"))
            for kind, stay in kinds.items()
            for number in range(COUNTS[kind])
        ]
        await asyncio.gather(*clients, self._bad_headers(), self._strange_hosts())

    async def _again(self, kind: str, stay: Callable[[random.Random], Awaitable[None]], dice: random.Random) -> None:
        """Come, stay as long as possible, and come again."""
        await asyncio.sleep(dice.uniform(0, 2))
        while True:
            began = time.monotonic()
            try:
                await stay(dice)
            except (OSError, ConnectionClosed, InvalidHandshake, TimeoutError):
                pass
            finally:
                self.tally.stayed(kind, time.monotonic() - began)
            await asyncio.sleep(_AGAIN * dice.uniform(0.5, 1.5))

    async def _silent(self, _: random.Random) -> None:
        """Connect, and say nothing."""
        async with self._line() as (reader, _writer):
            await reader.read()

    async def _half(self, _: random.Random) -> None:
        """Send a request without an end, slowly."""
        async with self._line() as (reader, writer):
            writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
            end = asyncio.create_task(reader.read())
            try:
                while not end.done():
                    writer.write(b"x")
                    await asyncio.wait([end], timeout=_DRIP)
            finally:
                end.cancel()

    async def _no_hello(self, dice: random.Random) -> None:
        """Open a WebSocket, and say nothing on it."""
        origin, came = f"http://{self.address}", {"X-Forwarded-For": _somewhere(dice)}
        async with connect(
            f"ws://{self.address}/ws", origin=origin, additional_headers=came, ping_interval=None,  # type: ignore[arg-type]
        ) as line:  # fmt: skip
            await line.wait_closed()

    async def _no_reading(self, dice: random.Random) -> None:
        """Ask for all that is large, and take none of it."""
        async with self._line() as (_reader, writer):
            writer.transport.pause_reading()  # type: ignore[attr-defined]
            request = f"GET /first.json HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: {_somewhere(dice)}\r\n\r\n".encode()
            while not writer.is_closing():
                writer.write(request * 20)
                async with asyncio.timeout(90):
                    await writer.drain()
                await asyncio.sleep(0.2)

    async def _bad_headers(self) -> None:
        """Send headers that are none, one after the other."""
        dice = random.Random("headers")
        while True:
            for bad in BAD_HEADERS:
                await self._answered("bad headers", b"GET / HTTP/1.1\r\n" + bad + _forwarded(dice) + b"\r\n")

    async def _strange_hosts(self) -> None:
        """Call the server by names that it does not have, all from one address."""
        dice = random.Random("hosts")
        while True:
            name = f"{dice.randrange(10**6)}.example.net".encode()
            await self._answered("strange names", b"GET / HTTP/1.1\r\nHost: " + name + b"\r\n" + _forwarded(dice) + b"\r\n")

    async def _answered(self, kind: str, request: bytes) -> None:
        """Note the status of the answer to a request."""
        await asyncio.sleep(_FLOOD)
        status = "none"
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(30), self._line() as (reader, writer):
                writer.write(request)
                status = (await reader.readline()).decode(errors="replace").partition(" ")[2][:3] or "none"
        self.tally.statuses.setdefault(kind, Counter())[status] += 1

    @contextlib.asynccontextmanager
    async def _line(self) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        host, _, port = self.address.rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        try:
            yield reader, writer
        finally:
            writer.transport.abort()


def _somewhere(dice: random.Random) -> str:
    """Return one of the addresses that they come from, which no visitor has."""
    return f"203.0.113.{dice.randrange(ADDRESSES)}"


def _forwarded(dice: random.Random) -> bytes:
    return f"X-Forwarded-For: {_somewhere(dice)}\r\n".encode()
