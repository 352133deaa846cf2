"""Runs the episodes of any number of visitors as one batch.

    engine = EpisodeEngine(trained)
    walk = engine.walk(EpisodeRequest(task, seed, {3: "turn left"})).result()

`EpisodeEngine` runs all that are asked for together, on its own thread, a few steps at a time: who comes meanwhile joins
them, each at a step of its own, and who has ended is answered. Who else is in the batch changes nothing; `walk_all`, which
runs given episodes by Algorithm 1 from start to end, is what tests compare with. Walks in which nobody says anything are
cached, and some are made before anybody asks for them, for those who let the server choose.
"""

from __future__ import annotations

import queue
import random
import secrets
import threading
import time
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import torch

from vnla.agents.panorama import PanoramaSensor
from vnla.bcui import bcui
from vnla.common.errors import InputError
from vnla.evaluation.evaluate import fitting_batch, greedy
from vnla.serve.agent_walk import AgentWalk, walks_of
from vnla.serve.goals import Goals
from vnla.serve.hearing import Spoken, most_words, spoken_into, with_persons, words_of
from vnla.serve.on_demand import OnDemandFeatures
from vnla.serve.paused import PausedWalk, PausedWalks, RecordingBatching, go_on, steps_may_differ
from vnla.tasks.task import Task
from vnla.tasks.task_set import TaskSet
from vnla.tasks.vocabulary import Vocabulary
from vnla.training.context import make_context, vocabulary_of
from vnla.training.trained import Trained
from vnla.world.budgets import LONGEST_EPISODE

PATIENCE = 0.002
"""Seconds that a batch waits for others to join it."""
MOST_WAITING = 1000
"""Walks that may wait at once."""
MOST_CACHED = 512
"""Walks without a word that are cached, those that were asked for last."""
STOCK = 256
"""Walks that are made before anybody asks for them."""
STEPS = 2
"""Steps that a batch walks until others may join it: somebody who is answered waits no longer for those who walk already."""
AT_ONCE = 8
"""How many of those at once: visitors wait no longer for them than for each other."""


class EpisodeRequest(NamedTuple):
    """An episode to run."""

    task: Task
    seed: int
    spoken: Spoken
    waits: bool = False
    """Whether it runs only to the first request that no person has answered; of that step only what comes before the
    answer counts."""


OnProgress = Callable[[AgentWalk], None]
"""A callback: gets a walk that has not ended, as far as it has come."""


class Waiting(NamedTuple):
    """A request, and the walk that is promised."""

    request: EpisodeRequest
    future: Future[AgentWalk]
    on_progress: OnProgress | None = None


class RunningWalk(NamedTuple):
    """A request that is being walked."""

    request: EpisodeRequest
    future: Future[AgentWalk]
    on_progress: OnProgress | None
    paused: PausedWalk | None
    """Where it goes on; None at its start."""
    anew: bool = False
    """Whether it was begun anew, because it could not go on."""


class EpisodeEngine:
    """Runs episodes in batches, on its own thread."""

    def __init__(self, trained: Trained, checkpoint: str = "val_unseen", features: OnDemandFeatures | None = None) -> None:
        """`features` are those that have yet to be made."""
        self.trained = trained
        self._features, self._shown = features, set[str]()
        self.goals = Goals(trained.material)
        config = trained.config
        self.context = make_context(config, trained.material, trained.agent(checkpoint), training=False)
        self.ratio = config.help(training=False).ratio
        self.ready: frozenset[str] = frozenset()
        """Houses that are entered before others where nobody has chosen: those of which there are pictures."""
        self.stock: list[tuple[Task, int]] = []
        """Tasks and seeds whose walks were made beforehand: what to choose from where nobody has chosen."""
        self._cached: OrderedDict[tuple[Task, int], Future[AgentWalk]] = OrderedDict()
        self.pauses = PausedWalks()
        """Where walks go on when somebody answers; only the engine's thread reads them."""
        self._widest = max((len(task.end_goal.split()) for task in self.goals.offered), default=0)
        self._lock = threading.Lock()
        self._showing = threading.Lock()
        self._queue: queue.Queue[Waiting | None] = queue.Queue(MOST_WAITING)
        self._thread = threading.Thread(target=self._work, name="walks", daemon=True)
        self._thread.start()

    @cached_property
    def words(self) -> Vocabulary:
        """All words that the agent can read."""
        return vocabulary_of(self.trained.config, self.trained.material)

    @property
    def listens(self) -> bool:
        """Whether the agent has learned to follow words."""
        return self.context.advisor.speaks and not self.context.advisor.direct

    @property
    def sees_around(self) -> bool:
        """Whether the agent sees all around itself."""
        return any(isinstance(sensor, PanoramaSensor) for sensor in self.context.sensors.values())

    def walk(self, request: EpisodeRequest, on_progress: OnProgress | None = None) -> Future[AgentWalk]:
        """Return the walk, when it is done. If nobody says anything it is a whole one, and may belong to others too.

        Where somebody says something, `on_progress` is called every few steps, on the engine's thread."""
        if request.spoken:
            return self._put(request, on_progress)
        key = request.task, request.seed
        with self._lock:
            if key not in self._cached or _failed(self._cached[key]):
                self._cached[key] = self._put(request._replace(waits=False))
            self._cached.move_to_end(key)
            while len(self._cached) > MOST_CACHED:
                self._cached.popitem(last=False)
            return self._cached[key]

    def fill(self) -> None:
        """Make walks for the stock, of offered tasks in houses that can be seen."""
        seen = [task for task in self.goals.offered if self.sees(task.house)]
        offered = [task for task in seen if task.house in self.ready] or seen
        chosen = [(task, random_seed()) for task in random.sample(offered, min(STOCK, len(offered)))]
        for first in range(0, len(chosen), AT_ONCE):
            some = chosen[first : first + AT_ONCE]
            wait([self.walk(EpisodeRequest(task, seed, {})) for task, seed in some])
            self.stock += some

    def doing(self, house: str) -> str | None:
        """Return what walks in a house wait for, in words, if it is not only their turn."""
        return None if self._features is None or self.sees(house) else self._features.doing(house)

    def sees(self, house: str) -> bool:
        """Return whether agents can walk in a house now."""
        return self._features is None or house in self._shown or self._features.has(house)

    def enter(self, houses: Sequence[str]) -> str:
        """Return one of these houses, if possible one that is ready or in which agents can walk now. The next is made
        meanwhile."""
        houses = [house for house in houses if house in self.ready] or houses
        seen = [house for house in houses if self.sees(house)]
        new = [house for house in houses if house not in seen]
        if self._features is None or not new:
            return secrets.choice(seen)
        begun = [house for house in self._features.under_way if house in new]
        if not begun:
            begun = [secrets.choice(new)]
            self._features.soon(begun[0])
        return secrets.choice(seen) if seen else begun[0]

    def _put(self, request: EpisodeRequest, on_progress: OnProgress | None = None) -> Future[AgentWalk]:
        strange = [word for text in request.spoken.values() for word in words_of(text or "") if word not in self.words]
        if strange:
            raise InputError(f"the agent does not know the word {strange[0]!r}")
        waiting = Waiting(request, Future(), on_progress)
        if self._features is None or self.sees(request.task.house):
            self._start(waiting)
        else:
            self._features.soon(request.task.house).add_done_callback(lambda made: self._go_on(made, waiting))
        return waiting.future

    def _go_on(self, made: Future[None], waiting: Waiting) -> None:
        """Start in a house that has been made, if it has."""
        try:
            made.result()
            self._start(waiting)
        except Exception as error:
            waiting.future.set_exception(error if isinstance(error, InputError) else _broken(error))

    def _start(self, waiting: Waiting) -> None:
        """Let agents see the house, and queue the request."""
        house = waiting.request.task.house
        with self._showing:
            if self._features is not None and house not in self._shown:
                self._show(house, self._features)
        try:
            self._queue.put_nowait(waiting)
        except queue.Full:
            raise InputError("too many walks are waiting; try again in a moment") from None

    def _show(self, house: str, features: OnDemandFeatures) -> None:
        """Let agents see a house that has been made; sensors that read all features when they were made ready read them
        again."""
        views = self.trained.material.views
        features.show(house, {name: each for name, each in views.items() if isinstance(each, torch.Tensor)})
        agent, world = self.context.agent, self.trained.material.world
        sensors = {name: each.ready(agent, world, views) for name, each in self.context.sensors.items()}
        self.context = replace(self.context, sensors=sensors)
        self._shown.add(house)

    def close(self) -> None:
        """Finish what waits, and end the thread."""
        self._queue.put(None)
        self._thread.join()

    def compiled(self, tasks: Sequence[Task]) -> TaskSet:
        """Return tasks ready to run, with evaluation's time budgets. End-goals have room for any: walks are alike."""
        material = self.trained.material
        compiled = TaskSet.compile(material.world, tasks, material.dataset.budgets, vocabulary=material.dataset.vocabulary)
        return replace(compiled, end_goals=compiled.end_goals.widened(self._widest, material.dataset.vocabulary.padding))

    def _work(self) -> None:
        running, under_way = True, list[RunningWalk]()
        while running or under_way:
            waiting = [] if under_way else [self._queue.get()]
            if waiting:
                time.sleep(PATIENCE)
            while not self._queue.empty():
                waiting.append(self._queue.get())
            running = running and None not in waiting
            under_way += self._entered([each for each in waiting if each is not None])
            under_way = self._step(under_way)

    def _serve(self, waiting: Sequence[Waiting]) -> None:
        """Walk these to their ends."""
        under_way = self._entered(waiting)
        while under_way:
            under_way = self._step(under_way)

    def _entered(self, waiting: Sequence[Waiting]) -> list[RunningWalk]:
        """Return walks that begin, or go on where they waited for an answer; not those that nobody waits for any more."""
        return [
            RunningWalk(*each, self.pauses.find(each.request.task, each.request.seed, each.request.spoken))
            for each in waiting
            if each.future.set_running_or_notify_cancel()
        ]

    def _step(self, under_way: Sequence[RunningWalk]) -> list[RunningWalk]:
        """Walk a few steps, together if possible; return those that have not ended."""
        together = steps_may_differ(self.context)
        groups = defaultdict[object, list[RunningWalk]](list)
        for number, each in enumerate(under_way):
            alone = each.paused is not None and not (together and self._has_room(each.request))
            groups[number if alone else each.paused and each.paused.kind].append(each)
        return [rest for group in groups.values() for rest in self._walk_some(group, STEPS if together else None)]

    def _walk_some(self, group: Sequence[RunningWalk], most: int | None) -> list[RunningWalk]:
        """Walk so many steps of some that can walk together; return those that have not ended.

        If that fails they walk one by one, so that nobody fails for another; one that cannot go on begins anew."""
        rest = list[RunningWalk]()
        try:
            tasks = self.compiled([each.request.task for each in group])
            batch = fitting_batch(self.context, tasks.end_goals, LONGEST_EPISODE)
            for first in range(0, len(group), batch):
                some = group[first : first + batch]
                paused = [each.paused for each in some if each.paused is not None]
                found = _walk_batch(self, tasks, [each.request for each in some], first, paused, most)
                for each, (walk, at) in zip(some, found, strict=True):
                    if at is None:
                        each.future.set_result(walk)
                    else:
                        rest.append(each._replace(paused=at))
                        if each.on_progress is not None:
                            each.on_progress(walk)
        except Exception as error:
            left = [each for each in group if not each.future.done()]
            if len(group) > 1:
                return [some for each in left for some in self._walk_some([each], most)]
            if group[0].paused is not None and not group[0].anew:
                return [group[0]._replace(paused=None, anew=True)]
            group[0].future.set_exception(error if isinstance(error, InputError) else _broken(error))
            return []
        return rest

    def _has_room(self, request: EpisodeRequest) -> bool:
        """Return whether nothing is said that is longer than what the advisor says."""
        return most_words(request.spoken) <= self.context.bound_advisor.phrases.words.tokens.shape[1]


def random_seed() -> int:
    """Return a seed for an episode that nobody has chosen one for."""
    return secrets.randbelow(2**31)


def _failed(walk: Future[AgentWalk]) -> bool:
    return walk.cancelled() or (walk.done() and walk.exception() is not None)


def _broken(error: Exception) -> InputError:
    return InputError(f"the agent cannot walk ({type(error).__name__}: {error})")


def walk_all(engine: EpisodeEngine, requests: Sequence[EpisodeRequest]) -> list[AgentWalk]:
    """Run every episode from start to end, in batches that fit into memory."""
    tasks = engine.compiled([request.task for request in requests])
    batch = fitting_batch(engine.context, tasks.end_goals, LONGEST_EPISODE)
    return [
        walk
        for first in range(0, len(requests), batch)
        for walk, _ in _walk_batch(engine, tasks, requests[first : first + batch], first)
    ]


def _walk_batch(
    engine: EpisodeEngine,
    tasks: TaskSet,
    requests: Sequence[EpisodeRequest],
    first: int,
    paused: Sequence[PausedWalk] = (),
    most: int | None = None,
) -> list[tuple[AgentWalk, PausedWalk | None]]:
    """Run some episodes together, from the start or from where they were `paused`, to their ends or for so many steps at
    most; return the walks, and where those go on that have not ended."""
    device = tasks.key.device
    seeds = torch.tensor([request.seed for request in requests], device=device)
    which = torch.arange(first, first + len(requests), device=device)
    plain = tasks.episodes(which, seed=seeds, ratio=engine.ratio, k=engine.context.advisor.k)
    said = [request.spoken for request in requests]
    episodes, texts = spoken_into(plain, said, [request.waits for request in requests], LONGEST_EPISODE)
    context, listener = with_persons(engine.context, texts, engine.words, max(map(len, said)))
    room = context.bound_advisor.phrases.tails.tokens.shape[1]
    with torch.inference_mode(), greedy(listener):
        begun = go_on(paused, episodes, listener, room) if paused else None
        cannot_go_on = bool(paused) and begun is None
        batching = RecordingBatching.like(context.batching, None if cannot_go_on else most)
        rollout = bcui(episodes, replace(context, batching=batching), begun=begun)
        before = [each.before if begun else () for each in paused] or [()] * len(requests)
        run = [request.task for request in requests]
        walks = walks_of(rollout, episodes, listener.attention, context, engine.words, run, before)
        for row, (request, walk) in enumerate(zip(requests, walks, strict=True)) if not batching.fixed else ():
            engine.pauses.keep(request.seed, request.spoken, walk, row, batching, len(before[row]), room)
        paused_at = batching.paused(walks, room)
        return [(walk, paused_at.get(row)) for row, walk in enumerate(walks)]
