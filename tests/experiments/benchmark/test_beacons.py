"""Beacons of a board: drawn once, by the board, for digests that were registered before."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vnla.common.errors import InputError
from vnla.experiments.benchmark.beacons import check_registrations, draw_beacon, draw_missing, main, read_beacons

ONE, TWO, THREE = ("1" * 64, "2" * 64, "3" * 64)
DRAWN = "a" * 32


def written(path: Path, beacons: object) -> Path:
    path.write_text(json.dumps(beacons), encoding="utf-8")
    return path


def test_the_first_registration_counts(tmp_path: Path) -> None:
    path = tmp_path / "beacons.json"
    first = draw_beacon(path, ONE)
    assert len(first) == 32 and set(first) <= set("0123456789abcdef")
    assert draw_beacon(path, ONE) == first
    assert draw_beacon(path, TWO) != first
    assert read_beacons(path)[ONE] == first


def test_what_is_missing_is_drawn_and_the_rest_stays(tmp_path: Path) -> None:
    path = written(tmp_path / "beacons.json", {TWO: "", ONE: DRAWN, THREE: ""})
    assert sorted(draw_missing(path)) == [TWO, THREE]
    found = read_beacons(path)
    assert found[ONE] == DRAWN
    assert len({*found.values()} - {""}) == 3
    assert draw_missing(path) == []


def test_a_change_may_register_and_nothing_else() -> None:
    assert check_registrations({ONE: DRAWN}, {ONE: DRAWN, TWO: ""}) == [TWO]
    with pytest.raises(InputError, match="with a beacon of its own"):
        check_registrations({}, {TWO: DRAWN})
    for after in ({}, {ONE: ""}, {ONE: "b" * 32}):
        with pytest.raises(InputError, match="never replaced"):
            check_registrations({ONE: DRAWN}, after)
    with pytest.raises(InputError, match="never replaced"):  # nobody but the board draws
        check_registrations({ONE: ""}, {ONE: DRAWN})


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{",
        '{"1": ""}',
        f'{{"{ONE}": "short"}}',
        f'{{"{ONE}": 1}}',
        f'{{"{ONE}": "", "{ONE}": "{DRAWN}"}}',
        f'{{"{ONE.upper()}A": ""}}',
        f'{{"{ONE}": "{DRAWN}\\n"}}',
    ],
)
def test_what_is_no_file_of_beacons_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "beacons.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"beacons\.json"):
        read_beacons(path)
    with pytest.raises(InputError):
        draw_beacon(path, ONE)
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("digest", ["", "../etc", "A" * 64, f"{ONE}\n", ONE[1:]])
def test_what_is_no_digest_gets_no_beacon(tmp_path: Path, digest: str) -> None:
    with pytest.raises(InputError, match="no digest"):
        draw_beacon(tmp_path / "beacons.json", digest)
    assert not (tmp_path / "beacons.json").exists()


def test_the_workflow_draws_and_checks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = written(tmp_path / "before.json", {}), written(tmp_path / "after.json", {ONE: ""})
    assert main(["check", str(after), "--since", str(before)]) == 0
    assert capsys.readouterr().out == f"registers {ONE}\n"
    assert main(["draw", str(after)]) == 0
    assert capsys.readouterr().out == f"drew the beacon of {ONE}\n"
    assert main(["draw", str(after)]) == 0
    assert capsys.readouterr().out == "nothing to do\n"
    with pytest.raises(SystemExit) as left:
        main(["check", str(before), "--since", str(after)])
    assert left.value.code == 2
    assert "never replaced" in capsys.readouterr().err
