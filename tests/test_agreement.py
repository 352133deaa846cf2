"""The compiled world against the simulator it replaces: the same walks through the MatterSim interface, step by step.

The reference here is written from the description of the authors' code (`docs/implementation-details.md`): networkx for the
paths, `navigableLocations` for what is seen. It shares no table with the compiled world.
"""

from __future__ import annotations

import math
from pathlib import Path

import networkx as nx
import pytest
import torch

from vnla.assistance.advisor import TemplateAdvisor
from vnla.assistance.phrases import until_stop
from vnla.camera import HEADINGS, TURN, VIEWS
from vnla.houses.house import House
from vnla.houses.matterport import write_connectivity
from vnla.houses.scatter import scattered_house
from vnla.mattersim import Simulator
from vnla.mattersim.state import SimState
from vnla.world.actions import Nav
from vnla.world.compiled import Environment, World

TURNS = {Nav.LEFT: (-1, 0), Nav.RIGHT: (1, 0), Nav.UP: (0, 1), Nav.DOWN: (0, -1), Nav.STOP: (0, 0)}


class Reference:
    """The navigation teacher and the meaning of `forward`, over a simulator's states."""

    def __init__(self, house: House, goals: list[str]) -> None:
        self.goals = goals
        self.position = {viewpoint.id: viewpoint.position for viewpoint in house.viewpoints}
        graph = nx.Graph()
        for i, viewpoint in enumerate(house.viewpoints):
            for j in house.neighbours[i]:
                other = house.viewpoints[j]
                graph.add_edge(viewpoint.id, other.id, weight=math.dist(viewpoint.position, other.position))
        self.paths = dict(nx.all_pairs_dijkstra_path(graph))
        self.lengths = dict(nx.all_pairs_dijkstra_path_length(graph))

    def next_viewpoint(self, here: str) -> str | None:
        nearest = min(self.goals, key=lambda goal: self.lengths[here][goal])
        return None if nearest == here else self.paths[here][nearest][1]

    def teacher(self, state: SimState) -> Nav:
        onward = self.next_viewpoint(state.location.viewpointId)
        if onward is None:
            return Nav.STOP
        row = state.viewIndex // HEADINGS
        for seen in state.navigableLocations:
            if seen.viewpointId == onward:
                if abs(seen.rel_heading) > TURN:
                    return Nav.RIGHT if seen.rel_heading > 0 else Nav.LEFT
                if seen.rel_elevation > TURN and row < 2:
                    return Nav.UP
                return Nav.DOWN if seen.rel_elevation < -TURN and row > 0 else Nav.FORWARD
        if row != 1:
            return Nav.UP if row == 0 else Nav.DOWN
        offset = [there - here for there, here in zip(self.position[onward], state.location.point, strict=True)]
        bearing = (math.pi / 2 - math.atan2(offset[1], offset[0])) % (2 * math.pi)
        return Nav.LEFT if (bearing - state.heading) % (2 * math.pi) > math.pi else Nav.RIGHT

    def act(self, simulator: Simulator, action: Nav) -> None:
        if action is not Nav.FORWARD:
            simulator.makeAction(0, *TURNS[action])
            return
        state = simulator.getState()
        seen = [each.viewpointId for each in state.navigableLocations]
        onward = self.next_viewpoint(state.location.viewpointId)
        on_the_way = onward is not None and self.teacher(state) is Nav.FORWARD
        simulator.makeAction(seen.index(onward) if on_the_way else min(1, len(seen) - 1), 0, 0)


def simulator_for(house: House, folder: Path) -> Simulator:
    write_connectivity(folder / f"{house.name}_connectivity.json", house)
    simulator = Simulator()
    simulator.setRenderingEnabled(False)
    simulator.setDiscretizedViewingAngles(True)
    simulator.setCameraResolution(640, 480)
    simulator.setCameraVFOV(math.radians(60))
    simulator.setNavGraphPath(str(folder))
    simulator.init()
    return simulator


@pytest.mark.parametrize(("size", "seed"), [(20, 1), (60, 2), (120, 3), (200, 4)])
def test_random_walks_and_the_teachers_advice_are_the_same_in_both(tmp_path: Path, size: int, seed: int) -> None:
    house = scattered_house("scattered", size, seed)
    random = torch.Generator().manual_seed(seed)
    goals = [house.viewpoints[int(i)].id for i in torch.randint(0, size, (3,), generator=random)]
    environment = Environment.compile(World.compile([house]), [("scattered", goals)])
    reference, simulator, goal_set = Reference(house, goals), simulator_for(house, tmp_path), torch.tensor([0])
    for _ in range(20):
        viewpoint, view = (
            int(torch.randint(0, size, (), generator=random)),
            int(torch.randint(0, VIEWS, (), generator=random)),
        )
        row, heading = divmod(view, HEADINGS)
        simulator.newEpisode(house.name, house.viewpoints[viewpoint].id, heading * TURN, (row - 1) * TURN)
        pose = torch.tensor([viewpoint * VIEWS + view])
        for _ in range(25):
            state = simulator.getState()
            assert divmod(int(pose), VIEWS) == (state.location.ix, state.viewIndex)
            assert bool(environment.blocked(pose)) == (len(state.navigableLocations) == 1)
            assert Nav(int(environment.nav_teacher(pose, goal_set))) is reference.teacher(state)
            action = Nav(int(torch.randint(0, len(Nav), (), generator=random)))
            pose = environment.step(pose, torch.tensor([action]), goal_set)
            reference.act(simulator, action)
        plan = until_stop(TemplateAdvisor(k=5)(environment, pose, goal_set).plan[0].tolist())
        for expected in plan:
            assert reference.teacher(simulator.getState()) is expected
            reference.act(simulator, expected)
