"""Blocks laid along the hallways of a frame: the rooms of one storey, and which of them open into each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from numpy.random import Generator

from vnla.houses.generate.layout import blocks
from vnla.houses.generate.layout.blocks import HALL, Area, Block, Kind
from vnla.houses.generate.layout.frame import BlockRow, Branch, StoreyFrame, rows_of
from vnla.houses.generate.layout.program import Program

LONGEST_HALL = 95
"""Decimetres; a longer hallway is divided."""


@dataclass
class StoreyDraft:
    """Rooms and links of one storey so far. Links name rooms by number, or HALL."""

    rooms: list[tuple[str, Area]] = field(default_factory=list)
    links: list[tuple[int, int, Kind]] = field(default_factory=list)
    stairs: int | None = None
    main: list[int] = field(default_factory=list)
    """Numbers of the rooms that the main hallway is made of."""
    branches: list[int] = field(default_factory=list)
    """Numbers of the rooms that its branches are made of."""

    def add(self, label: str, area: Area) -> int:
        """A room more; its number."""
        self.rooms.append((label, area))
        return len(self.rooms) - 1


class DoesNotFitError(Exception):
    """The blocks of a storey do not fit into its rows."""


def draw_storey(random: Generator, program: Program, frame: StoreyFrame, number: int) -> StoreyDraft:
    """One storey of the building."""
    storey = StoreyDraft()
    wanted = list(program.storeys[number])
    branches = [each for each in frame.branches if number == 0 or blocks.widest(wanted) > 2.1 * frame.length]
    ends = _add_stairs(storey, frame)
    rows = rows_of(frame, branches)
    reach: dict[Branch | None, list[int]] = {None: ends, **{branch: [] for branch in branches}}
    for row, chosen in zip(rows, _shared_out(random, rows, wanted), strict=True):
        reach[row.branch] += _fill(storey, row, chosen)
    for branch in branches:
        _add_branch(storey, frame, branch, reach[branch])
        ends += [branch.at, branch.at + branch.width]
    if frame.cap and (number == 0 or random.random() < 0.5):
        _add_cap(random, storey, frame, number)
        ends.append(0)
    _add_hall(random, storey, frame, min(ends), max(ends), program.entrance_in_hall and number == 0)
    return storey


def _add_stairs(storey: StoreyDraft, frame: StoreyFrame) -> list[int]:
    """The room of the stairs, if there is one; its two ends along the main hallway."""
    if frame.stairs is None:
        return []
    west, width = frame.stairs
    storey.stairs = storey.add("s", (west, frame.hall, west + width, frame.hall + frame.depths[1]))
    storey.links.append((storey.stairs, HALL, "arch"))
    return [west, west + width]


def _shared_out(random: Generator, rows: Sequence[BlockRow], wanted: Sequence[Block]) -> list[list[Block]]:
    """Each block to the row with the most length left, the widest block first; then each row in a random order."""
    filled: list[list[Block]] = [[] for _ in rows]
    left = [float(row.length) for row in rows]
    for each in sorted(wanted, key=lambda block: -block.width):
        best = max(range(len(rows)), key=lambda row: left[row])
        filled[best].append(each)
        left[best] -= each.width
    for chosen in filled:
        random.shuffle(chosen)
    return filled


def _fill(storey: StoreyDraft, row: BlockRow, chosen: Sequence[Block]) -> list[int]:
    """Lay blocks along a row, stretched to fill it where that takes little; the two ends of what they fill, if anything."""
    if not chosen:
        return []
    wanted = blocks.widest(chosen)
    if row.length < 0.84 * wanted:
        raise DoesNotFitError
    total = row.length if row.length < 1.28 * wanted else round(wanted * 1.06)
    begin = row.length - total if row.from_end else 0
    offset, done = begin, 0
    for each in chosen:
        done += each.width
        end = begin + round(total * done / wanted)
        _lay(storey, row, each, offset, end - offset)
        offset = end
    return [row.start + begin, row.start + begin + total]


def _lay(storey: StoreyDraft, row: BlockRow, block: Block, offset: int, width: int) -> None:
    numbers = [storey.add(label, row.placed(offset, area)) for label, area in block.laid(width, row.depth)]
    for link in block.links:
        second = HALL if link.second == HALL else numbers[link.second]
        storey.links.append((numbers[link.first], second, link.kind))


def _add_branch(storey: StoreyDraft, frame: StoreyFrame, branch: Branch, ends: Sequence[int]) -> None:
    """The hallway of a branch, as far as the rooms along it reach."""
    first = len(storey.rooms)
    near, depth = (frame.hall, frame.depths[1]) if branch.side == 1 else (0, -frame.depths[-1])
    far = max([near + depth, *ends], key=abs)
    storey.branches += _add_passage(storey, (branch.at, near, branch.at + branch.width, far))
    storey.links.append((first, HALL, "arch"))


def _add_passage(storey: StoreyDraft, area: Area) -> list[int]:
    """A hallway from south to north (or from north to south) of one or more rectangles, joined by arches."""
    west, start, east, end = area
    pieces = -(-abs(end - start) // LONGEST_HALL)
    cuts = [start + (end - start) * piece // pieces for piece in range(pieces + 1)]
    numbers = [storey.add("h", (west, min(a, b), east, max(a, b))) for a, b in pairwise(cuts)]
    storey.links += [(first, second, "arch") for first, second in pairwise(numbers)]
    return numbers


def _add_hall(random: Generator, storey: StoreyDraft, frame: StoreyFrame, west: int, east: int, entry: bool) -> None:
    """The main hallway between two ends; its east end becomes the entryway where the front door is there."""
    cuts = [west, east]
    if entry and east - west > 45:
        cuts.insert(1, east - int(random.integers(20, 28)))
    main = cuts[1] - cuts[0]
    pieces = -(-main // LONGEST_HALL)
    cuts[1:1] = [cuts[0] + main * piece // pieces for piece in range(1, pieces)]
    numbers = [storey.add("h", (low, 0, high, frame.hall)) for low, high in pairwise(cuts)]
    storey.links += [(first, second, "arch") for first, second in pairwise(numbers)]
    storey.main += numbers
    if entry:
        last = numbers[-1]
        storey.rooms[last] = ("e", storey.rooms[last][1])


def _add_cap(random: Generator, storey: StoreyDraft, frame: StoreyFrame, number: int) -> None:
    """Rooms across the west end of the main hallway; downstairs the living room with kitchen and dining room."""
    areas = _beside_each_other(random, frame) if random.random() < 0.5 and frame.cap >= 58 else _in_line(random, frame)
    if number == 0:
        labels, kind = ("l", "k", "d"), "arch"
    else:
        labels, kind = (str(random.choice(list("fvnr"))), "b", str(random.choice(list("bio")))), "door"
    hub, *others = (storey.add(label, area) for label, area in zip(labels, areas, strict=True))
    storey.links.append((hub, HALL, "arch"))
    # The leaf of a door opens into the first room of a link: into the bedroom, not into the room before it.
    storey.links += [(other, hub, "door") if kind == "door" else (hub, other, "arch") for other in others]


def _in_line(random: Generator, frame: StoreyFrame) -> list[Area]:
    """A room at the end of the hallway, one to the north and one to the south of it."""
    west, south, north = -frame.cap, -frame.depths[-1], frame.hall + frame.depths[1]
    # The outer two are about three metres deep, so that the one between them is the largest.
    low = min(south + int(random.integers(27, 36)), -4)
    high = max(north - int(random.integers(27, 36)), frame.hall + 4)
    outer = [(west, high, 0, north), (west, south, 0, low)]
    return [(west, low, 0, high), *(outer if random.random() < 0.5 else outer[::-1])]


def _beside_each_other(random: Generator, frame: StoreyFrame) -> list[Area]:
    """A large room at the end of the hallway, and two side by side to the north or to the south of it."""
    west, south, north = -frame.cap, -frame.depths[-1], frame.hall + frame.depths[1]
    split = west + frame.cap // 2 + int(random.integers(-3, 4))
    beyond = int(random.integers(4, 10))
    if random.random() < 0.5:
        cut = frame.hall + beyond
        return [(west, south, 0, cut), (west, cut, split, north), (split, cut, 0, north)]
    return [(west, -beyond, 0, north), (west, south, split, -beyond), (split, south, 0, -beyond)]
