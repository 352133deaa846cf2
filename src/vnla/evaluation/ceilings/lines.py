"""How often an agent succeeds as it is, and how often it would with better times to ask, better following, better stopping.

    found = ceilings(Subject(context, tasks, seeds=(123,)))
    print(found.success("own"), found.success("best"), found.won("best"))

An episode is deterministic but for when the agent asks. So the best times for its requests can be found by trying: every
schedule is one row of a batch. Where all schedules of an episode are tried, no help policy does better than the best one,
and none does worse than the worst. Where only a sample of them is tried, a policy may do better; `Ceilings.at_most` bounds
the success rate of all schedules, and `Ceilings.missed` the share of those that the sample can have missed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from vnla.assistance.help_policies import AsTaught, Never
from vnla.assistance.schedules import Scheduled, count_schedules, schedule
from vnla.common.progress import Count, Share, unheard
from vnla.episode import Episodes
from vnla.evaluation.ceilings.subject import (
    AS_IT_IS,
    BOTH,
    FOLLOWING,
    GAITS,
    STOPPING,
    Gait,
    Ints,
    Subject,
    counting,
    drawn,
    least_metres,
    teacher_metres,
)
from vnla.evaluation.confidence import Floats, Interval, over_houses, per_cent
from vnla.evaluation.scores import SUCCESS_RADIUS, Scores
from vnla.tasks.task_set import TaskSet

SCHEDULES = 400
"""Schedules that are tried in an episode unless said otherwise."""
OWN, NEVER, RULES, WORST, MEAN, BEST = "own", "never", "rules", "worst", "mean", "best"
NAV_TEACHER, ANYBODY = "nav_teacher", "anybody"
SUFFIXES = {AS_IT_IS: "", FOLLOWING: "_following", STOPPING: "_stopping", BOTH: "_both"}
"""Gait → how the names of its lines end."""

_UNSEEN = 0.05  # how probable it may be that a sample misses what is there


class Endings(NamedTuple):
    """How the episodes end under some condition, (episodes,) each."""

    success: Floats  # 1 and 0; of the mean schedule the share of its schedules that succeed
    metres: Floats

    @classmethod
    def of(cls, metres: Floats) -> Endings:
        """Of endings so far from a goal."""
        return cls((metres <= SUCCESS_RADIUS).astype(np.float64), metres)


@dataclass(frozen=True)
class Ceilings:
    """What was found. Figures have intervals over houses; those of success are per cent."""

    subject: Subject
    lines: Mapping[str, Endings]
    schedules: Schedules

    def success(self, name: str) -> Interval:
        """Return the success rate of a line."""
        return per_cent(over_houses(self.lines[name].success, houses=self.subject.houses, whole=1))

    def metres(self, name: str) -> Interval:
        """Return how far from a goal its episodes end."""
        return over_houses(self.lines[name].metres, houses=self.subject.houses)

    def won(self, name: str, against: str = OWN) -> Interval:
        """Return how much more often it succeeds than another line, in points, episode by episode."""
        gain = self.lines[name].success - self.lines[against].success
        return per_cent(over_houses(gain, houses=self.subject.houses))

    @property
    def tasks(self) -> TaskSet:
        """What was tried."""
        return self.subject.tasks

    @property
    def seeds(self) -> Sequence[int]:
        """Those of the help budgets."""
        return self.subject.seeds

    @cached_property
    def scores(self) -> Scores:
        """Every episode under every line: (seeds, tasks) arrays."""
        arrays = {f"{name}.{what}": each for name, line in self.lines.items() for what, each in line._asdict().items()}
        arrays |= {
            "help_budget": self.subject.requests.cpu().numpy(),
            "schedules": self.schedules.there,
            "tried": self.schedules.tried,
        }
        return Scores(arrays).reshape(len(self.seeds), len(self.tasks))

    @cached_property
    def sampled(self) -> NDArray[np.bool_]:
        """Which episodes have more schedules than were tried."""
        return self.schedules.tried < self.schedules.there

    def unsolved(self, gait: Gait = AS_IT_IS) -> NDArray[np.bool_]:
        """Which of those might still have a schedule that succeeds: none of the tried ones did, but in the time it can be
        done."""
        best, anybody = (self.lines[name].success > 0 for name in (BEST + SUFFIXES[gait], ANYBODY))
        return self.sampled & ~best & anybody

    def at_most(self, gait: Gait = AS_IT_IS) -> float:
        """Return the success rate that the best schedules cannot exceed, whatever was not tried."""
        best = self.lines[BEST + SUFFIXES[gait]].success > 0
        return 100 * float((best | self.unsolved(gait)).mean())

    @property
    def missed(self) -> float:
        """The largest share of the schedules with all requests that can succeed where no tried one did, at 95%; it is about
        3/n for n tried ones, by Clopper and Pearson."""
        tried = self.schedules.per_episode(self.schedules.full)
        some = tried[tried < self.schedules.exactly]
        return 1 - _UNSEEN ** (1 / float(some.min())) if len(some) else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return all figures for a JSON file."""
        figures = {
            name: {
                "success": self.success(name)._asdict(),
                "won": self.won(name)._asdict(),
                "metres": self.metres(name)._asdict(),
            }
            for name in self.lines
        }
        bounds = {BEST + SUFFIXES[gait]: self.at_most(gait) for gait in GAITS}
        return {
            "tasks": len(self.tasks),
            "houses": len(set(self.subject.houses.tolist())),
            "seeds": list(self.seeds),
            "schedules": {
                "there": int(self.schedules.there.sum()),
                "tried": int(self.schedules.tried.sum()),
                "sampled_episodes": int(self.sampled.sum()),
                "missed_share_at_most": self.missed,
                "best_at_most": bounds,
            },
            "lines": figures,
        }


def ceilings(subject: Subject, *, schedules: int = SCHEDULES, progress: Share = unheard) -> Ceilings:
    """Try everything. Of an episode with more than so many `schedules` some are drawn at random."""
    rows = draw_schedules(subject, schedules)
    advance = counting(progress, len(GAITS) * (len(subject) + len(rows.episode)) + 2 * len(subject))
    lines = {
        NEVER: subject.endings_by(Never(), advance=advance),
        RULES: subject.endings_by(AsTaught(), advance=advance),
        NAV_TEACHER: _of_tasks(subject, teacher_metres(subject.tasks)),
        ANYBODY: _of_tasks(subject, least_metres(subject.tasks)),
    }
    found = {name: Endings.of(metres) for name, metres in lines.items()}
    for gait in GAITS:
        own = subject.endings_by(subject.context.help_policy, gait, advance)
        also = [own, *([lines[NEVER], lines[RULES]] if gait == AS_IT_IS else [])]
        tried = _try(subject, rows, gait, advance)
        found |= {name + SUFFIXES[gait]: line for name, line in ({OWN: Endings.of(own)} | rows.lines(tried, also)).items()}
    return Ceilings(subject, found, rows)


@dataclass(frozen=True)
class Schedules:
    """The schedules that are tried, those of an episode one after the other."""

    episode: Ints  # (rows,)
    number: Ints  # (rows,), as `vnla.assistance.schedules` counts
    full: NDArray[np.bool_]  # (rows,), whether all requests are made
    exactly: Floats  # (episodes,), how many make all requests
    there: Floats  # (episodes,), how many there are
    tried: Ints  # (episodes,)

    def per_episode(self, values: NDArray[Any]) -> Floats:
        """Return the sums of what rows have, (episodes,)."""
        return np.bincount(self.episode, values, len(self.tried)).astype(np.float64)

    def lines(self, metres: Floats, also: list[Floats]) -> dict[str, Endings]:
        """Return the best, the worst and the mean schedule of each episode, from where the rows end.

        What `also` happened was some schedule, too. The mean is over the schedules that make all requests.
        """
        first = np.cumsum(self.tried) - self.tried
        best = np.minimum.reduce([np.minimum.reduceat(metres, first), *also])
        worst = np.maximum.reduce([np.maximum.reduceat(metres, first), *also])
        count = self.per_episode(self.full)
        mean = (self.per_episode(np.where(self.full, each, 0)) / count for each in Endings.of(metres))
        return {WORST: Endings.of(worst), MEAN: Endings(*mean), BEST: Endings.of(best)}


def draw_schedules(subject: Subject, most: int) -> Schedules:
    """Return all schedules of an episode, or `most` of them, drawn without replacement by its seed and its name.

    Those that make all requests come first; those that make fewer, as far as there is room.
    """
    episodes, numbers, full, counts = [], [], [], []
    times = subject.tasks.time_budget.tolist() * len(subject.seeds)
    for episode, (time, requests) in enumerate(zip(times, subject.requests.tolist(), strict=True)):
        random = subject.random(episode)
        exactly, fewer = count_schedules(time, requests)
        chosen = drawn(random, exactly, most)
        number = np.concatenate([chosen, exactly + drawn(random, fewer, most - len(chosen))])
        episodes.append(np.full(len(number), episode))
        numbers.append(number)
        full.append(number < exactly)
        counts.append((float(exactly), float(exactly + fewer)))
    return Schedules(
        episode=np.concatenate(episodes),
        number=np.concatenate(numbers),
        full=np.concatenate(full),
        exactly=np.array(counts)[:, 0],
        there=np.array(counts)[:, 1],
        tried=np.array([len(each) for each in numbers]),
    )


def _try(subject: Subject, rows: Schedules, gait: Gait, advance: Count) -> Floats:
    """Return metres to a goal at the end of every row."""
    device = subject.tasks.key.device
    number = torch.from_numpy(rows.number).to(device)

    def asking(episodes: Episodes, part: slice) -> Scheduled:
        return Scheduled(schedule(number[part], episodes.time_budget, episodes.help_budget, subject.steps))

    return subject.endings(torch.from_numpy(rows.episode).to(device), asking, gait, advance)


def _of_tasks(subject: Subject, metres: torch.Tensor) -> Floats:
    """Return what is the same under every seed, for all episodes."""
    return np.tile(metres.double().cpu().numpy(), len(subject.seeds))
