"""Guests evaluated as trained agents are: every task under every seed, the same metrics, intervals and files.

Episodes run on a few threads, several in one call where the guest takes them so. What happens in one does not depend on the
others, and each is on disk before its place is taken by the next (`vnla.remote.folder`).
"""

from __future__ import annotations

import hashlib
import queue
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from vnla.common.errors import InputError
from vnla.common.progress import Share, unheard
from vnla.evaluation.evaluate import Evaluation
from vnla.evaluation.metrics import METRICS, Metric, score
from vnla.evaluation.trace import NOTHING, Trace
from vnla.remote.folder import EvaluationFolder, Key
from vnla.remote.guest import ACTIONS, UNANSWERED, Fault, Guest
from vnla.remote.walk import Record, Rules, Walk
from vnla.roles.help_teacher import RESULT_NAMES, Reason
from vnla.tasks.task import Task
from vnla.tasks.task_set import TaskSet
from vnla.world.views import VIEWS

_REASONS = {name: reason for reason, name in RESULT_NAMES.items()}

Show = Callable[[str, str, int], dict[str, Any]]
"""(house, viewpoint, pose) → the fields of an observation that show something."""


@dataclass(frozen=True)
class Visit:
    """What came of it."""

    evaluation: Evaluation
    errors: Counter[str]
    """The guest's errors by kind."""
    answers: int
    """How many answers were asked for."""


def evaluate_guest(
    guest: Guest,
    rules: Rules,
    show: Show,
    *,
    seeds: Sequence[int],
    folder: EvaluationFolder | None = None,
    at_once: int = 1,
    metrics: Mapping[str, Metric] = METRICS,
    progress: Share = unheard,
) -> Visit:
    """Run every task under every seed, `at_once` calls at a time if the guest bears it; go on from what the folder has."""
    tasks = rules.tasks
    number = {task.id: i for i, task in enumerate(tasks.tasks)}
    every = [(task.id, seed) for seed in seeds for task in tasks.tasks]
    done = {} if folder is None else folder.done(set(every).__contains__)
    houses = sorted({task.house for task in tasks.tasks})
    order = {task.id: houses.index(task.house) for task in tasks.tasks}
    todo = sorted((key for key in every if key not in done), key=lambda key: order[key[0]])  # house by house
    progress(len(done), len(every))
    groups = [todo[i : i + guest.declared.batch] for i in range(0, len(todo), guest.declared.batch)]
    in_doubt: list[Record] = []
    for records in _in_threads(
        lambda group: _visit(guest, rules, show, group, number), groups, at_once if guest.at_once else 1
    ):
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
    return Visit(_evaluation(rules, seeds, records, metrics), errors_of(records), sum(map(_answers, records)))


def _deserted(record: Record) -> bool:
    """Whether nobody answered at its end: then it may be that nobody is there any more, and it is kept only if somebody is,
    or when all is over."""
    return record.unanswered and Fault(record.errors[-1][1]) in UNANSWERED


def _keep(folder: EvaluationFolder, records: list[Record]) -> None:
    for record in records:
        folder.add(record)
    records.clear()


def errors_of(records: Sequence[Record]) -> Counter[str]:
    """How often a guest went wrong, by kind."""
    return Counter(kind for record in records for _, kind in record.errors)


def _answers(record: Record) -> int:
    return len(record.actions) + sum(each is not None for each in record.said)


def _visit(guest: Guest, rules: Rules, show: Show, group: Sequence[Key], number: Mapping[str, int]) -> list[Record]:
    """Some episodes together, from start to end."""
    walks = [rules.begin(number[task], seed) for task, seed in group]
    for walk, fault in zip(walks, guest.begin([walk.beginning for walk in walks]), strict=True):
        if fault is not None:
            walk.note(fault)
    while going := [walk for walk in walks if not walk.over]:
        seen = [walk.observation(**_shown(walk, rules, show)) for walk in going]
        for walk, answer in zip(going, guest.act(seen), strict=True):
            walk.take(answer)
    return [walk.record() for walk in walks]


def _shown(walk: Walk, rules: Rules, show: Show) -> dict[str, Any]:
    return show(walk.task.house, rules.tasks.environment.world.ids[walk.pose // VIEWS], walk.pose)


def _in_threads(
    work: Callable[[Sequence[Key]], list[Record]], groups: Sequence[Sequence[Key]], threads: int
) -> Iterator[list[Record]]:
    """What comes of each group, as it comes. Threads do not keep the process alive: whoever interrupts need not wait."""
    if threads == 1:
        yield from map(work, groups)
        return
    left: queue.SimpleQueue[Sequence[Key]] = queue.SimpleQueue()
    found: queue.Queue[list[Record] | BaseException] = queue.Queue(maxsize=threads)
    enough = threading.Event()
    for group in groups:
        left.put(group)

    def take() -> None:
        while not enough.is_set():
            try:
                outcome: list[Record] | BaseException = work(left.get_nowait())
            except queue.Empty:
                return
            except BaseException as error:
                outcome = error
            found.put(outcome)

    for _ in range(min(threads, len(groups))):
        threading.Thread(target=take, daemon=True).start()
    try:
        for _ in groups:
            while True:  # with a time-out: a wait without one cannot be interrupted everywhere
                try:
                    outcome = found.get(timeout=0.5)
                    break
                except queue.Empty:
                    continue
            if isinstance(outcome, BaseException):
                raise outcome
            yield outcome
    finally:
        enough.set()


def _evaluation(rules: Rules, seeds: Sequence[int], records: Sequence[Record], metrics: Mapping[str, Metric]) -> Evaluation:
    """The trace of all episodes, and its scores."""
    tasks = rules.tasks
    trace = trace_of(records, tasks)
    goals = tasks.goals.repeat(len(seeds))
    scores = score(trace, tasks.environment, goals, metrics=metrics).reshape(len(seeds), len(tasks))
    return Evaluation(tasks, tuple(seeds), trace, scores, metrics)


def trace_of(records: Sequence[Record], tasks: TaskSet) -> Trace:
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
