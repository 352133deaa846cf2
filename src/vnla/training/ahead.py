"""Fetches what the coming iterations will look at, where features are not all in memory (`vnla.common.tables`).

Which tasks an iteration has is known beforehand; an episode stays in the house of its task.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import torch
from torch import Tensor

from vnla.rollout import RolloutContext
from vnla.tasks.task_set import TaskSet

FURTHER = 2
"""Iterations that are looked at ahead."""


class Ahead:
    """Has ready what iterations need."""

    def __init__(self, context: RolloutContext, tasks: TaskSet, numbers: Callable[[int], Tensor]) -> None:
        """`numbers` gives the tasks of an iteration, on the host."""
        self._tables, self._numbers = context.tables, numbers
        self._houses = tasks.houses() if self._tables else torch.empty(0)

    def ready(self, iteration: int) -> None:
        """What an iteration needs is there; what the next ones need is on its way."""
        if self._tables:
            self.have(self._numbers(iteration))
            for further in range(iteration + 1, iteration + 1 + FURTHER):
                expected = self._in(self._numbers(further).tolist())
                for table in self._tables:
                    table.expect(expected)

    def have(self, numbers: Tensor) -> None:
        """What tasks with these numbers need is there."""
        for table in self._tables:
            table.need(self._in(numbers.tolist()))

    def _in(self, numbers: Iterable[int]) -> list[int]:
        return list(dict.fromkeys(self._houses[list(numbers)].tolist()))
