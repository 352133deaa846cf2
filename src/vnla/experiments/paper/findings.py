"""Whether the paper's findings hold here: sentences that are computed from scores, never written.

A gain holds if its whole 95% interval is above zero, does not if it is below, and otherwise nobody can tell. Two figures are
the same if the whole interval of their difference is within a margin. Intervals are bootstrapped over tasks and differences
are taken task by task (`vnla.experiments.paper.results.gain`), so they say what other tasks in such houses would show; they
do not say what another training would, since each agent was trained once.
"""

from __future__ import annotations

from vnla.evaluation.confidence import Interval
from vnla.report.document import Finding, Value, bound_text, difference_text, settled

SAME = 2.0
"""Points within which two success rates count as the same."""


def gains(claim: str, found: Interval, paper: float | None = None, unit: str = "points") -> Finding:
    """A claim that one thing is better than another."""
    return Finding.difference(claim, found.value, found.low, found.high, unit, in_the_paper(paper, unit))


def gains_least(claim: str, found: Interval, least: float) -> Finding:
    """A claim that one thing is better than another by so many points at least."""
    low, high = settled(found.low), settled(found.high)
    holds = True if low >= least else False if high < least else None
    return Finding(claim, holds, f"{difference_text(found.value, low, high, 'points', (0.0, least))}.")


def same(claim: str, found: Interval, paper: float | None = None, within: float = SAME) -> Finding:
    """A claim that there is no difference to speak of."""
    low, high = settled(found.low), settled(found.high)
    inside = -within < low and high < within
    outside = low > within or high < -within
    told = difference_text(found.value, low, high, "points", thresholds=(-within, within))
    detail = f"{told}. {in_the_paper(paper, 'points')}".strip() + f" Less than {within:g} points count as the same."
    return Finding(claim, True if inside else False if outside else None, detail)


def exceeds(claim: str, found: Interval, threshold: float) -> Finding:
    """A claim that a share, in per cent, is above a threshold."""
    low, high = settled(found.low), settled(found.high)
    holds = True if low > threshold else False if high < threshold else None
    bounds = [bound_text(bound, "%", (threshold,)) for bound in (low, high)]
    return Finding(claim, holds, f"{found.value:.1f}% (95% interval {' to '.join(bounds)}).")


def in_the_paper(paper: float | None, unit: str) -> str:
    """What the paper has, as a sentence."""
    if paper is None:
        return ""
    value = Value(paper, unit=unit)
    sign = "+" if paper > 0 else ""
    return f"In the paper {sign}{value}."
