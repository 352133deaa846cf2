"""What visitors give, collected while they help: who has agreed, what they typed, and what came of it.

Whether somebody has agreed is known to their browser, which says so when it connects; here it is in memory alone, so nothing
on the disk joins a session to the sentences that were given in it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, Literal
from weakref import WeakKeyDictionary

import torch

import vnla
from vnla.assistance.phrases import until_stop
from vnla.camera import VIEWS, view_index
from vnla.common import checksums
from vnla.common.errors import InputError
from vnla.language.grounding import motions
from vnla.language.handwritten import house_key
from vnla.language.parser import parse
from vnla.language.reader import LONGEST_ADVICE, READER_VERSION
from vnla.serve.contributions.contribution import CONSENT, Contribution, HouseKey, Outcome
from vnla.serve.contributions.store import ContributionStore, new_token
from vnla.serve.events import ACTIONS, Action, Pose
from vnla.serve.messages import (
    AdviseMessage,
    AnyMessage,
    ContributeMessage,
    ContributionsReply,
    RefusedReply,
    SpeakMessage,
    WelcomeReply,
    WhatIfMessage,
    WhatIfReply,
    WithdrawContributionsMessage,
)
from vnla.serve.reduce import NOTHING, State, reduced
from vnla.serve.sessions import Session
from vnla.serve.visitor_service import Reply, VisitorService, as_sentence
from vnla.training.checkpoints import checkpoint
from vnla.vision.store import world_checksum
from vnla.world.actions import NAV_ACTIONS, Nav

_DIGITS = 16
_HOW: dict[str, Literal["answer", "unasked", "what_if"]] = {"advise": "answer", "speak": "unasked", "what_if": "what_if"}


@dataclass
class _Contributor:
    """Somebody who gives what they type in a session."""

    name: str
    episode: str = ""
    rows: dict[str, int] = field(default_factory=dict)
    """Sentences that the present walk follows from, and their steps."""
    ended: bool = False
    """Whether they have said meanwhile that they give no more."""


class Contributions:
    """Collects what visitors agreed to give."""

    def __init__(self, store: ContributionStore) -> None:
        self.store = store
        self._of: WeakKeyDictionary[Session, _Contributor] = WeakKeyDictionary()
        self._adding = Lock()
        """Held while a sentence is added, so that none comes after its contributor has withdrawn."""

    async def hear(self, session: Session, message: ContributeMessage | WithdrawContributionsMessage) -> ContributionsReply:
        """Do what a visitor says about giving: begin, end, or take back all that they gave."""
        if isinstance(message, WithdrawContributionsMessage):
            name = self.store.contributor(message.token)
            self._end(name)
            return ContributionsReply(agrees=False, withdrawn=await asyncio.to_thread(self.store.withdraw, name))
        if not message.agrees:
            self._end(self._of[session].name if session in self._of else "")
            return ContributionsReply(agrees=False)
        if message.version != CONSENT:
            raise InputError("the text on giving what you type has changed; load the page again and read it")
        token = new_token(message.token)
        name = self.store.contributor(token)
        if session not in self._of or self._of[session].name != name:
            self._of[session] = _Contributor(name)
        return ContributionsReply(agrees=True, token=token, count=await asyncio.to_thread(self.store.count, name))

    def _end(self, name: str) -> None:
        """Keep nothing more of a contributor, in whichever of their sessions."""
        with self._adding:
            for session in [session for session, each in self._of.items() if each.name == name]:
                self._of.pop(session).ended = True

    async def note(
        self, session: Session, message: AnyMessage, service: VisitorService, reply: Reply | None
    ) -> list[RefusedReply]:
        """Keep what was typed in a message that was answered so, if its visitor has agreed, and what came of it.

        Return why it could not be kept, where it could not."""
        contributor = self._of.get(session)
        if contributor is None or not isinstance(message, AdviseMessage | SpeakMessage | WhatIfMessage):
            return []
        if isinstance(reply, WelcomeReply):
            return []
        try:
            async with session.lock:
                await asyncio.to_thread(self._note, contributor, session, message, service, reply)
        except InputError as error:
            return [RefusedReply(why=as_sentence(str(error)))]
        return []

    def _note(
        self,
        contributor: _Contributor,
        session: Session,
        message: AdviseMessage | SpeakMessage | WhatIfMessage,
        service: VisitorService,
        reply: WhatIfReply | RefusedReply | None,
    ) -> None:
        aside = reply is not None
        state = session.state
        if isinstance(reply, WhatIfReply):
            state = reduced([each.model_dump(mode="json") for each in reply.events], NOTHING)
        if not aside:
            self._follow(contributor, state, message.step)
        if message.text is not None:
            given = _described(service, session, state, message, refused=isinstance(reply, RefusedReply))
            if given is not None:
                came = Outcome() if given.understood is None else outcome(service, state, message.step)
                with self._adding:
                    if contributor.ended:
                        return
                    row = self.store.add(contributor.name, given, came)
                if not aside:
                    contributor.rows[row] = message.step
        if not aside and contributor.rows:
            self.store.update({row: outcome(service, state, step) for row, step in contributor.rows.items()})

    @staticmethod
    def _follow(contributor: _Contributor, state: State, step: int) -> None:
        """Forget the sentences that the walk no longer follows from: what was said later, and in other episodes."""
        if contributor.episode != state["begun"]["episode"]:
            contributor.episode, contributor.rows = state["begun"]["episode"], {}
        contributor.rows = {row: then for row, then in contributor.rows.items() if then < step}


def outcome(service: VisitorService, state: State, step: int) -> Outcome:
    """Return what came of something that was said at a step."""
    later = [each for each in state["steps"] if each["step"] >= step]
    again = next((i for i, each in enumerate(later) if i and (each["asked"] or each["advised"])), len(later))
    followed = [each["acted"]["action"] for each in later[:again] if each["acted"]]
    ended = state["ended"]
    if not ended:
        return Outcome(followed=followed)
    last = later[-1]
    pose = last["acted"]["pose"] if last["acted"] else last["pose"]
    house, number = service.world.places.viewpoint(pose["viewpoint"])
    return Outcome(
        followed=followed,
        ended=ended["reason"],
        viewpoint=house.viewpoints[number].id,
        heading=pose["heading"],
        row=pose["row"],
        success=ended["success"],
        metres=ended["metres"],
    )


def _described(
    service: VisitorService,
    session: Session,
    state: State,
    message: AdviseMessage | SpeakMessage | WhatIfMessage,
    *,
    refused: bool,
) -> Contribution | None:
    """Return what was said with where and how it was read; None if something else than its words was refused."""
    step: dict[str, Any] | None = next((each for each in state["steps"] if each["step"] == message.step), None)
    if step is None or session.spec is None or message.text is None:
        return None
    pose = Pose.model_validate(step["pose"])
    reading = service.reader.read(message.text, pose)
    if refused and reading.understood is not None:
        return None
    house, number = service.world.places.viewpoint(pose.viewpoint)
    folder = service.engine.trained.material.folder
    key = house_key(folder, house.name)
    way = _way(service, session, house.name, house.viewpoints[number].id, pose)
    return Contribution(
        consent=CONSENT,
        day=datetime.now(UTC).date().isoformat(),
        vnla=vnla.__version__,
        reader=str(READER_VERSION),
        agent=_agent(service.engine.trained.folder),
        world=world_checksum(folder),
        house=house.name,
        made=None if key is None else HouseKey.model_validate(key),
        viewpoint=house.viewpoints[number].id,
        heading=pose.heading,
        row=pose.row,
        end_goal=state["begun"]["sentence"],
        how=_HOW[message.kind],
        step=message.step,
        steps_left=step["steps_left"],
        requests_left=step["requests_left"],
        text=message.text,
        understood=reading.understood,
        plan=_named(until_stop(motions(parse(reading.understood)).plan) if reading.understood else ()),
        parts=[*reading.parts],
        way=way.actions,
        alone=way.alone,
        metres=way.metres,
    )


@dataclass(frozen=True)
class _Way:
    """What the navigation teacher would do at a pose."""

    actions: list[Action]
    alone: int
    metres: float


def _way(service: VisitorService, session: Session, house: str, viewpoint: str, pose: Pose) -> _Way:
    engine, spec = service.engine, session.spec
    assert spec is not None
    tasks, world = engine.compiled([service.task(spec)]), engine.trained.material.world
    first = torch.zeros(1, dtype=torch.int64, device=tasks.key.device)
    episodes = tasks.episodes(first, seed=spec.seed, ratio=engine.ratio, k=engine.context.advisor.k)
    number = world.viewpoint(house, viewpoint) * VIEWS + view_index(pose.row, pose.heading)
    here = torch.full_like(first, number)
    taken, poses = episodes.environment.taught_way(here, episodes.goals, LONGEST_ADVICE)
    left = float(episodes.environment.distance_left(here, episodes.goals))
    actions = until_stop([int(each) for each in taken])
    same = [int(world.after[int(poses[i]) * NAV_ACTIONS + each]) == int(poses[i + 1]) for i, each in enumerate(actions)]
    return _Way(_named(actions), [*same, False].index(False), round(left, 2))


def _named(plan: tuple[Nav, ...]) -> list[Action]:
    return [ACTIONS[action] for action in plan]


@lru_cache(maxsize=8)
def _agent(run: Path) -> str:
    return checksums.of_file(checkpoint(run, "val_unseen"))[:_DIGITS]
