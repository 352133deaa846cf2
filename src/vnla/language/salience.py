"""Whether somebody would notice a thing in a picture who is told its name: large enough, in the middle rather than at the
edge, and not hidden or cut off.

Pure functions of numbers or of arrays of them, for one thing in one picture each. Whether its name may mean another thing in
the picture is `vnla.language.surroundings.Surroundings.named`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from vnla.camera import HALF_FIELD, VERTICAL_FIELD, Float64
from vnla.houses.house import OrientedBox

ENOUGH = 0.009
"""Share of the picture that a whole thing in the middle has to fill: 61 pixels square of 640 by 480."""
AT_THE_EDGE = 0.5
"""What a thing at the edge of the picture counts where one in the middle counts 1."""
HALF = 0.5
"""Of which less is seen is hidden or cut off."""
SEEN_WELL = 0.85
"""Quantile of the pictures of a thing in which it is seen well."""


class Sighting(NamedTuple):
    """What is seen of a thing in a picture. Numbers or arrays."""

    share: Any  # of the picture
    across: Any  # degrees to the right of the middle
    whole: Any  # how much of it is seen, of what would be seen from there if nothing hid it or cut it off


def salience(seen: Sighting) -> Any:
    """At least 1 where a person would notice a thing, less where not."""
    return seen.share * _central(seen) * _unhidden(seen) / ENOUGH


def reason(seen: Sighting) -> str:
    """Why a person would not notice a thing; nothing where one would."""
    if salience(seen) >= 1:
        return ""
    if seen.share < ENOUGH:
        return "small"
    return "hidden" if _unhidden(seen) < _central(seen) else "at the edge"


def outline_share(box: OrientedBox, offset: Float64) -> Float64:
    """The share of a picture that a box fills from each of several places: (places,). `offset` is from there to its middle,
    (places, 3)."""
    distance = np.maximum(np.linalg.norm(offset, axis=-1), 1e-9)
    axes = np.array([box.axis0, box.axis1, np.cross(box.axis0, box.axis1)])
    a, b, c = box.radii
    area = 4 * np.abs(offset @ axes.T / distance[:, None]) @ np.array([b * c, a * c, a * b])
    solid: Float64 = math.pi * np.arctan2(np.sqrt(area / math.pi), np.maximum(distance, 0.3)) ** 2
    return np.maximum(solid / (2 * HALF_FIELD * VERTICAL_FIELD), 1e-9)


def _central(seen: Sighting) -> Any:
    return 1 - (1 - AT_THE_EDGE) * np.minimum(np.abs(seen.across) / math.degrees(HALF_FIELD), 1)


def _unhidden(seen: Sighting) -> Any:
    return np.minimum(seen.whole / HALF, 1) ** 3
