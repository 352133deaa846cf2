"""Forms of replies: what is asked for, what is read, what a server has, and what counts as an answer."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from cottage_players import TASKS
from fake_servers import Answers, Say, serving
from remote.cottage_rules import KITCHEN, rules, showing
from vnla.common.errors import InputError
from vnla.remote.caller import Address, Caller, Manner, NobodyAnswersError
from vnla.remote.chat import Chat
from vnla.remote.evaluated_agent import Answer, Fault, LocalPolicy
from vnla.remote.evaluation import PolicyEvaluation, evaluate_policy
from vnla.remote.folder import Journal
from vnla.remote.prompts import read_prompt
from vnla.remote.replies import GoTo, is_completion, read_completion
from vnla.remote.spending import LARGEST, Meter
from vnla.world.actions import Nav

LEFT, ASK = Answer(Nav.LEFT), Answer(None)
THOUGHT = '<think>{"action": "left"} or {"request": true}?'


def reply(content: Any = None, **message: Any) -> str:
    return json.dumps({"choices": [{"message": {"role": "assistant", "content": content, **message}}]})


def call(name: Any, arguments: Any) -> dict[str, Any]:
    return {"tool_calls": [{"id": "1", "type": "function", "function": {"name": name, "arguments": arguments}}]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (reply(THOUGHT + '</think>\n{"action": "stop"}'), Answer(Nav.STOP)),
        (reply('I think left. {"action": "left"}</think>{"action": "stop"}'), Answer(Nav.STOP)),
        (reply(f'{THOUGHT}</think>{{"action": "left"}}<THINK>no</THINK>{{"action": "stop"}}'), Answer(Nav.STOP)),
        (reply(THOUGHT), Fault.MALFORMED),
        (reply(THOUGHT + '</think>{"action": "stop"}<think>or {"action": "left"}'), Fault.MALFORMED),
        (reply(f'<think>{"x" * 100_000}</think>{{"action": "left"}}'), LEFT),
        (reply('{"action": "left"}', reasoning_content='{"action": "stop"}'), LEFT),
        (reply(None, reasoning_content='{"action": "stop"}'), Fault.MALFORMED),
        (reply("", reasoning='{"action": "stop"}'), Fault.MALFORMED),
        (reply(None, refusal="I cannot help with that."), Fault.MALFORMED),
        (json.dumps({"choices": []}), Fault.MALFORMED),
        (json.dumps({"choices": [None]}), Fault.MALFORMED),
        (reply('{"go": 2}'), GoTo(2)),
        (reply('{"go": "3"}'), GoTo(3)),
        (reply('{"action": "go 1"}'), GoTo(1)),
        (reply('{"action": null, "go": 2, "request": false}'), GoTo(2)),
        (reply('{"action": "left", "go": null}'), LEFT),
        (reply('{"go": 4}'), Fault.UNKNOWN_ACTION),
        (reply('{"go": 0}'), Fault.UNKNOWN_ACTION),
        (reply('{"go": true}'), Fault.MALFORMED),
        (reply('{"go": "the kitchen"}'), Fault.MALFORMED),
        (reply(f'{{"go": {10**400}}}'), Fault.MALFORMED),
        (reply('{"go": 1, "action": "left"}'), Fault.MALFORMED),
        (reply('{"go": 1, "request": true}'), Fault.MALFORMED),
        (reply(None, **call("act", '{"action": "left"}')), LEFT),
        (reply("I turn.", **call("act", {"action": "LEFT"})), LEFT),
        (reply('{"action": "stop"}', **call("act", '{"action": "left"}')), LEFT),
        (reply(THOUGHT, **call("go", '{"number": 2}')), GoTo(2)),
        (reply(None, **call("go", '{"number": 9}')), Fault.UNKNOWN_ACTION),
        (reply(None, **call("request", "")), ASK),
        (reply(None, **call("request", "{}")), ASK),
        (reply(None, **call("act", '{"action": "fly"}')), Fault.UNKNOWN_ACTION),
        (reply(None, **call("act", "{}")), Fault.MALFORMED),
        (reply(None, **call("act", '{"action": "left"')), Fault.MALFORMED),
        (reply(None, **call("act", "[1]")), Fault.MALFORMED),
        (reply(None, **call("open_door", "{}")), Fault.UNKNOWN_ACTION),
        (reply(None, **call(None, "{}")), Fault.MALFORMED),
        (reply(None, tool_calls=[7]), Fault.MALFORMED),
        (reply('{"action": "left"}', tool_calls=[]), LEFT),
    ],
)
def test_what_a_completion_answers(text: str, expected: Any) -> None:
    assert is_completion(text) and read_completion(text, candidates=3) == expected


def test_without_candidates_there_is_nowhere_to_go() -> None:
    assert read_completion(reply('{"go": 1}')) is Fault.MALFORMED
    assert read_completion(reply('{"go": 1} {"action": "left"}')) == LEFT
    assert read_completion(reply('{"action": "go 1"}')) is Fault.UNKNOWN_ACTION


def test_what_is_no_completion() -> None:
    for text in ("<html>", "{}", "[]", '{"error": {"code": 500}}', '{"choices": null}', '{"choices": {}}', "", "7"):
        assert not is_completion(text)
        assert read_completion(text) is Fault.MALFORMED


def model(says: str, *forms: str, status: int = 400) -> Answers:
    """A server that has some forms, and refuses others; where it has none of those asked for, it says it in text."""

    def answers(_path: str, value: Any) -> Say:
        asked = "tools" if "tools" in value else "json-schema" if "response_format" in value else "text"
        if asked not in forms:
            return Say.json({"error": {"message": f"{asked} is not supported"}}, status=status)
        if asked == "tools":
            functions = {each["function"]["name"]: each["function"]["parameters"] for each in value["tools"]}
            assert value["tool_choice"] == "required" and {"act", "request"} <= {*functions}
            assert says in functions["act"]["properties"]["action"]["enum"]
            return Say(reply(None, **call("act", json.dumps({"action": says}))).encode())
        if asked == "json-schema":
            form = value["response_format"]["json_schema"]
            assert form["strict"] and {says, "request"} <= {*form["schema"]["properties"]["action"]["enum"]}
        return Say(reply(json.dumps({"action": says})).encode())

    return answers


def chat(url: str, folder: Path, **options: Any) -> Chat:
    journal = Journal(folder / "calls.jsonl")
    caller = Caller(Address.of(f"{url}/v1"), Manner(timeout=30, retries=0, give_up=20, largest=LARGEST), journal)
    return Chat("m", caller, read_prompt(None, "text"), observe="text", cache=folder / "cache", journal=journal, **options)


def visited(who: Chat) -> PolicyEvaluation:
    return evaluate_policy(LocalPolicy(who), rules(), showing(), seeds=(123,), at_once=3)


FORMS = [
    (("tools", "json-schema", "text"), "tools", {}),
    (("json-schema", "text"), "json-schema", {"tools": 'HTTP 400: {"error": {"message": "tools is not supported"}}'}),
    (
        ("text",),
        "text",
        {kind: f'HTTP 400: {{"error": {{"message": "{kind} is not supported"}}}}' for kind in ("tools", "json-schema")},
    ),
]


@pytest.mark.parametrize(("forms", "found", "tried"), FORMS)
def test_the_first_form_that_there_is_is_found_once(
    forms: tuple[str, ...], found: str, tried: dict[str, str], tmp_path: Path
) -> None:
    """Its answer counts, nothing is paid for twice, and an evaluation that goes on does not try again."""
    with serving(model("stop", *forms)) as server:
        who = chat(server.url, tmp_path, replies="auto")
        visit = visited(who)
        assert who.replies == found and who.settings.get("replies", "text") == found
        assert not visit.errors and len(server.seen) == len(TASKS) + len(tried)
    assert [each for each in map(json.loads, (tmp_path / "calls.jsonl").read_text().splitlines()) if "tried" in each] == [
        {"replies": found, "tried": tried}
    ]
    with serving(model("stop", "tools", "json-schema", "text")) as server:
        again = chat(server.url, tmp_path, replies="auto")
        visited(again)
        assert again.replies == found


def test_a_server_that_passes_over_what_it_does_not_know_is_read_in_text(tmp_path: Path) -> None:
    with serving(lambda *_: Say(reply('I would stop: {"action": "stop"}').encode())) as server:
        who = chat(server.url, tmp_path, replies="auto")
        assert not visited(who).errors and who.replies == "text"
        assert len(server.seen) == len(TASKS) + 2
    note = next(each for each in map(json.loads, (tmp_path / "calls.jsonl").read_text().splitlines()) if "tried" in each)
    assert note["tried"] == dict.fromkeys(("tools", "json-schema"), "the reply was of another form")


@pytest.mark.parametrize("form", ["tools", "json-schema", "text"])
def test_a_form_that_was_asked_for_is_the_one(form: str, tmp_path: Path) -> None:
    with serving(model("stop", form)) as server:
        assert not visited(chat(server.url, tmp_path, replies=form)).errors
        assert len(server.seen) == len(TASKS)
        system = server.seen[0][1]["messages"][0]["content"]
    assert ("call one function" in system) is (form == "tools")
    assert ('{"action": "request"}' in system) is (form == "json-schema")


def test_an_evaluation_begun_before_there_was_a_choice_goes_on_in_text(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "calls.jsonl")
    journal.add({"path": "/chat/completions", "request": {"episode": "1", "body": {}}, "tokens": 9})
    journal.close()
    with serving(model("stop", "tools", "text")) as server:
        who = chat(server.url, tmp_path, replies="auto")
        assert not visited(who).errors and who.replies == "text" and "replies" not in who.settings


def test_a_server_that_refuses_every_form_is_one_line_and_nothing_is_found(tmp_path: Path) -> None:
    with serving(lambda *_: Say(b"no such key", status=401)) as server:
        with pytest.raises(NobodyAnswersError, match=r"gives no reply of any form \(HTTP 401: no such key\)"):
            who = chat(server.url, tmp_path, replies="auto")
            who.settle(rules().begin(KITCHEN, 123).observation(text="You are here."), who.reset(""))
        assert len(server.seen) == 3
    assert '"tried"' not in (tmp_path / "calls.jsonl").read_text()
    with serving(model("stop", "tools")) as server:
        who = chat(server.url, tmp_path, replies="auto")
        assert not visited(who).errors and who.replies == "tools"


def test_whoever_gives_a_form_as_an_option_has_text_read(tmp_path: Path) -> None:
    form = {"response_format": {"type": "json_object"}}
    assert chat("http://127.0.0.1:9", tmp_path, replies="auto", options=form).replies == "text"
    with pytest.raises(InputError, match="response_format is an option, and --replies tools is another form"):
        chat("http://127.0.0.1:9", tmp_path, replies="tools", options=form)
    with pytest.raises(InputError, match="--replies 'xml': choose from auto, tools, json-schema, text"):
        chat("http://127.0.0.1:9", tmp_path, replies="xml")


def test_candidates_are_in_what_is_asked_for(tmp_path: Path) -> None:
    exits = [
        {"heading": 0.0, "elevation": 0.0, "metres": 2.0, "visited": False, "came_from": False, "action": "forward"}
    ] * 2
    now = rules().begin(KITCHEN, 123).observation(exits=exits, text_around="You are here.")
    who = chat("http://127.0.0.1:9", tmp_path)
    tools, schema = (who.body(now, who.reset(""), kind) for kind in ("tools", "json-schema"))
    go = next(each["function"] for each in tools["tools"] if each["function"]["name"] == "go")
    assert go["parameters"]["properties"]["number"] == {"type": "integer", "minimum": 1, "maximum": 2}
    choices = schema["response_format"]["json_schema"]["schema"]["properties"]["action"]["enum"]
    assert choices == ["left", "right", "up", "down", "forward", "stop", "request", "go 1", "go 2"]


REFUSALS = {
    "a refusal": reply(None, refusal="I cannot."),
    "no choices": json.dumps({"choices": []}),
    "nothing": reply(""),
    "null": reply(None, reasoning_content='{"action": "stop"}'),
    "reasoning without an end": reply(THOUGHT),
}


@pytest.mark.parametrize("what", REFUSALS)
def test_a_refusal_is_an_answer_that_is_kept_and_not_asked_for_again(what: str, tmp_path: Path) -> None:
    with serving(lambda *_: Say(REFUSALS[what].encode())) as server:
        first = visited(chat(server.url, tmp_path))
        calls = len(server.seen)
        assert first.errors == Counter(malformed=first.answers) and calls == first.answers
        assert visited(chat(server.url, tmp_path)).errors == first.errors and len(server.seen) == calls
    note = json.loads((tmp_path / "calls.jsonl").read_text().splitlines()[0])
    assert json.loads(note["reply"]) == json.loads(REFUSALS[what]), "with its reasoning, which nobody parses"


def test_what_a_busy_server_did_not_take_is_no_call(tmp_path: Path) -> None:
    says = [Say(status=429)] * 3
    with serving(lambda *_: says.pop() if says else Say(reply('{"action": "stop"}').encode())) as server:
        who = chat(server.url, tmp_path, meter=Meter(max_calls=len(TASKS)))
        assert not visited(who).errors and len(server.seen) == len(TASKS) + 3
    assert who.meter.calls == len(TASKS)
    recalled = Meter()
    recalled.recall(Journal(tmp_path / "calls.jsonl"))
    assert (recalled.calls, recalled.tokens) == (len(TASKS), who.meter.tokens)
