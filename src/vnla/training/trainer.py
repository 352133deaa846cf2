"""Training: batches in a fixed order, one optimiser step each, and a state from which it goes on exactly.

Everything random in iteration i is determined by (seed, i): the batch, the help budgets, the sampled actions, the dropout.
So the state is the parameters, the optimiser's moments and the number of iterations done, and a run that was killed and
resumed ends with the same weights as one that was not.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor, nn

from vnla.agents.layers.deferred import collect_gradients
from vnla.agents.layers.products import products_in
from vnla.agents.policy_agent import PolicyAgent
from vnla.common.capture import Captured, beside, join, keep_kernels, second_stream
from vnla.common.custom_parts import called
from vnla.common.device_stream import PendingTensors, lane_of
from vnla.common.errors import InputError
from vnla.common.randomness import episode_key
from vnla.common.returned import described
from vnla.rollout import Rollout, RolloutContext
from vnla.tasks.task_set import TaskSet
from vnla.training.checkpoints import (
    AGENT,
    CRITIC,
    iterations_done,
    load_optimiser_tensors,
    load_part_tensors,
    optimised,
    optimiser_tensors,
    part_tensors,
    read_checkpoint,
)
from vnla.training.config import TrainingConfig
from vnla.training.data import Prefetcher
from vnla.training.fast_check import EPISODES, check_fast
from vnla.training.objectives.objective import ImitationObjective, Judged, Objective
from vnla.training.practice import SubgoalPractice

RATES = {AGENT: 1.0, CRITIC: 10.0}
"""How many times the learning rate the parts learn with: a critic that lags behind says nothing."""


class Losses(NamedTuple):
    """Of one iteration; the sums over the steps that are minimised."""

    nav: Tensor
    ask: Tensor

    def both(self) -> Tensor:
        """Return the two in one tensor, (2,)."""
        return torch.stack((self.nav, self.ask))


class Played(NamedTuple):
    """Episodes that were run, what a critic says to them, and what was practised beside them."""

    rollout: Rollout
    judged: Judged | None
    practised: Rollout | None = None


class Trainer:
    """An agent in training."""

    def __init__(
        self,
        context: RolloutContext,
        tasks: TaskSet,
        config: TrainingConfig,
        *,
        learns_to_ask: bool,
        objective: Objective | None = None,
        practice: SubgoalPractice | None = None,
        ratio: float | None = None,
        eager: bool = False,
    ) -> None:
        """By the `objective`, the paper's unless another is given, and by `practice` beside it, if there is any; the help
        module learns only with `learns_to_ask`. `ratio` is τ where the help policy has another than the configuration.

        On a GPU an iteration is captured as one graph and replayed, unless it is to run `eager`ly, or somebody takes part
        whom a graph cannot hold (`uncaptured` says who).
        """
        self.context = context
        self.tasks = tasks
        self.config = config
        self.ratio = config.ratio if ratio is None else ratio
        self.learns_to_ask = learns_to_ask
        self.objective = objective or ImitationObjective()
        self.practice = practice
        self.done = 0
        on_gpu = tasks.key.is_cuda
        self.uncaptured = uncaptured(context) if on_gpu and not eager else None
        self.captures = on_gpu and not eager and self.uncaptured is None
        self._kernel_cache = keep_kernels() if self.captures else None
        self.optimiser = torch.optim.Adam(
            [{"params": list(optimised(part)), "lr": self._rate(name)} for name, part in self.parts.items()],
            weight_decay=config.weight_decay,
            capturable=on_gpu,
            fused=True,
        )
        self.stream = lane_of(tasks.key.device)
        self._aside = second_stream(tasks.key.device)  # for the help module, which learns beside the navigation module
        self._compared = False
        self._order = BatchOrder(config.seed, len(tasks), config.batch, tasks.key.device)
        on_host = self._order if not on_gpu else BatchOrder(config.seed, len(tasks), config.batch)
        self._prefetcher = Prefetcher(context, tasks, lambda iteration: self.own(on_host.batch(iteration)))

    @cached_property
    def parts(self) -> dict[str, nn.Module]:
        """All that learns, by the name that it has in checkpoints."""
        critic = self.objective.critic()
        device = self.tasks.key.device
        return {AGENT: self.context.agent, **({CRITIC: critic.to(device)} if critic is not None else {})}

    def _rate(self, part: str) -> float | Tensor:
        """Return the learning rate of a part; a graph reads it where it lies, so that it can change."""
        rate = RATES[part] * self.config.learning_rate
        return torch.tensor(rate, device=self.tasks.key.device) if self.tasks.key.is_cuda else rate

    def iterate(self) -> Losses:
        """Run one iteration, a batch of episodes and an update; on a GPU it is queued on the trainer's stream."""
        seed = iteration_seed(self.config.seed, self.done)
        self.compare()
        if not self.context.agent.training:
            self.context.agent.train()
        with self.stream.drawing(self.draws(seed)):
            self._set_rate(self.config.rate(self.done))
            self.context.following.advance(self.config.share(self.done))
            self._prefetcher.ready(self.done)
            which = self.batch()
            losses = self.update(which, torch.full_like(which, seed))
        self.stream.queued()
        self.done += 1
        return losses

    def batch(self) -> Tensor:
        """Return the tasks of the next iteration."""
        return self.own(self._order.batch(self.done))

    def own(self, batch: Tensor) -> Tensor:
        """Return the part of a batch that is run here: all of it."""
        return batch

    def draws(self, seed: int) -> int:
        """Return what dropout is drawn from, where it is not each episode's own, in the iteration of a seed."""
        return seed

    def compare(self) -> None:
        """Before the first iteration: whether the agent learns with the equations it is judged by."""
        if self._compared:
            return
        with self.stream.entered(), matrix_units(self.config.precision):
            self._prefetcher.have(torch.arange(min(EPISODES, len(self.tasks))))
            check_fast(
                self.context, self.tasks, "tf32" if self.config.precision == "tf32" else "float32", self._kernel_cache
            )
        self._compared = True

    def _set_rate(self, rate: float) -> None:
        if self.config.cooldown:
            for group, times in zip(self.optimiser.param_groups, RATES.values(), strict=False):
                group["lr"] = group["lr"].fill_(times * rate) if isinstance(group["lr"], Tensor) else times * rate

    def update(self, which: Tensor, seed: Tensor) -> Losses:
        """Run the tasks numbered `which` with the given seeds and take one step of the optimiser."""
        return self._captured(which, seed) if self.captures else self._update(which, seed)

    def _update(self, which: Tensor, seed: Tensor) -> Losses:
        with matrix_units(self.config.precision):
            return self._learn(which, seed)

    def _learn(self, which: Tensor, seed: Tensor) -> Losses:
        losses = self.learned(self.played(which, seed))
        self.optimiser.step()
        return losses

    def played(self, which: Tensor, seed: Tensor) -> Played:
        """Run the episodes of an iteration."""
        with mixed_precision(self.config.precision, which.device):
            if not self.objective.runs_episodes:
                assert self.practice is not None, "there is nothing else to learn from"
                return Played(self.practice.rollout(self.tasks, which, seed, self.context), None)
            rollout = self.objective.rollout(self.tasks, which, seed, self.ratio, self.context)
            judged = self.objective.judge(rollout, self.parts.get(CRITIC))
            practised = self.practice.rollout(self.tasks, which, seed, self.context) if self.practice else None
            return Played(rollout, judged, practised)

    def learned(self, played: Played) -> Losses:
        """Compute the losses and their gradients; return the losses."""
        agent, objective, (rollout, judged, practised) = self.context.agent, self.objective, played
        device = rollout.episodes.key.device
        with mixed_precision(self.config.precision, device):
            with beside(self._aside):
                ask = objective.ask_loss(rollout, agent, judged) if self.learns_to_ask else None
            nav = objective.nav_loss(rollout, judged)
            understanding = practised.nav_loss() if practised is not None else None
        check_losses(objective, nav, ask)
        self.optimiser.zero_grad(set_to_none=True)
        torch.autograd.backward([loss for loss in (nav, ask, understanding) if loss is not None])
        join(self._aside)
        collect_gradients(agent)
        nothing = torch.zeros((), device=device)
        return Losses(*(nothing if loss is None else loss.detach() for loss in (nav, ask)))

    @cached_property
    def _captured(self) -> Captured[Losses]:
        """`_update` as one GPU graph."""
        return Captured(self._update, self.config.batch, self.tasks.key.device, self.optimiser)

    def finite(self) -> PendingTensors:
        """Return whether all that has been learned is numbers, one truth value for each part of it."""
        with self.stream.entered():
            return self.stream.read({name: value.isfinite().all() for name, value in part_tensors(self.parts).items()})

    def state(self) -> PendingTensors:
        """Parameters and optimiser after the iterations done, as a checkpoint has them; those that follow change nothing of
        it."""
        with self.stream.entered():
            return self.stream.read(part_tensors(self.parts) | optimiser_tensors(self.parts, self.optimiser))

    def resume(self, path: Path) -> dict[str, str]:
        """Go on from a state that was saved; its notes."""
        tensors, notes = read_checkpoint(path)
        with self.stream.entered():
            load_part_tensors(self.parts, tensors, path)
            load_optimiser_tensors(self.parts, self.optimiser, tensors, path)
        self.done = iterations_done(path, notes)
        return notes


def check_losses(objective: Objective, nav: object, ask: object) -> None:
    """Refuse losses of an objective that nothing could be learned from. That looks at no number, so it waits for no GPU."""
    for method, loss in (("nav_loss", nav), ("ask_loss", ask)):
        if loss is None:
            continue
        who = called("objective", objective)
        if not isinstance(loss, Tensor) or loss.dim() or not loss.is_floating_point():
            raise InputError(f"{who}: {method} returned {described(loss)}; expected float32 (), one number")
        if not loss.requires_grad:
            raise InputError(f"{who}: {method} returned a number that does not depend on the agent, so nothing is learned")
    if nav is None and ask is None:
        raise InputError(f"{called('objective', objective)}: nav_loss returned nothing, and nobody learns to ask")


def uncaptured(context: RolloutContext) -> str | None:
    """Return the class that a GPU graph cannot hold, the agent's or the advisor's, if there is one."""
    who = next((each for each in (context.agent, context.bound_advisor) if not each.captured), None)
    return None if who is None else type(who.policy if isinstance(who, PolicyAgent) else who).__name__


class BatchOrder:
    """The tasks of each iteration: consecutive entries of an endless row of permutations, one an epoch."""

    def __init__(self, seed: int, tasks: int, batch: int, device: torch.device | str = "cpu") -> None:
        self._seed, self._tasks, self._batch, self._device = seed, tasks, batch, torch.device(device)
        self._epoch = lru_cache(maxsize=2)(self._permutation)

    def batch(self, iteration: int) -> Tensor:
        """Return the numbers of an iteration's tasks; a slice of what is on the device already but once an epoch."""
        epoch, first = divmod(iteration * self._batch, self._tasks)
        parts, missing = [], self._batch
        while missing:
            part = self._epoch(epoch)[first : first + missing]
            parts.append(part)
            epoch, first, missing = epoch + 1, 0, missing - len(part)
        return parts[0] if len(parts) == 1 else torch.cat(parts)

    def _permutation(self, epoch: int) -> Tensor:
        generator = torch.Generator().manual_seed(episode_key(f"order {self._seed} {epoch}"))
        order = torch.randperm(self._tasks, generator=generator)
        # From locked memory the copy is queued, and the host goes on.
        return order.pin_memory().to(self._device, non_blocking=True) if self._device.type == "cuda" else order


def batch_of(seed: int, tasks: int, batch: int, iteration: int) -> Tensor:
    """Return the tasks of one iteration."""
    return BatchOrder(seed, tasks, batch).batch(iteration)


def iteration_seed(seed: int, iteration: int) -> int:
    """Return the seed of everything random in one iteration."""
    return episode_key(f"iteration {seed} {iteration}") >> 1


def mixed_precision(precision: str, device: torch.device) -> contextlib.AbstractContextManager[object]:
    """Products in the given precision for the length of the block."""
    if precision in ("float32", "tf32"):
        return contextlib.nullcontext()
    if precision == "bfloat16":
        return products_in(torch.bfloat16) if device.type == "cpu" else torch.autocast(device.type, torch.bfloat16)
    raise InputError(f"precision {precision}: unknown; choose float32, tf32 or bfloat16")


@contextlib.contextmanager
def matrix_units(precision: str) -> Iterator[None]:
    """For the length of the block, a GPU may round the operands of float32 products to tf32 if less than float32 will do."""
    before = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = precision != "float32"
    try:
        yield
    finally:
        torch.backends.cuda.matmul.allow_tf32 = before
