"""Parts by name: how a short name, or `package.module:Class`, becomes an agent, an advisor, a metric."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any


def list_parts(kind: str | None = None) -> dict[str, list[dict[str, Any]]]:
    """What can be chosen by name, as `vnla list` says it: kind → parts with `name`, `source`, `about` and `options`.

    The kinds are agents, advisors, help-policies, sensors, objectives, metrics, encoders, pictures and worlds.
    """
    from vnla.cli.parts import KINDS, kind_named, lines

    kinds = KINDS if kind is None else {kind_named(kind): KINDS[kind_named(kind)]}
    return {name: [asdict(line) for line in lines(each)] for name, each in kinds.items()}


def find_part(kind: str, name: str) -> Any:
    """The class (a metric: the object) that a name means, for a kind that `list_parts` lists.

    A name is one of ours, one under which an installed package offers a part, or package.module:Class.
    """
    from vnla.cli.parts import KINDS, kind_named
    from vnla.common.registry import find

    chosen = KINDS[kind_named(kind)]
    return find(chosen.name, name, chosen.parts())
