"""The paper's tables, with its figures beside ours, and below each what it shows.

Tables 1 and 5 are the splits of AskNav and NoRoom in numbers, Table 2 five help policies on AskNav, Table 3 an advisor who
acts or only speaks, Table 4 objects without rooms, Table 6 hyperparameters, Table 7 the help teacher's rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from functools import partial
from typing import Any

import numpy as np

from vnla.agents.config import AgentConfig
from vnla.evaluation.confidence import Estimate, minus, seeds_note
from vnla.evaluation.metrics import METRICS
from vnla.evaluation.scores import SUCCESS_RADIUS, Scores
from vnla.experiments.evaluations import NOTE, PEERS, TESTS, peer_on
from vnla.experiments.paper import candidates, published
from vnla.experiments.paper.candidates import CANDIDATES, DELTAS, DEV_SEEN, TOLERANCE, TRAININGS
from vnla.experiments.paper.paper_results import PaperResults, gain
from vnla.experiments.paper.published import Published
from vnla.experiments.reporting import SPLITS, gains, same
from vnla.experiments.trainings import NOROOM
from vnla.report.document import Finding, Item, ReportTable, Row, RowGroup, Value
from vnla.tasks.statistics import LONG, PAPER, dataset_statistics

POLICIES = {"none": "NONE", "first": "FIRST", "random": "RANDOM", "learned": "LEARNED", "teacher": "TEACHER"}
OURS = {policy: policy.upper() for policy in candidates.OURS}
"""Help policies beside those of Table 2, and what tables call them."""
DATASETS = {"asknav": "AskNav", "noroom": "NoRoom"}
NUMBERS = {"asknav": 1, "noroom": 5}
"""Data set → number of its table in the paper."""
FIGURES = {
    "success_rate": "Success rate (%)",
    "room_success_rate": "Room-finding success rate (%)",
    "nav_error": "Mean navigation error (m)",
}
_SENSORS = (
    "Trained agents have the paper's sensors (view only), and all walk with the paper's forward (informed), which knows the"
    " goal."
)


def over_seeds_note(results: PaperResults) -> str:
    """Return what stands below every table with figures over seeds: what ± is over, and which interval is wider."""
    over = seeds_note(len(results.preset.seeds))
    return f"{over} `vnla score` has intervals over houses, which are wider. {_SENSORS}"


def cell(found: Estimate, metric: str = "success_rate", paper: Published | None = None) -> Value:
    """Return a figure with the paper's beside it."""
    mean, margin = paper or (None, None)
    return Value.of(found, METRICS[metric].unit, mean, margin)


def data_set(results: PaperResults, dataset: str, command: str = "") -> list[Item]:
    """The table of a data set."""
    rows: list[Row] = []
    for split, found in dataset_statistics(results.dataset(dataset)).items():
        paper = PAPER[dataset][split]
        long = None if found.long_share is None else 100 * found.long_share
        stated = published.LONG_SHARE if (dataset, split) == ("asknav", "train") else None
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
    return [ReportTable(f"table-{NUMBERS[dataset]}", title, columns, rows, f"{note} AskNav, and only roughly.", command)]


_BETTER_POLICIES = (
    ("learned", "random", "success_rate", TESTS),
    ("learned", "first", "success_rate", TESTS),
    ("learned", "none", "success_rate", TESTS),
    ("first", "none", "success_rate", TESTS),
    ("random", "first", "success_rate", TESTS),
    ("first", "random", "room_success_rate", TESTS[:1]),
)
"""Who is better than whom in what, on which splits, as the paper says."""
OURS_NOTE = (
    "SPACED is ours, not the paper's, with a training of its own: it asks at the first step and whenever the subgoal is"
    " over, until the budget is used up."
)
_DOES = {"success_rate": "succeeds more often", "room_success_rate": "finds the room more often"}


def help_policies(results: PaperResults, command: str = "") -> list[Item]:
    """The table and what it shows."""
    rows: list[Row | RowGroup] = []
    for split in TESTS:
        rows.append(RowGroup(SPLITS[split]))
        for policy, name in POLICIES.items():
            paper = published.TABLE_2[split][policy]
            figures = [cell(results.figure(policy, split, metric), metric, paper[metric]) for metric in FIGURES]
            rows.append((name, *figures))
        for peer, name in {**_named_ours(), **PEERS}.items():
            if results.layout.has_evaluation(peer, split):
                rows.append((name, *(cell(results.figure(peer, split, metric), metric) for metric in FIGURES)))
    notes = {tuple(OURS): OURS_NOTE, tuple(PEERS): NOTE}
    note = "".join(f" {each}" for names, each in notes.items() if any(_is_there(results, name) for name in names))
    table = ReportTable(
        "table-2",
        "Table 2: help-requesting policies on AskNav",
        ["Help policy", *FIGURES.values()],
        rows,
        f"{over_seeds_note(results)} NONE never asks, so its budgets change nothing. TEACHER is the agent of LEARNED, asking"
        f" as the help teacher tells it to: in training LEARNED does so, too.{note}",
        command,
    )
    return [table, *_policy_findings(results), *_our_findings(results)]


def _named_ours() -> dict[str, str]:
    """Our policies, marked as such."""
    return {policy: f"{name} (ours)" for policy, name in OURS.items()}


def _is_there(results: PaperResults, name: str) -> bool:
    return all(results.layout.has_evaluation(name, split) for split in TESTS)


def _our_findings(results: PaperResults) -> Iterator[Finding]:
    """How the paper's best policy compares with rules that are not in the paper."""
    for policy in OURS:
        for split in TESTS if _is_there(results, policy) else ():
            claim = f"LEARNED succeeds more often than {OURS[policy]} on {SPLITS[split]} (ours, not the paper's)"
            found = gain(results.layout.scores("learned", split), results.layout.scores(policy, split))
            yield replace(gains(claim, found), ours=True)


def _policy_findings(results: PaperResults) -> Iterator[Finding]:
    for better, worse, metric, splits in _BETTER_POLICIES:
        for split in splits:
            claim = f"{POLICIES[better]} {_DOES[metric]} than {POLICIES[worse]} on {SPLITS[split]}"
            found = gain(results.layout.scores(better, split), results.layout.scores(worse, split), metric)
            yield gains(claim, found, published_gain(split, better, worse, metric))
    for split in TESTS:
        claim = f"LEARNED and TEACHER succeed about equally often on {SPLITS[split]}: the teacher is easy to imitate"
        found = gain(results.layout.scores("learned", split), results.layout.scores("teacher", split))
        yield same(claim, found, published_gain(split, "learned", "teacher"))
    for policy in ("first", "random", "learned", "teacher"):
        yield _worth_more_unseen(results, policy)


def _worth_more_unseen(results: PaperResults, policy: str) -> Finding:
    """Whether asking gains more over not asking in unseen houses than in seen ones."""
    seen, unseen = (gain(results.layout.scores(policy, split), results.layout.scores("none", split)) for split in TESTS)
    seen_paper, unseen_paper = (published_gain(split, policy, "none") for split in TESTS)
    claim = f"{POLICIES[policy]} gains more over NONE on Test unseen than on Test seen"
    return gains(claim, minus(unseen, seen), unseen_paper - seen_paper)


def published_gain(split: str, better: str, worse: str, metric: str = "success_rate") -> float:
    """By how much one policy is better than another in the paper."""
    difference = published.TABLE_2[split][better][metric].mean - published.TABLE_2[split][worse][metric].mean
    return -difference if METRICS[metric].lower_is_better else difference


_ADVISORS = {"direct-silent": ("Direct", "no"), "direct": ("Direct", "yes"), "indirect": ("Indirect", "yes")}
_EQUAL_SUCCESS = (
    "The agents are taken at the first validation within {tolerance:g} points of the highest success rate on Dev seen that"
    " both trainings reach, by one seed; where there is none, at the nearest. The two that speak share an agent, since in"
    " training the advisor always acts."
)


def advisors(results: PaperResults, command: str = "") -> list[Item]:
    """The table and what it shows."""
    rows: list[Row] = []
    for candidate in candidates.TABLE_3:
        name = candidate.name
        iteration = Value(results.iterations[candidate.training], paper=published.TABLE_3_ITERATIONS[name], digits=0)
        tests = [cell(results.figure(name, split), paper=published.TABLE_3[name][split]) for split in TESTS]
        rows.append((*_ADVISORS[name], iteration, cell(results.figure(name, DEV_SEEN)), *tests))
    columns = ["Advisor", "Subgoals", "Training iterations", *(f"{SPLITS[split]} (%)" for split in (DEV_SEEN, *TESTS))]
    note = f"Success rates. {_EQUAL_SUCCESS.format(tolerance=TOLERANCE)} {over_seeds_note(results)}"
    return [ReportTable("table-3", "Table 3: advisors on AskNav", columns, rows, note, command), *_advisor_findings(results)]


def _advisor_findings(results: PaperResults) -> Iterator[Finding]:
    split = TESTS[1]
    silent = results.layout.scores("direct-silent", split)
    for name, words in (("direct", "a direct advisor"), ("indirect", "an indirect advisor")):
        paper = published.TABLE_3[name][split].mean - published.TABLE_3["direct-silent"][split].mean
        claim = f"Subgoals of {words} raise success over a direct advisor without them on {SPLITS[split]}"
        yield gains(claim, gain(results.layout.scores(name, split), silent), paper)
    yield _needs_longer(results)


def _needs_longer(results: PaperResults) -> Finding:
    """Whether who interprets subgoals needs more iterations for the same success; there is no interval of this."""
    speaking, silent = (results.iterations[CANDIDATES[name].training] for name in ("indirect", "direct-silent"))
    paper = published.TABLE_3_ITERATIONS["indirect"], published.TABLE_3_ITERATIONS["direct-silent"]
    detail = f"{speaking:,} and {silent:,} iterations. In the paper {paper[0]:,} and {paper[1]:,}."
    claim = "Agents that interpret subgoals need more iterations for the same success on Dev seen"
    return Finding(claim, None if speaking == silent else speaking > silent, detail)


_BETTER_ON_NOROOM = (
    ("transferred", "noroom-random", "LEARNED, trained on AskNav, succeeds more often than RANDOM, trained on NoRoom,"),
    ("noroom-learned", "transferred", "LEARNED succeeds more often when trained on NoRoom than when trained on AskNav,"),
    ("noroom-learned", "noroom-random", "LEARNED succeeds more often than RANDOM, both trained on NoRoom,"),
)


def without_rooms(results: PaperResults, command: str = "") -> list[Item]:
    """The table and what it shows."""
    rows: list[Row] = []
    for candidate in candidates.TABLE_4:
        training = TRAININGS[candidate.training]
        tests = [
            cell(results.figure(candidate.name, split), paper=published.TABLE_4[candidate.name][split]) for split in TESTS
        ]
        rows.append((POLICIES[training.help_policy], DATASETS[training.tasks], *tests))
    beside = {
        name: peer_on(peer, NOROOM)
        for peer, name in PEERS.items()
        if results.layout.has_evaluation(peer_on(peer, NOROOM), TESTS[0])
    }
    rows += [(name, "none", *(cell(results.figure(peer, split)) for split in TESTS)) for name, peer in beside.items()]
    columns = ["Help policy", "Training set", *(f"{SPLITS[split]} (%)" for split in TESTS)]
    note = f"Success rates. {over_seeds_note(results)}{f' {NOTE}' if beside else ''}"
    table = ReportTable("table-4", "Table 4: success on NoRoom", columns, rows, note, command)
    return [table, *_room_findings(results)]


def _room_findings(results: PaperResults) -> Iterator[Finding]:
    for better, worse, words in _BETTER_ON_NOROOM:
        for split in TESTS:
            found = gain(results.layout.scores(better, split), results.layout.scores(worse, split))
            yield gains(
                f"{words} on {SPLITS[split]}",
                found,
                published.TABLE_4[better][split].mean - published.TABLE_4[worse][split].mean,
            )


def settings(results: PaperResults, command: str = "") -> list[Item]:
    """The table."""
    rows: list[Row | RowGroup] = []
    for group, values in hyperparameters(results).items():
        rows.append(RowGroup(group))
        rows += [(name, value, published.TABLE_6[name]) for name, value in values.items()]
    columns = ["Hyperparameter", "Here", "Paper"]
    note = "Of the agent LEARNED; the other trainings differ from it only in what they compare."
    return [ReportTable("table-6", "Table 6: hyperparameters", columns, rows, note, command)]


def _view_size(results: PaperResults) -> str:
    features, size = results.config("learned").features, results.view_size
    return features if size is None else f"{size:,} ({features})"


def hyperparameters(results: PaperResults) -> dict[str, dict[str, str]]:
    """Group → the paper's name of a hyperparameter → its value here."""
    config = results.config("learned")
    defaults = {each.name: each.default for each in fields(AgentConfig)}
    agent: dict[str, Any] = {**defaults, **config.agent_options}
    training, teacher = config.training, config.teacher
    return {
        "Navigation module": {
            "LSTM hidden size": _text(agent["hidden"]),
            "Number of LSTM layers": _text(agent["layers"]),
            "Word embedding size": _text(agent["word_embedding"]),
            "Navigation action embedding size": _text(agent["nav_embedding"]),
            "Help-requesting action embedding size": _text(agent["ask_embedding"]),
            "Budget embedding size": _text(agent["budget_embedding"]),
            "Image embedding size": _view_size(results),
            "Coverage vector size": _text(agent["coverage"]),
        },
        "Help-requesting module": {
            "Hidden size": _text(agent["help_hidden"]),
            "Number of hidden layers": _text(agent["help_layers"]),
            "Activation function": "ReLU",
        },
        "Help-requesting teacher": {
            "Deviation threshold (δ)": _text(teacher.deviation),
            "Uncertainty threshold (ε)": _text(teacher.uncertainty),
            "Non-moving threshold (μ)": _text(teacher.non_moving),
            "Number of actions suggested by a subgoal (k)": _text(config.advisor.k),
        },
        "Training": {
            "Optimizer": "Adam",
            "Number of training iterations": _text(training.iterations),
            "Learning rate": _text(training.learning_rate),
            "Learning rate decay": f"to zero over the last {training.cooldown:.0%}" if training.cooldown else "no",
            "Batch size": _text(training.batch),
            "Weight decay (L2-norm regularization)": _text(training.weight_decay),
            "Dropout ratio": _text(agent["dropout"]),
            "Help-requesting ratio (τ)": _text(training.ratio),
        },
        "Evaluation": {
            "Success radius (d)": _text(SUCCESS_RADIUS),
            "Number of evaluating random seeds": _text(len(results.preset.seeds)),
            "Maximum time budget (L_max)": _text(results.dataset("asknav").budgets.longest),
        },
    }


def _text(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.10f}".rstrip("0").rstrip(".")


TEACHERS = {
    "none": "NONE",
    **{f"rules-ae-{delta}": f"Rules (a), (e) (δ = {delta})" for delta in DELTAS},
    "rules-bcd": "Rules (b), (c), (d)",
    "learned": "All rules",
}


def teacher_rules(results: PaperResults, command: str = "") -> list[Item]:
    """The table and what it shows."""
    rows: list[Row] = [
        (name, *(cell(results.figure(candidate, split), paper=published.TABLE_7[candidate][split]) for split in TESTS))
        for candidate, name in TEACHERS.items()
    ]
    columns = ["Teacher", *(f"{SPLITS[split]} (%)" for split in TESTS)]
    title = "Table 7: rules of the help-requesting teacher"
    table = ReportTable(
        "table-7", title, columns, rows, f"Success rates of agents that imitate it. {over_seeds_note(results)}", command
    )
    return [table, *_rule_findings(results)]


def _rule_findings(results: PaperResults) -> Iterator[Finding]:
    for split in TESTS:
        every, none = results.layout.scores("learned", split), results.layout.scores("none", split)
        paper = {name: figures[split].mean for name, figures in published.TABLE_7.items()}
        alike = gain(results.layout.scores("rules-bcd", split), every)
        claim = f"Rules (b), (c), (d) alone do about as well as all rules on {SPLITS[split]}"
        yield same(claim, alike, paper["rules-bcd"] - paper["learned"])
        deviating = [f"rules-ae-{delta}" for delta in DELTAS]
        mean = mean_success([results.layout.scores(name, split) for name in deviating])
        in_paper = float(np.mean([paper[name] for name in deviating]))
        claim = f"Rules (a), (e) succeed more often than not asking on {SPLITS[split]} (mean over δ)"
        yield gains(claim, gain(mean, none), in_paper - paper["none"])
        claim = f"All rules succeed more often than rules (a), (e) on {SPLITS[split]} (mean over δ)"
        yield gains(claim, gain(every, mean), paper["learned"] - in_paper)


def mean_success(scores: list[Scores]) -> Scores:
    """Scores whose success in each episode is the mean over several agents."""
    return scores[0] | {"success": np.mean([each.success for each in scores], axis=0)}


TABLES: dict[int, Callable[..., list[Item]]] = {
    1: partial(data_set, dataset="asknav"),
    2: help_policies,
    3: advisors,
    4: without_rooms,
    5: partial(data_set, dataset="noroom"),
    6: settings,
    7: teacher_rules,
}
"""Number of a table → the table, and below it what it shows; takes results and the command that made them."""
