"""Sensors of the panorama track: what is all around the viewpoint, the exits that leave it, and the places visited before.

The paper's agent sees one view at a time and has to turn to look. With these sensors an agent sees all twelve level headings
of its viewpoint at once. Each view is projected once, when a world is loaded, so a step is a look-up. Headings are counted
from the agent's own to the right; an agent that looks up or down is shown the level views all the same.

Places are recognised exactly, by the numbers of viewpoints; nothing is shown of a place before the agent has stood there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import one_hot

from vnla.agents.agent import Agent
from vnla.agents.sensors import Sensor, Spotted
from vnla.agents.spotting import AllViews, legible, seen_in
from vnla.camera import HEADINGS, LEVEL_ROW, TURN, VIEWS
from vnla.common.errors import InputError
from vnla.episode import StepContext
from vnla.observation import ENCODERS
from vnla.world.actions import STOP, Nav
from vnla.world.budgets import LONGEST_EPISODE
from vnla.world.compiled import NOWHERE, World, look_up, view_of, viewpoint_of

PROJECTED = 64
"""Numbers that a view is projected to."""
MOST_EXITS = 16
"""Exits of a viewpoint that are shown: where there are more, the nearest."""
METRES = 5.0
"""What distances are divided by."""


def level_poses(pose: Tensor) -> Tensor:
    """Return the poses of the twelve level views at each viewpoint, from the present heading to the right: (batch, 12)."""
    heading = torch.remainder(view_of(pose), HEADINGS)
    around = torch.remainder(heading[:, None] + torch.arange(HEADINGS, device=pose.device), HEADINGS)
    return viewpoint_of(pose)[:, None] * VIEWS + LEVEL_ROW * HEADINGS + around


@dataclass(frozen=True, eq=False)
class PanoramaSensor(Sensor):
    """The twelve level headings: each view by a fixed random projection, and whether an exit is within its field of view.

    The projection depends on the size of the features alone, so nothing has to be learned or stored.
    """

    rows: ClassVar[tuple[int, ...]] = (LEVEL_ROW,)
    """The elevations that are shown, one after the other."""
    size: ClassVar[int] = HEADINGS * (PROJECTED + 1)
    own_steps: ClassVar[bool] = True
    table: Tensor = field(default_factory=lambda: torch.zeros(0, PROJECTED + 1))
    """(viewpoints·rows·12, PROJECTED + 1), half precision."""

    def __call__(self, situation: StepContext) -> Tensor:
        """Return the numbers of each view, one heading after the other."""
        heading = level_poses(situation.pose) % HEADINGS  # (batch, 12)
        views = torch.cat([row * HEADINGS + heading for row in range(len(self.rows))], dim=1)
        first = viewpoint_of(situation.pose)[:, None] * len(self.rows) * HEADINGS
        shown: Tensor = self.table[first + views].flatten(1).float()
        return shown

    def ready(self, agent: Agent, world: World, views: AllViews) -> Self:  # noqa: ARG002
        """Return the sensor with every view that it shows of the world projected."""
        which = torch.cat([torch.arange(row * HEADINGS, (row + 1) * HEADINGS) for row in self.rows]).to(world.device)
        tables = []
        for house, (first, last) in enumerate(pairwise(world.firsts)):
            rows = (torch.arange(last - first, device=world.device)[:, None] * VIEWS + which).flatten()
            seen = seen_in(world, views, house, rows)
            exits = ~world.blocked[first * VIEWS + rows]
            tables.append(torch.cat([seen @ projection(seen.shape[1]).to(seen), exits[:, None]], dim=1).half())
        return replace(self, table=torch.cat(tables))


@dataclass(frozen=True, eq=False)
class SphereSensor(PanoramaSensor):
    """All 36 views: the level headings as `PanoramaSensor` shows them, then those down, then those up."""

    rows: ClassVar[tuple[int, ...]] = (LEVEL_ROW, 0, 2)
    size: ClassVar[int] = VIEWS * (PROJECTED + 1)


@dataclass(frozen=True, eq=False)
class LevelViews(Sensor):
    """The features of the twelve level headings as they are, which policies observe as `views`.

    They are all features that there are, but pictures and words. Feature dropout leaves them as they are.
    """

    size: ClassVar[int] = HEADINGS  # of features of one number
    own_steps: ClassVar[bool] = True
    views: AllViews = field(default_factory=dict)

    def __call__(self, situation: StepContext) -> Tensor:
        """Return the features of each heading, one heading after the other."""
        poses = level_poses(situation.pose)
        shown: list[Tensor] = [view[poses].float() for view in self.views.values()]  # (batch, 12, size) each
        return torch.cat(shown, dim=2).flatten(1)

    def size_with(self, views: AllViews) -> int:
        """Return twelve times the size of the features."""
        size = sum(view.shape[1] for view in _numbers(views).values())
        if not size:
            raise InputError(f"views: are features of views, but there is {', '.join(views)}; name some in --features")
        return HEADINGS * size

    def ready(self, agent: Agent, world: World, views: AllViews) -> LevelViews:  # noqa: ARG002
        """Return the sensor with the features of the world."""
        return replace(self, views=_numbers(views))


def _numbers(views: AllViews) -> AllViews:
    """Return those of the views that are neither words nor pictures."""
    return {name: view for name, view in legible(views).items() if name not in ENCODERS}


def projection(size: int) -> Tensor:
    """Return the matrix that projects features of that size, always the same: (size, PROJECTED)."""
    drawn = torch.randn(size, PROJECTED, generator=torch.Generator().manual_seed(size))
    return drawn / math.sqrt(size)


@dataclass(frozen=True, eq=False)
class SpottedAround(Spotted):
    """How sure the agent is of the object and of the kind of room in each of the twelve level headings (`Spotted`)."""

    size: ClassVar[int] = 2 * HEADINGS

    def __call__(self, situation: StepContext) -> Tensor:
        """Return both probabilities of each heading, one heading after the other."""
        rows, sought = level_poses(situation.pose), situation.episodes.sought
        return self.of(sought.repeat_interleave(HEADINGS, dim=0), self.chances, rows.flatten()).reshape(len(rows), -1)


@dataclass(frozen=True)
class ExitTables:
    """The exits of every viewpoint of a world, `MOST_EXITS` places each."""

    edge: Tensor  # (viewpoints·exits,), edge of the world, that of "stay" where there is none
    target: Tensor  # (viewpoints·exits,), viewpoint, or NOWHERE
    bearing: Tensor  # (viewpoints·exits,), radians, clockwise from north
    elevation: Tensor  # (viewpoints·exits,), radians
    distance: Tensor  # (viewpoints·exits,), metres
    toward: Tensor  # ((edges + 1)·36,), the action that brings an agent onto the edge (`World.toward`)

    @classmethod
    def of(cls, world: World) -> ExitTables:
        """Return the tables of a world; of more exits than there are places the nearest are kept."""
        position = np.concatenate([graph.position for graph in world.graphs])
        source, target = world.source.cpu().numpy(), world.target.cpu().numpy()
        offset = position[target] - position[source]
        flat = np.hypot(offset[:, 0], offset[:, 1])
        length = np.hypot(flat, offset[:, 2])
        order = np.lexsort((length, source))
        place = np.arange(len(order)) - np.searchsorted(source[order], source[order])
        kept = order[place < MOST_EXITS]
        slot = source[kept] * MOST_EXITS + place[place < MOST_EXITS]
        columns = {
            "edge": (np.arange(len(source)), len(source)),
            "target": (target, NOWHERE),
            "bearing": (np.arctan2(offset[:, 0], offset[:, 1]).astype(np.float32), 0),
            "elevation": (np.arctan2(offset[:, 2], flat).astype(np.float32), 0),
            "distance": (length.astype(np.float32), 0),
        }
        tables = {}
        for name, (values, empty) in columns.items():
            table = np.full(len(world.ids) * MOST_EXITS, empty, dtype=values.dtype)
            table[slot] = values[kept]
            tables[name] = torch.from_numpy(table).to(world.device)
        return cls(**tables, toward=world.toward)

    def places(self, viewpoint: Tensor) -> Tensor:
        """Return where the exits of viewpoints (…,) stand in the tables: (…, exits)."""
        return viewpoint[..., None] * MOST_EXITS + torch.arange(MOST_EXITS, device=viewpoint.device)

    def first_action(self, place: Tensor, pose: Tensor) -> Tensor:
        """Return the action with which each agent sets out for its exits: (batch, exits), `stop` where there is none."""
        return look_up(self.toward, look_up(self.edge, place) * VIEWS + view_of(pose)[:, None]).long()


def _no_exits() -> ExitTables:
    whole, numbers = torch.zeros(0, dtype=torch.int64), torch.zeros(0)
    return ExitTables(whole, whole, numbers, numbers, numbers, whole)


@dataclass(frozen=True, eq=False)
class Exits(Sensor):
    """The ways that leave the viewpoint: where each leads to, and the action with which to set out for it."""

    FIELDS: ClassVar[tuple[str, ...]] = (
        "present", "heading", "sine", "cosine", "elevation", "distance", "visited", "last", *(f"by_{i}" for i in range(5)),
    )  # fmt: skip
    """Of each exit: `heading` is which of the panorama's headings it is in, `last` whether the agent came from there."""
    size: ClassVar[int] = MOST_EXITS * len(FIELDS)
    remembers: ClassVar[bool] = True
    own_steps: ClassVar[bool] = True
    tables: ExitTables = field(default_factory=_no_exits)

    def __call__(self, situation: StepContext) -> Tensor:
        """Return the fields of each exit, one exit after the other; zeros where there is none."""
        pose, tables = situation.pose, self.tables
        place = tables.places(viewpoint_of(pose))
        target = look_up(tables.target, place)
        past, here = viewpoint_of(situation.past), viewpoint_of(pose)
        walked = situation.past >= 0
        visited = ((past[:, None] == target[:, :, None]) & walked[:, None]).any(dim=2)
        last = target == _last_place(past, walked, here)[:, None]
        turn = look_up(tables.bearing, place) - torch.remainder(view_of(pose), HEADINGS)[:, None] * TURN
        heading = torch.remainder(torch.round(turn / TURN), HEADINGS)
        numbers = [
            torch.ones_like(turn), heading, turn.sin(), turn.cos(), look_up(tables.elevation, place),
            look_up(tables.distance, place) / METRES, visited, last,
        ]  # fmt: skip
        by = one_hot(tables.first_action(place, pose), STOP + 1)[:, :, :STOP]
        found = torch.cat([torch.stack([each.float() for each in numbers], dim=2), by.float()], dim=2)
        return (found * (target != NOWHERE)[:, :, None]).flatten(1)

    def ready(self, agent: Agent, world: World, views: AllViews) -> Exits:  # noqa: ARG002
        """Return the sensor with the exits of the world."""
        return replace(self, tables=ExitTables.of(world))


def listed_exits(numbers: Tensor) -> list[dict[str, Any]]:
    """Return what the sensor `exits` says of one episode, (size,), as it is observed one at a time: a dictionary an exit.

    `heading` is in degrees from the agent's own, right positive, and `elevation` from the horizon; `action` sets out for it.
    """
    rows = numbers.reshape(-1, len(Exits.FIELDS))
    return [_listed(dict(zip(Exits.FIELDS, row, strict=True))) for row in rows.tolist() if row[0]]


def _listed(exit_fields: dict[str, float]) -> dict[str, Any]:
    by = max(range(STOP), key=lambda action: exit_fields[f"by_{action}"])
    return {
        "heading": round(math.degrees(math.atan2(exit_fields["sine"], exit_fields["cosine"])), 1),
        "elevation": round(math.degrees(exit_fields["elevation"]), 1),
        "metres": round(exit_fields["distance"] * METRES, 2),
        "visited": bool(exit_fields["visited"]),
        "came_from": bool(exit_fields["last"]),
        "action": Nav(by).name.lower(),
    }


def _last_place(past: Tensor, walked: Tensor, here: Tensor) -> Tensor:
    """Return the viewpoint from which each agent came to where it is, or NOWHERE: (batch,)."""
    step = torch.arange(past.shape[1], device=past.device)
    when = torch.where(walked & (past != here[:, None]), step, -1).amax(dim=1)
    found = past.gather(1, when.clamp(min=0)[:, None]).squeeze(1)
    return torch.where(when >= 0, found, NOWHERE)


@dataclass(frozen=True, eq=False)
class Places(Sensor):
    """The places visited before, as a graph: how far back each is, how many of its exits were never taken, and the action
    with which to set out for it along ways that the agent knows."""

    FIELDS: ClassVar[tuple[str, ...]] = ("present", "ago", "hops", "unexplored", *(f"by_{i}" for i in range(5)))
    """Of each place, in the order of the steps at which the agent first stood there: `hops` are the moves to go back."""
    size: ClassVar[int] = LONGEST_EPISODE * len(FIELDS)
    remembers: ClassVar[bool] = True
    own_steps: ClassVar[bool] = True
    tables: ExitTables = field(default_factory=_no_exits)

    def __call__(self, situation: StepContext) -> Tensor:
        """Return the fields of each place; zeros at steps at which no new place was reached, and for the present one."""
        pose, walked = situation.pose, situation.past >= 0
        past = torch.where(walked, viewpoint_of(situation.past), NOWHERE)[:, :LONGEST_EPISODE]
        here, walked = viewpoint_of(pose), walked[:, :LONGEST_EPISODE]
        step = torch.arange(past.shape[1], device=past.device)
        earlier = (past[:, :, None] == past[:, None, :]) & (step[None, :] < step[:, None])
        new = walked & (past != here[:, None]) & ~earlier.any(dim=2)
        hop, hops = _ways_back(past, walked, here)
        exits = look_up(self.tables.target, self.tables.places(here))  # (batch, exits)
        first = self.tables.first_action(self.tables.places(here), pose)
        leads = (exits[:, None, :] == hop[:, :, None]) & (exits != NOWHERE)[:, None, :]  # (batch, steps, exits)
        by = (one_hot(first, STOP + 1)[:, None, :, :STOP] * leads[..., None]).sum(dim=2).clamp(max=1)
        beyond = look_up(self.tables.target, self.tables.places(past.clamp(min=0)))  # (batch, steps, exits)
        taken = (beyond[..., None] == torch.cat([past, here[:, None]], dim=1)[:, None, None, :]).any(dim=3)
        unexplored = ((beyond != NOWHERE) & ~taken).sum(dim=2)
        ago = walked.sum(dim=1, keepdim=True) - step
        numbers = [torch.ones_like(ago), ago / LONGEST_EPISODE, hops / METRES, unexplored / METRES]
        found = torch.cat([torch.stack([each.float() for each in numbers], dim=2), by.float()], dim=2) * new[:, :, None]
        return torch.nn.functional.pad(found.flatten(1), (0, self.size - found.shape[1] * found.shape[2]))

    def ready(self, agent: Agent, world: World, views: AllViews) -> Places:  # noqa: ARG002
        """Return the sensor with the exits of the world."""
        return replace(self, tables=ExitTables.of(world))


def _ways_back(past: Tensor, walked: Tensor, here: Tensor) -> tuple[Tensor, Tensor]:
    """Return, for each step of the past, the next viewpoint on a known way from here to the place of that step, and how many
    moves that way has: (batch, steps) each.

    Two ways are known: on from the last time before it that the agent was here, as it walked then; and back, from the first
    time after it. The shorter one counts.
    """
    steps = past.shape[1]
    step = torch.arange(steps, device=past.device).expand_as(past)
    now = walked.sum(dim=1, keepdim=True)  # (batch, 1), the step of the present place
    track = torch.where(step < now, past, here[:, None])  # whatever comes later is here
    at_here = (track == here[:, None]) & (step < now)
    moved = torch.nn.functional.pad((track[:, 1:] != track[:, :-1]).long(), (1, 0)).cumsum(dim=1)
    total = moved.gather(1, (now - 1).clamp(min=0)) + (track.gather(1, (now - 1).clamp(min=0)) != here[:, None]).long()
    before = torch.where(at_here, step, -1).cummax(dim=1).values
    after = torch.where(at_here, step, steps).flip(1).cummin(dim=1).values.flip(1)
    after = torch.where(after == steps, now, after)
    moves = torch.cat([moved, moved[:, -1:]], dim=1).scatter(1, now.clamp(max=steps), total)  # a place for the present
    onward = moved - moves.gather(1, before.clamp(min=0))
    back = moves.gather(1, after) - moved
    is_onward = (before >= 0) & (onward <= back)
    next_onward = track.gather(1, (before + 1).clamp(max=steps - 1))
    next_back = track.gather(1, (after - 1).clamp(min=0))
    return torch.where(is_onward, next_onward, next_back), torch.where(is_onward, onward, back)
