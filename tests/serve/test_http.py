"""What the page fetches: by its description whatever anybody asks for, and as the page expects it."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from starlette.testclient import TestClient

from serve.visitor import GENEROUS, HOST, Door, Opened, Visitor
from vnla.serve.app import make_app
from vnla.serve.sessions import Sessions
from vnla.serve.site import Site, SiteLoader


def test_every_request_gets_a_described_answer(site: Site, tmp_path: Path) -> None:
    app = make_app(Opened(site), Sessions(tmp_path, GENEROUS), ["localhost"])
    operations = [each.ok() for each in schemathesis.openapi.from_asgi("/openapi.json", app).get_all_operations()]
    assert {operation.method for operation in operations} == {"get"}
    assert len(operations) >= 10
    for operation in operations:

        @settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy())
        def answered(case: schemathesis.Case) -> None:
            case.call_and_validate()

        answered()


def test_a_plan_names_rooms_unless_it_is_bare(site: Site, door: Door) -> None:
    for name, house in site.places.houses.items():
        labels = {room.name for room in house.rooms}
        plan, bare = (door.get(f"/plan/{name}{end}.json").json() for end in ("", "-bare"))
        assert labels & {room.get("label") for storey in plan["storeys"] for room in storey["rooms"]}
        assert not [label for label in labels if label in json.dumps(bare)]
        assert plan["viewpoints"] == bare["viewpoints"]


def test_what_is_known_already_is_not_sent_again(site: Site, door: Door) -> None:
    address = f"/plan/{next(iter(site.places.houses))}.json"
    first = door.get(address)
    again = door.get(address, headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_large_answers_are_compressed_for_those_who_can_read_that(site: Site, door: Door) -> None:
    address = f"/plan/{next(iter(site.places.houses))}.json"
    whole = door.get(address, headers={"accept-encoding": "identity"})
    assert "content-encoding" not in whole.headers
    with door.stream("GET", address, headers={"accept-encoding": "gzip"}) as answer:
        raw = b"".join(answer.iter_raw())
    assert gzip.decompress(raw) == whole.content


@pytest.mark.parametrize("address", ["/plan/000000000000.json", "/pictures/000000000000.json", "/mesh/000000000000.glb"])
def test_an_unknown_house_is_told_in_a_sentence(door: Door, address: str) -> None:
    answer = door.get(address)
    assert (answer.status_code, answer.json()) == (404, {"why": "there is no such house here"})


@pytest.mark.parametrize("address", ["/assets/..%2f..%2fapp.py", "/assets/%2e%2e/app.py", "/face/..%2fx.webp", "/../app.py"])
def test_no_path_reaches_the_file_system(door: Door, address: str) -> None:
    assert door.get(address).status_code in (404, 422)


def helper(door: Door) -> Visitor:
    """Somebody with the page open, whom an agent asks."""
    door.get("/")
    visitor = Visitor(door)
    visitor.say("help", task="0_0", seed=0)
    return visitor


def where(visitor: Visitor) -> dict[str, str]:
    pose: dict[str, str] = visitor.state["steps"][-1]["pose"]
    return pose


def test_readings_say_what_was_understood(site: Site, door: Door) -> None:
    helper(door)
    advice = door.get("/advice", params={"text": "please turn left then fly"}).json()
    assert advice["understood"] == "turn 90 degrees left"
    assert [understood for *_, understood in advice["parts"]] == [True, False]
    wish = site.engine.goals.known("cottage")[0]
    found = door.get("/understand", params={"text": wish}).json()
    assert found["understood"].lower() == wish.replace(" .", ".")


def test_texts_are_read_for_those_who_have_a_session(door: Door) -> None:
    """The page's cookie alone is none, nor is a line without it."""
    for address in ("/advice?text=go", "/understand?text=towel"):
        assert door.get(address).status_code == 403
    Visitor(door).say("help", task="0_0", seed=0)
    assert door.get("/advice?text=go").status_code == 403
    page = door.get("/")
    assert "HttpOnly" in page.headers["set-cookie"] and "SameSite=strict" in page.headers["set-cookie"]
    assert "set-cookie" not in door.get("/").headers
    assert door.get("/advice?text=go").status_code == 403
    visitor = Visitor(door)
    assert door.get("/advice?text=go").status_code == door.get("/understand?text=towel").status_code == 200
    visitor.leave()
    assert door.get("/advice?text=go").status_code == 403


def test_words_are_read_where_the_agent_of_the_session_has_stood(door: Door) -> None:
    visitor = helper(door)
    assert door.get("/advice", params={"text": "go to the door", **where(visitor)}).status_code == 200
    elsewhere = {**where(visitor), "heading": (int(where(visitor)["heading"]) + 6) % 12}
    answer = door.get("/advice", params={"text": "go to the door", **elsewhere})
    assert (answer.status_code, answer.json()) == (403, {"why": "no agent of yours stands there"})
    visitor.say("beat")
    stand = visitor.state["steps"][-1]["pose"]
    assert door.get("/advice", params={"text": "go to the door", **stand}).status_code == 403


def test_a_session_has_so_many_texts_read_and_no_more(site: Site, tmp_path: Path) -> None:
    with Door(site, tmp_path, replace(GENEROUS, previews=0, previews_burst=3)) as door:
        helper(door)
        asked = ["/advice?text=go", "/understand?text=towel", "/advice?text=go", "/advice?text=go", "/understand?text=a"]
        assert [door.get(address).status_code for address in asked] == [200, 200, 200, 429, 429]
        assert door.get("/houses.json").status_code == 200


def test_a_session_has_texts_read_for_so_long_and_no_longer(site: Site, tmp_path: Path) -> None:
    """What takes a processor's time counts, by GET and on the line alike."""
    with Door(site, tmp_path, replace(GENEROUS, reading=0, reading_burst=1e-9)) as door:
        visitor = helper(door)
        asked = {"text": ("door " * 40).strip(), **where(visitor)}
        assert [door.get("/advice", params=asked).status_code for _ in range(3)] == [200, 429, 429]
        step = visitor.state["waits"]["step"]
        assert visitor.say("advise", step=step, text="go to the door") == "That was too fast; wait a moment."
        assert visitor.say("advise", step=step) is None


def test_browsers_are_told_to_run_nothing_of_others(door: Door) -> None:
    policy = door.get("/").headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "script-src" not in policy and "style-src" not in policy and "unsafe" not in policy


def test_before_the_houses_are_ready_a_sentence_says_so(tmp_path: Path) -> None:
    def never(_: object) -> Site:
        raise ValueError("no memory")

    opening, stopped = SiteLoader(never), []
    opening.start(failed=lambda: stopped.append(True)).join()
    assert stopped
    client = TestClient(make_app(opening, Sessions(tmp_path, GENEROUS), ["localhost"]), base_url=HOST)
    answer = client.get("/houses.json")
    assert (answer.status_code, answer.json()["why"]) == (503, "the houses cannot be shown: ValueError: no memory")
    assert client.get("/").status_code == 200
