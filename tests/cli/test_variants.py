"""Options of variants: what may be repeated is added to what all have."""

from __future__ import annotations

import pytest

from vnla.cli.variants import _together


@pytest.mark.parametrize("kind", [list, tuple])  # tuples before Typer 0.29
def test_what_may_be_repeated_is_added(kind: type[list[str] | tuple[str, ...]]) -> None:
    together = _together({"agent_option": ["pieces=64"], "seed": "0"}, {"agent_option": kind(["layers=2"]), "seed": "1"})
    assert together == {"agent_option": ["pieces=64", "layers=2"], "seed": "1"}
    assert _together({"agent_option": None}, {"agent_option": kind(["layers=2"])}) == {"agent_option": ["layers=2"]}
