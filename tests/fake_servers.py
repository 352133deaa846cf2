"""Real HTTP servers on this machine that answer as a test tells them to: also late, wrongly, with errors, and not at all."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Say:
    """What a server does with a request."""

    body: bytes = b"{}"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    after: float = 0.0
    """Seconds before the first byte."""
    drips: float = 0.0
    """Seconds before each byte of the body."""
    drops: bool = False
    """Closes the connection without a word."""
    cut: int = 0
    """Bytes of the body that are announced and never sent."""

    @classmethod
    def json(cls, value: Any, **how: Any) -> Say:
        return cls(json.dumps(value).encode(), **how)


Answers = Callable[[str, Any], Say]
"""(path, what was sent) → what to do."""


@dataclass
class Server:
    url: str
    seen: list[tuple[str, Any, dict[str, str]]] = field(default_factory=list)
    """Path, value and headers of every request."""
    replied: int = 0
    """Replies that were sent to their end."""

    def paths(self) -> list[str]:
        return [path for path, _, _ in self.seen]


@contextmanager
def serving(answers: Answers) -> Iterator[Server]:
    over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version, disable_nagle_algorithm = "HTTP/1.1", True

        def do_GET(self) -> None:
            self.do_POST()

        def do_POST(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            value = json.loads(self.rfile.read(size)) if size else None
            server.seen.append((self.path, value, dict(self.headers)))
            say = answers(self.path, value)
            over.wait(say.after)
            if say.drops:
                self.close_connection = True
                return
            try:
                self.send_response(say.status)
                for name, text in {"Content-Length": str(len(say.body) + say.cut), **say.headers}.items():
                    self.send_header(name, text)
                self.end_headers()
                for byte in (say.body[i : i + 1] for i in range(len(say.body))) if say.drips else (say.body,):
                    over.wait(say.drips)
                    self.wfile.write(byte)
                server.replied += 1
                self.close_connection = self.close_connection or bool(say.cut)
            except OSError:
                self.close_connection = True  # nobody waits any more

        def log_message(self, *_: object) -> None: ...

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False

        def handle_error(self, *_: object) -> None: ...

    http = Quiet(("127.0.0.1", 0), Handler)
    server = Server(f"http://127.0.0.1:{http.server_address[1]}")
    threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield server
    finally:
        over.set()
        http.shutdown()
        http.server_close()


AGENT = {"version": 2, "name": "fake", "observes": ["text"]}


def agent(act: Callable[[Any], Say], declared: dict[str, Any] | None = None) -> Answers:
    """A server that speaks the protocol, and acts as told."""

    def answers(path: str, value: Any) -> Say:
        if path == "/agent":
            return Say.json(declared or AGENT)
        return Say() if path in ("/reset", "/begin") else act(value)

    return answers
