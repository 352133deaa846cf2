"""Some of the training houses: so that one thing is learned in houses that another does not know by heart.

`2/5` is the second of five parts of the houses, `-2/5` the other four. The houses are dealt out in the order of their names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from vnla.common.errors import InputError
from vnla.tasks.task import Task


class Fold(NamedTuple):
    """A part of the houses, or all but that part."""

    part: int
    of: int
    others: bool

    @classmethod
    def of_text(cls, text: str) -> Fold:
        """From `2/5` or `-2/5`; all houses where nothing is said."""
        if not text:
            return cls(1, 1, False)
        found = re.fullmatch(r"(-?)([0-9]{1,6})/([0-9]{1,6})", text)
        if not found or not 1 <= int(found[2]) <= int(found[3]) or (found[1] and found[3] == "1"):
            raise InputError(f"fold {text}: expected a part of the houses such as 2/5, or -2/5 for all but that part")
        return cls(int(found[2]), int(found[3]), bool(found[1]))

    def tasks(self, tasks: Sequence[Task]) -> list[Task]:
        """Those in its houses."""
        houses = sorted({task.house for task in tasks})
        chosen = {house for place, house in enumerate(houses) if (place % self.of == self.part - 1) is not self.others}
        return [task for task in tasks if task.house in chosen]
