"""Options chosen on a dev set: which are tried, and which is taken."""

from __future__ import annotations

import numpy as np
import pytest

from vnla.assistance.help_policies import AtFirst, HelpPolicy
from vnla.assistance.threshold import Threshold
from vnla.assistance.valued import Valued
from vnla.common.errors import InputError
from vnla.evaluation.tuning import DevScore, tune


def measured(policy: HelpPolicy) -> DevScore:
    """Success that is best at a threshold of 0.6 and a fall of 0.01; neither alone leads there."""
    assert isinstance(policy, Threshold)
    off = abs(policy.threshold - 0.5 - 10 * policy.fall)
    return DevScore(100 - 40 * off - 100 * abs(policy.fall - 0.01), 1.0)


def test_all_combinations_are_tried_and_the_best_is_chosen() -> None:
    told: list[tuple[int, int]] = []
    best, tried = tune(Threshold(), measured, lambda done, of: told.append((done, of)))
    assert best.options == {"threshold": 0.6, "fall": 0.01}
    assert best.score == measured(Threshold(0.6, fall=0.01)) and best in tried
    assert len({tuple(each.options.values()) for each in tried}) == len(tried) == 9 * 3
    assert told == [(done, 27) for done in range(28)]


def test_of_equally_good_options_the_first_are_chosen() -> None:
    best, tried = tune(Threshold(), lambda _: DevScore(30.0, 1.0))
    assert best is tried[0] and best.options == {name: values[0] for name, values in Threshold.choices.items()}


def test_values_are_tried_in_their_order() -> None:
    margins: list[float] = []

    def score(policy: HelpPolicy) -> DevScore:
        assert isinstance(policy, Valued)
        margins.append(policy.margin)
        return DevScore(float(np.interp(policy.margin, [-1, 0.04, 1], [0, 50, 0])), 0.0)

    assert tune(Valued(), score)[0].options == {"margin": 0.04}
    assert margins == list(Valued.choices["margin"])


def test_a_policy_without_choices_is_refused() -> None:
    with pytest.raises(InputError, match="help policy AtFirst: has no options that are chosen on a dev set"):
        tune(AtFirst(), measured)
