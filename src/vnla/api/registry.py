"""Parts by name: how a short name, or `package.module:Class`, becomes an agent, an advisor, a metric."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from vnla.common.errors import InputError


def list_parts(kind: str | None = None) -> dict[str, list[dict[str, Any]]]:
    """What can be chosen by name, as `vnla list` says it: kind → parts with `name`, `source`, `about` and `options`.

    The kinds are agents, advisors, help-policies, senses, objectives, metrics, encoders, pictures and worlds.
    """
    from vnla.cli.parts import KINDS, lines

    kinds = KINDS if kind is None else {kind: _kind(kind)}
    return {name: [asdict(line) for line in lines(each)] for name, each in kinds.items()}


def find_part(kind: str, name: str) -> Any:
    """The class (a metric: the object) that a name means, for a kind that `list_parts` lists.

    A name is one of ours, one under which an installed package offers a part, or package.module:Class.
    """
    from vnla.common.registry import find

    chosen = _kind(kind)
    return find(chosen.name, name, chosen.parts())


def _kind(name: str) -> Any:
    from vnla.cli.parts import KINDS

    if name not in KINDS:
        raise InputError(f"{name}: no such kind of part; choose from {', '.join(KINDS)}")
    return KINDS[name]
