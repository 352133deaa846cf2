"""The commands of the front page, the quickstart and the tour work as typed, in the order given, from an empty folder."""

from __future__ import annotations

import re
import runpy
import shlex
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import pytest

from command import Vnla
from pages import ROOT

BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COMMENT = re.compile(r"\s+#.*")
PAGES = ["README.md", "docs/start.md", "docs/tour.md"]
FOLDERS = ("worlds/", "tasks/", "runs/", "results/", "studies/", "entries/", "demo/")
MAKES = {"world make": 0, "tasks make": 1, "train": 0, "study new": 0, "benchmark run": 1, "world export": 1}
"""Command → which of the words after it is the folder that it makes."""
OUTPUTS = ("--out", "--results")
MADE = {"demo": "demo/", "paper": "out/", "beyond": "more/"}
"""Command → what its folder is called."""


def commands(page: str) -> Iterator[list[str]]:
    """The words of each line that begins with `vnla`, without the first."""
    for block in BLOCK.findall((ROOT / page).read_text(encoding="utf-8")):
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith("vnla "):
                yield shlex.split(COMMENT.sub("", line))[1:]


def made_by(words: list[str]) -> set[str]:
    """The folders that a command makes."""
    made = {value for option, value in pairwise(words) if option in OUTPUTS}
    for name, place in MAKES.items():
        if words[: len(name.split())] == name.split():
            made.add(words[len(name.split()) + place])
    return made | {MADE[words[0]]} if words[0] in MADE else made


@pytest.mark.parametrize("page", PAGES)
def test_what_a_line_needs_was_made_by_one_before(page: str) -> None:
    there: set[str] = set()
    for words in commands(page):
        there |= made_by(words)
        named = [word.partition("=")[2] or word for word in words]
        missing = [each for each in named if each.startswith(FOLDERS) and not any(each.startswith(one) for one in there)]
        assert missing == [], f"{page}: vnla {' '.join(words)}"


TINY = {
    "world make": "--train 4 --dev 2 --test 12 --rooms 8..8 --storeys 1..1",
    "features make": "--encoder pixels --size 64x48 --workers 1",
    "tasks make": "--size 12 --fewest 1",
    "train": "--features pixels --iterations 4 --validate-every 2 --batch 8 --hidden 16 --threads 1",
    "ceilings": "--limit 4 --schedules 4 --states 2",
    "tune": "--limit 10",
    "advice": "--count 10",
    "speaker": "--iterations 2 --batch 4 --width 8 --tried 2",
    "listen": "--subset 4",
    "calibrate": "--risk 0.95",
    "study new": "--each 1 --practice 0 --passes 0 --catch 0",
    "study rehearse": "--people 2",
    "benchmark run": "--preset tiny",
}
"""Command → options for little to do, which come last and so hold."""
ELSEWHERE = {
    "serve": "its page is fetched by a test of its own",
    "demo": "tests/experiments/paper/test_experiments.py, with the smallest sizes",
    "paper": "the same",
    "beyond": "tests/experiments/beyond/test_experiments.py",
}
"""Command → where it is run, if not here."""


def tiny(words: list[str]) -> list[str]:
    return [
        *words,
        *(word for name, more in TINY.items() if words[: len(name.split())] == name.split() for word in more.split()),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("page", ["README.md", "docs/tour.md"])
def test_every_line_works_in_the_order_given(page: str, vnla: Vnla, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for words in commands(page):
        embedded = words[0] in ("watch", "evaluate") and words[1] == "pretrained"
        if words[0] in ELSEWHERE or (embedded and find_spec("vnla.experiments.embedded") is None):
            continue
        answer = vnla(*tiny(words))
        assert answer.status == 0, f"vnla {' '.join(words)}\n{answer.err}"


@pytest.mark.slow
def test_the_page_answers(tmp_path: Path) -> None:
    script = runpy.run_path(str(ROOT / "benchmarks" / "experiments" / "times.py"))
    assert 0 < script["timed"]("vnla serve", tmp_path) < 120


def test_the_front_page_stays_short_and_has_the_eight_paths() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 80, "move what is longer to a page"
    assert text.count("![") == 1, "one picture"
    assert len(list(commands("README.md"))) + 1 == 5, "five commands, with the installation"
    [table] = re.findall(r"\| I want to … \| page \|\n\| --- \| --- \|\n((?:\|.*\n)+)", text)
    assert len(table.splitlines()) == 8
