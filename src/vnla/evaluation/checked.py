"""Anybody's results file, held against the rules of the task: what the agent did must be possible, action by action.

    checked = check(path, tasks)
    print(checked.scores["success"].mean())

A file says where an agent was and when it asked. Everything else is worked out from that: the actions, and every score.
Whatever the file itself says of success, of the teacher or of numbers is not used; `Checked.claims` tells where it is wrong.

What is held against each record: it is of a task of the split, and no other record is; it begins where the task does; each
step is one of the six actions, and ends where that action leads; nothing comes after `stop`; the time and help budgets are
kept, and nobody was told anything without asking. Help budgets are drawn (`vnla.world.budgets`): where the seed is not known
a record may have the larger of two, and all of them together no more than luck can give.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from vnla.assistance.advisor import BoundAdvisor
from vnla.camera import HEADINGS, LEVEL_ROW, ROWS, TURN, VIEWS, view_angles, view_index
from vnla.common import files
from vnla.common.errors import InputError
from vnla.episode import Episodes
from vnla.evaluation.complete import incomplete_records
from vnla.evaluation.metrics import METRICS, Metric, score
from vnla.evaluation.replay import RecordedWalks, broken_rules
from vnla.evaluation.results import WHAT, Result, actions_of, read_result, trace_of
from vnla.evaluation.scores import Scores
from vnla.evaluation.trace import Trace
from vnla.tasks.task import Task
from vnla.tasks.task_set import TaskSet
from vnla.world.budgets import HELP_RATIO, SUBGOAL_ACTIONS, help_budget
from vnla.world.forward import FORWARDS, INFORMED

LARGEST = 512 * files.MEGABYTE
LARGEST_RECORD = 16 << 10
"""Bytes for each task that a file may have, and a megabyte; ours take four thousand."""
CLAIMS = {
    "is_success": "success", "success": "success", "room_success": "room_success", "nav_error": "nav_error",
    "oracle_success": "oracle_success", "oracle_error": "oracle_error", "spl": "spl", "ndtw": "ndtw", "steps": "steps",
    "length": "path_length", "path_length": "path_length", "requests": "requests",
}  # fmt: skip
"""Fields in which a record may say how it went → the score that says how it did go."""
CLOSE = 0.005
"""By how much a number may be off that was rounded to two digits."""
LONGEST_WALK = 1000
"""Steps of a walk that has no time budget."""
_LUCK = 5.0  # standard deviations; one honest file in three million has more
_MESSAGE = 400  # characters of a file's own that go into one message
_OFF = 1e-3  # of a turn; angles may be this far from those of a view


@dataclass(frozen=True)
class Allowance:
    """How often an agent may ask: τ and k of the help budgets, and the seed they were drawn with, where it is known. Where
    it is also known which advisor answered, records have to be complete (`vnla.evaluation.complete`)."""

    ratio: float = HELP_RATIO
    k: int = SUBGOAL_ACTIONS
    seed: int | None = None
    advisor: BoundAdvisor | None = None

    def largest(self, tasks: TaskSet) -> list[int]:
        """The help budget of each task; the larger one where two could have been drawn."""
        if self.seed is None:
            return self.exact(tasks).ceil().long().tolist()
        return help_budget(tasks.time_budget, tasks.key, ratio=self.ratio, k=self.k, seed=self.seed).tolist()

    def exact(self, tasks: TaskSet) -> Tensor:
        """The mean budget of each task, over all seeds."""
        return tasks.time_budget.to(torch.float64) * self.ratio / self.k

    def most(self, tasks: TaskSet) -> float:
        """How many requests budgets of all tasks together can allow."""
        if self.seed is not None:
            return math.inf  # each task has been held to its own
        exact = self.exact(tasks)
        part = exact - exact.floor()
        return float(exact.sum() + _LUCK * (part * (1 - part)).sum().sqrt())


class Claim(NamedTuple):
    """What a file says of its own episodes, against what they are."""

    field: str
    said: int
    """In how many records."""
    differ: int
    first: str
    """The first that differs, in words."""


@dataclass(frozen=True)
class Checked:
    """A results file whose walks can be believed."""

    path: Path
    tasks: TaskSet
    """Those that it is scored on, in the order of the split."""
    of: int
    """How many tasks the split has."""
    trace: Trace
    scores: Scores
    wrong: tuple[str, ...]
    """What is wrong with records that were counted as failures."""
    missing: tuple[str, ...]
    """Tasks without a record that were counted as failures."""
    claims: tuple[Claim, ...]
    sound: tuple[bool, ...]
    """Whether each task has a record that is right."""


class _Entry(NamedTuple):
    """A record that can be read."""

    where: str
    result: Result
    says: Mapping[str, Any]


class _WrongError(Exception):
    """What is wrong with a record."""


def check(
    path: Path,
    tasks: TaskSet,
    allowance: Allowance | None = None,
    *,
    partial: bool = False,
    lenient: bool = False,
    metrics: Mapping[str, Metric] = METRICS,
    records: Sequence[Any] | None = None,
    least: int = 1,
) -> Checked:
    """A results file on `tasks`, those of a whole split; a `partial` one may have fewer. Whoever has its `records` already
    gives them.

    The first thing wrong is an error. A `lenient` reader counts records that are wrong, and tasks without one, as if the
    agent had stayed where it began; so many records at `least` have to be right.
    """
    allowed = allowance or Allowance()
    records = read_records(path, len(tasks)) if records is None else records
    entries, wrong = _read(path, records, {task.id: number for number, task in enumerate(tasks.tasks)})
    numbers = sorted(entries)
    chosen = tasks.rows(numbers) if numbers else tasks.rows([0])
    right: list[_Entry | None] = list(_held(chosen, [entries[number] for number in numbers], allowed, wrong))
    absent = [] if partial else [number for number in range(len(tasks)) if number not in entries]
    missing = tuple(tasks.tasks[number].id for number in absent)
    _complain(path, wrong, missing, len(tasks), lenient)
    if absent:
        by_number = dict(zip(numbers, right, strict=True))
        numbers = list(range(len(tasks)))
        chosen, right = tasks, [by_number.get(number) for number in numbers]
    if sum(map(bool, right)) < least:
        raise InputError(f"{path}: none of its records can be scored; the first thing wrong: {[*wrong, 'no records'][0]}")
    trace = _trace(chosen, right, allowed)
    asked, most = int(trace.request.sum()), allowed.most(chosen)
    if asked > most:
        raise InputError(
            f"{path}: asks {asked:,} times in all, but help budgets for τ = {allowed.ratio:g} and k = {allowed.k} allow"
            f" {float(allowed.exact(chosen).sum()):,.0f} on average and never more than {most:,.0f}; a budget between two"
            " whole numbers is not always the larger one"
        )
    scores = score(trace.to(chosen.key.device), chosen.environment, chosen.goals, metrics=metrics)
    claims = tuple(_claims(right, scores))
    sound = tuple(each is not None for each in right)
    return Checked(path, chosen, len(tasks), trace, scores, tuple(wrong), missing, claims, sound)


def _complain(path: Path, wrong: Sequence[str], missing: Sequence[str], tasks: int, lenient: bool) -> None:
    """Refuse a file with something wrong, unless that is to be counted."""
    if lenient:
        return
    if wrong:
        more = f"; {len(wrong):,} records are wrong in all" if len(wrong) > 1 else ""
        raise InputError(f"{wrong[0]}{more}")
    if missing:
        raise InputError(
            f"{path}: has no record of task {missing[0]}; of {tasks:,} tasks {len(missing):,} are missing (if it is meant to"
            " be of some tasks only, say --partial)"
        )


def read_records(path: Path, tasks: int | None = None) -> list[Any]:
    """What is in a results file, of so many tasks if that is known; nothing of it is checked."""
    limit = LARGEST if tasks is None else min(LARGEST, files.MEGABYTE + LARGEST_RECORD * tasks)
    records = files.read_json(path, WHAT, limit)
    if not isinstance(records, list):
        raise InputError(f"{path}: is not a list; expected {WHAT}")
    return records


def forward_of(records: Sequence[Any]) -> str:
    """Where `forward` goes by the first of some records that says so; without a word it is as in the paper."""
    said = (record.get("forward") for record in records if isinstance(record, dict))
    return next((each for each in said if isinstance(each, str) and each in FORWARDS), INFORMED)


def _read(path: Path, records: Sequence[Any], number_of: Mapping[str, int]) -> tuple[dict[int, _Entry], list[str]]:
    """The records by the numbers of their tasks, and what is wrong with those that cannot be read."""
    entries: dict[int, _Entry] = {}
    wrong: list[str] = []
    for place, record in enumerate(records):
        name = record.get("instr_id") if isinstance(record, dict) else None
        where = f"{path}: record {place}" + (f": task {_short(name)}" if isinstance(name, str) else "")
        try:
            result = read_result(record, where)
        except InputError as error:
            wrong.append(_short(str(error)))
            continue
        if result.instr_id not in number_of:
            wrong.append(f"{where}: is none of the {len(number_of):,} tasks of this split")
        elif number_of[result.instr_id] in entries:
            wrong.append(f"{where}: has a record already")
        else:
            says = {field: record[field] for field in CLAIMS if record.get(field) is not None}
            entries[number_of[result.instr_id]] = _Entry(where, result, says)
    return entries, wrong


def recorded(path: Path, records: Sequence[Any], tasks: TaskSet, first: int = 0) -> tuple[TaskSet, Trace]:
    """The walks in some records, the first of which has the number `first`, and the task of each.

    A task may be there often, and budgets are what whoever recorded them allowed; every step must be possible.
    """
    if not records:
        raise InputError(f"{path}: has no records")
    number_of = {task.id: number for number, task in enumerate(tasks.tasks)}
    entries, numbers = [], []
    for place, record in enumerate(records, start=first):
        where = f"{path}: record {place}"
        result = read_result(record, where)
        if result.instr_id not in number_of:
            raise InputError(f"{where}: task {_short(result.instr_id)}: is none of the {len(tasks):,} tasks of this split")
        if len(result.trajectory) > LONGEST_WALK:
            raise InputError(f"{where}: task {result.instr_id}: has more than {LONGEST_WALK:,} steps")
        entries.append(_Entry(f"{where}: task {result.instr_id}", result, {}))
        numbers.append(number_of[result.instr_id])
    rows, wrong = tasks.rows(numbers), list[str]()
    right = _held(rows, entries, None, wrong)
    if wrong:
        raise InputError(wrong[0])
    return rows, _trace(rows, right, Allowance())


def _short(text: str) -> str:
    """A text of somebody's for a message of one line."""
    line = " ".join(text.split())
    return line if len(line) <= _MESSAGE else f"{line[:_MESSAGE]} …"


def _held(tasks: TaskSet, entries: Sequence[_Entry], allowed: Allowance | None, wrong: list[str]) -> list[_Entry | None]:
    """The entries that keep to the rules, None for those that do not; what is wrong with them is added to `wrong`. Without
    an allowance budgets are not looked at."""
    if not entries:
        return []
    rules = _Rules.of(tasks, allowed)
    poses: list[list[int]] = []
    for number, entry in enumerate(entries):
        try:
            poses.append(rules.walk(number, entry.result))
        except _WrongError as error:
            wrong.append(f"{entry.where}: {_short(str(error))}")
            poses.append([])
    results = [entry.result for entry in entries]
    pairs = list(zip(poses, results, strict=True))
    asked = [result.agent_ask or () if walk else () for walk, result in pairs]
    actions = [actions_of(result) if walk else None for walk, result in pairs]
    walks = RecordedWalks.of(tasks.environment, tasks.goals, poses, actions, asked)
    episodes = rules.episodes(results)
    broken = broken_rules(episodes, walks, rules.told)
    if allowed is not None and allowed.advisor is not None:
        rows, drawn = [row for row, walk in enumerate(poses) if walk and row not in broken], torch.tensor(rules.most)
        episodes = replace(episodes, help_budget=drawn.to(tasks.key.device))
        broken |= incomplete_records(rows, episodes, walks, results, allowed.advisor, allowed.k)
    wrong += [f"{entries[number].where}: {what}" for number, what in broken.items()]
    return [entry if poses[number] and number not in broken else None for number, entry in enumerate(entries)]


@dataclass(frozen=True)
class _Rules:
    """What one record is held against."""

    tasks: TaskSet
    allowed: Allowance | None
    """Without one, whoever recorded walks gave budgets of their own."""
    start: list[int]
    time: list[int]
    most: list[int]
    places: dict[str, dict[str, int]]  # house → viewpoint → its number in the world

    @classmethod
    def of(cls, tasks: TaskSet, allowed: Allowance | None) -> _Rules:
        world = tasks.environment.world
        wanted = {task.house for task in tasks.tasks}
        first = dict(zip(world.houses, world.first.tolist(), strict=False))
        graphs = dict(zip(world.houses, world.graphs, strict=True))
        places = {house: {name: first[house] + i for i, name in enumerate(graphs[house].ids)} for house in wanted}
        most = [LONGEST_WALK] * len(tasks) if allowed is None else allowed.largest(tasks)
        time = [LONGEST_WALK] * len(tasks) if allowed is None else tasks.time_budget.tolist()
        return cls(tasks, allowed, tasks.start.tolist(), time, most, places)

    @property
    def told(self) -> str:
        """What budgets were allowed, for messages."""
        return "" if self.allowed is None else f" (τ = {self.allowed.ratio:g} and k = {self.allowed.k})"

    def episodes(self, results: Sequence[Result]) -> Episodes:
        """The episodes of the records, with the budgets that they may have."""
        every = self.tasks.episodes(torch.arange(len(self.tasks), device=self.tasks.key.device), seed=0)
        given = [
            most if each.help_budget is None else each.help_budget for each, most in zip(results, self.most, strict=True)
        ]
        help_budget, time = torch.tensor([given, self.time], device=self.tasks.key.device)
        return replace(every, help_budget=help_budget, time_budget=time)

    def walk(self, number: int, result: Result) -> list[int]:
        """The poses of a record; whatever can be seen without walking is checked."""
        task = self.tasks.tasks[number]
        if result.scan not in (None, task.house):
            raise _WrongError(f"field scan is {result.scan!r}, but the task is in house {task.house}")
        forward = self.tasks.environment.world.forward
        if (result.forward or INFORMED) != forward:
            raise _WrongError(f"field forward says {result.forward or INFORMED}, but other records say {forward}")
        if self.allowed and (result.help_budget or 0) > self.most[number]:
            what = f"τ = {self.allowed.ratio:g} and k = {self.allowed.k} give this task {self.most[number]} at most"
            raise _WrongError(f"field help_budget is {result.help_budget}, but {what}")
        time = self.time[number]
        if len(result.trajectory) > time + 1:  # seen before walks are laid side by side, all as long as the longest
            raise _WrongError(f"step {time + 1}: the time budget of {time} steps is over")
        poses = [self._pose(task, step, *pose) for step, pose in enumerate(result.trajectory)]
        if poses[0] != self.start[number]:
            begun = f"{task.start}, heading {30 * task.heading}°, level"
            raise _WrongError(f"step 0: the task begins at {begun}, but field trajectory does not")
        asked = result.agent_ask or (0,) * (len(result.trajectory) - 1)
        for step, (asks, said) in enumerate(zip(asked, result.subgoals or (), strict=False), start=1):
            if self.allowed and said is not None and not asks:
                raise _WrongError(f"step {step}: was told {_short(said)!r} without asking")
        return poses

    def _pose(self, task: Task, step: int, viewpoint: str, heading: float, elevation: float) -> int:
        place = self.places[task.house].get(viewpoint)
        if place is None:
            raise _WrongError(f"step {step}: house {task.house} has no viewpoint {viewpoint!r}")
        turns, rows = heading / TURN, LEVEL_ROW + elevation / TURN
        if max(abs(turns - round(turns)), abs(rows - round(rows))) > _OFF or not 0 <= round(rows) < ROWS:
            raise _WrongError(
                f"step {step}: heading {heading:g} and elevation {elevation:g} are none of the 36 views (multiples of 30"
                " degrees, in radians, elevations of −30 to 30)"
            )
        return place * VIEWS + view_index(round(rows), round(turns) % HEADINGS)


def _trace(tasks: TaskSet, entries: Sequence[_Entry | None], allowed: Allowance) -> Trace:
    """What happened in the entries that are right; in the place of others the agent stays where it began."""
    headings, _ = view_angles()
    pairs = []
    for task, entry in zip(tasks.tasks, entries, strict=True):
        start = (task.start, float(headings[view_index(LEVEL_ROW, task.heading)]), 0.0)
        result = Result(task.id, task.house, (start,)) if entry is None else entry.result
        pairs.append((task.id, replace(result, teacher_ask=None, teacher_ask_reason=None)))
    trace = trace_of(tasks, pairs)
    nav = RecordedWalks.of_trace(tasks, trace, [result.agent_nav is not None for _, result in pairs]).nav
    budget = trace.help_budget if allowed.seed is None else torch.tensor(allowed.largest(tasks))
    return replace(trace, nav=nav, help_budget=budget)


def _claims(entries: Sequence[_Entry | None], scores: Scores) -> Iterator[Claim]:
    """What records say of themselves, field by field."""
    for field, name in CLAIMS.items():
        said = [(row, entry) for row, entry in enumerate(entries) if entry is not None and field in entry.says]
        if not said or name not in scores:
            continue
        found = scores[name].tolist()
        differing = [(row, entry) for row, entry in said if not _same(entry.says[field], found[row])]
        first = ""
        if differing:
            row, entry = differing[0]
            first = f"task {entry.result.instr_id} says {_short(repr(entry.says[field]))}, found {_told(found[row])}"
        yield Claim(field, len(said), len(differing), first)


def _same(said: Any, found: float) -> bool:
    return isinstance(said, int | float) and found - CLOSE <= said <= found + CLOSE


def _told(value: float) -> str:
    return f"{value:.2f}" if isinstance(value, float) else f"{value}"
