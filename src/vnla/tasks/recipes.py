"""What makes AskNav and NoRoom different: the numbers of section 5 and the appendix."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from vnla.common.errors import InputError
from vnla.common.randomness import episode_key

FEWEST_ACTIONS = 5
MOST_ACTIONS = 25
"""A data point is kept if the teacher needs this many actions to every goal, the final `stop` included."""


class Per(StrEnum):
    """What the number of start viewpoints is counted for, within a bucket."""

    ROOM = "room"
    """Each room that candidates stand in."""
    OBJECT = "object"
    """Each object instance of the bucket."""


@dataclass(frozen=True, slots=True)
class DatasetRecipe:
    """One data set."""

    name: str
    rooms: bool
    """Whether end-goals name the room; it is then part of a bucket."""
    starts: int
    """How many start viewpoints are sampled at most."""
    per: Per
    most: int
    """N of Algorithm 2: how many points of a bucket go to a dev or test set at most."""


ASKNAV = DatasetRecipe("asknav", rooms=True, starts=5, per=Per.ROOM, most=10)
NOROOM = DatasetRecipe("noroom", rooms=False, starts=12, per=Per.OBJECT, most=20)
RECIPES = {recipe.name: recipe for recipe in (ASKNAV, NOROOM)}


def random_for(seed: int, *key: str) -> np.random.Generator:
    """A generator for one purpose: what is drawn for a building never depends on the other buildings."""
    if seed < 0:
        raise InputError(f"seed {seed}: give zero or a positive number")
    return np.random.default_rng([seed, *map(episode_key, key)])
