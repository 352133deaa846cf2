"""`vnla evaluate` and `vnla watch` on a run of the cottage: tables, other budgets and subgoals, success against help."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cottage_run import write_cottage
from vnla import cli

Vnla = Callable[..., tuple[int, str]]


@pytest.fixture
def vnla(capfd: pytest.CaptureFixture[str]) -> Vnla:
    def run(*arguments: object) -> tuple[int, str]:
        with pytest.raises(SystemExit) as left:
            cli.main([str(argument) for argument in arguments])
        assert isinstance(left.value.code, int)
        said = capfd.readouterr()
        return left.value.code, said.out + said.err

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
    assert "success_rate" in said
    assert "nan" not in said.replace("nDTW", "")


def test_another_k_and_another_ratio(vnla: Vnla, run: Path, tmp_path: Path) -> None:
    """25 steps · 0.4 / 5 actions = 2 requests, all of which the policy "first" makes."""
    file = tmp_path / "summary.json"
    arguments = ["evaluate", run, "--split", "test_seen", "--seeds", 2, "--k", 5, "--ratio", 0.4, "--json", file]
    status, said = vnla(*arguments)
    assert status == 0, said
    assert 0 < json.loads(file.read_text())["test_seen"]["figures"]["requests"]["mean"] <= 2


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


def test_unknown_splits_are_named(vnla: Vnla, run: Path) -> None:
    status, said = vnla("evaluate", run, "--split", "test_somewhere", "--checkpoint", "last")
    assert status == 2
    assert "has no split 'test_somewhere'" in said
