"""The data of a study whose records or databases are damaged: one line that names what is wrong, and no files."""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from command import Vnla
from serve.study.conftest import new_study
from serve.study.people import Person, StudyDoor
from vnla.common.errors import InputError
from vnla.serve.study import export
from vnla.serve.study.app import StudySite
from vnla.serve.study.checked import DamagedError
from vnla.serve.study.export import export_study

COLUMNS = {
    "study": ["configuration"],
    "gone": ["withdrew"],
    "participants": ["id", "token", "cell", "status", "consent", "consented", "heard", "finished"],
    "tries": ["participant", "number", "place", "task", "began", "passed", "acknowledged"],
}
NUMBERS: list[Any] = [None, True, -1, 0, 1, 7, 1.5, 10**30, -(10**400), float("nan"), float("inf"), 1e300]
TEXTS = ["", "x", "\ud800", "\x1b[2J", "../x", "9" * 5000, "beat", "ended"]
ODD = st.sampled_from([*NUMBERS, *TEXTS, [], {}, [[]], {"a": 1}, [0] * 40, [None], [{}]])
AMOUNTS: list[Any] = [None, -1, 0, 1, 2, 99, 2**62, 1.5, -1.0, 1e18, 1e300, float("inf")]
WORDS = ["", "x", "../../x", "completed", "at work", "silent", b"", b"\xff\xfe", b"\x00" * 9, "9" * 5000]
STORED = st.sampled_from([*AMOUNTS, *WORDS])
MANY = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def recorded(study_site: StudySite, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study that one has completed, one is at work in, and one has withdrawn from."""
    folder = tmp_path_factory.mktemp("export") / "study"
    new_study(folder, study_site.engine.trained)
    with StudyDoor(study_site, folder) as door:
        first, second, third = (Person(door) for _ in range(3))
        for person in (first, second, third):
            person.agree()
        first.go_through()
        second.say("next")
        second.say("next")
        third.say("withdraw")
    return folder


@contextmanager
def copied(study: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(study, Path(folder) / "study")
        yield Path(folder) / "study"


def longest(study: Path) -> Path:
    """The record of who has completed it."""
    return max((study / "records").iterdir(), key=lambda path: path.stat().st_size)


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def spots(value: Any) -> list[tuple[Any, Any]]:
    """Every container in a value with every key that it has."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [spot for key, each in inside for spot in ((value, key), *spots(each))]


def check(study: Path, named: Path | None = None) -> bool:
    """Whether the study can be exported; if not it is told in one line, and nothing is written."""
    out = study.parent / "data"
    try:
        export_study(study, out)
    except InputError as error:
        assert str(study) in str(error) and "\n" not in str(error)
        assert not out.exists() and not [path for path in study.parent.iterdir() if path != study]
        if isinstance(error, DamagedError):
            exported = export_study(study, out, skip_damaged=True)
            assert exported.damaged == {named.stem: str(error)} if named else exported.damaged
            assert json.loads((out / "summary.json").read_text())["damaged"] == [*exported.damaged]
        return False
    for line in (out / "events.jsonl").read_text().splitlines():
        json.loads(line, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    return True


def test_what_is_whole_is_exported(recorded: Path) -> None:
    with copied(recorded) as study:
        assert check(study)
        assert json.loads((study.parent / "data" / "summary.json").read_text())["damaged"] == []


@MANY
@given(data=st.data(), value=ODD, removes=st.booleans())
def test_a_value_of_a_record_that_is_another(recorded: Path, data: st.DataObject, value: Any, removes: bool) -> None:
    with copied(recorded) as study:
        path = longest(study)
        found = lines(path)
        container, key = data.draw(st.sampled_from(spots(data.draw(st.sampled_from(found)))))
        if removes:
            del container[key]
        else:
            container[key] = value
        path.write_text("".join(json.dumps(line) + "\n" for line in found))
        check(study, path)


@MANY
@given(data=st.data(), junk=st.binary(max_size=3), size=st.integers(0, 200))
@example(data=None, junk=b"\xff", size=0)
def test_bytes_of_a_record_that_are_others(recorded: Path, data: st.DataObject | None, junk: bytes, size: int) -> None:
    with copied(recorded) as study:
        path = longest(study)
        whole = path.read_bytes()
        at = data.draw(st.integers(0, len(whole))) if data else 100
        path.write_bytes(whole[:at] + junk + whole[at + size :])
        check(study, path)


@MANY
@given(data=st.data(), how=st.sampled_from(["drop", "double", "swap"]))
def test_lines_of_a_record_that_are_elsewhere(recorded: Path, data: st.DataObject, how: str) -> None:
    with copied(recorded) as study:
        path = longest(study)
        found = path.read_text().splitlines(keepends=True)
        one, other = (data.draw(st.integers(0, len(found) - 1)) for _ in range(2))
        match how:
            case "drop":
                del found[one]
            case "double":
                found.insert(one, found[one])
            case "swap":
                found[one], found[other] = found[other], found[one]
        path.write_text("".join(found))
        check(study, path)


@MANY
@given(data=st.data(), table=st.sampled_from([*COLUMNS]), value=STORED)
def test_a_value_of_a_database_that_is_another(recorded: Path, data: st.DataObject, table: str, value: Any) -> None:
    with copied(recorded) as study:
        column = data.draw(st.sampled_from(COLUMNS[table]))
        text = isinstance(value, bytes) and data.draw(st.booleans())
        with closing(sqlite3.connect(study / "study.sqlite")) as database, database:
            rows = [row for (row,) in database.execute(f"SELECT rowid FROM {table}")]
            new = "CAST(? AS TEXT)" if text else "?"
            try:
                database.execute(
                    f"UPDATE {table} SET {column} = {new} WHERE rowid = ?", (value, data.draw(st.sampled_from(rows)))
                )
            except sqlite3.IntegrityError:
                assume(False)
        check(study)


@pytest.mark.parametrize("name", ["study.sqlite", "platform.sqlite"])
def test_a_database_that_is_none(recorded: Path, name: str) -> None:
    with copied(recorded) as study:
        (study / name).write_bytes(b"not a database, whatever it is called" * 100)
        with pytest.raises(InputError, match=r"is damaged \(file is not a database\); put back copies"):
            export_study(study, study.parent / "data")


def first(found: list[Any], kind: str) -> dict[str, Any]:
    return next(line["event"] for line in found if line.get("event", {}).get("kind") == kind)


def trial(found: list[Any]) -> dict[str, Any]:
    return next(line["trial"] for line in found if "trial" in line)


def without(what: str) -> Callable[[list[Any]], object]:
    return lambda found: found.remove(next(line for line in found if what in line))


DAMAGE: list[tuple[Callable[[list[Any]], object], str]] = [
    (lambda found: first(found, "stood")["pose"].update(heading=12), r"event.*heading: Input should be less than"),
    (lambda found: first(found, "stood").update(step="0"), r"event.*step: Input should be a valid integer"),
    (lambda found: first(found, "begun").update(house="0" * 12), "names a house or place that the world does not have"),
    (lambda found: first(found, "begun").update(requests=-1), "time or requests is not within 0 to 25"),
    (lambda found: first(found, "begun").update(mode="watch"), "mode is not that of its condition"),
    (lambda found: first(found, "ended").update(metres=float("nan")), "a number in it is none"),
    (lambda found: found[0].update(at=float("inf")), "line 1 is damaged"),
    (lambda found: found[0].update(at=-1), r"line 1 is damaged \(at: Input should be greater than or equal to 0\)"),
    (lambda found: found[1].update(event=first(found, "stood")), "line 2 is damaged"),
    (lambda found: first(found, "begun").pop("number"), "has not all events"),
    (lambda found: found.pop(), "has not all events up to number"),
    (without("wanted"), "the task is not one of its place"),
    (lambda found: trial(found).update(condition="x"), "kind or condition is not"),
    (lambda found: trial(found).update(place=-1), "no such place"),
    (lambda found: trial(found).update(number=9), "not after the one before"),
    (without("trial"), "has an event before the first trial"),
    (lambda found: next(line for line in found if "wanted" in line)["wanted"].update(task="0"), "the task is not one"),
]  # fmt: skip


@pytest.mark.parametrize(("damage", "why"), DAMAGE)
def test_what_is_wrong_with_a_record_is_named(recorded: Path, damage: Callable[[list[Any]], object], why: str) -> None:
    with copied(recorded) as study:
        path = longest(study)
        found = lines(path)
        damage(found)
        path.write_text("".join(json.dumps(line) + "\n" for line in found))
        with pytest.raises(DamagedError, match=why) as damaged:
            export_study(study, study.parent / "data")
        assert str(damaged.value).startswith(f"{path}: ") and "put back a copy of this record" in str(damaged.value)


def test_the_command_refuses_damaged_records_or_names_them(recorded: Path, tmp_path: Path, vnla: Vnla) -> None:
    with copied(recorded) as study:
        path = longest(study)
        path.write_text(path.read_text().replace('"heading":', '"course":', 1))
        answer = vnla("study", "export", study, "--out", tmp_path / "data")
        assert answer.status == 2 and answer.err.count("\n") == 1 and str(path) in answer.err
        assert not (tmp_path / "data").exists()
        answer = vnla("study", "export", study, "--out", tmp_path / "data", "--skip-damaged")
        assert answer.status == 0 and f"left out: {path}: line" in answer.err
        assert path.stem not in (tmp_path / "data" / "events.jsonl").read_text()
        assert json.loads((tmp_path / "data" / "results.json").read_text()) == []
        assert path.stem in (tmp_path / "data" / "participants.csv").read_text()


def test_a_record_that_is_missing(recorded: Path) -> None:
    with copied(recorded) as study:
        longest(study).unlink()
        with pytest.raises(DamagedError, match=r"is missing, but study\.sqlite knows what was in it"):
            export_study(study, study.parent / "data")


def test_who_withdraws_during_an_export_is_not_in_it(
    study_site: StudySite, recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with copied(recorded) as study, StudyDoor(study_site, study) as door:
        name = longest(study).stem

        def withdraws(folder: Path, participant: str) -> Path:
            door.study.store.withdraw(name)
            (folder / "records" / f"{name}.jsonl").unlink(missing_ok=True)
            return folder / "records" / f"{participant}.jsonl"

        monkeypatch.setattr(export, "record_of", withdraws)
        export_study(study, study.parent / "data")
        for path in (study.parent / "data").iterdir():
            assert name not in path.read_text()
