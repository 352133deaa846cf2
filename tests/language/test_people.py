"""People's sentences lead at least as often where their walks end as the results file says, which has a command."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from benchmarks.experiments.people import boxed
from vnla.language.handwritten import Written, handwritten
from vnla.language.reader import READER_VERSION

RESULTS = Path(__file__).parents[2] / "results" / "language" / "understanding" / "people.json.gz"
HOUSES = 6


def check(lines: list[Written]) -> None:
    kept = json.loads(gzip.decompress(RESULTS.read_bytes()))
    assert kept["reader"] == READER_VERSION, "make the results again: they are of another reader"
    wanted = dict(zip(kept["walks"], kept["boxes"], strict=True))
    names = [f"{line.house_name} {line.viewpoint} {line.view}: {line.sentence}" for line in lines]
    found = boxed(lines)
    for column, what in enumerate(("without", "with")):
        before, now = (sum(row[column] == "1" for row in rows) for rows in ([wanted[name] for name in names], found))
        assert now >= before, f"{what} the number of actions: {now} of {len(lines)} sentences, {before} before"


def test_no_sentence_is_lost_in_a_few_houses() -> None:
    some = sorted({line.house_name for line in handwritten()})[::10][:HOUSES]
    check([line for line in handwritten() if line.house_name in some])


@pytest.mark.slow
def test_no_sentence_is_lost() -> None:
    check(handwritten())
