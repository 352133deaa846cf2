"""Dropout on a CPU: the right share, the right scale, the seed's doing."""

from __future__ import annotations

import math

import pytest
import torch

from vnla.agents.layers.dropout import Dropout


@pytest.mark.parametrize("ratio", [0.1, 0.5, 0.9])
def test_the_share_that_is_dropped_and_the_mean_that_is_kept(ratio: float) -> None:
    """200,000 draws: the share is within five standard errors of the ratio, and what is kept makes up for it exactly."""
    torch.manual_seed(1)
    dropped = Dropout(ratio)(torch.ones(100, 2000))
    share = float((dropped == 0).double().mean())
    assert share == pytest.approx(ratio, abs=5 * math.sqrt(ratio * (1 - ratio) / 200_000))
    assert dropped[dropped > 0].unique().tolist() == pytest.approx([1 / (1 - ratio)], rel=1e-4)


def test_neighbours_are_dropped_independently() -> None:
    """Four decisions come from one draw: they must not depend on each other. Correlations of 100,000 pairs."""
    torch.manual_seed(2)
    kept = (Dropout(0.5)(torch.ones(400_000)) > 0).double().reshape(-1, 4)
    correlation = torch.corrcoef(kept.T) - torch.eye(4)
    assert float(correlation.abs().max()) < 5 / math.sqrt(100_000)


def test_the_seed_decides_and_gradients_follow_the_mask() -> None:
    values = torch.randn(7, 33, requires_grad=True)
    torch.manual_seed(3)
    first = Dropout(0.5)(values)
    torch.manual_seed(3)
    assert torch.equal(first, Dropout(0.5)(values))
    first.sum().backward()
    assert values.grad is not None
    assert torch.equal(values.grad, torch.where(first == 0, 0.0, 2.0))


def test_nothing_is_dropped_in_evaluation_or_at_ratio_zero() -> None:
    values = torch.randn(5, 5)
    assert Dropout(0.5).eval()(values) is values
    assert Dropout(0.0)(values) is values
