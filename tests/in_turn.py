"""Many quick cases in one test: pytest's bookkeeping for one takes longer than such a case."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

Test = Callable[..., None]


def in_turn(
    name: str, cases: Iterable[Any], show: Callable[[Any], str] = str, make: Callable[[Any], Any] = lambda case: case
) -> Callable[[Test], Test]:
    """As `pytest.mark.parametrize`: all cases are tried, and each that fails is told with its name. They share fixtures.

    What is given to the test is made of a case when its turn comes.
    """
    known = list(cases)
    assert known, f"{name}: there are no cases"

    def together(test: Test) -> Test:
        @wraps(test)
        def every(**fixtures: Any) -> None:
            failed = []
            for case in known:
                try:
                    test(**fixtures, **{name: make(case)})
                except Exception as error:
                    error.add_note(f"{name}: {show(case)}")
                    failed.append(error)
            if failed:
                told = ", ".join(error.__notes__[-1] for error in failed)
                raise ExceptionGroup(f"{len(failed)} of {len(known)} failed ({told})", failed)

        signature = inspect.signature(test)
        others = [each for each in signature.parameters.values() if each.name != name]
        every.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return every

    return together
