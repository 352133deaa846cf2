"""What a request is worth: the same episode with and without it.

    pairs = request_pairs(Subject(context, tasks, seeds=(123,)))
    print(pairs.worth())                     # of all requests that could be made
    for part in pairs.parts("sureness"):     # where the agent is sure of what to do, and where it is not
        print(part.label, part.success)

At a step at which an agent goes on and has a request left it either asks or does not. Here it does the other as well, and
all that follows is by its own policy again. So of two walks that differ in one request, one is the agent's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vnla.assistance.schedules import Otherwise
from vnla.common.progress import Share, unheard
from vnla.episode import Episodes
from vnla.evaluation.ceilings.subject import Ints, Subject, counting, drawn, metres_left
from vnla.evaluation.confidence import Floats, Interval, over_houses, per_cent
from vnla.evaluation.scores import SUCCESS_RADIUS
from vnla.houses.rooms import ROOM_LABELS, ROOM_NAMES
from vnla.rollout import Rollout
from vnla.world.compiled import viewpoint_of

TENTHS = 10
BANDS = (SUCCESS_RADIUS, 5.0, 10.0)
"""Metres to the nearest goal where one band ends and the next begins."""
QUARTERS = 4
MANY = 3
"""From so many requests on it does not matter how many are left."""


@dataclass(frozen=True)
class States:
    """Moments at which agents could ask, (states,) each."""

    episode: Tensor
    step: Tensor
    time: Tensor  # that the episode has
    requests: Tensor  # left
    metres: Tensor  # to the nearest goal
    room: Tensor  # which of `ROOM_LABELS`, or NO_ROOM
    entropy: Tensor  # nats, of the tentative distribution
    asked: Tensor  # whether the agent did
    taught: Tensor  # whether the help teacher would have

    @classmethod
    def of(cls, rollout: Rollout, first: int) -> States:
        """Return all those in a rollout of the episodes from number `first` on."""
        episodes = rollout.episodes
        parts = []
        for transition in rollout.transitions:
            which = (transition.active & (transition.budget > 0)).nonzero().squeeze(1)
            row, pose = transition.row[which], transition.pose[which]
            parts.append(cls(
                episode=first + row,
                step=torch.full_like(row, transition.step),
                time=episodes.time_budget[row],
                requests=transition.budget[which],
                metres=episodes.environment.distance_left(pose, episodes.goals[row]),
                room=episodes.environment.world.rooms[viewpoint_of(pose)],
                entropy=torch.special.entr(transition.tentative[which]).sum(dim=1),
                asked=transition.request[which],
                taught=transition.teacher_request[which],
            ))  # fmt: skip
        return cls.join(parts)

    @classmethod
    def join(cls, parts: Sequence[States]) -> States:
        """Return some after others."""
        return cls(*(torch.cat([getattr(part, each.name) for part in parts]) for each in fields(cls)))

    def rows(self, which: Tensor) -> States:
        """Return some of them."""
        return States(*(getattr(self, each.name)[which] for each in fields(self)))

    def to(self, device: torch.device | str) -> States:
        """Return the same on another device."""
        return States(*(getattr(self, each.name).to(device) for each in fields(self)))

    def __len__(self) -> int:
        return len(self.episode)


class RequestValue(NamedTuple):
    """What a request is worth in some of the states."""

    label: str
    success: Interval  # points that it adds to the success rate
    metres: Interval  # by which the episode ends nearer to a goal
    states: int
    episodes: int
    houses: int

    def as_dict(self) -> dict[str, Any]:
        """For a JSON file."""
        return self._asdict() | {"success": self.success._asdict(), "metres": self.metres._asdict()}


@dataclass(frozen=True)
class Pairs:
    """States, and how the episode ends when the agent asks there and when it does not."""

    subject: Subject
    states: States  # on the host
    weight: Floats  # (states,), how many states of its episode each stands for
    asking: Floats  # (states,), metres to a goal at the end
    silent: Floats

    def __len__(self) -> int:
        return len(self.states)

    @cached_property
    def gain(self) -> Floats:
        """What the request does to success: 1, 0 or −1."""
        return (self.asking <= SUCCESS_RADIUS).astype(np.float64) - (self.silent <= SUCCESS_RADIUS)

    def worth(self, label: str = "all", which: NDArray[np.bool_] | None = None) -> RequestValue:
        """Return what a request is worth, in all states or in some of them, with intervals over houses."""
        some = np.ones(len(self), dtype=bool) if which is None else which
        episode, weight = self.states.episode.numpy()[some], self.weight[some]
        houses = self.subject.houses[episode]
        success, metres = (
            over_houses(weight * each[some], weight, houses=houses) for each in (self.gain, self.silent - self.asking)
        )
        episodes, places = len(np.unique(episode)), len(np.unique(houses))
        return RequestValue(label, per_cent(success), metres, int(some.sum()), episodes, places)

    def parts(self, by: str) -> list[RequestValue]:
        """Return the same in each part of a division of the states, as far as there are any in it."""
        code, labels = self.divisions[by]
        return [self.worth(label, code == place) for place, label in enumerate(labels) if (code == place).any()]

    @cached_property
    def divisions(self) -> Mapping[str, tuple[Ints, Sequence[str]]]:
        """Name of a division → the number of the part that each state is in, and what the parts are called."""
        states = {each.name: getattr(self.states, each.name).numpy() for each in fields(States)}
        metres, entropy = states["metres"], states["entropy"]
        quarter = np.quantile(entropy, np.arange(1, QUARTERS) / QUARTERS) if len(self) else np.zeros(QUARTERS - 1)
        return {
            "agent": (states["asked"].astype(np.int64), ("does not ask", "asks")),
            "rules": (states["taught"].astype(np.int64), ("would not ask", "would ask")),
            "time": (TENTHS * states["step"] // states["time"], _tenths()),
            "requests": (states["requests"].clip(max=MANY) - 1, (*map(str, range(1, MANY)), f"{MANY} or more")),
            "goal": ((metres == 0).astype(np.int64), ("elsewhere", "on a goal viewpoint")),
            "metres": (np.digitize(metres, BANDS, right=True), _bands(BANDS, "m", 0)),
            "sureness": (np.digitize(entropy, quarter, right=True), _bands(quarter.tolist(), "nats", 2)),
            "room": (states["room"], [ROOM_NAMES[label] for label in ROOM_LABELS]),
        }

    def as_dict(self) -> dict[str, Any]:
        """Return all figures for a JSON file."""
        return {
            "all": self.worth().as_dict(),
            **{by: [part.as_dict() for part in self.parts(by)] for by in self.divisions},
        }


def request_pairs(subject: Subject, *, states: int | None = None, progress: Share = unheard) -> Pairs:
    """Do the other thing at every state of the agent's own episodes, or at so many `states` of each, drawn at random."""
    policy, done = subject.context.help_policy, 0
    own, metres = [], []
    for rollout in subject.rollouts(subject.everything, lambda *_: policy, propose=True):
        own.append(States.of(rollout, done))
        metres.append(metres_left(rollout).double())
        done += len(rollout.episodes)
    there = States.join(own)
    which, weight = _chosen(subject, there.episode.cpu().numpy(), states)
    some = there.rows(torch.from_numpy(which).to(there.episode.device))

    def asking(episodes: Episodes, rows: slice) -> Otherwise:
        return Otherwise.of(policy, episodes, some.step[rows], ~some.asked[rows])

    other = torch.from_numpy(subject.endings(some.episode, asking, advance=counting(progress, len(some))))
    here, some = torch.cat(metres)[some.episode].cpu(), some.to("cpu")
    asking_metres, silent_metres = torch.where(some.asked, here, other), torch.where(some.asked, other, here)
    return Pairs(subject, some, weight, asking_metres.numpy(), silent_metres.numpy())


def _chosen(subject: Subject, episode: Ints, most: int | None) -> tuple[Ints, Floats]:
    """Return the places of all states, or of `most` of each episode, and how many each stands for."""
    order = np.argsort(episode, kind="stable")
    which, weight = [order[:0]], [np.empty(0)]
    for places in np.split(order, np.flatnonzero(np.diff(episode[order])) + 1):
        random = subject.random(int(episode[places[0]])) if len(places) else np.random.default_rng()
        taken = places if most is None else places[drawn(random, len(places), most)]
        which.append(taken)
        weight.append(np.full(len(taken), len(places) / max(1, len(taken))))
    return np.concatenate(which), np.concatenate(weight)


def _tenths() -> list[str]:
    return [f"{100 * each // TENTHS}–{100 * (each + 1) // TENTHS}%" for each in range(TENTHS)]


def _bands(ends: Sequence[float], unit: str, digits: int) -> list[str]:
    """Return what to call the bands between these ends."""
    texts = [f"{end:.{digits}f}" for end in ends]
    between = [f"{low}–{high} {unit}" for low, high in pairwise(texts)]
    return [f"up to {texts[0]} {unit}", *between, f"more than {texts[-1]} {unit}"]
