"""What training and evaluation are measured on: bare graphs of real sizes with random features.

What is seen does not matter for the time. Time budgets are 6 to 25 steps, 15.5 on average, as AskNav's trajectories are, and
no agent stops before its time is up. A fresh one would stop after a few steps, and the time be that of a third less work; of
the authors' code it is known that 41% of the places in its batches are episodes that have ended, here it is 38%.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from vnla.agents.agent import Sizes
from vnla.agents.registry import agent_named
from vnla.agents.sensor_registry import sensors_named, with_spotter
from vnla.assistance.acting import Acting, Choice, most_probable, sampled
from vnla.assistance.help_policies import AsTaught, HelpPolicy, Learned
from vnla.assistance.help_teacher import HelpTeacher
from vnla.camera import HEADINGS, VIEWS
from vnla.common.batching import Batching
from vnla.common.tables import FeatureTable
from vnla.episode import Episodes, When
from vnla.houses.house import House
from vnla.houses.scatter import real_sized_houses
from vnla.language.advisor import GrammarVoice
from vnla.language.facts import made_up
from vnla.language.registry import advisor_named
from vnla.language.speech import Knowledge
from vnla.rollout import RolloutContext
from vnla.tasks.task import Task
from vnla.tasks.task_set import TaskSet
from vnla.tasks.vocabulary import SPECIAL, Vocabulary
from vnla.training.objectives.objective import Objective
from vnla.words import Words
from vnla.world.actions import Nav
from vnla.world.compiled import World

WORDS = 400
"""Size of the vocabulary, about that of AskNav."""
LABELS = 200
"""What an agent with the sensor spotted may spot, about as much as in generated houses."""


@dataclass(frozen=True)
class KeepGoing:
    """Another choice, but whoever would stop turns right."""

    choice: Choice

    def __call__(self, probabilities: Tensor, episodes: Episodes, step: When) -> Tensor:
        """Actions (batch,) from probabilities (batch, 6)."""
        moved = probabilities.clone()
        moved[:, Nav.RIGHT] += moved[:, Nav.STOP]
        moved[:, Nav.STOP] = 0
        return self.choice(moved, episodes, step)


@dataclass(frozen=True)
class Setting:
    """Everything that an episode needs."""

    houses: Sequence[House]
    world: World
    context: RolloutContext
    tasks: TaskSet

    def learning(self, objective: Objective, policy: HelpPolicy) -> Setting:
        """The same in the roles that an objective wants, for a help policy."""
        context = objective.rollout_context(self.context, policy)
        choice = context.acting.choice
        acting = replace(context.acting, choice=choice if isinstance(choice, KeepGoing) else KeepGoing(choice))
        return replace(self, context=replace(context, acting=acting))

    def of_evaluation(self) -> Setting:
        """The same with the learned help policy, and the most probable actions."""
        acting = Acting(KeepGoing(most_probable), direct=False)
        return replace(self, context=replace(self.context, help_policy=Learned(), acting=acting))


def bare_setting(
    tasks: int, *, hidden: int, view_size: int, seed: int, device: str, houses: int = 20, agent: str = "paper",
    options: Mapping[str, Any] | None = None, sensors: str = "", language: str = "template",
    views: Callable[[World], Tensor | FeatureTable] | None = None,
) -> Setting:  # fmt: skip
    """That many tasks and a fresh agent of the paper's sizes but for those given, in the roles of training.

    `agent`, `options` and `sensors` are those of a run's configuration; `language` is its advisor's, who makes up what
    there is to see in houses that have nothing in them; `views` gives what the agent sees, if not random.
    """
    buildings = real_sized_houses(houses, seed)
    world = World.compile(buildings, device)
    random = torch.Generator().manual_seed(seed)
    made = [_task(buildings[i % houses], i, random) for i in range(tasks)]
    advisor = advisor_named(language)
    vocabulary = Vocabulary((*SPECIAL, *advisor.words()))
    bound_advisor = advisor.ready(vocabulary, device)
    if isinstance(bound_advisor, GrammarVoice):
        bound_advisor = replace(bound_advisor, knowledge=Knowledge.of(map(made_up, world.graphs), world))
    torch.manual_seed(seed)
    sizes = {"hidden": hidden, "help_hidden": hidden} if agent == "paper" else {}
    noticed = sensors_named(sensors)
    seen = {"random": view_size, **{name: sensor.size for name, sensor in noticed.items()}}
    given = Sizes(max(WORDS, len(vocabulary)), seen, tuple(noticed))
    walker = with_spotter(agent_named(agent, {**sizes, **(options or {})}, given), noticed).to(device)
    drawn = views(world) if views else _made_up(world, view_size, random)
    if walker.spotter is not None:
        walker.spotter.take([str(label) for label in range(LABELS)], torch.randn(view_size, LABELS), torch.zeros(LABELS))
    context = RolloutContext(
        agent=walker,
        views={"random": drawn},
        advisor=advisor,
        bound_advisor=bound_advisor,
        help_teacher=HelpTeacher(),
        help_policy=AsTaught(),
        acting=Acting(KeepGoing(sampled), direct=True),
        batching=Batching.on(world.device),
        sensors={name: sensor.ready(walker, world, {"random": drawn}) for name, sensor in noticed.items()},
    )
    tokens = torch.randint(3, WORDS, (tasks, 11), generator=random)
    length = torch.randint(6, 12, (tasks,), generator=random)
    end_goals = Words(tokens, length).to(device)
    return Setting(buildings, world, context, replace(TaskSet.compile(world, made), end_goals=end_goals))


def _made_up(world: World, view_size: int, random: torch.Generator) -> Tensor:
    """Random views; a GPU draws its own, since making them up is no part of what is measured."""
    own = random if world.device.type == "cpu" else torch.Generator(world.device).manual_seed(random.initial_seed())
    return torch.rand(len(world.ids) * VIEWS, view_size, generator=own, dtype=torch.float16, device=world.device)


def _task(house: House, number: int, random: torch.Generator) -> Task:
    """A walk between two random viewpoints; how long it may take is drawn, too."""
    start, goal = (house.viewpoints[_draw(0, len(house.viewpoints), random)].id for _ in range(2))
    return Task(
        str(number), house.name, start, _draw(0, HEADINGS, random), "find something .", (goal,), (_draw(6, 26, random),)
    )


def _draw(low: int, high: int, random: torch.Generator) -> int:
    return int(torch.randint(low, high, (), generator=random))
