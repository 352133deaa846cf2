"""The agents of the paper's experiments: eleven trainings and one of ours, and who of them is evaluated on what.

Table 2 compares five help policies with four trainings. LEARNED and TEACHER share one, because in training both ask as the
help teacher does: the help module imitates it and has no say, and a navigation module trained beside one ends with the same
weights, to the last bit, as one trained without. Table 3 needs one more: the direct advisor that says nothing. The direct
advisor that speaks has the training of the indirect one, because in training the advisor always acts (Algorithm 1, line 24),
so they share the agent. SPACED, which is not in the paper, stands beside Table 2 with a training of its own, because in
training it asks by its own rule. Table 4 trains two on NoRoom, Table 7 four with some of the help teacher's rules.

Table 3 compares agents of equal success on the split Dev seen. Its three rows therefore have agents of certain iterations,
which a stage of its own chooses from the logs; all others are the best by the validation split of their kind.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from vnla.assistance.advisor import TemplateAdvisor
from vnla.assistance.help_teacher import HelpTeacher
from vnla.common import files
from vnla.experiments.evaluations import TESTS
from vnla.experiments.trainings import ASKNAV, NOROOM, Training
from vnla.pipeline.stages import Report
from vnla.report.curves import TrainingCurves

TRAINED_POLICIES = ("none", "first", "random", "learned")
"""Those that Table 2 has trainings for; TEACHER has the agent of LEARNED."""
OURS = ("spaced",)
"""Help policies beside those of Table 2 that are not in the paper, each with a training."""
DELTAS = (2, 4, 8)
"""Deviation thresholds δ of Table 7, metres."""
DEV_SEEN = "val_seen"
TOLERANCE = 0.5
"""Points by which success rates on Dev seen may differ in Table 3."""

_POLICIES = tuple(Training(policy, policy, keeps_checkpoints=policy == "learned") for policy in TRAINED_POLICIES)
_OURS = tuple(Training(policy, policy) for policy in OURS)
SILENT = Training("silent", advisor=TemplateAdvisor(direct=True, speaks=False), keeps_checkpoints=True)
ON_NOROOM = (Training("noroom-random", "random", NOROOM), Training("noroom-learned", "learned", NOROOM))
RULES = (
    *(Training(f"rules-ae-{delta}", teacher=HelpTeacher("ae", deviation=float(delta))) for delta in DELTAS),
    Training("rules-bcd", teacher=HelpTeacher("bcd")),
)
TRAININGS = {each.name: each for each in (*_POLICIES, SILENT, *ON_NOROOM, *RULES, *_OURS)}


@dataclass(frozen=True)
class Candidate:
    """An agent as it is evaluated."""

    name: str
    training: str
    tasks: str = ASKNAV
    help_policy: str | None = None
    """Another one than the training's."""
    advisor: TemplateAdvisor | None = None
    """Likewise."""
    matched: bool = False
    """Whether it is taken at the iteration that Table 3 compares."""
    splits: tuple[str, ...] = TESTS


TABLE_2 = (
    *(Candidate(policy, policy) for policy in TRAINED_POLICIES),
    Candidate("teacher", "learned", help_policy="teacher"),
)
BESIDE_TABLE_2 = tuple(Candidate(policy, policy) for policy in OURS)
TABLE_3 = (
    Candidate("direct-silent", SILENT.name, matched=True, splits=(DEV_SEEN, *TESTS)),
    Candidate("direct", "learned", advisor=TemplateAdvisor(direct=True), matched=True, splits=(DEV_SEEN, *TESTS)),
    Candidate("indirect", "learned", matched=True, splits=(DEV_SEEN, *TESTS)),
)
TABLE_4 = (
    *(Candidate(training.name, training.name, NOROOM) for training in ON_NOROOM),
    Candidate("transferred", "learned", NOROOM),
)
TABLE_7 = tuple(Candidate(training.name, training.name) for training in RULES)
CANDIDATES = {each.name: each for each in (*TABLE_2, *TABLE_3, *TABLE_4, *TABLE_7, *BESIDE_TABLE_2)}


def matching_iterations(runs: Mapping[str, TrainingCurves], tolerance: float = TOLERANCE) -> dict[str, int]:
    """At which validation each run is compared: where they succeed equally often on Dev seen.

    The aim is the highest rate that all of them reach. Each is taken the first time it is within `tolerance` of that; one
    whose rates jump over it, where it is nearest.
    """
    aim = min(max(curves.success[DEV_SEEN]) for curves in runs.values())
    chosen = {}
    for name, curves in runs.items():
        away = [abs(rate - aim) for rate in curves.success[DEV_SEEN]]
        near = [place for place, each in enumerate(away) if each <= tolerance]
        chosen[name] = curves.validations[near[0] if near else away.index(min(away))]
    return chosen


def choose_iterations(out: Path, runs: Mapping[str, Path], report: Report) -> None:
    """Write the iterations that Table 3 compares, with the rates by which they were chosen, to the file `out`."""
    report(0, 1, "")
    curves = {name: TrainingCurves.read(path) for name, path in runs.items()}
    chosen = matching_iterations(curves)
    rates = {
        name: dict(zip(curves[name].validations, curves[name].success[DEV_SEEN], strict=True))[iteration]
        for name, iteration in chosen.items()
    }
    files.write_text(out, json.dumps({"iterations": chosen, "dev_seen_success": rates}, indent=2) + "\n")
