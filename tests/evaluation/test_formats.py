"""`docs/formats.md` names exactly the fields and columns that an evaluation is written with."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from cottage_players import TASKS, context
from vnla.assistance.help_policies import AtFirst
from vnla.evaluation.evaluate import Evaluation, evaluate
from vnla.evaluation.evaluation_file import write_evaluation
from vnla.evaluation.spreadsheet import Spreadsheet

PAGE = Path(__file__).parents[2] / "docs" / "formats.md"
KINDS = {"truth": "b", "whole": "i", "float64": "f", "text": "U"}


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    return evaluate(context(policy=AtFirst()), TASKS, seeds=[7, 8])


def table(section: str) -> list[list[str]]:
    """The cells of the rows that begin with a name, in the section of that title."""
    text = PAGE.read_text().split(f"\n### {section}\n")[1].split("\n###")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| `")]


def test_the_fields_of_the_archive_with_their_shapes_and_types(evaluation: Evaluation, tmp_path: Path) -> None:
    write_evaluation(tmp_path / "evaluation.npz", evaluation)
    with np.load(tmp_path / "evaluation.npz", allow_pickle=False) as found:
        arrays = dict(found)
    rows = {name.strip("`"): (shape, kind) for name, shape, kind, _ in table("`evaluation.npz`")}
    assert rows.pop("forward")[1] == "text", "it is in files of walks by a plain forward alone"
    assert sorted(rows) == sorted(arrays)
    sizes = {"S": 2, "N": len(TASKS), "E": 2 * len(TASKS), "T": 25, "T + 1": 26, "7": 7, "P": len(evaluation.trace.texts)}
    for name, (shape, kind) in rows.items():
        assert arrays[name].shape == tuple(sizes[each] for each in shape.split(", ")), name
        assert arrays[name].dtype.kind == KINDS[kind], name


def test_the_columns_of_the_spreadsheet(evaluation: Evaluation) -> None:
    sheet = Spreadsheet()
    sheet.add("run", "split", evaluation)
    header = sheet.text().splitlines()[0].split(",")
    assert header == [name for names, _ in table("The CSV file") for name in re.findall(r"`([^`]+)`", names)]
