"""What a building is to contain: blocks of rooms for each storey, drawn so that homes and workplaces come out plausible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from numpy.random import Generator

from vnla.houses.generate.layout import blocks
from vnla.houses.generate.layout.blocks import Block

Maker = Callable[[Generator, int], Block]

BEDROOMS: tuple[tuple[float, Maker], ...] = (
    (3.0, lambda random, depth: blocks.single(random, depth, "b")),
    (2.5, blocks.suite),
    (2.0, blocks.bedroom_and_bathroom),
    (0.8, blocks.bedroom_and_closet),
    (1.4, blocks.two_bedrooms),
    (1.5, lambda random, _: blocks.around_a_stub(random, "a", "b")),
    (1.4, lambda random, _: blocks.behind_a_stub(random)),
)
"""Ways to put bedrooms along a hallway, with how often each is taken."""

EXTRAS: tuple[tuple[float, Maker], ...] = (
    (1.6, lambda random, depth: blocks.single(random, depth, "o")),
    (1.0, lambda random, depth: blocks.single(random, depth, "f")),
    (0.8, lambda random, depth: blocks.single(random, depth, "v")),
    (0.9, lambda random, depth: blocks.single(random, depth, "a")),
    (0.5, lambda random, depth: blocks.single(random, depth, "w")),
    (0.4, lambda random, depth: blocks.single(random, depth, "i")),
    (0.5, lambda random, depth: blocks.single(random, depth, "r")),
    (0.5, lambda random, depth: blocks.single(random, depth, "n")),
    (0.3, lambda random, depth: blocks.single(random, depth, "z")),
    (0.5, lambda random, depth: blocks.single(random, depth, "j")),
    (0.4, lambda random, depth: blocks.single(random, depth, "u")),
    (1.1, blocks.garage),
    (0.7, lambda random, _: blocks.around_a_stub(random, "t", "o")),
    (0.4, lambda random, _: blocks.around_a_stub(random, "j", "w")),
    (0.3, lambda random, depth: blocks.pair(random, depth, "o", "i", "door")),
    (0.4, lambda random, depth: blocks.pair(random, depth, "r", "B", "arch")),
    (0.3, lambda random, depth: blocks.pair(random, depth, "S", "a", "door")),
    (0.2, lambda random, depth: blocks.pair(random, depth, "w", "S", "door")),
    (0.3, lambda random, depth: blocks.pair(random, depth, "f", "v", "arch")),
)
"""What else a home has."""

OFFICES: tuple[tuple[float, Maker], ...] = (
    (3.0, lambda random, depth: blocks.single(random, depth, "o")),
    (2.0, lambda random, depth: blocks.single(random, depth, "m")),
    (1.3, lambda random, depth: blocks.single(random, depth, "C")),
    (1.0, lambda random, _: blocks.washrooms(random)),
    (0.9, lambda random, depth: blocks.single(random, depth, "n")),
    (0.6, lambda random, depth: blocks.single(random, depth, "i")),
    (0.5, lambda random, depth: blocks.single(random, depth, "u")),
    (0.5, lambda random, depth: blocks.pair(random, depth, "n", "B", "arch")),
    (0.4, lambda random, depth: blocks.single(random, depth, "w")),
    (0.7, lambda random, depth: blocks.pair(random, depth, "m", "o", "door")),
    (0.6, lambda random, _: blocks.around_a_stub(random, "u", "o")),
    (0.3, lambda random, depth: blocks.single(random, depth, "z")),
)
"""What a workplace has."""


@dataclass
class Program:
    """The blocks of each storey. Where there is a `cap`, living room and kitchen lie at the end of the main hallway."""

    depth: int
    storeys: list[list[Block]]
    workplace: bool
    cap: bool
    entrance_in_hall: bool
    """Whether the front door is at the end of the main hallway, rather than in a block of its own."""
    outdoors: int = 0
    """How many porches, balconies and terraces."""
    used: Counter[int] = field(default_factory=Counter)


def draw_program(random: Generator, rooms: int, storeys: int, depth: int, programme: str | None = None) -> Program:
    """Blocks for about `rooms` rooms on that many storeys, in rows about `depth` decimetres deep; of a home or a workplace,
    as the programme says, or as it comes."""
    workplace = bool(rooms >= 18 and random.random() < 0.14) if programme is None else programme == "workplace"
    cap = bool(not workplace and (rooms < 11 or random.random() < 0.45))
    program = Program(depth, [[] for _ in range(storeys)], workplace, cap, bool(rooms < 9 or random.random() < 0.3))
    program.outdoors = min(int(random.integers(0, 4)), rooms // 7)
    ground = program.storeys[0]
    if not program.entrance_in_hall:
        ground.append(blocks.entrance(random, depth))
    if workplace:
        ground.append(blocks.kitchen(random, depth))
    elif not cap:
        ground.append(blocks.living(random, depth))
    left = rooms - _given(program) - rooms // 16
    while left > 0:
        made = _next(random, program, left)
        program.storeys[_storey(random, program, made)].append(made)
        left -= len(made.labels)
    _balance(program)
    _complete(random, program)
    return program


def _given(program: Program) -> int:
    """Rooms that are there before anything is chosen, hallways and stairs among them."""
    storeys = len(program.storeys)
    halls = 1 if storeys == 1 else 2 * storeys + storeys // 3
    return halls + (3 if program.cap else 0) + program.outdoors + sum(len(each.labels) for each in program.storeys[0])


def _next(random: Generator, program: Program, left: int) -> Block:
    """One more block of at most about `left` rooms; what has been taken before becomes less likely."""
    bedroom = not program.workplace and random.random() < 0.42
    table = OFFICES if program.workplace else BEDROOMS if bedroom else EXTRAS
    while True:
        weights = [weight / (1 + (0.3 if bedroom else 2.0) * program.used[id(maker)]) for weight, maker in table]
        _, maker = table[int(random.choice(len(table), p=[weight / sum(weights) for weight in weights]))]
        made = maker(random, program.depth)
        if len(made.labels) <= left + 1 and not ("g" in made.labels and _has_garage(program)):
            program.used[id(maker)] += 1
            return made


def _has_garage(program: Program) -> bool:
    return any("g" in each.labels for each in program.storeys[0])


def _storey(random: Generator, program: Program, made: Block) -> int:
    """Bedrooms go upstairs, garages stay down, anything else goes where there is least."""
    storeys = len(program.storeys)
    if storeys == 1 or "g" in made.labels:
        return 0
    if "b" in made.labels and random.random() < 0.8:
        return 1 + int(random.integers(storeys - 1))
    return min(range(storeys), key=lambda storey: blocks.widest(program.storeys[storey]) * (1.0 + 0.25 * storey))


def _balance(program: Program) -> None:
    """Move blocks down until no storey is wider than the one below it."""
    for upper in range(len(program.storeys) - 1, 0, -1):
        above, below = program.storeys[upper], program.storeys[upper - 1]
        while len(above) > 2 and blocks.widest(above) > blocks.widest(below) * 1.02:
            below.append(above.pop(0))


def _complete(random: Generator, program: Program) -> None:
    """Every storey has a bathroom, and something on both sides of its hallway."""
    for storey in program.storeys:
        if not any(label in "at" for each in storey for label in each.labels):
            storey.append(blocks.single(random, program.depth, "a"))
        while len(storey) < 2:
            storey.append(blocks.single(random, program.depth, "o" if program.workplace else "b"))
