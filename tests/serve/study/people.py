"""Scripted participants, and the server of a study for them."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from serve.visitor import GENEROUS, HOST, Door, Opened, Visitor
from vnla.serve.events import ACTIONS
from vnla.serve.study.app import StudySite, make_study_app
from vnla.serve.study.design import Design
from vnla.serve.study.records import Stamp
from vnla.serve.study.service import StudyService
from vnla.world.actions import Nav


class StudyDoor(Door):
    """The door of a study."""

    def __init__(self, site: StudySite, folder: Path, now: float | None = None) -> None:
        self.now, self.service = now, site.service
        clock = time.time if now is None else self._clock
        self.study = StudyService(folder, Stamp.of(Design.read(folder)), GENEROUS, clock)
        app = make_study_app(Opened(site), self.study, ["localhost"], GENEROUS)
        TestClient.__init__(self, app, base_url=HOST)
        self.lines = []

    def _clock(self) -> float:
        assert self.now is not None
        return self.now


class Person(Visitor):
    """A participant."""

    def __init__(self, door: StudyDoor, session: str | None = None) -> None:
        self.door = door
        super().__init__(door, session)

    @property
    def standing(self) -> dict[str, Any]:
        """The last that they were told of where they stand."""
        found = (json.loads(text) for text in reversed(self.heard))
        return next(answer for answer in found if answer["kind"] == "study")

    @property
    def id(self) -> str:
        someone = self.door.study.store.find(str(self.session))
        assert someone is not None
        return someone.id

    def agree(self, **more: Any) -> str | None:
        return self.say("agree", version=self.standing["version"], **more)

    def do_well(self) -> None:
        """What there is to do, as well as can be: the teacher's actions, or the advisor's answers."""
        while not self.state["ended"]:
            if self.state["begun"]["mode"] == "beat":
                assert self.say("act", action=ACTIONS[Nav(self._taught())]) is None
            else:
                assert self.say("advise", step=self.state["waits"]["step"], text="go forward", at=1e12) is None

    def do_badly(self) -> None:
        """Stop at once, or say nothing."""
        while not self.state["ended"]:
            if self.state["begun"]["mode"] == "beat":
                self.say("act", action="stop")
            else:
                self.say("advise", step=self.state["waits"]["step"])

    def _taught(self) -> int:
        record = self.door.study.session_of(str(self.session))
        assert record is not None
        walk = self.door.service._persons_walk(record)
        state = walk._state
        return int(state.episodes.environment.nav_teacher(state.pose, state.episodes.goals))

    def go_through(self) -> None:
        """All that is left, well."""
        while self.standing["phase"] in ("practice", "task"):
            if self.standing["begun"] and not self.standing["over"]:
                self.do_well()
            assert self.say("next") is None
