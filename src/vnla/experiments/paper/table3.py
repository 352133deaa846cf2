"""Table 3: an advisor who acts (direct) or only speaks (indirect), with subgoals and without (section 8, "Effects of
subgoals"). Agents are compared where they succeed equally often on Dev seen."""

from __future__ import annotations

from collections.abc import Iterator

from vnla.experiments.paper.evaluations import CANDIDATES, DEV_SEEN, TABLE_3, TESTS, TOLERANCE
from vnla.experiments.paper.findings import gains
from vnla.experiments.paper.naming import OVER_SEEDS, SPLITS, cell
from vnla.experiments.paper.published import TABLE_3 as PAPER
from vnla.experiments.paper.published import TABLE_3_ITERATIONS
from vnla.experiments.paper.results import Results, gain
from vnla.report.document import Finding, Item, Row, Table, Value

_ADVISORS = {"direct-silent": ("Direct", "no"), "direct": ("Direct", "yes"), "indirect": ("Indirect", "yes")}
_NOTE = (
    "The agents are taken at the first validation within {tolerance:g} points of the highest success rate on Dev seen that"
    " both trainings reach, by one seed; where there is none, at the nearest. The two that speak share an agent, since in"
    " training the advisor always acts."
)


def items(results: Results, command: str = "") -> list[Item]:
    """The table and what it shows."""
    rows: list[Row] = []
    for candidate in TABLE_3:
        name = candidate.name
        iteration = Value(results.iterations[candidate.training], paper=TABLE_3_ITERATIONS[name], digits=0)
        tests = [cell(results.figure(name, split), paper=PAPER[name][split]) for split in TESTS]
        rows.append((*_ADVISORS[name], iteration, cell(results.figure(name, DEV_SEEN)), *tests))
    columns = ["Advisor", "Subgoals", "Training iterations", *(f"{SPLITS[split]} (%)" for split in (DEV_SEEN, *TESTS))]
    note = f"Success rates. {_NOTE.format(tolerance=TOLERANCE)} {OVER_SEEDS}"
    return [Table("table-3", "Table 3: advisors on AskNav", columns, rows, note, command), *_findings(results)]


def _findings(results: Results) -> Iterator[Finding]:
    split = TESTS[1]
    silent = results.scores("direct-silent", split)
    for name, words in (("direct", "a direct advisor"), ("indirect", "an indirect advisor")):
        paper = PAPER[name][split].mean - PAPER["direct-silent"][split].mean
        claim = f"Subgoals of {words} raise success over a direct advisor without them on {SPLITS[split]}"
        yield gains(claim, gain(results.scores(name, split), silent), paper)
    yield _needs_longer(results)


def _needs_longer(results: Results) -> Finding:
    """Whether who interprets subgoals needs more iterations for the same success; there is no interval of this."""
    speaking, silent = (results.iterations[CANDIDATES[name].training] for name in ("indirect", "direct-silent"))
    paper = TABLE_3_ITERATIONS["indirect"], TABLE_3_ITERATIONS["direct-silent"]
    detail = f"{speaking:,} and {silent:,} iterations. In the paper {paper[0]:,} and {paper[1]:,}."
    claim = "Agents that interpret subgoals need more iterations for the same success on Dev seen"
    return Finding(claim, None if speaking == silent else speaking > silent, detail)
