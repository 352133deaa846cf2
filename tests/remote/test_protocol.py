"""What is sent is what the schema says, and what comes is an answer exactly where the schema says so."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remote.cottage_rules import KITCHEN, rules, showing
from vnla.common.errors import InputError
from vnla.observation import KEYS
from vnla.remote.evaluated_agent import Answer, Declaration, Fault
from vnla.remote.protocol import (
    VERSION,
    answer_json,
    in_batch,
    observation_json,
    parsed,
    read_answer,
    read_answers,
    read_declaration,
    read_observation,
    reset_json,
    schema,
)
from vnla.remote.replies import GoTo, read_completion, read_reply, said
from vnla.world.actions import Nav

NAMES = ["left", "right", "up", "down", "forward", "stop"]
SURE = {name: float(name == "stop") for name in NAMES}


def valid(name: str, value: Any) -> bool:
    return jsonschema.Draft202012Validator({**schema(), "$ref": f"#/$defs/{name}"}).is_valid(value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"action": "forward"}, Answer(Nav.FORWARD)),
        ({"request": True}, Answer(None)),
        ({"action": "left", "request": False, "thought": "hm"}, Answer(Nav.LEFT)),
        ({"action": "stop", "chances": SURE}, Answer(Nav.STOP, (0, 0, 0, 0, 0, 1))),
        ({"action": "Forward"}, Fault.UNKNOWN_ACTION),
        ({"action": "fly"}, Fault.UNKNOWN_ACTION),
        ({"action": 4}, Fault.MALFORMED),
        ({"request": 1}, Fault.MALFORMED),
        ({"request": "true"}, Fault.MALFORMED),
        ({"action": "left", "request": True}, Fault.MALFORMED),
        ({"request": False}, Fault.MALFORMED),
        ({}, Fault.MALFORMED),
        ([], Fault.MALFORMED),
        ("forward", Fault.MALFORMED),
        (None, Fault.MALFORMED),
        ({"action": "stop", "chances": {"stop": 1}}, Fault.MALFORMED),
        ({"action": "stop", "chances": {**SURE, "left": -1.0}}, Fault.MALFORMED),
        ({"action": "stop", "chances": {**SURE, "left": float("nan")}}, Fault.MALFORMED),
        ({"action": "stop", "chances": {**SURE, "left": 10**400}}, Fault.MALFORMED),
        ({"action": "stop", "chances": {**SURE, "left": 0.5}}, Fault.MALFORMED),  # more than 1 in all
        ({"action": "stop", "chances": {**SURE, "left": 10**400}}, Fault.MALFORMED),  # more than a float holds
        ({"action": "stop", "chances": {**SURE, "left": float("inf")}}, Fault.MALFORMED),
        ({"action": "stop", "chances": {**SURE, "stop": True}}, Fault.MALFORMED),
        ({"action": "stop", "chances": {**SURE, "stop": "1"}}, Fault.MALFORMED),
    ],
)
def test_answers(value: Any, expected: Answer | Fault) -> None:
    assert read_answer(value) == expected


ANY = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 2)
    | st.just(10**400)
    | st.floats(0, 1)
    | st.sampled_from(NAMES)
    | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*NAMES, "action", "request"]), inner),
    max_leaves=8,
)
ANSWERS = st.fixed_dictionaries(
    {}, optional={"action": ANY, "request": st.booleans() | ANY, "chances": st.none() | st.just(SURE) | ANY, "note": ANY}
)


@given(ANY | ANSWERS)
def test_an_answer_is_one_where_the_schema_says_so(value: Any) -> None:
    found = isinstance(read_answer(value), Answer)
    if isinstance(value, dict) and isinstance(value.get("chances"), dict) and not found:
        return  # that chances add up to 1 no schema can say
    assert found is valid("answer", value)


@given(st.text() | ANSWERS.map(json.dumps) | st.binary().map(lambda raw: raw.decode("utf-8", "replace")))
def test_whatever_a_model_says_is_an_answer_or_a_fault(text: str) -> None:
    assert isinstance(read_reply(text), Answer | Fault)
    assert isinstance(said(text), str | None) and isinstance(read_completion(text, 3), Answer | Fault | GoTo)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"action": "left"}', Answer(Nav.LEFT)),
        ('I think so.\n```json\n{"action": "Left "}\n```', Answer(Nav.LEFT)),
        ('{"thought": "{not this}", "action": "forward"}', Answer(Nav.FORWARD)),
        ('{"thought": "lost"} {"request": true}', Answer(None)),
        ('{"action": "request"}', Answer(None)),
        ("left", Fault.MALFORMED),
        ('{"action": "dance"}', Fault.UNKNOWN_ACTION),
        ('{"action": "left", "action": "right"}', Fault.MALFORMED),
        (f'{{"action": "left", "sure": {"9" * 5000}}}', Fault.MALFORMED),
        ("{" * 100_000, Fault.MALFORMED),
        ("[" * 100_000 + "{", Fault.MALFORMED),
    ],
)
def test_what_a_model_says(text: str, expected: Answer | Fault) -> None:
    assert read_reply(text) == expected


@pytest.mark.parametrize(
    "text", [b'{"action": "left", "action": "right"}', b"[" * 100_000, b"9" * 5000, b'{"action": "left"', b"\xff", b""]
)
def test_what_is_no_answer_on_the_wire(text: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        parsed(text)


def test_what_is_sent_is_as_the_schema_says_and_comes_back() -> None:
    walk = rules().begin(KITCHEN, 123)
    kinds = ("text", "symbols", "view:symbolic", "views", "exits", "text_around", "symbols_around", "sensor:places")
    assert valid("agent", {"version": VERSION, "name": "x", "observes": ["pictures_around"]})
    agent = Declaration("x", kinds, version=VERSION)
    assert valid("agent", {"version": VERSION, "name": "x", "observes": list(kinds)})
    assert read_declaration({"version": VERSION, "name": "x", "observes": list(kinds)}, "there").observes == kinds
    show, picture = showing(agent), np.arange(36, dtype=np.uint8).reshape(3, 4, 3)
    around = np.stack([picture + turn for turn in range(12)])
    beginning = json.loads(json.dumps(reset_json(walk.observation(), agent)))
    assert valid("beginning", beginning) and read_observation(beginning)["instruction"] == walk.task.end_goal
    assert valid("beginnings", in_batch("episodes", [beginning], agent))
    for answer in (Answer(None), Answer(Nav.LEFT), Fault.LATE, Answer(Nav.LEFT, (0, 0, 0, 0, 0.25, 0.75))):
        shown = show(walk.task.house, "living_west", walk.pose) | show.sensed(walk.sensed(show.sensors))
        now = walk.observation(**shown, pictures=picture, pictures_around=around)
        assert {*now} == {*KEYS}
        value = json.loads(json.dumps(observation_json(now, agent)))
        assert valid("observation", value) and valid("observations", in_batch("observations", [value], agent))
        again = read_observation(value)
        assert json.dumps(observation_json(again, agent)) == json.dumps(observation_json(now, agent))
        assert {*again} == {*now} and again["last_action"] == now["last_action"]
        assert (again["pictures_around"] == around).all()
        assert (again["pictures"] == picture).all() and (again["view"] == now["view"]).all()
        assert again["views"].shape == (12, len(now["view"])) and (again["views"] == now["views"]).all()
        walk.take(answer)
        if isinstance(answer, Answer):
            sent = answer_json(answer)
            assert valid("answer", sent) and read_answer(sent) == answer


def test_only_what_was_asked_for_is_shown() -> None:
    walk = rules().begin(KITCHEN, 123)
    agent = Declaration("somebody", version=VERSION)
    value = observation_json(walk.observation(**showing(agent)(walk.task.house, "living_west", walk.pose)), agent)
    assert "text" in value and not {"pictures", "symbols", "view", "sensors"} & set(value)
    assert not {"pose", "viewpoint", "house", "goals"} & set(value)


def test_answers_of_a_batch() -> None:
    left = {"action": "left"}
    assert read_answers({"answers": [left, {}]}, 2) == [Answer(Nav.LEFT), Fault.MALFORMED]
    for wrong in ({"answers": [left]}, {"answers": [left] * 3}, [left] * 2, {"answers": "left"}, None):
        assert read_answers(wrong, 2) == [Fault.MALFORMED] * 2


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"version": 3}, "version is 3; expected 2"),
        ({"name": ""}, "name is ''; expected what to call the agent"),
        ({"observes": []}, "observes is"),
        ({"observes": ["smell"]}, "observes is"),
        ({"observes": ["view:"]}, "observes is"),
        ({"observes": ["view:../../secret"]}, "observes is"),
        ({"observes": ["view:.hidden"]}, "observes is"),
        ({"observes": ["view:a,b"]}, "observes is"),
        ({"observes": [["text"]]}, "observes is"),
        ({"batch": 10**400}, "batch is a number of about 400 digits"),
        ({"batch": 0}, "batch is 0"),
        ({"batch": True}, "batch is True"),
        ({"picture_width": 225}, "picture_width is 225; expected pixels from 16 to 1280"),
        ({"picture_width": 10**9}, "picture_width is"),
    ],
)
def test_what_an_agent_says_of_itself(changed: dict[str, Any], complaint: str) -> None:
    right = {"version": 2, "name": "x", "observes": ["pictures", "view:resnet"], "batch": 4, "picture_width": 640}
    assert valid("agent", right)
    assert read_declaration(right, "there") == Declaration("x", ("pictures", "view:resnet"), 4, 640, 2)
    with pytest.raises(InputError, match=r"^there: ") as error:
        read_declaration(right | changed, "there")
    assert complaint in str(error.value)
    assert not valid("agent", right | changed)


def test_what_version_1_declared_is_still_read() -> None:
    old = {"version": 1, "name": "x", "observes": ["picture", "text", "features:resnet", "sense:clock"]}
    found = read_declaration(old, "there")
    assert found == Declaration("x", ("pictures", "text", "view:resnet", "sensor:clock"), version=1)
    with pytest.raises(InputError, match="expected features of one name, or version 2"):
        read_declaration(old | {"observes": ["features:a", "features:b"]}, "there")


@pytest.mark.parametrize("name", ["\ud800", "two\nlines", "\x1b[31mred", "a\x00b"])
def test_a_name_that_cannot_be_printed_is_refused(name: str) -> None:
    """It stands in files and in the terminal; a half of a pair of UTF-16 cannot even be written."""
    with pytest.raises(InputError, match=r"^there: name is '.*expected what to call the agent") as error:
        read_declaration({"version": 2, "name": name}, "there")
    assert str(error.value).isprintable()
    with pytest.raises(InputError, match="observes is"):
        read_declaration({"version": 2, "name": "x", "observes": [f"view:{name}"]}, "there")
