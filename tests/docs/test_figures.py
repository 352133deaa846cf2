"""No two pages contradict each other about a number that matters: each is that of the record it comes from."""

from __future__ import annotations

import json
import re
import runpy
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from statistics import fmean

import pytest

from pages import CARDS, PAGES, ROOT
from vnla.experiments.paper.published import TABLE_3

RESULTS = ROOT / "results"
SPLITS = ("test_seen", "test_unseen")
PAIR = (
    r"[^\n]{0,60}?(?<![\d.])\**(\d\d\.\d)\**%?(?: in houses it has seen,| on `test_seen`)?(?: \| | and |, | / )\**(\d\d\.\d)"
)
"""Two numbers of one line: success on test seen and unseen."""


def success(*files: str) -> tuple[str, ...]:
    """Success (%) on both test sets, as pages have it: the mean over trainings."""
    read = [json.loads((RESULTS / file).read_text(encoding="utf-8")) for file in files]
    return tuple(f"{fmean(each[split]['figures']['success_rate']['mean'] for each in read):.1f}" for split in SPLITS)


def three(*folders: str) -> tuple[str, ...]:
    return success(*(f"{folder}/evaluate.json" for folder in folders))


LEARNED = three("paper/full/learned", "paper/full/learned-seed1", "paper/full/learned-seed2")
PANORAMA = three(*(f"panorama/seed{seed}" for seed in range(3)))
PUBLISHED = tuple(f"{TABLE_3['indirect'][split].mean:.1f}" for split in SPLITS)
FIGURES = {
    r"LEARNED, as published \|": PUBLISHED,
    r"LEARNED, all of the paper's 100,000 iterations, three trainings \|": LEARNED,
    r"LEARNED, the paper's \| one view \| 100,000 \|": LEARNED,
    r"trained for 100,000 iterations in the same houses, has": LEARNED,
    r"\[an agent that sees all around\]\(\S+\), three trainings \|": PANORAMA,
    r"all around, and as above \| 10,000 \|": PANORAMA,
    r"worlds/small --tasks tasks/small --seeds 2\n--split test_seen --split test_unseen` gives": success(
        "panorama/small-world.json"
    ),
    r"Test seen \*\*": success("paper/alone/test.json"),
}
"""What stands before two numbers → the numbers that have to stand there."""


@cache
def text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def numbers(phrase: str, pages: Iterable[Path]) -> list[tuple[str, tuple[str, ...]]]:
    found = re.compile(phrase + PAIR)
    return [(str(page.relative_to(ROOT)), each.groups()) for page in pages for each in found.finditer(text(page))]


@pytest.mark.parametrize(("phrase", "expected"), FIGURES.items())
def test_every_page_has_the_numbers_of_the_record(phrase: str, expected: tuple[str, ...]) -> None:
    if phrase.startswith("Test seen"):  # a sentence, not a row: the numbers stand in it, with their margins
        page = " ".join(text(RESULTS / "README.md").split())
        assert f"Test seen **{expected[0]} ± " in page and f"test unseen **{expected[1]} ± " in page
        return
    found = numbers(phrase, PAGES)
    assert found, "no page has it any more: take it from this test as well"
    assert [each for each in found if each[1] != expected] == []


@pytest.mark.parametrize(
    ("card", "expected"),
    [("one_view", success("beyond/first-look/test.json")), ("panorama", three("panorama/seed1"))],
)
def test_cards_have_the_numbers_of_their_records(card: str, expected: tuple[str, ...]) -> None:
    [page] = [each for each in CARDS if each.parent.name == card]
    assert re.findall(r"\| test sets \| ([\d.]+)% in houses [^,|]*, ([\d.]+)% in ", text(page)) == [expected]


LARGE = re.compile(r"^.*(?:\bwheel\b|`vnla-\S+\.whl`).{0,80}?\d+(?:\.\d+)? ?MB.*$", re.MULTILINE)
"""A line that says how large the wheel is."""


def test_only_the_page_of_times_says_how_large_the_wheel_is() -> None:
    assert LARGE.search("| `vnla-0.1.0-py3-none-any.whl` | 48.53 MB |") and LARGE.search("a wheel of 16 MB")
    assert [line for page in PAGES if page.name != "times.md" for line in LARGE.findall(text(page))] == []


def test_a_page_with_another_number_is_noticed() -> None:
    page = ROOT / "README.md"
    wrong = text(page).replace(f"| {LEARNED[0]} |", "| 99.9 |")
    assert wrong != text(page)
    found = re.search(r"LEARNED, all of the paper's 100,000 iterations, three trainings \|" + PAIR, wrong)
    assert found is not None and found.groups() != LEARNED


class TestTimes:
    """The times of the front page's commands stand on one page, and are those that were measured."""

    script = runpy.run_path(str(ROOT / "benchmarks" / "experiments" / "times.py"))
    kept = json.loads((RESULTS / "times" / "times.json").read_text(encoding="utf-8"))

    def test_every_command_of_the_front_page_was_timed(self) -> None:
        assert [row["command"] for row in self.kept["rows"]] == [command for command, _ in self.script["front"]()]

    def test_both_pages_have_what_was_measured(self) -> None:
        page, front = (text(self.script[name]) for name in ("PAGE", "README"))
        assert self.script["with_table"](page, self.kept) == page, "run benchmarks/experiments/times.py --write-only"
        assert self.script["with_times"](front, self.kept) == front, "run benchmarks/experiments/times.py --write-only"

    def test_no_other_page_says_how_long_they_take(self) -> None:
        told = re.compile(r"^.*(?:vnla demo|make demo|paper out --preset small)\b.*\bminutes?\b.*$", re.MULTILINE)
        elsewhere = [page for page in PAGES if page.name not in ("times.md", "CHANGELOG.md") and page.parent != RESULTS]
        assert [line for page in elsewhere for line in told.findall(text(page))] == []
