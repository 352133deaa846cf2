"""What stands in the place of a tensor that nobody has asked for.

An empty tensor there would be computed with in silence. This one cannot be: whoever looks at it, by a method, an operator or
a function of PyTorch, gets one line that names its class and says how to ask.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

from vnla.common.errors import InputError

_OPERATORS = (
    "bool", "len", "iter", "call", "getitem", "contains", "float", "int", "index", "neg", "pos", "abs", "invert",
    "lt", "le", "gt", "ge", "eq", "ne",
    *(side + each for side in ("", "r") for each in ("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow")),
    *(side + each for side in ("", "r") for each in ("and", "or", "xor", "lshift", "rshift")),
)  # fmt: skip


class Unknown:
    """Something that is not known here, and who it is known to."""

    def __init__(self, what: str, who: str) -> None:
        """`what` it is, and for `who` it is made: "X looks at {what}, which is there {who}"."""
        self._what, self._who = what, who

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # what Python and PyTorch look for in every object
            raise AttributeError(name)
        raise self.error()

    __hash__ = object.__hash__

    @classmethod
    def __torch_function__(
        cls, function: Callable[..., Any], types: Sequence[type], given: Sequence[Any] = (), named: Any = None
    ) -> NoReturn:
        """Every function of PyTorch that is given one."""
        del function, types
        raise next(_found((given, *(named or {}).values()))).error()

    def error(self, reader: str | None = None) -> InputError:
        """Return what to say of whoever looks; by itself whoever does so now."""
        return InputError(f"{reader or _reader()} looks at {self._what}, which is there {self._who}")


def _refusing(operator: str) -> Callable[..., NoReturn]:
    def refuse(self: Unknown, *_: object) -> NoReturn:
        raise self.error()

    refuse.__name__ = operator
    return refuse


for _each in _OPERATORS:
    setattr(Unknown, f"__{_each}__", _refusing(f"__{_each}__"))


def _found(value: object) -> Iterator[Unknown]:
    """Return those among the arguments of a function."""
    if isinstance(value, Unknown):
        yield value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _found(each)


def _reader() -> str:
    """Return the class and the method that look, or whoever called the function that does."""
    frame = sys._getframe(1)
    while frame is not None:
        reader = frame.f_locals.get("self")
        if reader is not None and not isinstance(reader, Unknown):
            return f"{type(reader).__name__}.{frame.f_code.co_name}"
        frame = frame.f_back  # type: ignore[assignment]
    return "somebody"
