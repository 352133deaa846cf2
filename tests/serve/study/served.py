"""The server of a study as a process of its own, and lines to it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

import vnla
from serve.visitor import Visitor

AT = re.compile(r"vnla is at http://(.*)/ \(Ctrl-C ends it\)\n")


def command(*arguments: object, cache: Path) -> subprocess.Popen[str]:
    """`vnla` as a process."""
    paths = {"PYTHONPATH": str(Path(vnla.__file__).parents[1]), "XDG_CACHE_HOME": str(cache), "OMP_NUM_THREADS": "1"}
    program = [sys.executable, "-m", "vnla", *map(str, arguments)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(program, env={**os.environ, **paths}, text=True, **pipes)  # type: ignore[call-overload, no-any-return]


class Line:
    """A WebSocket, as Starlette's test client has it."""

    def __init__(self, host: str) -> None:
        opened = connect(f"ws://{host}/ws", origin=f"http://{host}")  # type: ignore[arg-type]
        self._socket: ClientConnection = opened.__enter__()

    def send_text(self, text: str) -> None:
        self._socket.send(text)

    def receive_text(self) -> str:
        return str(self._socket.recv(timeout=60))

    def close(self) -> None:
        self._socket.close()


class Served:
    """The server of the study in a folder."""

    def __init__(self, folder: Path, cache: Path, *options: object) -> None:
        self.process = command("study", "serve", folder, "--port", 0, "--no-open", *options, cache=cache)
        assert self.process.stdout
        said = ""
        while not (found := AT.fullmatch(line := self.process.stdout.readline())):
            said += line
            assert line, (said, self.process.communicate())
        self.host = found[1]

    def __enter__(self) -> Served:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def connect(self) -> Line:
        return Line(self.host)

    def lose(self, line: Line) -> None:
        line.close()

    def kill(self) -> None:
        """At once, in the middle of whatever it does."""
        self.process.kill()
        self.process.communicate()


class Guest(Visitor):
    """A participant who knows only what comes over the line."""

    def __init__(self, server: Served, session: str | None = None) -> None:
        super().__init__(server, session)  # type: ignore[arg-type]

    @property
    def standing(self) -> dict[str, Any]:
        """The last that they were told of where they stand."""
        found = (json.loads(text) for text in reversed(self.heard))
        return next(answer for answer in found if answer["kind"] == "study")

    def agree(self) -> str | None:
        return self.say("agree", version=self.standing["version"])

    def word(self) -> dict[str, Any]:
        """Something to say in a task."""
        if self.state["begun"]["mode"] == "beat":
            return {"kind": "act", "action": "stop" if len(self.state["steps"]) > 3 else "left"}
        return {"kind": "advise", "step": self.state["waits"]["step"], "text": "turn left, go forward"}

    def do_something(self) -> str | None:
        return self.say(**self.word())

    def go_through(self) -> None:
        """All that is left."""
        while self.standing["phase"] in ("practice", "task"):
            going = self.standing["begun"] and not self.standing["over"]
            assert (self.do_something() if going else self.say("next")) is None
