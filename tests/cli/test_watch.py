"""`vnla watch` on runs that were moved, and what it says to bad input."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from command import Vnla
from cottage_run import cottage_records, write_cottage
from vnla import cli
from vnla.houses.cottage import cottage
from vnla.houses.folder import write_world


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a world, a data set and a run."""
    folder = tmp_path_factory.mktemp("home")
    world, tasks = write_cottage(folder)
    options = ["--world", world, "--tasks", tasks, "--features", "symbolic", "--iterations", 1, "--batch", 4, "--hidden", 8]
    with pytest.raises(SystemExit):
        cli.main([str(each) for each in ["train", folder / "run", *options]])
    return folder


def test_what_moves_together_is_found(vnla: Vnla, home: Path, tmp_path: Path) -> None:
    shutil.copytree(home, tmp_path / "moved")
    home.rename(tmp_path / "away")
    try:
        assert vnla("watch", tmp_path / "moved" / "run", "--split", "test_seen").status == 0
    finally:
        (tmp_path / "away").rename(home)


def test_a_run_that_was_moved_alone_is_told_where_its_world_is(vnla: Vnla, home: Path, tmp_path: Path) -> None:
    run = shutil.copytree(home / "run", tmp_path / "deep" / "run")
    answer = vnla("watch", run, "--split", "test_seen")
    assert answer.status == 2
    assert f"{run}: was trained on {tmp_path / 'deep' / 'world'}, which is not there; say where it is now" in answer.err
    places = ["--world", home / "world", "--tasks", home / "tasks"]
    answer = vnla("watch", run, "--split", "test_seen", *places)
    assert (answer.status, answer.out) == (0, vnla("watch", home / "run", "--split", "test_seen").out)


def test_another_data_set_is_read_with_the_words_that_the_agent_knows(vnla: Vnla, home: Path, tmp_path: Path) -> None:
    """A data set with fewer words than the run's: the agent still has its own."""
    tasks = shutil.copytree(home / "tasks", tmp_path / "tasks")
    for file in tasks.iterdir():
        file.write_text(file.read_text().replace("Find", "find"))
    assert vnla("watch", home / "run", "--split", "test_seen", "--tasks", tasks).status == 0


def test_a_checkpoint_that_is_not_there_is_answered_with_those_that_are(vnla: Vnla, home: Path) -> None:
    for verb in (["watch"], ["evaluate", "--seeds", "1"]):
        answer = vnla(*verb, home / "run", "--split", "test_seen", "--checkpoint", "nope")
        assert answer.status == 2
        assert answer.err == f"vnla: error: {home / 'run'}: has no checkpoint nope; it has val_seen, val_unseen, last\n"


def test_a_device_that_is_not_there_is_named(vnla: Vnla, home: Path) -> None:
    answer = vnla("watch", home / "run", "--device", "nope")
    assert (answer.status, answer.err.count("\n")) == (2, 1)
    assert "device nope: unknown; choose cpu, cuda" in answer.err


def test_pictures_stay_in_their_folder_whatever_a_task_is_called(vnla: Vnla, home: Path, tmp_path: Path) -> None:
    shutil.copytree(home / "tasks", tmp_path / "tasks")
    path = tmp_path / "tasks" / "asknav_test_seen.json"
    records = json.loads(path.read_text())
    records[0]["path_id"] = "../../../away"
    path.write_text(json.dumps(records))
    out = tmp_path / "a" / "b" / "c" / "pictures"
    shown = vnla("watch", home / "run", "--tasks", tmp_path / "tasks", "--split", "test_seen", "--out", out)
    assert shown.status == 0, shown
    assert {each.parent for each in tmp_path.rglob("*away*")} == {out}


def test_what_an_instruction_holds_does_nothing_to_the_terminal(vnla: Vnla, home: Path, tmp_path: Path) -> None:
    tasks = shutil.copytree(home / "tasks", tmp_path / "tasks")
    file = tasks / "asknav_test_seen.json"
    records = json.loads(file.read_text())
    records[0]["instructions"] = ["find \x1b]0;owned\x07 a \x1b[2J towel \ud800 \u202e."]
    file.write_text(json.dumps(records))
    answer = vnla("watch", home / "run", "--split", "test_seen", "--tasks", tasks)
    assert answer.status == 0
    assert "\x1b" not in answer.out and "\x07" not in answer.out and "\u202e" not in answer.out
    assert "␛[2j towel" in answer.out  # sentences are told in lower case


@pytest.fixture(scope="module")
def street(home: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[object, ...]:
    """The run, and another world and data set: the cottage, and one like it whose rooms are all offices."""
    folder = tmp_path_factory.mktemp("street")
    offices = tuple(replace(room, label="o") for room in cottage().rooms)
    houses = [cottage(), replace(cottage(), name="offices", rooms=offices)]
    write_world(folder / "world", houses, source="drawn", splits={"train": ["cottage", "offices"]})
    tasks = shutil.copytree(home / "tasks", folder / "tasks")
    for file in tasks.iterdir():
        file.write_text(json.dumps(cottage_records("cottage", "offices")))
    return "watch", home / "run", "--world", folder / "world", "--tasks", tasks, "--split", "test_seen"


def test_an_episode_is_told_in_its_own_house(vnla: Vnla, street: tuple[object, ...]) -> None:
    first, second = vnla(*street, "--episode", "0_0"), vnla(*street, "--episode", "6_0")
    assert (first.status, second.status) == (0, 0), first.err + second.err
    assert "office" not in first.out and "The agent begins in the office" in " ".join(second.out.split())


def test_an_episode_has_the_budget_that_was_asked_for(vnla: Vnla, street: tuple[object, ...]) -> None:
    none, much = vnla(*street, "--ratio", 0), vnla(*street, "--ratio", 1)
    assert "of 0 times" in " ".join(none.out.split()) and "of 0 times" not in " ".join(much.out.split())
    assert vnla(*street, "--episode", "no such").status == 2


def test_the_seed_is_that_of_the_help_budget(vnla: Vnla, street: tuple[object, ...]) -> None:
    """A budget is rounded up or down by its seed."""
    told = {vnla(*street, "--ratio", 0.3, "--seed", seed).out.split("may ask")[1].split(".")[0] for seed in range(8)}
    assert len(told) == 2


def test_a_person_is_asked_back_at_a_price(vnla: Vnla, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To turn without a side may mean two things; the answer chooses, and its price is one request less."""
    heard: dict[int, list[str]] = {}
    for price in (0, 1):
        heard[price] = []

        def types(prompt: str, said: list[str] = heard[price]) -> str:
            said.append(prompt)
            return "left" if prompt.startswith("Which") else "turn 60 degrees"

        monkeypatch.setattr("builtins.input", types)
        answer = vnla("watch", home / "run", "--split", "test_seen", "--ask", "--price", price, "--ratio", 0.9)
        assert answer.status == 0, answer.err
        told = " ".join(answer.out.split())
        told = told.replace("turn right, or turn left?", "turn left, or turn right?")
        cost = "for no request" if not price else "for 1 more of its"
        assert f"It asks back, {cost}" in told and "turn left, or turn right?" in told
        assert "Understood as: turn 60 degrees left" in told and "Understood as: nothing" not in told
    which = {price: sum(each.startswith("Which") for each in prompts) for price, prompts in heard.items()}
    assert which[0] >= which[1] > 0, "who pays may ask less often"
