"""A training iteration as one GPU graph.

An iteration is thousands of small kernels in a fixed order; launching each from Python takes longer than running it.
Captured once and replayed, they cost one launch. What changes from one iteration to the next goes in through two tensors
that stay in place, and the losses come out the same way; dropout draws from the device's generator, which a replay advances
and which `torch.manual_seed` sets as usual. What is captured is the plain function: the algorithm has no second copy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

import torch
from torch import Tensor

Outcome = TypeVar("Outcome", bound=tuple[Tensor, ...])

_WARM_UP = 3


class Captured(Generic[Outcome]):
    """A function of (which, seed) that trains: captured at its first call, replayed from then on.

    Capturing asks for a few runs beforehand; what they change in the parameters, the optimiser and the random state is put
    back, so that the first call too is one iteration.
    """

    def __init__(
        self,
        function: Callable[[Tensor, Tensor], Outcome],
        batch: int,
        device: torch.device,
        optimiser: torch.optim.Optimizer,
    ) -> None:
        self._function = function
        self._which = torch.zeros(batch, dtype=torch.int64, device=device)
        self._seed = torch.zeros(batch, dtype=torch.int64, device=device)
        self._optimiser = optimiser
        self._replay: tuple[torch.cuda.CUDAGraph, Outcome] | None = None

    def __call__(self, which: Tensor, seed: Tensor) -> Outcome:
        """What the function gives; the next call overwrites its tensors."""
        self._which.copy_(which)
        self._seed.copy_(seed)
        if self._replay is None:
            with _undone(self._optimiser):
                self._warm_up()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                outcome = self._function(self._which, self._seed)
            self._replay = graph, outcome
        graph, outcome = self._replay
        graph.replay()
        return outcome

    def _warm_up(self) -> None:
        aside = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(_WARM_UP):
                self._function(self._which, self._seed)
        torch.cuda.current_stream().wait_stream(aside)


@contextmanager
def _undone(optimiser: torch.optim.Optimizer) -> Iterator[None]:
    """Whatever happens to parameters, optimiser and random numbers in the block is undone after it."""
    parameters = [each for group in optimiser.param_groups for each in group["params"]]
    values = [each.detach().clone() for each in parameters]
    moments = [{name: part.clone() for name, part in optimiser.state.get(each, {}).items()} for each in parameters]
    random = torch.cuda.get_rng_state()
    yield
    with torch.no_grad():
        for parameter, value, before in zip(parameters, values, moments, strict=True):
            parameter.copy_(value)
            parameter.grad = None
            for name, part in optimiser.state[parameter].items():
                part.copy_(before[name]) if before else part.zero_()
    torch.cuda.set_rng_state(random)
