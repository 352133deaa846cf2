"""The Gymnasium environments.

Task "1" of the cottage is the one worked with: from living_west (heading 180), "find a towel in the kitchen .". The kitchen
is past living_east and hall_south, 2.55 + 2.55 + 3.04 m away; the teacher turns left three times, goes forward three times
and stops.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from torch import Tensor

import vnla.gym
from cottage_players import TASKS, Scripted, context
from vnla.agents.panorama import listed_exits
from vnla.assistance.acting import most_probable
from vnla.assistance.advisor import Advisor, TemplateAdvisor
from vnla.assistance.help_policies import Never
from vnla.camera import VIEWS
from vnla.common.errors import InputError
from vnla.episode import Episodes, When
from vnla.evaluation.evaluate import evaluate
from vnla.gym import AskNavEnv, AskNavVectorEnv
from vnla.houses.cottage import cottage
from vnla.tasks.cottage import cottage_tasks
from vnla.tasks.task_set import TaskSet
from vnla.world.actions import Nav
from vnla.world.budgets import TimeBudgets
from vnla.world.compiled import World

LEFT, RIGHT, FORWARD, STOP = int(Nav.LEFT), int(Nav.RIGHT), int(Nav.FORWARD), int(Nav.STOP)
KITCHEN = {"task": "1"}
END_GOAL = "find a towel in the kitchen ."
PLACES = [viewpoint.id for viewpoint in cottage().viewpoints]
DOCS = Path(__file__).parents[2] / "docs" / "gym.md"

Step = tuple[dict[str, Any], float, bool, bool, dict[str, Any]]


def kitchen(**options: Any) -> AskNavEnv:
    """Task "1" with 25 steps (its pair of rooms was never met in training) and, at τ = 0.32 and k = 4, 2 requests."""
    env = AskNavEnv(**{"budgets": TimeBudgets(), "ratio": 0.32} | options)
    env.reset(seed=0, options=KITCHEN)
    return env


def play(env: Any, *actions: tuple[int, int]) -> Step:
    """The last of these steps."""
    for action in actions:
        result: Step = env.step(action)
    return result


def moves(*actions: int) -> Iterator[tuple[int, int]]:
    return ((action, 0) for action in actions)


def striped(house: str, viewpoint: str, heading: float, elevation: float, width: int, height: int) -> np.ndarray:
    """A picture that differs between poses, and knows the places it is asked for."""
    assert house == "cottage"
    shade = [PLACES.index(viewpoint), round(np.degrees(heading)) // 2, round(np.degrees(elevation)) + 30]
    return np.broadcast_to(np.array(shade, dtype=np.uint8), (height, width, 3)).copy()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"observe": "rgb", "images": striped, "width": 8, "height": 6},
        {"images": striped, "width": 8, "height": 6, "render_mode": "rgb_array"},
        {"around": True},
        {"around": True, "observe": "text"},
        {"advisor": TemplateAdvisor(k=2, direct=True, speaks=False), "ratio": 1.0, "longest": 60, "render_mode": "ansi"},
    ],
    ids=["features", "rgb", "features and pictures", "around", "around in words", "direct"],
)
def test_gymnasium_finds_nothing_to_say(options: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make("vnla/AskNav-v0", **options).unwrapped)


def test_registering_twice_is_harmless() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vnla.gym.register()
    assert isinstance(gymnasium.make("vnla.gym:vnla/AskNav-v0").unwrapped, AskNavEnv)


@pytest.mark.parametrize("task", range(6))
def test_following_the_teacher_succeeds(task: int) -> None:
    env = AskNavEnv()
    _, info = env.reset(seed=0, options={"task": task})
    ended, total = False, 0.0
    while not ended:
        _, reward, terminated, truncated, info = env.step((info["teacher_action"], 0))
        total, ended = total + reward, terminated or truncated
    assert (total, terminated, truncated) == (1.0, True, False)
    assert info["distance_left"] == 0
    assert info["success"] is True
    assert info["spl"] == pytest.approx(1)


def test_all_around_is_shown_to_whoever_wants_it() -> None:
    """living_west looks south; its one exit, living_east, is 2.5 m to the east and 0.5 m to the north of it."""
    assert not {"views", "exits"} & set(kitchen().observation_space.spaces)
    env = kitchen(around=True)
    observation, _, _, _, info = play(env, *moves(LEFT))
    features = env._setting.views[0].array[PLACES.index("living_west"), 12:24]  # type: ignore[attr-defined]
    np.testing.assert_array_equal(observation["views"], np.roll(features, -5, axis=0), "south, and one turn to the left")
    assert info["pose"]["heading"] == pytest.approx(5 * np.pi / 6)
    (exit_,) = listed_exits(torch.from_numpy(observation["exits"]))
    assert (exit_["heading"], exit_["metres"], exit_["action"], exit_["visited"]) == (-71.3, 2.55, "left", False)
    observation, *_ = play(env, *moves(LEFT, LEFT, FORWARD))
    back = [each for each in listed_exits(torch.from_numpy(observation["exits"])) if each["came_from"]]
    assert [(each["metres"], each["visited"]) for each in back] == [(2.55, True)]


def test_agents_of_a_batch_are_shown_what_is_around_each_of_them() -> None:
    env = AskNavVectorEnv(num_envs=3, around=True)
    together, _ = env.reset(seed=4, options={"task": ["0", "1", "2"]})
    assert env.observation_space.contains(together)
    for agent in range(3):
        alone, _ = AskNavEnv(around=True).reset(seed=4 + agent, options={"task": str(agent)})
        for key in ("views", "exits"):
            np.testing.assert_array_equal(together[key][agent], alone[key])


def test_time_passes_and_the_pose_is_told() -> None:
    env = kitchen()
    observation, _, _, _, info = play(env, *moves(LEFT, LEFT, LEFT, FORWARD))
    assert observation["time_left"] == 21
    assert info["pose"] == {
        "house": "cottage",
        "viewpoint": "living_east",
        "heading": pytest.approx(np.pi / 2),
        "elevation": 0,
    }
    assert info["distance_left"] == pytest.approx(2.5495 + 3.0414, abs=1e-4)
    assert info["executed"] == FORWARD
    *_, info = env.step((int(Nav.UP), 0))
    assert info["pose"]["elevation"] == pytest.approx(np.pi / 6)


def test_the_view_is_that_of_the_pose() -> None:
    """Features that hold their own pose number; pictures that hold it too."""
    world = World.compile([cottage()])
    features = np.arange(len(world.ids) * VIEWS, dtype=np.float16).reshape(-1, VIEWS, 1)
    there = world.viewpoint("cottage", "living_east")
    observation, *_ = play(kitchen(features=features), *moves(LEFT, LEFT, LEFT, FORWARD))
    assert observation["view"].tolist() == [there * 36 + 12 + 3]
    observation, *_ = play(kitchen(observe="rgb", images=striped, width=4, height=2), *moves(LEFT, LEFT, LEFT, FORWARD))
    assert observation["pictures"].shape == (2, 4, 3)
    assert observation["pictures"][1, 3].tolist() == [there, 45, 30]


def test_asking_takes_help_but_no_time_and_the_subgoal_comes_first() -> None:
    env = kitchen()
    before, info_before = env.reset(options=KITCHEN)
    assert (before["requests_left"], before["may_request"], before["instruction"]) == (2, 1, END_GOAL)
    observation, reward, terminated, truncated, info = env.step((STOP, 1))
    assert observation["instruction"] == f"turn 90 degrees left , go forward . {END_GOAL}"
    assert info["subgoal"] == "turn 90 degrees left, go forward"
    assert (observation["requests_left"], observation["time_left"]) == (1, before["time_left"])
    assert (info["request"], info["executed"], info["pose"]) == ("answered", -1, info_before["pose"])
    assert (reward, terminated, truncated) == (0, False, False)


def test_a_new_subgoal_replaces_the_old_one_and_stays() -> None:
    env = kitchen()
    observation, *_ = play(env, (LEFT, 1), (LEFT, 0))
    assert observation["instruction"].startswith("turn 90 degrees left")
    observation, *_ = play(env, (LEFT, 1))
    assert observation["instruction"] == f"turn 60 degrees left , go forward 2 steps . {END_GOAL}"
    observation, *_ = play(env, *moves(LEFT, LEFT, FORWARD, FORWARD, FORWARD, LEFT))
    assert observation["instruction"] == f"turn 60 degrees left , go forward 2 steps . {END_GOAL}"


def test_one_request_a_time_step() -> None:
    """An agent that always requests asks and moves in turn, until the budget is used up; then it only moves."""
    env = kitchen()
    told = [env.step((LEFT, 1)) for _ in range(5)]
    assert [info["request"] for *_, info in told] == [
        "answered",
        "already asked in this time step",
        "answered",
        "no budget left",
        "no budget left",
    ]
    assert [observation["time_left"] for observation, *_ in told] == [25, 24, 24, 23, 22]
    assert [observation["requests_left"] for observation, *_ in told] == [1, 1, 0, 0, 0]
    assert [observation["may_request"] for observation, *_ in told] == [0, 1, 0, 0, 0]
    assert [info["executed"] for *_, info in told] == [-1, LEFT, -1, LEFT, LEFT]


def test_without_a_budget_the_action_is_carried_out() -> None:
    env = kitchen(ratio=0.0)
    observation, _, _, _, info = env.step((LEFT, 1))
    assert (info["request"], info["executed"], observation["instruction"]) == ("no budget left", LEFT, END_GOAL)
    assert info["pose"]["heading"] == pytest.approx(np.radians(150))
    assert observation["time_left"] == 24


def test_forward_with_nothing_in_view_stays() -> None:
    """living_west's one neighbour is at 79 degrees; the agent looks at 180."""
    env = kitchen()
    before, info_before = env.reset(options=KITCHEN)
    assert before["may_go_forward"] == 0
    nav, ask = info_before["action_mask"]
    assert (nav.tolist(), ask.tolist()) == ([1, 1, 1, 1, 0, 1], [1, 1])
    observation, _, _, _, info = env.step((FORWARD, 0))
    assert (info["pose"], observation["time_left"]) == (info_before["pose"], 24)
    *_, info = play(env, *moves(LEFT, LEFT, LEFT))
    assert info["action_mask"][0].tolist() == [1, 1, 1, 1, 1, 1]
    *_, info = env.step((LEFT, 1))
    assert info["action_mask"][1].tolist() == [1, 0]


def test_masked_samples_are_what_the_mask_allows() -> None:
    env = kitchen()
    _, info = env.reset(options=KITCHEN)
    env.action_space.seed(0)
    drawn = {int(env.action_space.sample(mask=info["action_mask"])[0]) for _ in range(200)}
    assert drawn == {0, 1, 2, 3, 5}


def test_stopping_elsewhere_gives_nothing() -> None:
    """hall_south is √(3² + 0.5²) = 3.04 m from the kitchen."""
    path = list(moves(LEFT, LEFT, LEFT, FORWARD, FORWARD, STOP))
    _, reward, terminated, truncated, info = play(kitchen(), *path)
    assert (reward, terminated, truncated, info["success"], info["spl"]) == (0, True, False, False, 0)
    assert play(kitchen(success_radius=3.05), *path)[1] == 1
    assert play(kitchen(success_radius=3.04), *path)[1] == 0


def test_spl_counts_a_way_back() -> None:
    """Back from hall_south to living_east and again forward: 8.1404 of 8.1404 + 2 · 2.5495 m."""
    env = kitchen()
    *_, info = play(env, *moves(LEFT, LEFT, LEFT, FORWARD, FORWARD, *[LEFT] * 6, FORWARD))
    assert info["pose"]["viewpoint"] == "living_east"
    terminated = False
    while not terminated:
        _, reward, terminated, _, info = env.step((info["teacher_action"], 0))
    assert reward == 1
    assert info["spl"] == pytest.approx(8.1404 / 13.2394, abs=1e-4)


class Straying(Scripted):
    """Follows a script, then the teacher."""

    def __call__(self, chances: Tensor, taught: Tensor, intervened: Tensor, episodes: Episodes, step: When) -> Tensor:
        return super().__call__(chances, taught, intervened, episodes, step) if step < len(self.script) else taught


def test_success_and_spl_are_those_of_the_evaluation() -> None:
    """Walks that begin with a detour and end where the teacher leads or when time is up, played again."""
    detour = (Nav.FORWARD, *[Nav.LEFT] * 4, Nav.FORWARD, *[Nav.LEFT] * 5, Nav.FORWARD)
    who = context(Straying(most_probable, False, detour), Never())
    found = evaluate(who, TASKS, seeds=[123])
    spl = found.scores.spl
    assert ((spl > 0) & (spl < 1)).any() and (spl == 0).any()
    env = AskNavEnv(budgets=TimeBudgets())
    for seed, task in np.ndindex(*found.scores.shape):
        env.reset(seed=0, options={"task": TASKS.tasks[task].id})
        nav = found.trace.nav[seed * len(TASKS) + task, : found.scores.steps[seed, task]]
        _, reward, _, _, info = play(env, *moves(*nav.tolist()))
        assert reward == info["success"] == found.scores.success[seed, task]
        assert info["spl"] == pytest.approx(found.scores.spl[seed, task], rel=1e-6)


@pytest.mark.parametrize(
    ("actions", "reward"), [((LEFT, LEFT, LEFT, FORWARD, FORWARD, FORWARD, LEFT), 1.0), ((LEFT,) * 7, 0.0)]
)
def test_time_runs_out(actions: tuple[int, ...], reward: float) -> None:
    """Training gives as many steps as the teacher takes, seven with `stop`. Not stopping in the kitchen is a success."""
    env = AskNavEnv()
    observation, _ = env.reset(seed=0, options=KITCHEN)
    assert observation["time_left"] == 7
    for action in actions[:-1]:
        *_, terminated, truncated, _ = env.step((action, 0))
        assert not terminated
        assert not truncated
    observation, got, terminated, truncated, _ = env.step((actions[-1], 0))
    assert (got, terminated, truncated, observation["time_left"]) == (reward, False, True, 0)
    with pytest.raises(ResetNeeded):
        env.step((LEFT, 0))


def test_stopping_in_the_last_step_is_not_truncation() -> None:
    env = AskNavEnv()
    env.reset(seed=0, options=KITCHEN)
    _, _, terminated, truncated, _ = play(env, *moves(*[LEFT] * 6, STOP))
    assert (terminated, truncated) == (True, False)


def test_longest_bounds_the_time_of_both_kinds_of_budget() -> None:
    for budgets in (None, TimeBudgets()):
        env = AskNavEnv(longest=4, budgets=budgets)
        assert env.reset(seed=0, options=KITCHEN)[0]["time_left"] == 4
    assert AskNavEnv(longest=40, budgets=TimeBudgets(longest=30)).reset(options=KITCHEN)[0]["time_left"] == 30


def test_a_direct_advisor_acts() -> None:
    env = kitchen(advisor=TemplateAdvisor(direct=True))
    env.step((RIGHT, 1))
    executed = [env.step((RIGHT, 0))[4]["executed"] for _ in range(5)]
    assert executed == [LEFT, LEFT, LEFT, FORWARD, RIGHT]


def test_an_indirect_advisor_only_speaks() -> None:
    env = kitchen()
    env.step((RIGHT, 1))
    assert [env.step((RIGHT, 0))[4]["executed"] for _ in range(4)] == [RIGHT] * 4


def test_a_direct_advisor_stops_and_may_be_silent() -> None:
    env = kitchen(advisor=TemplateAdvisor(direct=True, speaks=False))
    play(env, *moves(LEFT, LEFT, LEFT))
    observation, *_ = env.step((RIGHT, 1))
    assert (observation["instruction"], observation["requests_left"]) == (END_GOAL, 1)
    _, reward, terminated, _, info = play(env, *moves(RIGHT, RIGHT, RIGHT, RIGHT))
    assert (reward, terminated, info["executed"]) == (1, True, STOP)


def test_a_new_request_begins_a_new_plan() -> None:
    """The plan of k = 2 is left, left; asked again after one of them, it is left, left again: three in all, then forward."""
    env = kitchen(advisor=TemplateAdvisor(k=2, direct=True), ratio=0.16)
    executed = [env.step(action)[4]["executed"] for action in ((RIGHT, 1), (RIGHT, 0), (RIGHT, 1), *[(RIGHT, 0)] * 3)]
    assert executed == [-1, LEFT, -1, LEFT, LEFT, RIGHT]


def test_a_seed_repeats_everything() -> None:
    def run(seed: int) -> list[Any]:
        env = AskNavEnv()
        env.action_space.seed(1)
        told: list[Any] = [env.reset(seed=seed)]
        for _ in range(60):
            told.append(env.step(env.action_space.sample()))
            if told[-1][2] or told[-1][3]:
                told.append(env.reset())
        return told

    assert data_equivalence(run(3), run(3), exact=True)
    assert not data_equivalence(run(3), run(4))


def test_the_first_seed_may_be_an_argument() -> None:
    tasks = [AskNavEnv(seed=seed).reset()[1]["task"] for seed in range(8)]
    assert tasks == [AskNavEnv().reset(seed=seed)[1]["task"] for seed in range(8)]
    assert len(set(tasks)) > 1


def test_help_budgets_are_those_of_the_seed_and_the_task() -> None:
    """16 steps · 0.4 / 4 = 1.6 requests: one or two."""
    world = World.compile([cottage()])
    task_set = TaskSet.compile(world, cottage_tasks(world))
    env, budgets = AskNavEnv(), []
    for seed in range(12):
        first = env.reset(seed=seed, options={"task": "0"})[0]["requests_left"]
        env.reset()
        assert env.reset(options={"task": "0"})[0]["requests_left"] == first
        assert first == int(task_set.episodes(torch.tensor([0]), seed=seed).help_budget)
        budgets.append(first)
    assert set(budgets) == {1, 2}


def test_tasks_from_a_file(tmp_path: Path) -> None:
    record = {
        "path_id": 8,
        "scan": "cottage",
        "heading": 0.0,
        "instructions": ["find a Sink in the kitchen ."],
        "paths": [["hall_south", "kitchen"]],
        "trajectories": [[[0, 1, 0]] * 5],
    }
    path = tmp_path / "asknav_train.json"
    path.write_text(json.dumps([record]), encoding="utf-8")
    observation, info = AskNavEnv(tasks=path).reset(seed=0)
    assert (observation["instruction"], observation["time_left"]) == ("find a Sink in the kitchen .", 5)
    assert (info["task"], info["pose"]["viewpoint"]) == ("8_0", "hall_south")


def test_text_rendering() -> None:
    env = kitchen(render_mode="ansi")
    play(env, (LEFT, 1), *moves(LEFT, LEFT, LEFT, FORWARD))
    lines = env.render().splitlines()
    assert lines[:3] == [
        f"end-goal: {END_GOAL}",
        "at: living_east of cottage, heading 90, elevation 0 degrees",
        "ahead: hall_south, 2.5 m",
    ]
    assert lines[4:] == ["subgoal: turn 90 degrees left, go forward", "time left: 21, help left: 1"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"observe": "rgb"}, "needs `images`"),
        ({"observe": "sound"}, 'choose "features", "rgb" or "text"'),
        ({"render_mode": "rgb_array"}, "render mode rgb_array: choose from ansi; it needs `images`"),
        ({"houses": [cottage()]}, "houses of your own need tasks"),
        ({"world": World.compile([cottage()]), "tasks": []}, "no tasks to run"),
        ({"features": np.zeros((2, 36, 5))}, r"\(2, 36, 5\), but this world needs \(13, 36, values\)"),
        ({"ratio": -0.1}, "0 ≤ τ ≤ 1"),
        ({"longest": 0}, "≥ 1 step"),
    ],
)
def test_wrong_arguments_are_explained(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        AskNavEnv(**options)
    with pytest.raises(InputError, match=message):
        AskNavVectorEnv(2, **options)


def test_a_world_alone_has_nothing_to_see() -> None:
    world = World.compile([cottage()])
    with pytest.raises(InputError, match="give `houses` too"):
        AskNavEnv(world=world, tasks=cottage_tasks(world))


@pytest.mark.parametrize("action", [(6, 0), (0, 2), (-1, 0), (0.5, 0), (1,)])
def test_wrong_actions_are_refused(action: tuple[float, ...]) -> None:
    env = kitchen()
    with pytest.raises(InputError, match="action"):
        env.step(action)


def test_wrong_tasks_and_pictures_are_refused() -> None:
    env = AskNavEnv()
    with pytest.raises(InputError, match="none of the 6 tasks has that id"):
        env.reset(options={"task": "99"})
    with pytest.raises(InputError, match="numbered from 0"):
        env.reset(options={"task": 6})
    small = AskNavEnv(observe="rgb", images=lambda *_: np.zeros((1, 1, 3), dtype=np.uint8))
    with pytest.raises(InputError, match="not as bytes"):
        small.reset()


@pytest.mark.parametrize("advisor", [TemplateAdvisor(), TemplateAdvisor(k=2, direct=True)], ids=["indirect", "direct"])
@pytest.mark.parametrize("observe", ["features", "rgb"])
def test_many_are_the_same_as_singles(advisor: Advisor, observe: str) -> None:
    options: dict[str, Any] = {
        "advisor": advisor,
        "ratio": 0.8,
        "observe": observe,
        "images": striped,
        "width": 2,
        "height": 2,
    }
    many = gymnasium.make_vec("vnla/AskNav-v0", num_envs=5, vectorization_mode="vector_entry_point", **options)
    singles = SyncVectorEnv([lambda: AskNavEnv(**options)] * 5)
    assert many.observation_space == singles.observation_space
    assert many.action_space == singles.action_space
    many.action_space.seed(2)
    assert data_equivalence(many.reset(seed=11), singles.reset(seed=11), exact=True)
    endings = 0
    for _ in range(80):
        actions = many.action_space.sample()
        ours, theirs = many.step(actions), singles.step(actions)
        assert ours[0] in many.observation_space
        assert data_equivalence(ours, theirs, exact=True)
        endings += int((ours[2] | ours[3]).sum())
    assert endings > 20
    assert data_equivalence(many.reset(), singles.reset(), exact=True)


def test_many_take_seeds_and_tasks_one_an_agent() -> None:
    envs = AskNavVectorEnv(3)
    _, infos = envs.reset(seed=[5, 5, 6], options={"task": ["1", 0, "1"]})
    assert infos["task"].tolist() == ["1", "0", "1"]
    _, infos = envs.reset(seed=[5, 5, 9])
    assert infos["task"][0] == infos["task"][1] == AskNavEnv().reset(seed=5)[1]["task"]
    assert infos["task"][2] == AskNavEnv().reset(seed=9)[1]["task"]
    assert envs.reset(seed=0, options=KITCHEN)[1]["task"].tolist() == ["1"] * 3
    with pytest.raises(InputError, match="2 seeds for 3 agents"):
        envs.reset(seed=[1, 2])
    with pytest.raises(InputError, match="2 tasks for 3 agents"):
        envs.reset(options={"task": ["1", "2"]})


def test_ended_episodes_begin_anew_at_the_next_step() -> None:
    envs = AskNavVectorEnv(2, render_mode="ansi")
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    envs.reset(seed=0, options=KITCHEN)
    _, rewards, terminated, _, _ = envs.step([(STOP, 0), (LEFT, 0)])
    assert (terminated.tolist(), rewards.tolist()) == ([True, False], [0, 0])
    observations, _, terminated, truncated, infos = envs.step([(STOP, 0), (LEFT, 0)])
    assert not (terminated | truncated).any()
    assert infos["executed"].tolist() == [-1, LEFT]
    assert observations["time_left"][1] == 5
    assert envs.render()[1].startswith(f"end-goal: {END_GOAL}")


EXAMPLES = [
    code
    for code in re.findall(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), flags=re.DOTALL)
    if "worlds/small" not in code and "stable_baselines3" not in code  # tests/docs runs these
]


@pytest.mark.parametrize("code", EXAMPLES)
def test_the_examples_of_the_documentation_run(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    exec(code, names)
    if "env" in names:
        said, *_, shown = capsys.readouterr().out.splitlines()
        assert re.fullmatch(r"turn .* \. find a towel in the bathroom \.", said)
        assert shown.endswith("1.0")
    else:
        assert names["observations"] in names["envs"].observation_space
