"""Printing on whatever terminal there is: tables that never cut a figure, text where there is nothing but ASCII, and
untrusted text that does nothing to the terminal.

make_printable(sys.stdout)
Console().print(Table("", "Test seen", "Test unseen"))
"""

from __future__ import annotations

import codecs
import copy
import io
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TextIO

import rich.table
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment

_ENDLESS = 10_000
_KEPT = "\n\t"
_TURNING = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"  # have text run backwards
_PLAIN = "plain-ascii"
_IN_ASCII = {
    "“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "…": "...", "–": "-", "—": "-", "−": "-", "·": ".", "•": "o",
    "●": "@", "★": "*", "▲": "U", "▼": "D", "→": "->", "←": "<-", "↑": "^", "↓": "v", "↗": "^", "↘": "v", "↙": "v",
    "↖": "^", "×": "x", "±": "+-", "≤": "<=", "≥": ">=", "≈": "~", "°": " deg", "✓": "+", "✗": "x", "∞": "inf", "√": "sqrt ",
    "α": "alpha", "β": "beta", "δ": "delta", "ε": "epsilon", "μ": "mu", "µ": "mu", "π": "pi", "τ": "tau", "ß": "ss",
}  # fmt: skip


class Table(rich.table.Table):
    """A table that never cuts a figure: columns that have no room beside the first stand below it, in one more table.

    Words may go on in the next line where a column's `no_wrap` does not forbid it.
    """

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Rich calls this."""
        if len(self.columns) < 2:
            yield from super().__rich_console__(console, options)
            return
        for part in self._parts(console, options):
            yield from rich.table.Table.__rich_console__(part, console, options)

    def _parts(self, console: Console, options: ConsoleOptions) -> Iterator[Table]:
        """The table, or several with the same first column that each fit."""
        first, *others = self.columns
        done = 0
        while done < len(others):
            tried = (self._of(first, *others[done:end]) for end in range(len(others), done, -1))
            part = next((part for part in tried if part._fits(console, options)), None)
            part = part or self._of(_foldable(first), _foldable(others[done]))
            part.title = None if done else self.title
            done += len(part.columns) - 1
            part.caption = self.caption if done == len(others) else None
            yield part

    def _of(self, *columns: rich.table.Column) -> Table:
        """The same table with these columns alone."""
        part = copy.copy(self)
        part.columns = [replace(column, _index=place) for place, column in enumerate(columns)]
        return part

    def _fits(self, console: Console, options: ConsoleOptions) -> bool:
        """Whether every column gets the width of its longest word, or of its longest cell where that is one line."""
        inside = options.update_width(options.max_width - self._extra_width)
        sizes = [self._measure_column(console, inside.update_width(_ENDLESS), column) for column in self.columns]
        needed = [size.maximum if column.no_wrap else size.minimum for size, column in zip(sizes, self.columns, strict=True)]
        given = self._calculate_column_widths(console, inside)
        return sum(given) <= inside.max_width and all(has >= needs for has, needs in zip(given, needed, strict=True))


def _foldable(column: rich.table.Column) -> rich.table.Column:
    """The same, going on in the next line wherever the width ends: where there is room for nothing better."""
    return replace(column, no_wrap=False, overflow="fold")


class SafeConsole(Console):
    """A console on which no text does anything but stand there: escape characters are shown, not obeyed."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Rich calls this."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=harmless(segment.text))


def harmless(text: str) -> str:
    """The text with signs in the place of characters that a terminal would obey, or that no file can hold."""
    return text if text.isprintable() else "".join(map(_harmless, text))


def _harmless(character: str) -> str:
    code = ord(character)
    if character in _KEPT:
        return character
    if code < 0x20 or code == 0x7F:
        return chr(0x2421 if code == 0x7F else 0x2400 + code)  # the picture of that character
    return "\ufffd" if character in _TURNING or unicodedata.category(character) in ("Cc", "Cs") else character


def to_ascii(text: str) -> str:
    """The text in ASCII: signs by others that mean the same, letters without accents, and ? for what has no likeness."""
    return "".join(character if character.isascii() else _plain(character) for character in text)


def _plain(character: str) -> str:
    if character in _IN_ASCII:
        return _IN_ASCII[character]
    if "─" <= character <= "╿":
        return "-" if character in "─━═╌╍┄┅┈┉╴╶╸╺" else "|" if character in "│┃║╎╏┆┇┊┋╵╷╹╻" else "+"
    likeness = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
    return likeness or "?"


def make_printable(stream: TextIO) -> None:
    """Let a stream that cannot hold every character write others in their place instead of failing."""
    if not isinstance(stream, io.TextIOWrapper):
        return
    encoding = codecs.lookup(stream.encoding or "ascii").name
    if encoding.startswith("utf"):
        stream.reconfigure(errors="backslashreplace")  # half of a pair of surrogates
        return
    # Typer believes that ASCII is a mistake and writes UTF-8 instead, unless it is called something else.
    stream.reconfigure(encoding=_PLAIN if encoding == "ascii" else None, errors=_PLAIN)


def _replaced(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return to_ascii(error.object[error.start : error.end]), error.end


def _codec(name: str) -> codecs.CodecInfo | None:
    if name.replace("_", "-") != _PLAIN:
        return None
    ascii_codec = codecs.lookup("ascii")
    return codecs.CodecInfo(
        ascii_codec.encode,
        ascii_codec.decode,
        incrementalencoder=ascii_codec.incrementalencoder,
        incrementaldecoder=ascii_codec.incrementaldecoder,
        name=_PLAIN,
    )


codecs.register(_codec)
codecs.register_error(_PLAIN, _replaced)
