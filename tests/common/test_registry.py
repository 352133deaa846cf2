"""Parts chosen by name: found, made with options, refused in one line."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from vnla.common.errors import InputError
from vnla.common.registry import build, find, options_of


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


@pytest.mark.parametrize("name", ["..x:y", ".x:y", ":y", "x:", ":", "json:", "a..b:C", "json:decoder.", "json:a..b"])
def test_a_name_with_an_empty_part_is_no_name(name: str) -> None:
    with pytest.raises(InputError, match=r"garment '.*': is no name; expected package\.module:Class"):
        find("garment", name, KNOWN)


@pytest.mark.parametrize("name", ["a\0b:C", "\udc80:C", "json:\udc80", f"{'x' * 5000}:C", f"{'x.' * 5000}x:C", "json:a\0"])
def test_whatever_a_name_holds_it_is_refused_in_one_line(name: str) -> None:
    with pytest.raises(InputError):
        find("garment", name, KNOWN)


BROKEN = {
    "raises": ("1 / 0", r"module part_of_a_test cannot be imported \(ZeroDivisionError: division by zero, part.* line 1\)"),
    "leaves": ("import sys; sys.exit('bye')", r"cannot be imported \(SystemExit: bye, part_of_a_test\.py line 1\)"),
    "wrong": ("class Hat(:", r"cannot be imported \(SyntaxError: .*\)"),
    "asks": (
        "def __getattr__(name): raise RuntimeError('no\\nhat')",
        r"Hat cannot be had \(RuntimeError: no hat, part_of.*1\)",
    ),
    "makes": (
        "class Hat(dict):\n    def __init__(self): raise KeyError('felt')",
        r"cannot be made \(KeyError: 'felt', part_of_a_test\.py line 2\)",
    ),
    "other": ("def Hat(): pass", "is not a class made from builtins.dict"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_whatever_a_strangers_module_does_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    text, message = BROKEN[what]
    (tmp_path / "part_of_a_test.py").write_text(f"{text}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "part_of_a_test", raising=False)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    with pytest.raises(InputError, match=message) as refused:
        build("garment", "part_of_a_test:Hat", KNOWN, {}, dict)
    assert "\n" not in str(refused.value)
    sys.modules.pop("part_of_a_test", None)


def test_options_as_people_type_them() -> None:
    found = options_of(["beta=0.5", "steps = 3", "name=a=b", "deep=true"])
    assert found == {"beta": 0.5, "steps": 3, "name": "a=b", "deep": True}
    deep = "[" * 100_000
    assert options_of([f"beta={deep}"]) == {"beta": deep}, "no value that anything takes: its reader refuses it"
    for wrong in ("beta", "=1", "a b=1"):
        with pytest.raises(InputError, match="expected name=value"):
            options_of([wrong])


def test_what_is_found_need_not_be_made() -> None:
    assert find("garment", "shoe", KNOWN) is Shoe


def test_what_is_given_is_no_option() -> None:
    assert build("garment", "shoe", KNOWN, {}, Shoe, size=44) == Shoe(44)
    with pytest.raises(InputError, match="has no option size; its options are colour"):
        build("garment", "shoe", KNOWN, {"size": 45}, Shoe, size=44)
