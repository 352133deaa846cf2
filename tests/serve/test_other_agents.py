"""Other agents on the same task: under the same rules, beside the site's own, and to beat."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from fake_servers import Say, agent, serving
from serve.visitor import Door, Visitor
from vnla.agents.policy import Policy
from vnla.cli.serve import other_agent_maker
from vnla.common.errors import InputError
from vnla.observation import Observation
from vnla.remote.evaluated_agent import LocalPolicy
from vnla.serve.engine import EpisodeEngine
from vnla.serve.on_demand import OnDemandFeatures
from vnla.serve.other_agents import OtherAgents, OtherPolicyAgent, OtherTrainedAgent
from vnla.serve.site import Site
from vnla.world.actions import Nav


class Asker:
    """Asks as often as it may, turns right, and stops at its fourth step."""

    def reset(self, instruction: str) -> int:  # noqa: ARG002
        return 0

    def act(self, observation: Observation, state: int) -> tuple[tuple[str, bool], int]:
        action = "stop" if observation["step"] == 3 else "right"
        return (action, bool(observation["may_request"])), state + 1


class Fails(Asker):
    """Raises what nobody expects."""

    def act(self, observation: Observation, state: int) -> tuple[tuple[str, bool], int]:  # noqa: ARG002
        raise ZeroDivisionError


def policy(kind: type[Policy]) -> LocalPolicy:
    return LocalPolicy(kind())


@pytest.fixture
def with_others(site: Site) -> Iterator[Site]:
    other_agents = site.service.other_agents
    other_agents.add("asker", lambda: OtherPolicyAgent(site.engine, policy(Asker)))
    other_agents.add("same", lambda: OtherTrainedAgent(site.engine))
    other_agents.add("fails", lambda: OtherPolicyAgent(site.engine, policy(Fails)))
    yield site
    site.service.other_agents = OtherAgents()


def test_a_policy_walks_by_the_rules_of_the_site(engine: EpisodeEngine) -> None:
    task = engine.goals.offered[0]
    own = OtherPolicyAgent(engine, policy(Asker)).walk(task, 3)
    other = OtherTrainedAgent(engine).walk(task, 3)
    assert (own.start, own.time, own.requests, own.k) == (other.start, other.time, other.requests, other.k)
    assert [step.action for step in own.steps] == [Nav.RIGHT] * 3 + [Nav.STOP]
    assert own.stopped and own.steps[-1].pose_after == own.steps[-1].pose
    asked = sum(step.asked for step in own.steps)
    assert asked == min(own.requests, 4)
    assert [step.requests_left for step in own.steps][:2] == [own.requests, own.requests - 1]
    assert own.steps[0].advice == other.steps[0].advice  # both ask at once, at the same place
    assert own.metres == pytest.approx(other.metres) or own.poses[-1] != other.poses[-1]


def test_another_agent_is_shown_beside(with_others: Site, door: Door) -> None:  # noqa: ARG001
    assert door.get("/agents.json").json() == ["asker", "same", "fails"]
    visitor = Visitor(door)
    assert visitor.say("beside", agent="asker") == "No agent is walking; watch or help one first."
    visitor.say("watch", task="0_0", seed=0)
    before = visitor.state
    assert visitor.say("beside", agent="asker") is None
    assert visitor.state == before
    begun, ended = visitor.second[0], visitor.second[-1]
    assert (begun["agent"], begun["around"], begun["link"]) == ("asker", False, None)
    assert begun["start"] == before["begun"]["start"] and begun["requests"] == before["begun"]["requests"]
    assert ended["reason"] == "stopped"
    visitor.say("beside", agent="same")
    poses = [event["pose"] for event in visitor.second if event["kind"] == "stood"]
    assert poses == [step["pose"] for step in before["steps"]]
    assert visitor.say("beside", agent="nobody") == "There is no such agent here."
    why = str(visitor.say("beside", agent="fails"))
    assert why.startswith("Fails cannot walk here") and "ZeroDivisionError" in why


def test_one_may_walk_against_another(with_others: Site, door: Door) -> None:  # noqa: ARG001
    visitor = Visitor(door)
    assert visitor.say("beat", against="nobody") == "There is no such agent here."
    visitor.say("beat", against="asker")
    assert visitor.state["begun"]["agent"] == "asker"
    visitor.leave()
    visitor.connect()
    visitor.say("act", action="stop")
    ended = visitor.state["ended"]
    assert len(ended["walk"]) == 5 and ended["score"]["tasks"] == 1
    headings = [pose["heading"] for pose in ended["walk"]]
    assert [(after - before) % 12 for before, after in pairwise(headings)] == [1, 1, 1, 0]
    visitor.say("beat", against="fails")
    visitor.say("act", action="stop")
    assert visitor.state["ended"]["walk"] is None and "cannot walk here" in str(visitor.state["said"])


def test_agents_behind_an_address_and_by_name(engine: EpisodeEngine, tmp_path: Path) -> None:
    task = engine.goals.offered[0]
    features = OnDemandFeatures("cpu")

    def turns(value: Any) -> Say:
        return Say.json({"action": "stop" if value["step"] == 2 else "left"})

    with serving(agent(turns)) as server:
        walk = other_agent_maker(server.url, engine, features, "cpu")().walk(task, 0)
        assert [step.action for step in walk.steps] == [Nav.LEFT, Nav.LEFT, Nav.STOP]
    with serving(agent(lambda _: Say(b"<b>no", 500))) as server:
        rude = other_agent_maker(server.url, engine, features, "cpu")()
        with pytest.raises(InputError, match="nobody answers there"):
            rude.walk(task, 0)
    planner = other_agent_maker("planner", engine, features, "cpu")().walk(task, 0)
    assert len(planner.steps) <= planner.time
    for wrong in ("http://127.0.0.1:1", str(tmp_path), "no.such:Agent"):
        with pytest.raises(InputError):
            other_agent_maker(wrong, engine, features, "cpu")


def test_walks_are_made_once(engine: EpisodeEngine) -> None:
    made = []
    other_agents = OtherAgents({"asker": lambda: made.append(1) or OtherPolicyAgent(engine, policy(Asker))})
    task = engine.goals.offered[0]

    async def twice() -> list[object]:
        futures = [other_agents.walk("asker", task, 0) for _ in range(2)]
        return [await asyncio.wrap_future(each) for each in futures]

    one, two = asyncio.run(twice())
    assert one is two and made == [1]
    with pytest.raises(InputError, match="no such agent"):
        other_agents.walk("other", task, 0)
    other_agents.close()
