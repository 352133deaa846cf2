"""One episode of an agent that is asked, a turn at a time; the rules are those of every episode (`vnla.episode`).

A wrong answer costs the agent the time step: nothing is done (`stay`), or the episode ends there (`stop`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray

from vnla import episode
from vnla.agents.sensors import Sensor
from vnla.assistance.advisor import Advisor, BoundAdvisor, TemplateAdvisor
from vnla.assistance.help_teacher import RESULT_NAMES, HelpTeacher, Reason
from vnla.assistance.phrases import with_subgoal
from vnla.camera import VIEWS
from vnla.episode import Episodes
from vnla.houses.folder import WorldFolder
from vnla.observation import Observation
from vnla.remote.participant import ACTIONS, Answer, Fault
from vnla.stepper import EpisodeStepper
from vnla.tasks.dataset import Dataset
from vnla.tasks.sampling import subset
from vnla.tasks.task import Task
from vnla.tasks.task_set import TaskSet
from vnla.world.actions import NO_ACTION, Nav
from vnla.world.budgets import HELP_RATIO
from vnla.world.compiled import World, viewpoint_of

OnError = Literal["stay", "stop"]
ON_ERROR: tuple[OnError, ...] = ("stay", "stop")


@dataclass(frozen=True)
class EvaluationRules:
    """What all episodes of an evaluation have in common."""

    tasks: TaskSet
    advisor: Advisor
    bound_advisor: BoundAdvisor
    ratio: float
    teacher: HelpTeacher = field(default_factory=HelpTeacher)
    on_error: OnError = "stay"

    @classmethod
    def of(
        cls,
        world: World,
        dataset: Dataset,
        split: str,
        *,
        advisor: Advisor | None = None,
        folder: WorldFolder | None = None,
        ratio: float = HELP_RATIO,
        chosen: int | None = None,
        on_error: OnError = "stay",
    ) -> EvaluationRules:
        """For the tasks of a split, or so many of them, with the paper's advisor or another.

        One that speaks of what is in the houses needs the world's `folder`.
        """
        advisor = advisor or TemplateAdvisor()
        words = dataset.vocabulary.with_words(advisor.words())
        tasks = dataset.split(split)
        compiled = TaskSet.compile(
            world, tasks if chosen is None else subset(tasks, chosen), dataset.budgets, vocabulary=words
        )
        bound_advisor = advisor.ready(words) if folder is None else advisor.ready_in(folder, world, words)
        return cls(compiled, advisor, bound_advisor, ratio, on_error=on_error)

    def begin(self, number: int, seed: int) -> EvaluationEpisode:
        """The episode of a task under a seed."""
        which = torch.tensor([number])
        episodes = self.tasks.episodes(which, seed=seed, ratio=self.ratio, k=self.advisor.k)
        return EvaluationEpisode(self, self.tasks.tasks[number], seed, episodes)


@dataclass(frozen=True)
class EpisodeRecord:
    """All that happened in an episode, as it is kept; lists have an entry for each time step."""

    task: str
    seed: int
    help_budget: int
    path: tuple[tuple[str, int], ...]  # viewpoint and view before each action and after the last one
    actions: tuple[str | None, ...]  # None where an error stood in for one
    said: tuple[str | None, ...]  # what the advisor said where it was asked
    teacher: tuple[str | None, ...]  # the help teacher's reason, where it is known
    errors: tuple[tuple[int, str], ...]  # time step and kind

    @property
    def unanswered(self) -> bool:
        """Whether nobody answered at the end."""
        return bool(self.errors) and self.errors[-1][0] == len(self.actions) - 1


class EvaluationEpisode:
    """An episode under way. `observation` is to be answered by `take` until it is over."""

    def __init__(self, rules: EvaluationRules, task: Task, seed: int, episodes: Episodes) -> None:
        self.task, self.seed, self._rules = task, seed, rules
        self._stepper = EpisodeStepper(episodes, rules.advisor, rules.bound_advisor)
        self._turn = 0
        self._advice: str | None = None
        self._last: dict[str, Any] | None = None
        self._poses, self._actions, self._errors = [self.pose], list[str | None](), list[tuple[int, str]]()
        time = int(episodes.time_budget)
        self._said: list[str | None] = [None] * time
        self._teacher: list[str | None] = [None] * time
        self._ids = rules.tasks.environment.world.ids

    @property
    def name(self) -> str:
        """What the agent knows the episode by."""
        return f"{self.task.id}/{self.seed}"

    @property
    def pose(self) -> int:
        """Where the agent stands."""
        return int(self._stepper.state.pose)

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return not bool(self._stepper.active)

    def observation(self, **shown: Any) -> Observation:
        """What the agent observes now, with what is to be seen."""
        state, done = self._stepper.state, [each for each in self._actions if each is not None]
        return Observation(
            episode=self.name,
            turn=self._turn,
            instruction=with_subgoal(self._advice or "", self.task.end_goal),
            end_goal=self.task.end_goal,
            advice=self._advice,
            step=self._step,
            time_left=int(self._stepper.time_left),
            requests_left=self._requests,
            may_request=bool(self._stepper.may_request),
            has_requested=bool(episode.has_requested(state)),
            may_go_forward=not bool(state.episodes.environment.blocked(state.pose)),
            last_action=ACTIONS[done[-1]] if done else None,
            last=self._last,
            **shown,
        )

    def sensed(self, sensors: Mapping[str, Sensor]) -> dict[str, NDArray[np.float32]]:
        """What an agent with these sensors senses now."""
        now = self._stepper.context()
        return {name: sensor(now)[0].numpy() for name, sensor in sensors.items()}

    def note(self, fault: Fault) -> None:
        """Something went wrong before it was asked for anything."""
        self._errors.append((self._step, fault.value))

    def take(self, answer: Answer | Fault) -> None:
        """Do what the agent says."""
        self._turn += 1
        asked = bool(episode.has_requested(self._stepper.state))
        if not asked:
            self._judge(answer.chances if isinstance(answer, Answer) else None)
        if isinstance(answer, Answer) and answer.action is None and not self._stepper.may_request:
            answer = Fault.ASKED_TWICE if asked else Fault.NO_BUDGET
        if isinstance(answer, Fault):
            self.note(answer)
            self._act(Nav.STOP if self._rules.on_error == "stop" else None, answer)
        elif answer.action is None:
            self._ask()
        else:
            self._act(answer.action)

    def record(self) -> EpisodeRecord:
        """What happened."""
        steps = len(self._actions)
        return EpisodeRecord(
            task=self.task.id,
            seed=self.seed,
            help_budget=int(self._stepper.state.episodes.help_budget),
            path=tuple((self._ids[pose // VIEWS], pose % VIEWS) for pose in self._poses),
            actions=tuple(self._actions),
            said=tuple(self._said[:steps]),
            teacher=tuple(self._teacher[:steps]),
            errors=tuple(self._errors),
        )

    @property
    def _step(self) -> int:
        return int(self._stepper.step)

    @property
    def _requests(self) -> int:
        return int(self._stepper.state.requests_left)

    def _judge(self, chances: Iterable[float] | None) -> None:
        """What the help teacher says; without the agent's chances it is known only where no request is left."""
        if chances is None:
            self._teacher[self._step] = RESULT_NAMES[Reason.NO_BUDGET] if not self._requests else None
            return
        verdict = self._rules.teacher(self._stepper.context(torch.tensor([list(chances)], dtype=torch.float32)))
        self._teacher[self._step] = RESULT_NAMES[Reason(int(verdict.reason))]

    def _ask(self) -> None:
        (text,) = self._stepper.request(torch.tensor([True]))
        self._said[self._step], self._advice = text, text or self._advice
        self._last = _last("request", "answered")

    def _act(self, action: Nav | None, fault: Fault | None = None) -> None:
        """A time step passes; a direct advisor may act in the agent's place."""
        here, led = self.pose, bool(self._stepper.led)
        carried = int(self._stepper.act(torch.tensor([NO_ACTION if action is None else int(action)])))
        done = None if carried == NO_ACTION else Nav(carried)
        metres = self._rules.tasks.environment.world.distance_between(*map(viewpoint_of, torch.tensor([here, self.pose])))
        outcome = "error" if fault else _outcome(done, here, self.pose)
        name = None if done is None else done.name.lower()
        self._last = _last(name, outcome, round(float(metres), 2), fault, led)
        self._actions.append(name)
        self._poses.append(self.pose)


def _last(
    action: str | None, outcome: str, metres: float = 0.0, error: str | None = None, led: bool = False
) -> dict[str, Any]:
    """What became of an answer: what was done, how far it went, what was wrong, whether the advisor acted in its place."""
    return {"action": action, "outcome": outcome, "metres": metres, "error": error, "led": led}


def _outcome(done: Nav | None, here: int, there: int) -> str:
    if done is Nav.STOP or here == there:
        return "stopped" if done is Nav.STOP else "stayed"
    return "turned" if here // VIEWS == there // VIEWS else "moved"
