"""The table of simulated coverage is that of the file beside it."""

from __future__ import annotations

import json
import re

from pages import ROOT

CELL = re.compile(r"(\d+\.\d) \((\d+\.\d)\)")


def test_every_number_of_the_table_is_in_the_file() -> None:
    text = (ROOT / "docs" / "scores.md").read_text(encoding="utf-8")
    rows = json.loads((ROOT / "results" / "coverage" / "coverage.json").read_text(encoding="utf-8"))["rows"]
    lines = {int(line.split("|")[1]): CELL.findall(line) for line in text.splitlines() if CELL.search(line)}
    assert sorted(lines) == sorted({row["houses"] for row in rows})
    for houses, cells in lines.items():
        found = iter((row["covers"], row["percentile_bootstrap_covers"]) for row in rows if row["houses"] == houses)
        told = [(float(covers), float(other)) for covers, other in cells]
        assert len(told) == 8 and all(each in found for each in told), f"{houses} houses: another order, or other numbers"
