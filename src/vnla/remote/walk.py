"""One episode of a guest, by the rules that a trained agent walks by (`vnla.bcui`), a time step at a time on the host.

In a time step a guest may ask once, hears the advisor, and then acts; a request takes no time. A wrong answer costs it the
time step: nothing is done (`stay`), or the episode ends there (`stop`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import torch
from torch import Tensor

from vnla.agent.senses import Sense
from vnla.camera.views import VIEWS
from vnla.episodes import Episodes, Situation, count_unmoved
from vnla.remote.guest import Answer, Beginning, Fault, Last, Observation
from vnla.roles.advisor import Advisor, TemplateAdvisor, Voice
from vnla.roles.help_teacher import RESULT_NAMES, HelpTeacher, Reason
from vnla.roles.phrases import with_subgoal
from vnla.tasks.dataset import Dataset
from vnla.tasks.sampling import subset
from vnla.tasks.task import Task
from vnla.tasks.task_set import TaskSet
from vnla.world.actions import Nav
from vnla.world.budgets import HELP_RATIO, SUBGOAL_ACTIONS
from vnla.world.compiled import World, viewpoint_of

OnError = Literal["stay", "stop"]
ON_ERROR: tuple[OnError, ...] = ("stay", "stop")


@dataclass(frozen=True)
class Rules:
    """What all episodes of an evaluation have in common."""

    tasks: TaskSet
    advisor: Advisor
    voice: Voice
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
        k: int = SUBGOAL_ACTIONS,
        ratio: float = HELP_RATIO,
        chosen: int | None = None,
        on_error: OnError = "stay",
    ) -> Rules:
        """For the tasks of a split, or so many of them, with the advisor of the paper."""
        advisor = TemplateAdvisor(k=k)
        words = dataset.vocabulary.with_words(advisor.words())
        tasks = dataset.split(split)
        compiled = TaskSet.compile(
            world, tasks if chosen is None else subset(tasks, chosen), dataset.budgets, vocabulary=words
        )
        return cls(compiled, advisor, advisor.ready(words), ratio, on_error=on_error)

    def begin(self, number: int, seed: int) -> Walk:
        """The episode of a task under a seed."""
        which = torch.tensor([number])
        episodes = self.tasks.episodes(which, seed=seed, ratio=self.ratio, k=self.advisor.k)
        return Walk(self, self.tasks.tasks[number], seed, episodes)


@dataclass(frozen=True)
class Record:
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


class Walk:
    """An episode under way. `observation` is to be answered by `take` until it is over."""

    def __init__(self, rules: Rules, task: Task, seed: int, episodes: Episodes) -> None:
        self.task, self.seed, self._rules, self._episodes = task, seed, rules, episodes
        self.pose = int(episodes.start)
        self._requests = int(episodes.help_budget)
        self._time = int(episodes.time_budget)
        self._step = self._turn = self._unmoved = 0
        self._since_request = rules.advisor.k
        self._advice: str | None = None
        self._asked = False
        self._last: Last | None = None
        self._poses, self._actions, self._errors = [self.pose], list[str | None](), list[tuple[int, str]]()
        self._said: list[str | None] = [None] * self._time
        self._teacher: list[str | None] = [None] * self._time
        self._stopped = False
        self._ids = rules.tasks.environment.world.ids

    @property
    def name(self) -> str:
        """What the guest knows the episode by."""
        return f"{self.task.id}/{self.seed}"

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self._stopped or self._step >= self._time

    @property
    def beginning(self) -> Beginning:
        """What the guest is told at first."""
        return Beginning(self.name, self.task.end_goal, self._time, self._requests)

    def observation(self, **seen: Any) -> Observation:
        """What the guest is told now, with what is to be seen."""
        environment = self._rules.tasks.environment
        return Observation(
            episode=self.name,
            turn=self._turn,
            instruction=with_subgoal(self._advice or "", self.task.end_goal),
            end_goal=self.task.end_goal,
            advice=self._advice,
            step=self._step,
            time_left=self._time - self._step,
            requests_left=self._requests,
            may_request=self._may_request,
            may_go_forward=not bool(environment.blocked(torch.tensor([self.pose]))),
            last=self._last,
            **seen,
        )

    def noticed(self, senses: Mapping[str, Sense]) -> dict[str, list[float]]:
        """What an agent with these senses notices now."""
        now = self._situation(torch.empty(1, 0))
        return {name: sense(now)[0].tolist() for name, sense in senses.items()}

    def note(self, fault: Fault) -> None:
        """Something went wrong before it was asked for anything."""
        self._errors.append((self._step, fault.value))

    def take(self, answer: Answer | Fault) -> None:
        """Do what the guest says."""
        self._turn += 1
        if not self._asked:
            self._judge(answer.chances if isinstance(answer, Answer) else None)
        if isinstance(answer, Answer) and answer.action is None and not self._may_request:
            answer = Fault.ASKED_TWICE if self._asked else Fault.NO_BUDGET
        if isinstance(answer, Fault):
            self.note(answer)
            self._act(Nav.STOP if self._rules.on_error == "stop" else None, answer)
        elif answer.action is None:
            self._ask()
        else:
            self._act(answer.action)

    def record(self) -> Record:
        """What happened."""
        steps = len(self._actions)
        return Record(
            task=self.task.id,
            seed=self.seed,
            help_budget=int(self._episodes.help_budget),
            path=tuple((self._ids[pose // VIEWS], pose % VIEWS) for pose in self._poses),
            actions=tuple(self._actions),
            said=tuple(self._said[:steps]),
            teacher=tuple(self._teacher[:steps]),
            errors=tuple(self._errors),
        )

    @property
    def _may_request(self) -> bool:
        return self._requests > 0 and not self._asked

    def _judge(self, chances: Iterable[float] | None) -> None:
        """What the help teacher says; without the guest's chances it is known only where no request is left."""
        if chances is None:
            self._teacher[self._step] = RESULT_NAMES[Reason.NO_BUDGET] if not self._requests else None
            return
        verdict = self._rules.teacher(self._situation(torch.tensor([list(chances)], dtype=torch.float32)))
        self._teacher[self._step] = RESULT_NAMES[Reason(int(verdict.reason))]

    def _ask(self) -> None:
        heard = self._rules.voice.say(self._situation(torch.empty(1, 0)))
        text = heard.table.text(int(heard.index))
        self._said[self._step], self._advice = text, text or self._advice
        self._requests -= 1
        self._asked, self._since_request = True, -1
        self._last = Last("request", "answered")

    def _act(self, action: Nav | None, fault: Fault | None = None) -> None:
        """A time step passes; a direct advisor may act in the guest's place."""
        environment, here = self._rules.tasks.environment, torch.tensor([self.pose])
        goals = self._episodes.goals
        self._since_request += 1
        led = self._rules.advisor.direct and self._since_request < self._rules.advisor.k
        done = Nav(int(environment.nav_teacher(here, goals))) if led else action
        there = here if done is None else environment.step(here, torch.tensor([int(done)]), goals)
        metres = float(environment.world.distance_between(viewpoint_of(here), viewpoint_of(there)))
        self._unmoved = int(count_unmoved(torch.tensor([self._unmoved]), here, there))
        self.pose = int(there)
        outcome = "error" if fault else _outcome(done, int(here), self.pose)
        self._last = Last(None if done is None else done.name.lower(), outcome, round(metres, 2), fault, led)
        self._actions.append(None if done is None else done.name.lower())
        self._poses.append(self.pose)
        self._stopped = done is Nav.STOP
        self._step, self._asked = self._step + 1, False

    def _situation(self, tentative: Tensor) -> Situation:
        return Situation(
            episodes=self._episodes,
            step=self._step,
            pose=torch.tensor([self.pose]),
            unmoved=torch.tensor([self._unmoved]),
            budget=torch.tensor([self._requests]),
            tentative=tentative,
            plan=torch.empty(1, 0),
            since_request=torch.tensor([self._since_request]),
            past=torch.tensor([self._poses[:-1]], dtype=torch.int64),
        )


def _outcome(done: Nav | None, here: int, there: int) -> str:
    if done is Nav.STOP or here == there:
        return "stopped" if done is Nav.STOP else "stayed"
    return "turned" if here // VIEWS == there // VIEWS else "moved"
