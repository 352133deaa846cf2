"""What a report says: how numbers read, what tables become, and that a folder gets all of it."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from vnla.evaluation.confidence import Estimate, Interval
from vnla.report.document import (
    Document,
    EpisodeFrame,
    EpisodeReport,
    Figure,
    Finding,
    Provenance,
    ReportTable,
    RowGroup,
    Section,
    Value,
    duration,
    image_type,
)
from vnla.report.table_formats import csv_text, escaped, latex, table_as_dict, terminal
from vnla.report.writing import write

DOT = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)  # a PNG of one pixel
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"/>'

TABLE = ReportTable(
    "table-2",
    "Help policies",
    ["Policy", "Success (%)", "Tasks"],
    [
        RowGroup("Test seen"),
        ("LEARNED", Value(52.123, 51.923, 52.323, "%", paper=52.09, paper_margin=0.13), 1500),
        ("NONE & co_1", Value(28.4, unit="%"), None),
        RowGroup("Test unseen"),
        ("LEARNED", Value(math.nan, unit="%"), 4),
    ],
    note="τ = 0.4",
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Value(52.123, 51.923, 52.323, "%"), "52.1 ± 0.2"),
        (Value(52.1, 49.84, 53.0, "%"), "52.1 (49.8 to 53.0)"),  # 2.3 below, 0.9 above
        (Value(3.456, unit="m"), "3.46"),
        (Value(-3.456, unit="m"), "−3.46"),
        (Value(-0.001, unit="m"), "0.00"),
        (Value(1234.5, digits=0), "1,234"),
        (Value(math.nan, unit="%"), "–"),
    ],
)
def test_how_numbers_read(value: Value, text: str) -> None:
    assert value.text == text


def test_a_number_in_a_sentence_has_its_unit() -> None:
    assert str(Value(52.123, 51.923, 52.323, "%")) == "52.1 ± 0.2%"
    assert str(Value(3.456, unit="m")) == "3.46 m"
    assert Value(1, unit="%", paper=52.09, paper_margin=0.13).paper_text == "52.1 ± 0.1"


def test_values_come_from_what_evaluation_finds() -> None:
    over_seeds, one_seed = Estimate(50.0, 2.0, (48.0, 52.0)), Estimate(50.0, math.nan, (50.0,))
    assert (Value.of(over_seeds, "%").low, Value.of(over_seeds, "%").high) == (48, 52)
    assert Value.of(one_seed, "%").text == "50.0"
    assert Value.of(Interval(50.0, 45.0, 52.0), "%").text == "50.0 (45.0 to 52.0)"


@given(st.floats(-100, 100) | st.floats(-0.1, 0.1), st.floats(0, 1), st.floats(0, 1))
def test_a_finding_can_be_told_exactly_where_its_interval_is_on_one_side(gain: float, below: float, above: float) -> None:
    finding = Finding.difference("more", gain, gain - below, gain + above)
    bounds = re.search(r"interval (\S+) to (\S+)\)", finding.detail)
    assert bounds is not None
    low, high = (float(bound.replace("−", "-")) for bound in bounds.groups())  # as they are printed
    assert (finding.holds is True) == (low > 0)
    assert (finding.holds is False) == (high < 0)
    assert (finding.holds is None) == (low <= 0 <= high)
    assert max(abs(low - (gain - below)), abs(high - (gain + above))) < 0.051


def test_a_bound_that_is_almost_zero_is_seen_not_to_be() -> None:
    finding = Finding.difference("more", -0.5, -1.02, -0.003)
    assert finding.verdict == "does not hold"
    assert finding.detail == "−0.5 points (95% interval −1.0 to −0.003)."
    undecided = Finding.difference("more", -0.5, -1.02, 0.0).detail
    assert undecided.startswith("−0.5 points (95% interval −1.0 to 0.0). The interval contains zero")
    assert Finding.difference("more", 1, 1e-9, 2).verdict == "inconclusive"


def test_a_finding_says_by_how_much() -> None:
    finding = Finding.difference("LEARNED beats RANDOM", 9.11, 8.04, 10.2, more="In the paper +9.1.")
    assert finding.detail == "+9.1 points (95% interval +8.0 to +10.2). In the paper +9.1."
    assert finding.verdict == "holds"
    assert Finding.difference("x", -0.2, -0.4, -0.1).verdict == "does not hold"
    assert Finding.difference("x", 0.5, math.nan, math.nan).verdict == "inconclusive"


def test_tables_and_documents_refuse_what_cannot_be_right() -> None:
    with pytest.raises(ValueError, match="row 1 should have 2 cells"):
        ReportTable("t", "T", ["a", "b"], [("one",)])
    with pytest.raises(ValueError, match="is not a name"):
        ReportTable("../t", "T", ["a"], [])
    with pytest.raises(ValueError, match="more than one item is named table-2"):
        Document("D", "", [Section("S", "", [TABLE]), Section("S", "", [TABLE])])


def test_csv_has_every_number_in_full() -> None:
    rows = list(csv.DictReader(io.StringIO(csv_text(TABLE))))
    assert [row["group"] for row in rows] == ["Test seen", "Test seen", "Test unseen"]
    assert rows[0] == {
        "group": "Test seen", "Policy": "LEARNED", "Success (%)": "52.123", "Success (%) low": "51.923",
        "Success (%) high": "52.323", "Success (%) paper": "52.09", "Tasks": "1500",
    }  # fmt: skip
    assert rows[1]["Success (%) low"] == rows[1]["Tasks"] == rows[2]["Success (%)"] == ""


def test_json_has_null_for_what_is_not_known() -> None:
    found = json.loads(json.dumps(table_as_dict(TABLE), allow_nan=False))
    assert found["rows"][2] == {"group": "Test unseen", "cells": ["LEARNED", {"mean": None, "unit": "%"}, 4]}
    assert found["rows"][0]["cells"][1]["paper"] == 52.09


def test_latex_has_a_row_for_each_and_escapes() -> None:
    text = latex(TABLE)
    assert r"\begin{tabular}{lrr}" in text
    assert r"LEARNED & 52.1 $\pm$ 0.2 {\scriptsize\textcolor{gray}{52.1 $\pm$ 0.1}} & 1,500 \\" in text
    assert r"NONE \& co\_1 & 28.4 & -- \\" in text
    assert text.count(r"\multicolumn{3}{l}") == 2
    assert r"$\tau$ = 0.4" in text
    assert escaped(r"a\b{c}$#^~") == r"a\textbackslash{}b\{c\}\$\#\textasciicircum{}\textasciitilde{}"


def test_the_terminal_shows_the_papers_figure_in_parentheses() -> None:
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(terminal(TABLE))
    text = console.export_text()
    assert "52.1 ± 0.2 (52.1)" in text
    assert "Test unseen" in text
    assert "In parentheses: the paper." in text


def test_brackets_in_a_table_are_no_markup() -> None:
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(terminal(ReportTable("t", "[red]T", ["[b]"], [("[/]",)])))
    assert "[/]" in console.export_text(clear=False)
    assert "[red]T" in console.export_text()


def test_a_folder_gets_everything(tmp_path: Path) -> None:
    figure = Figure("figure-1", "F", SVG, "a curve", "C", {"x": [1.0, math.nan]})
    episode = EpisodeReport("episode-1", "Find it.", True, "at a goal", map=DOT, frames=[EpisodeFrame(DOT, "a", "t")])
    document = Document(
        "D", "S", [Section("One", "", [TABLE, Finding("f", None)]), Section("Two", "", [figure, episode])],
        Provenance(["vnla paper"], seeds=[1, 2]),
    )  # fmt: skip
    page = write(document, tmp_path / "new")
    found = sorted(str(path.relative_to(tmp_path / "new")) for path in page.parent.rglob("*") if path.is_file())
    assert found == [
        "document.json", "episodes/episode-1-map.png", "figures/figure-1.json", "figures/figure-1.svg", "report.html",
        "tables/table-2.csv", "tables/table-2.json", "tables/table-2.tex",
    ]  # fmt: skip
    saved = json.loads((page.parent / "document.json").read_text())
    assert [item["kind"] for section in saved["sections"] for item in section["items"]] == [
        "table", "finding", "figure", "episode",
    ]  # fmt: skip
    assert saved["sections"][1]["items"][0]["data"] == {"x": [1.0, None]}
    assert saved["provenance"]["seeds"] == [1, 2]
    before = {path: path.read_bytes() for path in page.parent.rglob("*") if path.is_file()}
    write(document, page.parent)  # again, over the first
    assert before == {path: path.read_bytes() for path in page.parent.rglob("*") if path.is_file()}


def test_pictures_are_known_by_their_first_bytes() -> None:
    assert (image_type(DOT), image_type(SVG), image_type(b"\xff\xd8\xff\xe0")) == ("png", "svg", "jpeg")


@pytest.mark.parametrize(("seconds", "text"), [(3.25, "3.2 s"), (59.9, "60 s"), (600, "10 min"), (3720, "1 h 02 min")])
def test_durations_read_as_people_say_them(seconds: float, text: str) -> None:
    assert duration(seconds) == text
