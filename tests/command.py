"""What running the `vnla` command gives; the fixture that runs it is `vnla` in `tests/conftest.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Answer(NamedTuple):
    """Exit status, and what was said."""

    status: int
    out: str
    err: str


Vnla = Callable[..., Answer]
