"""Agents of any number of visitors, walked as one batch.

    engine = Engine(trained)
    walked = engine.walk(Errand(task, seed, {3: "turn left"})).result()

`walk_all` is the work: episodes from start to end by Algorithm 1. `Engine` collects for a few milliseconds what visitors
wait for, on a thread of its own, and then walks it together; who else is in the batch changes nothing. Walks in which nobody
says anything are kept, and some are done before anybody wants them, for those who let the server choose.
"""

from __future__ import annotations

import queue
import random
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future, wait
from functools import cached_property
from typing import NamedTuple

import torch

from vnla.bcui import bcui
from vnla.common.errors import InputError
from vnla.evaluation.evaluate import fitting_batch, greedy
from vnla.serve.goals import Goals
from vnla.serve.hearing import Spoken, spoken_into, with_persons, words_of
from vnla.serve.sights import Sights
from vnla.serve.walked import Walked, walks_of
from vnla.tasks.task import Task
from vnla.tasks.task_set import TaskSet
from vnla.tasks.vocabulary import Vocabulary
from vnla.training.cast import make_players, vocabulary_of
from vnla.training.trained import Trained
from vnla.world.budgets import LONGEST_EPISODE

PATIENCE = 0.005
"""Seconds that a batch waits for others to join it."""
MOST_WAITING = 1000
"""Walks that may wait at once."""
KEPT = 512
"""Walks without a word that are kept, those that were last wanted."""
STOCK = 256
"""Walks that are done before anybody wants them."""
AT_ONCE = 8
"""How many of those: visitors wait no longer for them than for each other."""


class Errand(NamedTuple):
    """An episode to walk."""

    task: Task
    seed: int
    spoken: Spoken
    waits: bool = False
    """Whether it is walked only to the first request that no person has answered; of that step only what comes before
    the answer counts."""


class Engine:
    """Walks what it is given, in batches, on a thread of its own."""

    def __init__(self, trained: Trained, checkpoint: str = "val_unseen", sights: Sights | None = None) -> None:
        """With `sights` if some of what the agent may see has yet to be made."""
        self.trained = trained
        self._sights, self._seen = sights, set[str]()
        self.goals = Goals(trained.material)
        config = trained.config
        self.players = make_players(config, trained.material, trained.agent(checkpoint), training=False)
        self.ratio = config.help(training=False).ratio
        self.stock: list[tuple[Task, int]] = []
        """Tasks and seeds whose walks were done before anybody wanted them: what to choose from where nobody has chosen."""
        self._kept: OrderedDict[tuple[Task, int], Future[Walked]] = OrderedDict()
        self._lock = threading.Lock()
        self._queue: queue.Queue[tuple[Errand, Future[Walked]] | None] = queue.Queue(MOST_WAITING)
        self._thread = threading.Thread(target=self._work, name="walks", daemon=True)
        self._thread.start()

    @cached_property
    def words(self) -> Vocabulary:
        """All that the agent can read."""
        return vocabulary_of(self.trained.config, self.trained.material)

    @property
    def listens(self) -> bool:
        """Whether the agent has learned to follow words."""
        return self.players.advisor.speaks and not self.players.advisor.direct

    def walk(self, errand: Errand) -> Future[Walked]:
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
            wait([self.walk(Errand(task, seed, {})) for task, seed in some])
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

    def _put(self, errand: Errand) -> Future[Walked]:
        strange = [word for text in errand.spoken.values() for word in words_of(text or "") if word not in self.words]
        if strange:
            raise InputError(f"the agent does not know the word {strange[0]!r}")
        future: Future[Walked] = Future()
        if self._sights is None or self.sees(errand.task.house):
            self._see(errand.task.house)
            self._queue_up(errand, future)
        else:
            self._sights.soon(errand.task.house).add_done_callback(lambda made: self._go_on(made, errand, future))
        return future

    def _go_on(self, made: Future[None], errand: Errand, walk: Future[Walked]) -> None:
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
            tables = {name: each for name, each in self.players.views.items() if isinstance(each, torch.Tensor)}
            self._sights.show(house, tables)
            self._seen.add(house)

    def _queue_up(self, errand: Errand, future: Future[Walked]) -> None:
        try:
            self._queue.put_nowait((errand, future))
        except queue.Full:
            raise InputError("too many walks are waiting; try again in a moment") from None

    def close(self) -> None:
        """Finish what waits, and end the thread."""
        self._queue.put(None)
        self._thread.join()

    def compiled(self, tasks: Sequence[Task]) -> TaskSet:
        """Tasks ready to run, with evaluation's time budgets."""
        material = self.trained.material
        return TaskSet.compile(material.world, tasks, material.dataset.budgets, vocabulary=material.dataset.vocabulary)

    def _work(self) -> None:
        going = True
        while going:
            waiting = [self._queue.get()]
            time.sleep(PATIENCE)
            while not self._queue.empty():
                waiting.append(self._queue.get())
            going = None not in waiting
            self._serve([each for each in waiting if each is not None and each[1].set_running_or_notify_cancel()])

    def _serve(self, waiting: Sequence[tuple[Errand, Future[Walked]]]) -> None:
        """Walk together; if that fails, one by one, so that nobody fails for another."""
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


def _failed(walk: Future[Walked]) -> bool:
    return walk.cancelled() or (walk.done() and walk.exception() is not None)


def _broken(error: Exception) -> InputError:
    return InputError(f"the agent cannot walk ({type(error).__name__}: {error})")


def walk_all(engine: Engine, errands: Sequence[Errand]) -> list[Walked]:
    """Every episode from start to end, in batches that fit into memory."""
    tasks = engine.compiled([errand.task for errand in errands])
    batch = fitting_batch(engine.players, tasks.end_goals, LONGEST_EPISODE)
    return [
        walked
        for first in range(0, len(errands), batch)
        for walked in _walk_batch(engine, tasks, errands[first : first + batch], first)
    ]


def _walk_batch(engine: Engine, tasks: TaskSet, errands: Sequence[Errand], first: int) -> list[Walked]:
    device = tasks.key.device
    seeds = torch.tensor([errand.seed for errand in errands], device=device)
    which = torch.arange(first, first + len(errands), device=device)
    plain = tasks.episodes(which, seed=seeds, ratio=engine.ratio, k=engine.players.advisor.k)
    longest = int(plain.time_budget.max())
    episodes, said = spoken_into(plain, [errand.spoken for errand in errands], [errand.waits for errand in errands], longest)
    most = max((len(errand.spoken) for errand in errands), default=0)
    players, listener = with_persons(engine.players, said, engine.words, most)
    with torch.inference_mode(), greedy(listener):
        rollout = bcui(episodes, players, longest=longest)
        return walks_of(rollout, episodes, listener.attention, players, engine.words, [errand.task for errand in errands])
