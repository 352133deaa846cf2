"""Evaluate an agent as the paper does (section 7): every task with several seeds, greedy actions, no dropout.

    evaluation = evaluate(context, tasks)
    print(evaluation.summary()["success_rate"])

A seed decides the help budget of every episode, and where the random help policy asks. All seeds of all tasks are rows of
the same batches; randomness is keyed by seed and episode, so how rows are grouped changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vnla.agents.agent import Agent
from vnla.assistance.help_teacher import RESULT_NAMES
from vnla.bcui import bcui
from vnla.common.errors import InputError
from vnla.common.progress import Share, unheard
from vnla.common.tables import stretches
from vnla.episode import Episodes
from vnla.evaluation.confidence import Estimate, Interval, finite, over_seeds, seeds_note
from vnla.evaluation.metrics import METRICS, Metric, score
from vnla.evaluation.scores import Scores
from vnla.evaluation.trace import Trace
from vnla.rollout import Rollout, RolloutContext
from vnla.tasks.task import Task
from vnla.tasks.task_set import TaskSet
from vnla.words import Words
from vnla.world.budgets import HELP_RATIO, LONGEST_EPISODE

SEEDS = (123, 435, 6757, 867, 983)
"""The seeds of the authors' evaluation."""

CPU_MEMORY = 2 << 30
"""Bytes that a batch may take on a CPU."""
CPU_BATCH = 1024
"""Episodes in a batch on a CPU: more are no faster there."""
GPU_BATCH = 5000
"""Episodes in a batch on a GPU: more are no faster."""


@dataclass(frozen=True)
class Evaluation:
    """All that happened, on the host. Rows of `trace` are all tasks under the first seed, then under the next."""

    tasks: TaskSet
    seeds: tuple[int, ...]
    trace: Trace
    scores: Scores  # (seeds, tasks)
    metrics: Mapping[str, Metric] = field(default_factory=lambda: METRICS)

    @property
    def forward(self) -> str:
        """Where `forward` went: one of `vnla.world.forward.FORWARDS`."""
        return self.tasks.environment.world.forward

    def summary(self) -> dict[str, Estimate]:
        """Return each figure that the scores tell: over the episodes of a seed, then over the seeds. Shares are per cent."""
        each_seed = [self.scores.rows(i) for i in range(len(self.seeds))]
        known = {name: metric for name, metric in self.metrics.items() if metric.can_tell(self.scores)}
        return {name: over_seeds([metric(scores) for scores in each_seed]) for name, metric in known.items()}

    def figure(self, name: str) -> Estimate:
        """Return one figure of the summary, such as "success_rate"."""
        found = self.summary()
        if name not in found:
            raise InputError(f"figure {name}: these episodes do not tell it; they tell {', '.join(found)}")
        return found[name]

    def over_tasks(self, name: str) -> Interval:
        """Return a figure over all episodes with its interval for other tasks in the same houses."""
        return self.metrics[name].over_episodes(self.scores)

    @property
    def houses(self) -> int:
        """In how many the tasks are."""
        return len({task.house for task in self.tasks.tasks})

    @property
    def note(self) -> str:
        """What the intervals of the summary are over; nothing with one seed, which has none."""
        return seeds_note(len(self.seeds), self.houses) if len(self.seeds) > 1 else ""

    @cached_property
    def reasons(self) -> dict[str, dict[str, int]]:
        """How often the help teacher had each reason, at all steps and at the agent's requests; the authors' names."""
        counts = {"steps": self.scores.reasons, "requests": self.scores.reasons_at_requests}
        totals = {where: array.sum(axis=(0, 1)) for where, array in counts.items()}
        return {where: {RESULT_NAMES[why]: int(total[why]) for why in RESULT_NAMES} for where, total in totals.items()}

    def as_dict(self) -> dict[str, Any]:
        """Return the summary for a JSON file; what cannot be known is null."""
        figures = {
            name: {
                "mean": finite(figure.mean),
                "margin": finite(figure.margin),
                "unit": self.metrics[name].unit,
                "seeds": [finite(each) for each in figure.each],
            }
            for name, figure in self.summary().items()
        }
        return {
            "episodes": len(self.tasks),
            "houses": self.houses,
            "seeds": list(self.seeds),
            "note": self.note or None,
            "forward": self.forward,
            "figures": figures,
            "teacher_reasons": self.reasons,
        }


def evaluate(
    context: RolloutContext,
    tasks: TaskSet,
    *,
    seeds: Sequence[int] = SEEDS,
    ratio: float = HELP_RATIO,
    k: int | None = None,
    batch: int | None = None,
    metrics: Mapping[str, Metric] = METRICS,
    progress: Share = unheard,
) -> Evaluation:
    """Run every task under every seed.

    Help budgets are drawn for the ratio τ and the advisor's k, or another `k`. Without a `batch` as many episodes run
    together as memory allows. The agent is left in the mode that it was in.
    """
    pieces = played(context, tasks, seeds=seeds, ratio=ratio, k=k, batch=batch, metrics=metrics, progress=progress)
    return joined(tasks, seeds, list(pieces), metrics)


@dataclass(frozen=True)
class EvaluatedBatch:
    """What happened in a batch."""

    rows: NDArray[np.int64]
    """Which of all episodes: those of the first seed, then those of the next."""
    trace: Trace
    scores: Scores  # (rows,)


def played(
    context: RolloutContext,
    tasks: TaskSet,
    *,
    seeds: Sequence[int] = SEEDS,
    ratio: float = HELP_RATIO,
    k: int | None = None,
    batch: int | None = None,
    metrics: Mapping[str, Metric] = METRICS,
    progress: Share = unheard,
    every: tuple[int, int] = (0, 1),
) -> Iterator[EvaluatedBatch]:
    """An evaluation batch by batch; with `every` (i, n) only the i-th of each n batches, which are those of the whole."""
    if not seeds or len(set(seeds)) < len(seeds):
        raise InputError(f"evaluation: the seeds are {list(seeds)}; it needs at least one, and each once")
    device, count = tasks.key.device, len(tasks) * len(seeds)
    steps = int(tasks.time_budget.max())
    seed_of = torch.tensor([_as_int64(seed) for seed in seeds], device=device).repeat_interleave(len(tasks))
    task_of = torch.arange(len(tasks), device=device).repeat(len(seeds))
    done, rows_of = 0, _batches(context, tasks, count, batch or fitting_batch(context, tasks.end_goals, steps))
    for rows in islice(rows_of, every[0], None, every[1]):
        which, seed = (each[rows.to(device)] for each in (task_of, seed_of))
        episodes = tasks.episodes(which, seed=seed, ratio=ratio, k=k or context.advisor.k)
        trace = Trace.of(run_greedy(episodes, context, steps), steps)
        with torch.no_grad():
            scores = score(trace, tasks.environment, episodes.goals, metrics=metrics)
        done += len(rows)
        progress(min(done * every[1], count), count)
        yield EvaluatedBatch(rows.numpy(), trace.to("cpu"), scores)


def _batches(context: RolloutContext, tasks: TaskSet, count: int, batch: int) -> Iterator[Tensor]:
    """The rows of an evaluation, which are all tasks again and again, in batches: as they come, or house by house where
    features are not all in memory."""
    tables = [each for each in context.tables if each.selective]
    if not tables:
        yield from map(torch.arange, range(0, count, batch), [*range(batch, count, batch), count])
        return
    houses = tasks.houses().repeat(count // len(tasks))
    order = houses.argsort(stable=True)
    names = houses[order].tolist()
    for part in stretches(names, tables, batch):
        for table in tables:
            table.need(names[part])
        yield order[part]


def joined(
    tasks: TaskSet, seeds: Sequence[int], pieces: Sequence[EvaluatedBatch], metrics: Mapping[str, Metric]
) -> Evaluation:
    """Return the evaluation that pieces make up, which are all of it."""
    order = np.concatenate([piece.rows for piece in pieces]).argsort()
    trace, table = Trace.join([piece.trace for piece in pieces]), Scores.join([piece.scores for piece in pieces])
    return Evaluation(tasks, tuple(seeds), trace.rows(order), table.rows(order).reshape(len(seeds), len(tasks)), metrics)


def run_task(
    context: RolloutContext, tasks: TaskSet, task: str, *, seed: int = SEEDS[0], ratio: float = HELP_RATIO
) -> Rollout:
    """Return one episode, that of the task with the id `task`, as `evaluate` would run it: a rollout to look at closely."""
    which = torch.tensor([tasks.tasks.index(task_named(tasks, task))], device=tasks.key.device)
    episodes = tasks.episodes(which, seed=seed, ratio=ratio, k=context.advisor.k)
    return run_greedy(episodes, context, int(episodes.time_budget.max()))


def task_named(tasks: TaskSet, name: str) -> Task:
    """Return the task with an id."""
    found = next((each for each in tasks.tasks if each.id == name), None)
    if found is None:
        raise InputError(f"task {name}: not among these {len(tasks)} tasks; the first is {tasks.tasks[0].id}")
    return found


def run_greedy(episodes: Episodes, context: RolloutContext, longest: int = LONGEST_EPISODE) -> Rollout:
    """Run episodes as they are evaluated: the agent has no dropout, and nothing is learned."""
    with greedy(context.agent):
        return bcui(episodes, context, longest)


@contextmanager
def greedy(agent: Agent) -> Iterator[None]:
    """The agent without dropout and gradients for the length of the block."""
    training = agent.training
    agent.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        agent.train(training)


def fitting_batch(context: RolloutContext, end_goals: Words, steps: int) -> int:
    """Return how many episodes fit into memory together: into half of what a GPU has left, or `CPU_MEMORY`."""
    words = end_goals.tokens.shape[1] + context.bound_advisor.phrases.tails.tokens.shape[1]
    on_gpu = end_goals.length.is_cuda
    memory = torch.cuda.mem_get_info(end_goals.length.device)[0] // 2 if on_gpu else CPU_MEMORY
    fitting = max(1, memory // (4 * context.agent.footprint(words, steps)))
    return min(GPU_BATCH if on_gpu else CPU_BATCH, fitting)


def _as_int64(seed: int) -> int:
    """Return the low 64 bits of a seed, which are all that random numbers take of it."""
    return (seed + (1 << 63)) % (1 << 64) - (1 << 63)
