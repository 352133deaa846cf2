"""What somebody may wish of generated houses: storeys, rooms, floor area, styles, homes or workplaces.

Whoever wishes nothing gets the presets' houses. Wishes are kept with the world, so that its houses can be made again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from vnla.common.errors import InputError
from vnla.houses.generate.plan import FloorPlan
from vnla.houses.generate.styles import FAMILIES

Range = tuple[int, int]

MOST_STOREYS = 3
FEWEST_ROOMS = {1: 8, 2: 11, 3: 15}
"""Storeys → rooms that a house of so many has at least."""
MOST_ROOMS = 80
SMALLEST, LARGEST = 90, 1000
"""Square metres that a house can have."""
AREA_A_ROOM = 14.0
"""Square metres, hallways and stairs among the rooms."""
STYLES = tuple(family.name for family in FAMILIES)
PROGRAMMES = ("home", "workplace")
_RANGES = ("storeys", "rooms", "area")


@dataclass(frozen=True)
class Wishes:
    """Of every house of a world; None and nothing where all is as it comes."""

    storeys: Range | None = None
    rooms: Range | None = None
    area: Range | None = None
    """Square metres indoors, of all storeys."""
    styles: tuple[str, ...] = ()
    programme: str | None = None

    def __post_init__(self) -> None:
        _check("--storeys", self.storeys, 1, MOST_STOREYS)
        _check("--rooms", self.rooms, FEWEST_ROOMS[1], MOST_ROOMS)
        _check("--area", self.area, SMALLEST, LARGEST)
        if self.rooms and self.storeys and self.rooms[1] < FEWEST_ROOMS[self.storeys[0]]:
            raise InputError(
                f"--storeys {self.storeys[0]}: such a house has {FEWEST_ROOMS[self.storeys[0]]} rooms or more;"
                f" --rooms allows {self.rooms[1]}"
            )
        unknown = [style for style in self.styles if style not in STYLES]
        if unknown:
            raise InputError(f"--style {unknown[0]}: unknown; choose from {', '.join(STYLES)}")
        if self.programme is not None and self.programme not in PROGRAMMES:
            raise InputError(f"--programme {self.programme}: unknown; choose from {', '.join(PROGRAMMES)}")

    @classmethod
    def of_json(cls, value: Mapping[str, Any]) -> Wishes:
        """Wishes as `world.json` has them."""
        ranges = {name: (int(each[0]), int(each[1])) for name in _RANGES if (each := value.get(name)) is not None}
        return cls(**ranges, styles=tuple(value.get("styles", ())), programme=value.get("programme"))

    def as_json(self) -> dict[str, Any]:
        """What is not as it comes."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items() if value}

    def options(self) -> str:
        """The options of the command that made them."""
        texts = [f" --{name} {each[0]}..{each[1]}" for name in _RANGES if (each := getattr(self, name))]
        style = f" --style '{','.join(self.styles)}'" if self.styles else ""
        return "".join(texts) + style + (f" --programme {self.programme}" if self.programme else "")

    @property
    def sizes(self) -> Range | None:
        """The fewest and the most rooms that the houses are to have, where that is wished."""
        if self.rooms:
            return self.rooms
        return (
            (max(FEWEST_ROOMS[1], round(self.area[0] / AREA_A_ROOM)), round(self.area[1] / AREA_A_ROOM))
            if self.area
            else None
        )

    def met_by(self, plan: FloorPlan) -> bool:
        """Whether a plan has the rooms and the area."""
        area = sum(room.area.area for room in plan.rooms if not room.outdoor)
        return _within(len(plan.rooms), self.rooms) and _within(area, self.area)


def range_of(text: str | None, option: str) -> Range | None:
    """A range as people type it, if they do: `1..3`, or one number for both."""
    if text is None:
        return None
    low, dots, high = text.partition("..")
    if not low.strip().isdecimal() or (dots and not high.strip().isdecimal()) or (dots and int(high) < int(low)):
        raise InputError(f"{option} {text}: expected a whole number, or two as in 1..3, the smaller one first")
    return int(low), int(high) if dots else int(low)


def _check(option: str, wish: Range | None, least: int, most: int) -> None:
    if wish is not None and not least <= wish[0] <= wish[1] <= most:
        raise InputError(f"{option} {wish[0]}..{wish[1]}: houses can have {least} to {most}")


def _within(value: float, wish: Range | None) -> bool:
    return wish is None or wish[0] <= value <= wish[1]
