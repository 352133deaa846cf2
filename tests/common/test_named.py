"""Parts chosen by name: found, made with options, refused in one line."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from vnla.common.errors import InputError
from vnla.common.named import build, find, options_of


@dataclass(frozen=True)
class Shoe:
    """A part with options."""

    size: int = 40
    colour: str = "brown"


KNOWN = {"shoe": Shoe}


def test_ours_have_short_names() -> None:
    assert build("garment", "shoe", KNOWN, {"size": 43}, Shoe) == Shoe(43)


def test_anybodys_are_found_where_the_command_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "class Hat(dict):\n    def __init__(self, brim=1):\n        self.brim = brim\n"
    (tmp_path / "wardrobe_of_a_test.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    assert build("garment", "wardrobe_of_a_test:Hat", KNOWN, {"brim": 3}, dict).brim == 3  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("sock", {}, "garment sock: unknown; choose from shoe, or name your own as package.module:Class"),
        ("nowhere_at_all:Hat", {}, "garment nowhere_at_all:Hat: module nowhere_at_all cannot be imported"),
        ("json:Hat", {}, "garment json:Hat: module json has no Hat"),
        ("shoe", {"laces": 2}, "garment shoe: has no option laces; its options are size, colour"),
        ("sys:path", {}, "garment sys:path: is not a class made from"),
        ("os:system", {"command": "true"}, "garment os:system: is not a class made from"),
        ("collections:UserDict", {}, "garment collections:UserDict: is not a class made from"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(name: str, options: dict[str, int], message: str) -> None:
    with pytest.raises(InputError, match=message.replace(".", r"\.")):
        build("garment", name, KNOWN, options, Shoe)


@pytest.mark.parametrize(
    ("text", "why"), [("class Hat:\n  1 +\n", "SyntaxError: invalid syntax"), ("Hat = brim\n", "NameError: name 'brim'")]
)
def test_a_module_that_cannot_be_read_is_one_line(
    text: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "torn_of_a_test.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(InputError, match=rf"garment torn_of_a_test:Hat: module torn_of_a_test cannot be imported \({why}"):
        build("garment", "torn_of_a_test:Hat", KNOWN, {}, Shoe)


def test_options_as_people_type_them() -> None:
    found = options_of(["beta=0.5", "steps = 3", "name=a=b", "deep=true"])
    assert found == {"beta": 0.5, "steps": 3, "name": "a=b", "deep": True}
    for wrong in ("beta", "=1", "a b=1"):
        with pytest.raises(InputError, match="expected name=value"):
            options_of([wrong])


def test_what_is_found_need_not_be_made() -> None:
    assert find("garment", "shoe", KNOWN) is Shoe


def test_what_is_given_is_no_option() -> None:
    assert build("garment", "shoe", KNOWN, {}, Shoe, size=44) == Shoe(44)
    with pytest.raises(InputError, match="has no option size; its options are colour"):
        build("garment", "shoe", KNOWN, {"size": 45}, Shoe, size=44)
