"""The compiled world: houses as look-up tables, so that a step of any number of agents is a few gathers.

A pose is one integer, `pose = 36·viewpoint + view`: a viewpoint of some house and one of 36 views (`vnla.camera`).
Viewpoints are numbered through all houses together, in the order of the houses and of their files; excluded ones have no
number.

`World` holds what a building alone determines. `Environment` adds the goals of the tasks: it is the transition function T of
the paper's section 4, which needs them because `forward` does (section 5): it takes the agent to the next viewpoint of the
shortest path to its nearest goal if the navigation teacher would go forward there, else to the viewpoint closest to the
centre of the view. A world can also be compiled with a plain `forward`, which does not know the goal and always goes to that
viewpoint. No method touches the host; all tables move together with `to`.

Of goals at the same distance the one listed first is the nearest; ties between paths: `vnla.world.graph`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vnla.camera import HEADINGS, ROWS, VIEWS, Ints, Relative
from vnla.common.capture import fused
from vnla.common.errors import InputError
from vnla.houses.house import House
from vnla.houses.rooms import ROOM_LABELS
from vnla.world.actions import FORWARD, NAV_ACTIONS, Nav
from vnla.world.forward import INFORMED, check_forward
from vnla.world.graph import Graph, nearest_targets
from vnla.world.nav_teacher import action_toward, plain_action_toward

Device = torch.device | str
Tables = TypeVar("Tables", "World", "Environment")

NOWHERE = -1
"""Stands for "no viewpoint" and "no pose" in the tables."""
NO_ROOM = -1
"""Stands for a place that is in no room, or in one without a label."""

_ROOM_NUMBER = {label: i for i, label in enumerate(ROOM_LABELS)}


@dataclass(frozen=True)
class World:
    """The tables of any number of houses. `edges` below counts both directions; table row `edges` is "stay and stop"."""

    houses: tuple[str, ...]
    ids: tuple[str, ...]  # of all viewpoints
    graphs: tuple[Graph, ...]  # of the houses, on the host, in float64
    rooms: Tensor  # (viewpoints,), which of `ROOM_LABELS` each is in, or NO_ROOM
    first: Tensor  # (houses + 1,), number of each house's first viewpoint, and of all viewpoints
    row: Tensor  # (viewpoints,), so that `row[here] + there` is the place of a pair of one house in the next two tables
    distance: Tensor  # (pairs,), float32, metres
    hop: Tensor  # (pairs,), the next viewpoint on the shortest path
    longest: int  # viewpoints on the longest of all shortest paths
    source: Tensor  # (edges,)
    target: Tensor  # (edges,)
    toward: Tensor  # ((edges + 1)·36,), the navigation teacher's action at each view when that edge is the one to take
    arrive: Tensor  # ((edges + 1)·36,), the pose after forward along that edge, or NOWHERE if forward goes elsewhere
    ahead: Tensor  # (poses,), the viewpoint nearest to the centre of the view, or NOWHERE
    blocked: Tensor  # (poses,), whether nothing is in view, so that forward is disabled
    after: Tensor  # (poses·6,), the pose after each action when there is no goal
    forward: str = INFORMED

    @classmethod
    def compile(cls, houses: Sequence[House], device: Device = "cpu", forward: str = INFORMED) -> World:
        """Tables for `houses` together, where `forward` is one of `FORWARDS`."""
        check_forward(forward)
        if not houses:
            raise InputError("a world needs at least one house")
        names = tuple(house.name for house in houses)
        if len(set(names)) < len(names):
            raise InputError(f"house {_first_repeated(names)}: given twice")
        graphs = [Graph.of(house) for house in houses]
        rooms = torch.tensor([each for pair in zip(houses, graphs, strict=True) for each in _rooms(*pair)])
        return cls._of(names, [_Tables.of(graph, forward) for graph in graphs], rooms, forward).to(device)

    def with_forward(self, forward: str) -> World:
        """The same world where `forward` is another of `FORWARDS`."""
        check_forward(forward)
        if forward == self.forward:
            return self
        tables = [_Tables.of(graph.along_all(), forward) for graph in self.graphs]
        return self._of(self.houses, tables, self.rooms, forward).to(self.device)

    @classmethod
    def _of(cls, names: tuple[str, ...], tables: Sequence[_Tables], rooms: Tensor, forward: str) -> World:
        graphs = tuple(each.graph for each in tables)
        first = np.cumsum([0, *(len(graph.ids) for graph in graphs)])
        sizes = np.diff(first)
        pairs = np.cumsum([0, *sizes**2])
        rows = [pairs[i] - first[i] + np.arange(size) * size for i, size in enumerate(sizes)]
        source, target = (
            np.concatenate([getattr(graph, end) + first[i] for i, graph in enumerate(graphs)])
            for end in ("source", "target")
        )
        stop_row = np.full((1, VIEWS), Nav.STOP, dtype=np.int8)
        toward = np.concatenate([*(each.toward for each in tables), stop_row])
        ahead = np.concatenate([np.where(each.ahead < 0, NOWHERE, each.ahead + first[i]) for i, each in enumerate(tables)])
        onward = (toward == Nav.FORWARD) & (forward == INFORMED)
        arrive = np.where(onward, np.append(target, 0)[:, None] * VIEWS + np.arange(VIEWS), NOWHERE)
        return cls(
            houses=names,
            ids=tuple(name for graph in graphs for name in graph.ids),
            graphs=graphs,
            rooms=rooms,
            first=torch.from_numpy(first),
            row=torch.from_numpy(np.concatenate(rows)),
            distance=torch.from_numpy(np.concatenate([graph.distance.ravel() for graph in graphs]).astype(np.float32)),
            hop=torch.from_numpy(np.concatenate([graph.hop.ravel() + first[i] for i, graph in enumerate(graphs)])),
            longest=max(graph.longest_path() for graph in graphs),
            source=torch.from_numpy(source),
            target=torch.from_numpy(target),
            toward=torch.from_numpy(toward.ravel()),
            arrive=torch.from_numpy(arrive.ravel()),
            ahead=torch.from_numpy(ahead.ravel()),
            blocked=torch.from_numpy(ahead.ravel() == NOWHERE),
            after=torch.from_numpy(_after(ahead).ravel()),
            forward=forward,
        )

    def to(self, device: Device) -> World:
        """The same world with its tables on `device`."""
        return _moved(self, device)

    @property
    def device(self) -> torch.device:
        """Where the tables are."""
        return self.first.device

    @property
    def nbytes(self) -> int:
        """Size of all tables in bytes."""
        return sum(table.nbytes for table in vars(self).values() if isinstance(table, Tensor))

    @cached_property
    def firsts(self) -> list[int]:
        """`first` on the host: whoever looks up a hundred thousand viewpoints does not ask a device each time."""
        firsts: list[int] = self.first.tolist()
        return firsts

    def house(self, name: str) -> int:
        """The number of a house."""
        try:
            return self.houses.index(name)
        except ValueError:
            raise InputError(f"house {name}: not in this world of {len(self.houses)} houses") from None

    def viewpoint(self, house: str, viewpoint: str) -> int:
        """The number of a viewpoint from the name of its house and its id."""
        index = self.house(house)
        try:
            return self.firsts[index] + self.graphs[index].ids.index(viewpoint)
        except ValueError:
            raise InputError(f"house {house}: no included viewpoint {viewpoint}") from None

    def distance_between(self, here: Tensor, there: Tensor) -> Tensor:
        """Metres along the shortest path between viewpoints of one house."""
        return look_up(self.distance, self.row[here] + there)

    def path(self, here: Tensor, there: Tensor) -> Tensor:
        """The viewpoints of the shortest path, its last one repeated up to the length of the longest: (…, longest)."""
        path = [here]
        for _ in range(self.longest - 1):
            path.append(look_up(self.hop, look_up(self.row, path[-1]) + there))
        return torch.stack(path, dim=-1)

    def ways(self) -> Tensor:
        """The edge to take from each viewpoint to each of its house, to itself the row of "stay": (pairs,), as `hop`."""
        sizes = self.first.diff()
        here = torch.arange(len(self.ids), device=self.device).repeat_interleave(sizes.repeat_interleave(sizes))
        return torch.from_numpy(_edge_numbers(self)(here.cpu().numpy(), self.hop.cpu().numpy())).to(self.device)


def look_up(table: Tensor, index: Tensor) -> Tensor:
    """`table[index]` for a table of one dimension; `gather` does it in a third of the time that indexing takes on a CPU."""
    if index.dim() == 1:
        return table.gather(0, index)
    return table.gather(0, index.reshape(-1)).reshape(index.shape)


def viewpoint_of(pose: Tensor) -> Tensor:
    """The viewpoint of a pose."""
    return torch.div(pose, VIEWS, rounding_mode="floor")


def view_of(pose: Tensor) -> Tensor:
    """The view of a pose."""
    return torch.remainder(pose, VIEWS)


@dataclass(frozen=True)
class Environment:
    """A world with goals in it. An agent's `goals` is the number of a goal set: a house and some of its viewpoints.

    `goals` and `nearest` count in the order in which the sets and their goals were given.
    """

    world: World
    start: Tensor  # (goal sets,), so that `start[goals] + viewpoint` is a place in the next three tables
    way: Tensor  # (rows,), the edge to take; the last row of the world's edge tables at a goal and where none can be reached
    left: Tensor  # (rows,), float32, metres to the nearest goal
    nearest: Tensor  # (rows,), which goal of the set the way leads to: that one, unless a plain `forward` cannot go there so
    goal_viewpoints: Tensor  # (goal sets, most goals), the last goal repeated

    @classmethod
    def compile(cls, world: World, goal_sets: Iterable[tuple[str, Sequence[str]]]) -> Environment:
        """Tables for goal sets, each the name of a house and the ids of goal viewpoints in it."""
        starts, heres, theres, closest, nearests, goals = [], [], [], [], [], []
        rows = 0
        for house, ids in goal_sets:
            if not ids:
                raise InputError(f"house {house}: a task needs at least one goal viewpoint")
            index = world.house(house)
            base = world.firsts[index]
            viewpoints = [world.viewpoint(house, each) for each in ids]
            goal = np.array(viewpoints)
            graph = world.graphs[index]
            nearest = graph.walked[:, goal - base].argmin(axis=1)  # (viewpoints of the house,)
            closest.append(goal[graph.distance[:, goal - base].argmin(axis=1)])
            starts.append(rows - base)
            heres.append(np.arange(base, base + len(nearest)))
            theres.append(goal[nearest])
            nearests.append(nearest)
            goals.append(viewpoints)
            rows += len(nearest)
        if not starts:
            raise InputError("an environment needs at least one goal set")
        host = world.to("cpu")
        here, there = np.concatenate(heres), np.concatenate(theres)  # (rows,)
        row = host.row[torch.from_numpy(here)]
        most = max(map(len, goals))
        environment = cls(
            world=host,
            start=torch.tensor(starts),
            way=torch.from_numpy(_edge_numbers(host)(here, host.hop[row + torch.from_numpy(there)].numpy())),
            left=host.distance[row + torch.from_numpy(np.concatenate(closest))],
            nearest=torch.from_numpy(np.concatenate(nearests)),
            goal_viewpoints=torch.from_numpy(np.array([each + each[-1:] * (most - len(each)) for each in goals])),
        )
        return environment.to(world.device)

    @classmethod
    def aimless(cls, world: World) -> Environment:
        """Without goals: the goal set of a house has its number, nobody is ever there, and the teacher stops."""
        nowhere = torch.zeros_like(world.row)
        return cls(
            world=world,
            start=torch.zeros_like(world.first[:-1]),
            way=nowhere + len(world.source),
            left=torch.full_like(nowhere, torch.inf, dtype=torch.float32),
            nearest=nowhere,
            goal_viewpoints=world.first[:-1, None],
        )

    @classmethod
    def everywhere(cls, world: World) -> Environment:
        """With every viewpoint as a goal of its own: the number of its goal set is its number."""
        sizes = world.first.diff()
        goal = torch.arange(len(world.ids), device=world.device).repeat_interleave(sizes.repeat_interleave(sizes))
        here = torch.arange(len(goal), device=world.device) - world.row[goal]
        onward = world.row[here] + goal
        return cls(
            world=world,
            start=world.row,
            way=world.ways()[onward],
            left=world.distance[onward],
            nearest=torch.zeros_like(goal),
            goal_viewpoints=torch.arange(len(world.ids), device=world.device)[:, None],
        )

    def to(self, device: Device) -> Environment:
        """The same environment with its tables, and the world's, on `device`."""
        return replace(_moved(self, device), world=self.world.to(device))

    def step(self, pose: Tensor, action: Tensor, goals: Tensor) -> Tensor:
        """The transition function: the pose after `action`. `stop`, and `forward` with nothing in view, change nothing."""
        world = self.world
        onward = look_up(world.arrive, self._way_and_view(pose, goals))
        moved = look_up(world.after, torch.add(action, pose, alpha=NAV_ACTIONS))
        return torch.where((action == FORWARD) & (onward != NOWHERE), onward, moved)

    def nav_teacher(self, pose: Tensor, goals: Tensor) -> Tensor:
        """The navigation teacher's action (`vnla.world.nav_teacher`)."""
        return look_up(self.world.toward, self._way_and_view(pose, goals)).long()

    def taught_way(self, pose: Tensor, goals: Tensor, count: int) -> tuple[list[Tensor], list[Tensor]]:
        """So many of the navigation teacher's next actions, and the poses on the way, one more: the first is `pose`."""
        actions, poses = [], [pose]
        for _ in range(count):
            actions.append(self.nav_teacher(poses[-1], goals))
            poses.append(self.step(poses[-1], actions[-1], goals))
        return actions, poses

    def blocked(self, pose: Tensor) -> Tensor:
        """Whether `forward` is disabled because nothing is in view."""
        return look_up(self.world.blocked, pose)

    def distance_left(self, pose: Tensor, goals: Tensor) -> Tensor:
        """Metres along the shortest path to the nearest goal."""
        return look_up(self.left, self._row(pose, goals))

    def goal(self, pose: Tensor, goals: Tensor) -> Tensor:
        """The viewpoint of the goal that the navigation teacher leads to."""
        which = look_up(self.nearest, self._row(pose, goals))
        return self.goal_viewpoints[goals].gather(1, which[:, None]).squeeze(1)

    def at_goal(self, pose: Tensor, goals: Tensor) -> Tensor:
        """Whether the agent stands on a goal viewpoint."""
        return self.distance_left(pose, goals) == 0

    @fused
    def paths_from(self, pose: Tensor, goals: Tensor) -> Tensor:
        """The shortest paths from here to every goal of the set: (batch, most goals, longest)."""
        there = self.goal_viewpoints[goals]
        return self.world.path(viewpoint_of(pose)[:, None].expand_as(there), there)

    def distance_to_path(self, pose: Tensor, paths: Tensor, goals: Tensor) -> Tensor:
        """Metres to the nearest viewpoint of the path (one of `paths_from`) that leads to the goal nearest to here."""
        which = look_up(self.nearest, self._row(pose, goals))
        path = paths.gather(1, which[:, None, None].expand(-1, 1, paths.shape[2])).squeeze(1)  # (batch, longest)
        return self.world.distance_between(viewpoint_of(pose)[:, None], path).amin(dim=1)

    def _row(self, pose: Tensor, goals: Tensor) -> Tensor:
        return look_up(self.start, goals) + viewpoint_of(pose)

    def _way_and_view(self, pose: Tensor, goals: Tensor) -> Tensor:
        viewpoint = viewpoint_of(pose)
        way = look_up(self.way, look_up(self.start, goals) + viewpoint)
        return torch.add(pose, way - viewpoint, alpha=VIEWS)  # = 36·way + view


class _Tables(NamedTuple):
    """What is compiled of one house, its viewpoints numbered from 0."""

    graph: Graph
    toward: NDArray[np.int8]
    ahead: Ints

    @classmethod
    def of(cls, graph: Graph, forward: str) -> _Tables:
        look = graph.looks()
        toward, ahead = action_toward(graph, look), ahead_of(graph, look)
        if forward == INFORMED:
            return cls(graph, toward, ahead)
        leads = ahead[graph.source] == graph.target[:, None]  # (edges, 36)
        return cls(graph.along(leads.any(axis=1)), plain_action_toward(toward, leads, look), ahead)


def ahead_of(graph: Graph, look: Relative) -> Ints:
    """For each viewpoint and view the neighbour nearest to the centre of the view, or −1: (viewpoints, 36)."""
    off_centre = np.where(look.visible, np.sqrt(look.heading**2 + look.elevation**2), np.inf)
    return nearest_targets(off_centre, graph.source, graph.target, len(graph.ids))


def _after(ahead: Ints) -> Ints:
    """The pose after each action without a goal: (viewpoints, 36, 6)."""
    here = np.arange(len(ahead))[:, None]
    row, heading = np.divmod(np.arange(VIEWS), HEADINGS)
    views = {
        Nav.LEFT: HEADINGS * row + (heading - 1) % HEADINGS,
        Nav.RIGHT: HEADINGS * row + (heading + 1) % HEADINGS,
        Nav.UP: HEADINGS * np.minimum(row + 1, ROWS - 1) + heading,
        Nav.DOWN: HEADINGS * np.maximum(row - 1, 0) + heading,
        Nav.FORWARD: np.arange(VIEWS),
        Nav.STOP: np.arange(VIEWS),
    }
    return np.stack(
        [np.where((action == Nav.FORWARD) & (ahead != NOWHERE), ahead, here) * VIEWS + views[action] for action in Nav],
        axis=-1,
    )


def _edge_numbers(world: World) -> Callable[[Ints, Ints], Ints]:
    """A function from arrays of neighbouring viewpoints to edge numbers; a viewpoint and itself give the stopping edge."""
    count = len(world.ids)
    keys = (world.source * count + world.target).cpu().numpy()

    def number(here: Ints, there: Ints) -> Ints:
        found = np.searchsorted(keys, here * count + there)
        return np.where(here == there, len(keys), found)

    return number


def _moved(tables: Tables, device: Device) -> Tables:
    names = [each.name for each in fields(tables) if isinstance(getattr(tables, each.name), Tensor)]
    return replace(tables, **{name: getattr(tables, name).to(device) for name in names})


def _rooms(house: House, graph: Graph) -> list[int]:
    """The kind of room that each viewpoint is in."""
    found = [house.room_of(house.number[each]) for each in graph.ids]
    return [NO_ROOM if room is None else _ROOM_NUMBER.get(room.label, NO_ROOM) for room in found]


def _first_repeated(names: Sequence[str]) -> str:
    return next(name for i, name in enumerate(names) if name in names[:i])
