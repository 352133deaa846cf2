"""Nothing that a visitor's browser holds in a walk of its own leads to what is told of the house elsewhere."""

from __future__ import annotations

import json
import re
import stat
from pathlib import Path

import pytest

from serve.study.conftest import study, study_site
from serve.study.people import Person, StudyDoor
from serve.visitor import Door, Visitor, words_in
from vnla.serve.keys import KEY
from vnla.serve.limits import Limits
from vnla.serve.pictures import Pictures
from vnla.serve.reduce import NOTHING
from vnla.serve.sessions import Sessions
from vnla.serve.site import Site
from vnla.serve.study.app import StudySite
from vnla.training.trained import Trained

__all__ = ["study", "study_site"]

ID = re.compile(rb"(?<![0-9a-f])[0-9a-f]{12}(?:[0-9a-f]{4})?(?![0-9a-f])")
"""Names of houses, viewpoints and pictures."""
ACTIONS = ("left", "forward", "right", "forward", "up", "forward", "down", "left", "forward")


@pytest.fixture(autouse=True)
def drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures of the cottage, which has none."""
    monkeypatch.setattr(Pictures, "has", lambda *_: True)
    monkeypatch.setattr(Pictures, "_made", lambda _, kept, *__: {f"{kept}{face}.webp": b"a face" for face in range(6)})


def ids(data: bytes) -> set[bytes]:
    return set(ID.findall(data))


def everything(door: Door, house: str) -> bytes:
    """All bytes that can be fetched of a house by what its name leads to, headers too."""
    addresses = [f"/plan/{house}-bare.json", f"/plan/{house}.json", f"/pictures/{house}.json", f"/mesh/{house}.glb"]
    addresses += [f"/understand?text=towel&house={house}"]
    pictures = door.get(addresses[2]).json()
    addresses += [each for six in pictures.values() for each in six]
    answers = [door.get(address) for address in addresses]
    texts = [each.content for each in answers if not each.headers.get("content-type", "").startswith(("image", "model"))]
    return b"\n".join([*texts, *(str(dict(each.headers)).encode() for each in answers)])


def walked(visitor: Visitor) -> bytes:
    """All that the visitor is sent in a walk of its own, with a reload, up to its end."""
    visitor.heard.clear()
    visitor.say("beat")
    for action in ACTIONS:
        visitor.say("ask")
        visitor.say("act", action=action)
    visitor.leave()
    visitor.connect()
    visitor.say("act", action="stop")
    return "\n".join(visitor.heard).encode()


def told_elsewhere(door: Door, site: Site) -> bytes:
    """All that a server tells outside walks of one's own: its pages, and every task watched, helped and asked about."""
    parts = [door.get(address).content for address in ("/houses.json", "/first.json", "/openapi.json", "/")]
    parts += [everything(door, house) for house in site.places.houses]
    other = Visitor(door)
    for task in site.engine.goals.tasks:
        other.say("watch", task=task, seed=0)
        other.say("help", task=task, seed=0)
        other.say("what_if", step=0)
    return b"\n".join([*parts, *(text.encode() for text in other.heard), json.dumps(other.second).encode()])


def test_no_name_of_ones_own_walk_occurs_anywhere_else(site: Site, door: Door, visitor: Visitor) -> None:
    sent = [walked(visitor) for _ in range(4)]
    houses = {json.loads(text)["event"]["house"] for text in visitor.heard if '"begun"' in text and '"event"' in text}
    own = b"\n".join([*sent, *(everything(door, house) for house in houses)])
    known = {name.encode() for names in (site.places, site.walker_places) for name in names.houses}
    assert ids(own) & {name.encode() for name in site.walker_places.houses}
    elsewhere = told_elsewhere(door, site)
    assert ids(elsewhere) & known
    assert not (ids(own) - {visitor.session.encode() if visitor.session else b""}) & ids(elsewhere)


def test_no_label_can_be_had_for_a_name_of_ones_own_walk(site: Site, door: Door, visitor: Visitor) -> None:
    visitor.say("beat")
    house = visitor.state["begun"]["house"]
    assert house in site.walker_places.houses and house not in site.places.houses
    labels = {thing.label for thing in site.walker_places.house(house).objects} | {
        room.name for room in site.walker_places.house(house).rooms
    }
    got = everything(door, house).decode()
    assert not words_in(got, labels)
    assert door.get(f"/plan/{house}-bare.json").status_code == 200
    assert door.get(f"/plan/{house}.json").json() == {"why": "there is no such house here"}
    assert door.get(f"/understand?text=towel&house={house}").status_code == 403
    assert visitor.say("watch", house=house, goal="find a towel") == "There is no such house here."


def test_both_names_of_a_picture_are_one_picture(site: Site, door: Door) -> None:
    house = next(iter(site.places.houses.values()))
    for number in site.places.viewpoints(house):
        pair = [
            site.pictures.addresses(house, names)[names.viewpoints(house)[number]]
            for names in (site.places, site.walker_places)
        ]
        assert not set(pair[0]) & set(pair[1])
        assert door.get(pair[0][3]).content == door.get(pair[1][3]).content


def test_the_secret_is_made_once_and_for_its_owner(tmp_path: Path) -> None:
    first, again = (Sessions(tmp_path, Limits()).secret for _ in range(2))
    assert first == again and len(first) == 32
    assert stat.S_IMODE((tmp_path / KEY).stat().st_mode) == 0o600
    assert Sessions(tmp_path / "other", Limits()).secret != first


def test_the_name_of_a_session_leads_to_it_and_nothing_else_does(door: Door, folder: Path) -> None:
    """Names are drawn at random, nobody chooses one, and no other session and no page tells them."""
    door.get("/")
    victim = Visitor(door)
    victim.say("help", task="0_0", seed=0)
    victim.say("advise", step=0, text="turn left")
    name = victim.session
    assert name and re.fullmatch("[0-9a-f]{32}", name) and [path.stem for path in folder.glob("*.jsonl")] == [name]
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    others = [Visitor(door, other) for other in (None, "0" * 32, name[:-1], name.upper(), f"./{name}", f"{name}.jsonl", "")]
    for other in others:
        assert other.session not in (name, "0" * 32) and other.state == NOTHING
        assert other.say("advise", step=0, text="turn left") == "No agent is walking; watch or help one first."
    for path in ("/", "/houses.json", "/first.json", "/openapi.json", "/agents.json"):
        assert name not in door.get(path).text
    told = [text for text in victim.heard if json.loads(text)["kind"] != "welcome"]
    assert told and not [text for text in (*told, *(text for other in others for text in other.heard)) if name in text]
    seen = victim.state
    door.cookies.clear()
    thief = Visitor(door, name)
    assert thief.state == seen, "who knows the name needs no cookie"
    assert door.get("/advice?text=go").status_code == 403, "but has no text read without one"


def test_a_walk_goes_on_exactly_with_the_same_secret(trained: Trained, tmp_path: Path) -> None:
    states = []
    session: str | None = None
    for _ in range(2):
        site = Site(trained, tmp_path / "pictures", Sessions(tmp_path / "sessions", Limits()).secret)
        with Door(site, tmp_path / "sessions") as door:
            visitor = Visitor(door, session)
            if session is None:
                visitor.say("beat")
            visitor.say("act", action="left")
            session = visitor.session
            states.append(visitor.state)
            house = visitor.state["begun"]["house"]
            stand = visitor.state["steps"][-1]["pose"]["viewpoint"]
            assert door.get(f"/plan/{house}-bare.json").json()["viewpoints"][stand]
        site.close()
    assert states[1]["begun"] == states[0]["begun"]
    assert states[1]["steps"][:1] == states[0]["steps"][:1]


@pytest.mark.parametrize("address", ["/houses.json", "/first.json", "/understand?text=towel", "/plan/{}.json"])
def test_a_study_tells_no_labels(study_site: StudySite, study: Path, address: str) -> None:
    with StudyDoor(study_site, study) as door:
        for names in (study_site.places, study_site.walker_places):
            assert door.get(address.format(next(iter(names.houses)))).status_code == 404


def test_all_that_a_participant_is_sent_in_a_walk_has_no_label(study_site: StudySite, study: Path) -> None:
    """Nor any name of a house or place that there is in the other parts of a study."""
    with StudyDoor(study_site, study) as door:
        person = Person(door)
        person.agree()
        person.go_through()
    house = next(iter(study_site.walker_places.houses.values()))
    labels = {thing.label for thing in house.objects} | {room.name for room in house.rooms}
    mode, sentence, sent = "", "", dict[str, set[bytes]](beat=set(), help=set())
    for text in person.heard:
        begun = json.loads(text).get("event", {})
        if begun.get("kind") == "begun":
            mode, sentence = begun["mode"], begun["sentence"]
        if mode:
            sent[mode] |= ids(text.encode())
        if mode == "beat" and '"study"' not in text:
            assert not words_in(text.replace(sentence, ""), labels)
    assert sent["beat"] and sent["help"]
    assert not sent["beat"] & sent["help"]
