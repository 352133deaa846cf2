"""What the arguments of an environment come to: houses, tasks and an advisor compiled, with the spaces that follow.

The single and the vector environment take the same arguments and share this.
"""

from __future__ import annotations

import math
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from vnla.assistance.advisor import Advisor
from vnla.camera import HEIGHT, WIDTH
from vnla.common.errors import InputError
from vnla.common.outside import is_whole
from vnla.evaluation.scores import SUCCESS_RADIUS
from vnla.gym.episodes import EnvRules, EnvStart
from vnla.gym.opening import FolderPictures, OpenedTasks, OpenedWorld, PathName, bind, open_advisor
from vnla.gym.reward import SPARSE, RewardRule
from vnla.gym.tokens import InstructionTokens
from vnla.gym.views import AroundViews, FeatureViews, Images, ImageViews, PoseViews, TextViews, ViewSource
from vnla.houses.house import House
from vnla.tasks.task import Task
from vnla.tasks.vocabulary import LONGEST, Vocabulary
from vnla.vision.symbolic import SymbolicFeatures
from vnla.vision.symbols import WorldSymbols
from vnla.world.actions import ASK_ACTIONS, NAV_ACTIONS
from vnla.world.budgets import HELP_RATIO, LONGEST_EPISODE, TimeBudgets
from vnla.world.compiled import World

FEATURES, RGB, TEXT, POSE, NOTHING = "features", "rgb", "text", "pose", "nothing"
TRUNCATED, TERMINATED = "truncated", "terminated"
_TEXT = 512  # the same space for most task sets, so that an agent's spaces are those of any data split
_PHRASE = len("turn 210 degrees right , ")  # no action takes more characters of a subgoal


class RenderModeError(InputError, TypeError):
    """A way of rendering that an environment does not have. Stable-Baselines3 asks for pictures, whether anybody wants them,
    and goes without where it is told so by a `TypeError`."""


class EnvOptions(TypedDict, total=False):
    """The arguments of both environments. See `EnvArguments` for what they mean."""

    houses: Sequence[House] | None
    world: World | PathName | None
    tasks: Sequence[Task] | PathName | None
    split: str | None
    budgets: TimeBudgets | str | None
    observe: str
    around: bool
    symbols: WorldSymbols | None
    features: NDArray[Any] | SymbolicFeatures | str | None
    images: Images | None
    width: int
    height: int
    tokens: bool | int
    vocabulary: Vocabulary | PathName | None
    advisor: Advisor | str | None
    advisor_options: Mapping[str, Any] | None
    ratio: float
    longest: int
    success_radius: float
    reward: str
    discount: float
    request_price: float
    timeout: str
    forward: str | None


@dataclass(frozen=True)
class EnvArguments:
    """The arguments of an environment, with what they are unless told otherwise: the cottage and its tasks."""

    houses: Sequence[House] | None = None
    world: World | PathName | None = None
    """The folder of a world, or one compiled already from `houses`; episodes are computed where its tables are."""
    tasks: Sequence[Task] | PathName | None = None
    """A list, an AskNav file, or the folder of a data set."""
    split: str | None = None
    """Of a data set folder; train unless told otherwise."""
    budgets: TimeBudgets | str | None = None
    """Time budgets: training, evaluation, longest, or some of one's own. Without them a data set's training split and
    tasks of one's own have those of training, and the other splits those of evaluation."""
    observe: str = FEATURES
    """What is shown: features, rgb, text, pose, several with commas between, or nothing."""
    around: bool = False
    """Whether the twelve level headings and the exits are shown as well."""
    symbols: WorldSymbols | None = None
    """They know what is in view for text; without them the boxes of `houses` do."""
    features: NDArray[Any] | SymbolicFeatures | str | None = None
    """Features (viewpoints, 36, values), or the names of what lies in the world folder; symbolic unless told otherwise."""
    images: Images | None = None
    """Draws views for rgb and for rendering; of a world folder its pictures unless told otherwise."""
    width: int = WIDTH
    height: int = HEIGHT
    tokens: bool | int = False
    """Whether instructions are rows of numbers, or of how many."""
    vocabulary: Vocabulary | PathName | None = None
    """The words that are numbered, or their file; those of the data set unless told otherwise."""
    advisor: Advisor | str | None = None
    advisor_options: Mapping[str, Any] | None = None
    """Of an advisor that is named."""
    ratio: float = HELP_RATIO
    """τ."""
    longest: int = LONGEST_EPISODE
    """Bounds the time budget."""
    success_radius: float = SUCCESS_RADIUS
    reward: str = SPARSE
    """Sparse or shaped (`vnla.gym.reward`)."""
    discount: float = 1.0
    request_price: float = 0.0
    timeout: str = TRUNCATED
    """What an episode is when no time is left: truncated or terminated."""
    forward: str | None = None
    """Informed, as in the paper and by itself, or plain (`vnla.world.forward`)."""

    def __post_init__(self) -> None:
        if not 0 <= self.ratio <= 1 or self.longest < 1:
            raise InputError(
                f"the ratio τ is {self.ratio} and the longest episode {self.longest}; they need 0 ≤ τ ≤ 1 and ≥ 1 step"
            )
        if self.timeout not in (TRUNCATED, TERMINATED):
            raise InputError(f"timeout={self.timeout!r}: choose {TRUNCATED} or {TERMINATED}")
        if self.tasks is None and (self.houses is not None or self.world is not None):
            raise InputError(
                "tasks: houses of your own need tasks; give a list of tasks, or the path of a data set or of an AskNav file"
            )

    @property
    def sources(self) -> tuple[str, ...]:
        """What is shown, by name."""
        names = tuple(name.strip() for name in self.observe.split(","))
        if names == (NOTHING,):
            return ()
        known = (FEATURES, RGB, TEXT, POSE)
        if len(set(names)) < len(names) or not set(names) <= {*known}:
            raise InputError(
                f'observe={self.observe!r}: choose "features", "rgb" or "text", "pose", several with commas between, '
                'or "nothing"'
            )
        if self.tokens and TEXT in names:
            raise InputError('tokens: what is in view in words, observe="text", stays text; observe something else')
        return names

    def rules(self, opened: OpenedTasks, place: OpenedWorld) -> EnvRules:
        """The rules of every episode."""
        foreign = next((task.house for task in opened.tasks if task.house not in place.world.houses), None)
        if foreign is not None and self.houses is None and self.world is None:
            raise InputError(f"tasks: are in house {foreign}, not in the cottage; give the folder of their world as `world`")
        advisor = open_advisor(self.advisor, self.advisor_options)
        words = opened.vocabulary(self.vocabulary, advisor)
        return EnvRules(
            tasks=opened.compiled(place.world, self.budgets, self.longest),
            advisor=advisor,
            bound_advisor=bind(advisor, place, words),
            vocabulary=words,
            ratio=self.ratio,
            success_radius=self.success_radius,
            reward=RewardRule(self.reward, self.discount, self.request_price),
            longest=self.longest,
            terminates=self.timeout == TERMINATED,
        )

    def pictures(self, place: OpenedWorld) -> ImageViews | str:
        """What draws views; where there is nothing that could, why not."""
        if self.images is not None:
            return ImageViews(self.images, place.world, self.width, self.height)
        if place.folder is None:
            return "it needs `images`: a function that draws the view from a pose, or the folder of a world with pictures"
        try:
            return ImageViews(FolderPictures(place.folder, self.width, self.height), place.world, self.width, self.height)
        except InputError as error:
            return str(error)

    def views(self, place: OpenedWorld, pictures: ImageViews | str) -> Iterator[ViewSource]:
        """What agents see."""
        for name in self.sources:
            if name == POSE:
                yield PoseViews.of(place.world)
            elif name == RGB:
                if isinstance(pictures, str):
                    raise InputError(f'observe="rgb": {pictures}')
                yield pictures
            elif name == TEXT:
                if self.symbols is None and place.houses is None:
                    raise InputError('observe="text": a world alone has nothing to tell of; give `houses` too, or `symbols`')
                symbols = WorldSymbols.of_houses(place.houses or ()) if self.symbols is None else self.symbols
                yield TextViews(symbols, place.world)
            else:
                yield FeatureViews.of(place.features(self.features), place.world)


@dataclass(frozen=True)
class EnvSetting:
    """Everything about an environment that never changes."""

    rules: EnvRules
    views: tuple[ViewSource, ...]
    images: ImageViews | None
    no_images: str
    """Why there are none."""
    observation_space: spaces.Dict
    around: AroundViews | None = None
    tokens: InstructionTokens | None = None

    @classmethod
    def prepare(cls, **options: Unpack[EnvOptions]) -> EnvSetting:
        """Everything opened and compiled."""
        given = EnvArguments(**options)
        place = OpenedWorld.of(given.houses, given.world, given.forward)
        rules = given.rules(OpenedTasks.of(given.tasks, given.split, place.world), place)
        pictures = given.pictures(place)
        views = tuple(given.views(place, pictures))
        around = AroundViews.of(views, place.world) if given.around else None
        tokens = _tokens(given.tokens, rules)
        space = _observation_space(rules, views, around, tokens)
        images, why = (None, pictures) if isinstance(pictures, str) else (pictures, "")
        return cls(rules, views, images, why, space, around, tokens)

    @property
    def render_modes(self) -> list[str]:
        """How walks can be shown."""
        return ["ansi"] if self.images is None else ["ansi", "rgb_array"]

    def check_render_mode(self, mode: str | None) -> None:
        """Refuse a way of rendering that does not exist here."""
        if mode is not None and mode not in self.render_modes:
            need = f"; {self.no_images}" if mode == "rgb_array" else ""
            raise RenderModeError(f"render mode {mode}: choose from {', '.join(self.render_modes)}{need}")

    def start(self, options: Mapping[str, Any], random: np.random.Generator, seed: int) -> EnvStart:
        """How an episode begins, by the options of a `reset`: of a task that is named or else drawn at random."""
        number = self._task_number(options.get("task"), random)
        time_budget = _whole("time_budget", options, 1, self.rules.longest)
        return EnvStart(number, seed, time_budget, _whole("help_budget", options, 0, self._most_requests))

    @property
    def _most_requests(self) -> int:
        space = self.observation_space["requests_left"]
        assert isinstance(space, spaces.Discrete)
        return int(space.n) - 1

    def _task_number(self, which: str | int | None, random: np.random.Generator) -> int:
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


def _whole(name: str, options: Mapping[str, Any], least: int, most: int) -> int | None:
    """A number among the options of a `reset`, if it is there."""
    value = options.get(name)
    value = value.item() if isinstance(value, np.integer) else value
    if value is not None and not is_whole(value, least, most):
        raise InputError(f"options: {name} is {value!r}; expected a whole number from {least} to {most}")
    return value


def _tokens(wanted: bool | int, rules: EnvRules) -> InstructionTokens | None:
    """How instructions become numbers. The length is the same for most data sets, so that an agent's spaces are."""
    if wanted is False:
        return None
    end_goals = max(len(task.end_goal.split()) for task in rules.tasks.tasks)
    longest = end_goals + rules.bound_advisor.phrases.words.tokens.shape[1]
    return InstructionTokens(rules.vocabulary, max(LONGEST, longest) if wanted is True else wanted)


def _observation_space(
    rules: EnvRules, views: Sequence[ViewSource], around: AroundViews | None, tokens: InstructionTokens | None
) -> spaces.Dict:
    end_goals = [task.end_goal for task in rules.tasks.tasks]
    words = max(map(len, end_goals)) + rules.advisor.k * _PHRASE
    instruction = spaces.Text(max(_TEXT, words), charset=frozenset(string.printable).union(*end_goals))
    return spaces.Dict(
        {
            **{view.key: view.space for view in views},
            **({} if around is None else around.spaces),
            "instruction": instruction if tokens is None else tokens.space,
            "last_action": spaces.Discrete(NAV_ACTIONS + 1),
            "time_left": spaces.Discrete(rules.longest + 1),
            "requests_left": spaces.Discrete(math.ceil(rules.longest * rules.ratio / rules.advisor.k) + 1),
            "may_go_forward": spaces.Discrete(2),
            "may_request": spaces.Discrete(2),
            "has_requested": spaces.Discrete(2),
        }
    )
