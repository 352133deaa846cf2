"""What a room gets, and in which order it is placed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from random import Random

from vnla.houses.generate.catalogue import CATALOGUE, CatalogueEntry, Furniture
from vnla.houses.generate.catalogue import registry as rules
from vnla.houses.generate.furnish import placing
from vnla.houses.generate.furnish.rows import fit_row
from vnla.houses.generate.furnish.space import Space

ORDINARY_AREA = 16.0
"""Square metres of a room for which the catalogue's numbers are meant."""

LIT_AREA = 18.0
"""Square metres that one lamp on the ceiling lights well."""

_DRAWS = 3
"""How many designs of a piece are tried before a room does without."""


def furnish_room(space: Space) -> None:
    """Fills a room."""
    wanted = wanted_in(space)
    seeds = {label: space.random.getrandbits(32) for label in CATALOGUE}
    job = _RoomFurnisher(space, wanted, seeds)
    fit_row(space, [CATALOGUE[label] for label in wanted.elements() if isinstance(CATALOGUE[label].rule, rules.InRow)])
    job.each(rules.AtWall, rules.InMiddle)
    job.each(rules.Beside, rules.InFront)
    job.windows()
    job.each(rules.OnWall, hosted=True)
    job.each(rules.OnCeiling)
    light_up(space)
    job.each(rules.OnFloor)
    job.each(rules.OnWall)
    job.each(rules.AtAnchor, rules.OnTop)


def wanted_in(space: Space) -> Counter[str]:
    """How many of each label a room would like: the expected number, rounded by chance, more in a large room."""
    label, area = space.room.label, space.area
    larger = min(2.2, max(0.7, math.sqrt(area / ORDINARY_AREA)))
    wanted: Counter[str] = Counter()
    for entry in CATALOGUE.values():
        expected = entry.rooms.get(label, 0.0)
        chance = space.random.random()
        if expected > 0 and area >= entry.area:
            number = expected * larger if expected > 1 or larger > 1.3 else expected
            wanted[entry.label] = int(number) + (chance < number % 1)
    return +wanted


def light_up(space: Space) -> None:
    """Lamps on the ceiling until the room is lit; outdoors there is the sun."""
    if space.room.outdoor:
        return
    entry = CATALOGUE["ceiling lamp"]
    lit = any(isinstance(each.entry.rule, rules.OnCeiling) and each.piece.lights for each in space.stood)
    number = max(1, round(space.area / LIT_AREA))
    if lit and number == 1:
        return
    piece = entry.make(space.random, space.style)
    for x, y in _spread_out(space, number):
        lit = placing.hang_lamp(space, entry, piece, x, y) or lit
    for x, y in [] if lit else _spread_out(space, 25):
        if placing.hang_lamp(space, entry, piece, x, y):
            return


def _spread_out(space: Space, number: int) -> list[tuple[float, float]]:
    """Points evenly over a room: one in the middle, two along its length, more in a grid."""
    inner = space.inner
    across = max(1, round(math.sqrt(number * inner.width / inner.depth)))
    along = max(1, math.ceil(number / across))
    return [
        (inner.west + inner.width * (i + 0.5) / across, inner.south + inner.depth * (j + 0.5) / along)
        for i in range(across)
        for j in range(along)
    ]


class _RoomFurnisher:
    """The things that a room still wants."""

    def __init__(self, space: Space, wanted: Counter[str], seeds: dict[str, int]) -> None:
        self.space, self.wanted, self.seeds = space, wanted, seeds
        self.order = sorted((CATALOGUE[label] for label in wanted), key=lambda entry: entry.rank)

    def each(self, *rules: type, hosted: bool = False) -> None:
        """Places everything that follows one of these rules; `hosted` limits it to what goes above something."""
        for entry in self.order:
            if isinstance(entry.rule, rules) and not (hosted and not getattr(entry.rule, "above", ())):
                self._all(entry)

    def windows(self) -> None:
        """People dress the windows of a room alike: all or none."""
        for entry in self.order:
            if isinstance(entry.rule, rules.AtWindow) and self.wanted[entry.label] > 0:
                for window in self.space.windows():
                    placing.at_window(self.space, entry, entry.rule, window, Random(self.seeds[entry.label]))

    def _all(self, entry: CatalogueEntry) -> None:
        while self.wanted[entry.label] > 0:
            self.wanted[entry.label] -= 1
            before = len(self.space.stood)
            if not self._one(entry):
                return
            self._company(self.space.stood[before].entry.label)

    def _company(self, host: str) -> None:
        """What stands around a piece comes right after it, before its place is taken."""
        for entry in self.order:
            if isinstance(entry.rule, rules.Beside | rules.InFront | rules.AtAnchor) and host in entry.rule.hosts:
                if isinstance(entry.rule, rules.AtAnchor) and entry.category[1] not in (
                    "chair",
                    "stool",
                    "seating",
                    "towel",
                ):
                    continue
                self._all(entry)

    def _one(self, entry: CatalogueEntry) -> bool:
        """One piece, of another design where the first does not fit."""
        rule = entry.rule
        if isinstance(rule, rules.OnFloor):
            return placing.on_floor(self.space, entry, rule, Random(self.seeds[entry.label]))
        for attempt in range(_DRAWS):
            random = Random(self.seeds[entry.label] + attempt) if alike(entry) else self.space.random
            if place(self.space, entry, entry.make(random, self.space.style), attempt):
                return True
        return isinstance(rule, rules.AtWall) and entry.rank <= 2 and self._squeezed(entry, rule)

    def _squeezed(self, entry: CatalogueEntry, rule: rules.AtWall) -> bool:
        """What a room should not be without goes where it can, in the smallest of a few designs."""
        designs = [entry.make(self.space.random, self.space.style) for _ in range(4)]
        piece = min(designs, key=lambda design: design.size[0] * design.size[1])
        return placing.anywhere(self.space, entry, piece, 0.5 * rule.clear)


def alike(entry: CatalogueEntry) -> bool:
    """Whether all of a label in a room are of one design: chairs at a table, lamps, bedside tables."""
    if isinstance(entry.rule, rules.AtAnchor):
        return entry.category[1] in ("chair", "stool", "seating")
    return isinstance(entry.rule, rules.Beside) or entry.category[1] == "lighting"


_PLACERS: dict[type, Callable[..., bool]] = {
    rules.AtWall: placing.at_wall,
    rules.InMiddle: placing.in_middle,
    rules.Beside: placing.beside,
    rules.InFront: placing.in_front,
    rules.AtAnchor: placing.at_anchor,
    rules.OnTop: placing.on_top,
    rules.OnWall: placing.on_wall,
    rules.OnCeiling: placing.on_ceiling,
}


def place(space: Space, entry: CatalogueEntry, piece: Furniture, attempt: int) -> bool:
    """Try one piece by its rule; at the anchors of a host another design would fit no better than the first."""
    placer = _PLACERS.get(type(entry.rule))
    if placer is None or (attempt > 0 and isinstance(entry.rule, rules.AtAnchor)):
        return False
    return placer(space, entry, piece, entry.rule)
