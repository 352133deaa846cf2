"""A visitor who does anything at all, in any order, over lines that break: what the page shows is what the server has."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as some
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from serve.visitor import Door, Visitor
from vnla.serve.reduce import NOTHING
from vnla.serve.site import Site

PHRASES = some.sampled_from(["turn left", "go forward 2 steps", "look up, turn right", "stop", "whatever", ""])
STEPS = some.integers(0, 24)


def machine(site: Site) -> type[RuleBasedStateMachine]:
    class Machine(RuleBasedStateMachine):
        """One visitor in two tabs."""

        def __init__(self) -> None:
            super().__init__()
            self.folder = Path(tempfile.mkdtemp())
            self.door = Door(site, self.folder).__enter__()
            self.visitor = Visitor(self.door)
            self.budget = 0

        def say(self, kind: str, **message: Any) -> None:
            before = self.visitor.state
            if self.visitor.say(kind, **message) is not None:
                assert self.visitor.state == before, "what is refused changes nothing"

        @property
        def state(self) -> dict[str, Any]:
            return self.visitor.state

        @rule(mode=some.sampled_from(["watch", "help"]), task=some.integers(0, 7), seed=some.integers(0, 3))
        def show(self, mode: str, task: int, seed: int) -> None:
            self.say(mode, task=f"{task}_0", seed=seed)

        @rule(step=STEPS, text=some.none() | PHRASES, choice=some.none() | PHRASES)
        def advise_anywhere(self, step: int, text: str | None, choice: str | None) -> None:
            self.say("advise", step=step, text=text, choice=choice)

        @precondition(lambda self: self.state["waits"])
        @rule(text=some.none() | PHRASES)
        def advise(self, text: str | None) -> None:
            waits = self.state["waits"]
            self.say("advise", step=waits["step"], text=text)
            assert self.state["waits"] is None or self.state["waits"] == waits or self.state["waits"]["step"] > waits["step"]

        @rule(step=STEPS, text=PHRASES)
        def speak(self, step: int, text: str) -> None:
            self.say("speak", step=step, text=text)

        @rule(step=STEPS, text=some.none() | PHRASES)
        def what_if(self, step: int, text: str | None) -> None:
            before = self.state
            self.say("what_if", step=step, text=text)
            assert self.state == before

        @rule()
        def beat(self) -> None:
            self.say("beat")
            assert self.state["begun"]["mode"] == "beat"

        @rule(action=some.sampled_from(["left", "right", "up", "down", "forward", "stop"]), ago=some.integers(0, 2))
        def act(self, action: str, ago: int) -> None:
            before, after = self.state, max(0, self.state["number"] - ago)
            self.say("act", action=action, after=after)
            if after < before["number"] or before["ended"] or (before["begun"] or {}).get("mode") != "beat":
                assert self.state == before

        @rule()
        def ask(self) -> None:
            self.say("ask")

        @rule()
        def leave(self) -> None:
            self.say("leave")

        @rule(restart=some.booleans())
        def lose_the_line(self, restart: bool) -> None:
            before = self.state
            self.visitor.leave()
            if restart:
                self.door.__exit__(None, None, None)
                self.door = Door(site, self.folder).__enter__()
                self.visitor = Visitor(self.door, self.visitor.session)
            else:
                self.visitor.connect()
            assert self.state == before

        @invariant()
        def it_is_an_episode(self) -> None:
            state, begun = self.state, self.state["begun"]
            if begun is None:
                assert {**state, "number": 0} == {**NOTHING, "number": 0}
                return
            assert [step["step"] for step in state["steps"]] == list(range(len(state["steps"])))
            assert len(state["steps"]) <= begun["time"]
            asked = sum(step["asked"] is not None for step in state["steps"])
            assert asked <= begun["requests"]
            for step in state["steps"]:
                assert step["steps_left"] == begun["time"] - step["step"]
            assert begun["mode"] != "beat" or not any(step["thought"] for step in state["steps"])
            assert not (state["waits"] and state["ended"])
            if begun["mode"] == "beat" and not state["ended"]:
                assert begun["link"] is None

        def teardown(self) -> None:
            self.door.__exit__(None, None, None)
            shutil.rmtree(self.folder)

    return Machine


@pytest.mark.filterwarnings("ignore")
def test_whatever_a_visitor_does(site: Site) -> None:

    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    run_state_machine_as_test(
        machine(site),
        settings=settings(max_examples=8, stateful_step_count=20, deadline=None, suppress_health_check=checks),
    )
