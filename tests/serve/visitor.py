"""A visitor for tests: a browser's side of the line, with the page's reducer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient, WebSocketTestSession

from vnla.serve.app import make_app
from vnla.serve.contributions.collecting import Contributions
from vnla.serve.limits import Limits
from vnla.serve.reduce import NOTHING, State, reduced
from vnla.serve.sessions import Sessions
from vnla.serve.site import Site, SiteLoader

HOST = "http://localhost"
GENEROUS = Limits(
    rate=1e6, burst=10**6, new=1e6, unread=10**6, previews=1e6, previews_burst=10**6, reading=1e6, reading_burst=1e6,
    address_connections=10**6, address_requests=1e6, address_requests_burst=1e6, address_new=1e6, address_crowd=1e6,
)  # fmt: skip


def words_in(text: str, words: Iterable[str]) -> list[str]:
    """Those that occur in a text; digits of a name may look like one."""
    return [word for word in words if re.search(rf"\b{re.escape(word)}\b", text)]


class Door(TestClient):
    """A server's, and all who have come in; when it closes they are gone."""

    def __init__(
        self, site: Site, folder: Path, limits: Limits = GENEROUS, contributions: Contributions | None = None
    ) -> None:
        app = make_app(Opened(site), Sessions(folder, limits), ["localhost"], limits, contributions)
        super().__init__(app, base_url=HOST)
        self.lines: list[WebSocketTestSession] = []

    def connect(self, origin: str = HOST, host: str = "localhost", client: str = "testclient") -> WebSocketTestSession:
        """Return a new connection from an address."""
        self._transport.client = client, 50_000  # type: ignore[attr-defined]
        cookies = {"cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())} if self.cookies else {}
        line: WebSocketTestSession = self.websocket_connect("/ws", headers={"origin": origin, "host": host, **cookies})
        self.lines.append(line.__enter__())
        return line

    def lose(self, line: WebSocketTestSession) -> None:
        """A line is lost."""
        if line in self.lines:
            self.lines.remove(line)
            line.close()
            line.__exit__(None, None, None)

    def __exit__(self, *args: Any) -> None:
        for line in tuple(self.lines):
            self.lose(line)
        super().__exit__(*args)


class Opened(SiteLoader):
    """A site that is open already, and stays so."""

    def __init__(self, site: Site) -> None:
        self.site, self.error, self.doing = site, None, ""

    def close(self) -> None:
        """Others use it too."""


class Visitor:
    """Says something and hears all that follows from it."""

    def __init__(self, door: Door, session: str | None = None) -> None:
        self._door = door
        self.state: State = NOTHING
        self.heard: list[str] = []
        """All that was sent, as text."""
        self.session = session
        self.second: list[dict[str, Any]] = []
        self.connect()

    def connect(self) -> None:
        """Begin, or come back."""
        self.line = self._door.connect()
        self.say("hello", session=self.session)

    def leave(self) -> None:
        """Lose the line."""
        self._door.lose(self.line)

    def say(self, kind: str, **message: Any) -> str | None:
        """Say something and hear the answer; why it was refused, if it was."""
        self.send(kind, **message)
        return self.hear()

    def send(self, kind: str, **message: Any) -> None:
        """Say something. A question that the server surely refuses marks the end of the answer."""
        self.line.send_text(json.dumps({"kind": kind, "after": self.state["number"], **message}))
        self.line.send_text("?")

    def hear(self) -> str | None:
        """Hear all that comes up to the end of the next answer; why it was refused, if it was."""
        refused = None
        while True:
            text = self.line.receive_text()
            answer = json.loads(text)
            if answer["kind"] == "refused" and answer["why"] == "That is no message that this server knows.":
                return refused
            refused = self.take(text) or refused

    def take(self, text: str) -> str | None:
        """Take in what the server says; why something was refused, if it was."""
        answer = json.loads(text)
        self.heard.append(text)
        match answer["kind"]:
            case "event":
                assert answer["event"]["number"] == self.state["number"] + 1
                self.state = reduced([answer["event"]], self.state)
            case "welcome":
                self.session, self.state = answer["session"], answer["snapshot"]
            case "second":
                self.second = answer["events"]
            case "refused":
                return str(answer["why"])
        return None
