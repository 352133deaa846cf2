"""What a server does when a visitor says something.

An agent's episode is walked again after every word of a person (`vnla.serve.episode_spec`). The events up to that word stay;
those from it on are sent anew, a few steps at a time. A person's own walk goes step by step.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

from vnla.common.errors import InputError
from vnla.language.reader import TextReading, find_end_goal
from vnla.serve import messages
from vnla.serve.agent_walk import AgentWalk
from vnla.serve.daily import SECONDS, Days
from vnla.serve.engine import EpisodeEngine, EpisodeRequest, random_seed
from vnla.serve.episode_spec import EpisodeSpec
from vnla.serve.events import (
    ACTIONS,
    NUMBERS,
    ActedEvent,
    AdvisedEvent,
    AskedEvent,
    Event,
    Mode,
    Pose,
    SaidEvent,
    Score,
    StoodEvent,
)
from vnla.serve.messages import RefusedReply, WelcomeReply, WhatIfReply
from vnla.serve.other_agents import OtherAgents
from vnla.serve.persons import PersonsWalk
from vnla.serve.places import VisitorWorld
from vnla.serve.reading import AdviceReader, Reading, in_turn
from vnla.serve.reduce import State
from vnla.serve.sessions import Session
from vnla.serve.walk_events import Typed, begun_event, ended_event, stood_event, told_again, walk_events
from vnla.tasks.task import Task
from vnla.world.actions import Nav

PATIENCE = 3.0
"""Seconds that a visitor waits for a house that is not encoded yet before hearing how far it is."""

Reply = WelcomeReply | WhatIfReply | RefusedReply
Advice = tuple[str | None, Typed | None]
"""What a person says, as the agent reads it and as it was typed."""

MOST_READINGS = 64
"""Readings of a session that hold for what is sent next."""

_ANY_TIME = (
    messages.HelloMessage, messages.WhatIfMessage, messages.WatchMessage, messages.HelpMessage, messages.BeatMessage
)  # fmt: skip
"""Messages that mean the same whatever their sender has seen."""

_FEW = 4
"""Episodes that are tried for one to help with."""


class VisitorService:
    """Serves visitors with an agent in a world, and those who walk themselves with other names for its places."""

    def __init__(
        self, engine: EpisodeEngine, world: VisitorWorld, walker_world: VisitorWorld, days: Days | None = None
    ) -> None:
        """`days` has the tasks of the day, if there are any."""
        self.days = days
        self.other_agents = OtherAgents()
        """Other agents."""
        self.engine, self.world, self.walker_world = engine, world, walker_world
        self.reader = AdviceReader(engine.trained.material.folder, world.places, engine.words, engine.context.advisor)

    async def hear(self, session: Session, message: messages.AnyMessage) -> Reply | None:
        """Do what a visitor asks for. Events go to the session's subscribers, the reply to who asked."""
        async with session.lock:
            try:
                await self._complete(session)
                return welcome(session) if _is_late(session, message) else await self._do(session, message)
            except InputError as error:
                return RefusedReply(why=as_sentence(str(error)))

    async def complete(self, session: Session) -> None:
        """Send the rest of an agent's walk of which only a part was sent, because the server was killed or its disk was
        full. If that fails the next message does it."""
        async with session.lock:
            with contextlib.suppress(InputError):
                await self._complete(session)

    async def _complete(self, session: Session) -> None:
        if session.spec is None or not session.is_cut_off:
            return
        steps, waits = session.state["steps"], session.mode == "help"
        first = len(steps) if steps[-1]["acted"] else len(steps) - 1
        walk = await self.walk(session.spec, waits=waits)
        await session.append(walk_events(walk, self.world, first=first, waits=waits, link=session.spec.link()))

    async def _do(self, session: Session, message: messages.AnyMessage) -> Reply | None:
        match message:
            case messages.WatchMessage() | messages.HelpMessage():
                await self._show(session, message)
            case messages.AdviseMessage():
                await self._advise(session, message)
            case messages.SpeakMessage():
                await self._speak(session, message)
            case messages.WhatIfMessage():
                return await self._what_if(session, message)
            case messages.BesideMessage():
                return await self._beside(session, message.agent)
            case messages.BeatMessage():
                return await self._beat(session, message.against)
            case messages.DayMessage():
                await self._day(session)
            case messages.ActMessage():
                await self._act(session, NUMBERS[message.action])
            case messages.AskMessage():
                await self._ask(session)
            case messages.LeaveMessage():
                await self._leave(session)
                return welcome(session)
            case messages.HelloMessage():
                return welcome(session)
        return None

    async def _show(self, session: Session, message: messages.WatchMessage | messages.HelpMessage) -> None:
        mode: Mode = "help" if isinstance(message, messages.HelpMessage) else "watch"
        chosen = message.link or message.task or message.goal
        spec = self.chosen_spec(message) if chosen or mode == "watch" else await self._needy(message)
        if self.days is not None:
            self.days.daily.check_open(self.task(spec).house)
        await self.begin(session, mode, spec)

    async def _needy(self, message: messages.HelpMessage | messages.WatchMessage) -> EpisodeSpec:
        """Return an episode in which the agent asks, if there is one among a few."""
        few = [self.chosen_spec(message) for _ in range(_FEW)]
        walks = await asyncio.gather(*(self.walk(spec, waits=True) for spec in few))
        asking = (spec for spec, walk in zip(few, walks, strict=True) if any(step.asked for step in walk.steps))
        return next(asking, few[0])

    async def begin(self, session: Session, mode: Mode, spec: EpisodeSpec) -> None:
        """Show an episode, or let the visitor walk it."""
        if mode == "beat":
            await self._begin_person(session, spec)
            return
        if mode == "help" and not self.engine.listens:
            raise InputError("this agent was not trained to follow words; watch it instead")
        walk = await self.walk(spec, waits=mode == "help")
        begun = begun_event(walk, walk.start, self.world, mode, spec.name, spec.link())
        begun = begun.model_copy(update={"around": self.engine.sees_around})
        await session.append([begun, *walk_events(walk, self.world, waits=mode == "help", link=spec.link())], spec)

    async def _advise(self, session: Session, message: messages.AdviseMessage) -> None:
        spec, waits = self._agents_episode(session), session.state["waits"]
        if waits is None or waits["step"] != message.step:
            raise InputError("the agent is not waiting for an answer here")
        advice = (message.choice, None) if message.choice else await self._understood(session, message)
        await self._go_on(session, spec, message.step, advice, answered=True)

    async def _speak(self, session: Session, message: messages.SpeakMessage) -> None:
        spec = self._agents_episode(session)
        if self._step(session, message.step)["asked"]:
            raise InputError("the agent has asked here; answer it, or try another answer with “what if”")
        advice = await self._understood(session, message)
        await self._go_on(session, spec, message.step, advice, answered=False)

    async def _go_on(self, session: Session, spec: EpisodeSpec, step: int, advice: Advice, *, answered: bool) -> None:
        """Send the walk anew from a step on, with what a person has said there, a few steps at a time as they are walked."""
        spec, waits = spec.saying(step, advice[0]), session.mode == "help"
        events_of = partial(walk_events, waits=waits, typed=_at(step, advice), link=spec.link())
        first = step
        async for walk, over in self._walking(spec, waits=waits):
            if over or len(walk.steps) > first:  # it has fewer where it had to begin anew
                events = events_of(walk, self.world, first=first, answered=answered and first == step, over=over)
                await session.append(events, spec if first == step else None)
                first = len(walk.steps)

    async def _what_if(self, session: Session, message: messages.WhatIfMessage) -> WhatIfReply:
        spec = self._agents_episode(session)
        self._step(session, message.step)
        advice = await self._understood(session, message)
        spec = spec.saying(message.step, advice[0])
        walk = await self.walk(spec)
        begun = begun_event(walk, walk.start, self.world, "watch", spec.name, spec.link())
        begun = begun.model_copy(update={"around": self.engine.sees_around})
        return _second([begun, *walk_events(walk, self.world, typed=_at(message.step, advice), link=spec.link())])

    async def _beside(self, session: Session, agent: str) -> WhatIfReply:
        """Return another agent's walk of the present task, in which nobody says anything."""
        if session.mode not in ("watch", "help") or session.spec is None:
            raise InputError("no agent is walking; watch or help one first")
        spec = session.spec
        walk = await self.other_agents.ready(agent, self.task(spec), spec.seed)
        begun = begun_event(walk, walk.start, self.world, "watch", spec.name)
        begun = begun.model_copy(update={"agent": agent, "around": self.other_agents.around(agent)})
        return _second([begun, *walk_events(walk, self.world)])

    async def _beat(self, session: Session, against: str | None) -> WelcomeReply | None:
        """Begin a task for the visitor, or go on with the one that is not over: nobody chooses by leaving bad ones."""
        unfinished = await self._settle_unfinished(session)
        if (_day_of(session) and not session.state["ended"]) or (unfinished and _day_in(unfinished[1])):
            raise InputError("finish the task of the day first; Today goes on with it")
        if session.mode == "beat" and not session.state["ended"]:
            return welcome(session)
        if unfinished is not None:
            await self._return_to(session, *unfinished)
            return None
        if against is not None and against not in self.other_agents.names:
            raise InputError("there is no such agent here")
        spec = self._random_spec(session.done).model_copy(update={"against": against})
        await self._begin_person(session, spec, day={"agent": against} if against else None)
        return None

    async def _day(self, session: Session) -> None:
        """Begin the task of the day, which a session may do once, or go on with it as long as there is time."""
        daily, unfinished = self._days.daily, await self._settle_unfinished(session)
        date = daily.date
        if unfinished and _day_in(unfinished[1]):
            await self._return_to(session, *unfinished)
            return
        if date in session.days:
            raise InputError("you have begun today's task before; the next one comes at midnight, universal time")
        if unfinished is not None or (session.mode == "beat" and not session.state["ended"]):
            raise InputError("finish the task that you have begun first; Beat it goes on with it")
        spec = EpisodeSpec(task=daily.task(date).id, seed=daily.seed(date))
        until = 1000 * (daily.now() + SECONDS)
        await self._begin_person(session, spec, self._days.world, {"day": date, "until": until})

    async def _settle_unfinished(self, session: Session) -> tuple[EpisodeSpec, State] | None:
        """End a task of the day whose time is up, in the table of its day; then return the walk that the visitor has left
        for another mode and may continue."""
        if session.unfinished is not None and self._time_is_up(session.unfinished[1]):
            await self._return_to(session, *session.unfinished)
        if session.mode == "beat" and not session.state["ended"] and self._time_is_up(session.state):
            await session.append(await self._ended(session, self._persons_walk(session)))
        return session.unfinished

    @staticmethod
    async def _return_to(session: Session, spec: EpisodeSpec, state: State) -> None:
        """Continue a walk that its visitor has left for another mode."""
        await session.append(told_again(state), spec)
        session.walk = None

    async def _begin_person(
        self, session: Session, spec: EpisodeSpec, world: VisitorWorld | None = None, day: Mapping[str, object] | None = None
    ) -> None:
        task, world = self.task(spec), world or self.walker_world
        walk = PersonsWalk(self.engine, task, spec.seed)
        begun = begun_event(walk, walk.pose, world, "beat", secrets.token_hex(8)).model_copy(update=dict(day or {}))
        self.engine.walk(EpisodeRequest(task, spec.seed, {}))  # it is done while the visitor walks
        await session.append([begun, _stood(walk, world)], spec)
        session.walk = walk

    def _world_of(self, session: Session) -> VisitorWorld:
        """Return the names by which a visitor who walks knows the places."""
        return self._days.world if _day_of(session) else self.walker_world

    async def _act(self, session: Session, action: Nav) -> None:
        walk, world = self._persons_walk(session), self._world_of(session)
        if self._time_is_up(session.state):
            await session.append(await self._ended(session, walk))
            return
        walk.act(action)
        try:
            acted = ActedEvent(action=ACTIONS[action], pose=world.pose(walk.pose))
            await session.append([acted, *(await self._ended(session, walk) if walk.ended else [_stood(walk, world)])])
        except BaseException:
            session.walk = None  # what was not recorded has not happened
            raise

    async def _ask(self, session: Session) -> None:
        walk = self._persons_walk(session)
        if self._time_is_up(session.state):
            raise InputError("the time is up")
        text = walk.ask()
        asked, advised = AskedEvent(step=walk.step, by="visitor"), AdvisedEvent(by="advisor", text=text, understood=text)
        try:
            await session.append([asked, advised])
        except BaseException:
            session.walk = None
            raise

    async def _leave(self, session: Session) -> None:
        if session.mode == "beat" and not session.state["ended"]:
            walk = self._persons_walk(session)
            await session.append(await self._ended(session, walk, left=not _day_of(session)))

    def _time_is_up(self, state: State) -> bool:
        """Return whether the time for the task of the day is over, if it is one."""
        return _day_in(state) is not None and 1000 * self._days.daily.now() > state["begun"]["until"]

    @property
    def _days(self) -> Days:
        if self.days is None:
            raise InputError("this server has no task of the day")
        return self.days

    async def _ended(self, session: Session, walk: PersonsWalk, *, left: bool = False) -> list[Event]:
        """Return how the visitor's walk ended, beside the agent's; without it where the agent cannot walk.

        Who has left it has not found the goal, wherever they stood."""
        assert session.spec is not None
        world, day, begun = self._world_of(session), _day_of(session), session.state["begun"]
        ended = ended_event(walk, world)
        if left:
            ended = ended.model_copy(update={"reason": "left", "success": False})
        try:
            against = session.spec.against
            other = self.other_agents.ready(against, walk.task, session.spec.seed) if against else None
            its = await (other or self.walk(session.spec))
        except InputError as error:
            if day:
                return [self._days.ended(session.name, begun, walk, ended, None)]
            if self.engine.doing(walk.task.house):
                raise
            return [ended, SaidEvent(text=as_sentence(str(error)))]
        score = session.score
        if day:
            return [self._days.ended(session.name, begun, walk, ended, its)]
        beside = {
            "walk": [world.pose(pose) for pose in its.poses],
            "its_success": its.success,
            "score": Score(yours=score.yours + bool(ended.success), its=score.its + its.success, tasks=score.tasks + 1),
        }
        return [ended.model_copy(update=beside)]

    def _persons_walk(self, session: Session) -> PersonsWalk:
        """Return the visitor's own walk; one that was under way when the server was stopped is walked again."""
        if session.mode != "beat" or session.state["ended"] or session.spec is None:
            raise InputError("you have no walk under way")
        if session.walk is None:
            session.walk = PersonsWalk(self.engine, self.task(session.spec), session.spec.seed)
            for step in session.state["steps"]:
                if step["asked"]:
                    session.walk.ask()
                if step["acted"]:
                    session.walk.act(NUMBERS[step["acted"]["action"]])
        return session.walk

    def chosen_spec(self, message: messages.WatchMessage | messages.HelpMessage) -> EpisodeSpec:
        """Return the episode that a visitor has chosen; a random one where none was."""
        if message.link is not None:
            return EpisodeSpec.of_link(message.link)
        if message.task is None and message.goal is None and message.seed is None:
            return self._random_spec()
        seed = random_seed() if message.seed is None else message.seed
        if message.goal is not None:
            return self._spec_of_goal(message.house, message.goal, seed)
        return EpisodeSpec(task=message.task or secrets.choice(self.engine.goals.offered).id, seed=seed)

    def _random_spec(self, done: Collection[str] = ()) -> EpisodeSpec:
        """Return an episode of a task that is not done, and walked already, if there is such a one."""
        withheld = frozenset[str]() if self.days is None else self.days.daily.withheld
        offered = [task for task in self.engine.goals.offered if task.house not in withheld]
        left = [task for task in offered if task.id not in done] or offered
        house = self.engine.enter(sorted({task.house for task in left}))
        ready = [(task, seed) for task, seed in self.engine.stock if task.house == house and task.id not in done]
        task, seed = secrets.choice(ready or [(task, random_seed()) for task in left if task.house == house])
        return EpisodeSpec(task=task.id, seed=seed)

    def _spec_of_goal(self, house: str | None, goal: str, seed: int) -> EpisodeSpec:
        if house is None:
            raise InputError("say in which house to look for it")
        found = find_end_goal(goal, self.engine.goals.known(self.world.places.house(house).name))
        if found.understood is None:
            suggestion = f"; try: {found.suggestions[0]}" if found.suggestions else ""
            raise InputError(f"it is not clear what to look for in this house{suggestion}")
        return EpisodeSpec(house=house, goal=found.understood, seed=seed)

    def task(self, spec: EpisodeSpec) -> Task:
        """Return the task of an episode."""
        goals = self.engine.goals
        if spec.goal is not None:
            assert spec.house is not None
            return goals.task(self.world.places.house(spec.house).name, spec.goal, spec.seed)
        assert spec.task is not None
        found = goals.named(spec.task)
        if found is None:
            raise InputError("there is no such task here; this link may be of another world")
        return found

    async def walk(self, spec: EpisodeSpec, *, waits: bool = False) -> AgentWalk:
        """Return the agent's walk; if it `waits` for answers, at least as far as it can be shown."""
        return [walk async for walk, _ in self._walking(spec, waits=waits)][-1]

    async def _walking(self, spec: EpisodeSpec, *, waits: bool) -> AsyncIterator[tuple[AgentWalk, bool]]:
        """Yield the agent's walk, first as far as it has come where somebody says something in it, and last whole; and
        whether it is whole."""
        task, loop = self.task(spec), asyncio.get_running_loop()
        known: asyncio.Queue[AgentWalk | Future[AgentWalk]] = asyncio.Queue()

        def tell(walk: AgentWalk | Future[AgentWalk]) -> None:
            with contextlib.suppress(RuntimeError):  # the server has ended
                loop.call_soon_threadsafe(known.put_nowait, walk)

        self.engine.walk(EpisodeRequest(task, spec.seed, spec.spoken, waits), tell).add_done_callback(tell)
        while True:
            try:
                async with asyncio.timeout(PATIENCE):
                    walk = await known.get()
            except TimeoutError:  # others may wait for it too: it is not given up
                if doing := self.engine.doing(task.house):
                    raise InputError(f"{doing}; try again in a moment") from None
                continue
            if isinstance(walk, Future):
                yield walk.result(), True
                return
            yield walk, False

    def _agents_episode(self, session: Session) -> EpisodeSpec:
        if session.mode not in ("watch", "help") or session.spec is None:
            raise InputError("no agent is walking; watch or help one first")
        if not self.engine.listens:
            raise InputError("this agent was not trained to follow words")
        return session.spec

    def _step(self, session: Session, number: int) -> dict[str, Any]:
        """Return a step that the visitor has seen."""
        steps: list[dict[str, Any]] = session.state["steps"]
        if number >= len(steps):
            raise InputError("the episode has no such step yet")
        return steps[number]

    async def _understood(
        self, session: Session, message: messages.AdviseMessage | messages.SpeakMessage | messages.WhatIfMessage
    ) -> Advice:
        """Return words as the agent reads them where it stands, and as they were typed; None is no answer.

        Long sentences take a part of a second, in which nobody else waits."""
        if message.text is None:
            return None, None
        pose, text = Pose.model_validate(self._step(session, message.step)["pose"]), message.text
        found = await in_turn(session.reading_time, lambda: self._read(session, text, pose))
        if found.understood is None:
            why = found.why or "say for example: turn left, go forward 2 steps"
            raise InputError(f"the agent would not understand that: {why}")
        return found.understood, Typed(text, [*found.parts])

    def preview(self, session: Session, text: str, pose: Pose | None) -> Reading:
        """Return how a text is read that a visitor is typing; what is shown so is what the agent hears if it is sent."""
        return self.reader.shown(text, self._read(session, text, pose), pose)

    def _read(self, session: Session, text: str, pose: Pose | None) -> TextReading:
        """Read a text, once in a session: what is known of a house may change meanwhile."""
        readings = session.readings
        if (text, pose) not in readings:
            readings[text, pose] = self.reader.read(text, pose)
            while len(readings) > MOST_READINGS:
                readings.popitem(last=False)
        return readings[text, pose]


def _second(events: Sequence[Event]) -> WhatIfReply:
    """Return another walk, beside the session's."""
    return WhatIfReply(events=[event.model_copy(update={"number": i}) for i, event in enumerate(events, start=1)])


def _stood(walk: PersonsWalk, world: VisitorWorld) -> StoodEvent:
    return stood_event(world, walk.step, walk.pose, walk.time - walk.step, walk.requests_left)


def _day_of(session: Session) -> str | None:
    """Return the day whose task a visitor is at; None in any other walk."""
    return _day_in(session.state)


def _day_in(state: State) -> str | None:
    day: str | None = state["begun"].get("day") if state["begun"] else None
    return day


def welcome(session: Session) -> WelcomeReply:
    """Return the state of a session."""
    return WelcomeReply(session=session.name, snapshot=session.state)


def _is_late(session: Session, message: messages.AnyMessage) -> bool:
    """Return whether a visitor has not seen all that has happened: the message may be one that was sent before. Who wants
    another episode wants it whatever happens in this one."""
    if isinstance(message, _ANY_TIME):
        return False
    return bool(message.after != session.state["number"])


def _at(step: int, advice: Advice) -> dict[int, Typed]:
    return {} if advice[1] is None else {step: advice[1]}


def as_sentence(text: str) -> str:
    """Return an error as the page says it."""
    return f"{text[:1].upper()}{text[1:].removesuffix('.')}."
