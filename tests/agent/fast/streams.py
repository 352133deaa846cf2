"""Streams without a GPU: whether what is taken in one was made in it, or in another that has been waited for since.

On a GPU such a mistake shows at times, or as a number that is one iteration old. Kernels are held to what they take; what
they write is not known, since those that run beside each other share memory, each in rows of its own.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes
from torch.utils._pytree import tree_leaves

FIRST = "first"


class Streams(TorchDispatchMode):
    """Watches operations in streams that are names."""

    def __init__(self) -> None:
        super().__init__()
        self.current = FIRST
        self.too_early: list[str] = []
        self._waited: defaultdict[str, Counter[str]] = defaultdict(Counter)  # of each stream: for how many of each
        self._made: dict[int, tuple[str, int]] = {}  # in which stream, and how many operations of it there were
        self._seen: list[Tensor] = []  # so that no memory is used twice

    def __torch_dispatch__(
        self, operation: Any, _: object, arguments: tuple[Any, ...] = (), named: dict[str, Any] | None = None
    ) -> Any:
        given = _tensors((arguments, named))
        results = operation(*arguments, **(named or {}))
        made, before = _tensors(results), {_place(each) for each in given}
        self._seen += made
        if not operation._schema.is_mutable and all(_place(each) in before for each in made):
            return results  # a view
        self.look(str(operation), given)
        own = self._waited[self.current]
        own[self.current] += 1
        self._made |= {_place(each): (self.current, own[self.current]) for each in made}
        return results

    def look(self, name: str, given: list[Tensor]) -> None:
        """Note what is taken too early."""
        for each in given:
            stream, number = self._made.get(_place(each), (self.current, 0))
            if self._waited[self.current][stream] < number:
                self.too_early.append(f"{name} in {self.current} takes what is made in {stream}, {tuple(each.shape)}")

    @contextmanager
    def beside(self, stream: str) -> Iterator[None]:
        """As `vnla.common.capture.beside`."""
        before = self.current
        self._waited[stream] |= self._waited[before]
        self.current = stream
        try:
            yield
        finally:
            self.current = before

    def join(self, stream: str) -> None:
        """As `vnla.common.capture.join`."""
        self._waited[self.current] |= self._waited[stream]

    def watch(self, monkeypatch: pytest.MonkeyPatch, *modules: str) -> None:
        """Have modules use these streams, and Triton's interpreter show what kernels take."""
        from triton.runtime.interpreter import InterpretedFunction

        for module in modules:
            monkeypatch.setattr(f"{module}.beside", self.beside)
            monkeypatch.setattr(f"{module}.join", self.join)
        run: Callable[..., object] = InterpretedFunction.run

        def looked(kernel: Any, *arguments: Any, **named: Any) -> object:
            self.look(kernel.__name__, _tensors((arguments, named)))
            with _disable_current_modes():
                return run(kernel, *arguments, **named)

        monkeypatch.setattr(InterpretedFunction, "run", looked)


def _tensors(tree: object) -> list[Tensor]:
    return [each for each in tree_leaves(tree) if isinstance(each, torch.Tensor)]


def _place(tensor: Tensor) -> int:
    return tensor.untyped_storage().data_ptr()
