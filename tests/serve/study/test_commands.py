"""`vnla study`: what it makes, what it says to bad input, and a rehearsal whose data is read as a paper would."""

from __future__ import annotations

import csv
import json
import socket
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from command import Vnla
from serve.study.people import Person, StudyDoor
from vnla.serve.study.app import StudySite
from vnla.serve.study.design import Consent, Design
from vnla.serve.study.export import EPISODE_COLUMNS, PARTICIPANT_COLUMNS
from vnla.training.trained import Trained

DOCS = Path(__file__).parents[3] / "docs" / "human-study.md"


def line_of(answer: tuple[int, str, str]) -> str:
    """The one line that bad input gets; before it there may be what was being done."""
    status, _, err = answer
    assert status == 2, err
    *before, last = err.splitlines()
    assert last.startswith("vnla: error: ") and not any("rror" in line for line in before), err
    return last.removeprefix("vnla: error: ")


def rows(path: Path) -> list[dict[str, str]]:
    with path.open() as stream:
        return list(csv.DictReader(stream))


def test_a_new_study_has_what_its_readme_says(vnla: Vnla, trained: Trained, tmp_path: Path) -> None:
    folder = tmp_path / "my study"
    options = ("--conditions", "help:advisor,beat", "--each", 1, "--practice", 1, "--catch", 1)
    status, out, _ = vnla("study", "new", folder, trained.folder, *options)
    assert status == 0 and "2 conditions, 2 tasks per participant" in out
    design, readme = Design.read(folder), (folder / "README.md").read_text()
    assert design.name == "my study" and [each.name for each in design.conditions] == ["help:advisor", "beat"]
    assert all(f"`{field}`" in readme for field in Design.model_fields)
    assert "[[" in Consent.read(folder).text
    assert (folder / "secret.key").stat().st_mode & 0o77 == 0
    drawn = [*design.practice.tasks, *design.catch, *(task for group in design.groups for task in group)]
    assert len(set(drawn)) == len(drawn) == 4
    again = tmp_path / "again"
    vnla("study", "new", again, trained.folder, *options)
    assert Design.read(again).groups == design.groups
    assert (again / "secret.key").read_text() != (folder / "secret.key").read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--conditions", "watch"], "condition watch: there is no 'watch'; there are help:advisor, help:person, beat"),
        (["--conditions", "beat@other"], "condition beat@other: there is no agent 'other'; there are run"),
        (["--conditions", "beat,beat"], "a condition is there twice"),
        (["--conditions", ","], "there are no conditions; there are help:advisor, help:person, beat"),
        (["--each", "50"], "the study needs"),
        (["--split", "train"], "--split train: people do tasks that agents were not trained on"),
        (["--split", "nowhere"], "--split nowhere: people do tasks"),
        (["--practice", "0"], "--practice 0: there is nothing to practise with; add --passes 0"),
        (["--world", "nowhere"], "nowhere"),
    ],
)
def test_a_study_that_cannot_be_made(vnla: Vnla, trained: Trained, tmp_path: Path, options: list[str], message: str) -> None:
    sizes = ["--each", 1, "--practice", 1, "--catch", 0]
    assert message in line_of(vnla("study", "new", tmp_path / "study", trained.folder, *sizes, *options))
    assert not (tmp_path / "study").exists()


def test_more_that_a_new_study_is_refused_for(vnla: Vnla, trained: Trained, study: Path, tmp_path: Path) -> None:
    new = tmp_path / "new"
    assert str(study) in line_of(vnla("study", "new", study, trained.folder))
    assert "say in which --world" in line_of(vnla("study", "new", new))
    assert str(tmp_path / "nothing") in line_of(vnla("study", "new", new, tmp_path / "nothing"))
    assert "two runs have the same name" in line_of(vnla("study", "new", new, trained.folder, trained.folder))


def changed(**fields: Any) -> Callable[[Path], object]:
    def change(study: Path) -> None:
        path = study / "study.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))

    return change


BROKEN = [
    (lambda study: (study / "study.json").unlink(), "study.json: no such file; expected the configuration of a study"),
    (lambda study: (study / "study.json").write_text("{"), "study.json: line 1 column 2 is not valid JSON"),
    (lambda study: (study / "secret.key").unlink(), "secret.key: no such file"),
    (lambda study: (study / "secret.key").write_text("key"), "secret.key: is no key"),
    (lambda study: (study / "consent.txt").write_text(" \n"), "consent.txt: is empty"),
    (
        lambda study: (study / "consent.txt").write_text("A title\n\nIt takes [[how many]] minutes.\n"),
        "consent.txt: line 3 still has a blank, [[how many]]; fill in all of them before anybody is asked to agree",
    ),
    (
        lambda study: (study / "study.sqlite").write_text("no database, but long enough " * 9),
        "is damaged (file is not a database",
    ),
    (changed(conditions=[]), "study.json: field conditions: List should have at least 1 item"),
    (changed(extra=1), "study.json: field extra: Extra inputs are not permitted"),
    (changed(groups=[["0_0"]]), "study.json: a group of tasks has to be 2 blocks of the same size"),
    (changed(agents={"other": "runs/other"}), "study.json: there is no agent 'agent'"),
    (changed(seconds=1), "study.json: field seconds: Input should be greater than or equal to 5"),
]


@pytest.mark.parametrize(("broken", "message"), BROKEN)
def test_a_broken_study(vnla: Vnla, study: Path, tmp_path: Path, broken: Callable[[Path], object], message: str) -> None:
    broken(study)
    assert message in line_of(vnla("study", "serve", study, "--port", 0, "--no-open"))
    if "consent" not in message:
        assert message in line_of(vnla("study", "export", study, "--out", tmp_path / "data"))
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (changed(agents={"agent": "runs/other"}), "runs/other"),
        (changed(world="worlds/other"), "worlds/other"),
        (changed(catch=["77_0"]), "has no task '77_0', which the study names"),
    ],
)
def test_what_a_study_names_and_is_not_there(
    vnla: Vnla, study: Path, tmp_path: Path, broken: Callable[[Path], object], message: str
) -> None:
    broken(study)
    assert message in line_of(vnla("study", "serve", study, "--port", 0, "--no-open"))
    assert message in line_of(vnla("study", "rehearse", study, "--out", tmp_path / "copy"))
    assert not (tmp_path / "copy").exists()


def test_a_port_that_is_taken(vnla: Vnla, study: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert f"127.0.0.1 port {port}: cannot be opened" in line_of(vnla("study", "serve", study, "--port", port))


def test_a_folder_that_is_no_study_stays_as_it_is(vnla: Vnla, tmp_path: Path) -> None:
    assert "no such file" in line_of(vnla("study", "serve", tmp_path / "none", "--port", 0, "--no-open"))
    assert not (tmp_path / "none").exists()


def test_exports_that_are_refused(vnla: Vnla, study_site: StudySite, study: Path, tmp_path: Path) -> None:
    with StudyDoor(study_site, study) as door:
        person = Person(door)
        person.agree()
        person.say("next")
        path = study / "records" / f"{person.id}.jsonl"
    assert str(study) in line_of(vnla("study", "export", study, "--out", study))
    whole = path.read_text()
    path.write_text("x\n" + whole)
    assert f"{path}: line 1 is not a line of" in line_of(vnla("study", "export", study, "--out", tmp_path / "data"))
    path.write_text(whole + '{"at":17')  # being written just now
    assert vnla("study", "export", study, "--out", tmp_path / "data").status == 0
    changed(unasked=True)(study)
    assert "was changed after people had begun" in line_of(vnla("study", "export", study, "--out", tmp_path / "more"))


def test_folders_may_move(vnla: Vnla, study_site: StudySite, study: Path, tmp_path: Path) -> None:
    with StudyDoor(study_site, study) as door:
        Person(door).agree()
    there = Path(Design.read(study).world)
    (tmp_path / "moved").symlink_to(there)
    changed(world=str(tmp_path / "moved"))(study)
    assert vnla("study", "export", study, "--out", tmp_path / "data").status == 0


@pytest.mark.slow
def test_a_rehearsal_reads_like_a_study(vnla: Vnla, study: Path, tmp_path: Path) -> None:
    """All that a paper reports is in the data: who came and who left, balance, order, times, words, and scores."""
    changed(shows={"way": True, "outcome": False}, platform="PROLIFIC_PID")(study)
    copy, data = tmp_path / "copy", tmp_path / "data"
    status, out, err = vnla("study", "rehearse", study, "--out", copy, "--people", 12)
    assert status == 0, err
    assert "closed the page" in out and "withdrawn" in out
    assert not (study / "records").exists()
    assert vnla("study", "export", copy, "--out", data).status == 0
    design, summary = Design.read(copy), json.loads((data / "summary.json").read_text())
    people, episodes = rows(data / "participants.csv"), rows(data / "episodes.csv")
    assert summary["consented"] == 12 and summary["withdrew"] == 1 and len(people) == 11
    assert summary["completed"] == sum(each["completed"] for each in summary["cells"]) >= 5
    assert Counter(each["status"] for each in people) == {
        status: summary[status] for status in ("completed", "out", "at work", "silent") if summary[status]
    }
    assert {each["kind"] for each in episodes} == {"practice", "task", "catch"}
    assert {"stopped", "time", "left"} >= {each["reason"] for each in episodes if each["reason"]} > {"left"}
    for each in people:
        tries = [episode for episode in episodes if episode["participant"] == each["participant"]]
        over = Counter(episode["kind"] for episode in tries if episode["until_next"])
        counts = [int(each[name]) for name in ("practice", "tasks", "catch")]
        assert counts == [over[kind] for kind in ("practice", "task", "catch")]
        if each["status"] == "completed":
            blocks = list(dict.fromkeys(episode["condition"] for episode in tries if episode["kind"] != "practice"))
            assert " > ".join(blocks) == each["order"]
            assert len(tries) == over.total() and each["completion_code"]
    assert any(int(each["refused"]) for each in episodes)  # nonsense
    assert all(int(each["answers"]) <= int(each["requests"]) <= int(each["help_budget"]) for each in episodes)
    walked = [each for each in episodes if each["condition"] == "beat" and each["reason"] in ("stopped", "time")]
    assert all(each["agent_success"] in ("0", "1") for each in walked)
    where = ("--world", design.world, "--tasks", design.tasks)
    assert vnla("evaluate", "--recorded", data / "results.json", *where, "--csv", data / "scores.csv").status == 0
    scores = {(each["participant"], each["task"]): each for each in rows(data / "scores.csv")}
    counted = [each for each in episodes if each["kind"] == "task" and each["status"] == "completed"]
    assert len(scores) == len(counted) == 2 * summary["completed"]
    for each in counted:  # told on the server, and computed again from the walk
        found = scores[each["participant"], each["task"]]
        assert (found["success"], found["steps"], found["requests"]) == (each["success"], each["steps"], each["requests"])
        assert float(found["nav_error"]) == pytest.approx(float(each["metres"]), abs=0.006)


def test_who_asks_later_is_deleted_by_the_code(vnla: Vnla, study_site: StudySite, study: Path) -> None:
    with StudyDoor(study_site, study) as door:
        person, other = Person(door), Person(door)
        person.agree()
        other.agree()
        person.go_through()
        code, name, second = person.standing["code"], person.id, other.id
    assert "nobody in this study has the completion code" in line_of(vnla("study", "withdraw", study, "AAAA-BBBB-CCCC"))
    status, out, _ = vnla("study", "withdraw", study, code.lower())
    assert status == 0 and name in out
    assert not (study / "records" / f"{name}.jsonl").exists()
    assert name.encode() not in b"".join(path.read_bytes() for path in study.glob("*.sqlite"))
    assert vnla("study", "withdraw", study, second).status == 0
    with StudyDoor(study_site, study) as door:  # opens again
        assert door.study.store.everybody() == [] and door.study.store.withdrew() == 2


def test_the_page_names_every_column_and_every_field() -> None:
    page = DOCS.read_text()
    for name in (*EPISODE_COLUMNS, *PARTICIPANT_COLUMNS, *Design.model_fields):
        assert f"`{name}`" in page, name
