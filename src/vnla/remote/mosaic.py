"""The twelve level headings in one picture, for models that see one picture better than twelve: two rows of six, a label
above each.

The first row is what lies ahead, from 90 degrees to the left to 60 to the right; the second goes on to the right. So what
stands beside each other in a row lies beside each other in the house. Labels say the heading in degrees, and the numbers of
the candidates that are in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from vnla.camera import HEADINGS
from vnla.remote.candidates import DEGREES, Found, sector

COLUMNS = 6
FIRST = -3
"""The heading at the upper left: 90 degrees to the left."""
LABEL = 1 / 8
"""Height of a label, as a share of the width of a view."""


def mosaic(pictures: NDArray[np.uint8], exits: Found) -> NDArray[np.uint8]:
    """One picture of the twelve, (12, height, width, 3), from the agent's own heading to the right."""
    _, height, width, _ = pictures.shape
    band = max(8, round(width * LABEL))
    whole = Image.new("RGB", (COLUMNS * width, HEADINGS // COLUMNS * (height + band)), "white")
    pen = ImageDraw.Draw(whole)
    numbers = _numbers(exits)
    for place in range(HEADINGS):
        turn = (FIRST + place) % HEADINGS
        left, top = place % COLUMNS * width, place // COLUMNS * (height + band)
        whole.paste(Image.fromarray(pictures[turn]), (left, top + band))
        pen.text((left + width // 2, top + band // 2), label(turn, numbers.get(turn, [])), "black", _font(band), "mm")
        pen.rectangle((left, top, left + width - 1, top + band + height - 1), outline="black")
    return np.asarray(whole)


def label(turn: int, numbers: Sequence[int]) -> str:
    """What stands above the view of a heading, `turn` headings to the right of the agent's own."""
    degrees = turn * DEGREES
    where = "ahead" if degrees == 0 else "behind" if degrees == 180 else f"{min(degrees, 360 - degrees)}° "
    where += "" if degrees in (0, 180) else "right" if degrees < 180 else "left"
    return where + (f": go {' or '.join(map(str, numbers))}" if numbers else "")


def _numbers(exits: Found) -> Mapping[int, list[int]]:
    """The candidates in each heading."""
    found: dict[int, list[int]] = {}
    for number, each in enumerate(exits, start=1):
        found.setdefault(sector(each["heading"]), []).append(number)
    return found


@cache
def _font(band: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(round(band * 0.7))
