"""How work that takes long tells whoever waits for it how far it is: functions that it calls now and then.

Nothing is known here of bars and terminals. Whoever starts the work passes such a function in; by default nobody listens.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

Count = Callable[[int], None]
"""Called with how many more are done since it was called last."""

Share = Callable[[int, int], None]
"""Called with how many are done by now, and of how many."""


class Tell(Protocol):
    """Says what is being done and, where it can be counted, how much of it is."""

    def __call__(self, what: str, done: int = 0, of: int | None = None, /) -> None: ...


def untold(_what: str, _done: int = 0, _of: int | None = None, /) -> None:
    """A `Tell` for work that nobody waits for."""


def unheard(*_: int) -> None:
    """A `Count` and a `Share` for work that nobody waits for."""
