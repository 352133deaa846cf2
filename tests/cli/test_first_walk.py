"""The walk that is told while the demo trains, and that it keeps out of the way."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from vnla.cli import first_walk
from vnla.common.errors import InputError


def test_it_is_told_in_80_columns_with_what_the_advisor_said() -> None:
    out = io.StringIO()
    console = Console(file=out, width=80)
    with first_walk.beside_first_walk(console):
        pass
    told = out.getvalue()
    assert "“Find a guitar in the bedroom.”" in told and told.count("The advisor says") == 2
    assert "Success. It stopped in the bedroom, at a goal." in told
    assert max(map(len, told.splitlines())) <= 80


def test_nothing_is_told_where_the_command_ends_at_once() -> None:
    out = io.StringIO()
    with pytest.raises(InputError, match="enough"), first_walk.beside_first_walk(Console(file=out)):
        raise InputError("enough")
    assert not out.getvalue()
