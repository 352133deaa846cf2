"""`vnla listen`: whether an agent does what it is told."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vnla.cli.console import is_given, plain, telling
from vnla.cli.options import CheckpointOption, DeviceOption, FoundOption, RunArgument, ThreadsOption
from vnla.common.errors import InputError
from vnla.common.files import writable, write_text
from vnla.report.printing import Table

if TYPE_CHECKING:
    from vnla.experiments.listening.followed import Listened

AGENT, INTERPRETED, CAREFUL, PARSER = "agent", "interpreted", "careful", "parser"
LISTENERS = (AGENT, INTERPRETED, CAREFUL, PARSER)
MEASURES = {"exact": "all actions, %", "there": "ends there, %", "success": "success, %"}


def listen(
    context: typer.Context,
    run: RunArgument,
    split: Annotated[str, typer.Option(metavar="NAME", help="On the ways of whose tasks agents begin.")] = "test_unseen",
    reference: Annotated[
        Path | None,
        typer.Option(metavar="RUN", help="What is retained of what advice brings this run instead, in its own language."),
    ] = None,
    handwritten: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Also sentences written by hand, in their houses, which are made in DIR if need be."
        ),
    ] = None,
    listener: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="agent; interpreted: the agent, told in its own words what the parser understands; careful: the same, told"
            " nothing where it has not understood every word; or parser, in the agent's place",
        ),
    ] = AGENT,
    says: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="What of the grammar is said, with commas: usual,templates. [default: all]"),
    ] = None,
    seeds: Annotated[
        int, typer.Option(min=0, max=5, help="How many of the authors' seeds for success; 0: without success.")
    ] = 1,
    subset: Annotated[int | None, typer.Option(min=1, metavar="N", help="N tasks of the split. [default: all]")] = None,
    checkpoint: CheckpointOption = None,
    world: Annotated[Path | None, typer.Option(metavar="DIR", help="World for pretrained, or where the run's is.")] = None,
    tasks: Annotated[Path | None, typer.Option(metavar="DIR", help="Another data set. [default: the run's]")] = None,
    as_json: FoundOption = None,
    device: DeviceOption = None,
    threads: ThreadsOption = None,
) -> None:
    """How exactly an agent follows advice: as in training; in combinations, sentences and words that were held out; by
    hand; where things alone tell the way; and what is not so: left for right, other things, no order, also of the sentences
    alone on which that tells. Intervals (95%) are over houses.

    Example: vnla listen runs/talk --handwritten worlds/written --json listen.json

    Example: vnla listen runs/talk --reference runs/learned --seeds 0 --subset 500

    Example: vnla listen runs/learned --listener interpreted --handwritten worlds/written --subset 200

    Example: vnla listen runs/learned --listener interpreted --says usual --subset 1000

    Example: vnla listen runs/talk --listener parser --subset 200
    """
    from vnla.common.machine import device_named, use_threads
    from vnla.evaluation.confidence import few_houses
    from vnla.experiments.listening.listeners import (
        AgentListener,
        CarefulListener,
        InterpretedListener,
        ListeningOptions,
        ParserListener,
    )
    from vnla.training.trained import open_trained

    use_threads(threads)
    if as_json is not None:
        writable(as_json)
    if listener not in LISTENERS:
        raise InputError(f"--listener {listener}: unknown; choose from {', '.join(LISTENERS)}")
    if listener == PARSER and reference is not None:
        raise InputError("--reference: belongs to agents; the parser is compared with itself")
    for name in ("checkpoint", "seeds"):
        if listener == PARSER and is_given(context, name):
            raise InputError(f"--{name}: belongs to agents; the parser only reads what is said")
    trial = ListeningOptions(split, 0 if listener == PARSER else seeds, subset, checkpoint, _languages(says))
    kinds = {AGENT: AgentListener, INTERPRETED: InterpretedListener, CAREFUL: CarefulListener, PARSER: ParserListener}
    with telling() as tell:
        opened = {}
        for each in filter(None, (run, reference)):
            tell(f"loading {each}")
            opened[each] = kinds[listener](
                open_trained(each, world=world, tasks=tasks, device=device_named(device)), trial, tell
            )
        subject, other = opened[run], opened[reference] if reference is not None else opened[run]
        if subject.k != other.k:
            raise InputError(f"{reference}: its subgoals have {other.k} actions, those of {run} {subject.k}")
        found = subject.listened(other)
        if handwritten is not None:
            found += subject.read(handwritten, other)
    who = {AGENT: str(run), PARSER: PARSER}.get(listener, f"{run}, {listener}")
    title = f"{who}, {split}, {subject.k} actions" + (f"; retained of {reference}" if reference is not None else "")
    plain().print(_table(title, found))
    if few := few_houses(min(each.houses for each in found)):
        plain().print(few)
    if as_json is not None:
        about = {
            "run": str(run),
            "listener": listener,
            "reference": None if reference is None else str(reference),
            "split": split,
            "k": subject.k,
        }
        write_text(as_json, json.dumps({**about, "heard": {each.name: each.as_dict() for each in found}}, indent=2) + "\n")


def _languages(names: str | None) -> tuple[str, ...]:
    """What is said, by its names."""
    from vnla.language.speech import LANGUAGES

    wanted = LANGUAGES if names is None else tuple(dict.fromkeys(name.strip() for name in names.split(",")))
    unknown = next((name for name in wanted if name not in LANGUAGES), None)
    if unknown is not None:
        raise InputError(f"--says {unknown}: unknown; choose from {', '.join(LANGUAGES)}")
    return wanted


def _table(title: str, found: Sequence[Listened]) -> Table:
    shown = [name for name in MEASURES if any(name in each.figures for each in found)]
    table = Table("", *(MEASURES[name] for name in shown), *(f"retained: {name}" for name in shown), "walks", title=title)
    for each in found:
        kept = [str(part[name]) if name in part else "" for part in (each.figures, each.retained) for name in shown]
        table.add_row(each.name, *kept, f"{each.walks:,}")
    return table
