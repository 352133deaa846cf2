"""Where the action `forward` goes: two rules.

The paper's rule (section 5) knows the goal: a small step off the way is put right. With the plain one an agent has to turn
until the viewpoint that it wants is the nearest to the centre of its view. Navigation teacher and advisor go by the rule of
the world that they are in (`vnla.world.compiled`), so what they say can be done.
"""

from __future__ import annotations

from vnla.common.errors import InputError
from vnla.common.outside import shown

INFORMED, PLAIN = "informed", "plain"
FORWARDS = {
    INFORMED: "to the next viewpoint of the shortest path to the goal where the navigation teacher would go forward, as in"
    " the paper; else as plain",
    PLAIN: "to the viewpoint nearest to the centre of the view, whatever the goal is",
}
"""By name."""


def check_forward(forward: str) -> None:
    """Refuse what is no name of `FORWARDS`."""
    if forward not in FORWARDS:
        raise InputError(f"forward {shown(forward)}: unknown; choose from {', '.join(FORWARDS)}")
