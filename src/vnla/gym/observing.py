"""What agents and people are told of walks: observations, infos, a few lines of text. Only here do tensors become words."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from vnla.assistance.phrases import with_subgoal
from vnla.camera import VIEWS, Ints, view_angles
from vnla.episode import has_requested
from vnla.gym.episodes import EnvEpisodes, EnvStep
from vnla.gym.setting import EnvSetting
from vnla.gym.views import FeatureViews, places_of
from vnla.world.actions import ASK_ACTIONS, NAV_ACTIONS, NO_ACTION, Ask, Nav
from vnla.world.compiled import NOWHERE

Batch = dict[str, Any]
"""Arrays of one entry an agent; a value may be such a dictionary itself."""


def observations(setting: EnvSetting, walks: EnvEpisodes) -> Batch:
    """What agents observe, in the batched observation space."""
    rules = setting.rules
    goals = (rules.tasks.tasks[number].end_goal for number in walks.task.tolist())
    instructions = tuple(with_subgoal(said, goal) for said, goal in zip(walks.subgoals, goals, strict=True))
    pose = _host(walks.pose)
    return {
        **{view.key: view(pose) for view in setting.views},
        **({} if setting.around is None else setting.around(walks.stepper.context())),
        "instruction": instructions if setting.tokens is None else setting.tokens(instructions),
        "last_action": _host(walks.last_action),
        "time_left": _host(walks.stepper.time_left),
        "requests_left": _host(walks.stepper.state.requests_left),
        "may_go_forward": _host(~rules.tasks.environment.blocked(walks.pose)).astype(np.int64),
        "may_request": _host(walks.stepper.may_request).astype(np.int64),
        "has_requested": _host(has_requested(walks.stepper.state)).astype(np.int64),
    }


def infos(setting: EnvSetting, walks: EnvEpisodes, outcome: EnvStep | None = None, ask: Tensor | None = None) -> Batch:
    """What is known besides, for teachers, masks and statistics; `outcome` and `ask` are those of the last step."""
    tasks = setting.rules.tasks
    goals = tasks.goals[walks.task]
    count = len(walks.task)
    return {
        "task": _texts([tasks.tasks[i].id for i in walks.task.tolist()]),
        "pose": _poses(setting, _host(walks.pose)),
        "distance_left": _host(tasks.environment.distance_left(walks.pose, goals)).astype(np.float64),
        "teacher_action": _host(tasks.environment.nav_teacher(walks.pose, goals)),
        "action_mask": _masks(setting, walks),
        "subgoal": _texts(list(walks.subgoals)),
        "request": _texts([""] * count if outcome is None or ask is None else _replies(walks, outcome, ask)),
        "executed": np.full(count, NO_ACTION) if outcome is None else _host(outcome.executed),
        "success": np.zeros(count, dtype=bool) if outcome is None else _host(outcome.success),
        "spl": np.zeros(count) if outcome is None else _host(outcome.spl),
    }


def only(batch: Batch) -> Batch:
    """The one entry of a batch of one, as a single environment gives it."""
    return {name: only(value) if isinstance(value, dict) else _entry(value) for name, value in batch.items()}


def with_masks(batch: Batch) -> Batch:
    """Infos as vector environments give them: beside every key a mask of the agents that have it, which is all of them."""
    masked: Batch = {}
    for name, value in batch.items():
        nested = isinstance(value, dict)
        masked[name] = with_masks(value) if nested else value
        masked[f"_{name}"] = np.ones(len(next(iter(value.values())) if nested else value), dtype=bool)
    return masked


def as_text(setting: EnvSetting, walks: EnvEpisodes, agent: int) -> str:
    """A few lines about one agent: what it is after, where it is, what is ahead, what it was told."""
    task = setting.rules.tasks.tasks[int(walks.task[agent])]
    pose, stepper = int(walks.pose[agent]), walks.stepper
    where = only(_poses(setting, np.array([pose])))
    heading, elevation = (round(np.degrees(where[name])) for name in ("heading", "elevation"))
    lines = [
        f"end-goal: {task.end_goal}",
        f"at: {where['viewpoint']} of {where['house']}, heading {heading}, elevation {elevation} degrees",
        f"ahead: {_ahead(setting, pose)}",
        f"subgoal: {walks.subgoals[agent] or 'none'}",
        f"time left: {int(stepper.time_left[agent])}, help left: {int(stepper.state.requests_left[agent])}",
    ]
    for view in setting.views:
        if isinstance(view, FeatureViews) and view.labels:
            lines.insert(3, f"in view: {_in_view(view, pose)}")
    return "\n".join(lines)


def _poses(setting: EnvSetting, pose: Ints) -> Batch:
    world = setting.rules.tasks.environment.world
    heading, elevation = view_angles()
    places = places_of(world, pose // VIEWS)
    return {
        "house": _texts([house for house, _ in places]),
        "viewpoint": _texts([viewpoint for _, viewpoint in places]),
        "heading": heading[pose % VIEWS],
        "elevation": elevation[pose % VIEWS],
    }


def _masks(setting: EnvSetting, walks: EnvEpisodes) -> NDArray[np.object_]:
    """For each agent the pair of masks that `action_space.sample` takes."""
    count = len(walks.task)
    nav, ask = np.ones((count, NAV_ACTIONS), dtype=np.int8), np.ones((count, ASK_ACTIONS), dtype=np.int8)
    nav[:, Nav.FORWARD] = _host(~setting.rules.tasks.environment.blocked(walks.pose))
    ask[:, Ask.REQUEST] = _host(walks.stepper.may_request)
    masks = np.empty(count, dtype=object)
    masks[:] = list(zip(nav, ask, strict=True))
    return masks


def _replies(walks: EnvEpisodes, outcome: EnvStep, ask: Tensor) -> list[str]:
    """What became of each request; empty where there was none."""
    has_left = walks.stepper.state.requests_left > 0
    refused = ["already asked in this time step" if left else "no budget left" for left in has_left.tolist()]
    requests = zip((ask == Ask.REQUEST).tolist(), outcome.answered.tolist(), refused, strict=True)
    return [("answered" if answered else why) if requested else "" for requested, answered, why in requests]


def _ahead(setting: EnvSetting, pose: int) -> str:
    world = setting.rules.tasks.environment.world
    there = int(world.ahead[pose])
    if there == NOWHERE:
        return "nothing"
    here = world.first.new_tensor(pose // VIEWS)
    return f"{world.ids[there]}, {float(world.distance_between(here, world.first.new_tensor(there))):.1f} m"


def _in_view(view: FeatureViews, pose: int) -> str:
    values = view(np.array([pose]))[0]
    nearest_first = [i for i in np.argsort(-values, kind="stable") if values[i] > 0]
    return ", ".join(f"{view.labels[i]} {1 / values[i] - 1:.1f} m" for i in nearest_first) or "no object"


def _host(tensor: Tensor) -> NDArray[Any]:
    # a copy: an agent may keep what it was given, and the walks go on
    return np.array(tensor.cpu().numpy())


def _texts(texts: list[str]) -> NDArray[np.object_]:
    return np.array(texts, dtype=object)


def _entry(values: Any) -> Any:
    """The first value: text and tuples as they are, numbers as Python's or, in observations of a view, as an array."""
    value = values[0]
    return value.item() if isinstance(value, np.generic) else value
