"""A house as a floor plan, and a walk through it, as one PNG picture.

    draw_house(cottage(), Path("cottage.png"), walk=steps, goals=[11], title="Find a towel in the bathroom.")

Each storey is a panel, all at one scale, north up. The picture is drawn on axes whose unit is the pixel, so that nothing
depends on a layout engine and a label can be tested against everything that is already there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

from matplotlib.patches import Polygon

from vnla.common import files
from vnla.houses.house import House, Object, Room
from vnla.houses.rooms import NO_LABEL
from vnla.report import palette
from vnla.report.labels import XY, Font, ObstacleKind, PixelAxes, Rectangle, around, grown, new_page, png
from vnla.report.layout import FOOTER, GAP, HEADER, MARGIN, SIDE, WIDTH, Panel, arrange, stub
from vnla.report.plan import Step, check, footprint
from vnla.report.walks import draw_goals, draw_key, draw_requests, draw_walk

__all__ = ["Step", "draw_house", "house_png"]

TITLE = Font(31, palette.INK, weight="bold")
SUBTITLE = Font(17, palette.QUIET_INK)
LEVEL = Font(18, palette.INK, weight="bold")
LEVEL_COUNTS = Font(15, palette.QUIET_INK)
ROOM_SIZES = (15.0, 13.0, 11.5)
THING_SIZE = 11.5

NOT_FURNITURE = frozenset({"wall", "floor", "ceiling", "beam", "column", "void", "misc", "unlabeled", "objects"})
"""Categories of scanned buildings that are the building itself, or nothing anyone would name."""


def draw_house(
    house: House, path: Path, *, walk: Sequence[Step] = (), goals: Sequence[int] = (), title: str | None = None
) -> None:
    """Write the floor plan of `house` to `path`, with a walk and its goals where given."""
    files.write_bytes(path, house_png(house, walk=walk, goals=goals, title=title))


def house_png(
    house: House,
    *,
    walk: Sequence[Step] = (),
    goals: Sequence[int] = (),
    title: str | None = None,
    walked_later: bool = False,
) -> bytes:
    """The floor plan of `house` as a PNG file; the key explains a walk also where one is still to be drawn over it."""
    check(house, walk, goals)
    panels, height = arrange(house, right=WIDTH - MARGIN - (SIDE + GAP if walk else 0))
    page, figure = new_page(WIDTH, height)
    _header(page, house, title, height)
    for panel in panels:
        _draw_storey(page, house, panel)
        draw_goals(page, house, panel, goals)
        if walk:
            draw_walk(page, house, panel, walk, goals)
        _label_storey(page, house, panel)
    draw_key(page, (MARGIN, 58.0), panels, walked=bool(walk) or walked_later, with_goals=bool(goals))
    if walk:
        side = (WIDTH - MARGIN - SIDE, FOOTER, WIDTH - MARGIN, height - HEADER)
        draw_requests(page, house, walk, side)
    return png(figure)


def _header(page: PixelAxes, house: House, title: str | None, height: int) -> None:
    top = height - 66.0
    lines = page.wrap(title or f"House {house.name}", TITLE, WIDTH - 2 * MARGIN)
    page.write(lines[0] + (" …" if len(lines) > 1 else ""), (MARGIN, top), TITLE)
    counts = _counts(house) if title is None else [f"house {house.name}", *_counts(house)]
    page.write("   ·   ".join(counts), (MARGIN, top - 32), SUBTITLE)
    page.axes.plot([MARGIN, WIDTH - MARGIN], [height - HEADER + 16] * 2, color=palette.RULE, linewidth=1)


def _counts(house: House) -> list[str]:
    included = sum(each.included for each in house.viewpoints)
    rooms, objects = (len(house.rooms), "room"), (len(house.objects), "object")
    return _plural((included, "viewpoint"), (len(house.edges), "edge"), rooms, objects)


def _plural(*counts: tuple[int, str]) -> list[str]:
    return [f"{count:,} {what}{'' if count == 1 else 's'}" for count, what in counts if count]


def _draw_storey(page: PixelAxes, house: House, panel: Panel) -> None:
    """Rooms, furniture, edges and dots, and what labels must keep off."""
    for room in sorted(panel.storey.rooms, key=_area, reverse=True):
        _draw_room(page, panel, room)
    for thing in _furniture(panel):
        outline = [panel.at(corner) for corner in footprint(thing)]
        page.axes.add_patch(
            Polygon(outline, closed=True, facecolor="#ffffff66", edgecolor=palette.FURNITURE, linewidth=0.8, zorder=3)
        )
        page.take_outline(outline)
    for start, end, level in _edges(house, panel):
        style = (0, (3, 2.4)) if level else "solid"
        page.axes.plot(*zip(start, end, strict=True), color=palette.EDGE, linewidth=1.1, linestyle=style, zorder=4)
        if level:
            page.axes.plot(*end, marker="^" if level > 0 else "v", color=palette.QUIET_INK, markersize=5.5, zorder=5)
            page.take([around(end, 14, 14)], ObstacleKind.MARK)
        page.take_line(start, end, 3)
    for i in panel.storey.viewpoints:
        at = panel.at(house.viewpoints[i].position)
        page.axes.plot(*at, "o", color=palette.DOT, markersize=4.6, markeredgecolor="white", markeredgewidth=0.8, zorder=5)
        page.take([around(at, 12, 12)], ObstacleKind.MARK)


def _draw_room(page: PixelAxes, panel: Panel, room: Room) -> None:
    if room.box is None:
        return
    (west, south), (east, north) = panel.at(room.box.low), panel.at(room.box.high)
    outline = [(west, south), (east, south), (east, north), (west, north)]
    fill = palette.ROOMS[room.label]
    page.axes.add_patch(Polygon(outline, closed=True, facecolor=fill, edgecolor=palette.WALL, linewidth=1.5, zorder=2))
    page.take_outline(outline)


def _edges(house: House, panel: Panel) -> Iterator[tuple[XY, XY, int]]:
    """Start and end of each line to draw, and 1 or -1 where it is a stair that leaves the storey upwards or downwards."""
    here = set(panel.storey.viewpoints)
    for i in panel.storey.viewpoints:
        start = house.viewpoints[i].position
        for j in house.neighbours[i]:
            end = house.viewpoints[j].position
            if j not in here:
                yield panel.at(start), stub(panel.at(start), panel.at(end)), 1 if end[2] > start[2] else -1
            elif i < j:
                yield panel.at(start), panel.at(end), 0


def _furniture(panel: Panel) -> list[Object]:
    """The objects to draw, largest first, so that a cushion lies on its bed."""
    west, south, east, north = panel.bounds
    inside = [
        thing
        for thing in panel.storey.objects
        if west <= thing.box.centre[0] <= east and south <= thing.box.centre[1] <= north
        if thing.label not in NOT_FURNITURE and (thing.category is None or thing.category[1] not in NOT_FURNITURE)
    ]
    return sorted(inside, key=lambda thing: -thing.box.radii[0] * thing.box.radii[1])


def _area(room: Room) -> float:
    return 0.0 if room.box is None else (room.box.high[0] - room.box.low[0]) * (room.box.high[1] - room.box.low[1])


def _label_storey(page: PixelAxes, house: House, panel: Panel) -> None:
    left, _, _, top = panel.rectangle
    storey = panel.storey
    page.write(storey.name, (left, top + 20), LEVEL)
    counts = ", ".join(_plural((len(storey.rooms), "room"), (len(storey.viewpoints), "viewpoint")))
    page.write(counts, (left + page.measure(storey.name, LEVEL)[0] + 14, top + 20), LEVEL_COUNTS)
    for room in sorted(storey.rooms, key=_area):
        if room.label != NO_LABEL:
            _name_room(page, house, panel, room)
    boxes = {room.id: room.box for room in storey.rooms}
    for thing in _furniture(panel):
        box = None if thing.room is None else boxes[thing.room]
        within = panel.rectangle if box is None else panel.over(box)
        _name_thing(page, [panel.at(corner) for corner in footprint(thing)], thing.label, within)


def _name_room(page: PixelAxes, house: House, panel: Panel, room: Room) -> None:
    """The name in the upper left corner, or wherever it fits: on two lines, smaller, over thin lines if it must be."""
    within = grown(panel.rectangle, GAP / 2) if room.box is None else panel.over(room.box)
    halo = palette.PAPER if room.box is None else palette.ROOMS[room.label]
    stands = [panel.at(house.viewpoints[i].position) for i in panel.storey.viewpoints if house.viewpoints[i].room == room.id]
    texts = list(dict.fromkeys((room.name, room.name.replace(" ", "\n"))))
    for kinds, size, text in product((tuple(ObstacleKind), (ObstacleKind.MARK, ObstacleKind.TEXT)), ROOM_SIZES, texts):
        font = Font(size, palette.INK, weight="bold", halo=halo)
        width, height = page.measure(text, font)
        if room.box is None:
            spots = [spot for stand in stands for spot in _beside((*stand, *stand), width, height, gap=9)]
        else:
            spots = _spots(within, width, height)
        if page.place(text, spots, font, within, kinds=kinds):
            return


def _spots(inside: Rectangle, width: float, height: float) -> list[XY]:
    """Places for a text of that size in a rectangle: the corners first, then row by row."""
    left, bottom, right, top = inside
    xs = (left + 7 + width / 2, (left + right) / 2, right - 7 - width / 2)
    highest, lowest = top - 7 - height / 2, bottom + 7 + height / 2
    rows = [highest, lowest, *(highest + (lowest - highest) * part / 8 for part in range(1, 8))]
    return [(x, y) for y in rows for x in xs]


def _beside(shape: Rectangle, width: float, height: float, gap: float) -> list[XY]:
    """Places for a text of that size to the right of a shape, to the left, above and below."""
    left, bottom, right, top = shape
    x, y = (left + right) / 2, (bottom + top) / 2
    aside = [(right + width / 2 + gap, y), (left - width / 2 - gap, y)]
    return [*aside, (x, top + height / 2 + gap), (x, bottom - height / 2 - gap)]


def _name_thing(page: PixelAxes, outline: Sequence[XY], label: str, within: Rectangle) -> None:
    """The label inside of the outline if it fits there, else beside it, else nowhere."""
    font = Font(THING_SIZE, palette.QUIET_INK, halo="#ffffff99")
    width, height = page.measure(label, font)
    xs, ys = [x for x, _ in outline], [y for _, y in outline]
    x, y = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
    if page.place(label, [(x, y)], font, within) or page.place(label, [(x, y)], font, within, turned=True):
        return
    if " " in label and page.place(label.replace(" ", "\n"), [(x, y)], font, within):
        return
    if page.place(label, _beside((min(xs), min(ys), max(xs), max(ys)), width, height, gap=4), font, within):
        return
    sideways = [(min(xs) - height / 2 - 4, y), (max(xs) + height / 2 + 4, y)]
    page.place(label, sideways, font, within, turned=True)
