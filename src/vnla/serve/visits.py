"""What a server does when a visitor says something.

An agent's episode is walked again after every word of a person (`vnla.serve.wanted`); the events up to that word stay, those
from it on are told anew. A person's own walk goes step by step.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Collection, Sequence

from vnla.common.errors import InputError
from vnla.language.reader import find_end_goal
from vnla.serve import messages, telling
from vnla.serve.engine import Engine, Errand, some_seed
from vnla.serve.events import ACTIONS, NUMBERS, Acted, Advised, Asked, Begun, Ended, Event, Mode, Pose, Said, Score, Stood
from vnla.serve.goals import sentence
from vnla.serve.messages import Refused, Second, Welcome
from vnla.serve.persons import PersonsWalk
from vnla.serve.reading import AdviceReader, in_turn
from vnla.serve.scene import Scene
from vnla.serve.sessions import Session
from vnla.serve.telling import Typed
from vnla.serve.walked import Walked
from vnla.serve.wanted import Wanted
from vnla.tasks.task import Task
from vnla.world.actions import Nav

PATIENCE = 3.0
"""Seconds that a visitor waits for a house that is not encoded yet before being told how far it is."""

Reply = Welcome | Second | Refused
Given = tuple[str | None, Typed | None]
"""What a person says, as the agent reads it and as it was typed."""

_FEW = 4
"""Episodes that are tried for one to help with."""


class Visits:
    """Serves visitors with an agent in a world, and those who walk themselves with names of their own for its places."""

    def __init__(self, engine: Engine, scene: Scene, walkers: Scene) -> None:
        self.engine, self.scene, self.walkers = engine, scene, walkers
        self.reader = AdviceReader(engine.trained.material.folder, scene.places, engine.words, engine.players.advisor)

    async def hear(self, session: Session, message: messages.AnyMessage) -> Reply | None:
        """Do what a visitor asks for. Events go to whoever listens to the session, the answer to who asked."""
        async with session.lock:
            if _is_late(session, message):
                return welcome(session)
            try:
                return await self._do(session, message)
            except InputError as error:
                return Refused(why=as_sentence(str(error)))

    async def _do(self, session: Session, message: messages.AnyMessage) -> Reply | None:
        match message:
            case messages.Watch() | messages.HelpIt():
                await self._show(session, message)
            case messages.Advise():
                await self._advise(session, message)
            case messages.Speak():
                await self._speak(session, message)
            case messages.WhatIf():
                return await self._what_if(session, message)
            case messages.Beat():
                self._beat(session)
            case messages.Act():
                await self._act(session, NUMBERS[message.action])
            case messages.Ask():
                self._ask(session)
            case messages.Leave():
                self._leave(session)
                return welcome(session)
            case messages.Hello():
                return welcome(session)
        return None

    async def _show(self, session: Session, message: messages.Watch | messages.HelpIt) -> None:
        mode: Mode = "help" if isinstance(message, messages.HelpIt) else "watch"
        chosen = message.link or message.task or message.goal
        wanted = self.wanted(message) if chosen or mode == "watch" else await self._needy(message)
        await self.begin(session, mode, wanted)

    async def _needy(self, message: messages.HelpIt | messages.Watch) -> Wanted:
        """An episode in which the agent asks, if there is one among a few."""
        few = [self.wanted(message) for _ in range(_FEW)]
        walks = await asyncio.gather(*(self.walked(wanted, waits=True) for wanted in few))
        asking = (wanted for wanted, walked in zip(few, walks, strict=True) if any(step.asked for step in walked.steps))
        return next(asking, few[0])

    async def begin(self, session: Session, mode: Mode, wanted: Wanted) -> None:
        """Show an episode, or let the visitor walk it."""
        if mode == "beat":
            self._give(session, wanted)
            return
        if mode == "help" and not self.engine.listens:
            raise InputError("this agent was not trained to follow words; watch it instead")
        walked = await self.walked(wanted, waits=mode == "help")
        events = telling.told(walked, self.scene, waits=mode == "help", link=wanted.link())
        session.append([self._begun(walked, mode, wanted), *events], wanted)

    async def _advise(self, session: Session, message: messages.Advise) -> None:
        wanted, waits = self._agents(session), session.state["waits"]
        if waits is None or waits["step"] != message.step:
            raise InputError("the agent is not waiting for an answer here")
        given = (message.choice, None) if message.choice else await self._understood(session, message)
        await self._go_on(session, wanted, message.step, given, answered=True)

    async def _speak(self, session: Session, message: messages.Speak) -> None:
        wanted = self._agents(session)
        if self._step(session, message.step)["asked"]:
            raise InputError("the agent has asked here; answer it, or try another answer with “what if”")
        given = await self._understood(session, message)
        await self._go_on(session, wanted, message.step, given, answered=False)

    async def _go_on(self, session: Session, wanted: Wanted, step: int, given: Given, *, answered: bool) -> None:
        """Tell the walk anew from a step on, with what a person has said there."""
        wanted, waits = wanted.saying(step, given[0]), session.mode == "help"
        walked = await self.walked(wanted, waits=waits)
        events = telling.told(
            walked,
            self.scene,
            first=step,
            answered=answered,
            waits=waits,
            typed=_at(step, given),
            link=wanted.link(),
        )
        session.append(events, wanted)

    async def _what_if(self, session: Session, message: messages.WhatIf) -> Second:
        wanted = self._agents(session)
        self._step(session, message.step)
        given = await self._understood(session, message)
        wanted = wanted.saying(message.step, given[0])
        walked = await self.walked(wanted)
        walk = telling.told(walked, self.scene, typed=_at(message.step, given), link=wanted.link())
        events = enumerate([self._begun(walked, "watch", wanted), *walk], start=1)
        return Second(events=[event.model_copy(update={"number": number}) for number, event in events])

    def _beat(self, session: Session) -> None:
        self._give(session, self._chosen(session.done))

    def _give(self, session: Session, wanted: Wanted) -> None:
        task = self.task(wanted)
        walk = PersonsWalk(self.engine, task, wanted.seed)
        begun = Begun(
            mode="beat",
            episode=secrets.token_hex(8),
            house=self.walkers.places.name(self.walkers.house(task)),
            sentence=sentence(task.end_goal),
            time=walk.time,
            requests=walk.requests,
            k=walk.k,
            start=self.walkers.pose(walk.pose),
        )
        self.engine.walk(Errand(task, wanted.seed, {}))  # it is done while the visitor walks
        session.append([begun, self._stood(walk)], wanted)
        session.walk = walk

    async def _act(self, session: Session, action: Nav) -> None:
        walk = self._persons(session)
        walk.act(action)
        try:
            acted = Acted(action=ACTIONS[action], pose=self.walkers.pose(walk.pose))
            session.append([acted, *(await self._ended(session, walk) if walk.ended else [self._stood(walk)])])
        except BaseException:
            session.walk = None  # what was not recorded has not happened
            raise

    def _ask(self, session: Session) -> None:
        walk = self._persons(session)
        said = walk.ask()
        try:
            session.append([Asked(step=walk.step, by="visitor"), Advised(by="advisor", text=said, understood=said)])
        except BaseException:
            session.walk = None
            raise

    def _leave(self, session: Session) -> None:
        if session.mode == "beat" and not session.state["ended"]:
            walk = self._persons(session)
            goals = self.walkers.goals(walk.task)
            left = Ended(reason="left", success=False, metres=telling.metres(walk.metres), goals=goals)
            session.append([left])

    async def _ended(self, session: Session, walk: PersonsWalk) -> list[Event]:
        """How the visitor's walk ended, beside the agent's; without it where the agent cannot walk."""
        assert session.wanted is not None
        ended = Ended(
            reason="stopped" if walk.stopped else "time",
            success=walk.success,
            metres=telling.metres(walk.metres),
            goals=self.walkers.goals(walk.task),
        )
        try:
            its = await self.walked(session.wanted)
        except InputError as error:
            if self.engine.doing(walk.task.house):
                raise
            return [ended, Said(text=as_sentence(str(error)))]
        score = session.score
        beside = {
            "walk": [self.walkers.pose(pose) for pose in its.poses],
            "its_success": its.success,
            "score": Score(yours=score.yours + walk.success, its=score.its + its.success, tasks=score.tasks + 1),
        }
        return [ended.model_copy(update=beside)]

    def _persons(self, session: Session) -> PersonsWalk:
        """The visitor's own walk; one that was under way when the server was stopped is walked again."""
        if session.mode != "beat" or session.state["ended"] or session.wanted is None:
            raise InputError("you have no walk under way")
        if session.walk is None:
            session.walk = PersonsWalk(self.engine, self.task(session.wanted), session.wanted.seed)
            for step in session.state["steps"]:
                if step["asked"]:
                    session.walk.ask()
                if step["acted"]:
                    session.walk.act(NUMBERS[step["acted"]["action"]])
        return session.walk

    def _stood(self, walk: PersonsWalk) -> Stood:
        return Stood(
            step=walk.step,
            pose=self.walkers.pose(walk.pose),
            steps_left=walk.time - walk.step,
            requests_left=walk.requests_left,
            ahead=self.walkers.ahead(walk.pose),
        )

    def wanted(self, message: messages.Watch | messages.HelpIt) -> Wanted:
        """The episode that a visitor has chosen; one of ours where none was."""
        if message.link is not None:
            return Wanted.of_link(message.link)
        if message.task is None and message.goal is None and message.seed is None:
            return self._chosen()
        seed = some_seed() if message.seed is None else message.seed
        if message.goal is not None:
            return self._sought(message.house, message.goal, seed)
        return Wanted(task=message.task or secrets.choice(self.engine.goals.offered).id, seed=seed)

    def _chosen(self, done: Collection[str] = ()) -> Wanted:
        """An episode where nobody has chosen: of a task that is not done, and walked already, if there is such a one."""
        offered = self.engine.goals.offered
        left = [task for task in offered if task.id not in done] or offered
        house = self.engine.enter(sorted({task.house for task in left}))
        ready = [(task, seed) for task, seed in self.engine.stock if task.house == house and task.id not in done]
        task, seed = secrets.choice(ready or [(task, some_seed()) for task in left if task.house == house])
        return Wanted(task=task.id, seed=seed)

    def _sought(self, house: str | None, goal: str, seed: int) -> Wanted:
        if house is None:
            raise InputError("say in which house to look for it")
        known = self.engine.goals.known(self.scene.places.house(house).name)
        found = find_end_goal(goal, known)
        if found.understood is None:
            raise InputError(f"it is not clear what to look for in this house{_suggesting(found.suggestions)}")
        return Wanted(house=house, goal=found.understood, seed=seed)

    def task(self, wanted: Wanted) -> Task:
        """The task of an episode."""
        goals = self.engine.goals
        if wanted.goal is not None:
            assert wanted.house is not None
            return goals.task(self.scene.places.house(wanted.house).name, wanted.goal, wanted.seed)
        assert wanted.task is not None
        found = goals.named(wanted.task)
        if found is None:
            raise InputError("there is no such task here; this link may be of another world")
        return found

    async def walked(self, wanted: Wanted, *, waits: bool = False) -> Walked:
        """The agent's walk, which is done beside those of others, unless it is done already; if it `waits` for answers, at
        least as far as it can be told."""
        task = self.task(wanted)
        walk = asyncio.wrap_future(self.engine.walk(Errand(task, wanted.seed, wanted.spoken, waits)))
        while True:
            await asyncio.wait([walk], timeout=PATIENCE)  # others may wait for it too: it is not given up
            if walk.done():
                return walk.result()
            if doing := self.engine.doing(task.house):
                raise InputError(f"{doing}; try again in a moment")

    def _begun(self, walked: Walked, mode: Mode, wanted: Wanted) -> Begun:
        return telling.begun(walked, self.scene, mode, wanted.name, wanted.link())

    def _agents(self, session: Session) -> Wanted:
        if session.mode not in ("watch", "help") or session.wanted is None:
            raise InputError("no agent is walking; watch or help one first")
        if not self.engine.listens:
            raise InputError("this agent was not trained to follow words")
        return session.wanted

    def _step(self, session: Session, number: int) -> dict[str, object]:
        """A step that has been told."""
        steps: list[dict[str, object]] = session.state["steps"]
        if number >= len(steps):
            raise InputError("the episode has no such step yet")
        return steps[number]

    async def _understood(self, session: Session, message: messages.Advise | messages.Speak | messages.WhatIf) -> Given:
        """Words as the agent reads them where it stands, and as they were typed; None is no answer. Nobody else waits
        meanwhile: long sentences take a part of a second."""
        if message.text is None:
            return None, None
        pose = Pose.model_validate(self._step(session, message.step)["pose"])
        text = message.text
        found = await in_turn(session.reading_time, lambda: self.reader.read(text, pose))
        if found.understood is None:
            raise InputError("the agent would not understand that; say for example: turn left, go forward 2 steps")
        return found.understood, Typed(message.text, [*found.parts])


def welcome(session: Session) -> Welcome:
    """Where a session stands."""
    return Welcome(session=session.name, snapshot=session.state)


def _is_late(session: Session, message: messages.AnyMessage) -> bool:
    """Whether a visitor has not seen all that has happened: the message may be one that was sent before."""
    return not isinstance(message, messages.Hello | messages.WhatIf) and message.after != session.state["number"]


def _at(step: int, given: Given) -> dict[int, Typed]:
    return {} if given[1] is None else {step: given[1]}


def as_sentence(text: str) -> str:
    """An error as the page says it."""
    return f"{text[:1].upper()}{text[1:].removesuffix('.')}."


def _suggesting(texts: Sequence[str]) -> str:
    return f"; try: {texts[0]}" if texts else ""
