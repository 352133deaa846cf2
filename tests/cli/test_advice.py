"""`vnla advice`: sentences as a list and as a page, and one line for what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from cottage_run import write_cottage
from vnla import cli


def run(*arguments: object) -> int:
    with pytest.raises(SystemExit) as left:
        cli.main([str(each) for each in arguments])
    assert isinstance(left.value.code, int)
    return left.value.code


def test_sentences_are_listed_and_the_same_for_a_seed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world, _ = write_cottage(tmp_path)
    assert run("advice", world, "--count", 20, "--seed", 1) == 0
    first = capsys.readouterr().out
    assert len(first.splitlines()) == 20
    assert run("advice", world, "--count", 20, "--seed", 1) == 0
    assert capsys.readouterr().out == first
    assert run("advice", world, "--count", 20, "--advisor-language", "template") == 0
    assert "go forward" in capsys.readouterr().out
    assert run("advice", world, "--count", 20, "--seed", 1, "--split", "train") == 0
    assert capsys.readouterr().out == first, "its only house is in every split"
    assert run("advice", world, "--split", "other") == 2
    assert "has no split" in capsys.readouterr().err


def test_a_page_stands_alone_and_has_no_script(tmp_path: Path) -> None:
    world, _ = write_cottage(tmp_path)
    page = tmp_path / "advice.html"
    assert run("advice", world, "--count", 3, "--out", page) == 0
    text = page.read_text(encoding="utf-8")
    assert text.count("<section>") == 3 and "<script" not in text and "http" not in text.replace("http-equiv", "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--advisor-option", "says=nonsense"], "choose from usual"),
        (["--advisor-language", "nobody"], "unknown"),
        (["--advisor-option", "colour=red"], "has no option colour"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world, _ = write_cottage(tmp_path)
    assert run("advice", world, *options) == 2
    error = capsys.readouterr().err
    assert message in error and len(error.splitlines()) == 1
