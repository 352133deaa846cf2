"""The examples of an agent, an advisor, a help policy, a sensor and an objective, by the commands in their first lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cottage_run import write_cottage
from vnla import cli
from vnla.houses.folder import read_world
from vnla.training.checkpoints import CONFIG, LOG
from vnla.training.config import RunConfig

ROOT = Path(__file__).parents[2]
OPTIONS = {
    "agent": ["--agent", "examples.agent:GruAgent", "--agent-option", "hidden=24", "--agent-option", "embedding=8"],
    "simple_agent": [
        "--agent",
        "examples.simple_agent:Mine",
        "--agent-option",
        "hidden=24",
        "--agent-option",
        "embedding=8",
    ],
    "advisor": ["--advisor", "examples.advisor:Warmer", "--advisor-option", "near=3", "--hidden", "16"],
    "help_policy": ["--help-policy", "examples.help_policy:Unsure", "--help-option", "nats=1.2", "--hidden", "16"],
    "sensor": ["--sensor", "clock,examples.sensor:Homing", "--hidden", "16"],
    "objective": ["--objective", "examples.objective:Rare", "--objective-option", "forward=0.25", "--hidden", "16"],
}


@pytest.fixture
def vnla(monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.chdir(ROOT)

    def run(*arguments: object) -> None:
        with pytest.raises(SystemExit) as left:
            cli.main([str(each) for each in arguments])
        assert left.value.code == 0

    return run


def test_examples_are_short() -> None:
    files = [*(ROOT / "examples").glob("*.py"), *(ROOT / "examples").glob("*.json")]
    assert {file.stem for file in files if file.suffix == ".py"} == {
        "advisor",
        "agent",
        "agent_server",
        "bcui_single_file",
        "chat_server",
        "encoder",
        "guide",
        "help_policy",
        "mcp_client",
        "metric",
        "objective",
        "one_at_a_time",
        "pictures",
        "ppo",
        "sensor",
        "simple_agent",
        "world_source",
    }
    long = {file.stem: count for file in files if (count := len(file.read_text().splitlines())) >= 60}
    assert set(long) == {"bcui_single_file"}, "that one has a limit of its own"


@pytest.mark.parametrize("example", OPTIONS)
def test_it_is_trained_and_goes_on_and_is_evaluated_and_watched(
    example: str, vnla: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert callable(vnla)
    run, (world, tasks) = tmp_path / "run", write_cottage(tmp_path)
    places = ["--world", world, "--tasks", tasks]
    vnla("train", run, *places, *OPTIONS[example], "--features", "symbolic", "--iterations", 2, "--batch", 6,
         "--learning-rate", 0.01, "--validate-every", 2)  # fmt: skip
    vnla("train", run, "--iterations", 3)
    losses = [json.loads(line) for line in (run / LOG).read_text().splitlines()]
    assert losses[-1]["iteration"] == 3
    saved = RunConfig.read(run / CONFIG)
    chosen = {"agent": saved.agent, "advisor": type(saved.advisor).__name__, "help_policy": saved.help_policy}
    chosen |= {"sensor": saved.sensors, "objective": saved.objective, "simple_agent": saved.agent}
    assert chosen[example] in OPTIONS[example][1]
    vnla("evaluate", run, "--seeds", 1, "--json", tmp_path / "summary.json", "--results", tmp_path / "results")
    figures = json.loads((tmp_path / "summary.json").read_text())["test_seen"]["figures"]
    assert figures["steps"]["mean"] > 0
    capsys.readouterr()
    vnla("watch", run, "--split", "test_seen")
    assert "The agent" in capsys.readouterr().out or figures
    said = {text for each in json.loads((tmp_path / "results" / "test_seen.json").read_text()) for text in each["subgoals"]}
    if example == "advisor" and figures["requests"]["mean"]:
        assert said - {None} <= {"you are near .", "you are on the way .", "you are far away ."}


def test_one_at_a_time_an_agent_is_evaluated_as_it_is(
    vnla: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It reads what it sees, declared by its class; it cannot be trained."""
    assert callable(vnla)
    run, (world, tasks) = tmp_path / "run", write_cottage(tmp_path)
    given = ("--agent", "examples.one_at_a_time:Looking", "--world", world, "--tasks", tasks)
    vnla("train", run, *given, "--iterations", 0)
    assert RunConfig.read(run / CONFIG).features == "text"
    vnla("evaluate", run, "--seeds", 1, "--json", tmp_path / "summary.json")
    figures = json.loads((tmp_path / "summary.json").read_text())["test_seen"]["figures"]
    assert figures["success_rate"]["mean"] > 0 and figures["requests"]["mean"] > 0
    capsys.readouterr()
    vnla("watch", run, "--split", "test_seen")
    assert "in view" in capsys.readouterr().out
    vnla("evaluate", *given, "--split", "test_seen", "--json", tmp_path / "guest.json")
    summary = json.loads((tmp_path / "guest.json").read_text())["test_seen"]
    assert not summary["errors"] and summary["figures"]["requests"]["mean"] > 0, "the same class, without a run"
    vnla("train", run, "--iterations", 0)
    with pytest.raises(SystemExit) as left:
        cli.main([str(each) for each in ("train", tmp_path / "other", *given, "--iterations", 3)])
    assert left.value.code == 2 and "cannot be trained; --iterations 0" in capsys.readouterr().err
    assert not (tmp_path / "other").exists()


def test_a_source_of_worlds_of_ones_own(vnla: object, tmp_path: Path) -> None:
    assert callable(vnla)
    world, tasks, run = tmp_path / "hotels", tmp_path / "tasks", tmp_path / "run"
    vnla("world", "import", "from", "examples.world_source:Hotels", world, "--option", "rooms=8")
    folder = read_world(world)
    assert [len(house.rooms) for house in folder.houses] == [9, 9, 9] and folder.features == "symbolic"
    assert not any(house.warnings for house in folder.houses)
    vnla("tasks", "make", world, tasks, "--fewest", 1)
    vnla("train", run, "--world", world, "--tasks", tasks, "--iterations", 1, "--batch", 2, "--hidden", 8)


def test_an_advisor_tells_how_far_it_is(vnla: object, tmp_path: Path) -> None:
    """Under the policy FIRST everybody asks; the cottage is smaller than ten metres across in few places only."""
    assert callable(vnla)
    run, (world, tasks) = tmp_path / "run", write_cottage(tmp_path)
    vnla("train", run, "--world", world, "--tasks", tasks, *OPTIONS["advisor"], "--features", "symbolic", "--iterations", 1,
         "--batch", 6, "--help-policy", "first")  # fmt: skip
    vnla("evaluate", run, "--split", "test_seen", "--seeds", 1, "--results", tmp_path / "results")
    records = json.loads((tmp_path / "results" / "test_seen.json").read_text())
    said = {text for each in records for text in each["subgoals"] if text is not None}
    assert said and said <= {"you are near .", "you are on the way .", "you are far away ."}
