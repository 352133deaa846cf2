"""Streams without a GPU: whether what is taken in one was made in it, or in another that has been waited for since; and
whether its memory is left alone until then.

On a GPU such mistakes show at times, or as a number that is one iteration old. Memory that is let go is for the next who
wants some in the stream where it was made: that stream has to have waited for all who take it in others. Kernels are held to
what they take; what they write is not known, since those that run beside each other share memory, each in rows of its own.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes
from torch.utils._pytree import tree_leaves

FIRST = "first"


class Memory(NamedTuple):
    """What was made in a stream, and of each stream the number and the name of the operation that took it last."""

    there: StorageWeakRef
    stream: str
    taken: dict[str, tuple[int, str]]


class Streams(TorchDispatchMode):
    """Watches operations in streams that are names."""

    def __init__(self) -> None:
        super().__init__()
        self.current = FIRST
        self.too_early: list[str] = []
        self._waited: defaultdict[str, Counter[str]] = defaultdict(Counter)  # of each stream: for how many of each
        self._made: dict[int, tuple[str, int]] = {}  # in which stream, and how many operations of it there were
        self._memory: dict[int, Memory] = {}  # by the same numbers, none of which is used twice while its reference is here

    def __torch_dispatch__(
        self, operation: Any, _: object, arguments: tuple[Any, ...] = (), named: dict[str, Any] | None = None
    ) -> Any:
        given = _tensors((arguments, named))
        results = operation(*arguments, **(named or {}))
        made, before = _tensors(results), {_place(each) for each in given}
        if not operation._schema.is_mutable and all(_place(each) in before for each in made):
            return results  # a view
        number = self.look(str(operation), given)
        for each in made:
            there = StorageWeakRef(each.untyped_storage())
            self._made[there.cdata] = self.current, number
            self._memory.setdefault(there.cdata, Memory(there, self.current, {}))
        return results

    def look(self, name: str, given: list[Tensor]) -> int:
        """Note what an operation takes too early, or what was let go too early; the operation's number."""
        waited = self._waited[self.current]
        waited[self.current] += 1
        for each in given:
            stream, number = self._made.get(_place(each), (self.current, 0))
            if waited[stream] < number:
                self.too_early.append(f"{name} in {self.current} takes what is made in {stream}, {tuple(each.shape)}")
            if _place(each) in self._memory:
                taken = waited[self.current], f"{name} in {self.current}, {tuple(each.shape)}"
                self._memory[_place(each)].taken[self.current] = taken
        for memory in self._memory.values():
            if memory.stream == self.current and memory.there.expired():
                late = [by for stream, (number, by) in memory.taken.items() if waited[stream] < number]
                self.too_early += [f"{name} in {self.current} may get the memory of what is taken by {by}" for by in late]
                memory.taken.clear()
        return waited[self.current]

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
    return StorageWeakRef(tensor.untyped_storage()).cdata
