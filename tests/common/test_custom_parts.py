"""Errors in parts that are not ours are told of the part that was named, and errors of ours are not."""

from __future__ import annotations

import types
from collections.abc import Callable

import pytest

from vnla.common import custom_parts
from vnla.common.custom_parts import blamed, is_ours, note
from vnla.common.errors import InputError

TEXT = """
class Loud:
    def say(self):
        return self.shout()
    def shout(self):
        raise ValueError("too\\nloud")
class Echo:
    def say(self, voice=Loud):
        return voice().say()
def whisper():
    1 / 0
"""


@pytest.fixture
def theirs(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    monkeypatch.setattr(custom_parts, "_named", {})
    module = types.ModuleType("their_parts")
    exec(compile(TEXT, "/somewhere/their_parts.py", "exec"), module.__dict__)
    return module


def raised(work: Callable[[], object]) -> BaseException:
    try:
        work()
    except Exception as error:
        return error
    raise AssertionError


def test_the_part_is_named_with_the_method_that_was_called(theirs: types.ModuleType) -> None:
    note("voice", "their_parts:Loud", "their_parts:Loud", theirs.Loud)
    note("voice", "echo", "their_parts:Echo", theirs.Echo)
    why = "raised ValueError: too loud (their_parts.py, line 6)"
    assert blamed(raised(theirs.Loud().say)) == f"voice their_parts:Loud: Loud.say {why}"
    assert blamed(raised(theirs.Echo().say)) == f"voice echo: Echo.say {why}"
    assert "whisper raised ZeroDivisionError: division by zero" in str(blamed(raised(theirs.whisper)))


def test_nobody_is_blamed_who_was_not_named(theirs: types.ModuleType) -> None:
    assert blamed(raised(theirs.Loud().say)) is None
    note("error", "vnla.common.errors:InputError", "vnla.common.errors:InputError", InputError)
    assert custom_parts._named == {} and is_ours(InputError()) and not is_ours(theirs.Loud())
