"""Whether the help policies come in the order of the paper's Table 2."""

from __future__ import annotations

from itertools import pairwise

from vnla.experiments.paper.paper_results import PaperResults, gain
from vnla.experiments.paper.paper_tables import POLICIES
from vnla.experiments.reporting import SPLITS, gains, same
from vnla.report.document import Finding

NEAR = 5.0
"""Points within which LEARNED is as good as TEACHER, in the order of the policies."""


def policy_order(results: PaperResults, split: str) -> Finding:
    """Whether the policies come in the order of Table 2 on a split: each less often successful than the next, and LEARNED
    within some points of TEACHER. It is inconclusive where a step is, and none is the other way round."""
    policies, steps = [*POLICIES][:-1], {}
    for worse, better in pairwise(policies):
        found = gain(results.layout.scores(better, split), results.layout.scores(worse, split))
        steps[f"{POLICIES[worse]} < {POLICIES[better]}"] = gains("", found)
    near = gain(results.layout.scores("learned", split), results.layout.scores("teacher", split))
    steps["LEARNED ≈ TEACHER"] = same("", near, within=NEAR)
    every = [each.holds for each in steps.values()]
    holds = False if False in every else None if None in every else True
    open_steps = [f"{name} {_verdict(each)}: {_figures(each)}." for name, each in steps.items() if not each.holds]
    if None in every:
        open_steps.append("A step is inconclusive if its interval contains both outcomes, or if there is no interval.")
    claim = f"NONE < FIRST < RANDOM < LEARNED ≈ TEACHER in success on {SPLITS[split]}"
    words = " ".join(open_steps) or "Every step holds."
    return Finding(claim, holds, f"{words} ≈ means within {NEAR:g} points.", ours=True)


def _verdict(step: Finding) -> str:
    return "is inconclusive" if step.holds is None else step.verdict


def _figures(step: Finding) -> str:
    """Return the difference and its interval, without what else is said of a step."""
    return step.detail.partition(". ")[0].removesuffix(".")
