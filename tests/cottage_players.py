"""Players for the cottage: a small untrained agent with symbolic features, and ways of acting that tests can foresee."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

import torch
from torch import Tensor

from vnla.agents.config import AgentConfig
from vnla.agents.paper import PaperAgent
from vnla.assistance.acting import Acting, most_probable
from vnla.assistance.advisor import Advisor, TemplateAdvisor
from vnla.assistance.help_policies import AsTaught, HelpPolicy
from vnla.assistance.help_teacher import HelpTeacher
from vnla.episode import Episodes, When
from vnla.houses.cottage import cottage
from vnla.rollout import RolloutContext
from vnla.tasks.cottage import cottage_tasks
from vnla.tasks.task_set import TaskSet
from vnla.tasks.vocabulary import Vocabulary
from vnla.vision.symbolic import symbolic_features
from vnla.world.actions import Nav
from vnla.world.budgets import TimeBudgets
from vnla.world.compiled import World

HOUSE = cottage()
WORLD = World.compile([HOUSE])
VOCABULARY = Vocabulary.build(task.end_goal for task in cottage_tasks(WORLD))
TASKS = TaskSet.compile(WORLD, cottage_tasks(WORLD), TimeBudgets(), vocabulary=VOCABULARY)


@dataclass(frozen=True)
class Following(Acting):
    """Does what the navigation teacher says."""

    def __call__(self, _chances: Tensor, taught: Tensor, _intervened: Tensor, _episodes: Episodes, _step: When) -> Tensor:
        return taught


@dataclass(frozen=True)
class Scripted(Acting):
    """Does the same few actions in every episode, then turns right for ever."""

    script: tuple[Nav, ...] = field(default=())

    def __call__(self, _chances: Tensor, taught: Tensor, _intervened: Tensor, _episodes: Episodes, step: When) -> Tensor:
        return torch.full_like(taught, self.script[step] if step < len(self.script) else Nav.RIGHT)


FOLLOWING = Following(most_probable, direct=False)


def scripted(*actions: Nav) -> Scripted:
    return Scripted(most_probable, False, actions)


@cache
def _views() -> Tensor:
    features = symbolic_features([HOUSE], WORLD).array
    return torch.from_numpy(features).reshape(-1, features.shape[-1])


def context(acting: Acting = FOLLOWING, policy: HelpPolicy | None = None, advisor: Advisor | None = None) -> RolloutContext:
    """The players with an agent that knows nothing yet."""
    views = _views()
    advisor = advisor or TemplateAdvisor()
    words = VOCABULARY.with_words(advisor.words())
    with torch.random.fork_rng():
        torch.manual_seed(0)
        config = AgentConfig(words=len(words), view_size=views.shape[1], hidden=16, word_embedding=8, help_hidden=16)
        agent = PaperAgent(config)
    bound_advisor = advisor.ready(words)
    return RolloutContext(agent, {"symbolic": views}, advisor, bound_advisor, HelpTeacher(), policy or AsTaught(), acting)
