"""Cases in turn: every one is tried, and who fails is told."""

from __future__ import annotations

import inspect

import pytest

from in_turn import in_turn


def test_every_case_is_tried_and_each_that_fails_is_told() -> None:
    tried = []

    @in_turn("number", [1, 2, 3, 4], lambda number: f"no. {number}", lambda number: number * 10)
    def odd(number: int, more: int) -> None:
        tried.append(number + more)
        assert number % 20

    assert [*inspect.signature(odd).parameters] == ["more"], "what pytest has to give"
    with pytest.raises(ExceptionGroup, match=r"2 of 4 failed \(number: no\. 2, number: no\. 4\)") as found:
        odd(more=1)
    assert tried == [11, 21, 31, 41]
    assert [type(each) for each in found.value.exceptions] == [AssertionError, AssertionError]


def test_no_cases_are_no_test() -> None:
    with pytest.raises(AssertionError, match="there are no cases"):
        in_turn("number", [])
