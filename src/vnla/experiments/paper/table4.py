"""Table 4: finding objects without being told the room (section 8, "Does the agent learn to identify objects?")."""

from __future__ import annotations

from collections.abc import Iterator

from vnla.experiments.paper.evaluations import TABLE_4, TESTS
from vnla.experiments.paper.findings import gains
from vnla.experiments.paper.naming import DATASETS, OVER_SEEDS, POLICIES, SPLITS, cell
from vnla.experiments.paper.peers import NOTE, PEERS, peer_on
from vnla.experiments.paper.published import TABLE_4 as PAPER
from vnla.experiments.paper.results import Results, gain
from vnla.experiments.paper.trainings import NOROOM, TRAININGS
from vnla.report.document import Finding, Item, Row, Table

BETTER = (
    ("transferred", "noroom-random", "LEARNED, trained on AskNav, succeeds more often than RANDOM, trained on NoRoom,"),
    ("noroom-learned", "transferred", "LEARNED succeeds more often when trained on NoRoom than when trained on AskNav,"),
    ("noroom-learned", "noroom-random", "LEARNED succeeds more often than RANDOM, both trained on NoRoom,"),
)


def items(results: Results, command: str = "") -> list[Item]:
    """The table and what it shows."""
    rows: list[Row] = []
    for candidate in TABLE_4:
        training = TRAININGS[candidate.training]
        tests = [cell(results.figure(candidate.name, split), paper=PAPER[candidate.name][split]) for split in TESTS]
        rows.append((POLICIES[training.help_policy], DATASETS[training.tasks], *tests))
    beside = {name: peer_on(peer, NOROOM) for peer, name in PEERS.items() if results.has(peer_on(peer, NOROOM), TESTS[0])}
    rows += [(name, "none", *(cell(results.figure(peer, split)) for split in TESTS)) for name, peer in beside.items()]
    columns = ["Help policy", "Training set", *(f"{SPLITS[split]} (%)" for split in TESTS)]
    told = f"Success rates. {OVER_SEEDS}{f' {NOTE}' if beside else ''}"
    table = Table("table-4", "Table 4: success on NoRoom", columns, rows, told, command)
    return [table, *_findings(results)]


def _findings(results: Results) -> Iterator[Finding]:
    for better, worse, words in BETTER:
        for split in TESTS:
            found = gain(results.scores(better, split), results.scores(worse, split))
            yield gains(f"{words} on {SPLITS[split]}", found, PAPER[better][split].mean - PAPER[worse][split].mean)
