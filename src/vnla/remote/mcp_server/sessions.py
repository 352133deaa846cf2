"""The sessions of a server's clients: each has an episode of its own; all that they share is the folder of what is kept."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from vnla.common.errors import InputError
from vnla.common.outside import shown
from vnla.evaluation.scores import Scores
from vnla.observation import Observation
from vnla.remote.episode import EpisodeRecord, EvaluationEpisode
from vnla.remote.mcp_server.kept import ASK, KeptEpisodes, abandon, answer_named, scored
from vnla.remote.mcp_server.setting import OfferedTasks

MOST_SESSIONS = 64
"""That there are at a time; the next client is refused until one has expired."""
IDLE = 3600.0
"""Seconds without a call after which a session over HTTP expires, and its episode is abandoned."""
_KEY_BYTES = 8


@dataclass(frozen=True)
class ToolStep:
    """What became of one action."""

    action: str
    outcome: str
    metres: float


@dataclass(frozen=True)
class EndedEpisode:
    """An episode that has ended, with its scores: an entry each."""

    record: EpisodeRecord
    scores: Scores


class ToolSession:
    """What one client does. Its calls are carried out one at a time."""

    def __init__(self, key: str, offered: OfferedTasks, kept: KeptEpisodes | None) -> None:
        self.key, self._offered, self._kept = key, offered, kept
        self._episode: EvaluationEpisode | None = None
        self._started: set[str] = set()
        self._lock = threading.RLock()
        self.ended: list[EndedEpisode] = []
        self.expired = False

    def __enter__(self) -> ToolSession:
        self._lock.acquire()
        if self.expired:
            self._lock.release()
            raise InputError("this session has expired, and its episode was abandoned; call start for another task")
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    @property
    def episode(self) -> EvaluationEpisode:
        """The episode that was started last; an error where none was."""
        if self._episode is None:
            raise InputError("no task was started yet; call start")
        return self._episode

    @property
    def under_way(self) -> bool:
        """Whether an episode was started and has not ended."""
        return self._episode is not None and not self._episode.over

    def state_of(self, task: str) -> str:
        """How it stands with a task: "new", "under way", "ended", or "taken" where another session started it."""
        if self.under_way and self.episode.task.id == task:
            return "under way"
        if task in self._started:
            return "ended"
        return "taken" if self._kept is not None and self._kept.has(task) else "new"

    def start(self, task: str | None, *, give_up: bool = False) -> Observation:
        """Start a task, or the next one, and return what is observed. Where episodes are kept each is started once."""
        if task is not None and task not in self._offered.number:
            raise InputError(f"task {shown(task)}: there is none of this id; list_tasks has them")
        if self.under_way and not give_up:
            raise InputError(
                f"task {self.episode.task.id} is under way; act stop ends it, and start with give_up gives it up:"
                " the rest of its time then passes without action"
            )
        chosen = self._claim(task)
        if self.under_way:
            self.abandon()
        self._started.add(chosen)
        self._episode = self._offered.begin(chosen)
        return self.look()

    def look(self) -> Observation:
        """What is observed now. It takes no time."""
        return self._offered.observed(self.episode)

    def act(self, name: str, times: int) -> tuple[list[ToolStep], Observation]:
        """Act so many times, or until the episode ends or nothing changes; what became of each, and what is observed."""
        episode, steps = self._active("act"), list[ToolStep]()
        for _ in range(times):
            self._take(episode, name)
            seen = episode.observation()
            steps.append(ToolStep(str(seen["last"]["action"]), seen["last"]["outcome"], seen["last"]["metres"]))
            if episode.over or steps[-1].outcome == "stayed":
                break
        return steps, self.look()

    def ask(self) -> Observation:
        """Request help, and return what is observed then; refused where a request would not be answered, at no cost."""
        episode = self._active("ask")
        now = episode.observation()
        if not now["may_request"]:
            if now["has_requested"]:
                raise InputError("you have asked in this time step already; act before you ask again")
            raise InputError("no request is left in this episode")
        self._take(episode, ASK)
        return self.look()

    def abandon(self) -> None:
        """The rest of the episode's time passes without action."""
        if self.under_way:
            abandon(self.episode)
            self._end(self.episode)

    def _active(self, what: str) -> EvaluationEpisode:
        if self.episode.over:
            raise InputError(
                f"{what}: the episode of task {self.episode.task.id} has ended; score tells how, start begins the next"
            )
        return self.episode

    def _claim(self, task: str | None) -> str:
        """A task that may be started, as it is from now on."""
        wanted: Sequence[str] = [each.id for each in self._offered.tasks] if task is None else [task]
        if self._kept is not None:
            found = self._kept.claim(wanted)
        elif task is not None:
            found = task
        else:
            found = next((each for each in wanted if each not in self._started), None)
        if found is not None:
            return found
        if task is None:
            raise InputError(f"all {len(wanted):,} tasks were started; there is no next one")
        raise InputError(
            f"task {task}: was started already, and a task can be started once here; start without a task begins the next"
        )

    def _take(self, episode: EvaluationEpisode, name: str) -> None:
        if self._kept is not None:
            self._kept.answered(episode.task.id, name)
        episode.take(answer_named(name))
        if episode.over:
            self._end(episode)

    def _end(self, episode: EvaluationEpisode) -> None:
        record = episode.record()
        if self._kept is not None:
            self._kept.ended(record)
        self.ended.append(EndedEpisode(record, scored(self._offered, [record])[0]))


class ToolSessions:
    """The sessions of all clients, a bounded number of them; those that are idle for long expire."""

    def __init__(
        self,
        offered: OfferedTasks,
        kept: KeptEpisodes | None = None,
        *,
        most: int = MOST_SESSIONS,
        idle: float | None = IDLE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.offered, self._kept, self._most, self._idle, self._clock = offered, kept, most, idle, clock
        self._lock = threading.Lock()
        self._sessions: dict[str, ToolSession] = {}
        self._used: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self._sessions)

    def of_connection(self, name: str) -> ToolSession:
        """The session of a connection, whose `name` nobody else can have."""
        key = f"connection {name}"
        with self._lock:
            self._sweep()
            if key not in self._sessions:
                self._open(key)
            return self._of(key)

    def of_key(self, key: str) -> ToolSession:
        """The session that was given this key."""
        with self._lock:
            self._sweep()
            if key not in self._sessions or key.startswith("connection "):
                raise InputError(
                    f"session {shown(key)}: is not known here, or has expired; start without a session begins one"
                )
            return self._of(key)

    def begin(self, task: str | None) -> tuple[ToolSession, Observation]:
        """A session for somebody whose connection has none, and what is observed of the task that it starts with.

        Its key cannot be guessed. Where the task cannot be started there is no session.
        """
        with self._lock:
            self._sweep()
            session = self._of(self._open(secrets.token_hex(_KEY_BYTES)))
        try:
            with session:
                return session, session.start(task)
        except InputError:
            with self._lock:
                self._expire(session.key)
            raise

    def nobody(self) -> ToolSession:
        """A session for somebody who has none and only wants to know what tasks there are; it is not kept."""
        return ToolSession("", self.offered, self._kept)

    def close(self) -> None:
        """Abandon what is under way."""
        with self._lock:
            for key in list(self._sessions):
                self._expire(key)

    def _of(self, key: str) -> ToolSession:
        self._used[key] = self._clock()
        return self._sessions[key]

    def _open(self, key: str) -> str:
        if len(self._sessions) >= self._most:
            raise InputError(f"{len(self._sessions)} sessions are open, which is the most; try again later")
        self._sessions[key] = ToolSession(key, self.offered, self._kept)
        return key

    def _sweep(self) -> None:
        """Let those expire that were idle for long."""
        if self._idle is not None:
            since = self._clock() - self._idle
            for each in [key for key, used in self._used.items() if used < since]:
                self._expire(each)

    def _expire(self, key: str) -> None:
        session = self._sessions.pop(key)
        del self._used[key]
        with session:
            session.abandon()
            session.expired = True
