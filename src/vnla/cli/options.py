"""Commands whose options are the fields of dataclasses, and the arguments and options that several commands have.

    @takes_options()
    def advice(world: WorldArgument, *, options: AdviceOptions) -> None: ...

Typer sees every field of `AdviceOptions` as an option of its own; the function is called with an instance. A field is
declared by `vnla.common.options.option`, or as in a Typer function where several commands have it: `device: DeviceOption`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_origin

import typer

from vnla.common.options import OptionField, declared_types, flag_of, options_in

Made = TypeVar("Made")
Returned = TypeVar("Returned")


def takes_options(*kinds: Any) -> Callable[[Callable[..., Returned]], Callable[..., Returned]]:
    """Make a command of a function.

    Its parameters that are dataclasses become their options, and its `**values` becomes the options of `kinds`.
    """

    def decorate(function: Callable[..., Returned]) -> Callable[..., Returned]:
        declared = inspect.signature(function, eval_str=True).parameters.values()
        groups: dict[str, Any] = {each.name: each.annotation for each in declared if _is_group(each.annotation)}
        parameters: list[inspect.Parameter] = []
        for each in declared:
            if each.kind is inspect.Parameter.VAR_KEYWORD:
                parameters += [parameter for kind in kinds for parameter in _parameters(kind)]
            else:
                parameters += _parameters(groups[each.name]) if each.name in groups else [each]

        @functools.wraps(function)
        def command(**values: Any) -> Returned:
            made = {name: made_from(kind, values) for name, kind in groups.items()}
            grouped = {name for kind in groups.values() for name in names_in(kind)}
            return function(**{name: value for name, value in values.items() if name not in grouped}, **made)

        del command.__wrapped__
        keyword = inspect.Parameter.KEYWORD_ONLY
        command.__signature__ = inspect.Signature([each.replace(kind=keyword) for each in parameters])  # type: ignore[attr-defined]
        command.__annotations__ = {each.name: each.annotation for each in parameters}
        return command

    return decorate


def _is_group(annotation: Any) -> bool:
    return isinstance(annotation, type) and is_dataclass(annotation)


@functools.cache
def _parameters(kind: Any) -> list[inspect.Parameter]:
    """Return the options of a dataclass as parameters of a function that Typer reads."""
    declared = {each.field: each for each in options_in(kind)}
    types, found = declared_types(kind), []
    for each in fields(kind):
        if each.name in declared:
            found.append(_parameter(declared[each.name]))
        elif get_origin(types.get(each.name)) is Annotated:
            keyword = inspect.Parameter.KEYWORD_ONLY
            found.append(inspect.Parameter(each.name, keyword, default=each.default, annotation=types[each.name]))
    return found


def _parameter(kept: OptionField) -> inspect.Parameter:
    """Return an option of a configuration as a parameter."""
    its, type_, default = kept.option, kept.type, kept.default
    flags = its.flags or ((kept.flag,) if type_ is bool else ())
    if kept.is_own:
        type_, default = list[str] | None, None
    elif its.is_place:
        type_, default = Path | None, None
    elif its.unset:
        type_, default = type_ | None, None
    elif its.several:
        type_, default = str, str(default)
    info = typer.Option(*flags, help=its.help, metavar=its.metavar, min=its.min, max=its.max)
    keyword = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(kept.name, keyword, default=default, annotation=Annotated[type_, info])


def names_in(*kinds: Any) -> list[str]:
    """Return the options that dataclasses declare, by the names of the parameters."""
    return [each.name for kind in kinds for each in _parameters(kind)]


def made_from(kind: type[Made], values: Mapping[str, Any]) -> Made:
    """Return an instance of a dataclass, of the values that its options have."""
    return kind(**{name: values[name] for name in names_in(kind)})


def is_given(context: typer.Context, name: str) -> bool:
    """Whether an option was given by a person, rather than left at its default."""
    source = context.get_parameter_source(name)
    return source is not None and not source.name.startswith("DEFAULT")


def given_of(context: typer.Context, names: Iterable[str]) -> set[str]:
    """Return those of the options that a person gave."""
    return {name for name in names if is_given(context, name)}


def as_typed(options: object, *names: str) -> list[str]:
    """Return fields of a dataclass as a person types them; one without a value is left out."""
    return [f"{flag_of(name)} {value}" for name in names if (value := getattr(options, name)) is not None]


RunArgument = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run, or: pretrained.")]

# what is run
RatioOption = Annotated[float | None, typer.Option(min=0, max=1, help="τ. [default: the run's]")]
ForwardOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="Where forward goes: informed or plain. [default: the run's; informed]")
]
CheckpointOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="val_seen, val_unseen or last. [default: that of the split's kind]")
]
OneCheckpointOption = Annotated[str, typer.Option(metavar="NAME", help="val_seen, val_unseen, last, or an iteration.")]
TasksOption = Annotated[Path | None, typer.Option(metavar="DIR", help="Data set. [default: the run's]")]
OtherTasksOption = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Another data set, e.g. NoRoom. [default: the run's]")
]
SeedsOption = Annotated[int, typer.Option(min=1, max=5, help="How many of the authors' five seeds to use.")]
BudgetSeedOption = Annotated[int, typer.Option(help="Seed of the help budget.")]
AgentOption = Annotated[str, typer.Option(metavar="NAME", help="paper, panorama, listener, or package.module:Class.")]
BatchOption = Annotated[int, typer.Option(min=1, help="Episodes in a batch.")]

# on what
DeviceOption = Annotated[str | None, typer.Option(help="cpu, cuda. [default: a GPU if there is one]")]
ThreadsOption = Annotated[int | None, typer.Option(min=1, help="CPU threads. [default: as many as there are cores]")]
CoresOption = Annotated[int | None, typer.Option(min=1, help="Threads. [default: all cores]")]
EagerOption = Annotated[bool, typer.Option("--eager", help="On a GPU: run operation by operation, not as one graph.")]

# what becomes of it
FiguresOption = Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write all figures to this file.")]
FoundOption = Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write what is found to this file.")]
EpisodesOption = Annotated[
    Path | None, typer.Option("--csv", metavar="FILE", help="Write one row per episode to this file.")
]
MetricOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="endings: how episodes that fail end; or a metric of your own, package.module:name. May be repeated.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]

# where a page is served
HostOption = Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 for everybody in the network.")]
PortOption = Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 for any free one.")]
NoOpenOption = Annotated[bool, typer.Option("--no-open", help="Do not open a browser.")]
