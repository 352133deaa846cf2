"""Episodes of teachers, agents and people as data sets, read again by Minari, by pyarrow, and by our own scorer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import minari
import numpy as np
import pyarrow.parquet
import pytest

import vnla
from cottage_players import TASKS, VOCABULARY, WORLD, context
from cottage_run import write_cottage
from vnla.assistance.acting import Acting, sampled
from vnla.assistance.help_policies import AtRandom
from vnla.common.errors import InputError
from vnla.evaluation.allowance import Allowance
from vnla.evaluation.checked import check
from vnla.evaluation.evaluate import evaluate
from vnla.evaluation.results import results_of, write_results
from vnla.houses.folder import read_world, write_manifest
from vnla.recordings import parquet
from vnla.recordings.authors import write_authors
from vnla.recordings.minari import dataset_id, observation_steps, write_minari
from vnla.recordings.observing import Observer, kinds_in
from vnla.recordings.parquet import columns, write_parquet
from vnla.recordings.recording import recordings
from vnla.recordings.sources import EpisodeSource, of_results, of_teacher, slug
from vnla.tasks.dataset import read_dataset
from vnla.tasks.task_set import TaskSet
from vnla.world.actions import Nav

SEED = 123
EVALUATION = evaluate(context(Acting(sampled, direct=True), AtRandom()), TASKS, seeds=[SEED])
RENUMBERED = {task.id: f"{number}_0" for number, task in enumerate(TASKS.tasks)}
"""The ids of the cottage's tasks once they have been written to files."""


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return write_cottage(tmp_path_factory.mktemp("cottage"))


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("results") / "agent.json"
    found = [replace(each, instr_id=RENUMBERED[each.instr_id], help_budget=None) for each in results_of(EVALUATION)]
    write_results(path, found)
    return path


@pytest.fixture
def agent(results: Path, places: tuple[Path, Path]) -> EpisodeSource:
    return of_results(results, *places)


@pytest.fixture
def teacher(places: tuple[Path, Path]) -> EpisodeSource:
    return of_teacher(*places, split="test_unseen")


def test_the_teacher_walks_to_a_goal_and_stops(teacher: EpisodeSource) -> None:
    found = [each for batch in teacher.batches() for each in recordings(batch)]
    assert len(found) == teacher.count == 6
    for each in found:
        assert each.success and each.stopped
        assert each.nav.tolist() == each.taught[:-1].tolist()
        assert each.metres[-1] == 0
        assert each.about.actor == "teacher"
        assert not each.request.any()
    towel = found[1]  # three turns to the left, three viewpoints, stop: worked out in tests/environments/test_episodes.py
    assert towel.nav.tolist() == [0, 0, 0, 4, 4, 4, 5]


def test_what_an_agent_did_comes_from_its_results(agent: EpisodeSource) -> None:
    found = [each for batch in agent.batches() for each in recordings(batch)]
    for row, each in enumerate(found):
        length = int(EVALUATION.trace.length[row])
        assert each.pose.tolist() == EVALUATION.trace.pose[row, : length + 1].tolist()
        assert each.nav.tolist() == EVALUATION.trace.nav[row, :length].tolist()
        assert each.request.tolist() == EVALUATION.trace.request[row, :length].tolist()
        numbers = EVALUATION.trace.phrase[row, :length].tolist()
        assert list(each.said) == ["" if number < 0 else EVALUATION.trace.texts[number] for number in numbers]
        assert each.success == EVALUATION.scores.success[0, row]
    asked = next(each for each in found if each.request.any())
    first = int(asked.request.argmax())
    assert asked.instructions()[first].startswith(asked.said[first].split(",")[0])
    assert asked.instructions()[first].endswith(asked.task.end_goal)


def test_the_authors_json_is_scored_like_the_run(agent: EpisodeSource, teacher: EpisodeSource, tmp_path: Path) -> None:
    tasks = replace(TASKS, tasks=tuple(replace(task, id=RENUMBERED[task.id]) for task in TASKS.tasks))
    found = check(write_authors(tmp_path / "agent", agent), tasks)
    assert np.array_equal(found.scores.spl, EVALUATION.scores.spl[0])
    assert np.array_equal(found.scores.requests, EVALUATION.scores.requests[0])
    assert check(write_authors(tmp_path / "teacher", teacher), tasks, Allowance()).scores.success.all()


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    def read(source: EpisodeSource, kinds: str = "tokens,poses", features: str | None = None) -> minari.MinariDataset:
        name = write_minari(tmp_path / "data", source, Observer(source, kinds_in(kinds), features))
        monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "data"))
        assert name == dataset_id(source)
        assert name in minari.list_local_datasets()
        return minari.load_dataset(name)

    return read


def test_minari_reads_the_episodes(agent: EpisodeSource, load: Any) -> None:
    data = load(agent, "tokens,poses,features", "symbolic")
    found = [each for batch in agent.batches() for each in recordings(batch)]
    assert data.total_episodes == 6
    assert data.total_steps == sum(each.steps + each.request.sum() for each in found)
    about = list(data.storage.get_episode_metadata(range(6)))
    for each, episode, told in zip(found, data.iterate_episodes(), about, strict=True):
        steps = len(episode.actions)
        assert data.observation_space["instruction"].shape == episode.observations["instruction"].shape[1:]
        for step in range(steps + 1):
            observation = {name: values[step] for name, values in episode.observations.items()}
            for name, space in data.observation_space.spaces.items():
                value = observation[name]
                assert space.contains(value.astype(space.dtype) if isinstance(value, np.generic) else value), name
        assert all(data.action_space.contains(action) for action in episode.actions)
        taken = episode.actions[episode.actions[:, 1] == 0]
        assert taken[:, 0].tolist() == each.nav.tolist()
        assert episode.rewards.sum() == each.success == episode.rewards[-1]
        assert bool(episode.terminations[-1]) == each.stopped != bool(episode.truncations[-1])
        assert not (episode.terminations | episode.truncations)[:-1].any()
        assert (told["task"], told["end_goal"]) == (each.task.id, each.task.end_goal)


def known(places: tuple[Path, Path], folder: Path) -> tuple[EpisodeSource, int]:
    """What an agent of ours did that asks at random, from a results file with the help budgets; and how often it asked."""
    dataset = read_dataset(places[1])
    tasks = TaskSet.compile(WORLD, dataset.split("test_unseen"), dataset.budgets, vocabulary=VOCABULARY)
    run = evaluate(context(Acting(sampled, direct=False), AtRandom()), tasks, seeds=[SEED])
    path = folder / "known.json"
    write_results(path, results_of(run))
    return of_results(path, *places, seed=SEED), int(run.scores.requests.sum())


@pytest.mark.parametrize("who", ["agent", "teacher", "teacher in training"])
def test_every_episode_can_be_played_again_in_the_environment_of_its_data_set(
    who: str, places: tuple[Path, Path], load: Any, tmp_path: Path
) -> None:
    """The recorded actions in the recovered environment, under the recorded seed and options."""
    expected = 0
    if who == "agent":
        source, expected = known(places, tmp_path)
    else:
        source = of_teacher(*places, split="train" if "training" in who else "test_unseen")
    data = load(source, "tokens,poses,features", "symbolic")
    environment = data.recover_environment()
    assert environment.observation_space == data.observation_space
    assert environment.action_space == data.action_space
    asked = 0
    for episode, told in zip(data.iterate_episodes(), data.storage.get_episode_metadata(range(6)), strict=True):
        assert told["seed"] == SEED
        observation, _ = environment.reset(seed=told["seed"], options=told["options"])
        for step, action in enumerate(episode.actions):
            _same(observation, episode.observations, step)
            observation, reward, terminated, truncated, info = environment.step(action)
            assert reward == episode.rewards[step]
            assert (terminated, truncated) == (episode.terminations[step], episode.truncations[step])
            assert info["teacher_action"] == episode.infos["teacher_action"][step + 1]
            asked += info["request"] == "answered"
        _same(observation, episode.observations, -1)
        by_seed, _ = environment.reset(seed=told["seed"], options={"task": told["task"]})
        _same(by_seed, episode.observations, 0)
    assert asked == expected
    assert (expected > 0) == (who == "agent")


def _same(seen: dict[str, Any], stored: dict[str, Any], step: int) -> None:
    assert seen.keys() == stored.keys()
    for name, value in seen.items():
        assert np.array_equal(value, stored[name][step]), name


def test_a_data_set_opens_its_environment_in_a_process_that_knows_nothing_of_it(teacher: EpisodeSource, load: Any) -> None:
    name = load(teacher, "tokens").spec.dataset_id
    code = f"""import minari
environment = minari.load_dataset({name!r}).recover_environment(split="val_seen")
print(environment.reset(seed=0)[1]["task"])"""
    env = {**os.environ, "PYTHONPATH": str(Path(vnla.__file__).parents[1])}
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=env)
    assert found.stdout.strip() in {task.id for task in teacher.dataset.split("val_seen")}, found.stderr


def test_the_budgets_of_people_are_not_known(results: Path, places: tuple[Path, Path], tmp_path: Path, load: Any) -> None:
    records = [{**record, "participant": "p", "help_budget": None} for record in json.loads(results.read_text())]
    (tmp_path / "people.json").write_text(json.dumps(records))
    data = load(of_results(tmp_path / "people.json", *places))
    assert data[0].observations["requests_left"][0] == -1
    assert next(iter(data.storage.get_episode_metadata([0])))["options"] == {"task": data_task(data)}
    assert data.recover_environment().observation_space["instruction"] == data.observation_space["instruction"]


def data_task(data: minari.MinariDataset) -> str:
    return str(next(iter(data.storage.get_episode_metadata([0])))["task"])


def test_a_request_is_a_step_of_its_own(agent: EpisodeSource) -> None:
    for batch in agent.batches():
        for each in recordings(batch):
            time, asked = observation_steps(each)
            assert time[asked == 0].tolist() == list(range(each.steps + 1))
            assert time[asked == 1].tolist() == np.flatnonzero(each.request).tolist()


def test_parquet_has_a_row_an_episode_and_a_card(
    agent: EpisodeSource, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "SHARD", 4)
    monkeypatch.setattr(parquet, "GROUP", 3)
    observer = Observer(agent, kinds_in("tokens,poses"))
    card = write_parquet(tmp_path / "data", agent, observer, "vnla episodes export agent.json")
    files = sorted((tmp_path / "data" / "data").iterdir())
    assert [file.name for file in files] == [f"test_unseen-0000{i}-of-00002.parquet" for i in range(2)]
    rows = [row for file in files for row in pyarrow.parquet.read_table(file).to_pylist()]
    found = [each for batch in agent.batches() for each in recordings(batch)]
    words = (tmp_path / "data" / "vocab.txt").read_text().splitlines()
    for row, each in zip(rows, found, strict=True):
        assert list(row) == [column.name for column in columns(observer)]
        assert (row["task"], row["success"], row["steps"]) == (each.task.id, each.success, each.steps)
        assert row["nav"] == each.nav.tolist()
        assert [said or "" for said in row["said"]] == list(each.said)
        assert row["help_budget"] is None  # the file does not say
        assert len(row["viewpoint"]) == len(row["instruction"]) == each.steps + 1
        assert " ".join(words[token] for token in row["instruction"][0] if token) == each.instructions()[0]
    text = card.read_text()
    assert text.startswith('---\npretty_name: "asknav, test unseen: agent"\n')
    assert "path: data/test_unseen-*.parquet" in text
    assert "num_examples: 6" in text
    assert all(f"| `{column.name}` |" in text for column in columns(observer))


def test_features_and_pictures(places: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    teacher = of_teacher(*places, split="test_unseen", limit=2)
    with pytest.raises(InputError, match="there are no pictures of house cottage"):
        Observer(teacher, ("pictures",))
    monkeypatch.chdir(Path(__file__).parents[2])
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
    world, tasks = write_cottage(tmp_path)
    write_manifest(read_world(world).choosing(pictures={"source": "examples.pictures:Painted", "options": {}}))
    teacher = of_teacher(world, tasks, split="test_unseen", limit=2)
    observer = Observer(teacher, kinds_in("pictures,features"), "symbolic", (64, 48))
    assert observer.kinds == ("features", "pictures")
    write_parquet(tmp_path / "parquet", teacher, observer)
    row = pyarrow.parquet.read_table(tmp_path / "parquet" / "data").to_pylist()[0]
    assert row["picture"][0]["bytes"].startswith(b"\xff\xd8\xff")
    assert len(row["picture"]) == len(row["features_symbolic"]) == row["steps"] + 1
    name = write_minari(tmp_path / "minari", teacher, observer)
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    data = minari.load_dataset(name)
    assert data[0].observations["pictures"].shape == (row["steps"] + 1, 48, 64, 3)
    told = next(iter(data.storage.get_episode_metadata([0])))
    observation, _ = data.recover_environment().reset(seed=told["seed"], options=told["options"])
    assert observation["pictures"].tolist() == next(observer.pictures(teacher_start(teacher))).tolist()


def teacher_start(teacher: EpisodeSource) -> Any:
    return next(recordings(next(teacher.batches()))).pose[:1]


def test_people_may_do_a_task_often_with_budgets_of_their_own(
    results: Path, places: tuple[Path, Path], tmp_path: Path
) -> None:
    records = json.loads(results.read_text())
    told = [{**record, "participant": f"p{i}", "condition": "beat"} for record in records for i in range(2)]
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "results.json").write_text(json.dumps(told))
    source = of_results(tmp_path / "study", *places)
    found = [each for batch in source.batches() for each in recordings(batch)]
    assert (source.count, source.name, source.what) == (12, "study", "What people did, by results.json.")
    assert [each.about.participant for each in found] == ["p0", "p1"] * 6
    assert {each.about.actor for each in found} == {"person"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda record: record.update(instr_id="9_0"), "record 1: task 9_0: is none of the 6 tasks"),
        (lambda record: record["trajectory"][-1].__setitem__(0, "attic"), "no viewpoint 'attic'"),
        (lambda record: record.update(participant=7), "record 1: field participant is 7"),
        (lambda record: record.update(subgoals=3), "field subgoals"),
    ],
)
def test_nothing_is_left_of_an_export_that_fails(
    results: Path, places: tuple[Path, Path], tmp_path: Path, change: Any, message: str
) -> None:
    records = json.loads(results.read_text())
    change(records[1])
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(records))
    source = of_results(path, *places)
    for form in (write_authors, lambda out, source: write_parquet(out, source, Observer(source, ("tokens",)))):
        with pytest.raises(InputError, match=message):
            form(tmp_path / "out", source)
        assert sorted(each.name for each in tmp_path.iterdir()) == ["broken.json"]


def test_an_interrupted_export_is_begun_anew(teacher: EpisodeSource, tmp_path: Path) -> None:
    def interrupted() -> Iterator[Any]:
        yield from teacher.batches()
        raise KeyboardInterrupt

    observer = Observer(teacher, ("tokens",))
    for write in (write_minari, write_parquet):
        with pytest.raises(KeyboardInterrupt):
            write(tmp_path / "out", replace(teacher, batches=interrupted), observer)
        assert list(tmp_path.iterdir()) == []
        write(tmp_path / "out", teacher, observer)
        with pytest.raises(InputError, match="exists already"):
            write(tmp_path / "out", teacher, observer)
        for path in sorted((tmp_path / "out").rglob("*"), reverse=True):
            path.unlink() if path.is_file() else path.rmdir()
        (tmp_path / "out").rmdir()


def test_missing_packages_are_named(teacher: EpisodeSource, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "minari", None)
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    observer = Observer(teacher, ("tokens",))
    with pytest.raises(InputError, match=r"pip install 'vnla\[minari\]'"):
        write_minari(tmp_path / "a", teacher, observer)
    with pytest.raises(InputError, match=r"pip install 'vnla\[parquet\]'"):
        write_parquet(tmp_path / "b", teacher, observer)


def test_names() -> None:
    assert slug("asknav", "test_unseen", "My Agent (2)") == "asknav-test-unseen-my-agent-2"
    assert slug("…") == "episodes"
    assert kinds_in("pictures, tokens") == ("tokens", "pictures")
    with pytest.raises(InputError, match="'sounds' is none of tokens, poses, features, pictures"):
        kinds_in("tokens,sounds")


def test_the_last_action_of_a_walk_without_stop(places: tuple[Path, Path], tmp_path: Path) -> None:
    """An agent whose file ends before its time does is cut off, not stopped."""
    first = asdict(results_of(EVALUATION)[1])
    record = {"instr_id": RENUMBERED["1"], "trajectory": first["trajectory"][:3]}
    (tmp_path / "cut.json").write_text(json.dumps([record]))
    [each] = [each for batch in of_results(tmp_path / "cut.json", *places).batches() for each in recordings(batch)]
    assert each.nav[-1] != Nav.STOP
    assert not each.stopped
