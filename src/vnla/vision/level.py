"""Level views: the twelve of a viewpoint's 36 views that look neither up nor down, and the features of them alone.

They take a third of the pictures and of the space. Whoever looks up or down sees what is level in that direction. Their name
is the encoder's and `-level`, so that an agent that was trained with them is given the same wherever it is used.
"""

from __future__ import annotations

from vnla.camera import HEADINGS, LEVEL_ROW, ROWS

ALL, LEVEL = "all", "level"
"""Which views of a viewpoint there are features of."""
LEVEL_VIEWS = slice(LEVEL_ROW * HEADINGS, (LEVEL_ROW + 1) * HEADINGS)
"""Those that look level, among the 36."""
LEVEL_SHOWN = tuple(range(HEADINGS)) * ROWS
"""Which of the twelve is seen in each of the 36."""

_ENDING = f"-{LEVEL}"


def store_name(encoder: str, views: str) -> str:
    """The name that features of an encoder are kept under unless a person gives one."""
    return f"{encoder}{_ENDING}" if views == LEVEL else encoder


def encoder_and_views(name: str) -> tuple[str, str]:
    """The encoder and the views that a name of features stands for."""
    return (name.removesuffix(_ENDING), LEVEL) if name.endswith(_ENDING) else (name, ALL)
