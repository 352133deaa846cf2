"""A server on a port of its own, in this process."""

from __future__ import annotations

import asyncio
import threading
import time
from types import TracebackType

import uvicorn
from starlette.types import ASGIApp

from vnla.cli.serve import LOOPBACK, listening


class Serving:
    """Answers as long as it is open."""

    def __init__(self, app: ASGIApp) -> None:
        self._listener = listening(LOOPBACK, 0)
        self.address = f"http://{LOOPBACK}:{self._listener.getsockname()[1]}"
        self._server = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1))
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Serving:
        self._thread.start()
        while not self._server.started:
            time.sleep(0.01)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._server.should_exit = True
        self._thread.join(10)

    def lose_lines(self) -> None:
        """All WebSockets break off."""
        assert self._loop is not None
        for each in tuple(self._server.server_state.connections):
            if "WebSocket" in type(each).__name__:
                self._loop.call_soon_threadsafe(each.transport.abort)

    def _run(self) -> None:
        async def serve() -> None:
            self._loop = asyncio.get_running_loop()
            await self._server.serve(sockets=[self._listener])

        asyncio.run(serve())
