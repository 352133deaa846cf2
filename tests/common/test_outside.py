"""Numbers and JSON from outside: whatever is written there is a number within bounds, or one line for people."""

from __future__ import annotations

import json
import math
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vnla.common.errors import InputError
from vnla.common.outside import MOST_WHOLE, from_json, is_real, is_whole, real, shown, whole

HUGE = 10**400
NO_NUMBERS = [None, True, False, "1", "", [], [1], {}, {"a": 1}, math.nan, math.inf, -math.inf, HUGE, -HUGE]


@pytest.mark.parametrize("value", NO_NUMBERS)
def test_what_is_no_number_that_a_machine_has(value: Any) -> None:
    assert not is_whole(value) and not is_real(value)
    for read in (whole, real):
        with pytest.raises(InputError, match=r"^there: field k is .*; expected a (whole )?number from 1 to 8$") as error:
            read(value, "there: field k", 1, 8)
        assert len(str(error.value)) < 160


def test_whole_numbers() -> None:
    assert whole(3, "k", 1, 8) == 3 and type(real(3, "k", 1, 8)) is float
    assert is_whole(MOST_WHOLE) and not is_whole(MOST_WHOLE + 1) and not is_whole(10**30)
    assert is_real(10**30) and not is_whole(3.0) and is_whole(-(2**63)) and not is_whole(-(2**63) - 1)
    for beyond in (0, 9):
        with pytest.raises(InputError, match=rf"^k is {beyond}; expected a whole number from 1 to 8$"):
            whole(beyond, "k", 1, 8)
    with pytest.raises(InputError, match=r"^seed is 10+; expected a whole number of 18 digits at most$"):
        whole(10**30, "seed", 0)
    with pytest.raises(InputError, match=r"^seconds is -1; expected a number, 0 or more$"):
        real(-1, "seconds", 0)


@given(st.integers() | st.floats() | st.integers(10**300, 10**320))
def test_what_is_a_number_can_be_converted(value: float) -> None:
    if is_real(value):
        assert math.isfinite(float(value))
    if is_whole(value):
        assert int(value).to_bytes(8, "little", signed=True)
    assert "\n" not in shown(value) and len(shown(value)) <= 61


def test_numbers_of_many_digits_are_shown_by_how_many() -> None:
    assert shown(HUGE) == "a number of about 400 digits"
    assert shown(10 ** (sys.get_int_max_str_digits() + 10)) == "a number of about 4,310 digits"
    assert shown("a\nb") == r"'a\nb'" and shown("\ud800") == r"'\ud800'"


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "1" * 5000, "", "{", b"\xff", b"\xff\xfe{"])
def test_text_that_is_no_json_is_a_value_error(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        from_json(text)


def test_names_that_stand_twice() -> None:
    text = '{"a": {"b": 1, "b": 2}}'
    assert from_json(text) == json.loads(text)
    with pytest.raises(ValueError, match="a name stands twice in an object"):
        from_json(text, unique=True)
