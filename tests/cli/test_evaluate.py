"""`vnla evaluate` and `vnla watch` on a run of the cottage: tables, other budgets and subgoals, success against help."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import command
from cottage_run import write_cottage
from vnla import cli
from vnla.houses.folder import read_world
from vnla.vision.encoders.base import Size
from vnla.vision.store import Header, StoreWriter, store_path, viewpoints_of, world_checksum
from vnla.world.compiled import World
from vnla.world.views import VIEWS

Vnla = Callable[..., tuple[int, str]]


@pytest.fixture
def vnla(vnla: command.Vnla) -> Vnla:
    def run(*arguments: object) -> tuple[int, str]:
        answer = vnla(*arguments)
        return answer.status, answer.out + answer.err

    return run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cottage")
    world, tasks = write_cottage(folder)
    options = ["--world", world, "--tasks", tasks, "--features", "symbolic", "--help-policy", "first", "--iterations", 2]
    with pytest.raises(SystemExit):
        cli.main([str(each) for each in ["train", folder / "run", *options, "--batch", 4, "--hidden", 8]])
    return folder / "run"


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
        requests[policy] = json.loads(file.read_text())["test_seen"]["figures"]["requests"]["mean"]
    assert requests["none"] == 0 < requests["teacher"]
    status, said = vnla("evaluate", run, "--help-policy", "oracle")
    assert status == 2 and "unknown" in said


def test_another_k_and_another_ratio(vnla: Vnla, run: Path, tmp_path: Path) -> None:
    """25 steps · 0.4 / 5 actions = 2 requests, all of which the policy "first" makes."""
    file = tmp_path / "summary.json"
    arguments = ["evaluate", run, "--split", "test_seen", "--seeds", 2, "--k", 5, "--ratio", 0.4, "--json", file]
    status, said = vnla(*arguments)
    assert status == 0, said
    assert 0 <= json.loads(file.read_text())["test_seen"]["figures"]["requests"]["mean"] <= 2


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


def test_the_pretrained_agent_can_be_tried_anywhere(
    vnla: Vnla, cottage_with_views: tuple[Path, Path], tmp_path: Path
) -> None:
    """What it does where there is nothing to see is its own affair; cottage tasks have 25 steps, so 2 or 3 requests each."""
    world, tasks = cottage_with_views
    where = ["--world", world, "--tasks", tasks]
    status, said = vnla(
        "evaluate", "pretrained", *where, "--split", "test_seen", "--seeds", 1, "--json", tmp_path / "s.json"
    )
    assert status == 0, said
    assert 0 <= json.loads((tmp_path / "s.json").read_text())["test_seen"]["figures"]["requests"]["mean"] <= 3
    status, said = vnla("watch", "pretrained", *where, "--split", "test_seen")
    assert status == 0, said
    assert "The agent begins in" in said and "times and walked" in said


def test_the_pretrained_agent_needs_a_world(vnla: Vnla, run: Path) -> None:
    status, said = vnla("evaluate", "pretrained")
    assert (status, said) == (2, "vnla: error: the pretrained agent: say which --world and --tasks to try it on\n")
    assert vnla("evaluate", run, "--world", run)[0] == 2


def test_unknown_splits_are_named(vnla: Vnla, run: Path) -> None:
    status, said = vnla("evaluate", run, "--split", "test_somewhere", "--checkpoint", "last")
    assert status == 2
    assert "has no split 'test_somewhere'" in said
