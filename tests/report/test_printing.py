"""Printing on any terminal: tables at every width, and text in ASCII."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

from vnla.report.printing import SafeConsole, Table, harmless, make_printable, to_ascii

FIGURES = ("12,345.67", "0.12 ± 0.03", "−1.5")


def table(columns: int) -> Table:
    made = Table("", *(f"split {i}" for i in range(columns)), title="Title", caption="Caption")
    for name in ("success rate", "navigation error, m"):
        made.add_row(name, *(FIGURES[i % len(FIGURES)] for i in range(columns)))
    return made


def printed(what: Table, width: int) -> str:
    stream = io.StringIO()
    Console(file=stream, width=width, color_system=None).print(what)
    return stream.getvalue()


@pytest.mark.parametrize("width", [30, 40, 60, 80, 120])
@pytest.mark.parametrize("columns", [1, 2, 5, 8])
def test_no_figure_is_cut_and_no_line_too_long(width: int, columns: int) -> None:
    text = printed(table(columns), width)
    numbers = [number for i in range(columns) for number in re.findall(r"[−\d.,]+", FIGURES[i % len(FIGURES)])]
    assert sorted(re.findall(r"[−\d.,]*\.\d+", text)) == sorted(2 * numbers)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    assert (text.count("Title"), text.count("Caption")) == (1, 1)


def test_a_table_that_fits_is_one() -> None:
    assert printed(table(2), 80).count("success rate") == 1
    assert printed(table(8), 60).count("success rate") > 1


def test_a_column_on_one_line_stays_on_one_line() -> None:
    made = table(5)
    for column in made.columns[1:]:
        column.no_wrap = True
    assert printed(made, 40).count("0.12 ± 0.03") == 4


def test_where_there_is_no_room_at_all_nothing_is_lost() -> None:
    made = Table("", "value")
    made.add_row("an-endless-name-of-thirty-signs", "123456789012345678901234567890")
    rows = [re.findall(r"│ (\S*) *│ (\S*) *│", line) for line in printed(made, 20).splitlines()]
    assert "".join(row[0][1] for row in rows if row) == "123456789012345678901234567890"


@given(st.text())
def test_any_text_has_a_form_in_ascii(text: str) -> None:
    assert to_ascii(text).isascii()
    assert to_ascii("plain") == "plain"


def test_signs_are_replaced_by_their_likeness() -> None:
    assert to_ascii("“τ ≤ 0.4 … 1 → 2”, Café, ┌─┐│") == '"tau <= 0.4 ... 1 -> 2", Cafe, +-+|'


@pytest.mark.parametrize(
    ("encoding", "written"), [("ascii", "tau 2 x e -> ?"), ("latin-1", "tau 2 × é -> ?"), ("utf-8", "τ 2 × é → 走")]
)
def test_a_stream_writes_what_it_can(encoding: str, written: str) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    make_printable(stream)
    stream.write("τ 2 × é → 走")
    stream.flush()
    assert raw.getvalue().decode(encoding) == written


def test_characters_that_a_terminal_obeys_are_shown() -> None:
    assert harmless("find a \x1b[2J\x07towel\x7f") == "find a ␛[2J␇towel␡"
    assert harmless("a\nb\tc → π") == "a\nb\tc → π"
    assert harmless("x\ud800\u202ey\x9b") == "x\ufffd\ufffdy\ufffd"


@given(st.text())
def test_nothing_harmful_is_left_in_any_text(text: str) -> None:
    left = harmless(text)
    assert not {chr(code) for code in (*range(9), *range(11, 32), *range(127, 160))} & set(left)
    left.encode()


def test_a_console_for_strangers_texts_keeps_its_own_colours() -> None:
    stream = io.StringIO()
    SafeConsole(file=stream, force_terminal=True, color_system="standard").print(Text("no\x1b[31mpe", style="bold"))
    assert stream.getvalue() == "\x1b[1mno␛[31mpe\x1b[0m\n"


def test_half_of_a_pair_of_surrogates_can_be_written() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    make_printable(stream)
    stream.write("a\ud800")
    stream.flush()
    assert stream.buffer.getvalue() == b"a\\ud800"  # type: ignore[attr-defined]
