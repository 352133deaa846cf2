"""Agents of others evaluated as trained ones are: every task under every seed, the same metrics, intervals and files.

Episodes run on a few threads, several in one call where the agent takes them so. What happens in one does not depend on the
others, and each is on disk before its place is taken by the next (`vnla.remote.folder`).
"""

from __future__ import annotations

import hashlib
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import torch

from vnla.assistance.help_teacher import RESULT_NAMES, Reason
from vnla.camera import VIEWS
from vnla.common.errors import InputError
from vnla.common.progress import Share, unheard
from vnla.evaluation.evaluate import Evaluation
from vnla.evaluation.metrics import METRICS, Metric, score
from vnla.evaluation.trace import NOTHING, Trace
from vnla.observation import Observation
from vnla.remote.episode import EpisodeRecord, EvaluationEpisode, EvaluationRules
from vnla.remote.evaluated_agent import ACTIONS, UNANSWERED, EvaluatedAgent, Fault
from vnla.remote.folder import EvaluationFolder, Key
from vnla.remote.observer import WorldObserver
from vnla.tasks.task import Task
from vnla.tasks.task_set import TaskSet

_REASONS = {name: reason for reason, name in RESULT_NAMES.items()}

PATIENCE = 60.0
"""Seconds that calls in hand are waited for when it is no use to go on."""

Found = TypeVar("Found")
Work = Callable[[Sequence[Key], threading.Event], list[EpisodeRecord]]


@dataclass(frozen=True)
class PolicyEvaluation:
    """What came of it."""

    evaluation: Evaluation
    errors: Counter[str]
    """The agent's errors by kind."""
    answers: int
    """How many answers were asked for."""


def evaluate_policy(
    agent: EvaluatedAgent,
    rules: EvaluationRules,
    show: WorldObserver,
    *,
    seeds: Sequence[int],
    folder: EvaluationFolder | None = None,
    at_once: int = 1,
    metrics: Mapping[str, Metric] = METRICS,
    progress: Share = unheard,
) -> PolicyEvaluation:
    """Run every task under every seed, `at_once` calls at a time if the agent bears it; go on from what the folder has."""
    tasks = rules.tasks.tasks
    every = [(task.id, seed) for seed in seeds for task in tasks]
    done = {} if folder is None else folder.done(set(every).__contains__)
    house = {task.id: task.house for task in tasks}
    todo = sorted((key for key in every if key not in done), key=lambda key: house[key[0]])  # house by house
    size = agent.declaration.batch
    groups = [todo[i : i + size] for i in range(0, len(todo), size)]
    work = partial(visit, agent, rules, show, {task.id: i for i, task in enumerate(tasks)})
    in_doubt: list[EpisodeRecord] = []
    progress(len(done), len(every))
    for records in _in_threads(work, groups, at_once if agent.concurrent else 1):
        for record in records:
            done[record.task, record.seed] = record
            in_doubt.append(record)
            if folder is not None and not _deserted(record):
                _keep(folder, in_doubt)
        progress(len(done), len(every))
    if folder is not None:
        _keep(folder, in_doubt)
        folder.close()
    records = [done[key] for key in every]
    return PolicyEvaluation(_evaluation(rules, seeds, records, metrics), errors_of(records), sum(map(_answers, records)))


def _deserted(record: EpisodeRecord) -> bool:
    """Whether nobody answered at its end: then it may be that nobody is there any more, and it is kept only if somebody is,
    or when all is over."""
    return record.unanswered and Fault(record.errors[-1][1]) in UNANSWERED


def _keep(folder: EvaluationFolder, records: list[EpisodeRecord]) -> None:
    for record in records:
        folder.add(record)
    records.clear()


def errors_of(records: Sequence[EpisodeRecord]) -> Counter[str]:
    """How often an agent went wrong, by kind."""
    return Counter(kind for record in records for _, kind in record.errors)


def _answers(record: EpisodeRecord) -> int:
    return len(record.actions) + sum(each is not None for each in record.said)


def visit(
    agent: EvaluatedAgent,
    rules: EvaluationRules,
    show: WorldObserver,
    number: Mapping[str, int],
    group: Sequence[Key],
    enough: threading.Event,
) -> list[EpisodeRecord]:
    """Some episodes together, from start to end; nothing comes of them if it is `enough` before."""
    episodes = [rules.begin(number[task], seed) for task, seed in group]
    for episode, fault in zip(episodes, agent.start([each.observation() for each in episodes]), strict=True):
        if fault is not None:
            episode.note(fault)
    while active := [each for each in episodes if not each.over]:
        if enough.is_set():
            return []
        answers = agent.act([observed(each, rules, show) for each in active])
        for episode, answer in zip(active, answers, strict=True):
            episode.take(answer)
    return [each.record() for each in episodes]


def observed(episode: EvaluationEpisode, rules: EvaluationRules, show: WorldObserver) -> Observation:
    """What an agent observes of an episode now."""
    viewpoint = rules.tasks.environment.world.ids[episode.pose // VIEWS]
    shown = show(episode.task.house, viewpoint, episode.pose)
    return episode.observation(**shown, **show.sensed(episode.sensed(show.sensors)))


def _in_threads(work: Work, groups: Sequence[Sequence[Key]], count: int) -> Iterator[list[EpisodeRecord]]:
    """What comes of each group, as it comes. When one fails, the calls that others have in hand are waited for: they may
    have been paid for. Threads do not keep the process alive, so whoever interrupts need not wait."""
    enough = threading.Event()
    if count == 1:
        yield from (work(group, enough) for group in groups)
        return
    left: queue.SimpleQueue[Sequence[Key]] = queue.SimpleQueue()
    found: queue.SimpleQueue[list[EpisodeRecord] | Exception] = queue.SimpleQueue()
    for group in groups:
        left.put(group)

    def take() -> None:
        while not enough.is_set():
            try:
                found.put(work(left.get_nowait(), enough))
            except queue.Empty:
                return
            except Exception as error:
                found.put(error)

    threads = [threading.Thread(target=take, daemon=True) for _ in range(min(count, len(groups)))]
    for thread in threads:
        thread.start()
    try:
        for _ in groups:
            outcome = _next(found)
            if isinstance(outcome, Exception):
                enough.set()
                _wait_for(threads)
                raise outcome
            yield outcome
    finally:
        enough.set()


def _next(found: queue.SimpleQueue[Found]) -> Found:
    """What comes next; with time-outs, because a wait without one cannot be interrupted everywhere."""
    while True:
        try:
            return found.get(timeout=0.5)
        except queue.Empty:
            continue


def _wait_for(threads: Sequence[threading.Thread]) -> None:
    end = time.monotonic() + PATIENCE
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))


def _evaluation(
    rules: EvaluationRules, seeds: Sequence[int], records: Sequence[EpisodeRecord], metrics: Mapping[str, Metric]
) -> Evaluation:
    """The trace of all episodes, and its scores."""
    tasks = rules.tasks
    trace = trace_of(records, tasks)
    goals = tasks.goals.repeat(len(seeds))
    scores = score(trace, tasks.environment, goals, metrics=metrics).reshape(len(seeds), len(tasks))
    return Evaluation(tasks, tuple(seeds), trace, scores, metrics)


def trace_of(records: Sequence[EpisodeRecord], tasks: TaskSet) -> Trace:
    """Records as tensors. Nothing stands where an error stood in for an action, or where the help teacher is not known."""
    world = tasks.environment.world
    steps = max(len(record.actions) for record in records)
    house = {task.id: task.house for task in tasks.tasks}
    texts = tuple(sorted({text for record in records for text in record.said if text is not None}))
    place = {text: i for i, text in enumerate(texts)}

    def rows(values: list[list[int]], width: int = steps) -> torch.Tensor:
        return torch.tensor([each + [NOTHING] * (width - len(each)) for each in values]).reshape(len(values), width)

    try:
        poses = [
            [world.viewpoint(house[record.task], viewpoint) * VIEWS + view for viewpoint, view in record.path]
            for record in records
        ]
    except InputError as error:
        raise InputError(f"the episodes that were kept are of another world ({error}); give another --out") from None
    reason = rows([[NOTHING if each is None else int(_REASONS[each]) for each in record.teacher] for record in records])
    phrase = rows([[NOTHING if each is None else place[each] for each in record.said] for record in records])
    return Trace(
        pose=torch.tensor([each + each[-1:] * (steps + 1 - len(each)) for each in poses]),
        length=torch.tensor([len(record.actions) for record in records]),
        nav=rows([[NOTHING if each is None else int(ACTIONS[each]) for each in record.actions] for record in records]),
        request=phrase != NOTHING,
        teacher_request=(reason != NOTHING) & (reason != Reason.NO_BUDGET) & (reason != Reason.NO_NEED),
        reason=reason,
        phrase=phrase,
        help_budget=torch.tensor([record.help_budget for record in records]),
        texts=texts,
    )


def tasks_checksum(tasks: Sequence[Task]) -> str:
    """What tells a list of tasks from another."""
    return hashlib.sha256("\n".join(f"{task.id} {task.house} {task.end_goal}" for task in tasks).encode()).hexdigest()[:16]
