"""The sensors of the panorama track by hand, and the agent that chooses among exits and places."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from agents.small import WORDS, cottage_environment, drawn_episodes, players_of, pose_at, with_budgets
from vnla.agents.agent import Sizes
from vnla.agents.panorama import (
    MOST_EXITS,
    PROJECTED,
    Exits,
    PanoramaSensor,
    Places,
    SphereSensor,
    _ways_back,
    level_poses,
    projection,
)
from vnla.agents.panorama_agent import PanoramaAgent, PanoramaGates, panorama_agent
from vnla.agents.registry import agent_named
from vnla.assistance.acting import BCUI
from vnla.bcui import bcui
from vnla.camera import HEADINGS
from vnla.common.errors import InputError
from vnla.episode import StepContext, nowhere, remembered
from vnla.world.actions import Nav
from vnla.world.compiled import NOWHERE, Environment, viewpoint_of


@pytest.fixture(scope="module")
def environment() -> Environment:
    return cottage_environment()


def step_at(environment: Environment, pose: Tensor, past: list[int] | None = None) -> StepContext:
    """One time step of one episode that has been at the poses `past`."""
    episodes = with_budgets(drawn_episodes(environment, torch.arange(len(pose))), [12] * len(pose), [2] * len(pose))
    zero, before = torch.zeros_like(pose), nowhere(pose, 6)
    for step, each in enumerate(past or []):
        before = remembered(before, step, torch.tensor([each]))
    return StepContext(episodes, len(past or []), pose, zero, zero + 2, torch.empty(1, 0), zero, past=before)


def features(environment: Environment, size: int = 8) -> dict[str, Tensor]:
    poses = 36 * len(environment.world.ids)
    return {"drawn": torch.randn(poses, size, generator=torch.Generator().manual_seed(3))}


def fields_of(sensor: type[Exits] | type[Places], numbers: Tensor) -> list[dict[str, float]]:
    """What a sensor shows of everything that is present, field by field."""
    rows = numbers[0].reshape(-1, len(sensor.FIELDS))
    return [dict(zip(sensor.FIELDS, row.tolist(), strict=True)) for row in rows if row[0]]


def test_level_poses_go_round_to_the_right_whatever_the_elevation(environment: Environment) -> None:
    here = pose_at(environment, "hall_south", 11)
    base = int(viewpoint_of(here)) * 36 + 12
    assert level_poses(here).tolist() == [[base + 11, *range(base, base + 11)]]
    assert torch.equal(level_poses(here + 12), level_poses(here)), "looking up"


def test_a_panorama_shows_each_heading_projected_and_whether_there_is_an_exit(environment: Environment) -> None:
    views, world = features(environment), environment.world
    sensor = PanoramaSensor().ready(None, world, views)  # type: ignore[arg-type]
    here = pose_at(environment, "hall_south", 0)
    shown = sensor(step_at(environment, here)).reshape(HEADINGS, PROJECTED + 1)
    poses = level_poses(here)[0]
    assert torch.allclose(shown[:, :PROJECTED], views["drawn"][poses] @ projection(8), atol=2e-3)
    assert shown[:, PROJECTED].tolist() == (~world.blocked[poses]).float().tolist()
    assert 0 < shown[:, PROJECTED].sum() < HEADINGS, "some headings of this place have no exit"
    turned = sensor(step_at(environment, environment.world.after.reshape(-1, 6)[here, Nav.RIGHT]))
    assert torch.equal(turned.reshape(HEADINGS, -1), shown.roll(-1, dims=0))


def test_all_views_are_the_level_ones_and_those_down_and_up(environment: Environment) -> None:
    views, world = features(environment), environment.world
    here = pose_at(environment, "hall_south", 4)
    level, every = (each().ready(None, world, views)(step_at(environment, here)) for each in (PanoramaSensor, SphereSensor))  # type: ignore[arg-type]
    assert torch.equal(every[:, : level.shape[1]], level)
    shown, poses = every.reshape(36, PROJECTED + 1)[:, :PROJECTED], level_poses(here)[0]
    assert torch.allclose(shown[12:24], views["drawn"][poses - 12] @ projection(8), atol=2e-3), "down"
    assert torch.allclose(shown[24:], views["drawn"][poses + 12] @ projection(8), atol=2e-3), "up"


def test_exits_lead_where_the_teacher_would_go_and_are_known_again(environment: Environment) -> None:
    world = environment.world
    sensor = Exits().ready(None, world, {})  # type: ignore[arg-type]
    here = pose_at(environment, "hall_south", 0)
    viewpoint = int(viewpoint_of(here))
    targets = world.target[world.source == viewpoint].tolist()
    found = fields_of(Exits, sensor(step_at(environment, here)))
    assert len(found) == len(targets) <= MOST_EXITS and not any(each["visited"] or each["last"] for each in found)
    toward = world.toward.reshape(-1, 36)
    wanted = sorted(int(toward[edge, int(here) % 36]) for edge in (world.source == viewpoint).nonzero().flatten().tolist())
    assert sorted(next(i for i in range(5) if each[f"by_{i}"]) for each in found) == wanted
    for each in found:
        degrees = torch.rad2deg(torch.atan2(torch.tensor(each["sine"]), torch.tensor(each["cosine"])))
        assert abs((float(degrees) - each["heading"] * 30 + 180) % 360 - 180) <= 15.01
    came = fields_of(Exits, sensor(step_at(environment, here, [targets[0] * 36, targets[0] * 36 + 1])))
    assert sum(each["visited"] for each in came) == sum(each["last"] for each in came) == 1


def test_ways_back_by_hand() -> None:
    """A, A, B, C, and again in B: A is one move back; C is one move away, by the way on as by the way back."""
    a, b, c = 5, 6, 7
    past = torch.tensor([[a, a, b, c, NOWHERE, NOWHERE]])
    hop, hops = _ways_back(past, past >= 0, torch.tensor([b]))
    assert hop[0, :4].tolist() == [a, a, c, c] and hops[0, [0, 1, 3]].tolist() == [1, 1, 1]
    # A, B, C, D, and now in E, next to D: all are behind D.
    past = torch.tensor([[a, b, c, 8, NOWHERE]])
    hop, hops = _ways_back(past, past >= 0, torch.tensor([9]))
    assert hop[0, :4].tolist() == [8] * 4 and hops[0, :4].tolist() == [4, 3, 2, 1]


@given(st.lists(st.integers(0, 4), min_size=2, max_size=12))
def test_a_way_back_begins_with_a_move_that_was_made_and_is_as_long_as_some_walk(track: list[int]) -> None:
    *before, here = track
    past = torch.full((1, 12), NOWHERE)
    past[0, : len(before)] = torch.tensor(before)
    hop, hops = _ways_back(past, past >= 0, torch.tensor([here]))
    moves = {pair for one, two in pairwise(track) for pair in ((one, two), (two, one))}
    for step, place in enumerate(before):
        if place == here:
            continue
        assert (here, int(hop[0, step])) in moves
        distance = {here: 0}
        for _ in track:
            distance |= {two: distance[one] + 1 for one, two in moves if one in distance and two not in distance}
        assert int(hops[0, step]) >= distance[place] > 0
        assert (int(hops[0, step]) == 1) <= (int(hop[0, step]) == place)


def test_places_count_the_exits_that_were_never_taken(environment: Environment) -> None:
    world = environment.world
    sensor = Places().ready(None, world, {})  # type: ignore[arg-type]
    here = pose_at(environment, "hall_south", 0)
    there = int(world.target[world.source == int(viewpoint_of(here))][0])
    found = fields_of(Places, sensor(step_at(environment, here, [there * 36, there * 36 + 1])))
    exits = int((world.source == there).sum())
    assert len(found) == 1, "the place was stood at twice, and is one place"
    assert found[0]["unexplored"] == pytest.approx((exits - 1) / 5) and found[0]["hops"] == pytest.approx(1 / 5)
    assert found[0]["ago"] == pytest.approx(2 / 25) and sum(found[0][f"by_{i}"] for i in range(5)) == 1
    assert not fields_of(Places, sensor(step_at(environment, here)))


def small_panorama() -> PanoramaAgent:
    sensors = {"panorama": PanoramaSensor.size, "exits": Exits.size, "places": Places.size}
    torch.manual_seed(0)
    sizes = Sizes(WORDS, {"drawn": 8, **sensors}, tuple(sensors))
    options = {"hidden": 12, "word_embedding": 8, "help_hidden": 6, "width": 4, "dropout": 0.0}
    return panorama_agent(sizes, **options)


def test_candidates_are_expanded_into_the_actions_that_lead_to_them() -> None:
    """Two candidates by `forward` with score s and t: log(1 + exp s + exp t) is added to its logit."""
    module = small_panorama().navigation
    module.found.weight.data.zero_()
    module.found.bias.data.zero_()
    module.choose.weight.data.zero_()
    module.choose.bias.data = torch.tensor([1.0, 0.0, 0.0, 0.0])
    by = torch.zeros(1, 3, 5)
    by[0, :2, Nav.FORWARD] = 1
    keys = torch.tensor([[[0.6, 9, 9, 9], [-1.0, 9, 9, 9], [50.0, 9, 9, 9]]])  # the third is no candidate
    shared = PanoramaGates(torch.empty(1, 0), [], torch.ones(1, 12, 4), keys, by)
    logits = module._expanded(torch.zeros(1, 6), torch.zeros(1, 12), shared)[0]
    scores = torch.tensor([0.6, -1.0]) / 2
    assert logits[Nav.FORWARD].item() == pytest.approx(float(torch.log1p(scores.exp().sum())))
    assert logits[[0, 1, 2, 3, 5]].tolist() == [0] * 5


def test_it_walks_learns_and_is_refused_without_its_sensors(environment: Environment) -> None:
    agent, views = small_panorama(), features(environment)
    sensors = {"panorama": PanoramaSensor(), "exits": Exits(), "places": Places()}
    ready = {name: each.ready(agent, environment.world, views) for name, each in sensors.items()}
    context = replace(players_of(agent, environment, acting=BCUI), views=views, sensors=ready)
    rollout = bcui(drawn_episodes(environment, torch.arange(40)), context)
    assert any(len(set((row[row >= 0] // 36).tolist())) > 2 for row in rollout.table("pose")), "somebody walks about"
    rollout.nav_loss().backward()
    silent = [name for name, each in agent.navigation.named_parameters() if each.grad is None or not each.grad.any()]
    assert not [name for name in silent if name.split(".")[0] in ("heading", "exit", "place", "choose", "look", "found")]
    with pytest.raises(InputError, match="agent panorama: does without the sensor exits"):
        agent_named("panorama", {}, Sizes(WORDS, {"drawn": 8, "panorama": PanoramaSensor.size}, ("panorama",)))
    with pytest.raises(InputError, match="agent panorama: has no option pieces"):
        agent_named("panorama", {"pieces": 3}, Sizes(WORDS, {"drawn": 8}))
