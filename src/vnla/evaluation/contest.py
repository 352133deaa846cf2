"""Agents side by side: what anybody's files say that they did, scored again, and what two of them differ by.

    entries = [enter(path, material) for path in paths]
    print(difference(*entries, "success_rate"))

A file is a results file (`vnla.evaluation.checked`) or an `evaluation.npz` (`vnla.evaluation.evaluation_file`) with several
seeds; a folder is the one that `vnla evaluate --npz` or `vnla paper` has made. Two agents are compared on the tasks that
both have, task by task, so that what is hard for both cancels out.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from vnla.camera import VIEWS
from vnla.common.errors import InputError
from vnla.evaluation.allowance import Allowance
from vnla.evaluation.checked import Checked, Claim, check, forward_of, read_records, tasks_named
from vnla.evaluation.confidence import Interval, difference_over_houses, houses_note, over_houses
from vnla.evaluation.evaluation_file import EVALUATION, read_trace
from vnla.evaluation.metrics import METRICS, Metric, score
from vnla.evaluation.replay import RecordedWalks, broken_rules
from vnla.evaluation.results import WHAT
from vnla.evaluation.scores import Array, Scores
from vnla.evaluation.trace import Trace
from vnla.houses.folder import read_world
from vnla.tasks.dataset import Dataset, read_dataset
from vnla.tasks.task_set import TaskSet
from vnla.world.compiled import World
from vnla.world.forward import INFORMED

RESULTS = "results.json"
"""What `vnla paper` calls a results file, and the export of a study."""
ANY_SEED = "any"
"""What stands for the seed of help budgets that were not held to one."""
ORDER = ("test_unseen", "test_seen", "val_unseen", "val_seen", "train")
"""Which split is meant where several could be."""


@dataclass(frozen=True)
class Entry:
    """One agent's episodes on the tasks of a split: rows are seeds, of which a results file has one."""

    name: str
    path: Path
    split: str
    tasks: TaskSet
    of: int
    """How many tasks the split has."""
    seeds: tuple[int | str, ...]
    """Those that drew the help budgets, or "any"."""
    scores: Scores  # (seeds, tasks)
    metrics: Mapping[str, Metric] = field(default_factory=lambda: METRICS)
    wrong: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()

    @property
    def any_budget(self) -> bool:
        """Whether its help budgets were not held to a seed, so that its figures cannot be compared."""
        return ANY_SEED in self.seeds

    @cached_property
    def place(self) -> dict[str, int]:
        """Task → its place among these."""
        return {task.id: number for number, task in enumerate(self.tasks.tasks)}

    @property
    def houses(self) -> list[str]:
        """That of each task."""
        return [task.house for task in self.tasks.tasks]

    @property
    def forward(self) -> str:
        """Where `forward` went: one of `vnla.world.forward.FORWARDS`."""
        return self.tasks.environment.world.forward

    def told(self) -> list[str]:
        """Return the figures that these episodes tell."""
        return [name for name, metric in self.metrics.items() if not math.isnan(metric(self.scores))]

    def figure(self, name: str, among: Sequence[str] | None = None) -> Interval:
        """Return a figure with its interval over houses, of all tasks or of those `among` them."""
        places = [self.place[task] for task in among] if among is not None else list(range(len(self.tasks)))
        houses, metric = self.houses, self.metrics[name]
        found = over_houses(*self.sums(name, places), houses=[houses[i] for i in places], whole=metric.whole)
        return found.scaled(metric.scale)

    def sums(self, name: str, places: Sequence[int]) -> Array:
        """Return what a figure sums above and below for each of some tasks, over the seeds: (2, tasks)."""
        top, bottom = self.metrics[name].sums(self.scores)
        return np.stack([np.asarray(each, dtype=np.float64).sum(axis=0)[list(places)] for each in (top, bottom)])

    def as_dict(self) -> dict[str, Any]:
        """For a JSON file; what cannot be known is null."""
        figures = {name: self.figure(name).as_dict() | {"unit": self.metrics[name].unit} for name in self.told()}
        return {
            "name": self.name,
            "file": str(self.path),
            "split": self.split,
            "tasks": len(self.tasks),
            "tasks_of_the_split": self.of,
            "houses": len(set(self.houses)),
            "note": houses_note(len(set(self.houses))),
            "seeds": len(self.seeds),
            "budget_seeds": None if self.any_budget else list(self.seeds),
            "comparable": not self.any_budget,
            "forward": self.forward,
            "figures": figures,
            "wrong_records": list(self.wrong),
            "missing_tasks": list(self.missing),
            "claims": [claim._asdict() for claim in self.claims],
        }


@dataclass(frozen=True)
class ScoringData:
    """What files are held against."""

    world: World
    dataset: Dataset
    allowance: Allowance = field(default_factory=Allowance)
    metrics: Mapping[str, Metric] = field(default_factory=lambda: METRICS)
    split: str | None = None
    """None where each file says by its tasks which split it is of."""
    partial: bool = False
    lenient: bool = False
    _compiled: dict[tuple[str, str], TaskSet] = field(default_factory=dict, repr=False)

    @classmethod
    def load(
        cls, world: Path, tasks: Path, allowance: Allowance, metrics: Mapping[str, Metric], **options: Any
    ) -> ScoringData:
        """Return the world and the data set in these folders."""
        dataset = read_dataset(tasks)
        return cls(World.compile(read_world(world).houses), dataset, allowance, metrics, **options)

    def tasks(self, split: str, forward: str = INFORMED) -> TaskSet:
        """Return a split with evaluation's time budgets, for walks by a rule of `forward`; compiled once."""
        key = split, forward
        if key not in self._compiled:
            found = self.dataset.split(split)
            self._compiled[key] = TaskSet.compile(self.world.with_forward(forward), found, self.dataset.budgets)
        return self._compiled[key]

    @property
    def most_tasks(self) -> int:
        """Of how many tasks a file can be: those of the split, or of the largest one."""
        splits = [self.split] if self.split is not None else [each for each in ORDER if each in self.dataset.paths]
        return max((len(self.dataset.split(each)) for each in splits), default=0)

    def split_of(self, path: Path, ids: Sequence[str]) -> str:
        """Return the split that most of these tasks are of."""
        if self.split is not None:
            return self.split
        shares: dict[str, int] = {}
        for split in (each for each in ORDER if each in self.dataset.paths):
            shares[split] = len(set(ids) & {task.id for task in self.dataset.split(split)})
            if 2 * shares[split] > len(set(ids)):
                break
        best = max(shares, key=lambda split: shares[split], default="")
        if not shares.get(best):
            raise InputError(f"{path}: none of its tasks is in the data set {self.dataset.path}")
        return best


def enter(path: Path, material: ScoringData, name: str | None = None) -> Entry:
    """Return the entry in a file, or in the folder of an evaluation."""
    file = _file(path, material.split)
    if file.suffix == ".npz":
        return _evaluated(file, material, name or name_of(path))
    records = read_records(file, material.most_tasks)
    split = material.split_of(file, list(tasks_named(records)))
    done = check(
        file, material.tasks(split, forward_of(records)), material.allowance, partial=material.partial,
        lenient=material.lenient, metrics=material.metrics, records=records,
    )  # fmt: skip
    return _entered(done, split, material, name or name_of(path))


def _entered(done: Checked, split: str, material: ScoringData, name: str) -> Entry:
    rows = done.scores.reshape(1, len(done.tasks))
    seed = material.allowance.seed
    return Entry(
        name, done.path, split, done.tasks, done.of, (ANY_SEED if seed is None else seed,), rows, material.metrics,
        done.wrong, done.missing, done.claims,
    )  # fmt: skip


def name_of(path: Path) -> str:
    """Return what to call the entry of a path that has no name: its folder where the file's own name says nothing."""
    absolute = path.absolute()
    generic = {EVALUATION, RESULTS, *ORDER, *(f"{split}.json" for split in ORDER)}
    part = next((part for part in reversed(absolute.parts) if part not in generic), path.name)
    return Path(part).stem if part == absolute.name and path.is_file() else part


def _file(path: Path, split: str | None) -> Path:
    """Return the file that is meant by the path of a file or a folder."""
    if not path.is_dir():
        return path
    inside = [path, *(path / each for each in ([split] if split else ORDER))]
    candidates = [folder / name for folder in inside for name in (EVALUATION, RESULTS)]
    candidates += [path / f"{each}.json" for each in ([split] if split else ORDER)]
    found = next((file for file in candidates if file.is_file()), None)
    if found is None:
        where = f" for the split {split}" if split else ""
        raise InputError(
            f"{path}: has neither {EVALUATION} nor {RESULTS}{where}; expected {WHAT}, or a folder of evaluations"
        )
    return found


def _evaluated(path: Path, material: ScoringData, name: str) -> Entry:
    """Return the entry of an `evaluation.npz`, scored again from its walks."""
    ids, seeds, trace, forward = read_trace(path)
    split = material.split_of(path, ids)
    every = material.tasks(split, forward)
    number_of = {task.id: number for number, task in enumerate(every.tasks)}
    unknown = [each for each in ids if each not in number_of]
    if unknown or len(set(ids)) < len(ids) or (len(ids) < len(every) and not material.partial):
        some = f"it has {len(set(ids)):,} of them (if it is meant to be of some tasks only, say --partial)"
        what = f"task {unknown[0]} is not among them" if unknown else some
        raise InputError(f"{path}: is not of the {len(every):,} tasks of {split} in {material.dataset.path}: {what}")
    tasks = every.rows([number_of[each] for each in ids])
    rows = tasks.rows(list(range(len(tasks))) * len(seeds))
    counted = _counted(path, seeds, material.allowance)
    _check_budgets(path, rows, torch.tensor(seeds).repeat_interleave(len(tasks)), trace, material.allowance)
    _check_trace(path, rows, trace)
    found = score(trace.to(rows.key.device), rows.environment, rows.goals, metrics=material.metrics)
    found = found.reshape(len(seeds), len(tasks)).rows(np.array([seeds.index(seed) for seed in counted]))
    named = counted if material.allowance.seeds else (ANY_SEED,) * len(counted)
    return Entry(name, path, split, tasks, len(every), named, found, material.metrics)


def _counted(path: Path, seeds: tuple[int, ...], allowance: Allowance) -> tuple[int, ...]:
    """Return the seeds of an evaluation that count: those that the scorer gives, from the first on, while it has them."""
    (often, times), *_ = Counter(seeds).most_common(1)
    if times > 1:
        raise InputError(f"{path}: has the seed {often} more than once; every seed counts once")
    if max(map(abs, seeds)) >= 1 << 63:
        raise InputError(f"{path}: one of its seeds is {max(seeds, key=abs)}, which no random numbers are drawn from")
    if not allowance.seeds:
        return seeds
    counted = tuple(takewhile(seeds.__contains__, allowance.seeds))
    if not counted:
        own = ", ".join(map(str, seeds[:8])) + (", …" if len(seeds) > 8 else "")
        raise InputError(
            f"{path}: its seeds are {own}; scores that are compared are of seed {allowance.seeds[0]}, which the scorer gives"
            " (--seed)"
        )
    return counted


def _check_budgets(path: Path, rows: TaskSet, seed: Tensor, trace: Trace, allowance: Allowance) -> None:
    """Refuse help budgets that the seeds of an evaluation do not draw."""
    if allowance.seeds:
        drawn = allowance.drawn(rows, seed.to(rows.key.device)).cpu()
        wrong = trace.help_budget != drawn
    else:
        drawn = torch.tensor(allowance.largest(rows))
        wrong = trace.help_budget > drawn
    if wrong.any():
        row = int(wrong.long().argmax())
        complaint = replace(allowance, seed=int(seed[row]) if allowance.seeds else None).complaint(
            int(trace.help_budget[row]), int(drawn[row])
        )
        raise InputError(
            f"{path}: task {rows.tasks[row].id}: help budget is {complaint}; {int(wrong.sum()):,} episodes are so (an"
            " evaluation with another τ or k needs --ratio or --k)"
        )


def _check_trace(path: Path, rows: TaskSet, trace: Trace) -> None:
    """Refuse walks that cannot be."""
    world = rows.environment.world
    house = torch.tensor([world.house(task.house) for task in rows.tasks])
    first = world.first.cpu()
    place = torch.div(trace.pose, VIEWS, rounding_mode="floor")
    outside = ((place < first[house][:, None]) | (place >= first[house + 1][:, None])).any(dim=1)
    for what, bad in {
        "is not in its house": outside,
        "does not begin where it should": trace.pose[:, 0] != rows.start.cpu(),
    }.items():
        if bad.any():
            task = rows.tasks[int(bad.long().argmax())].id
            raise InputError(f"{path}: task {task}: an agent {what}; {int(bad.sum()):,} episodes are wrong so")
    episodes = rows.episodes(torch.arange(len(rows), device=rows.key.device), seed=0)
    given = replace(episodes, help_budget=trace.help_budget.to(rows.key.device))
    wrong = broken_rules(given, RecordedWalks.of_trace(rows, trace, [True] * len(trace)))
    if wrong:
        row = min(wrong)
        raise InputError(f"{path}: task {rows.tasks[row].id}: {wrong[row]}; {len(wrong):,} episodes are wrong in all")


@dataclass(frozen=True)
class Pair:
    """Two agents on the tasks that both have."""

    one: Entry
    other: Entry

    @cached_property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that both have, in the order of the first."""
        return tuple(task for task in self.one.place if task in self.other.place)

    @property
    def comparable(self) -> bool:
        """Whether the help budgets of both are those of the scorer's seeds."""
        return not (self.one.any_budget or self.other.any_budget)

    @property
    def houses(self) -> list[str]:
        """That of each of these."""
        return [self.one.tasks.tasks[self.one.place[task]].house for task in self.tasks]

    def told(self) -> list[str]:
        """Return the figures that both tell on these tasks."""
        shared = set(self.other.told())
        names = [name for name in self.one.told() if name in shared] if self.tasks else []
        return [name for name in names if not math.isnan(self.difference(name).value)]

    def difference(self, name: str) -> Interval:
        """By how much the other has more of a figure than the one, with its interval over houses."""
        sides = [
            each.sums(name, [each.place[task] for task in self.tasks]) for each in (self.other, self.one)
        ]  # (2, tasks) each
        metric, houses = self.one.metrics[name], self.houses
        found = difference_over_houses(tuple(sides[0]), tuple(sides[1]), (houses, houses), whole=metric.whole)
        return found.scaled(metric.scale)

    def only(self) -> tuple[float, float]:
        """On how many of these tasks one succeeds and the other does not, and the other way round; where there are several
        seeds, shares of them."""
        one, other = (
            each.scores.success.mean(axis=0)[[each.place[task] for task in self.tasks]] for each in (self.one, self.other)
        )
        return float((one * (1 - other)).sum()), float((other * (1 - one)).sum())

    def as_dict(self) -> dict[str, Any]:
        """For a JSON file."""
        metrics = self.one.metrics
        figures = {name: self.difference(name).as_dict() | {"unit": unit_of_gain(metrics[name])} for name in self.told()}
        first, second = self.only()
        return {
            "one": self.one.name,
            "other": self.other.name,
            "tasks": len(self.tasks),
            "tasks_of_the_split": self.one.of,
            "comparable": self.comparable,
            "houses": len(set(self.houses)),
            "note": houses_note(len(set(self.houses))),
            "one_alone_succeeds": first,
            "other_alone_succeeds": second,
            "other_minus_one": figures,
        }


def pairs(entries: Sequence[Entry]) -> list[Pair]:
    """Return every entry with every later one."""
    found = [Pair(one, other) for place, one in enumerate(entries) for other in entries[place + 1 :]]
    for pair in found:
        if pair.one.split != pair.other.split:
            raise InputError(
                f"{pair.one.path} is of {pair.one.split} and {pair.other.path} of {pair.other.split}; compare entries of one"
                " split (--split)"
            )
        if not pair.tasks:
            raise InputError(f"{pair.one.path} and {pair.other.path}: have no task in common")
    return found


def common(entries: Sequence[Entry]) -> tuple[str, ...]:
    """Return the tasks that all have."""
    return tuple(task for task in entries[0].place if all(task in each.place for each in entries))


def unit_of_gain(metric: Metric) -> str:
    """Return the unit of a difference of two figures."""
    return "points" if metric.unit == "%" else metric.unit
