"""Chat models behind a real server of completions: prompts, cache, caps, errors, and a key that is never written."""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cottage_players import TASKS
from fake_servers import Answers, Say, serving
from remote.cottage_rules import KITCHEN, rules, showing
from vnla.common.errors import InputError
from vnla.remote.caller import Address, Caller, Manner
from vnla.remote.chat import Chat
from vnla.remote.evaluated_agent import LocalPolicy
from vnla.remote.evaluation import PolicyEvaluation, evaluate_policy
from vnla.remote.folder import Journal
from vnla.remote.prompts import parse_prompt, read_prompt
from vnla.remote.protocol import png
from vnla.remote.replies import PATH
from vnla.remote.spending import LARGEST, Cache, CapError, Meter

QUICK = Manner(timeout=60, retries=0, back_off=0.01, give_up=0, largest=1 << 20)
PROMPT = read_prompt(None, "text")
PICTURE = np.zeros((3, 4, 3), np.uint8)


def completion(text: Any, tokens: int | None = 100) -> Say:
    usage = {} if tokens is None else {"usage": {"total_tokens": tokens}}
    return Say.json({"choices": [{"message": {"role": "assistant", "content": text}}], **usage})


def model(reply: Callable[[str], str]) -> Answers:
    """A model that answers to the words of the user."""

    def answers(path: str, value: Any) -> Say:
        assert path == "/v1/chat/completions"
        return completion(reply(value["messages"][-1]["content"]))

    return answers


def stops_soon(words: str) -> str:
    return '{"action": "left"}' if "Steps left: 25" in words else '{"action": "stop"}'


def visited(url: str, *, manner: Manner = QUICK, **options: Any) -> PolicyEvaluation:
    chat = Chat("m", Caller(Address.of(f"{url}/v1"), manner, options.get("journal")), PROMPT, observe="text", **options)
    guest = LocalPolicy(chat)
    return evaluate_policy(guest, rules(), showing(guest.declaration), seeds=(123,), at_once=3)


def test_it_walks_and_is_told_what_there_is() -> None:
    with serving(model(stops_soon)) as server:
        visit = visited(server.url)
        assert not visit.errors and visit.answers == 2 * len(TASKS)
        sent = [value for _, value, _ in server.seen]
    assert all(value["model"] == "m" and value["temperature"] == 0 for value in sent)
    kitchen = [value["messages"] for value in sent if "find a towel in the kitchen" in value["messages"][1]["content"]]
    system, user = (message["content"] for message in kitchen[1])
    assert "left, right, up, down, forward, stop" in system
    assert "Last: left: done" in user and "Steps left: 24. Requests left: 2." in user
    assert "- in view: You are in the living room." in user, "what it saw before"


def test_pictures_are_sent_and_only_their_checksum_is_kept(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "calls.jsonl")
    with serving(lambda *_: completion('{"action": "stop"}')) as server:
        caller = Caller(Address.of(f"{server.url}/v1"), QUICK, journal)
        chat = Chat("m", caller, read_prompt(None, "picture"), observe="picture", journal=journal)
        walk = rules().begin(KITCHEN, 123)
        chat.act(walk.observation(pictures=PICTURE), chat.reset(""))
        text, picture = server.seen[0][1]["messages"][1]["content"]
    assert base64.b64decode(picture["image_url"]["url"].partition("base64,")[2]) == png(PICTURE)
    assert "find a towel in the kitchen" in text["text"]
    noted = json.loads((tmp_path / "calls.jsonl").read_text())
    assert noted["request"]["body"]["messages"][1]["content"][1]["image_url"].startswith("sha256:")
    assert noted["tokens"] == 100 and json.loads(noted["reply"])["choices"]


@pytest.mark.parametrize(
    ("say", "kind"),
    [
        (completion("I would turn left."), "malformed"),
        (completion('{"action": "jump"}'), "unknown_action"),
        (completion(None), "malformed"),
        (completion([{"type": "text"}]), "malformed"),
        (Say(b"<html>"), "malformed"),
        (Say(status=400, body=b"no such model"), "http_error"),
    ],
)
def test_wrong_replies_are_counted(say: Say, kind: str) -> None:
    with serving(lambda *_: say) as server:
        visit = visited(server.url)
        assert visit.errors == Counter({kind: visit.answers})


def test_a_reply_in_parts() -> None:
    parts = [{"type": "reasoning"}, {"type": "text", "text": '{"action":'}, {"type": "text", "text": ' "stop"}'}]
    with serving(lambda *_: completion(parts)) as server:
        assert not visited(server.url).errors


def test_nothing_is_paid_for_twice(tmp_path: Path) -> None:
    with serving(model(stops_soon)) as server:
        first = visited(server.url, cache=tmp_path)
        calls = len(server.seen)
        again = visited(server.url, cache=tmp_path)
        assert len(server.seen) == calls == first.answers
        assert again.evaluation.trace.pose.tolist() == first.evaluation.trace.pose.tolist()
        visited(server.url, cache=tmp_path, options={"temperature": 1})
        assert len(server.seen) == 2 * calls, "another request is another"
        for file in tmp_path.rglob("*.json"):
            file.write_bytes(b"\xff")
        visited(server.url, cache=tmp_path)
        assert len(server.seen) == 3 * calls, "what cannot be read was never there"
        for file in tmp_path.rglob("*.json"):
            file.write_text('{"choices": ')
        assert not visited(server.url, cache=tmp_path).errors
        assert len(server.seen) == 4 * calls, "and neither was what is no reply"


def test_a_key_that_a_server_repeats_is_in_no_file(tmp_path: Path) -> None:
    """The reply is kept in the cache, and is the same from there as it was at first."""
    key, heard = "sk-secret/1234", list[str]()

    def repeats(_path: str, _value: Any) -> Say:
        sent = server.seen[-1][2]["Authorization"]
        heard.append(sent)
        say = completion(f'{{"action": "stop", "why": "{sent}"}}')
        return replace(say, body=say.body.replace(b"/", b"\\/"))

    journal = Journal(tmp_path / "calls.jsonl")
    with serving(repeats) as server:
        caller = Caller(Address.of(f"{server.url}/v1"), QUICK, journal, key)
        chat = Chat("m", caller, PROMPT, observe="text", cache=tmp_path / "cache", journal=journal)
        for _ in range(2):
            assert not evaluate_policy(LocalPolicy(chat), rules(), showing(), seeds=(123,)).errors
    journal.close()
    assert heard == [f"Bearer {key}"] * len(TASKS)
    files = [file.read_text() for file in tmp_path.rglob("*") if file.is_file()]
    assert len(files) == len(TASKS) + 1 and all("(key)" in text and "secret" not in text for text in files)


SPELLED: dict[str, Callable[[str], str]] = {
    "as it is": lambda key: json.dumps(key)[1:-1],
    "slashes escaped": lambda key: json.dumps(key)[1:-1].replace("/", "\\/"),
    "every character escaped": lambda key: "".join(f"\\u{ord(each):04x}" for each in key),
    "every other one": lambda key: "".join(f"\\u{ord(each):04X}" if i % 2 else each for i, each in enumerate(key)),
    "JSON in JSON": lambda key: json.dumps(json.dumps("".join(f"\\u{ord(each):04x}" for each in key)))[1:-1],
    "base64": lambda key: base64.b64encode(key.encode()).decode(),
}


@pytest.mark.parametrize("field", ["content", "refusal", "reasoning_content", "arguments", "id"])
@pytest.mark.parametrize("way", SPELLED)
def test_a_key_is_not_in_what_is_kept_however_it_is_written(way: str, field: str, tmp_path: Path) -> None:
    """Not in the files, not in what their JSON means, not in what is inside of that."""
    key, journal = "sk-secret/wxyz-abcd", Journal(tmp_path / "calls.jsonl")
    places = {"arguments": '{"tool_calls": [{"function": {"name": "act", "arguments": "KEY"}}]}', "id": '{"content": "KEY"}'}
    message = places.get(field, f'{{"{field}": "I heard KEY"}}')
    body = f'{{"id": "KEY", "choices": [{{"message": {message}}}]}}'.replace("KEY", SPELLED[way](key))
    assert json.loads(body)["choices"]
    with serving(lambda *_: Say(body.encode())) as server:
        caller = Caller(Address.of(f"{server.url}/v1"), QUICK, journal, key)
        chat = Chat("m", caller, PROMPT, observe="text", cache=tmp_path / "cache", journal=journal)
        chat.act(rules().begin(KITCHEN, 123).observation(text="You are here."), chat.reset(""))
    journal.close()
    files = [file.read_text() for file in tmp_path.rglob("*.json*")]
    assert len(files) == 2 and all("(key)" in text for text in files)
    for text in files:
        for meant in (text, *texts_in(json.loads(text))):
            for piece in ("secret", "wxyz", base64.b64encode(key.encode()).decode()[4:12]):
                assert piece not in meant, meant


def texts_in(value: Any) -> list[str]:
    """All texts in a value of JSON, and in those that are JSON themselves."""
    if isinstance(value, str):
        try:
            inner = json.loads(value)
        except ValueError:
            inner = None
        return [value, *texts_in(inner)] if not isinstance(inner, str) or inner != value else [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in texts_in(part)]


def test_a_key_in_an_option_is_refused() -> None:
    caller = Caller(Address.of("http://localhost"), key="sk-secret-1234")
    for odd in ({"options": {"user": "sk-secret-1234"}}, {"model": "sk-secret-1234"}):
        with pytest.raises(InputError, match="has the key in it") as error:
            Chat(**{"model": "m", "caller": caller, "prompt": PROMPT, **odd})  # type: ignore[arg-type]
        assert "secret" not in str(error.value)


def test_options_go_into_the_request_and_none_leaves_them_out() -> None:
    with serving(model(stops_soon)) as server:
        visited(server.url, options={"temperature": None, "max_tokens": 5})
        body = server.seen[0][1]
    assert "temperature" not in body and body["max_tokens"] == 5


def test_caps_hold_over_all_times_it_goes_on(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "calls.jsonl")
    with serving(model(stops_soon)) as server:
        with pytest.raises(CapError, match=r"--max-calls 5 is reached after 5 calls"):
            visited(server.url, meter=Meter(max_calls=5), journal=journal)
        assert len(server.seen) == 5
        journal.close()
        meter = Meter(max_calls=7)
        meter.recall(journal)
        assert (meter.calls, meter.tokens) == (5, 500)
        with pytest.raises(CapError):
            visited(server.url, meter=meter, journal=journal)
        assert len(server.seen) == 7


@pytest.mark.parametrize("odd", [10**400, -5, True, "9", None, float("inf"), [1]])
def test_odd_counts_in_the_calls_of_earlier_times(odd: Any, tmp_path: Path) -> None:
    journal = Journal(tmp_path / "calls.jsonl")
    for note in ({"path": PATH, "tokens": 100}, {"path": PATH, "tokens": odd}, [1], {"path": [PATH]}, {}):
        journal.add(note)  # type: ignore[arg-type]
    journal.close()
    meter = Meter()
    meter.recall(journal)
    assert (meter.calls, meter.tokens) == (2, 100)


@pytest.mark.parametrize(
    "odd", [{"width": 10**400}, {"width": 18}, {"memory": -1}, {"memory": 1.5}, {"options": {"temperature": float("inf")}}]
)
def test_odd_options(odd: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"^agent openai: (width|memory|an option) is"):
        Chat("m", Caller(Address.of("http://localhost")), PROMPT, **odd)


def test_tokens_are_capped_before_they_are_spent() -> None:
    with serving(model(stops_soon)) as server:
        with pytest.raises(CapError, match="--max-tokens 1,000 is reached"):
            visited(server.url, meter=Meter(max_tokens=1000))
        assert 1 <= len(server.seen) * 100 <= 1000


def test_a_try_is_a_call_and_a_server_without_counts_is_estimated() -> None:
    says = [Say(status=500), completion('{"action": "stop"}', tokens=None)]
    with serving(lambda *_: says.pop(0) if len(says) > 1 else says[0]) as server:
        meter = Meter()
        visited(server.url, meter=meter, manner=Manner(timeout=60, retries=2, back_off=0.01))
        assert meter.calls == len(server.seen) == len(TASKS) + 1, "one that was not taken counts, too"
        assert 100 * len(TASKS) < meter.tokens < 1000 * len(TASKS)


def test_a_try_without_a_reply_costs_no_tokens() -> None:
    with serving(lambda *_: Say(status=500)) as server:
        meter = Meter()
        visited(server.url, meter=meter)
        assert (meter.calls, meter.tokens) == (len(server.seen), 0)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("hello", r"expected a prompt: a part \[system\] and a part \[user\]"),
        ("[system]\na\n[user]\nb\n[user]\nc", "expected a prompt"),
        ("[system]\na\n[user]\n$colour", r"\[user\] has \$colour; there are \$actions, \$advice"),
        ("[system]\nit costs 5$\n[user]\n", r"\[system\] has a \$ that begins no placeholder"),
    ],
)
def test_prompts_that_are_wrong(text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=f"mine.txt: {complaint}"):
        parse_prompt(text, "mine.txt")


def test_a_prompt_is_text_and_nothing_else() -> None:
    """What is put into it is not looked at again, and braces, percent signs and attributes mean nothing."""
    prompt = parse_prompt("[system]\n{0.__class__} %s $$5\n[user]\n$end_goal / $advice", "x")
    values = dict.fromkeys(
        ("actions", "forward", "history", "instruction", "last", "requests_left", "sight", "step", "time_left"), ""
    )
    system, user = prompt.filled(values | {"end_goal": "$advice {x}", "advice": "${end_goal}"})
    assert system == "{0.__class__} %s $5"
    assert user == "$advice {x} / ${end_goal}"


@pytest.mark.parametrize("observe", ["text", "picture", "both"])
def test_the_prompts_of_the_package(observe: str) -> None:
    prompt = read_prompt(None, observe)
    assert ("sight" in prompt.user.get_identifiers()) is (observe != "picture")
    assert {"end_goal", "advice", "time_left", "requests_left", "last"} <= set(prompt.user.get_identifiers())


def test_a_file_in_the_cache_that_no_reply_could_be_is_not_read(tmp_path: Path) -> None:
    cache, key = Cache(tmp_path), "0" * 64
    cache.put(key, "a reply")
    assert cache.get(key) == "a reply" and cache.get("1" * 64) is None
    (file,) = tmp_path.rglob("*.json")
    for wrong in (b"x" * (LARGEST + 1), b"\xff"):
        file.write_bytes(wrong)
        assert cache.get(key) is None
