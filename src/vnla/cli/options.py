"""Arguments and options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

RunArgument = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run, or: pretrained.")]

# what is run
RatioOption = Annotated[float | None, typer.Option(min=0, max=1, help="τ. [default: the run's]")]
CheckpointOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="val_seen, val_unseen or last. [default: that of the split's kind]")
]
OneCheckpointOption = Annotated[str, typer.Option(metavar="NAME", help="val_seen, val_unseen, last, or an iteration.")]
TasksOption = Annotated[Path | None, typer.Option(metavar="DIR", help="Data set. [default: the run's]")]
OtherTasksOption = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Another data set, e.g. NoRoom. [default: the run's]")
]
SeedsOption = Annotated[int, typer.Option(min=1, max=5, help="How many of the authors' five seeds.")]
BudgetSeedOption = Annotated[int, typer.Option(help="Seed of the help budget.")]
AgentOption = Annotated[str, typer.Option(metavar="NAME", help="paper, or package.module:Class.")]
BatchOption = Annotated[int, typer.Option(min=1, help="Episodes in a batch.")]

# on what
DeviceOption = Annotated[str | None, typer.Option(help="cpu, cuda. [default: a GPU if there is one]")]
ThreadsOption = Annotated[int | None, typer.Option(min=1, help="CPU threads. [default: as many as there are cores]")]
CoresOption = Annotated[int | None, typer.Option(min=1, help="Threads. [default: all cores]")]
EagerOption = Annotated[bool, typer.Option("--eager", help="On a GPU: operation by operation, not as one graph.")]

# what becomes of it
FiguresOption = Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write all figures to this file.")]
FoundOption = Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write what is found to this file.")]
EpisodesOption = Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write a row an episode to this file.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]

# where a page is served
HostOption = Annotated[str, typer.Option(help="Address to listen at; 0.0.0.0 for everybody in the network.")]
PortOption = Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 for any that is free.")]
NoOpenOption = Annotated[bool, typer.Option("--no-open", help="Do not open a browser.")]
