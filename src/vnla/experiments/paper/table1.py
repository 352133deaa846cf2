"""Tables 1 and 5: the splits of AskNav and NoRoom, in numbers."""

from __future__ import annotations

from vnla.experiments.paper.naming import DATASETS, SPLITS
from vnla.experiments.paper.published import LONG_SHARE
from vnla.experiments.paper.published import SPLITS as PAPER
from vnla.experiments.paper.results import Results
from vnla.report.document import Item, Row, Table, Value
from vnla.tasks.statistics import LONG, dataset_statistics

NUMBERS = {"asknav": 1, "noroom": 5}
"""Data set → number of its table in the paper."""


def items(results: Results, dataset: str, command: str = "") -> list[Item]:
    """The table of a data set."""
    rows: list[Row] = []
    for split, found in dataset_statistics(results.dataset(dataset)).items():
        paper = PAPER[dataset][split]
        long = None if found.long_share is None else 100 * found.long_share
        stated = LONG_SHARE if (dataset, split) == ("asknav", "train") else None
        rows.append(
            (
                SPLITS[split],
                Value(found.points, paper=paper.points, digits=0),
                Value(found.goals, paper=paper.goals, digits=0),
                found.buildings,
                None if long is None else Value(long, unit="%", paper=stated, digits=0),
            )
        )
    columns = ["Split", "Data points", "Goals", "Houses", f"Paths of {LONG} actions or more (%)"]
    title = f"Table {NUMBERS[dataset]}: {DATASETS[dataset]} splits"
    note = (
        "A data point has one start viewpoint and one or more goal viewpoints. The paper states the last column for all of"
    )
    return [
        Table(f"table-{NUMBERS[dataset]}", title, columns, rows, f"{note} AskNav, and only roughly.", command),
    ]
