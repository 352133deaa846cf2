"""People's sentences lead at least as often where their walks end as the results file says, which has a command."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from benchmarks.experiments.people import boxed, held
from vnla.language.handwritten import handwritten
from vnla.language.reader import READER_VERSION

RESULTS = Path(__file__).parents[2] / "results" / "language" / "understanding" / "boxes.json.gz"


def test_no_sentence_is_lost_in_a_few_houses() -> None:
    """In houses whose views are worked out from boxes, which is quick."""
    kept = json.loads(gzip.decompress(RESULTS.read_bytes()))
    assert kept["reader"] == READER_VERSION, "make the results again: they are of another reader"
    found = boxed(held(handwritten()))
    assert list(found) == list(kept["boxes"])
    for column, what in enumerate(("without", "with")):
        before, now = (sum(row[column] == "1" for row in rows.values()) for rows in (kept["boxes"], found))
        assert now >= before, f"{what} the number of actions: {now} of {len(found)} sentences, {before} before"
