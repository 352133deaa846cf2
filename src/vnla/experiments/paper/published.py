"""What the paper reports: the figures of its tables, as published, to stand beside ours.

Tables 1 and 5 are in `vnla.tasks.statistics`, where `vnla tasks stats` needs them too.
"""

from __future__ import annotations

from typing import NamedTuple

from vnla.tasks.statistics import PAPER_LONG_SHARE

LONG_SHARE = 100 * PAPER_LONG_SHARE
"""Per cent of paths with at least ten actions."""


class Published(NamedTuple):
    """A mean and the half-width of its 95% interval over five seeds."""

    mean: float
    margin: float


def _figures(*published: tuple[float, float]) -> dict[str, Published]:
    """Return the three figures of a row of Table 2."""
    return dict(zip(("success_rate", "room_success_rate", "nav_error"), map(Published._make, published), strict=True))


TABLE_2 = {
    "test_seen": {
        "none": _figures((28.39, 0.00), (48.97, 0.00), (6.29, 0.00)),
        "first": _figures((40.33, 0.35), (59.64, 0.22), (4.36, 0.03)),
        "random": _figures((42.98, 0.44), (54.61, 0.28), (4.53, 0.03)),
        "learned": _figures((52.09, 0.13), (64.84, 0.23), (3.48, 0.01)),
        "teacher": _figures((52.26, 0.16), (65.42, 0.25), (3.42, 0.01)),
    },
    "test_unseen": {
        "none": _figures((6.36, 0.00), (14.34, 0.00), (11.30, 0.00)),
        "first": _figures((20.00, 0.10), (30.23, 0.40), (7.56, 0.02)),
        "random": _figures((25.05, 0.31), (33.72, 0.37), (7.09, 0.05)),
        "learned": _figures((34.50, 0.23), (44.50, 0.36), (5.66, 0.02)),
        "teacher": _figures((34.95, 0.33), (44.85, 0.39), (5.61, 0.02)),
    },
}
"""Split → help policy → figure."""

TABLE_3 = {
    "direct-silent": {"test_seen": Published(51.07, 0.17), "test_unseen": Published(32.19, 0.28)},
    "direct": {"test_seen": Published(52.09, 0.13), "test_unseen": Published(34.56, 0.21)},
    "indirect": {"test_seen": Published(52.09, 0.13), "test_unseen": Published(34.50, 0.23)},
}
"""Advisor → split → success rate, per cent."""

TABLE_3_ITERATIONS = {"direct-silent": 70_000, "direct": 100_000, "indirect": 100_000}

TABLE_4 = {
    "noroom-random": {"test_seen": Published(43.69, 0.37), "test_unseen": Published(33.41, 0.39)},
    "noroom-learned": {"test_seen": Published(53.71, 0.19), "test_unseen": Published(44.77, 0.27)},
    "transferred": {"test_seen": Published(53.85, 0.45), "test_unseen": Published(41.63, 0.24)},
}
"""Agent → split → success rate on NoRoom, per cent."""

TABLE_7 = {
    "none": {"test_seen": Published(28.39, 0.00), "test_unseen": Published(6.36, 0.00)},
    "rules-ae-2": {"test_seen": Published(30.36, 0.13), "test_unseen": Published(8.49, 0.08)},
    "rules-ae-4": {"test_seen": Published(39.46, 0.05), "test_unseen": Published(8.78, 0.04)},
    "rules-ae-8": {"test_seen": Published(30.71, 0.05), "test_unseen": Published(5.64, 0.00)},
    "rules-bcd": {"test_seen": Published(51.89, 0.24), "test_unseen": Published(35.52, 0.29)},
    "learned": {"test_seen": Published(52.09, 0.13), "test_unseen": Published(34.50, 0.23)},
}
"""The help teacher's rules → split → success rate, per cent."""

TABLE_6 = {
    "LSTM hidden size": "512",
    "Number of LSTM layers": "1",
    "Word embedding size": "256",
    "Navigation action embedding size": "32",
    "Help-requesting action embedding size": "32",
    "Budget embedding size": "16",
    "Image embedding size": "2,048",
    "Coverage vector size": "10",
    "Hidden size": "512",
    "Number of hidden layers": "1",
    "Activation function": "ReLU",
    "Deviation threshold (δ)": "8",
    "Uncertainty threshold (ε)": "1",
    "Non-moving threshold (μ)": "9",
    "Number of actions suggested by a subgoal (k)": "4",
    "Optimizer": "Adam",
    "Number of training iterations": "100,000",
    "Learning rate": "0.0001",
    "Learning rate decay": "no",
    "Batch size": "100",
    "Weight decay (L2-norm regularization)": "0.0005",
    "Dropout ratio": "0.5",
    "Help-requesting ratio (τ)": "0.4",
    "Success radius (d)": "2",
    "Number of evaluating random seeds": "5",
    "Maximum time budget (L_max)": "25",
}
"""Hyperparameters by the paper's names for them."""
