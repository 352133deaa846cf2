"""How often an agent succeeds as it is, and how often it would with other requests, better following, better stopping.

    found = ceilings(Subject(context, tasks, seeds=(123,)))
    print(found.success("own"), found.success("if_wrong"), found.won("if_wrong"))

An episode is deterministic but for when the agent asks. So the best times for its requests can be found by trying: every
schedule is one row of a batch. Where all schedules of an episode are tried, no help policy does better than the best one,
and none does worse than the worst. Where only a sample of them is tried, a policy may do better; `Ceilings.at_most` bounds
the success rate of all schedules, and `Ceilings.missed` the share of those that the sample can have missed.

The best of many walks is chosen after they have ended, so some of it is luck. Its placebo is the best of as many walks with
sampled actions and the agent's own requests (`vnla.evaluation.ceilings.placebo`); the two are never shown apart. Two lines
have no such luck, for they are one rule and one walk of each episode: asking if and only if the next action is wrong, and
the scripted searcher (`vnla.evaluation.ceilings.searcher`).
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
from vnla.assistance.if_wrong import AskIfWrong
from vnla.assistance.schedules import Scheduled, count_schedules, schedule
from vnla.common.progress import Count, Share, unheard
from vnla.episode import Episodes
from vnla.evaluation.ceilings.searcher import Searcher, search
from vnla.evaluation.ceilings.subject import (
    AS_IT_IS,
    BOTH,
    FOLLOWING,
    STOPPING,
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
"""Schedules that are tried in an episode, and walks of its placebo, unless said otherwise."""
OWN, NEVER, RULES, IF_WRONG, WORST, MEAN, BEST = "own", "never", "rules", "if_wrong", "worst", "mean", "best"
PLACEBO_MEAN, PLACEBO_BEST = "placebo_mean", "placebo_best"
NAV_TEACHER, ANYBODY = "nav_teacher", "anybody"
SEARCHERS = {
    "search_view": Searcher(),
    "search_view_if_wrong": Searcher(if_wrong=True),
    "search_panorama": Searcher(panorama=True),
    "search_panorama_if_wrong": Searcher(panorama=True, if_wrong=True),
}
"""Name of a line → who searches."""
SUFFIXES = {AS_IT_IS: "", FOLLOWING: "_following", STOPPING: "_stopping", BOTH: "_both"}
"""Gait → how the name of its line ends."""

_UNSEEN = 0.05  # how probable it may be that a sample misses what is there


class Endings(NamedTuple):
    """How the episodes end under some condition, (episodes,) each."""

    success: Floats  # 1 and 0; of a mean over walks the share of them that succeed
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

    @property
    def mean_help_budget(self) -> float:
        """How many requests an episode may have, on average."""
        return float(self.subject.requests.double().mean())

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

    @cached_property
    def unsolved(self) -> NDArray[np.bool_]:
        """Which of those might still have a schedule that succeeds: none of the tried ones did, but in the time it can be
        done."""
        best, anybody = (self.lines[name].success > 0 for name in (BEST, ANYBODY))
        return self.sampled & ~best & anybody

    @property
    def at_most(self) -> float:
        """The success rate that the best schedules cannot exceed, whatever was not tried."""
        return 100 * float(((self.lines[BEST].success > 0) | self.unsolved).mean())

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
        return {
            "tasks": len(self.tasks),
            "houses": len(set(self.subject.houses.tolist())),
            "seeds": list(self.seeds),
            "mean_help_budget": self.mean_help_budget,
            "schedules": {
                "there": int(self.schedules.there.sum()),
                "tried": int(self.schedules.tried.sum()),
                "sampled_episodes": int(self.sampled.sum()),
                "missed_share_at_most": self.missed,
                "best_at_most": {BEST: self.at_most},
            },
            "lines": figures,
        }


def ceilings(subject: Subject, *, schedules: int = SCHEDULES, progress: Share = unheard) -> Ceilings:
    """Try everything. Of an episode with more than so many `schedules` some are drawn at random; its placebo has as many
    walks as schedules were tried."""
    rows = draw_schedules(subject, schedules)
    policies = {OWN: subject.context.help_policy, NEVER: Never(), RULES: AsTaught(), IF_WRONG: AskIfWrong()}
    gaits = {OWN + SUFFIXES[gait]: gait for gait in (FOLLOWING, STOPPING, BOTH)}
    once = len(policies) + len(gaits) + len(SEARCHERS)
    advance = counting(progress, once * len(subject) + 2 * len(rows.episode))
    asking = {name: subject.endings_by(policy, AS_IT_IS, advance) for name, policy in policies.items()}
    single = {
        **asking,
        **{name: subject.endings_by(policies[OWN], gait, advance) for name, gait in gaits.items()},
        **{name: search(subject, searcher, advance) for name, searcher in SEARCHERS.items()},
        NAV_TEACHER: _of_tasks(subject, teacher_metres(subject.tasks)),
        ANYBODY: _of_tasks(subject, least_metres(subject.tasks)),
    }
    found = {name: Endings.of(metres) for name, metres in single.items()}
    found |= rows.lines(_try(subject, rows, advance), list(asking.values()))
    return Ceilings(subject, found | rows.placebo(_sample(subject, rows, advance)), rows)


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

    @property
    def first(self) -> Ints:
        """The first row of each episode: (episodes,)."""
        return np.cumsum(self.tried) - self.tried

    @property
    def walk(self) -> Ints:
        """The number of each row among those of its episode, from 0: (rows,)."""
        return np.arange(len(self.episode)) - np.repeat(self.first, self.tried)

    def lines(self, metres: Floats, also: list[Floats]) -> dict[str, Endings]:
        """Return the best, the worst and the mean schedule of each episode, from where the rows end.

        What `also` happened was some schedule, too. The mean is over the schedules that make all requests.
        """
        best = np.minimum.reduce([np.minimum.reduceat(metres, self.first), *also])
        worst = np.maximum.reduce([np.maximum.reduceat(metres, self.first), *also])
        return {WORST: Endings.of(worst), MEAN: self._mean(metres, self.full), BEST: Endings.of(best)}

    def placebo(self, metres: Floats) -> dict[str, Endings]:
        """Return the best and the mean of as many walks of each episode, from where those end."""
        best = np.minimum.reduceat(metres, self.first)
        return {PLACEBO_MEAN: self._mean(metres, np.ones_like(self.full)), PLACEBO_BEST: Endings.of(best)}

    def _mean(self, metres: Floats, which: NDArray[np.bool_]) -> Endings:
        """Return the mean over some of the rows of each episode."""
        count = self.per_episode(which)
        return Endings(*(self.per_episode(np.where(which, each, 0)) / count for each in Endings.of(metres)))


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


def _try(subject: Subject, rows: Schedules, advance: Count) -> Floats:
    """Return metres to a goal at the end of every row, by its schedule."""
    device = subject.tasks.key.device
    number = torch.from_numpy(rows.number).to(device)

    def asking(episodes: Episodes, part: slice) -> Scheduled:
        return Scheduled(schedule(number[part], episodes.time_budget, episodes.help_budget, subject.steps))

    return subject.endings(torch.from_numpy(rows.episode).to(device), asking, advance=advance)


def _sample(subject: Subject, rows: Schedules, advance: Count) -> Floats:
    """Return the same where the agent asks by its own help policy, and its actions are sampled."""
    which, walks = (torch.from_numpy(each).to(subject.tasks.key.device) for each in (rows.episode, rows.walk))
    return subject.endings(which, lambda *_: subject.context.help_policy, advance=advance, walks=walks)


def _of_tasks(subject: Subject, metres: torch.Tensor) -> Floats:
    """Return what is the same under every seed, for all episodes."""
    return np.tile(metres.double().cpu().numpy(), len(subject.seeds))
