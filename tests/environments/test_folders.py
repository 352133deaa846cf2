"""Environments of a world folder and a data set folder: houses, budgets, features by name and pictures come from them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import vnla.gym  # noqa: F401
from cottage_run import write_cottage
from vnla.camera import VIEWS
from vnla.common.errors import InputError
from vnla.gym import AskNavEnv, AskNavVectorEnv
from vnla.houses.cottage import cottage
from vnla.houses.folder import read_world, write_manifest
from vnla.houses.images import world_images
from vnla.tasks.cottage import cottage_tasks
from vnla.tasks.dataset import read_dataset
from vnla.tasks.vocabulary import Vocabulary
from vnla.vision.encoders.base import Size
from vnla.vision.store import Header, StoreWriter, store_path, viewpoints_of, world_checksum
from vnla.vision.symbolic import symbolic_features
from vnla.world.compiled import World

PICTURES = {"source": "examples.pictures:Painted", "options": {}}


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The cottage with features `numbers`, which hold the number of each pose."""
    path, tasks = write_cottage(tmp_path_factory.mktemp("cottage"))
    world = read_world(path)
    stands = viewpoints_of(World.compile(world.houses))
    header = Header("numbers", "", 1, Size(224, 168), 60.0, world_checksum(world), stands)
    with StoreWriter(store_path(path, "numbers"), header) as store:
        store.write(0, np.arange(len(stands) * VIEWS, dtype=np.float32).reshape(-1, VIEWS, 1))
        store.finish()
    return path, tasks


def made(places: tuple[Path, Path], **options: Any) -> Any:
    world, tasks = places
    return gymnasium.make("vnla/AskNav-v0", world=world, tasks=tasks, **options)


def test_two_folders_are_enough(places: tuple[Path, Path]) -> None:
    env = made(places)
    assert env.observation_space == gymnasium.make("vnla/AskNav-v0").observation_space
    observation, info = env.reset(seed=0, options={"task": "1_0"})
    assert (observation["instruction"], observation["time_left"]) == ("find a towel in the kitchen .", 7)
    assert info["pose"]["viewpoint"] == "living_west"


def test_every_split_has_its_budgets_as_in_a_run(places: tuple[Path, Path]) -> None:
    """Task 1 takes seven steps. Its pair of rooms is met once in training, so that its evaluation has 25."""
    budgets = read_dataset(places[1]).budgets
    assert budgets["living room", "kitchen"] == 25

    def time(**options: Any) -> int:
        return int(made(places, **options).reset(seed=0, options={"task": "1_0"})[0]["time_left"])

    assert (time(), time(split="train"), time(split="val_unseen")) == (7, 7, 25)
    assert time(budgets="evaluation") == 25
    assert time(split="test_unseen", budgets="training") == 7
    assert time(budgets="longest", longest=31) == 31
    assert time(split="val_seen", longest=20) == 20


def test_features_are_those_of_the_folder_by_name(places: tuple[Path, Path]) -> None:
    world = World.compile([cottage()])
    pose = world.viewpoint("cottage", "living_west") * VIEWS + 12 + 6
    symbols = symbolic_features([cottage()], world).array.reshape(len(world.ids) * VIEWS, -1)[pose]
    start = {"seed": 0, "options": {"task": "1_0"}}
    assert made(places, features="numbers").reset(**start)[0]["view"].tolist() == [pose]
    np.testing.assert_array_equal(made(places, features="symbolic").reset(**start)[0]["view"], symbols)
    both = made(places, features="symbolic,numbers")
    np.testing.assert_array_equal(both.reset(**start)[0]["view"], [*symbols, pose])
    level = made(places, features="symbolic-level")
    level.reset(**start)
    np.testing.assert_array_equal(level.step((2, 0))[0]["view"], symbols, "up shows what is level")


def test_what_was_opened_already_is_taken(places: tuple[Path, Path]) -> None:
    world, dataset = read_world(places[0]), read_dataset(places[1])
    env = AskNavEnv(world=world, tasks=dataset, split="val_seen", features="numbers")
    assert env.reset(seed=0, options={"task": "1_0"})[0]["time_left"] == 25


def test_a_world_folder_shows_its_own_pictures(
    places: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = Path(__file__).parents[2]
    monkeypatch.chdir(root)
    monkeypatch.syspath_prepend(str(root))
    painted = write_cottage(tmp_path)
    write_manifest(read_world(painted[0]).choosing(pictures=PICTURES))
    env = made(painted, render_mode="rgb_array", observe="features,rgb", width=64, height=48)
    assert env.observation_space["pictures"].shape == (48, 64, 3)
    env.reset(seed=0, options={"task": "1_0"})
    every = world_images(read_world(painted[0]), (64, 48))("cottage", "living_west")
    np.testing.assert_array_equal(env.render(), every[12 + 6])
    observation, *_ = env.step((0, 0))
    np.testing.assert_array_equal(observation["pictures"], every[12 + 5])
    assert (every[12 + 6] != every[12 + 5]).any()
    many = AskNavVectorEnv(2, world=painted[0], tasks=painted[1], render_mode="rgb_array", width=64, height=48)
    many.reset(seed=0, options={"task": "1_0"})
    np.testing.assert_array_equal(np.stack(many.render() or ()), every[[18, 18]])
    with pytest.raises(InputError, match="there are no pictures of house cottage"):
        made(places, render_mode="rgb_array")
    with pytest.raises(InputError, match="there are no pictures of house cottage"):
        made(places, observe="rgb")
    with pytest.raises(InputError, match="views of 64×64: the simulator's camera is 640:480"):
        made(painted, observe="rgb", width=64, height=64)


def test_several_things_may_be_observed_and_nothing(places: tuple[Path, Path]) -> None:
    env = made(places, observe="features,pose", around=True)
    observation, _ = env.reset(seed=0, options={"task": "1_0"})
    x, y, z = next(each.position for each in cottage().viewpoints if each.id == "living_west")
    assert observation["pose"].tolist() == pytest.approx([x, y, z, np.pi, 0])
    assert {"view", "views", "exits"} <= observation.keys()
    blind = made(places, observe="nothing")
    assert not {"view", "pictures", "text", "pose"} & blind.observation_space.spaces.keys()
    assert blind.observation_space.contains(blind.reset(seed=0)[0])


def test_an_advisor_has_options_and_words_come_from_anywhere(places: tuple[Path, Path], tmp_path: Path) -> None:
    env = made(places, advisor="template", advisor_options={"k": 2, "direct": True}, split="val_seen")
    env.reset(seed=0, options={"task": "1_0", "help_budget": 1})
    env.step((0, 1))
    assert [env.step((1, 0))[4]["executed"] for _ in range(3)] == [0, 0, 1]
    words = Vocabulary.build(["find a piano ."])
    (tmp_path / "words.txt").write_text(words.text())
    assert made(places, vocabulary=tmp_path / "words.txt").unwrapped.vocabulary == words
    assert made(places).unwrapped.vocabulary == read_dataset(places[1]).vocabulary


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"split": "dev"}, "has no split 'dev'; it has train"),
        ({"budgets": "short"}, "budgets='short': choose training, evaluation, longest"),
        ({"budgets": 3}, "budgets=3: choose training, evaluation, longest"),
        ({"features": "lite"}, "no features"),
        ({"features": "text"}, "words, which need a vocabulary"),
        ({"features": "numbers,numbers"}, "a name is there twice"),
        ({"advisor": "nobody"}, "advisor nobody: unknown; choose from template"),
        ({"advisor_options": {"kk": 3}}, "has no option kk"),
        ({"vocabulary": "nowhere.txt"}, "nowhere.txt"),
        ({"world": "nowhere"}, "nowhere"),
        ({"tasks": "nowhere"}, "nowhere"),
        ({"observe": "features,features"}, "choose"),
    ],
)
def test_what_is_wrong_is_one_line(places: tuple[Path, Path], options: dict[str, Any], message: str) -> None:
    world, tasks = places
    with pytest.raises(InputError, match=message) as error:
        AskNavEnv(**{"world": world, "tasks": tasks} | options)
    assert "\n" not in str(error.value)


def test_what_needs_a_folder_says_so(places: tuple[Path, Path]) -> None:
    house: dict[str, Any] = {"houses": [cottage()], "tasks": cottage_tasks(World.compile([cottage()]))}
    for options, message in (
        ({"split": "train"}, "split 'train': is one of a data set folder"),
        ({"budgets": "evaluation"}, "are those of a data set folder"),
        ({"features": "numbers"}, "lie in a world folder"),
    ):
        with pytest.raises(InputError, match=message):
            AskNavEnv(**house, **options)
    elsewhere = [replace(task, house="attic") for task in house["tasks"]]
    with pytest.raises(InputError, match="tasks: are in house attic, not in the cottage; give the folder of their world"):
        AskNavEnv(tasks=elsewhere)
    with pytest.raises(InputError, match="houses of your own need tasks"):
        AskNavEnv(world=places[0])


def test_an_episode_may_have_budgets_of_its_own() -> None:
    options = {"task": "1", "time_budget": 3, "help_budget": 0}
    for number in (3, np.int64(3)):
        observation, _ = AskNavEnv().reset(seed=0, options=options | {"time_budget": number})
        assert (observation["time_left"], observation["requests_left"], observation["may_request"]) == (3, 0, 0)
    envs = AskNavVectorEnv(2)
    observations, _ = envs.reset(seed=0, options={"task": "1", "time_budget": [3, None], "help_budget": [None, 2]})
    assert observations["time_left"].tolist() == [3, 7]
    assert observations["requests_left"][1] == 2
    drawn = {AskNavEnv().reset(seed=seed, options={"task": "1", "time_budget": 25})[0]["requests_left"] for seed in range(9)}
    assert drawn == {2, 3}, "25 steps · 0.4 / 4"
    wrong_ones: list[dict[str, Any]] = [{"time_budget": 0}, {"time_budget": 26}, {"help_budget": 4}, {"help_budget": True}]
    for wrong in (*wrong_ones, {"help_budget": "two"}):
        with pytest.raises(InputError, match=f"options: {next(iter(wrong))} is"):
            AskNavEnv().reset(options=wrong)
    with pytest.raises(InputError, match="1 help_budgets for 2 agents"):
        envs.reset(options={"help_budget": [1]})


def test_records_that_others_made_have_no_more_than_tasks(tmp_path: Path) -> None:
    """A folder with the authors' files alone, and one with nothing."""
    _, tasks = write_cottage(tmp_path)
    assert json.loads((tasks / "asknav_train.json").read_text())
    assert AskNavEnv(tasks=tasks, split="val_seen").reset(seed=0, options={"task": "1_0"})[0]["time_left"] == 25
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"has neither manifest.json nor asknav_train.json"):
        AskNavEnv(tasks=tmp_path / "empty")
