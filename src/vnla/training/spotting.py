"""What an agent with the sensor `spotted` learns before all else: to read from single views what is in them.

The labels are those of the training houses of the run alone: what is in view (`vnla.houses.sightings`) and in which kind of
room. In other houses nobody looks at labels; there the probe is what it has learned.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vnla.agents.spotting import AllViews, legible, seen_in
from vnla.camera import HEADINGS, LEVEL_ROW, VIEWS
from vnla.common.errors import InputError
from vnla.common.progress import Share, unheard
from vnla.houses.folder import WorldFolder
from vnla.houses.house import House
from vnla.houses.rooms import in_room
from vnla.houses.sightings import SIGHTING, sightings_in
from vnla.vision.probe import LinearProbe, drawn_visibility, fit_reader, probe_targets
from vnla.world.compiled import World

MOST_VIEWS = 20_000
"""Of the training houses that a probe is fitted to, drawn at random."""
LARGEST_VIEW = 8192
"""Numbers of a view that a probe is fitted to at most: its time grows with their third power."""


def learn_to_read(
    folder: WorldFolder,
    world: World,
    views: AllViews,
    names: Set[str],
    progress: Share = unheard,
    most: int = MOST_VIEWS,
) -> LinearProbe:
    """A probe of the views of some houses of a world, by their names; `progress` is told how many of them have been looked
    at."""
    houses = [house for house in folder.houses if house.name in names]
    labels = _labels(houses)
    _check(folder, views, labels)
    column = {label: i for i, label in enumerate(labels)}
    drawn = _drawn([len(house.stands) * VIEWS for house in houses], most, level=only_level(views))
    features, targets = [], []
    progress(0, len(houses))
    for done, (house, rows, seen) in enumerate(zip(houses, drawn, sightings_in(folder, houses), strict=True), 1):
        number = world.house(house.name)
        features.append(seen_in(world, views, number, torch.from_numpy(rows)).cpu().numpy())
        targets.append(_targets(house, seen.seen, column)[rows])
        progress(done, len(houses))
    number_of = np.repeat(np.arange(len(houses)), [len(rows) for rows in drawn])
    return fit_reader(np.concatenate(features), np.concatenate(targets), labels, number_of)


def _labels(houses: Sequence[House]) -> list[str]:
    """Return what may be read in houses: objects, and kinds of rooms."""
    objects = {thing.label for house in houses for thing in house.objects}
    rooms = {room.name for house in houses for room in house.rooms}
    return [*sorted(objects), *sorted(map(in_room, rooms))]


def _check(folder: WorldFolder, views: AllViews, labels: Sequence[str]) -> None:
    if not labels:
        raise InputError(
            f"{folder.path}: knows neither objects nor rooms, so there is nothing to spot; go without --sensor spotted"
        )
    size = sum(view.shape[1] for view in legible(views).values())
    if not 0 < size <= LARGEST_VIEW:
        raise InputError(
            f"the sensor spotted: reads features of 1 to {LARGEST_VIEW:,} numbers a view, not of {size:,}; choose other"
            " --features"
        )


def only_level(views: AllViews) -> bool:
    """Return whether up and down what is level is shown: then that is all there is to read."""
    return any(not isinstance(view, Tensor) and view.shown for view in legible(views).values())


def _drawn(views: Sequence[int], most: int, *, level: bool) -> list[NDArray[np.int64]]:
    """Return at most so many of the views of houses, drawn from all alike or from all that are level: their places in each
    house, in rising order."""
    first = np.cumsum([0, *views])
    among = np.arange(first[-1])
    among = among[among % VIEWS // HEADINGS == LEVEL_ROW] if level else among
    chosen = np.sort(np.random.default_rng(0).permutation(among)[:most])
    return [chosen[np.searchsorted(chosen, a) : np.searchsorted(chosen, b)] - a for a, b in pairwise(first)]


def _targets(house: House, seen: NDArray[np.void], column: dict[str, int]) -> NDArray[np.bool_]:
    """Return what each view of a house shows, (views, labels)."""
    assert seen.dtype == SIGHTING
    world = World.compile([house])
    found = probe_targets([house], world, drawn_visibility([house], world, lambda _: seen))
    table = np.zeros((len(world.ids) * VIEWS, len(column)), dtype=np.bool_)
    table[:, [column[label] for label in found.labels]] = found.table.reshape(len(table), -1)
    return table
