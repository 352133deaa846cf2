"""Parts that other installed packages offer under a short name, by entry points.

A package says in its `pyproject.toml` what it has::

    [project.entry-points."vnla.agents"]
    memory = "their_package.agents:Memory"

Nothing is read before somebody asks for a name that is not ours, and nothing of a package is imported before somebody asks
for what it offers.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from vnla.common.errors import InputError
from vnla.common.strangers import why

GROUPS = {
    "agent": "vnla.agents",
    "advisor": "vnla.advisors",
    "help policy": "vnla.help_policies",
    "sense": "vnla.senses",
    "objective": "vnla.objectives",
    "metric": "vnla.metrics",
    "encoder": "vnla.encoders",
    "pictures": "vnla.pictures",
    "world": "vnla.worlds",
}
"""Kind of a part → the group of its entry points."""


@dataclass(frozen=True)
class Offer:
    """A part that a package offers."""

    kind: str
    name: str
    target: str
    """`package.module:Class`."""
    package: str
    """What offers it, with its version where that is known."""
    entry: EntryPoint

    def load(self) -> Any:
        """The part itself. Whatever a stranger's package does while it is imported, what is said of it is one line."""
        try:
            return self.entry.load()
        except (Exception, SystemExit) as error:
            raise InputError(f"{self.kind} {self.name}: cannot be imported from {self.package} ({why(error)})") from error


def offers(kind: str) -> list[Offer]:
    """What packages offer of a kind, sorted by name; a package that is found twice offers a thing once."""
    if kind not in GROUPS:
        return []
    found: dict[tuple[str, str], Offer] = {}
    for entry in entry_points(group=GROUPS[kind]):
        package = "an unknown package" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"
        found.setdefault((entry.name, entry.value), Offer(kind, entry.name, entry.value, package, entry))
    return sorted(found.values(), key=lambda offer: (offer.name, offer.target))


def offered(kind: str, name: str) -> Offer | None:
    """What is offered under a name, if anything is; two packages that offer different things under one are refused."""
    found = [offer for offer in offers(kind) if offer.name == name]
    if len(found) > 1:
        sources = " and ".join(f"{offer.package} ({offer.target})" for offer in found)
        raise InputError(f"{kind} {name}: is offered by {sources}; say which, as package.module:Class")
    return found[0] if found else None
