"""Sessions on the disk: there is room for new ones after a while, and what people did stays where it is wanted."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from vnla.common.errors import InputError
from vnla.serve.events import AskedEvent, BegunEvent, Pose
from vnla.serve.limits import Limits
from vnla.serve.sessions import EXPIRED, YOUNG, Session, Sessions

DAY = 86_400.0
POSE = Pose(viewpoint="0" * 12, heading=0, row=1)


class Clock:
    """The time, which tests let pass."""

    now = 1e9

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def begun(sessions: Sessions, *, watches: bool = True) -> Session:
    """A new session with an episode in it, which somebody watches, or in which they ask for help."""

    async def begin() -> Session:
        session = await sessions.open(None)
        mode = "watch" if watches else "help"
        event = BegunEvent(mode=mode, episode="1", house="2", sentence="", time=9, requests=3, k=4, start=POSE)
        await session.append([event, *([] if watches else [AskedEvent(step=0, by="visitor")])])
        return session

    return asyncio.run(begin())


def names(folder: Path) -> set[str]:
    return {path.stem for path in folder.glob("*.jsonl")}


def test_a_full_folder_lets_new_visitors_in_after_a_while(folder: Path, clock: Clock) -> None:
    """Those that were used longest ago make room; who was here a moment ago can come back."""
    sessions = Sessions(folder, Limits(sessions=3), clock=clock)
    old = []
    for _ in range(3):
        old.append(begun(sessions))
        clock.now += 1
    with pytest.raises(InputError, match="as many sessions as it can keep; try again in an hour"):
        begun(sessions)
    clock.now += YOUNG - 2
    new = begun(sessions)
    assert names(folder) == {old[1].name, old[2].name, new.name}
    assert asyncio.run(sessions.open(old[0].name)).name != old[0].name
    assert asyncio.run(sessions.open(old[2].name)) is old[2]


def test_ten_thousand_visitors_who_do_nothing_take_no_room(folder: Path, clock: Clock) -> None:
    sessions = Sessions(folder, Limits(sessions=3, new=1e6, crowd=1e6, awake=5), clock=clock)
    for _ in range(100):
        asyncio.run(sessions.open(None))
    assert not names(folder)
    begun(sessions)
    assert len(names(folder)) == 1


def test_old_sessions_expire_also_those_of_an_earlier_server(folder: Path, clock: Clock) -> None:
    first = begun(Sessions(folder, Limits(), clock=clock))
    (folder / f"{first.name}.jsonl").touch()
    clock.now = (folder / f"{first.name}.jsonl").stat().st_mtime + 29 * DAY
    limits = Limits(keep=30 * DAY)
    assert asyncio.run(Sessions(folder, limits, clock=clock).open(first.name)).name == first.name
    clock.now += 2 * DAY
    assert asyncio.run(Sessions(folder, limits, clock=clock).open(first.name)).name != first.name
    assert not names(folder)


@pytest.mark.parametrize("keeps", [True, False])
def test_what_a_person_did_is_kept_where_somebody_wants_it(folder: Path, clock: Clock, keeps: bool) -> None:
    sessions = Sessions(folder, Limits(keep=DAY), keeps=keeps, clock=clock)
    watched, helped = begun(sessions), begun(sessions, watches=False)
    log = (folder / f"{helped.name}.jsonl").read_bytes()
    clock.now += 2 * DAY
    asyncio.run(sessions.open(None))
    assert not names(folder)
    assert names(folder / EXPIRED) == ({helped.name} if keeps else set())
    assert watched.name != helped.name
    if keeps:
        assert (folder / EXPIRED / f"{helped.name}.jsonl").read_bytes() == log


def test_a_session_that_somebody_sees_does_not_expire(folder: Path, clock: Clock) -> None:
    sessions = Sessions(folder, Limits(keep=DAY), clock=clock)
    here, gone = begun(sessions), begun(sessions)
    here.subscribers.add(lambda _: None)
    clock.now += 2 * DAY
    asyncio.run(sessions.open(None))
    assert names(folder) == {here.name} and gone.name not in names(folder)


def test_all_sessions_together_have_so_many_bytes(folder: Path, clock: Clock) -> None:
    sessions = Sessions(folder, Limits(stored=2000), clock=clock)
    with pytest.raises(InputError, match="as many sessions as it can keep"):
        for _ in range(100):
            begun(sessions)
    size = sum(path.stat().st_size for path in folder.glob("*.jsonl"))
    assert 1000 < size <= 2500
    clock.now += YOUNG
    begun(sessions)
    assert sum(path.stat().st_size for path in folder.glob("*.jsonl")) <= 2500
