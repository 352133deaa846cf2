"""A grid of characters to draw on: walls that join, lines, and labels that do not cover each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

from rich.text import Text

Cell = tuple[int, int]
"""Column and row; row 0 is the top."""

_NORTH, _EAST, _SOUTH, _WEST = 1, 2, 4, 8
_WALLS = " ╵╶└╷│┌├╴┘─┴┐┤┬┼"
"""The wall that leaves a cell towards the north (1), east (2), south (4) and west (8)."""
_ASCII_WALLS = " |-+||++-+-+++++"
WALL = "bright_black"


class Canvas:
    """`columns` × `rows` characters. Walls lie under lines, lines under names, names under labels."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns = columns
        self.rows = rows
        self._walls: dict[Cell, int] = {}
        self._lines: dict[Cell, tuple[str, str]] = {}
        self._labels: dict[Cell, tuple[str, str]] = {}

    def box(self, corner: Cell, opposite: Cell) -> None:
        """The walls of a room."""
        (left, right), (top, bottom) = (sorted(pair) for pair in zip(corner, opposite, strict=True))
        for row in (top, bottom):
            for column in range(left, right):
                self._wall((column, row), _EAST)
                self._wall((column + 1, row), _WEST)
        for column in (left, right):
            for row in range(top, bottom):
                self._wall((column, row), _SOUTH)
                self._wall((column, row + 1), _NORTH)

    def line(self, start: Cell, end: Cell, character: str, style: str) -> None:
        """A straight row of characters; a later line covers an earlier one."""
        count = max(abs(end[0] - start[0]), abs(end[1] - start[1]), 1)
        for i in range(count + 1):
            column = start[0] + (end[0] - start[0]) * i / count
            row = start[1] + (end[1] - start[1]) * i / count
            self._lines[round(column), round(row)] = (character, style)

    def label(self, at: Cell, parts: Sequence[tuple[str, str]], otherwise: str | None = None) -> None:
        """Texts with their styles, side by side and centred on a cell; just the sign `otherwise` where they do not fit."""
        characters = [(character, style) for text, style in parts for character in text]
        left = max(0, min(at[0] - (len(characters) - 1) // 2, self.columns - len(characters)))
        cells = [(left + i, at[1]) for i in range(len(characters))]
        if not _spread(cells).isdisjoint(self._labels):
            if otherwise is not None:
                self._labels.setdefault(at, (otherwise, parts[0][1]))
            return
        self._labels.update(zip(cells, characters, strict=True))

    def name(self, text: str, corner: Cell, opposite: Cell, style: str) -> None:
        """A text inside of a box, in the first row with space for it: off all lines if possible, else off all labels."""
        (left, right), (top, bottom) = (sorted(pair) for pair in zip(corner, opposite, strict=True))
        left, right, top, bottom = max(left, -1), min(right, self.columns), max(top, -1), min(bottom, self.rows)
        for taken in (self._labels | self._lines, self._labels):
            for lines in _foldings(text, right - left - 1):
                rows = range(top + 1, bottom - len(lines) + 1)
                columns = range(left + 1, right - max(map(len, lines)) + 1)
                for row, column in product(rows, columns):
                    cells = _cells(lines, column, row)
                    if _spread(cells).isdisjoint(taken):
                        self._labels.update({cell: (character, style) for cell, character in cells.items()})
                        return

    def text(self, ascii_only: bool) -> Text:
        """What was drawn, without the blanks at the ends of lines."""
        lines = []
        for row in range(self.rows):
            line = Text.assemble(*(self._character((column, row), ascii_only) for column in range(self.columns)))
            line.rstrip()
            lines.append(line)
        return Text("\n", no_wrap=True).join(lines)

    def _character(self, cell: Cell, ascii_only: bool) -> tuple[str, str]:
        if cell in self._labels:
            return self._labels[cell]
        if cell in self._lines:
            return self._lines[cell]
        walls = _ASCII_WALLS if ascii_only else _WALLS
        return walls[self._walls.get(cell, 0)], WALL

    def _wall(self, cell: Cell, direction: int) -> None:
        self._walls[cell] = self._walls.get(cell, 0) | direction


def _cells(lines: Sequence[str], column: int, row: int) -> dict[Cell, str]:
    return {(column + i, row + j): character for j, line in enumerate(lines) for i, character in enumerate(line)}


def _spread(cells: Iterable[Cell]) -> set[Cell]:
    """The cells and their neighbours left and right: what stands side by side is read as one word."""
    return {(column + side, row) for column, row in cells for side in (-1, 0, 1)}


def _foldings(text: str, width: int) -> list[list[str]]:
    """The ways to write a name: on one line, a word to a line, or cut to the width."""
    words = text.split()
    ways = [[text], words] if len(words) > 1 else [[text]]
    return [way for way in ways if max(map(len, way)) <= width] + ([[text[:width]]] if 3 <= width < len(text) else [])
