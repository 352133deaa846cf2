"""The sensor `objects`: which things are in view, by heading, and the ways out of the room, each with its direction.

Everything stands in a table of fixed size that is made once for a world (`vnla.language.objects`), so a step is a
look-up and a rotation. Labels are numbers of `vnla.language.objects.NAMES`, which has the words for each.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import torch
from torch import Tensor

from vnla.agents.agent import Agent
from vnla.agents.sensors import Sensor
from vnla.agents.spotting import AllViews
from vnla.camera import HALF_FIELD, HEADINGS, TURN
from vnla.common.errors import InputError
from vnla.common.randomness import Purpose, episode_key, uniform
from vnla.episode import StepContext
from vnla.language.objects import COLUMNS, FIRST_WAY, SLOTS, world_objects
from vnla.world.compiled import World, view_of, viewpoint_of

METRES = 5.0
"""What distances are divided by."""
DROPPED, CONFUSED = 0.2, 0.1
"""How much of what is in view the noisy detector misses, and how much of the rest it takes for something else."""


@dataclass(frozen=True, eq=False)
class ObjectSensor(Sensor):
    """The objects around the viewpoint in the twelve level headings, and the ways out of the room."""

    FIELDS: ClassVar[tuple[str, ...]] = ("label", "hue", "room", "sine", "cosine", "share", "metres")
    """Of each place for an object; all zeros where there is none. The direction is from the agent's heading, clockwise."""
    size: ClassVar[int] = SLOTS * len(FIELDS)
    own_steps: ClassVar[bool] = True
    note: ClassVar[str] = (
        "a perfect detector: labels, colours, distances, kinds of rooms and doorways, and the kinds of rooms behind them are"
        " read from the house itself, by its object ids and its plan; twelve views are seen at once"
    )
    table: Tensor = field(default_factory=lambda: torch.zeros(0, SLOTS, len(COLUMNS)))
    """(viewpoints, SLOTS, COLUMNS)."""

    def __call__(self, situation: StepContext) -> Tensor:
        """Return the fields of each place, one place after the other."""
        pose = situation.pose
        label, hue, room, bearing, share, metres = self.table[viewpoint_of(pose)].unbind(dim=2)
        turn = torch.deg2rad(bearing) - torch.remainder(view_of(pose), HEADINGS)[:, None] * TURN
        shown = torch.stack([label, hue, room, turn.sin(), turn.cos(), share.sqrt(), metres / METRES], dim=2)
        return (shown * self.in_view(turn, label)[:, :, None]).flatten(1)

    def in_view(self, turn: Tensor, label: Tensor) -> Tensor:  # noqa: ARG002
        """Return which places are shown, by their direction (radians) and label: (batch, SLOTS)."""
        return label > 0

    def ready(self, agent: Agent, world: World, views: AllViews) -> Self:  # noqa: ARG002
        """Return the sensor as it is, where it knows the houses of the world already."""
        if len(self.table) != len(world.ids):
            raise InputError("sensor objects: is made from the houses of a world folder, which are not known here")
        return self

    def ready_in(self, folder: Any, agent: Agent, world: World, views: AllViews) -> Self:  # noqa: ARG002
        """Return the sensor with what is in view in the houses of a world folder."""
        return replace(self, table=self.detected(world_objects(folder, world), world).to(world.device))

    def detected(self, objects: Tensor, world: World) -> Tensor:  # noqa: ARG002
        """Return what is noticed of the objects around every viewpoint, (viewpoints, SLOTS, COLUMNS)."""
        return objects


@dataclass(frozen=True, eq=False)
class ObjectsAhead(ObjectSensor):
    """The objects of the one view that the agent has, as it looks level, and the ways out of the room within it."""

    note: ClassVar[str] = ObjectSensor.note.partition(";")[0]

    def in_view(self, turn: Tensor, label: Tensor) -> Tensor:
        """Return what is within the field of view."""
        return (label > 0) & (turn.cos() >= math.cos(HALF_FIELD))


@dataclass(frozen=True, eq=False)
class NoisyObjects(ObjectSensor):
    """The same as `objects` with a detector that misses a fifth of what is in view, and takes a tenth of the things for
    others; always the same at a viewpoint."""

    note: ClassVar[str] = (
        f"{ObjectSensor.note.removeprefix('a perfect detector: ')}; what it misses and mistakes is drawn at random"
    )

    def detected(self, objects: Tensor, world: World) -> Tensor:
        """Return the objects that are not missed, some with another label. Ways out are missed, but never mistaken."""
        keys = torch.tensor([episode_key(f"{house} {each}") for house, each in _places(world)])[:, None]
        place = torch.arange(SLOTS)
        missed, mistaken, other = (uniform(0, keys, Purpose.DETECTION, place + SLOTS * draw) for draw in range(3))
        label = objects[:, :, 0]
        mistaken = (mistaken < CONFUSED) & (label > 0) & (label < FIRST_WAY)
        taken_for = 1 + torch.remainder(label + (other * (FIRST_WAY - 2)).floor().float(), FIRST_WAY - 1)
        label = torch.where(mistaken, taken_for, label)
        return torch.cat([label[:, :, None], objects[:, :, 1:]], dim=2) * (missed >= DROPPED)[:, :, None]


def _places(world: World) -> list[tuple[str, str]]:
    """House and id of every viewpoint."""
    return [(house, each) for house, graph in zip(world.houses, world.graphs, strict=True) for each in graph.ids]
