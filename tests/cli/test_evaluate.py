"""`vnla evaluate` and `vnla watch` on a run of the cottage: tables, other budgets and subgoals, success against help."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

import command
from cottage_run import write_cottage
from vnla import cli
from vnla.camera import VIEWS
from vnla.evaluation.evaluation_file import read_scores
from vnla.houses.folder import read_world
from vnla.tasks.dataset import read_dataset
from vnla.training.checkpoints import CONFIG
from vnla.training.config import RunConfig
from vnla.vision.encoders.base import Size
from vnla.vision.store import Header, StoreWriter, store_path, viewpoints_of, world_checksum
from vnla.world.compiled import World

Vnla = Callable[..., tuple[int, str]]


@pytest.fixture
def vnla(vnla: command.Vnla) -> Vnla:
    def run(*arguments: object) -> tuple[int, str]:
        answer = vnla(*arguments)
        return answer.status, answer.out + answer.err

    return run


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the runs "first" and "none"."""
    folder = tmp_path_factory.mktemp("cottage")
    world, tasks = write_cottage(folder)
    options = ["--world", world, "--tasks", tasks, "--features", "symbolic", "--help-policy", "first,none"]
    with pytest.raises(SystemExit):
        cli.main(
            [str(each) for each in ["train", folder / "runs", *options, "--iterations", 2, "--batch", 4, "--hidden", 8]]
        )
    return folder / "runs"


@pytest.fixture
def run(runs: Path) -> Path:
    return runs / "first"


def rows(file: Path) -> list[dict[str, str]]:
    with file.open(newline="") as stream:
        return list(csv.DictReader(stream))


def test_a_table_says_what_the_agent_senses_and_by_which_forward_it_walks(vnla: Vnla, run: Path, tmp_path: Path) -> None:
    config = RunConfig.read(run / CONFIG)
    data = ["--world", config.world, "--tasks", config.tasks, "--features", "symbolic"]
    status, said = vnla(
        "train", tmp_path / "run", *data, "--sensor", "been,advice", "--iterations", 2, "--batch", 4, "--hidden", 8
    )
    assert status == 0, said
    for folder, seen in ((run, "sensors: view only, forward informed"), (tmp_path / "run", "sensors: view, been, advice,")):
        status, said = vnla("evaluate", folder, "--split", "test_seen", "--seeds", 1, "--json", tmp_path / "summary.json")
        assert status == 0 and seen in " ".join(said.split())
        assert ("been: places are recognised exactly" in " ".join(said.split())) == (folder != run)
        summary = json.loads((tmp_path / "summary.json").read_text())["test_seen"]
        assert summary["sensors"] == ([] if folder == run else ["been", "advice"]) and summary["forward"] == "informed"


def test_an_option_of_the_help_policy_is_given_and_said(vnla: Vnla, run: Path, tmp_path: Path) -> None:
    """No entropy of six actions is above ln 6 = 1.79, and every one is above 0: nobody asks, or everybody while they can."""

    def requests(threshold: str) -> float:
        out = tmp_path / "summary.json"
        options = ("--help-policy", "entropy", "--help-option", f"threshold={threshold}")
        status, said = vnla("evaluate", run, "--split", "test_unseen", "--seeds", 1, "--json", out, *options)
        assert status == 0 and f"help policy entropy (threshold {threshold})" in " ".join(said.split()), said
        summary = json.loads(out.read_text())["test_unseen"]
        assert (summary["help_policy"], summary["help_options"]) == ("entropy", {"threshold": float(threshold)})
        assert summary["help_options_chosen_on"] is None
        return float(summary["figures"]["requests"]["mean"])

    assert requests("1.79") == 0 < requests("0")
    for wrong, message in (("threshold", "expected name=value"), ("margin=1", "help policy entropy: has no option margin")):
        status, said = vnla("evaluate", run, "--help-policy", "entropy", "--help-option", wrong)
        assert status == 2 and message in " ".join(said.split()), said


def test_one_seed_has_no_interval(vnla: Vnla, run: Path) -> None:
    status, said = vnla("evaluate", run, "--split", "test_seen", "--seeds", 1)
    assert status == 0, said
    assert "success_rate, %" in said
    assert not any(f"{word}, {word}" in said for word in ("steps", "requests"))
    assert "nan" not in said.replace("nDTW", "")


def test_another_help_policy(vnla: Vnla, run: Path, tmp_path: Path) -> None:
    requests = {}
    for policy in ("none", "teacher"):
        file = tmp_path / f"{policy}.json"
        status, said = vnla("evaluate", run, "--split", "test_seen", "--seeds", 1, "--help-policy", policy, "--json", file)
        assert status == 0, said
        assert f"help policy {policy}" in " ".join(said.split())
        assert "nan" not in said  # who never asks has no precision
        requests[policy] = json.loads(file.read_text())["test_seen"]["figures"]["requests"]["mean"]
    assert requests["none"] == 0 < requests["teacher"]
    status, said = vnla("evaluate", run, "--help-policy", "oracle")
    assert status == 2 and "unknown" in said


def test_another_k_and_another_ratio(vnla: Vnla, run: Path, tmp_path: Path) -> None:
    """T steps · τ / k requests, rounded up or down by chance; the policy "first" makes one at every step until then."""
    dataset = read_dataset(run.parents[1] / "tasks")
    steps = {task.id: dataset.budgets[task.start_room, task.goal_room] for task in dataset.split("test_seen")}
    for k, ratio in ((5, 0.4), (1, 0.25)):
        file = tmp_path / f"{k}.csv"
        status, said = vnla("evaluate", run, "--split", "test_seen", "--seeds", 2, "--k", k, "--ratio", ratio, "--csv", file)
        assert status == 0, said
        for row in rows(file):
            budget = int(row["help_budget"])
            assert abs(budget - steps[row["task"]] * ratio / k) < 1
            assert int(row["requests"]) == min(int(row["steps"]), budget) >= 1


def test_success_against_help_is_drawn(vnla: Vnla, run: Path, tmp_path: Path) -> None:
    status, said = vnla("evaluate", run, "--split", "test_seen", "--seeds", 1, "--sweep", tmp_path / "sweep")
    assert status == 0, said
    assert (tmp_path / "sweep" / "sweep_test_seen.png").read_bytes().startswith(b"\x89PNG")
    rows = json.loads((tmp_path / "sweep" / "sweep_test_seen.json").read_text())["test seen"]
    requests = [row["requests"][0] for row in rows]
    assert requests[0] == 0
    assert requests == sorted(requests)
    assert requests[-1] > 0


def test_watching_draws_what_it_tells(vnla: Vnla, run: Path, tmp_path: Path) -> None:
    status, said = vnla("watch", run, "--split", "test_seen", "--out", tmp_path)
    assert status == 0, said
    assert {path.suffix for path in tmp_path.iterdir()} == {".png", ".gif"}
    assert "drawn:" in said


@pytest.fixture(scope="module")
def cottage_with_views(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A world with features of the pretrained agent's kind, of nothing in particular."""
    world, tasks = write_cottage(tmp_path_factory.mktemp("views"))
    folder = read_world(world)
    places = viewpoints_of(World.compile(folder.houses))
    header = Header("efficientnet-lite0", "none", 1280, Size(224, 168), 60.0, world_checksum(folder), places)
    with StoreWriter(store_path(world, header.encoder), header, durable=False) as store:
        store.write(0, np.random.default_rng(3).random((len(places), VIEWS, 1280)))
        store.finish()
    return world, tasks


@pytest.mark.parametrize("agent", ["pretrained", "pretrained-panorama"])
def test_the_pretrained_agents_can_be_tried_anywhere(
    vnla: Vnla, cottage_with_views: tuple[Path, Path], tmp_path: Path, agent: str
) -> None:
    """What it does where there is nothing to see is its own affair, so it asks at first, as often as it may."""
    world, tasks = cottage_with_views
    where, file = ["--world", world, "--tasks", tasks], tmp_path / "episodes.csv"
    status, said = vnla(
        "evaluate", agent, *where, "--split", "test_seen", "--seeds", 1, "--help-policy", "first", "--csv", file
    )
    assert status == 0, said
    found = rows(file)
    assert {row["run"] for row in found} == {agent}
    assert all(int(row["requests"]) == min(int(row["steps"]), int(row["help_budget"])) >= 1 for row in found)
    status, said = vnla("watch", agent, *where, "--split", "test_seen")
    assert status == 0, said
    assert "The agent begins in" in said and "times and walked" in said


def test_the_pretrained_agent_walks_in_the_small_world_unless_told_otherwise(vnla: Vnla, run: Path) -> None:
    status, said = vnla("evaluate", "pretrained", "--split", "test_unseen", "--seeds", 1, "--subset", 2)
    assert status == 0 and "this is the small world that comes with vnla" in said
    status, said = vnla("evaluate", "pretrained", "--world", run)
    assert status == 2
    assert said.splitlines()[-1] == (
        "vnla: error: the pretrained agent: say which --tasks goes with --world, or leave both out"
    )
    assert vnla("evaluate", run, "--world", run)[0] == 2


def test_unknown_splits_are_named(vnla: Vnla, run: Path) -> None:
    status, said = vnla("evaluate", run, "--split", "test_somewhere", "--checkpoint", "last")
    assert status == 2
    assert "has no split 'test_somewhere'" in said


def test_an_agent_that_never_learned_to_ask_is_not_asked_when(vnla: Vnla, runs: Path) -> None:
    status, said = vnla("evaluate", runs / "none", "--split", "test_seen", "--help-policy", "learned")
    assert status == 2
    assert said == (
        f"vnla: error: {runs / 'none'}: was trained under the help policy none, which does not learn when to ask; "
        "--help-policy learned needs a run that was trained under it\n"
    )


def test_a_folder_of_runs(vnla: Vnla, runs: Path, tmp_path: Path) -> None:
    files = {name: tmp_path / name for name in ("s.json", "e.csv", "results", "npz")}
    status, said = vnla(
        "evaluate", runs, "--split", "test_seen", "--seeds", 1, "--json", files["s.json"], "--csv", files["e.csv"],
        "--results", files["results"], "--npz", files["npz"],
    )  # fmt: skip
    assert status == 0, said
    assert "help policy first" in " ".join(said.split()) and "help policy none" in " ".join(said.split())
    summary = json.loads(files["s.json"].read_text())
    assert {name: list(splits) for name, splits in summary.items()} == {"first": ["test_seen"], "none": ["test_seen"]}
    assert summary["none"]["test_seen"]["figures"]["requests"]["mean"] == 0
    assert summary["first"]["test_seen"]["figures"]["requests"]["mean"] >= 1
    assert [row["run"] for row in rows(files["e.csv"])] == ["first"] * 6 + ["none"] * 6
    assert {each.parent.name for each in files["results"].glob("*/test_seen.json")} == {"first", "none"}
    assert read_scores(files["npz"] / "first" / "test_seen" / "evaluation.npz").shape == (1, 6)


def test_one_run_has_its_files_where_it_was_told(vnla: Vnla, run: Path, tmp_path: Path) -> None:
    status, said = vnla(
        "evaluate", run, "--split", "test_seen", "--split", "test_seen", "--seeds", 2, "--csv", tmp_path / "e.csv",
        "--npz", tmp_path / "npz", "--results", tmp_path / "results",
    )  # fmt: skip
    assert status == 0, said
    scores, found = read_scores(tmp_path / "npz" / "test_seen" / "evaluation.npz"), rows(tmp_path / "e.csv")
    assert (tmp_path / "results" / "test_seen.json").is_file()
    assert len(found) == 12
    assert [float(row["nav_error"]) for row in found] == scores.nav_error.ravel().tolist()
    assert [row["seed"] for row in found] == ["123"] * 6 + ["435"] * 6


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--device", "nope"], "device nope: unknown"),
        (["--device", "cuda"], "device cuda: there is no GPU"),
        (["--checkpoint", "nope"], "has no checkpoint nope; it has val_seen, val_unseen, last"),
        (["--metric", "spl.wrong"], "metric spl.wrong: unknown"),
        (["--metric", "nowhere.at_all:it"], "module nowhere.at_all cannot be imported"),
        (["--help-policy", "oracle"], "help policy oracle: unknown"),
        (["--threads", "0"], "--threads"),
    ],
)
def test_what_cannot_be_is_said_before_anything_is_loaded(
    vnla: Vnla, run: Path, options: list[str], complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    status, said = vnla("evaluate", run, *options)
    assert status == 2
    assert complaint in said and len(said.splitlines()) == 1


@pytest.mark.parametrize("option", ["--json", "--csv", "--results", "--npz", "--sweep"])
def test_a_place_that_cannot_be_written_is_said_before_anything_is_loaded(
    vnla: Vnla, run: Path, option: str, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("kept")
    status, said = vnla("evaluate", run, option, tmp_path / "file" / "within")
    assert status == 2
    assert "cannot be written (Not a directory)" in said and len(said.splitlines()) == 1
    assert (tmp_path / "file").read_text() == "kept"


def test_so_many_threads(vnla: Vnla, run: Path) -> None:
    before = torch.get_num_threads()
    try:
        status, said = vnla("evaluate", run, "--split", "test_seen", "--seeds", 1, "--threads", before + 1)
        assert (status, torch.get_num_threads()) == (0, before + 1), said
    finally:
        torch.set_num_threads(before)


def test_how_far_it_is_goes_to_stderr_in_lines(vnla: Vnla, run: Path) -> None:
    status, said = vnla("evaluate", run, "--split", "test_seen", "--seeds", 2)
    assert status == 0
    told = [line.split(maxsplit=1)[1] for line in said.splitlines()[-3:]]  # without the time
    assert told == [f"loading {run}", "0%  evaluating test_seen 0/12", "100%  evaluating test_seen 12/12"]


def test_a_run_whose_name_has_brackets_is_named_as_it_is(vnla: Vnla, run: Path, tmp_path: Path) -> None:
    shutil.copytree(run, tmp_path / "[bold]")
    config = RunConfig.read(run / CONFIG)
    places = ("--world", config.world, "--tasks", config.tasks)
    status, said = vnla("evaluate", tmp_path / "[bold]", "--split", "test_seen", "--seeds", 1, *places)
    assert status == 0, said
    table, _, _ = said.partition("loading")
    assert "[bold],help" in "".join(table.split())


@pytest.mark.parametrize("name", ["examples.advisor:Warmer", "warmer"])
def test_an_advisor_of_ones_own_speaks_to_a_run(
    vnla: Vnla, run: Path, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a class, and by the name under which a package offers it: in `evaluate`, `advice` and `train` alike."""
    described = tmp_path / "advisors_of_a_test-1.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: advisors-of-a-test\nVersion: 1.0\n")
    (described / "entry_points.txt").write_text("[vnla.advisors]\nwarmer = examples.advisor:Warmer\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(Path(__file__).parents[2])
    results = tmp_path / "results"
    status, said = vnla(
        "evaluate", run, "--split", "val_seen", "--seeds", 1, "--advisor-language", name, "--advisor-option", "near=3",
        "--results", results,
    )  # fmt: skip
    assert status == 0, said
    told = {text for file in results.rglob("*.json") for each in json.loads(file.read_text()) for text in each["subgoals"]}
    assert told - {None} <= {"you are near .", "you are on the way .", "you are far away ."} and told != {None}
    status, said = vnla("evaluate", run, "--split", "val_seen", "--advisor-language", name, "--advisor-option", "colour=red")
    assert status == 2 and "has no option colour; its options are near, far" in said
    world, tasks = run.parent.parent / "world", run.parent.parent / "tasks"
    status, said = vnla("advice", world, "--advisor-language", name, "--count", 3)
    assert status == 0 and "you are" in said, said
    made = ["--world", world, "--tasks", tasks, "--features", "symbolic", "--iterations", 1, "--batch", 4, "--hidden", 8]
    for options in (["--advisor", name], ["--advisor-language", name]):
        status, said = vnla("train", tmp_path / options[0].strip("-"), *options, *made)
        assert status == 0, said
    status, said = vnla("train", tmp_path / "led", "--advisor", "direct", "--advisor-language", name, *made)
    assert status == 2 and f"advisor {name}: has no field direct" in said


def test_what_intervals_are_over_is_said_where_there_are_any(vnla: Vnla, run: Path) -> None:
    told = [" ".join(vnla("evaluate", run, "--split", "test_seen", "--seeds", seeds)[1].split()) for seeds in (1, 2)]
    assert ["over 2 seeds of the help budgets" in each for each in told] == [False, True]


@pytest.mark.parametrize("words", [("--seeds", 2), ("--subset", 3), ("--ratio", 0), ("--out", "there"), ("--dry-run",)])
def test_what_was_done_already_takes_no_options_of_an_evaluation(
    vnla: Vnla, run: Path, tmp_path: Path, words: tuple[object, ...]
) -> None:
    assert vnla("evaluate", run, "--split", "test_seen", "--seeds", 1, "--results", tmp_path)[0] == 0
    recorded = ("evaluate", run, "--recorded", tmp_path / "test_seen.json")
    status, said = vnla(*recorded, *words)
    assert status == 2 and said.startswith("vnla: error: --recorded scores what was done; it takes only --world"), said
