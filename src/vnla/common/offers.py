"""Parts that other installed packages offer under a short name, by entry points.

A package says in its `pyproject.toml` what it has::

    [project.entry-points."vnla.agents"]
    memory = "their_package.agents:Memory"

Nothing is read before somebody asks for a name that is not ours, and nothing of a package is imported before somebody asks
for what it offers.
"""

from __future__ import annotations

import importlib
import traceback
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from vnla.common.errors import InputError

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
_PACKAGE, _IMPORTING = Path(__file__).parents[1], Path(importlib.__file__).parent


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
            raise InputError(f"{self.kind} {self.name}: cannot be imported from {self.package} ({why(error)})") from None


def why(error: BaseException) -> str:
    """What went wrong in a stranger's module, in one line, and in which line of which file where there is one."""
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [each for each in frames if not each.filename.startswith("<") and not _is_ours(each.filename)]
    place = f", {Path(theirs[-1].filename).name} line {theirs[-1].lineno}" if theirs else ""
    return " ".join(f"{type(error).__name__}: {error}".split()) + place


def _is_ours(file: str) -> bool:
    return Path(file).is_relative_to(_PACKAGE) or Path(file).is_relative_to(_IMPORTING)


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
