"""Table 2: five help-requesting policies on AskNav, seen and unseen (section 8, "Main results")."""

from __future__ import annotations

from collections.abc import Iterator

from vnla.evaluation.confidence import minus
from vnla.evaluation.metrics import METRICS
from vnla.experiments.paper.evaluations import TESTS
from vnla.experiments.paper.findings import gains, same
from vnla.experiments.paper.naming import FIGURES, OVER_SEEDS, POLICIES, SPLITS, cell
from vnla.experiments.paper.peers import NOTE, PEERS
from vnla.experiments.paper.published import TABLE_2
from vnla.experiments.paper.results import Results, gain
from vnla.report.document import Finding, Group, Item, Row, Table

BETTER = (
    ("learned", "random", "success_rate", TESTS),
    ("learned", "first", "success_rate", TESTS),
    ("learned", "none", "success_rate", TESTS),
    ("first", "none", "success_rate", TESTS),
    ("random", "first", "success_rate", TESTS),
    ("first", "random", "room_success_rate", TESTS[:1]),
)
"""Who is better than whom in what, on which splits, as the paper says."""
_DOES = {"success_rate": "succeeds more often", "room_success_rate": "finds the room more often"}


def items(results: Results, command: str = "") -> list[Item]:
    """The table and what it shows."""
    rows: list[Row | Group] = []
    for split in TESTS:
        rows.append(Group(SPLITS[split]))
        for policy, name in POLICIES.items():
            paper = TABLE_2[split][policy]
            figures = [cell(results.figure(policy, split, metric), metric, paper[metric]) for metric in FIGURES]
            rows.append((name, *figures))
        for peer, name in PEERS.items():
            if results.has(peer, split):
                rows.append((name, *(cell(results.figure(peer, split, metric), metric) for metric in FIGURES)))
    told = f" {NOTE}" if any(results.has(peer, split) for peer in PEERS for split in TESTS) else ""
    table = Table(
        "table-2",
        "Table 2: help-requesting policies on AskNav",
        ["Help policy", *FIGURES.values()],
        rows,
        f"{OVER_SEEDS} NONE never asks, so its budgets change nothing. TEACHER is the agent of LEARNED, asking as the help"
        f" teacher tells it to: in training LEARNED does so, too.{told}",
        command,
    )
    return [table, *_findings(results)]


def _findings(results: Results) -> Iterator[Finding]:
    for better, worse, metric, splits in BETTER:
        for split in splits:
            claim = f"{POLICIES[better]} {_DOES[metric]} than {POLICIES[worse]} on {SPLITS[split]}"
            found = gain(results.scores(better, split), results.scores(worse, split), metric)
            yield gains(claim, found, published_gain(split, better, worse, metric))
    for split in TESTS:
        claim = f"LEARNED and TEACHER succeed about equally often on {SPLITS[split]}: the teacher is easy to imitate"
        found = gain(results.scores("learned", split), results.scores("teacher", split))
        yield same(claim, found, published_gain(split, "learned", "teacher"))
    for policy in ("first", "random", "learned", "teacher"):
        yield _worth_more_unseen(results, policy)


def _worth_more_unseen(results: Results, policy: str) -> Finding:
    """Whether asking gains more over not asking in unseen houses than in seen ones."""
    seen, unseen = (gain(results.scores(policy, split), results.scores("none", split)) for split in TESTS)
    seen_paper, unseen_paper = (published_gain(split, policy, "none") for split in TESTS)
    claim = f"{POLICIES[policy]} gains more over NONE on Test unseen than on Test seen"
    return gains(claim, minus(unseen, seen), unseen_paper - seen_paper)


def published_gain(split: str, better: str, worse: str, metric: str = "success_rate") -> float:
    """By how much one policy is better than another in the paper."""
    difference = TABLE_2[split][better][metric].mean - TABLE_2[split][worse][metric].mean
    return -difference if METRICS[metric].lower_is_better else difference
