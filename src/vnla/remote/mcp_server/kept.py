"""The folder of `vnla mcp --out`: each task is started in it once, and what came of it is kept.

::

    <split>/settings.json     what determines the outcome; another server is refused
    <split>/answers.jsonl     a line for each start and each answer of a client, written before it is carried out
    <split>/episodes.jsonl    a line an episode that has ended, on disk before the client is told
    <split>/results.json      a results file of the episodes that have ended, written again at each end

An episode that was started and has not ended when the folder is opened was abandoned: its answers are carried out again, and
the rest of its time passes without action.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from vnla.common.errors import InputError
from vnla.common.outside import shown
from vnla.evaluation.metrics import score
from vnla.evaluation.results import Result, results_of_trace, write_results
from vnla.evaluation.scores import Scores
from vnla.remote.episode import EpisodeRecord, EvaluationEpisode
from vnla.remote.evaluated_agent import ACTIONS, Answer, Fault
from vnla.remote.evaluation import trace_of
from vnla.remote.folder import RESULTS, EvaluationFolder, Journal, Key
from vnla.remote.mcp_server.setting import OfferedTasks

ANSWERS = "answers.jsonl"
START, ASK = "start", "ask"
"""Entries of the journal that are no actions."""


def answer_named(name: str) -> Answer:
    """What a client answers by this name."""
    return Answer(None if name == ASK else ACTIONS[name])


def abandon(episode: EvaluationEpisode) -> None:
    """Let the rest of an episode's time pass without action."""
    while not episode.over:
        episode.take(Fault.NO_ANSWER)


def scored(offered: OfferedTasks, records: Sequence[EpisodeRecord]) -> tuple[Scores, list[Result]]:
    """The scores of episodes that have ended, an entry each, and their records in a results file."""
    tasks = offered.rules.tasks.rows([offered.number[record.task] for record in records])
    trace = trace_of(records, tasks)
    scores = score(trace, tasks.environment, tasks.goals)
    return scores, results_of_trace(tasks, trace, scores.success.astype(bool).tolist())


class KeptEpisodes:
    """The episodes of a split in a folder. Several threads may use it; one process has the folder at a time."""

    def __init__(self, folder: Path, offered: OfferedTasks) -> None:
        """Refuses a folder that another server began; keeps what was abandoned in it."""
        self._offered, self._lock = offered, threading.Lock()
        path = folder / offered.split
        self._folder, self._answers = EvaluationFolder(path, offered.settings()), Journal(path / ANSWERS)
        self._results: dict[str, Result] = {}
        started = self._read_answers()
        ended = {task: record for (task, _), record in self._folder.done(self._is_known).items()}
        self._started = {*started, *ended}
        """Ids of the tasks that cannot be started any more."""
        self._place = path / RESULTS
        left = [self._abandoned(task, names) for task, names in started.items() if task not in ended]
        for record in left:
            self._folder.add(record)
        self._write([*ended.values(), *left])
        self.abandoned = len(left)
        """How many episodes were found abandoned."""

    def __len__(self) -> int:
        return len(self._results)

    def has(self, task: str) -> bool:
        """Whether a task was started."""
        return task in self._started

    def claim(self, tasks: Iterable[str]) -> str | None:
        """The first of these tasks that was not started yet, which is started now; None where all were."""
        with self._lock:
            found = next((task for task in tasks if task not in self._started), None)
            if found is not None:
                self._started.add(found)
                self._note(found, START)
            return found

    def answered(self, task: str, name: str) -> None:
        """A client answers; this is on disk before it is carried out."""
        with self._lock:
            self._note(task, name)

    def ended(self, record: EpisodeRecord) -> None:
        """An episode has ended."""
        with self._lock:
            self._folder.add(record)
            self._write([record])

    def close(self) -> None:
        """Nothing more will be kept."""
        with self._lock:
            self._answers.close()
            self._folder.close()

    def _note(self, task: str, name: str) -> None:
        self._answers.add({"task": task, "answer": name}, at_once=name == START)

    def _write(self, records: Sequence[EpisodeRecord]) -> None:
        if not records:
            return
        for result in scored(self._offered, records)[1]:
            self._results[result.instr_id] = result
        write_results(self._place, [self._results[task.id] for task in self._offered.tasks if task.id in self._results])

    def _is_known(self, key: Key) -> bool:
        task, seed = key
        return task in self._offered.number and seed == self._offered.terms.seed

    def _read_answers(self) -> dict[str, list[str]]:
        """Task that was started → what was answered in it."""
        found: dict[str, list[str]] = {}
        for where, value in self._lines():
            task, name = (value.get(each) if isinstance(value, dict) else None for each in ("task", "answer"))
            sound = isinstance(task, str) and task in self._offered.number and isinstance(name, str)
            if not isinstance(task, str) or not sound or name not in (START, ASK, *ACTIONS):
                raise InputError(f"{where}: is {shown(value)}; expected a task of these and an answer; give another --out")
            if (name == START) is (task in found):
                raise InputError(f"{where}: task {shown(task)} is not to be there, or not twice; give another --out")
            found.setdefault(task, []).extend([] if name == START else [name])
        return found

    def _lines(self) -> Iterator[tuple[str, Any]]:
        for number, value in self._answers.read():
            yield f"{self._answers.path}: line {number}", value

    def _abandoned(self, task: str, names: Sequence[str]) -> EpisodeRecord:
        """What came of an episode of which the answers alone were kept."""
        episode = self._offered.begin(task)
        for name in names:
            if not episode.over:
                episode.take(answer_named(name))
        abandon(episode)
        return episode.record()
