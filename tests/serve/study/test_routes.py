"""What the server of a study answers, and that it is nothing else."""

from __future__ import annotations

import asyncio
from pathlib import Path
from urllib.parse import quote

import pytest
from fastapi.routing import APIRoute
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from starlette.types import ASGIApp, Message

from serve.study.conftest import AGENT, SECRET
from serve.study.people import Person, StudyDoor
from serve.study.test_study import helper
from serve.visitor import words_in
from vnla.language.reader import TextReading
from vnla.serve.study.app import StudySite
from vnla.training.trained import Trained

ALLOWED = {
    "/",
    "/assets/{name}",
    "/plan/{house}-bare.json",
    "/pictures/{house}.json",
    "/face/{picture}.webp",
    "/mesh/{house}.glb",
    "/advice",
    "/ws",
}
"""All of it. What is added here must name nothing that is in a house, or ask for a session."""
LABELLED = ["/houses.json", "/first.json", "/understand", "/openapi.json", "/docs", "/plan/{}.json", "/plan/{}-bare.json/"]


def test_a_study_answers_what_is_allowed_and_nothing_else(door: StudyDoor) -> None:
    app = door.app
    assert {route.path for route in app.routes} == ALLOWED  # type: ignore[attr-defined]
    assert all(route.methods == {"GET"} for route in app.routes if isinstance(route, APIRoute))  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def open_door(study_site: StudySite, tmp_path_factory: pytest.TempPathFactory) -> StudyDoor:
    from serve.study.conftest import new_study

    folder = tmp_path_factory.mktemp("routes") / "study"
    new_study(folder, study_site.engine.trained)
    return StudyDoor(study_site, folder)


def answered(app: ASGIApp, path: str) -> tuple[int, str]:
    """Status and text that a path gets which reaches the server just as it is."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    headers = [(b"host", b"localhost")]
    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "query_string": b"text=towel",
        "headers": headers,
        "root_path": "",
    }
    asyncio.run(app(scope, receive, send))  # type: ignore[arg-type]
    return sent[0]["status"], b"".join(each.get("body", b"") for each in sent).decode()


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    address=st.sampled_from(LABELLED),
    before=st.sampled_from(["", "/", "/.", "/x/..", "\n", "%2f"]),
    after=st.text(st.characters(max_codepoint=0x2FF) | st.sampled_from("\n\r\t\0\v\f\x1c\x85\u2028\u2029/;.%"), max_size=4),
    twice=st.booleans(),
)
@example(address="/houses.json", before="", after="\n", twice=False)
@example(address="/understand", before="", after="\n", twice=False)
@example(address="/first.json", before="", after="\n", twice=False)
@example(address="/plan/{}.json", before="", after="\n", twice=False)
def test_no_spelling_of_an_address_leads_to_what_names_things(
    open_door: StudyDoor, study_site: StudySite, address: str, before: str, after: str, twice: bool
) -> None:
    house = next(iter(study_site.places.houses))
    status, text = answered(open_door.app, before + address.format(house) + (quote(after) if twice else after))
    assert status in (404, 422), text
    known = study_site.places.house(house)
    assert not words_in(text, {each.label for each in known.objects} | {each.name for each in known.rooms})


def test_advice_is_read_for_helpers_where_their_agent_stands(study_site: StudySite, study: Path) -> None:
    """Nobody learns from it what is where they are not, nor somebody who walks where they are."""
    house = next(iter(study_site.places.houses.values()))
    anywhere = {"viewpoint": next(iter(study_site.places.viewpoints(house).values())), "heading": 0, "row": 1}
    with StudyDoor(study_site, study) as door:
        door.get("/")
        for asked in ({}, anywhere):
            assert door.get("/advice", params={"text": "go to the towel", **asked}).status_code == 403
        Person(door)
        assert door.get("/advice", params={"text": "go"}).status_code == 403, "has not agreed to take part"
        person = helper(door)
        stands = person.state["steps"][-1]["pose"]
        assert door.get("/advice", params={"text": "go", **stands}).json()["understood"]
        others = [{**stands, "heading": each} for each in range(12) if each != stands["heading"]]
        stood = [step["pose"] for step in person.state["steps"]]
        for asked in [each for each in others if each not in stood]:
            assert door.get("/advice", params={"text": "go to the towel", **asked}).status_code == 403
        while person.state["begun"]["mode"] != "beat":
            if person.standing["begun"] and not person.standing["over"]:
                person.do_well()
            person.say("next")
        assert door.get("/advice", params={"text": "go to the towel", **stands}).status_code == 403


def test_advice_is_previewed_in_the_words_of_the_agent_that_is_helped(
    trained: Trained, study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A study of two agents, of which the second understands other words than the first."""
    site = StudySite({"other": trained, AGENT: trained}, tmp_path / "pictures", SECRET.names)
    first = site.agents["other"].reader
    monkeypatch.setattr(first, "read", lambda *_: TextReading("of the other agent", (), ()))
    with StudyDoor(site, study) as door:
        door.get("/")
        stands = helper(door).state["steps"][-1]["pose"]
        assert door.get("/advice", params={"text": "turn left", **stands}).json()["understood"] == "turn 90 degrees left"
    site.close()
