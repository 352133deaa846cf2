"""Table 7: which of the help-requesting teacher's rules are worth imitating (the appendix, "Qualitative Analysis")."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vnla.evaluation.scores import Scores
from vnla.experiments.paper.evaluations import TESTS
from vnla.experiments.paper.findings import gains, same
from vnla.experiments.paper.naming import OVER_SEEDS, SPLITS, cell
from vnla.experiments.paper.published import TABLE_7
from vnla.experiments.paper.results import Results, gain
from vnla.experiments.paper.trainings import DELTAS
from vnla.report.document import Finding, Item, Row, Table

TEACHERS = {
    "none": "NONE",
    **{f"rules-ae-{delta}": f"Rules (a), (e) (δ = {delta})" for delta in DELTAS},
    "rules-bcd": "Rules (b), (c), (d)",
    "learned": "All rules",
}


def items(results: Results, command: str = "") -> list[Item]:
    """The table and what it shows."""
    rows: list[Row] = [
        (name, *(cell(results.figure(candidate, split), paper=TABLE_7[candidate][split]) for split in TESTS))
        for candidate, name in TEACHERS.items()
    ]
    columns = ["Teacher", *(f"{SPLITS[split]} (%)" for split in TESTS)]
    title = "Table 7: rules of the help-requesting teacher"
    table = Table("table-7", title, columns, rows, f"Success rates of agents that imitate it. {OVER_SEEDS}", command)
    return [table, *_findings(results)]


def _findings(results: Results) -> Iterator[Finding]:
    for split in TESTS:
        every, none = results.scores("learned", split), results.scores("none", split)
        paper = {name: figures[split].mean for name, figures in TABLE_7.items()}
        alike = gain(results.scores("rules-bcd", split), every)
        claim = f"Rules (b), (c), (d) alone do about as well as all rules on {SPLITS[split]}"
        yield same(claim, alike, paper["rules-bcd"] - paper["learned"])
        deviating = [f"rules-ae-{delta}" for delta in DELTAS]
        mean = mean_success([results.scores(name, split) for name in deviating])
        published = float(np.mean([paper[name] for name in deviating]))
        claim = f"Rules (a), (e) succeed more often than not asking on {SPLITS[split]} (mean over δ)"
        yield gains(claim, gain(mean, none), published - paper["none"])
        claim = f"All rules succeed more often than rules (a), (e) on {SPLITS[split]} (mean over δ)"
        yield gains(claim, gain(every, mean), paper["learned"] - published)


def mean_success(scores: list[Scores]) -> Scores:
    """Scores whose success in each episode is the mean over several agents."""
    return scores[0] | {"success": np.mean([each.success for each in scores], axis=0)}
