"""Where things go: for each rule of the catalogue a function that tries places, best first, and says if it found one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from random import Random

from vnla.houses.generate.catalogue import Anchor, CatalogueEntry, Furniture, Top
from vnla.houses.generate.catalogue import registry as rules
from vnla.houses.generate.furnish.space import TURNS, Placement, Side, Solid, Space
from vnla.houses.generate.plan import Opening

HEADROOM = 1.9
"""Nothing hangs lower where one may walk."""

_TRIES = 14

_Laid = tuple[Furniture, float, float, float]
"""A piece, its place and its turn."""


def at_wall(space: Space, entry: CatalogueEntry, piece: Furniture, rule: rules.AtWall) -> bool:
    """Against the wall that suits it best, among corners, middles, window sills and chance places."""
    places = [
        (_liking(space, rule, side, along, piece), side, along)
        for side in TURNS
        for along in _stations(space, side, piece.size[0])
    ]
    places.sort(key=lambda place: -place[0])
    for _, side, along in places[:_TRIES]:
        x, y, turn = space.against(side, along, piece.size[1])
        if space.stand(entry, piece, x, y, turn, rule.clear):
            return True
    return False


def anywhere(space: Space, entry: CatalogueEntry, piece: Furniture, clear: float) -> bool:
    """Against any wall, at the first of places close together."""
    sides = list(TURNS)
    space.random.shuffle(sides)
    for side in sides:
        free = space.length(side) - piece.size[0]
        for step in range(int(free / 0.15) + 1 if free >= 0 else 0):
            x, y, turn = space.against(side, piece.size[0] / 2 + min(0.15 * step, free), piece.size[1])
            if space.stand(entry, piece, x, y, turn, clear):
                return True
    return False


def _stations(space: Space, side: Side, width: float) -> Iterator[float]:
    """Distances along a wall at which to try a piece of that width."""
    length = space.length(side)
    low, high = width / 2, length - width / 2
    if low > high:
        return
    yield from (low, high, length / 2)
    yield from (space.random.uniform(low, high) for _ in range(3))
    for window in space.windows():
        on_this = window.along == ("x" if side in ("north", "south") else "y")
        along = window.x - space.inner.west if window.along == "x" else window.y - space.inner.south
        if on_this and low <= along <= high:
            yield along


def _liking(space: Space, rule: rules.AtWall, side: Side, along: float, piece: Furniture) -> float:
    """How much a piece wants that place: chance, and what its rule prefers."""
    length, (width, depth, _) = space.length(side), piece.size
    off_middle = abs(along - length / 2) / length
    liking = space.random.random() * 0.6 + (0.8 * off_middle if rule.corner else -0.5 * off_middle)
    x, y, turn = space.against(side, along, depth)
    if rule.at_window and any(abs(window.x - x) + abs(window.y - y) < depth for window in space.windows()):
        liking += 0.8
    for number in space.hosts(rule.facing):
        host = space.stood[number].solid
        ahead = host.sin * (x - host.x) - host.cos * (y - host.y)
        aside = abs(host.cos * (x - host.x) + host.sin * (y - host.y))
        if math.cos(turn - host.turn) < -0.9 and ahead > 0:
            liking += 3.0 - aside
    # A narrow end of a long wall is a poor place for something wide.
    return liking - 0.2 * width / length


def in_middle(space: Space, entry: CatalogueEntry, piece: Furniture, rule: rules.InMiddle) -> bool:
    """Near the middle, its long side along the room, where most chairs can be drawn up to it."""
    x, y = space.inner.centre
    along = 0.0 if (space.inner.width >= space.inner.depth) == (piece.size[0] >= piece.size[1]) else math.pi / 2
    steps = [(0.4 * i, 0.4 * j) for i in range(-5, 6) for j in range(-5, 6)]
    places: list[tuple[float, Solid]] = []
    for turn in (along, along + math.pi / 2):
        for dx, dy in steps:
            solid = Solid(x + dx, y + dy, turn, piece.size[0], piece.size[1], 0.0, piece.size[2])
            around = solid.grown(rule.clear)
            if space.fits(solid) and not any(each.on_floor and around.overlaps(each.solid) for each in space.stood):
                liking = 0.5 * _seats(space, piece, solid) - math.hypot(dx, dy) - (0.3 if turn != along else 0.0)
                places.append((liking, solid))
    places.sort(key=lambda place: -place[0])
    return any(space.stand(entry, piece, solid.x, solid.y, solid.turn) for _, solid in places[:8])


def _seats(space: Space, piece: Furniture, solid: Solid) -> int:
    """How many chairs find room around a piece that stands there."""
    anchors = [anchor for label in piece.anchors if "chair" in label for anchor in piece.anchors[label]]
    return sum(space.fits(Solid(*_drawn_up(solid, anchor, 0.5), 0.46, 0.5, 0.0, 0.9)) for anchor in anchors)


def _drawn_up(host: Solid, anchor: Anchor, depth: float) -> tuple[float, float, float]:
    """Place and turn of a chair of that depth with the middle of its front edge at an anchor."""
    back = depth / 2 + 0.025
    x, y = host.at(anchor.x - math.sin(anchor.turn) * back, anchor.y + math.cos(anchor.turn) * back)
    return x, y, host.turn + anchor.turn


def beside(space: Space, entry: CatalogueEntry, piece: Furniture, rule: rules.Beside) -> bool:
    """Left or right of a host that has a free side."""
    for number in space.hosts(rule.hosts):
        host = space.stood[number]
        sides = [-1, 1]
        space.random.shuffle(sides)
        for side in sides:
            across = side * ((host.solid.width + piece.size[0]) / 2 + rule.gap)
            x, y = host.solid.at(across, (host.solid.depth - piece.size[1]) / 2)
            if space.stand(entry, piece, x, y, host.solid.turn, companion=number):
                return True
    return False


def in_front(space: Space, entry: CatalogueEntry, piece: Furniture, rule: rules.InFront) -> bool:
    """Before a host, in its middle or a little aside."""
    for number in space.hosts(rule.hosts):
        host = space.stood[number].solid
        ahead = -(host.depth + piece.size[1]) / 2 - rule.gap
        turn = host.turn + (math.pi if rule.faces_host else 0.0)
        for across in (0.0, 0.25, -0.25):
            x, y = host.at(across, ahead)
            if space.stand(entry, piece, x, y, turn, companion=number):
                return True
    return False


def at_anchor(space: Space, entry: CatalogueEntry, piece: Furniture, rule: rules.AtAnchor) -> bool:
    """At an anchor that a host keeps for this label: chairs on the floor, everything else on or at the host itself."""
    for number in space.hosts(rule.hosts):
        host = space.stood[number]
        for anchor in host.piece.anchors.get(entry.label, ()):
            if anchor.z == 0.0 and host.on_floor:
                if _draw_up(space, entry, piece, host, anchor, number):
                    return True
            elif _lay(space, entry, piece, host.solid, anchor, number):
                return True
    return False


def _draw_up(space: Space, entry: CatalogueEntry, piece: Furniture, host: Placement, anchor: Anchor, number: int) -> bool:
    """A chair with the middle of its front edge at the anchor, not quite straight."""
    x, y, turn = _drawn_up(host.solid, anchor, piece.size[1])
    return space.stand(entry, piece, x, y, turn + space.random.uniform(-0.07, 0.07), companion=number)


def _lay(space: Space, entry: CatalogueEntry, piece: Furniture, host: Solid, anchor: Anchor, number: int) -> bool:
    x, y = host.at(anchor.x, anchor.y)
    low = host.low + anchor.z
    solid = Solid(x, y, host.turn + anchor.turn, piece.size[0], piece.size[1], low, low + piece.size[2])
    if not space.fits(solid, without=(number,)):
        return False
    space.put(entry, piece, solid, number)
    return True


def on_top(space: Space, entry: CatalogueEntry, piece: Furniture, rule: rules.OnTop) -> bool:
    """Somewhere on a top that has room, the emptiest hosts first."""
    hosts = space.hosts(rule.hosts)
    load = {number: sum(each.host == number for each in space.stood) + space.random.random() for number in hosts}
    for number in sorted(hosts, key=load.__getitem__):
        host = space.stood[number]
        tops = [top for top in host.piece.tops if top.headroom >= piece.size[2]]
        space.random.shuffle(tops)
        if any(_set_down(space, entry, piece, host.solid, top, number, rule.turned) for top in tops):
            return True
    return False


def _set_down(
    space: Space, entry: CatalogueEntry, piece: Furniture, host: Solid, top: Top, number: int, turned: float
) -> bool:
    width, depth, height = piece.size
    for attempt in range(5):
        turn = space.random.uniform(-turned, turned) if attempt < 3 else 0.0
        across = (abs(math.cos(turn)) * width + abs(math.sin(turn)) * depth) / 2
        along = (abs(math.sin(turn)) * width + abs(math.cos(turn)) * depth) / 2
        free_x, free_y = top.width / 2 - across, top.depth / 2 - along
        if free_x < 0 or free_y < 0:
            continue
        x, y = host.at(top.x + space.random.uniform(-free_x, free_x), top.y + space.random.uniform(-free_y, free_y))
        solid = Solid(x, y, host.turn + turn, width, depth, host.low + top.z, host.low + top.z + height)
        if space.fits(solid, without=(number,)):
            space.put(entry, piece, solid, number)
            return True
    return False


def on_wall(space: Space, entry: CatalogueEntry, piece: Furniture, rule: rules.OnWall) -> bool:
    """Above a host that has nothing above it yet, or anywhere on a wall at the height of its rule."""
    hosts = [number for number in space.hosts(rule.above) if _back_to_wall(space, space.stood[number].solid)]
    for number in hosts:
        host = space.stood[number].solid
        if rule.as_wide:
            piece = entry.make(space.random, space.style, width=host.width)
        low = max(rule.height - piece.size[2] / 2, host.high + 0.07)
        x, y = host.at(0.0, (host.depth - piece.size[1]) / 2)
        if _hang(space, entry, piece, (x, y, host.turn), low):
            return True
    if rule.only_above:
        return False
    for _ in range(_TRIES if space.walls else 0):
        side = space.random.choice(space.walls)
        room = space.length(side) - piece.size[0]
        if room <= 0:
            continue
        along = piece.size[0] / 2 + room * space.random.random()
        if _hang(space, entry, piece, space.against(side, along, piece.size[1]), rule.height - piece.size[2] / 2):
            return True
    return False


def _back_to_wall(space: Space, solid: Solid) -> bool:
    """Whether a piece stands with its back to a wall on which things can hang."""
    x, y = solid.at(0.0, solid.depth / 2)
    inner = space.inner
    gaps = {"north": inner.north - y, "south": y - inner.south, "east": inner.east - x, "west": x - inner.west}
    return any(gaps[side] < 0.05 and math.cos(solid.turn - TURNS[side]) > 0.99 for side in space.walls)


def _hang(space: Space, entry: CatalogueEntry, piece: Furniture, place: tuple[float, float, float], low: float) -> bool:
    x, y, turn = place
    solid = Solid(x, y, turn, piece.size[0], piece.size[1], low, low + piece.size[2])
    # A hand's breadth around it, so that pictures do not touch; the depth stays within the room.
    apart = Solid(x, y, turn, piece.size[0] + 0.1, piece.size[1], low - 0.04, low + piece.size[2] + 0.04)
    if low < 0.3 or solid.high > space.height - 0.05 or not space.fits(solid):
        return False
    if entry.category[1] != "cabinet" and any(each.solid.low > 0.3 and apart.overlaps(each.solid) for each in space.stood):
        return False
    space.put(entry, piece, solid)
    return True


def at_window(space: Space, entry: CatalogueEntry, rule: rules.AtWindow, window: Opening, random: Random) -> bool:
    """At one window: down to the floor where the rule says so and nothing stands there, otherwise to just below the sill."""
    wider = 0.36 if rule.drop > 1 else 0.08
    drops = [window.bottom - 0.03, 0.12] if rule.drop > window.bottom else [rule.drop]
    top = min(window.top + 0.12, space.height - 0.06)
    state = random.getstate()
    for drop in drops:
        random.setstate(state)
        low = window.bottom - drop
        piece = entry.make(random, space.style, width=window.width + wider, height=top - low)
        place = _before_window(space, window, piece)
        if place is None:
            return False
        solid = Solid(*place, piece.size[0], piece.size[1], low, low + piece.size[2])
        if space.fits(solid, at_window=True):
            space.put(entry, piece, solid)
            return True
    return False


def _before_window(space: Space, window: Opening, piece: Furniture) -> tuple[float, float, float] | None:
    inner = space.inner
    if window.along == "x":
        side = "north" if abs(window.y - inner.north) < abs(window.y - inner.south) else "south"
        return space.against(side, window.x - inner.west, piece.size[1])
    side = "east" if abs(window.x - inner.east) < abs(window.x - inner.west) else "west"
    return space.against(side, window.y - inner.south, piece.size[1])


def on_ceiling(space: Space, entry: CatalogueEntry, piece: Furniture, rule: rules.OnCeiling) -> bool:
    """Over a host, or else over the middle of the room or as near as can be."""
    x, y = space.inner.centre
    hosts = [space.stood[number].solid for number in space.hosts(rule.above)]
    places = [(host.x, host.y) for host in hosts] + [(x, y)]
    return any(
        hang_lamp(space, entry, piece, *place, low=0.0 if i < len(hosts) else HEADROOM) for i, place in enumerate(places)
    )


def hang_lamp(space: Space, entry: CatalogueEntry, piece: Furniture, x: float, y: float, low: float = HEADROOM) -> bool:
    """From the ceiling at one point, if it stays above `low`."""
    bottom = space.height - piece.size[2]
    solid = Solid(
        x,
        y,
        0.0 if space.inner.width >= space.inner.depth else math.pi / 2,
        piece.size[0],
        piece.size[1],
        bottom,
        space.height,
    )
    if bottom < low or not space.fits(solid):
        return False
    space.put(entry, piece, solid)
    return True


def on_floor(space: Space, entry: CatalogueEntry, rule: rules.OnFloor, random: Random) -> bool:
    """A rug under or before something, a mat at the door, or in the middle."""
    return any(_spread(space, entry, *place) for place in _rug_places(space, entry, rule, random))


def _rug_places(
    space: Space, entry: CatalogueEntry, rule: rules.OnFloor, random: Random
) -> Iterator[tuple[Furniture, float, float, float]]:
    for number in space.hosts(rule.under):
        yield _under(space, entry, space.stood[number].solid, random)
    for number in space.hosts(rule.before):
        host, piece = space.stood[number].solid, entry.make(random, space.style)
        yield (piece, *host.at(0.0, -(host.depth + piece.size[1]) / 2 - 0.04), host.turn)
    if rule.at_door:
        yield from _at_doors(space, entry, random)
    elif not rule.before:
        inner, (x, y) = space.inner, space.inner.centre
        if rule.under:
            width, depth = inner.width * random.uniform(0.45, 0.65), inner.depth * random.uniform(0.45, 0.65)
            yield entry.make(random, space.style, width=min(width, 3.2), depth=min(depth, 3.2)), x, y, 0.0
        else:
            piece = entry.make(random, space.style)
            yield from (
                (piece, x + dx, y + dy, turn)
                for turn in (0.0, math.pi / 2)
                for dx, dy in ((0, 0), (0.8, 0), (-0.8, 0), (0, 0.8), (0, -0.8))
            )


def _under(space: Space, entry: CatalogueEntry, host: Solid, random: Random) -> _Laid:
    """A rug larger than what stands on it, moved to stay in the room."""
    inner, long = space.inner, host.depth > 1.7
    width = host.width + random.uniform(0.7, 1.1)
    depth = host.depth * 0.7 if long else host.depth + random.uniform(0.7, 1.1)
    across, along = (width, depth) if abs(host.cos) > 0.7 else (depth, width)
    across, along = min(across, inner.width - 0.1), min(along, inner.depth - 0.1)
    x, y = host.at(0.0, -0.45 if long else 0.0)
    x = min(max(x, inner.west + across / 2 + 0.04), inner.east - across / 2 - 0.04)
    y = min(max(y, inner.south + along / 2 + 0.04), inner.north - along / 2 - 0.04)
    return entry.make(random, space.style, width=across - 0.13, depth=along), x, y, 0.0


def _at_doors(space: Space, entry: CatalogueEntry, random: Random) -> Iterator[_Laid]:
    """Just inside the doors, the one to the outside first."""
    doors: Sequence[Opening] = [opening for opening in space.openings if opening.kind == "door"]
    for door in sorted(doors, key=lambda opening: opening.rooms[1] is not None):
        piece = entry.make(random, space.style)
        x, y = space.inner.centre
        off = piece.size[1] / 2 + 0.2
        if door.along == "x":
            yield piece, door.x, door.y + math.copysign(off, y - door.y), 0.0
        else:
            yield piece, door.x + math.copysign(off, x - door.x), door.y, math.pi / 2


def _spread(space: Space, entry: CatalogueEntry, piece: Furniture, x: float, y: float, turn: float) -> bool:
    solid = Solid(x, y, turn, piece.size[0], piece.size[1], 0.0, piece.size[2])
    if not space.fits(solid):
        return False
    space.put(entry, piece, solid)
    return True
