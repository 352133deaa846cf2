"""A whole study with scripted participants against the server, and what can go wrong in it."""

from __future__ import annotations

import csv
import errno
import json
import os
import re
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest

from command import Vnla
from serve.study.conftest import SECRET
from serve.study.people import Person, StudyDoor
from vnla.common.errors import InputError
from vnla.language.reader import READER_VERSION
from vnla.language.surroundings import Surroundings
from vnla.serve.sessions import log_lines
from vnla.serve.study.app import StudySite
from vnla.serve.study.design import Design
from vnla.training.trained import Trained

CODE = re.compile(r"[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}")


def rows(path: Path) -> list[dict[str, str]]:
    with path.open() as stream:
        return list(csv.DictReader(stream))


def change(study: Path, **fields: Any) -> None:
    path = study / "study.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


def record(study: Path, person: Person) -> list[dict[str, Any]]:
    return list(log_lines(study / "records" / f"{person.id}.jsonl"))


def test_a_whole_study(study_site: StudySite, study: Path, tmp_path: Path, vnla: Vnla) -> None:
    """Consent, practice failed and passed, both conditions, a reload and a server stopped midway, code, export, score."""
    with StudyDoor(study_site, study) as door:
        person = Person(door)
        assert person.standing["phase"] == "consent" and "voluntary" in person.standing["text"]
        assert person.say("next") == "Agree to take part first."
        assert person.say("agree", version="another") == "The consent text has changed; load the page again and read it."
        assert person.agree() is None
        assert (person.standing["phase"], person.standing["begun"]) == ("practice", False)
        person.say("next")
        person.do_badly()
        assert person.standing["passed"] is False
        person.say("next")
        assert person.standing["phase"] == "practice"
        person.do_well()
        assert person.standing["passed"] is True
        seen = person.state
        person.leave()
        person.connect()
        assert person.state == seen and person.standing["over"]
        person.say("next")
        assert not person.standing["begun"], "something else is to be done now: first it is read what"
        person.say("next")
        assert person.standing["begun"]
        seen, token = person.state, person.session
    with StudyDoor(study_site, study) as door:
        person = Person(door, token)
        assert person.state == seen and person.standing["begun"]
        person.go_through()
        assert person.standing["phase"] == "done" and CODE.fullmatch(person.standing["code"])
        assert (person.standing["done"], person.standing["of"]) == (4, 4)
        again = Person(door, token)
        assert again.standing == person.standing
        name = person.id
    data = tmp_path / "data"
    assert vnla("study", "export", study, "--out", data).status == 0
    [someone] = rows(data / "participants.csv")
    assert (someone["participant"], someone["status"]) == (name, "completed")
    assert someone["completion_code"] == person.standing["code"]
    assert (someone["tasks"], someone["catch_failed"]) == ("2", "0")
    episodes = rows(data / "episodes.csv")
    kinds = [each["kind"] for each in episodes]
    assert kinds.count("practice") == 3 and sorted(kinds[3:]) == ["catch", "catch", "task", "task"]
    results = json.loads((data / "results.json").read_text())
    assert {each["condition"] for each in results} == {"help:person", "beat"}
    design = Design.read(study)
    answer = vnla("evaluate", "--recorded", data / "results.json", "--world", design.world, "--tasks", design.tasks,
                  "--json", data / "scores.json")  # fmt: skip
    assert answer.status == 0 and "success_rate" in answer.out
    scores = json.loads((data / "scores.json").read_text())
    assert scores["beat"]["figures"]["success_rate"]["value"] == 100  # the teacher's own actions
    walked = next(each for each in episodes if each["kind"] == "task" and each["condition"] == "help:person")
    assert scores["help:person"]["figures"]["nav_error"]["value"] == pytest.approx(float(walked["metres"]), abs=0.01)
    assert scores["help:person"]["figures"]["requests"]["value"] == int(walked["requests"]) > 0
    events = [json.loads(line) for line in (data / "events.jsonl").read_text().splitlines()]
    assert all(each["participant"] == name and each["configuration"] == design.fingerprint for each in events)
    viewpoints = {each["event"]["pose"]["viewpoint"] for each in events if each.get("event", {}).get("kind") == "stood"}
    assert "kitchen" in viewpoints or "living_west" in viewpoints or "bathroom" in viewpoints


def test_who_says_what_the_advisor_would_gets_the_advisors_walk(
    study_site: StudySite, study: Path, tmp_path: Path, vnla: Vnla
) -> None:
    """Two people, who do each task under both conditions between them, and choose what is offered."""
    design = json.loads((study / "study.json").read_text())
    helped = design["conditions"][0]
    watched = {**helped, "name": "help:advisor", "kind": "help:advisor"}
    change(study, conditions=[watched, helped], shows={"offer": True}, catch=[])
    with StudyDoor(study_site, study) as door:
        for person in (Person(door), Person(door)):
            person.agree()
            while person.standing["phase"] in ("practice", "task"):
                waits = person.state["waits"]
                going = person.standing["begun"] and not person.standing["over"]
                told = {"kind": "advise", "step": waits["step"], "choice": waits["offer"]} if going and waits else {}
                assert person.say(**(told or {"kind": "next"})) is None
    assert vnla("study", "export", study, "--out", tmp_path / "data").status == 0
    walks: dict[str, list[Any]] = {}
    for each in json.loads((tmp_path / "data" / "results.json").read_text()):
        walks.setdefault(each["instr_id"], []).append((each["trajectory"], each["agent_ask"], each["subgoals"]))
    assert len(walks) == 2 and all(one == other for one, other in walks.values())
    assert all(any(asked) for (_, asked, _), _ in walks.values())


def test_two_at_once_get_different_cells(door: StudyDoor) -> None:
    one, other = Person(door), Person(door)
    one.agree()
    other.agree()
    cells = {each.id: each.cell for each in door.study.store.everybody()}
    assert cells[one.id] != cells[other.id]
    one.say("next")
    other.say("next")
    assert one.state["begun"]["mode"] != other.state["begun"]["mode"]
    one.do_well()
    other.do_well()
    assert one.state["ended"] and other.state["ended"]


def test_who_does_not_learn_it_in_practice_is_out_and_does_not_count(door: StudyDoor) -> None:
    person = Person(door)
    person.agree()
    for _ in range(3):
        person.say("next")
        person.do_badly()
    person.say("next")
    assert person.standing["phase"] == "out" and CODE.fullmatch(person.standing["code"])
    assert [each.completed + each.at_work for each in door.study.store.counts()] == [0, 0]
    person.say("next")
    assert person.standing["phase"] == "out"


def test_what_is_recorded(door: StudyDoor, study: Path) -> None:
    person = Person(door)
    person.agree(at=1e12)
    person.say("next", at=1.5e12)
    assert person.say("advise", step=20) is not None
    person.do_well()
    lines = record(study, person)
    assert all(line["at"] > 1e9 for line in lines)
    stamp = lines[0]["stamp"]
    assert stamp["study"] == "study" and stamp["configuration"] == Design.read(study).fingerprint
    assert re.fullmatch(r"\d+\.\d+\.\d+\+[0-9a-f]{16}", stamp["code"])
    assert re.fullmatch("[0-9a-f]{16}", stamp["checkpoints"]["agent"])
    assert lines[1]["consent"] == door.study.consent.version
    assert {1.5e12, 1e12} >= {line["heard"]["at"] for line in lines if "at" in line.get("heard", {})} >= {1.5e12}
    assert [line["refused"] for line in lines if "refused" in line]
    numbers = [line["event"]["number"] for line in lines if "event" in line]
    assert numbers == list(range(1, person.state["number"] + 1))


def test_text_that_is_not_understood_is_recorded_as_typed(door: StudyDoor, study: Path) -> None:
    person = helper(door)
    assert "would not understand" in str(person.say("advise", step=person.state["waits"]["step"], text="gnrz"))
    assert person.say("advise", step=person.state["waits"]["step"], text="please turn left") is None
    lines = record(study, person)
    refused = [line for line in lines if "refused" in line]
    assert refused[-1]["heard"]["text"] == "gnrz" and "would not understand" in refused[-1]["refused"]
    advised = [line["event"] for line in lines if line.get("event", {}).get("kind") == "advised"]
    assert advised[-1]["text"] == "please turn left" and advised[-1]["understood"] == "turn 90 degrees left"


def helper(door: StudyDoor) -> Person:
    """Somebody whom an agent asks."""
    while True:
        person = Person(door)
        person.agree()
        person.say("next")
        if person.state["waits"]:
            return person


def test_participants_are_told_nothing_of_how_it_went_or_what_the_agent_thinks(door: StudyDoor) -> None:
    person = Person(door)
    person.agree()
    person.go_through()
    ended = [json.loads(text)["event"] for text in person.heard if '"kind":"ended"' in text]
    practised, done = ended[:2], ended[2:]
    assert all(each["success"] is not None and each["score"] is None for each in practised)
    assert all(each["success"] is None and each["metres"] is None and each["goals"] == [] for each in done)
    events = [json.loads(text)["event"] for text in person.heard if '"kind":"event"' in text]
    assert all(each["link"] is None for each in events if each["kind"] in ("begun", "ended"))
    assert all(not each["before"] for each in events if each["kind"] == "thought")
    assert all(each["offer"] == "" for each in events if each["kind"] == "waits")


def test_what_gives_answers_away_is_not_served(door: StudyDoor, study_site: StudySite) -> None:
    house = next(iter(study_site.places.houses))
    for path in ("/houses.json", "/first.json", "/understand?text=mug", f"/plan/{house}.json"):
        assert door.get(path).status_code == 404, path
    assert door.get(f"/plan/{house}-bare.json").status_code == 200
    assert '<meta name="study">' in door.get("/").text
    person = Person(door)
    assert person.say("watch") is None  # no message that a study knows


def test_withdrawing_deletes_everything(door: StudyDoor, study: Path) -> None:
    person, other = Person(door), Person(door)
    person.agree()
    other.agree()
    person.say("next")
    name, second = person.id, Person(door, person.session)
    assert person.say("withdraw") is None
    assert person.standing["phase"] == "withdrawn" and "deleted" in person.standing["text"]
    assert not (study / "records" / f"{name}.jsonl").exists()
    assert name.encode() not in b"".join(path.read_bytes() for path in study.glob("*.sqlite"))
    assert second.say("next") == "You do not take part; load the page again."
    assert not (study / "records" / f"{name}.jsonl").exists()
    assert [each.id for each in door.study.store.everybody()] == [other.id]
    assert Person(door, person.session).standing["phase"] == "consent"


def test_a_server_killed_while_somebody_withdraws_deletes_the_rest(study_site: StudySite, study: Path) -> None:
    with StudyDoor(study_site, study) as door:
        person = Person(door)
        person.agree()
        name = person.id
        door.study.store.withdraw(name)
    assert (study / "records" / f"{name}.jsonl").exists()
    with StudyDoor(study_site, study) as door:
        assert not (study / "records" / f"{name}.jsonl").exists() and door.study.store.withdrawn() == []


@pytest.mark.parametrize(("file", "message"), [("records", "is missing"), ("study.sqlite", "is of nobody")])
def test_copies_of_different_times_are_refused_and_nothing_is_deleted(
    study_site: StudySite, study: Path, file: str, message: str
) -> None:
    with StudyDoor(study_site, study) as door:
        person = Person(door)
        person.agree()
        person.go_through()
        path = study / "records" / f"{person.id}.jsonl"
    (path if file == "records" else study / file).rename(study / "away")
    with pytest.raises(InputError, match=message):
        StudyDoor(study_site, study)
    assert path.exists() == (file != "records")


def test_a_record_that_lost_what_was_acknowledged_gives_no_code(door: StudyDoor, study: Path) -> None:
    person = Person(door)
    person.agree()
    person.say("next")
    person.do_well()
    path = study / "records" / f"{person.id}.jsonl"
    early = path.read_bytes()
    while person.standing["done"] < person.standing["of"] - 1 or not person.standing["over"]:
        person.say("next")
        person.do_well()
    path.write_bytes(early)
    assert person.say("next") == "The record of your session is not complete; tell whoever runs this study."
    assert person.standing["code"] is None


def test_consent_that_could_not_be_recorded_is_recorded_before_the_first_task(
    door: StudyDoor, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = Person(door)
    with monkeypatch.context() as full:
        full.setattr(os, "write", lambda *_: 0)
        assert "cannot record this" in str(person.agree())
    person.leave()
    person.connect()
    assert person.standing["phase"] == "practice"
    person.say("next")
    person.agree()
    assert [line["consent"] for line in record(study, person) if "consent" in line] == [door.study.consent.version]


def test_consent_and_ends_are_on_the_disk_before_anybody_is_told(
    door: StudyDoor, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forced: list[str] = []
    sync = os.fsync

    def syncs(handle: int) -> None:
        sync(handle)
        there = (path for path in (study / "records").iterdir() if path.stat().st_ino == os.fstat(handle).st_ino)
        forced.extend(path.read_text() for path in there)

    person = Person(door)
    monkeypatch.setattr(os, "fsync", syncs)
    person.agree()
    assert '"consent"' in forced[-1]
    person.say("next")
    forced.clear()
    person.do_well()
    assert '"kind":"ended"' in forced[-1]


def test_only_what_is_offered_can_be_chosen(study_site: StudySite, study: Path) -> None:
    with StudyDoor(study_site, study) as door:
        person = helper(door)
        step = person.state["waits"]["step"]
        assert person.say("advise", step=step, choice="go forward") == "That was not offered; answer in your own words."
    for path in (*study.glob("*.sqlite"), *study.glob("records/*")):
        path.unlink()
    change(study, shows={"offer": True})
    with StudyDoor(study_site, study) as door:
        person = helper(door)
        assert person.say("advise", step=person.state["waits"]["step"], choice=person.state["waits"]["offer"]) is None


def test_a_full_disk_loses_nothing(door: StudyDoor, study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    person = Person(door)
    person.agree()
    person.say("next")
    before, recorded = person.state, record(study, person)
    with monkeypatch.context() as full:

        def write(*_: object) -> int:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        full.setattr(os, "write", write)
        beats = before["begun"]["mode"] == "beat"
        message = {"kind": "act", "action": "left"} if beats else {"kind": "advise", "step": 0, "text": "go forward"}
        why = person.say(**message)  # type: ignore[arg-type]
        assert why is not None and "cannot record this (No space left on device)" in why
        assert person.state == before
    assert record(study, person) == recorded
    assert person.say(**message) is None  # type: ignore[arg-type]
    person.go_through()
    assert person.standing["phase"] == "done"


def test_a_full_disk_between_the_store_and_the_record(door: StudyDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    person = Person(door)
    person.agree()
    with monkeypatch.context() as full:
        full.setattr(os, "write", lambda *_: 0)
        assert "cannot record this" in str(person.say("next"))
    person.say("next")
    assert person.standing["begun"]
    assert [each.number for each in door.study.store.tries(person.id)] == [1]


def test_a_message_that_is_sent_twice_is_taken_once(door: StudyDoor) -> None:
    person = Person(door)
    person.agree()
    number = person.state["number"]
    person.say("next")
    begun, token = person.state, person.session
    person.say("next", after=number)
    assert person.session == token  # the browser keeps what it is welcomed with
    person.say("leave", after=number)
    assert person.state == begun and not person.state["ended"]
    assert person.say("next") == "This task is not over yet."
    person.say("leave")
    assert person.state["ended"]["reason"] == "left" and person.standing["passed"] is False


def test_time_for_a_task_is_over(study_site: StudySite, study: Path) -> None:
    change(study, seconds=60)
    with StudyDoor(study_site, study, now=1000) as door:
        person = Person(door)
        person.agree()
        person.say("next")
        assert person.standing["seconds_left"] == 60
        door.now = 1061
        person.say("next")
        assert person.state["ended"]["reason"] == "left" and person.standing["over"]


def test_who_is_silent_too_long_leaves_the_place_to_others(study_site: StudySite, study: Path) -> None:
    change(study, participants=1)
    with StudyDoor(study_site, study, now=0) as door:
        first, second = Person(door), Person(door)
        first.agree()
        assert "as many participants as it needs" in str(second.agree())
        door.now = 31 * 60
        assert second.agree() is None
        first.leave()
        first.connect()
        assert first.standing["phase"] == "practice"  # may still go on


def test_a_platform_takes_part_once(study_site: StudySite, study: Path) -> None:
    change(study, platform="PROLIFIC_PID")
    with StudyDoor(study_site, study) as door:
        one, other = Person(door), Person(door)
        assert one.standing["platform"] == "PROLIFIC_PID"
        one.agree(platform="5f00")
        assert one.agree(platform="5f00") is None
        assert "begun this study already" in str(other.agree(platform="5f00"))
        one.say("withdraw")
        assert other.agree(platform="5f00") is None


@pytest.mark.parametrize("platform", [None, " ", "\t\u3000"])
def test_nobody_takes_part_without_the_id_of_the_platform(study_site: StudySite, study: Path, platform: str | None) -> None:
    change(study, platform="PROLIFIC_PID")
    with StudyDoor(study_site, study) as door:
        person = Person(door)
        why = person.agree(**({} if platform is None else {"platform": platform}))
        assert why == "This address has no id of yours in it; come by the link that you were given for this study."
        assert door.study.store.everybody() == [] and person.standing["phase"] == "consent"
        assert person.agree(platform="AAA") is None
        assert person.agree() is None, "is known by the token"


@pytest.mark.parametrize("other", ["AAA", " AAA", "aaa\n", "\uff21AA", "\u3000aAa "])
def test_an_id_is_the_same_however_it_is_written(study_site: StudySite, study: Path, other: str) -> None:
    change(study, platform="PROLIFIC_PID")
    with StudyDoor(study_site, study) as door:
        assert Person(door).agree(platform="AAA") is None
        assert "begun this study already" in str(Person(door).agree(platform=other))
        assert Person(door).agree(platform="AAB") is None


@pytest.mark.parametrize("noted", ["AAA", "aAa"])
def test_ids_that_earlier_versions_have_noted_are_known(study_site: StudySite, study: Path, noted: str) -> None:
    """Those hashed an id as it came."""
    change(study, platform="PROLIFIC_PID")
    with StudyDoor(study_site, study) as door:
        with sqlite3.connect(study / "platform.sqlite") as database:
            database.execute("INSERT INTO ids VALUES (?, ?)", (SECRET.digest("platform", noted).hex(), "0" * 16))
        assert "begun this study already" in str(Person(door).agree(platform=f" {noted}"))


def test_a_watched_condition_needs_no_practice(study_site: StudySite, study: Path) -> None:
    design = json.loads((study / "study.json").read_text())
    watched = {**design["conditions"][0], "name": "help:advisor", "kind": "help:advisor"}
    change(study, conditions=[watched], arrangement="between", groups=[["0_0", "1_0"]])
    with StudyDoor(study_site, study) as door:
        person = Person(door)
        person.agree()
        person.go_through()
        assert person.standing["phase"] == "done" and person.standing["of"] == 2


def test_words_are_read_alike_from_the_first_participant_to_the_last(
    trained: Trained, study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Houses are looked at before anybody comes; nothing is refined behind a participant's back."""
    design, told = Design.read(study), []
    site = StudySite({"agent": trained}, tmp_path / "pictures", SECRET.names)
    try:
        site.prepare(design, lambda what, *_: told.append(what))
        assert told[0] == "looking around in the houses"
        monkeypatch.setattr(Surroundings, "of", staticmethod(lambda *_: pytest.fail("looked at in the middle of a study")))
        with StudyDoor(site, study) as door:
            person = helper(door)
            person.say("advise", step=0, text="turn left")
            advised = person.state["steps"][0]["advised"]
        assert advised["understood"] == "turn 90 degrees left"
        assert not [each for each in threading.enumerate() if each.name.startswith("looking around")]
    finally:
        site.close()


def test_the_readers_version_is_in_every_record_and_does_not_change(
    study_site: StudySite, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with StudyDoor(study_site, study) as door:
        person = Person(door)
        monkeypatch.setattr("vnla.serve.study.records.READER_VERSION", "2 of tomorrow")
        StudyDoor(study_site, study)  # while nobody has taken part
        monkeypatch.undo()
        door.study.store.check_reader(str(READER_VERSION))
        person.agree()
        person.say("next")
        stamps = [line["stamp"]["reader"] for line in record(study, person) if "stamp" in line]
    assert stamps == [str(READER_VERSION)]
    monkeypatch.setattr("vnla.serve.study.records.READER_VERSION", "2 of tomorrow")
    with pytest.raises(InputError, match="but this vnla has reader 2 of tomorrow"):
        StudyDoor(study_site, study)
