"""Options that a configuration declares: each field once, with its default, its limits and its help text.

    @dataclass(frozen=True)
    class Schedule:
        iterations: int = option(100_000, "How many batches to train on.", min=0)

The command line (`vnla.cli.options`), docs/commands.md and the keywords of the Python functions are made from these fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

from vnla.common.errors import InputError
from vnla.common.registry import options_of

OWN, METADATA = "NAME=VALUE", "option"
"""The metavar of options of a part that is chosen by name, and where a field has its option."""


@dataclass(frozen=True)
class Option:
    """How a field is given by a person."""

    help: str
    flags: tuple[str, ...] = ()
    """Its spellings, the first is the one to use; without any that of the field, such as --weight-decay."""
    metavar: str | None = None
    min: float | None = None
    max: float | None = None
    is_place: bool = False
    """Whether it is a path, of which the field holds the whole as text, "" for none."""
    several: bool = False
    """Whether a person may give several with commas between, where the field holds one of them."""
    unset: bool = False
    """Whether the default is found out later."""


def option(default: Any, help: str, *flags: str, **more: Any) -> Any:  # noqa: A002
    """Return a field with this default, or what `default` makes, that a person may give as an option."""
    metadata = {METADATA: Option(help, flags, **more)}
    return (
        field(default_factory=default, metadata=metadata) if callable(default) else field(default=default, metadata=metadata)
    )


@dataclass(frozen=True)
class OptionField:
    """A field of a dataclass with its option."""

    field: str
    type: Any
    default: Any
    option: Option

    @property
    def name(self) -> str:
        """What a program calls the option: help_option for --help-option."""
        if not self.option.flags:
            return self.field
        return self.option.flags[0].partition("/")[0].removeprefix("--").replace("-", "_")

    @property
    def flag(self) -> str:
        """What a person types."""
        return flag_of(self.name)

    @property
    def is_own(self) -> bool:
        """Whether it has names with values."""
        return self.option.metavar == OWN

    def read(self, value: Any) -> Any:
        """Return what the field holds for a value of the command line."""
        if self.is_own:
            return options_of(value or [], self.flag)
        if self.option.is_place:
            return str(Path(value).absolute()) if value else ""
        return value


def flag_of(name: str) -> str:
    """Return an option as a person types it."""
    return f"--{name.replace('_', '-')}"


def refuse(names: Iterable[str], why: str) -> None:
    """Refuse options that would be ignored."""
    for name in sorted(names):
        raise InputError(f"{flag_of(name)}{why}")


@cache
def declared_types(kind: Any) -> dict[str, Any]:
    """Return the types of the fields of a dataclass; none where some are imported late."""
    try:
        return get_type_hints(kind, include_extras=True)
    except NameError:
        return {}


def options_in(kind: Any) -> Iterator[OptionField]:
    """Yield the fields of a dataclass that are options."""
    types = declared_types(kind)
    for each in fields(kind):
        if METADATA in each.metadata:
            default = each.default_factory() if each.default_factory is not MISSING else each.default
            yield OptionField(each.name, types.get(each.name, type(default)), default, each.metadata[METADATA])


def fields_from(kind: type[Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a dataclass that options set; not those of which a person may give several."""
    return {each.field: each.read(values[each.name]) for each in options_in(kind) if not each.option.several}
