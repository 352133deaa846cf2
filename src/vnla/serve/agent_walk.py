"""An agent's walk as plain data, from the tensors of a rollout: what a page shows of an episode."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from vnla.assistance.words import Utterance
from vnla.evaluation.scores import SUCCESS_RADIUS
from vnla.rollout import Rollout, RolloutContext, Transition
from vnla.serve.hearing import NOBODY, SILENCE, PersonsEpisodes
from vnla.tasks.task import Task
from vnla.tasks.vocabulary import Vocabulary
from vnla.world.actions import REQUEST, Nav

Attention = tuple[tuple[str, float], ...]
END_MARK = "(end)"
"""Stands for the mark that an agent reads last, where it looks when no word concerns it; no word has brackets."""


@dataclass(frozen=True)
class WalkStep:
    """One step of a walk. Poses are numbers of the world."""

    pose: int
    requests_left: int
    before: tuple[float, ...]
    """Probabilities of the six actions before it could ask."""
    after: tuple[float, ...]
    ask: float
    """How probable it found it to ask; 0 or 1 where something else decides that."""
    attention: Attention
    """The words of its instruction in order and the end mark, and how much it attended to each: 1 in all."""
    asked: bool
    advice: str | None
    """The advice that it heard, asked or unasked; nothing ("") where a request got no answer."""
    by_person: bool
    action: Nav
    pose_after: int


@dataclass(frozen=True)
class AgentWalk:
    """A whole episode."""

    task: Task
    time: int
    requests: int
    k: int
    start: int
    steps: tuple[WalkStep, ...]
    metres: float
    """From the end to the nearest goal."""

    @property
    def success(self) -> bool:
        """Whether it ended near enough to a goal."""
        return self.metres <= SUCCESS_RADIUS

    @property
    def stopped(self) -> bool:
        """Whether it ended by its own decision."""
        return bool(self.steps) and self.steps[-1].action is Nav.STOP

    @property
    def poses(self) -> list[int]:
        """The poses of the walk, the end included."""
        return [self.start, *(step.pose_after for step in self.steps)]


class Instructions:
    """The instructions of each agent of a batch: the last advice, then the end-goal, in words."""

    def __init__(self, episodes: PersonsEpisodes, words: Vocabulary) -> None:
        self._words = words
        self._width = episodes.end_goals.tokens.shape[1]
        self._goals = [sentence.split() for sentence in words.decode(episodes.end_goals.tokens)]
        self._advice: list[list[str]] = [[] for _ in self._goals]

    def recall(self, row: int, before: Sequence[WalkStep]) -> None:
        """Restore the last advice of the steps before: it stands first in what was attended to."""
        attended = [word for word, _ in before[-1].attention] if before else []
        self._advice[row] = attended[: len(attended) - len(self._goals[row]) - 1] if attended else []

    def hear(self, row: int, tokens: Tensor) -> None:
        """Replace the last advice."""
        self._advice[row] = self._words.decode(tokens[None])[0].split()

    def attended(self, row: int, weights: Sequence[float]) -> Attention:
        """Return each word with its weight, and the end mark's.

        Instructions are read backwards, the end-goal first: so are the weights."""
        goal, advice = self._goals[row], self._advice[row]
        end = self._width + len(advice)
        of_goal, of_advice = weights[: len(goal)], weights[self._width : end]
        words = (*advice, *goal, END_MARK)
        return tuple(zip(words, (*reversed(of_advice), *reversed(of_goal), weights[end]), strict=True))


def walks_of(
    rollout: Rollout,
    episodes: PersonsEpisodes,
    attention: Sequence[Tensor | None],
    context: RolloutContext,
    words: Vocabulary,
    tasks: Sequence[Task],
    before: Sequence[Sequence[WalkStep]] = (),
) -> list[AgentWalk]:
    """Return the walks of a rollout, one an episode; `attention` is that of its transitions, `before` are earlier steps."""
    steps: list[list[WalkStep]] = [list(each) for each in before or [()] * len(tasks)]
    instructions = Instructions(episodes, words)
    for row, each in enumerate(steps):
        instructions.recall(row, each)
    spoken = episodes.spoken.tolist()
    for transition, weights, ask in zip(rollout.transitions, attention, _asking(rollout.transitions, context), strict=True):
        now = [said[len(done)] if len(done) < len(said) else NOBODY for said, done in zip(spoken, steps, strict=True)]
        for row, step in _steps(transition, weights, ask, instructions, now):
            steps[row].append(step)
    metres = episodes.environment.distance_left(rollout.last_pose(), episodes.goals)
    numbers = (episodes.time_budget, episodes.help_budget, episodes.start, metres)
    return [
        AgentWalk(task=task, time=time, requests=requests, k=context.advisor.k, start=start, steps=tuple(each), metres=left)
        for task, each, time, requests, start, left in zip(tasks, steps, *(each.tolist() for each in numbers), strict=True)
    ]


def _steps(
    transition: Transition, weights: Tensor | None, asking: Tensor, instructions: Instructions, spoken: Sequence[int]
) -> Iterator[tuple[int, WalkStep]]:
    """Yield the step of every episode that has not ended; `spoken` is what persons say to each at this step."""
    rows, active, request = transition.row.tolist(), transition.active.tolist(), transition.request.tolist()
    heard, tokens = transition.heard.tolist(), Utterance(transition.heard, transition.phrases).words.tokens.cpu()
    columns = (transition.pose, transition.budget, transition.tentative, transition.final.exp(), asking)
    poses, left, before, after, ask = (each.tolist() for each in columns)
    nav, poses_after = transition.nav.tolist(), transition.after.tolist()
    attention = None if weights is None else weights.tolist()
    for i, row in enumerate(rows):
        if not active[i]:
            continue
        advised = request[i] or spoken[row] > SILENCE
        if advised:
            instructions.hear(row, tokens[i])
        yield (
            row,
            WalkStep(
                pose=poses[i],
                requests_left=left[i],
                before=tuple(before[i]),
                after=tuple(after[i]),
                ask=ask[i],
                attention=() if attention is None else instructions.attended(row, attention[i]),
                asked=request[i],
                advice=transition.phrases.text(heard[i]) if advised else None,
                by_person=advised and spoken[row] != NOBODY,
                action=Nav(nav[i]),
                pose_after=poses_after[i],
            ),
        )


def _asking(transitions: Sequence[Transition], context: RolloutContext) -> Sequence[Tensor]:
    """Return how probable the agents of each step find it to ask; whether they did where something else decides that."""
    if not context.help_policy.consults or not transitions:
        return [transition.request.float() for transition in transitions]
    features, budget = (
        torch.cat(each) for each in zip(*((each.ask_features, each.budget) for each in transitions), strict=True)
    )
    asking = torch.softmax(context.agent.ask(features, budget), dim=1)[:, REQUEST]
    return torch.split(asking, [len(transition.row) for transition in transitions])
