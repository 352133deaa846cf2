"""What the tools reply: values with a schema for programs, and the same in words for models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, Field

from vnla.evaluation.scores import Scores
from vnla.observation import EXITS, TEXT, TEXT_AROUND, Observation
from vnla.remote.mcp_server.sessions import EndedEpisode, ToolSession, ToolStep

TaskState = Literal["new", "under way", "ended", "taken"]


class EpisodeStatus(BaseModel):
    """How an episode stands."""

    task: str = Field(description="Id of the task.")
    instruction: str = Field(description="What to find.")
    advice: str | None = Field(description="What the advisor said last; null before it was asked.")
    step: int = Field(description="Time steps that have passed.")
    time_left: int = Field(description="Time steps left; each action takes one.")
    requests_left: int = Field(description="How often help may still be asked for.")
    may_ask: bool = Field(description="Whether ask would be answered now.")
    may_go_forward: bool = Field(description="Whether a place to walk to is in view.")
    over: bool = Field(description="Whether the episode has ended.")

    @classmethod
    def of(cls, now: Observation, *, over: bool) -> EpisodeStatus:
        """By what is observed."""
        return cls(
            task=now["episode"].rpartition("/")[0],
            instruction=now["end_goal"],
            advice=now["advice"],
            step=now["step"],
            time_left=0 if over else now["time_left"],
            requests_left=now["requests_left"],
            may_ask=now["may_request"] and not over,
            may_go_forward=now["may_go_forward"],
            over=over,
        )

    def in_words(self) -> str:
        """In a few lines."""
        said = [] if self.advice is None else [f'The advisor said last: "{self.advice}"']
        return "\n".join([f"Task {self.task}: {self.instruction}", *said, self.left_in_words()])

    def left_in_words(self) -> str:
        """What is left, in a sentence or two."""
        if self.over:
            steps = _count(self.step, "time step")
            return f"The episode of task {self.task} has ended after {steps}. Call score to see how it went."
        places = "Forward leads to a place in view." if self.may_go_forward else "No place to walk to is in view."
        return f"{places} {_count(self.time_left, 'time step')} and {_count(self.requests_left, 'request')} left."


class ExitReply(BaseModel):
    """A way that leaves the place."""

    number: int = Field(description="Counted from the nearest.")
    heading: float = Field(description="Degrees from where you look, right positive.")
    elevation: float = Field(description="Degrees from the horizon, up positive.")
    metres: float
    visited: bool = Field(description="Whether you have been there.")
    came_from: bool = Field(description="Whether you came from there.")
    action: str = Field(description="The action with which to set out for it.")

    def in_words(self) -> str:
        """In a line."""
        been = " (you came from there)" if self.came_from else " (you have been there)" if self.visited else ""
        climb = "" if self.elevation == 0 else f", {abs(self.elevation):g}° {'up' if self.elevation > 0 else 'down'}"
        side = (
            "straight ahead"
            if self.heading == 0
            else f"{abs(self.heading):g}° to the {'right' if self.heading > 0 else 'left'}"
        )
        return f"{self.number}. {side}{climb}, {self.metres:g} m: {self.action} sets out for it{been}"


class LookReply(BaseModel):
    """What is in view. A picture comes beside it, as an image."""

    status: EpisodeStatus
    view: str | None = Field(description="What is in view, in words; null where pictures alone are shown.")
    around: str | None = Field(description="What is all around, in words; null where that was not asked for.")
    exits: list[ExitReply] | None = Field(description="The ways that leave the place; null where that was not asked for.")

    @classmethod
    def of(cls, now: Observation, *, over: bool, around: bool = False) -> LookReply:
        """By what is observed."""
        exits = [ExitReply(number=i, **each) for i, each in enumerate(now[EXITS], 1)] if around else None
        return cls(
            status=EpisodeStatus.of(now, over=over),
            view=now.get(TEXT),
            around=now[TEXT_AROUND] if around else None,
            exits=exits,
        )

    def in_words(self) -> str:
        """In a few lines."""
        view = [] if self.view is None else [self.view]
        around = [] if self.around is None else [f"All around: {self.around}"]
        exits = [] if self.exits is None else ["Exits:", *(each.in_words() for each in self.exits)]
        return "\n".join([*view, *around, *exits, self.status.left_in_words()])


class StartReply(LookReply):
    """A task that begins."""

    session: str | None = Field(
        description="Give this with every other call; null where the connection itself is the session."
    )

    def in_words(self) -> str:
        """In a few lines."""
        now = self.status
        head = f"Task {now.task}: {now.instruction}"
        key = [] if self.session is None else [f'Give session "{self.session}" with every call.']
        return "\n".join([head, *key, super().in_words()])


class StepReply(BaseModel):
    """What became of one action."""

    action: str
    outcome: Literal["moved", "turned", "stayed", "stopped"]
    metres: float = Field(description="How far you went.")

    def in_words(self) -> str:
        """In a sentence."""
        if self.outcome == "moved":
            return f"{self.action}: moved {self.metres:g} m."
        if self.outcome == "stayed":
            return f"{self.action}: nothing changed."
        return f"{self.action}: {self.outcome}."


class ActReply(LookReply):
    """What became of actions, and what is in view then."""

    steps: list[StepReply]

    @classmethod
    def after(cls, steps: Sequence[ToolStep], now: Observation, *, over: bool) -> ActReply:
        """By what was done, and what is observed."""
        seen = LookReply.of(now, over=over)
        return cls(**seen.model_dump(), steps=[StepReply(**vars(step)) for step in steps])

    def in_words(self) -> str:
        """In a few lines."""
        return "\n".join([" ".join(step.in_words() for step in self.steps), super().in_words()])


class AskReply(BaseModel):
    """What the advisor said."""

    advice: str
    status: EpisodeStatus

    def in_words(self) -> str:
        """In two lines."""
        return f'The advisor says: "{self.advice}"\n{self.status.left_in_words()}'


class TaskEntry(BaseModel):
    """A task."""

    id: str
    instruction: str = Field(description="What to find.")
    state: TaskState = Field(description="taken: another session started it, and it cannot be started again.")


class TaskList(BaseModel):
    """Some of the tasks, in their order."""

    tasks: list[TaskEntry]
    first: int = Field(description="Place of the first of these, from 0.")
    of: int = Field(description="How many tasks there are.")

    def in_words(self) -> str:
        """A line each."""
        lines = [f"{each.id}: {each.instruction} ({each.state})" for each in self.tasks]
        shown = (
            f"tasks {self.first + 1} to {self.first + len(self.tasks)} of {self.of}"
            if self.tasks
            else f"none; there are {self.of}"
        )
        return "\n".join([*lines, f"({shown})"])


class EpisodeScore(BaseModel):
    """How an episode ended."""

    task: str
    success: bool = Field(description="Whether it ended within two metres of a goal.")
    room_success: bool = Field(description="Whether it ended in a room of the right kind.")
    abandoned: bool = Field(description="Whether it was given up, so that the rest of its time passed without action.")
    nav_error: float = Field(description="Metres from where it ended to the nearest goal, along the shortest way.")
    oracle_success: bool = Field(description="Whether it came within two metres of a goal at any time.")
    spl: float = Field(description="Success weighted by path length, 0 to 1.")
    steps: int
    path_length: float = Field(description="Metres walked.")
    requests: int
    help_budget: int = Field(description="How often help could have been asked for.")

    @classmethod
    def of(cls, ended: EndedEpisode) -> EpisodeScore:
        """By what happened."""
        record, scores = ended.record, ended.scores
        return cls(
            task=record.task,
            success=bool(_only(scores, "success")),
            room_success=bool(_only(scores, "room_success")),
            abandoned=record.unanswered,
            nav_error=round(_only(scores, "nav_error"), 2),
            oracle_success=bool(_only(scores, "oracle_success")),
            spl=round(_only(scores, "spl"), 3),
            steps=int(_only(scores, "steps")),
            path_length=round(_only(scores, "path_length"), 2),
            requests=int(_only(scores, "requests")),
            help_budget=int(_only(scores, "help_budget")),
        )

    def in_words(self) -> str:
        """In a line."""
        how = "success" if self.success else "failure"
        given_up = ", given up" if self.abandoned else ""
        room = "in a room of the right kind" if self.room_success else "in a room of another kind"
        took = f"{_count(self.steps, 'time step')}, {self.path_length:g} m and {_count(self.requests, 'request')}"
        return (
            f"Task {self.task}: {how}{given_up}. It ended {self.nav_error:g} m from the nearest goal, {room}, after {took}"
            f" (of {self.help_budget}); SPL {self.spl:g}."
        )


class ScoreReply(BaseModel):
    """How the last episode of this session ended, and all of them together."""

    episode: EpisodeScore
    episodes: int = Field(description="How many episodes of this session have ended.")
    success_rate: float = Field(description="Per cent of them.")
    nav_error: float = Field(description="Their mean, in metres.")

    @classmethod
    def of(cls, session: ToolSession) -> ScoreReply:
        """Of a session in which at least one has ended."""
        every = [EpisodeScore.of(each) for each in session.ended]
        count = len(every)
        return cls(
            episode=every[-1],
            episodes=count,
            success_rate=round(100 * sum(each.success for each in every) / count, 1),
            nav_error=round(sum(each.nav_error for each in every) / count, 2),
        )

    def in_words(self) -> str:
        """In two lines."""
        so_far = f"{self.success_rate:g}% success, {self.nav_error:g} m from the nearest goal on average"
        return f"{self.episode.in_words()}\nThis session: {_count(self.episodes, 'episode')}, {so_far}."


def _only(scores: Scores, name: str) -> Any:
    """The score of a single episode."""
    return scores[name][0].item()


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
