"""Other agents on the same task: runs, agents of the package, policies of one's own, and agents behind an address.

Each is made when somebody first wants to see it, on a thread. It walks under the same rules as the site's own agent: the
same start, time, requests and advisor.
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import accumulate
from typing import TYPE_CHECKING, Protocol

from vnla.camera import VIEWS
from vnla.common.errors import InputError
from vnla.serve.agent_walk import AgentWalk, WalkStep
from vnla.serve.engine import EpisodeEngine, EpisodeRequest
from vnla.tasks.task import Task
from vnla.world.actions import Nav

if TYPE_CHECKING:
    from vnla.remote.episode import EpisodeRecord
    from vnla.remote.evaluated_agent import EvaluatedAgent
    from vnla.remote.observer import WorldObserver

PATIENCE = 20.0
"""Seconds that a visitor waits for another agent's walk."""
MOST_WAITING = 64
"""Walks of other agents that may wait at once."""
MOST_CACHED = 256


class OtherAgent(Protocol):
    """An agent that walks a task from start to end, without a person."""

    around: bool
    """Whether it sees all around itself."""

    def walk(self, task: Task, seed: int) -> AgentWalk:
        """Return its walk."""
        ...


Maker = Callable[[], OtherAgent]


class OtherTrainedAgent:
    """An agent of a run or of the package."""

    def __init__(self, engine: EpisodeEngine) -> None:
        self._engine, self.around = engine, engine.sees_around

    def walk(self, task: Task, seed: int) -> AgentWalk:
        """Return its walk, as the site's own agent walks."""
        return self._engine.walk(EpisodeRequest(task, seed, {})).result()

    def close(self) -> None:
        """End its thread."""
        self._engine.close()


class OtherPolicyAgent:
    """An agent that is asked: a policy in this process, or one behind an address."""

    def __init__(self, engine: EpisodeEngine, agent: EvaluatedAgent) -> None:
        from vnla.observation import EXITS, PICTURES_AROUND, SYMBOLS_AROUND, TEXT_AROUND
        from vnla.observation import VIEWS as VIEWS_AROUND
        from vnla.remote.observer import WorldObserver

        material = engine.trained.material
        self._engine, self._agent = engine, agent
        self._show: WorldObserver = WorldObserver(agent.declaration, material.folder, material.world)
        seen_at_once = {EXITS, PICTURES_AROUND, SYMBOLS_AROUND, TEXT_AROUND, VIEWS_AROUND}
        self.around = not seen_at_once.isdisjoint(agent.declaration.observes)

    def walk(self, task: Task, seed: int) -> AgentWalk:
        """Return its walk. A wrong answer ends it."""
        from vnla.remote.episode import EvaluationRules
        from vnla.remote.evaluated_agent import UNANSWERED, Fault
        from vnla.remote.evaluation import visit

        context = self._engine.context
        tasks = self._engine.compiled([task])
        rules = EvaluationRules(tasks, context.advisor, context.bound_advisor, self._engine.ratio, on_error="stop")
        time = rules.begin(0, seed).observation()["time_left"]
        (record,) = visit(self._agent, rules, self._show, {task.id: 0}, [(task.id, seed)], threading.Event())
        if record.unanswered and Fault(record.errors[-1][1]) in UNANSWERED:
            raise InputError("nobody answers there")
        return self._told(task, record, int(time))

    def _told(self, task: Task, record: EpisodeRecord, time: int) -> AgentWalk:
        """Return what happened as the page shows it; what such an agent thinks is not known."""
        world = self._engine.trained.material.world
        house = world.house(task.house)
        graph, base = world.graphs[house], world.firsts[house]
        poses = [(base + graph.ids.index(viewpoint)) * VIEWS + view for viewpoint, view in record.path]
        asked = [said is not None for said in record.said]
        used = [0, *accumulate(asked)]
        steps = tuple(
            WalkStep(
                pose=poses[i],
                requests_left=record.help_budget - used[i],
                before=(),
                after=(),
                ask=float(asked[i]),
                attention=(),
                asked=asked[i],
                advice=record.said[i],
                by_person=False,
                action=Nav[action.upper()] if action else Nav.STOP,
                pose_after=poses[i + 1],
            )
            for i, action in enumerate(record.actions)
        )
        goals = [graph.ids.index(goal) for goal in task.goals]
        metres = float(graph.distance[graph.ids.index(record.path[-1][0]), goals].min())
        k = self._engine.context.advisor.k
        return AgentWalk(
            task=task, time=time, requests=record.help_budget, k=k, start=poses[0], steps=steps, metres=metres
        )  # fmt: skip


class OtherAgents:
    """Other agents by the names that they were given with; each is made once, when it is wanted."""

    def __init__(self, makers: Mapping[str, Maker] | None = None) -> None:
        self._makers = dict(makers or {})
        self._made: dict[str, OtherAgent] = {}
        self._walks: OrderedDict[tuple[str, Task, int], Future[AgentWalk]] = OrderedDict()
        self._lock = threading.Lock()
        self._works = ThreadPoolExecutor(1, "vnla other agents")

    @property
    def names(self) -> tuple[str, ...]:
        """Who may be asked for."""
        return tuple(self._makers)

    def add(self, name: str, maker: Maker) -> None:
        """Add an agent that `maker` makes when it is first wanted."""
        self._makers[name] = maker

    def walk(self, name: str, task: Task, seed: int) -> Future[AgentWalk]:
        """Return the walk of an agent, when it is done; one that was done before is kept."""
        if name not in self._makers:
            raise InputError("there is no such agent here")
        key = name, task, seed
        with self._lock:
            found = self._walks.get(key)
            if found is None or (found.done() and found.exception() is not None):
                if sum(not each.done() for each in self._walks.values()) >= MOST_WAITING:
                    raise InputError("too many walks are waiting; try again in a moment")
                found = self._walks[key] = self._works.submit(self._walk, *key)
            self._walks.move_to_end(key)
            while len(self._walks) > MOST_CACHED:
                self._walks.popitem(last=False)
            return found

    async def ready(self, name: str, task: Task, seed: int) -> AgentWalk:
        """Return the walk of an agent, if it is done soon; otherwise it is done in the background."""
        walk = asyncio.wrap_future(self.walk(name, task, seed))
        await asyncio.wait([walk], timeout=PATIENCE)
        if not walk.done():
            raise InputError(f"{name} has not answered yet; it walks on, so try again in a moment")
        return walk.result()

    def around(self, name: str) -> bool:
        """Return whether an agent that has walked sees all around."""
        return self._made[name].around

    def _walk(self, name: str, task: Task, seed: int) -> AgentWalk:
        try:
            if name not in self._made:
                self._made[name] = self._makers[name]()
            return self._made[name].walk(task, seed)
        except InputError as error:
            raise InputError(f"{name} cannot walk here: {error}") from None
        except Exception as error:  # somebody else's agent may raise anything
            raise InputError(f"{name} cannot walk here ({type(error).__name__})") from error

    def close(self) -> None:
        """Cancel what waits, and end the threads of agents."""
        self._works.shutdown(wait=False, cancel_futures=True)
        for each in self._made.values():
            if isinstance(each, OtherTrainedAgent):
                each.close()
