"""A trainer of a part of every batch: other processes have the rest (`vnla.training.ranks`).

An iteration has three stages, each a graph on a GPU: the episodes, with what losses divide by; losses and gradients; the
optimiser's step. Between them, outside of any graph, everybody's numbers are added up: a graph that held a collective could
wait for ever, and no time-out would end it. With all gradients in one tensor it is one sum.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from vnla.agents.layers.dropout import part_of_batch
from vnla.common.capture import Captured
from vnla.common.errors import InputError
from vnla.training.ranks import Ranks
from vnla.training.trainer import Losses, Played, Trainer, matrix_units

_LINE = 4
"""Gradients begin at a multiple of so many numbers, 16 bytes. What lies otherwise the optimiser takes by another kernel, and
that rounds otherwise: one process would not learn what the plain trainer does to the last bit."""
PRACTISED = "practised "
"""Before the names of what is tallied of practice."""


class SplitTrainer(Trainer):
    """An agent in training by several processes, seen by one of them."""

    def __init__(self, *given: Any, ranks: Ranks, **options: Any) -> None:
        super().__init__(*given, **options)
        if not self.objective.divisible:
            name = type(self.objective).__name__
            raise InputError(f"objective {name}: does not say what its losses divide by, so one process has to train it")
        self._ranks, self._part = ranks, ranks.part(self.config.batch)
        self._parameters = [each for group in self.optimiser.param_groups for each in group["params"]]
        self._played: Played | None = None
        self._tally = _Sum({})
        self._gradients = torch.empty(0)

    def own(self, batch: Tensor) -> Tensor:
        """This process's part."""
        return batch[self._part.first : self._part.first + self._part.count]

    def draws(self, seed: int) -> int:
        """Agents that draw what they drop out by themselves, for the rows they see, must not draw the same everywhere."""
        return seed if self.context.agent.draws_by_episode else (seed + self._ranks.rank * 0x9E3779B97F4A7C15) % 2**63

    def update(self, which: Tensor, seed: Tensor) -> Losses:
        """The three stages and what is between them."""
        with part_of_batch(self._part if which.is_cuda else None):
            if self.captures:
                return self._captured(which, seed)
            self._play(which, seed)
            for between, stage in self._further:
                between()
                losses = stage()
        return losses

    @property
    def _further(self) -> tuple[tuple[Callable[[], None], Callable[[], Losses]], ...]:
        return (self._add_up_tally, self._study), (self._add_up_gradients, self._step)

    @cached_property
    def _captured(self) -> Captured[Losses]:
        """The stages as GPU graphs."""
        return Captured(self._play, self._part.count, self.tasks.key.device, self.optimiser, self._further)

    def _play(self, which: Tensor, seed: Tensor) -> Losses:
        with matrix_units(self.config.precision), torch.enable_grad():
            self._played = self.played(which, seed)
            rollout, judged, practised = self._played
            tally = self.objective.tally(rollout, judged)
            if practised is not None:
                tally |= {PRACTISED + name: each for name, each in practised.tally().items()}
            self._tally = _Sum(tally)
        nothing = self._tally.values.new_zeros(())
        return Losses(nothing, nothing)

    def _add_up_tally(self) -> None:
        self._ranks.add_up(self._tally.values)

    def _study(self) -> Losses:
        assert self._played is not None, "it has to play first"
        played, self._played = self._played, None
        played.rollout.totals = totals = self._tally.parts()
        if played.practised is not None:
            own = {name: each for name, each in totals.items() if name.startswith(PRACTISED)}
            played.practised.totals = {name.removeprefix(PRACTISED): each for name, each in own.items()}
        with matrix_units(self.config.precision):
            losses = self.learned(played)
        self._gradients = self._flat(losses)
        return losses

    def _add_up_gradients(self) -> None:
        self._ranks.add_up(self._gradients)

    def _step(self) -> Losses:
        """The optimiser's step with the sum of the gradients. What no process has a gradient of stays as it is."""
        sizes = [each.numel() + _missing(each) for each in self._parameters]
        *parts, there, nav, ask = torch.split(self._gradients, [*sizes, len(sizes), 1, 1])
        has = [each.grad is not None for each in self._parameters] if there.is_cuda else (there > 0).tolist()
        for parameter, part, some in zip(self._parameters, parts, has, strict=True):
            parameter.grad = part[: parameter.numel()].view_as(parameter) if some else None
        self.optimiser.step()
        return Losses(nav.squeeze(0), ask.squeeze(0))

    def _flat(self, losses: Losses) -> Tensor:
        """All gradients, who has one, and the losses, in one tensor."""
        given, like = [each.grad for each in self._parameters], self._parameters[0]
        nothing, parts = like.new_zeros(_LINE), []
        for each, gradient in zip(self._parameters, given, strict=True):
            parts += [torch.zeros_like(each) if gradient is None else gradient, nothing[: _missing(each)]]
        # In a graph it is always the same ones that have a gradient.
        there = like.new_zeros(len(given)) if like.is_cuda else like.new_tensor([each is not None for each in given])
        return torch.cat([*(each.flatten().to(like.dtype) for each in parts), there, *(each.reshape(1) for each in losses)])


def _missing(parameter: Tensor) -> int:
    """How many numbers go after a parameter's, up to where the next begin."""
    return -parameter.numel() % _LINE


class _Sum:
    """Tensors as one, in double precision, to be added up; whole numbers stay exact."""

    def __init__(self, tally: Mapping[str, Tensor]) -> None:
        self._tally = dict(tally)
        parts = [each.flatten().double() for each in self._tally.values()]
        self.values = torch.cat(parts) if parts else torch.zeros(1, dtype=torch.float64)

    def parts(self) -> dict[str, Tensor]:
        """The sums by name, as the tensors were."""
        parts = torch.split(self.values, [each.numel() for each in self._tally.values()])
        pairs = zip(self._tally.items(), parts, strict=True)
        return {name: part.view_as(each).to(each.dtype) for (name, each), part in pairs}
