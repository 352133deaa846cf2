"""`vnla serve` killed with an answer half walked: what a helper was told is there again, and the rest follows by itself."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from serve.cold import Cold
from serve.study.served import Line
from vnla.serve.reduce import NOTHING, State, reduced
from vnla.serve.sessions import log_lines

KILLS = 8


class Helper:
    """A visitor who helps, and comes back after every kill."""

    def __init__(self) -> None:
        self.session: str | None = None
        self.state: State = NOTHING

    def come(self, server: Cold) -> None:
        """Begin, or come back."""
        self.line = Line(server.host)
        self.send("hello", session=self.session)
        self.take()

    def send(self, kind: str, **message: Any) -> None:
        self.line.send_text(json.dumps({"kind": kind, "after": self.state["number"], **message}))

    def take(self) -> str:
        """Take in what the server says next; its kind."""
        answer = json.loads(self.line.receive_text())
        if answer["kind"] == "welcome":
            self.session, self.state = answer["session"], answer["snapshot"]
        elif answer["kind"] == "event":
            assert answer["event"]["number"] == self.state["number"] + 1
            self.state = reduced([answer["event"]], self.state)
        return str(answer["kind"])

    def go_on(self) -> None:
        """Have the agent wait for an answer, with another task where this one is over."""
        while not self.state["waits"]:
            if self.state["ended"] or not self.state["begun"]:
                self.send("help")
            self.take()


@pytest.mark.slow
def test_nothing_that_a_helper_was_told_is_lost(tmp_path: Path) -> None:
    dice, helper, told_of_cut_off = random.Random(0), Helper(), 0
    for _ in range(KILLS):
        server = Cold(tmp_path)
        try:
            helper.come(server)
            helper.go_on()
            waits = helper.state["waits"]
            helper.send("advise", step=waits["step"], choice=dice.choice([waits["offer"], None]))
            for _ in range(dice.randrange(12)):
                helper.take()
                if helper.state["waits"] or helper.state["ended"]:
                    break
            server.process.kill()
            with pytest.raises(ConnectionClosed):  # what was under way when it was killed was told, too
                while True:
                    helper.take()
        finally:
            server.process.kill()
            server.process.communicate()
        told_of_cut_off += not (helper.state["waits"] or helper.state["ended"])
        events = [line["event"] for line in log_lines(tmp_path / "sessions" / f"{helper.session}.jsonl") if "event" in line]
        assert [event["number"] for event in events] == [*range(1, len(events) + 1)]
        assert reduced(events[: helper.state["number"]]) == helper.state, "all that was told is recorded"
    assert told_of_cut_off, "no kill was in the middle of an answer"
