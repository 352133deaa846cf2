"""Commits that pages and records of results name are in the history, or the page says beside them that they are not."""

from __future__ import annotations

import gzip
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from in_turn import in_turn
from pages import PAGES, ROOT

RESULTS = ROOT / "results"
AFTER_THE_WORD = re.compile(r"\bcommits? ([0-9a-f]{7,40})\b(?: (?:to|and) ([0-9a-f]{7,40})\b)?")
SEVEN = re.compile(r"(?<![\w.-])(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{7}(?![\w.-])")
IN_HTML = re.compile(r"<dt>Commit</dt><dd>([0-9a-f]{7,40}\+?)</dd>")

IN_JSON = re.compile(r'"commit":\s*"([^"]*)"')

MISSING = {"630f143": "the commit does not exist, and the run must be repeated"}
"""Commits that a page once named and nobody has, with the sentence that has to stand beside each."""
FOREIGN = {"c88a57c": "authors' code"}
"""Commits of other repositories, with what has to stand beside each."""
CHANGED = "with uncommitted changes"
"""What has to be said of a record whose commit has a +: that commit is not what ran."""


@cache
def history() -> frozenset[str]:
    """All commits up to this one; without a whole history the test is skipped."""
    try:
        shallow = _git("rev-parse", "--is-shallow-repository")
        commits = _git("rev-list", "HEAD").split()
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("there is no history here")
    if shallow != "false":
        pytest.skip("the history is not whole: git fetch --unshallow")
    return frozenset(commits)


def _git(*words: str) -> str:
    command = ["git", "-C", str(ROOT), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@cache
def exists(commit: str) -> bool:
    return any(each.startswith(commit) for each in history())


def named(text: str) -> set[str]:
    """The commits that a page names: after the word, and wherever seven digits look like one."""
    after = {each for found in AFTER_THE_WORD.findall(text) for each in found if each}
    return after | set(SEVEN.findall(text))


def around(text: str, commit: str) -> Iterator[str]:
    """The lines that name a commit, each with the one before and the one after it, as one line."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if commit in line:
            yield " ".join(lines[max(0, number - 1) : number + 2])


@cache
def records() -> tuple[tuple[Path, str], ...]:
    """Each commit that a file of results carries, with the file."""
    return tuple(_records())


def _records() -> Iterator[tuple[Path, str]]:
    for path in sorted(RESULTS.rglob("*")):
        if path.suffix == ".html":
            yield from ((path, found) for found in IN_HTML.findall(path.read_text(encoding="utf-8")))
        elif path.suffix == ".json" or path.name.endswith(".json.gz"):
            data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            yield from ((path, found) for found in IN_JSON.findall(data.decode()))


@in_turn("page", PAGES, lambda page: str(page.relative_to(ROOT)))
def test_named_commits_exist_or_are_said_not_to(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    sentences = MISSING | FOREIGN
    unknown = [each for each in sorted(named(text)) if each not in sentences and not exists(each)]
    assert unknown == [], "no commit of this history: name the one that ran, or say that it is not there"
    told = {each: list(around(text, each)) for each in sorted(named(text) & set(sentences))}
    silent = [each for each, places in told.items() if not all(sentences[each] in place for place in places)]
    assert silent == []


def test_commits_that_are_said_not_to_exist_do_not() -> None:
    assert [each for each in MISSING if exists(each)] == []


def test_commits_of_records_exist() -> None:
    assert [(str(path), commit) for path, commit in records() if not exists(commit.rstrip("+"))] == []


def test_records_of_changed_files_are_told_of() -> None:
    page = (RESULTS / "README.md").read_text(encoding="utf-8")
    told = page.partition("## Commits that cannot be checked out\n")[2].partition("\n## ")[0].splitlines()
    for path, commit in records():
        if commit.endswith("+"):
            inside = path.relative_to(RESULTS)
            rows = [row for row in told if row.startswith((f"| `{inside}`", f"| `{inside.parent}/`")) and commit[:7] in row]
            assert rows, f"{inside} was made from commit {commit[:7]} {CHANGED}: results/README.md does not say so"
            assert all(CHANGED in row for row in rows)
