"""Agents of any number of visitors, walked as one batch.

    engine = EpisodeEngine(trained)
    walk = engine.walk(EpisodeRequest(task, seed, {3: "turn left"})).result()

`walk_all` runs episodes from start to end by Algorithm 1. `EpisodeEngine` collects requests for a few milliseconds, on its
own thread, and then runs them together; who else is in the batch changes nothing. Walks in which nobody says anything are
cached, and some are made before anybody asks for them, for those who let the server choose.
"""

from __future__ import annotations

import queue
import random
import secrets
import threading
import time
from collections import OrderedDict, defaultdict
from collections.abc import Sequence
from concurrent.futures import Future, wait
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import torch

from vnla.bcui import bcui
from vnla.common.errors import InputError
from vnla.evaluation.evaluate import fitting_batch, greedy
from vnla.serve.agent_walk import AgentWalk, walks_of
from vnla.serve.goals import Goals
from vnla.serve.hearing import Spoken, most_words, spoken_into, with_persons, words_of
from vnla.serve.on_demand import OnDemandFeatures
from vnla.serve.paused import PausedWalk, PausedWalks, RecordingBatching, go_on, part_ways
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
KEPT = 512
"""Walks without a word that are kept, those that were last wanted."""
STOCK = 256
"""Walks that are done before anybody wants them."""
AT_ONCE = 8
"""How many of those: visitors wait no longer for them than for each other."""


class EpisodeRequest(NamedTuple):
    """An episode to walk."""

    task: Task
    seed: int
    spoken: Spoken
    waits: bool = False
    """Whether it is walked only to the first request that no person has answered; of that step only what comes before
    the answer counts."""


Waiting = tuple[EpisodeRequest, Future[AgentWalk]]
"""An episode to walk, and who waits for it."""


class EpisodeEngine:
    """Walks what it is given, in batches, on a thread of its own."""

    def __init__(self, trained: Trained, checkpoint: str = "val_unseen", sights: OnDemandFeatures | None = None) -> None:
        """With `sights` if some of what the agent may see has yet to be made."""
        self.trained = trained
        self._sights, self._seen = sights, set[str]()
        self.goals = Goals(trained.material)
        config = trained.config
        self.context = make_context(config, trained.material, trained.agent(checkpoint), training=False)
        self.ratio = config.help(training=False).ratio
        self.stock: list[tuple[Task, int]] = []
        """Tasks and seeds whose walks were done before anybody wanted them: what to choose from where nobody has chosen."""
        self._kept: OrderedDict[tuple[Task, int], Future[AgentWalk]] = OrderedDict()
        self.pauses = PausedWalks()
        """Where walks go on when somebody answers; only the walking thread knows them."""
        self._widest = max((len(task.end_goal.split()) for task in self.goals.offered), default=0)
        self._lock = threading.Lock()
        self._queue: queue.Queue[Waiting | None] = queue.Queue(MOST_WAITING)
        self._thread = threading.Thread(target=self._work, name="walks", daemon=True)
        self._thread.start()

    @cached_property
    def words(self) -> Vocabulary:
        """All that the agent can read."""
        return vocabulary_of(self.trained.config, self.trained.material)

    @property
    def listens(self) -> bool:
        """Whether the agent has learned to follow words."""
        return self.context.advisor.speaks and not self.context.advisor.direct

    def walk(self, errand: EpisodeRequest) -> Future[AgentWalk]:
        """The walk, when it is done. If nobody says anything it is a whole one, and may belong to others too."""
        if errand.spoken:
            return self._put(errand)
        key = errand.task, errand.seed
        with self._lock:
            if key not in self._kept or _failed(self._kept[key]):
                self._kept[key] = self._put(errand._replace(waits=False))
            self._kept.move_to_end(key)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
            return self._kept[key]

    def fill(self) -> None:
        """Walk some of the offered tasks, in houses that can be seen, for the stock."""
        offered = [task for task in self.goals.offered if self.sees(task.house)]
        chosen = [(task, some_seed()) for task in random.sample(offered, min(STOCK, len(offered)))]
        for first in range(0, len(chosen), AT_ONCE):
            some = chosen[first : first + AT_ONCE]
            wait([self.walk(EpisodeRequest(task, seed, {})) for task, seed in some])
            self.stock += some

    def doing(self, house: str) -> str | None:
        """What walks in a house wait for, in words, if it is not only their turn."""
        return None if self._sights is None or self.sees(house) else self._sights.doing(house)

    def sees(self, house: str) -> bool:
        """Whether agents can walk in a house now."""
        return self._sights is None or house in self._seen or self._sights.has(house)

    def enter(self, houses: Sequence[str]) -> str:
        """One of these houses, in which agents can walk now if there is such a one. The next is made meanwhile."""
        seen = [house for house in houses if self.sees(house)]
        new = [house for house in houses if house not in seen]
        if self._sights is None or not new:
            return secrets.choice(seen)
        begun = [house for house in self._sights.under_way if house in new]
        if not begun:
            begun = [secrets.choice(new)]
            self._sights.soon(begun[0])
        return secrets.choice(seen) if seen else begun[0]

    def _put(self, errand: EpisodeRequest) -> Future[AgentWalk]:
        strange = [word for text in errand.spoken.values() for word in words_of(text or "") if word not in self.words]
        if strange:
            raise InputError(f"the agent does not know the word {strange[0]!r}")
        future: Future[AgentWalk] = Future()
        if self._sights is None or self.sees(errand.task.house):
            self._see(errand.task.house)
            self._queue_up(errand, future)
        else:
            self._sights.soon(errand.task.house).add_done_callback(lambda made: self._go_on(made, errand, future))
        return future

    def _go_on(self, made: Future[None], errand: EpisodeRequest, walk: Future[AgentWalk]) -> None:
        """Walk in a house that has been made, if it has."""
        try:
            made.result()
            self._see(errand.task.house)
            self._queue_up(errand, walk)
        except Exception as error:
            walk.set_exception(error if isinstance(error, InputError) else _broken(error))

    def _see(self, house: str) -> None:
        """Let agents look into a house that can be seen."""
        if self._sights is not None and house not in self._seen:
            tables = {name: each for name, each in self.context.views.items() if isinstance(each, torch.Tensor)}
            self._sights.show(house, tables)
            self._seen.add(house)

    def _queue_up(self, errand: EpisodeRequest, future: Future[AgentWalk]) -> None:
        try:
            self._queue.put_nowait((errand, future))
        except queue.Full:
            raise InputError("too many walks are waiting; try again in a moment") from None

    def close(self) -> None:
        """Finish what waits, and end the thread."""
        self._queue.put(None)
        self._thread.join()

    def compiled(self, tasks: Sequence[Task]) -> TaskSet:
        """Tasks ready to run, with evaluation's time budgets; their end-goals have room for any, so that walks are alike."""
        material = self.trained.material
        compiled = TaskSet.compile(material.world, tasks, material.dataset.budgets, vocabulary=material.dataset.vocabulary)
        return replace(compiled, end_goals=compiled.end_goals.widened(self._widest, material.dataset.vocabulary.padding))

    def _work(self) -> None:
        going = True
        while going:
            waiting = [self._queue.get()]
            time.sleep(PATIENCE)
            while not self._queue.empty():
                waiting.append(self._queue.get())
            going = None not in waiting
            self._serve([each for each in waiting if each is not None and each[1].set_running_or_notify_cancel()])

    def _go_on_with(self, waiting: Sequence[Waiting]) -> list[Waiting]:
        """Serve those who answered at once where the walk was kept that waited for it, together if that can be; the others,
        who have to be walked anew. What fails so is walked anew as well."""
        groups, anew = defaultdict[object, list[tuple[Waiting, PausedWalk]]](list), list[Waiting]()
        together = part_ways(self.context)
        for number, each in enumerate(waiting):
            errand = each[0]
            paused = self.pauses.find(errand.task, errand.seed, errand.spoken)
            if paused is None:
                anew.append(each)
            else:
                groups[paused.kind if together and self._has_room(errand) else number].append((each, paused))
        for group in groups.values():
            errands = [errand for (errand, _), _ in group]
            try:
                tasks = self.compiled([errand.task for errand in errands])
                walks = _walk_batch(self, tasks, errands, 0, [paused for _, paused in group])
            except Exception:
                anew += [each for each, _ in group]
                continue
            for ((_, future), _), walked in zip(group, walks, strict=True):
                future.set_result(walked)
        return anew

    def _has_room(self, errand: EpisodeRequest) -> bool:
        """Whether nothing is said that is longer than what the advisor says."""
        return most_words(errand.spoken) <= self.context.bound_advisor.phrases.words.tokens.shape[1]

    def _serve(self, waiting: Sequence[Waiting]) -> None:
        """Walk together; if that fails, one by one, so that nobody fails for another."""
        waiting = self._go_on_with(waiting)
        if not waiting:
            return
        try:
            walks = walk_all(self, [errand for errand, _ in waiting])
        except Exception as error:
            if len(waiting) == 1:
                waiting[0][1].set_exception(error if isinstance(error, InputError) else _broken(error))
                return
            for each in waiting:
                self._serve([each])
            return
        for (_, future), walked in zip(waiting, walks, strict=True):
            future.set_result(walked)


def some_seed() -> int:
    """A seed for an episode that nobody has chosen one for."""
    return secrets.randbelow(2**31)


def _failed(walk: Future[AgentWalk]) -> bool:
    return walk.cancelled() or (walk.done() and walk.exception() is not None)


def _broken(error: Exception) -> InputError:
    return InputError(f"the agent cannot walk ({type(error).__name__}: {error})")


def walk_all(engine: EpisodeEngine, errands: Sequence[EpisodeRequest]) -> list[AgentWalk]:
    """Every episode from start to end, in batches that fit into memory."""
    tasks = engine.compiled([errand.task for errand in errands])
    batch = fitting_batch(engine.context, tasks.end_goals, LONGEST_EPISODE)
    return [
        walked
        for first in range(0, len(errands), batch)
        for walked in _walk_batch(engine, tasks, errands[first : first + batch], first)
    ]


def _walk_batch(
    engine: EpisodeEngine, tasks: TaskSet, errands: Sequence[EpisodeRequest], first: int, paused: Sequence[PausedWalk] = ()
) -> list[AgentWalk]:
    """Some episodes together, from start to end; or from where they were `paused`."""
    device = tasks.key.device
    seeds = torch.tensor([errand.seed for errand in errands], device=device)
    which = torch.arange(first, first + len(errands), device=device)
    plain = tasks.episodes(which, seed=seeds, ratio=engine.ratio, k=engine.context.advisor.k)
    said = [errand.spoken for errand in errands]
    episodes, texts = spoken_into(plain, said, [errand.waits for errand in errands], LONGEST_EPISODE)
    context, listener = with_persons(engine.context, texts, engine.words, max(map(len, said)))
    room = context.bound_advisor.phrases.tails.tokens.shape[1]
    keeping = RecordingBatching.like(context.batching)
    with torch.inference_mode(), greedy(listener):
        begun = go_on(paused, episodes, listener, room) if paused else None
        rollout = bcui(episodes, replace(context, batching=keeping), begun=begun)
        before = [each.before if begun else () for each in paused] or [()] * len(errands)
        given = [errand.task for errand in errands]
        walks = walks_of(rollout, episodes, listener.attention, context, engine.words, given, before)
        for row, (errand, walked) in enumerate(zip(errands, walks, strict=True)) if not keeping.fixed else ():
            engine.pauses.keep(errand.seed, errand.spoken, walked, row, keeping, len(before[row]), room)
    return walks
