"""What the arguments of an environment come to: houses, tasks and an advisor compiled, with the spaces that follow.

The single and the vector environment take the same arguments and share this.
"""

from __future__ import annotations

import math
import string
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypedDict

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from vnla.assistance.advisor import Advisor, TemplateAdvisor
from vnla.camera import HEIGHT, WIDTH
from vnla.common.errors import InputError
from vnla.common.registry import build
from vnla.evaluation.scores import SUCCESS_RADIUS
from vnla.gym.episodes import EnvRules
from vnla.gym.views import AroundViews, FeatureViews, Images, ImageViews, TextViews, ViewSource
from vnla.houses.cottage import cottage
from vnla.houses.folder import WorldFolder, read_world
from vnla.houses.house import House
from vnla.language.registry import ADVISORS
from vnla.tasks.cottage import cottage_tasks
from vnla.tasks.task import Task, read_tasks
from vnla.tasks.task_set import TaskSet
from vnla.tasks.vocabulary import Vocabulary
from vnla.vision.symbolic import SymbolicFeatures, symbolic_features
from vnla.vision.symbols import WorldSymbols
from vnla.world.actions import ASK_ACTIONS, NAV_ACTIONS
from vnla.world.budgets import HELP_RATIO, LONGEST_EPISODE, TimeBudgets
from vnla.world.compiled import World

_TEXT = 512  # the same space for most task sets, so that an agent's spaces are those of any data split
_PHRASE = len("turn 210 degrees right , ")  # no action takes more characters of a subgoal


class EnvOptions(TypedDict, total=False):
    """The arguments of both environments. See `EnvSetting.prepare` for what they mean."""

    houses: Sequence[House] | None
    world: World | str | Path | None
    tasks: Sequence[Task] | str | Path | None
    budgets: TimeBudgets | None
    observe: Literal["features", "rgb", "text"]
    around: bool
    symbols: WorldSymbols | None
    features: NDArray[Any] | SymbolicFeatures | None
    images: Images | None
    width: int
    height: int
    advisor: Advisor | str | None
    ratio: float
    longest: int
    success_radius: float
    forward: str


@dataclass(frozen=True)
class EnvSetting:
    """Everything about an environment that never changes."""

    rules: EnvRules
    view: ViewSource
    images: ImageViews | None
    labels: tuple[str, ...]
    observation_space: spaces.Dict
    around: AroundViews | None = None

    @classmethod
    def prepare(
        cls,
        *,
        houses: Sequence[House] | None = None,
        world: World | str | Path | None = None,
        tasks: Sequence[Task] | str | Path | None = None,
        budgets: TimeBudgets | None = None,
        observe: Literal["features", "rgb", "text"] = "features",
        around: bool = False,
        symbols: WorldSymbols | None = None,
        features: NDArray[Any] | SymbolicFeatures | None = None,
        images: Images | None = None,
        width: int = WIDTH,
        height: int = HEIGHT,
        advisor: Advisor | str | None = None,
        ratio: float = HELP_RATIO,
        longest: int = LONGEST_EPISODE,
        success_radius: float = SUCCESS_RADIUS,
        forward: str | None = None,
    ) -> EnvSetting:
        """The cottage and its tasks unless told otherwise.

        `world` is the folder of a world, or one compiled already from `houses`; walks are computed where its tables are.
        `tasks` may be an AskNav file. `budgets` are evaluation time budgets; without them the tasks have training ones.
        `features` (viewpoints, 36, values) default to symbolic ones, which need `houses`; `images` draws views for
        `observe="rgb"` and for rendering, `width` by `height`. `symbols` know what is in view for `observe="text"`; without
        them the boxes of `houses` do. `around` shows the twelve level headings and the exits as well.
        `advisor` is one, or its name; `ratio` is τ, `longest` bounds the time budget.
        `forward` is "informed", as in the paper and by itself, or "plain" (`vnla.world.forward`).
        """
        if not 0 <= ratio <= 1 or longest < 1:
            raise InputError(f"the ratio τ is {ratio} and the longest episode {longest}; they need 0 ≤ τ ≤ 1 and ≥ 1 step")
        folder = read_world(Path(world)) if isinstance(world, str | Path) else None
        if houses is None and world is None:
            houses = [cottage()]
        elif tasks is None:
            raise InputError("tasks: houses of your own need tasks; give a list of tasks or the path of an AskNav file")
        houses = folder.houses if folder is not None else houses
        world = world if isinstance(world, World) else World.compile(houses or ())
        world = world if forward is None else world.with_forward(forward)
        task_set = _task_set(world, tasks, budgets, longest)
        rules = _rules(task_set, advisor or TemplateAdvisor(), folder, ratio, success_radius, longest)
        pictures = None if images is None else ImageViews(images, world, width, height)
        if observe == "text":
            view, labels = _in_words(houses, world, symbols)
        else:
            view, labels = _view(observe, houses, world, features, pictures)
        shown = AroundViews.of(view, world) if around else None
        return cls(rules, view, pictures, labels, _observation_space(rules, view, shown, longest), shown)

    @property
    def render_modes(self) -> list[str]:
        """How walks can be shown."""
        return ["ansi"] if self.images is None else ["ansi", "rgb_array"]

    def check_render_mode(self, mode: str | None) -> None:
        """Refuse a way of rendering that does not exist here."""
        if mode is not None and mode not in self.render_modes:
            need = "; it needs `images`" if mode == "rgb_array" else ""
            raise InputError(f"render mode {mode}: choose from {', '.join(self.render_modes)}{need}")

    def task_number(self, which: str | int | None, random: np.random.Generator) -> int:
        """The number of a task from its id or its number, or of one drawn at random where none is named."""
        tasks = self.rules.tasks.tasks
        if which is None:
            return int(random.integers(len(tasks)))
        if isinstance(which, str):
            numbers = [i for i, task in enumerate(tasks) if task.id == which]
            if not numbers:
                raise InputError(f"task {which!r}: none of the {len(tasks)} tasks has that id")
            return numbers[0]
        if not 0 <= which < len(tasks):
            raise InputError(f"task number {which}: there are {len(tasks)} tasks, numbered from 0")
        return int(which)


def action_space() -> spaces.MultiDiscrete[np.int64]:
    """A navigation action and a help-requesting action, numbered as in `vnla.world.actions`."""
    return spaces.MultiDiscrete([NAV_ACTIONS, ASK_ACTIONS])


def _task_set(world: World, tasks: Sequence[Task] | str | Path | None, budgets: TimeBudgets | None, longest: int) -> TaskSet:
    if tasks is None:
        tasks = cottage_tasks(world)
    elif isinstance(tasks, str | Path):
        tasks = read_tasks(Path(tasks))
    task_set = TaskSet.compile(world, tasks, budgets, longest)
    return replace(task_set, time_budget=task_set.time_budget.clamp(max=longest))


def _rules(
    tasks: TaskSet, advisor: Advisor | str, folder: WorldFolder | None, ratio: float, success_radius: float, longest: int
) -> EnvRules:
    """The rules with an advisor, which may be named; one that speaks of what is in a house needs the world's folder."""
    if isinstance(advisor, str):
        advisor = build("advisor", advisor, ADVISORS, {}, Advisor)
    world = tasks.environment.world
    words = Vocabulary.build(task.end_goal for task in tasks.tasks).with_words(advisor.words())
    bound_advisor = (
        advisor.ready(words, world.device) if folder is None else advisor.ready_in(folder, world, words, world.device)
    )
    return EnvRules(tasks, advisor, bound_advisor, ratio, success_radius, longest)


def _in_words(
    houses: Sequence[House] | None, world: World, symbols: WorldSymbols | None
) -> tuple[ViewSource, tuple[str, ...]]:
    if symbols is None and houses is None:
        raise InputError('observe="text": a world alone has nothing to tell of; give `houses` too, or `symbols`')
    return TextViews(WorldSymbols.of_houses(houses or ()) if symbols is None else symbols, world), ()


def _view(
    observe: str,
    houses: Sequence[House] | None,
    world: World,
    features: NDArray[Any] | SymbolicFeatures | None,
    pictures: ImageViews | None,
) -> tuple[ViewSource, tuple[str, ...]]:
    """What agents see, and the labels of its values where they have such a meaning."""
    if observe == "rgb":
        if pictures is None:
            raise InputError('observe="rgb" needs `images`: a function that draws the view from a pose')
        return pictures, ()
    if observe != "features":
        raise InputError(f'observe={observe!r}: choose "features", "rgb" or "text"')
    if features is None:
        if houses is None:
            raise InputError("features: a world alone has no objects to see; give `houses` too, or `features`")
        features = symbolic_features(houses, world)
    return FeatureViews.of(features, world), features.labels if isinstance(features, SymbolicFeatures) else ()


def _observation_space(rules: EnvRules, view: ViewSource, around: AroundViews | None, longest: int) -> spaces.Dict:
    end_goals = [task.end_goal for task in rules.tasks.tasks]
    words = max(map(len, end_goals)) + rules.advisor.k * _PHRASE
    return spaces.Dict(
        {
            view.key: view.space,
            **({} if around is None else around.spaces),
            "instruction": spaces.Text(max(_TEXT, words), charset=frozenset(string.printable).union(*end_goals)),
            "last_action": spaces.Discrete(NAV_ACTIONS + 1),
            "time_left": spaces.Discrete(longest + 1),
            "requests_left": spaces.Discrete(math.ceil(longest * rules.ratio / rules.advisor.k) + 1),
            "may_go_forward": spaces.Discrete(2),
            "may_request": spaces.Discrete(2),
            "has_requested": spaces.Discrete(2),
        }
    )
