"""Commands whose options are the fields of dataclasses."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from typer.testing import CliRunner

from vnla.cli.asking import asked
from vnla.cli.options import DeviceOption, as_typed, given_of, made_from, names_in, takes_options
from vnla.common.errors import InputError
from vnla.common.options import OWN, fields_from, option, refuse
from vnla.training.config import RunConfig
from vnla.training.options import CONFIGURED


@dataclass(frozen=True)
class Sampling:
    """Options of a command."""

    count: int = option(200, "How many sentences.", min=1)
    share: float = option(1, "A number, though its default is whole.")
    out: Path | None = option(None, "Where to.", metavar="DIR")
    loud: bool = option(False, "A flag.")
    pictures: bool = option(True, "Another.", "--pictures/--no-pictures")
    device: DeviceOption = None


@dataclass(frozen=True)
class OtherSampling(Sampling):
    """The same with another default, and one option more."""

    count: int = option(3, "How few.", min=1)
    seed: int = option(0, "Seed.", "--seed", "--draw")


@dataclass(frozen=True)
class Kept:
    """A configuration, which holds other values than a person gives."""

    unseen: Any = None
    options: dict[str, Any] = option(dict, "Of a part.", "--part-option", metavar=OWN)
    place: str = option("", "A folder.", metavar="DIR", is_place=True)
    seed: int = option(0, "Several.", metavar="NUMBERS", several=True)


def called(kind: type[Any], *words: str) -> Any:
    """What a command with these options is called with."""
    found: list[Any] = []

    def command(context: typer.Context, name: Annotated[str, typer.Argument()], *, options: Any) -> None:
        found.extend([name, options, given_of(context, names_in(kind))])

    command.__annotations__["options"] = kind
    app = typer.Typer()
    app.command()(takes_options()(command))
    result = CliRunner().invoke(app, list(words), catch_exceptions=False)
    return found or result.output


def test_a_command_is_called_with_an_instance() -> None:
    assert called(Sampling, "it") == ["it", Sampling(), set()]
    name, options, given = called(
        Sampling, "it", "--count", "7", "--share", "0.5", "--loud", "--no-pictures", "--out", "here"
    )
    assert (name, options) == ("it", Sampling(7, 0.5, Path("here"), True, False))
    assert given == {"count", "share", "loud", "pictures", "out"}
    assert "Invalid value for '--count'" in called(Sampling, "it", "--count", "0")


def test_a_class_may_build_on_another() -> None:
    assert called(OtherSampling, "it", "--draw", "4") == ["it", OtherSampling(seed=4), {"seed"}]
    assert names_in(OtherSampling) == [*names_in(Sampling), "seed"]
    assert "How few." in called(OtherSampling, "--help") and "How many" not in called(OtherSampling, "--help")


def test_a_configuration_holds_what_its_options_mean() -> None:
    @takes_options(Kept)
    def command(**values: Any) -> dict[str, Any]:
        return values

    values = asked(command, [], {"part_option": {"size": 3}, "place": "here", "seed": [1, 2]})
    assert values == {"part_option": ["size=3"], "place": Path("here"), "seed": "1,2"}
    assert fields_from(Kept, values) == {"options": {"size": 3}, "place": str(Path("here").absolute())}
    assert fields_from(Kept, asked(command, [], {}))["place"] == ""


def test_options_are_typed_and_refused_by_their_names() -> None:
    options = made_from(Sampling, {**vars(Sampling()), "count": 5})
    assert as_typed(options, "count", "out", "share") == ["--count 5", "--share 1"]
    with pytest.raises(InputError, match=r"^--no-open: is of no use$"):
        refuse({"no_open", "port"}, ": is of no use")
    refuse((), ": is of no use")


def test_no_two_configurations_have_an_option_of_one_name() -> None:
    names = names_in(*CONFIGURED)
    assert len(names) == len(set(names))
    assert inspect.signature(RunConfig).parameters["sensors"].default == ""
