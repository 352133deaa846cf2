"""Options chosen one after the other, and measured as an evaluation does."""

from __future__ import annotations

import numpy as np
import pytest

from vnla.assistance.help_policies import AtFirst, HelpPolicy
from vnla.assistance.mistaken import Mistaken
from vnla.assistance.valued import Valued
from vnla.common.errors import InputError
from vnla.evaluation.tuning import DevScore, tune


def ridge(threshold: float, fall: float, spare: float) -> DevScore:
    """Success that is best at a threshold of 0.6, a fall of 0.02 and a spare of 0.05. The best threshold is 0.5 without a
    fall, and the best fall depends on the threshold, so that one round does not find it."""
    return DevScore(100 - 40 * abs(threshold - 0.5 - 5 * fall) - 300 * abs(fall - 0.02) - 10 * abs(spare - 0.05), 1.0)


def measured(policy: HelpPolicy) -> DevScore:
    assert isinstance(policy, Mistaken)
    return ridge(policy.threshold, policy.fall, policy.spare)


def test_options_are_chosen_in_rounds_until_nothing_is_better() -> None:
    told: list[tuple[int, int]] = []
    best, tried = tune(Mistaken(threshold=0.6), measured, lambda done, of: told.append((done, of)))
    assert best.options == {"threshold": 0.6, "fall": 0.02, "spare": 0.05}
    assert best.score == ridge(0.6, 0.02, 0.05) and best in tried
    assert tried[0].options == {"threshold": 0.6, "fall": 0.0, "spare": 0.0}, "what it has comes first"
    settings = [tuple(each.options.values()) for each in tried]
    assert len(set(settings)) == len(settings), "nothing is measured twice"
    assert told[-1][0] == told[-1][1] >= len(tried)


def test_nothing_is_changed_that_is_no_better() -> None:
    best, tried = tune(Mistaken(threshold=0.25, spare=0.03, fall=0.005), lambda _: DevScore(30.0, 1.0))
    assert best.options == {"threshold": 0.25, "fall": 0.005, "spare": 0.03}
    assert len(tried) == 1 + sum(len(values) for values in Mistaken.choices.values()), "one round"


def test_options_that_are_not_chosen_stay() -> None:
    margins: list[float] = []

    def score(policy: HelpPolicy) -> DevScore:
        assert isinstance(policy, Valued)
        margins.append(policy.margin)
        return DevScore(float(np.interp(policy.margin, [-1, 0.04, 1], [0, 50, 0])), 0.0)

    assert tune(Valued(), score)[0].options == {"margin": 0.04}
    assert margins == [0.0, *(value for value in Valued.choices["margin"] if value)]


def test_a_policy_without_choices_is_refused() -> None:
    with pytest.raises(InputError, match="help policy AtFirst: has no options that are chosen on a dev set"):
        tune(AtFirst(), measured)
