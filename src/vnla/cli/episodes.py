"""`vnla episodes`: what agents, teachers and people did, as data sets for other programs."""

from __future__ import annotations

import typer

app = typer.Typer(help="Episodes as data sets for other programs.", no_args_is_help=True)
