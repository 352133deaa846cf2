"""How `--help` is printed: as text, as wide as the terminal, with the whole first sentence of every command."""

from __future__ import annotations

import shutil
from typing import Any

from typer.core import TyperGroup

NARROWEST, WIDEST = 30, 100
"""Columns that a help text takes at least, and at most, whatever the terminal has."""


class CommandGroup(TyperGroup):
    """Commands whose list has the whole first sentence of each, where Typer cuts it at the end of the line."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Typer calls this."""
        commands = [command for name in self.list_commands(ctx) if (command := self.get_command(ctx, name))]
        with formatter.section("Commands"):
            formatter.write_dl([(each.name, first_sentence(each.help or "")) for each in commands if not each.hidden])


def first_sentence(text: str) -> str:
    """Return the first sentence of a text, on one line."""
    paragraph = " ".join(text.partition("\n\n")[0].split())
    sentence, stop, _ = paragraph.partition(". ")
    return sentence + stop.strip()


def help_width() -> int:
    """Columns for a help text in this terminal."""
    return max(NARROWEST, min(WIDEST, shutil.get_terminal_size().columns - 1))
