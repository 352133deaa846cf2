"""A small agent learns a small world: the cottage, seen by symbols, with Algorithm 1 and nothing around it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from statistics import median

import pytest
import torch

from vnla.agents.config import AgentConfig
from vnla.agents.layers.deferred import collect_gradients
from vnla.agents.paper import PaperAgent
from vnla.assistance.acting import ALONE, BCUI
from vnla.assistance.advisor import TemplateAdvisor
from vnla.assistance.help_policies import AsTaught, Learned
from vnla.assistance.help_teacher import HelpTeacher
from vnla.bcui import bcui
from vnla.houses.cottage import cottage
from vnla.rollout import RolloutContext
from vnla.tasks.cottage import cottage_tasks
from vnla.tasks.task_set import TaskSet
from vnla.tasks.vocabulary import SPECIAL, Vocabulary
from vnla.vision.symbolic import symbolic_features
from vnla.world.compiled import World

RADIUS = 2.0


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@dataclass
class School:
    """The tasks, and an agent to learn them."""

    tasks: TaskSet
    context: RolloutContext

    @classmethod
    def open(cls, chosen: list[int], copies: int) -> School:
        """A few of the cottage's tasks, each in several copies, which draw differently."""
        house = cottage()
        world = World.compile([house])
        listed = cottage_tasks(world)
        tasks = [replace(listed[i], id=f"{i} {copy}") for i in chosen for copy in range(copies)]
        advisor = TemplateAdvisor()
        ask_features = sorted({word for task in tasks for word in task.end_goal.split()} | set(advisor.words()))
        vocabulary = Vocabulary((*SPECIAL, *ask_features))
        views = torch.from_numpy(symbolic_features([house], world).array).flatten(0, 1)
        torch.manual_seed(0)
        sizes = {"view_size": views.shape[1], "hidden": 64, "word_embedding": 32, "help_hidden": 64, "dropout": 0.0}
        agent = PaperAgent(AgentConfig(words=len(vocabulary), **sizes))
        bound_advisor = advisor.ready(vocabulary)
        context = RolloutContext(agent, {"symbolic": views}, advisor, bound_advisor, HelpTeacher(), AsTaught(), BCUI)
        return cls(TaskSet.compile(world, tasks, vocabulary=vocabulary), context)

    def learn(self, iterations: int, lr: float) -> list[float]:
        """The navigation loss a step of every iteration."""
        agent, losses = self.context.agent.train(), []
        optimizer = torch.optim.Adam(agent.parameters(), lr=lr)
        for iteration in range(iterations):
            episodes = self.tasks.episodes(torch.arange(len(self.tasks)), seed=iteration)
            rollout = bcui(episodes, self.context)
            nav_loss = rollout.nav_loss()
            optimizer.zero_grad()
            (nav_loss + rollout.ask_loss(agent.ask)).backward()
            collect_gradients(agent)
            optimizer.step()
            losses.append(nav_loss.item() / len(rollout.transitions))
        return losses

    def success(self, seed: int) -> float:
        """The share of the tasks that the agent, asking by itself, ends within two metres of a goal."""
        self.context.agent.eval()
        alone = replace(self.context, help_policy=Learned(), acting=ALONE)
        with torch.no_grad():
            rollout = bcui(self.tasks.episodes(torch.arange(len(self.tasks)), seed=seed), alone)
        left = self.tasks.environment.distance_left(rollout.last_pose(), self.tasks.goals)
        return float((left <= RADIUS).double().mean())


def test_the_loss_halves_within_twenty_five_iterations() -> None:
    """At first about ln 6 = 1.79 a step, less where forward is blocked."""
    losses = School.open([1, 3], copies=4).learn(25, lr=2e-2)
    assert 1.4 < losses[0] < 2.2
    assert median(losses[-10:]) < losses[0] / 2


@pytest.mark.slow
def test_all_tasks_of_the_cottage_are_learned() -> None:
    school = School.open(list(range(6)), copies=4)
    untaught = school.success(seed=10_000)
    school.learn(250, lr=3e-3)
    assert untaught < 0.5
    assert sum(school.success(seed) for seed in range(10_000, 10_005)) / 5 > 0.95
