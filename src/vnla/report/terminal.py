"""A house, and a walk through it, as text for the terminal.

    Console().print(house_text(cottage(), walk=steps, goals=[11]))

Each storey is a map of characters, north up, all at one scale and never wider than the console. Viewpoints are their
numbers. Where the console cannot show more than ASCII the map is drawn with what there is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.text import Text

from vnla.camera import HEADINGS
from vnla.houses.house import House, Room
from vnla.houses.rooms import NO_LABEL
from vnla.report.canvas import Canvas, Cell
from vnla.report.plan import Bounds, Step, StoreyPanel, bounds, check, requests, spoken, storeys, visits
from vnla.report.printing import to_ascii

LARGEST_SCALE = 4.0
"""Columns to a metre; a row is two columns high."""
NARROWEST = 20

EDGE, PATH, STAND, NUMBER = "bright_black", "bold blue", "bold white on blue", ""
ASKED, GOAL, STAIRS, ROOM = "bold red", "bold black on yellow", "cyan", "bold"


@dataclass(frozen=True, slots=True)
class Signs:
    """The characters of a map; `arrows` are evenly spaced headings, clockwise from north."""

    edge: str
    path: str
    stand: str
    goal: str
    up: str
    down: str
    arrows: str
    then: str


UNICODE = Signs(edge="·", path="•", stand="●", goal="★", up="▲", down="▼", arrows="↑↗→↘↓↙←↖", then=" → ")
ASCII = Signs(edge=".", path="o", stand="@", goal="*", up="U", down="D", arrows="^>v<", then=" > ")


def house_text(house: House, *, walk: Sequence[Step] = (), goals: Sequence[int] = (), width: int | None = None) -> HouseText:
    """The map of `house` as something that Rich prints, at most `width` columns wide."""
    check(house, walk, goals)
    return HouseText(house, tuple(walk), tuple(goals), width)


@dataclass(frozen=True)
class HouseText:
    """A map that is drawn when it is printed, because only then are the console's width and encoding known."""

    house: House
    walk: tuple[Step, ...]
    goals: tuple[int, ...]
    width: int | None

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Rich calls this."""
        ascii_only = options.ascii_only or console.legacy_windows
        columns = max(NARROWEST, min(options.max_width, self.width or options.max_width))
        signs = ASCII if ascii_only else UNICODE
        found = storeys(self.house)
        boxes = [bounds(self.house, storey) for storey in found]
        scale = min(LARGEST_SCALE, (columns - 5) / max(1.0, *(east - west for west, _, east, _ in boxes)))
        lines: list[Text] = []
        for storey, box in zip(found, boxes, strict=True):
            lines += [Text(storey.name, style="bold"), self._map(storey, box, scale, signs).text(ascii_only), Text()]
        lines += [_in_ascii(line) if ascii_only else line for line in self._notes(signs)]
        yield from console.render(Group(*lines), options.update(width=columns))

    def _map(self, storey: StoreyPanel, box: Bounds, scale: float, signs: Signs) -> Canvas:
        plot = _Plot(self.house, storey, box, scale)
        for room in storey.rooms:
            if room.box is not None:
                plot.canvas.box(plot.cell(room.box.low), plot.cell(room.box.high))
        _draw_edges(plot, signs)
        _draw_path(plot, self.walk, signs)
        for i in storey.viewpoints:
            plot.canvas.label(plot.cell(self.house.viewpoints[i].position), self._stand(i, signs), signs.stand)
        for room in storey.rooms:
            _name_room(plot, room)
        return plot.canvas

    def _stand(self, viewpoint: int, signs: Signs) -> list[tuple[str, str]]:
        """What stands at a viewpoint: a star, its number, the letters of the requests, the agent's heading at the end."""
        visited = any(step.viewpoint == viewpoint for step in self.walk)
        parts = [(str(viewpoint), STAND if visited else NUMBER)]
        if viewpoint in self.goals:
            parts.insert(0, (signs.goal, GOAL))
        letters = [letter for letter, number in requests(self.walk) if self.walk[number].viewpoint == viewpoint]
        parts += [(letter, ASKED) for letter in letters[:2]]
        if self.walk and self.walk[-1].viewpoint == viewpoint:
            parts.append((_arrow(self.walk[-1].view, signs), STAND))
        return parts

    def _notes(self, signs: Signs) -> Iterator[Text]:
        yield self._key(signs)
        if self.walk:
            stays = signs.then.join(str(stay.viewpoint) for stay in visits(self.walk))
            yield Text.assemble(("Walk  ", "bold"), stays)
        for letter, number in requests(self.walk):
            step = self.walk[number]
            room = self.house.room_of(step.viewpoint)
            where = f"at {step.viewpoint}" + (f", {room.name}" if room and room.label != NO_LABEL else "")
            yield Text.assemble((f"{letter}  ", ASKED), (f"{where}: ", "bright_black"), f"“{spoken(step.said)}”")

    def _key(self, signs: Signs) -> Text:
        entries = [("12", NUMBER, "viewpoint"), (signs.edge * 3, EDGE, "edge")]
        if len(storeys(self.house)) > 1:
            entries.append((signs.up + signs.down, STAIRS, "stairs"))
        if self.walk:
            entries += [("12", STAND, "visited"), (signs.arrows[-1], STAND, "agent"), ("A", ASKED, "asked")]
        if self.goals:
            entries.append((signs.goal, GOAL, "goal"))
        pieces = [((mark, style), f" {meaning}  ") for mark, style, meaning in entries]
        return Text.assemble(*(piece for pair in pieces for piece in pair), style="bright_black")


class _Plot:
    """A storey and the canvas it is drawn on."""

    def __init__(self, house: House, storey: StoreyPanel, box: Bounds, scale: float) -> None:
        self.house = house
        self.storey = storey
        self.here = frozenset(storey.viewpoints)
        self._box = box
        self._scale = scale
        west, south, east, north = box
        self.canvas = Canvas(round((east - west) * scale) + 5, round((north - south) * scale / 2) + 1)

    def cell(self, position: Sequence[float]) -> Cell:
        """The character at a place in the house; two columns are left free on each side for labels."""
        west, _, _, north = self._box
        return round((position[0] - west) * self._scale) + 2, round((north - position[1]) * self._scale / 2)

    def between(self, i: int, j: int) -> tuple[Cell, Cell]:
        """The ends of a line between two viewpoints."""
        return self.cell(self.house.viewpoints[i].position), self.cell(self.house.viewpoints[j].position)


def _draw_edges(plot: _Plot, signs: Signs) -> None:
    for i in plot.storey.viewpoints:
        for j in plot.house.neighbours[i]:
            start, end = plot.between(i, j)
            if j in plot.here:
                plot.canvas.line(start, end, signs.edge, EDGE)
                continue
            end = _part_way(start, end)
            plot.canvas.line(start, end, signs.edge, EDGE)
            rises = plot.house.viewpoints[j].position[2] > plot.house.viewpoints[i].position[2]
            plot.canvas.label(end, [(signs.up if rises else signs.down, STAIRS)])


def _draw_path(plot: _Plot, walk: Sequence[Step], signs: Signs) -> None:
    for a, b in pairwise(visits(walk)):
        start, end = plot.between(a.viewpoint, b.viewpoint)
        if a.viewpoint in plot.here and b.viewpoint in plot.here:
            plot.canvas.line(start, end, signs.path, PATH)
        elif a.viewpoint in plot.here:
            plot.canvas.line(start, _part_way(start, end), signs.path, PATH)
        elif b.viewpoint in plot.here:
            plot.canvas.line(end, _part_way(end, start), signs.path, PATH)


def _part_way(start: Cell, end: Cell) -> Cell:
    """Where a line to another storey ends, which is before its far end: that is not on this floor."""
    return round(start[0] + 0.7 * (end[0] - start[0])), round(start[1] + 0.7 * (end[1] - start[1]))


def _name_room(plot: _Plot, room: Room) -> None:
    if room.label == NO_LABEL:
        return
    if room.box is not None:
        plot.canvas.name(room.name, plot.cell(room.box.low), plot.cell(room.box.high), ROOM)
        return
    for viewpoint in plot.storey.viewpoints:
        if plot.house.viewpoints[viewpoint].room == room.id:
            column, row = plot.cell(plot.house.viewpoints[viewpoint].position)
            reach = len(room.name) + 1
            plot.canvas.name(room.name, (column - reach, row - 2), (column + reach, row + 2), ROOM)
            return


def _arrow(view: int, signs: Signs) -> str:
    """The arrow nearest to a heading."""
    count = len(signs.arrows)
    return signs.arrows[round(view % HEADINGS * count / HEADINGS) % count]


def _in_ascii(line: Text) -> Text:
    """The same without the quotation marks and letters that only Unicode has."""
    line.plain = to_ascii(line.plain)
    return line
