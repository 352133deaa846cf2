"""The look that one house has throughout: palette, floors, walls, wood, metal and light."""

from __future__ import annotations

from dataclasses import dataclass

from vnla.houses.scene import Colour, Material

_UNITS = Material((0.90, 0.90, 0.88), gloss=0.2)
_WORKTOP = Material((0.30, 0.30, 0.31), "stone", scale=0.5, gloss=0.3)


@dataclass(frozen=True)
class Style:
    """Materials and colours of one house; `walls`, `floors` and `ceiling` are by room label, with "" for all others."""

    name: str
    walls: dict[str, Material]
    floors: dict[str, Material]
    ceiling: Material
    outside: Material
    trim: Material
    doors: Material
    wood: tuple[Material, ...]
    fabric: tuple[Material, ...]
    metal: Material
    accent: tuple[Colour, ...]
    light_colour: Colour
    light_power: float
    sun: tuple[float, float, float]
    sky: Colour = (0.62, 0.76, 0.92)
    units: Material = _UNITS
    """Fronts of kitchen and bathroom units, the same throughout a house."""
    worktop: Material = _WORKTOP

    def wall(self, label: str) -> Material:
        """The walls of a room."""
        return self.walls.get(label, self.walls[""])

    def floor(self, label: str) -> Material:
        """The floor of a room."""
        return self.floors.get(label, self.floors[""])
