"""The workflow of the benchmark: entries of strangers are data, and the one job that may write runs nothing of theirs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PATH = ROOT / ".github" / "workflows" / "benchmark.yml"
TEXT = PATH.read_text(encoding="utf-8")
WORKFLOW: dict[Any, Any] = yaml.safe_load(TEXT)
JOBS: dict[str, dict[str, Any]] = WORKFLOW["jobs"]
ENTRIES = "results/benchmark/entries"


def commands(job: str) -> str:
    return "\n".join(step["run"] for step in JOBS[job]["steps"] if "run" in step)


def test_a_fork_is_given_nothing() -> None:
    assert set(WORKFLOW[True]) == {"pull_request", "push"}  # YAML reads "on" as true; never pull_request_target
    assert "secrets" not in TEXT
    assert WORKFLOW["permissions"] == {}
    assert {name: job["permissions"] for name, job in JOBS.items()} == {
        "verify": {"contents": "read"},
        "beacons": {"contents": "write"},
        "board": {"contents": "read"},
    }
    assert JOBS["verify"]["if"] == "github.event_name == 'pull_request'"
    assert JOBS["beacons"]["if"] == "github.event_name == 'push'"
    assert WORKFLOW[True]["push"]["branches"] == ["main"]


def test_no_command_is_made_of_what_others_wrote() -> None:
    assert not [name for name in JOBS if "${{" in commands(name)]


def test_the_program_is_that_of_the_branch_and_the_entries_are_data() -> None:
    checkouts = [step["with"] for step in JOBS["verify"]["steps"] if "checkout" in step.get("uses", "")]
    assert [each["path"] for each in checkouts] == ["program", "submitted"]
    assert checkouts[0]["ref"] == "${{ github.event.pull_request.base.sha }}"
    assert all(each["persist-credentials"] is False for each in checkouts)
    ran = commands("verify")
    assert "pip install -c program/constraints.txt './program[benchmark]'" in ran
    assert not re.search(r"(pip install|python|bash)\s+\S*submitted", ran)
    assert "pip" not in commands("beacons")


def test_every_command_is_there(tmp_path: Path) -> None:
    assert os.access(ROOT / ".ci" / "entries", os.X_OK)
    beacons = tmp_path / "beacons.json"
    beacons.write_text(f'{{"{"1" * 64}": ""}}', encoding="utf-8")
    draw = commands("beacons").splitlines()[0].removeprefix("PYTHONPATH=src python ")
    assert draw == "-m vnla.experiments.benchmark.beacons draw results/benchmark/beacons.json"
    start = "import runpy, sys; sys.path.insert(0, 'src'); runpy._run_module_as_main(sys.argv.pop(1))"
    alone = [sys.executable, "-I", "-S", "-c", start]  # without any package that is installed
    subprocess.run([*alone, "vnla.experiments.benchmark.beacons", "draw", str(beacons)], cwd=ROOT, check=True)
    assert re.search(r'"1{64}": "[0-9a-f]{32}"', beacons.read_text(encoding="utf-8"))


@pytest.fixture
def submitted(tmp_path: Path) -> Path:
    """A checkout whose last commit brings entries with names that a shell would obey, and takes one away."""
    place = tmp_path / "submitted"
    place.mkdir()

    def git(*words: str) -> None:
        who = ["-c", "user.name=x", "-c", "user.email=x@y", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *who, *words], cwd=place, check=True, capture_output=True)

    def write(name: str) -> None:
        file = place / ENTRIES / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name, encoding="utf-8")

    git("init", "-q")
    for name in ("kept/manifest.json", "gone/manifest.json", "changed/manifest.json"):
        write(name)
    git("add", "-A")
    git("commit", "-qm", "before")
    shutil.rmtree(place / ENTRIES / "gone")
    for name in ("changed/card.md", "$(touch ran)/manifest.json", "a b\nc/results/x", "--help/manifest.json", "README.md"):
        write(name)
    git("add", "-A")
    git("commit", "-qm", "after")
    return place


def verified(submitted: Path, tmp_path: Path, status: int = 0) -> tuple[int, list[str]]:
    """What is verified, by a program that only writes down what it is given."""
    program, noted = tmp_path / "bin" / "vnla", tmp_path / "noted"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nprintf "%s\\0" "$6" >> "{noted}"\nexit {status}\n', encoding="utf-8")
    program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "HOUSES": "h"}
    done = subprocess.run([ROOT / ".ci" / "entries", submitted], env=environment, capture_output=True, check=False)
    return done.returncode, sorted(filter(None, noted.read_text(encoding="utf-8").split("\0"))) if noted.exists() else []


def test_entries_that_change_are_verified_whatever_they_are_called(submitted: Path, tmp_path: Path) -> None:
    names = ["$(touch ran)", "--help", "a b\nc", "changed"]
    assert verified(submitted, tmp_path) == (0, [f"{ENTRIES}/{name}/" for name in names])
    assert not (submitted / "ran").exists()


def test_one_that_is_wrong_fails_it(submitted: Path, tmp_path: Path) -> None:
    status, _ = verified(submitted, tmp_path, status=2)
    assert status == 2


def test_links_are_refused(submitted: Path, tmp_path: Path) -> None:
    (submitted / ENTRIES / "mine").symlink_to(submitted / ENTRIES / "kept")
    assert verified(submitted, tmp_path) == (2, [])
