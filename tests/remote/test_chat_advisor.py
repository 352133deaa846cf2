"""A chat model as the advisor, behind a real server that tells the truth, lies, is late and is rude."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from cottage_players import TASKS, VOCABULARY, WORLD
from fake_servers import Answers, Say, serving
from remote.cottage_rules import FOLDER
from vnla.assistance.phrases import until_stop
from vnla.assistance.words import Utterance
from vnla.common.errors import InputError
from vnla.episode import StepContext, beginning
from vnla.language.registry import advisor_named
from vnla.remote.caller import BusyError, NobodyAnswersError
from vnla.remote.chat_advisor import ADVICE, ChatAdvisor, ChatVoice, exactly, sentence_of
from vnla.remote.spending import CapError
from vnla.training.config import RunConfig

EVERY = torch.arange(len(TASKS))
PLAN = re.compile(r"exactly this: (.*)\.")
MIRROR = {"left": "right", "right": "left"}


def completion(text: Any, **more: Any) -> Say:
    return Say.json({"model": "m-2026", "choices": [{"message": {"role": "assistant", "content": text}}], **more})


def model(reply: Callable[[str], Any]) -> Answers:
    """A model that is told a plan."""

    def answers(path: str, value: Any) -> Say:
        assert path == "/v1/chat/completions" and value["model"] == "m" and value["temperature"] == 0
        return completion(reply(PLAN.findall(value["messages"][1]["content"])[0]))

    return answers


def truly(plan: str) -> str:
    return f'"{plan.capitalize()}, please."'


def mirrored(plan: str) -> str:
    return re.sub("left|right", lambda side: MIRROR[side[0]], plan)


def now() -> StepContext:
    return beginning(TASKS.episodes(EVERY, seed=0, k=4))


def plans() -> list[str]:
    context = now()
    actions, _ = context.episodes.environment.taught_way(context.pose, context.episodes.goals, 4)
    return [exactly(until_stop(plan)) for plan in torch.stack(actions, dim=1).tolist()]


def advisor(url: str, out: Path, **options: Any) -> ChatAdvisor:
    given = {"base_url": f"{url}/v1", "out": str(out), "retries": 0, "timeout": 5, "give_up": 0, **options}
    made = advisor_named("openai:m", given)
    assert isinstance(made, ChatAdvisor)
    return made


def voice(url: str, out: Path, **options: Any) -> ChatVoice:
    own = advisor(url, out, **options)
    return own.ready_in(FOLDER, WORLD, VOCABULARY.with_words(own.words()))


def all_told(bound: ChatVoice) -> list[str]:
    """What everybody hears, all at once."""
    said = bound.say(now())
    assert int(said.words.length.min()) > 0
    return [said.table.text(row) for row in said.index.tolist()]


def notes(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / ADVICE).read_text().splitlines()]


def test_what_is_followed_is_said(tmp_path: Path) -> None:
    with serving(model(truly)) as server:
        bound = voice(server.url, tmp_path)
        said = all_told(bound)
        asked = len(server.seen)
        assert said == [f"{plan.capitalize()}, please." for plan in plans()]
        assert all_told(bound) == said and len(server.seen) == asked, "the same plan in the same place is asked about once"
        system, user = (each["content"] for each in server.seen[0][1]["messages"])
        assert all_told(voice(server.url, tmp_path)) == said and len(server.seen) == asked, "nothing is paid for twice"
    assert "one sentence" in system.lower() and "You are in the" in user and "\n- " in user
    assert bound.account == {"kept": 2 * len(TASKS)}
    for note in notes(tmp_path):
        assert note["kept"] and note["why"] == "" and note["model"] == "m" and note["answered_by"] == "m-2026"
        assert json.loads(note["reply"])["choices"] and note["plan"] in plans()


def test_only_those_who_hear_are_told(tmp_path: Path) -> None:
    """Asking costs money, so a sentence is composed for those rows of the table that are looked at."""
    with serving(model(truly)) as server:
        said = voice(server.url, tmp_path).say(now())
        assert not server.seen
        two = Utterance(said.index[:2], said.table)
        assert two.tails.length.tolist() == (two.words.length + 1).tolist() and len(server.seen) == len(set(plans()[:2]))
        assert said.table.text(said.table.silence) == ""


def test_a_liar_is_not_said(tmp_path: Path) -> None:
    with serving(model(mirrored)) as server:
        bound = voice(server.url, tmp_path)
        said = all_told(bound)
    turns = [plan for plan in plans() if plan != mirrored(plan)]
    assert turns and bound.account["not kept, it leads elsewhere"] == len(turns)
    for plan, text in zip(plans(), said, strict=True):
        assert text if plan == mirrored(plan) else text != mirrored(plan)
    lies = [note for note in notes(tmp_path) if not note["kept"]]
    assert {note["plan"] for note in lies} == set(turns) and all(note["reply"] for note in lies)


RUDE: dict[str, tuple[Say, str]] = {
    "html": (completion("<b>turn left</b>"), "it has characters that are in no sentence"),
    "control": (completion("turn left\x1b[2J\x00"), "it has characters that are in no sentence"),
    "many": (completion("turn left " * 1000), "it has more than 240 characters"),
    "lines": (completion("Sure!\n\nturn left"), "it has several lines"),
    "nonsense": (completion("xyzzy plugh"), "not understood"),
    "nothing": (completion(""), "it says nothing"),
    "no text": (completion(None), "it says nothing"),
    "thinking": (completion("<think>left or right"), "it says nothing"),
    "no choices": (Say.json({"choices": []}), "it says nothing"),
    "no JSON": (Say(b"<html>busy"), "no answer"),
    "10 MB": (Say(b" " * 10_000_000), "no answer"),
    "refuses": (Say(status=400, body=b"no such model"), "no answer"),
    "hangs up": (Say(drops=True), "no answer"),
    "late": (Say(after=3.0), "no answer"),
}


@pytest.mark.parametrize("how", RUDE)
def test_whatever_a_server_does_the_grammar_speaks(how: str, tmp_path: Path) -> None:
    say, why = RUDE[how]
    with serving(lambda *_: say) as server:
        bound = voice(server.url, tmp_path, timeout=0.3 if how == "late" else 5)
        said = all_told(bound)
    usual = bound.grammar.say(now())
    assert said == [usual.table.text(row) for row in usual.index.tolist()]
    assert bound.account == {f"not kept, {why}": len(TASKS)}
    assert all(not note["kept"] and note["why"].startswith(why) for note in notes(tmp_path))
    raw = {note["reply"] for note in notes(tmp_path)}
    assert (raw == {None}) is (why == "no answer" and how != "no JSON")


def test_a_busy_server_is_waited_for(tmp_path: Path) -> None:
    first = iter([Say(status=429, headers={"Retry-After": "0"})])
    with serving(lambda path, value: next(first, None) or model(truly)(path, value)) as server:
        assert voice(server.url, tmp_path).account == {}
        bound = voice(server.url, tmp_path)
        all_told(bound)
        assert bound.account == {"kept": len(TASKS)}
    with serving(lambda *_: Say(status=429)) as server, pytest.raises(BusyError, match="advisor-option max_wait 0 seconds"):
        all_told(voice(server.url, tmp_path / "other", max_wait=0, concurrency=1))


def test_nobody_there_is_one_line(tmp_path: Path) -> None:
    gone = pytest.raises(NobodyAnswersError, match="--advisor-option give_up 0 to count them all")
    with serving(lambda *_: Say(drops=True)) as server, gone:
        all_told(voice(server.url, tmp_path, give_up=2, concurrency=1))


def test_calls_are_capped_over_all_times(tmp_path: Path) -> None:
    with serving(model(truly)) as server:
        for _ in range(2):
            with pytest.raises(CapError, match=r"--advisor-option max_calls 2 is reached after 2 calls"):
                all_told(voice(server.url, tmp_path, max_calls=2, concurrency=1))
            assert len(server.seen) == 2
        all_told(voice(server.url, tmp_path))
        assert len(server.seen) == len({(note["viewpoint"], note["view"], note["plan"]) for note in notes(tmp_path)})


def test_the_key_is_in_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-secret-1234")

    def repeats(_path: str, _value: Any) -> Say:
        assert server.seen[-1][2]["Authorization"] == "Bearer sk-secret-1234"
        return completion("turn left sk-secret-1234")

    with serving(repeats) as server:
        all_told(voice(server.url, tmp_path, key_variable="MY_KEY"))
    files = [file.read_text() for file in tmp_path.rglob("*") if file.is_file()]
    assert files and all("secret" not in text for text in files)
    with pytest.raises(InputError, match="has the key in it"):
        voice("http://localhost", tmp_path, key_variable="MY_KEY", request={"user": "sk-secret-1234"})


ODD: dict[str, tuple[dict[str, Any], str]] = {
    "no address": ({"base_url": ""}, "advisor openai:m: say where the server is, for example --advisor-option base_url="),
    "odd address": ({"base_url": "ftp://here"}, "address ftp://here: expected http"),
    "k": ({"k": 7}, "advisor openai: k is 7, but it can describe 1 to 6 actions"),
    "calls": ({"max_calls": -1}, "advisor openai: max_calls is -1; expected a whole number from 0"),
    "request": ({"request": [1]}, "advisor openai: request is "),
    "taken": ({"request": {"messages": []}}, "advisor openai: request has messages, which is filled in"),
    "prompt": ({"prompt": "nowhere.txt"}, "nowhere.txt"),
}


@pytest.mark.parametrize("how", ODD)
def test_odd_options_are_one_line(how: str, tmp_path: Path) -> None:
    options, complaint = ODD[how]
    with pytest.raises(InputError, match=complaint):
        voice("http://localhost", tmp_path, **options)


def test_where_it_cannot_be(tmp_path: Path) -> None:
    own = advisor("http://localhost", tmp_path)
    with pytest.raises(InputError, match="on a CPU alone; say --device cpu"):
        own.ready_in(FOLDER, WORLD, VOCABULARY, "cuda")
    with pytest.raises(InputError, match="give the world as a folder"):
        own.ready(VOCABULARY)
    with pytest.raises(InputError, match="say which model, openai:MODEL"):
        advisor_named("openai:", {"base_url": "http://localhost"})


def test_a_file_of_a_run_cannot_name_an_address(tmp_path: Path) -> None:
    """A stranger's run would have somebody's key sent to the stranger's server."""
    path = tmp_path / "config.json"
    text = RunConfig(world="w", tasks="t").text(tmp_path)
    value = json.loads(text)
    value["advisor"] = {
        "name": "vnla.remote.chat_advisor:ChatAdvisor", "model": "m", "base_url": "http://localhost", "out": str(tmp_path)
    }  # fmt: skip
    path.write_text(json.dumps(value))
    with pytest.raises(InputError, match="ChatAdvisor: is for evaluation; a run is not trained with it"):
        RunConfig.read(path)


@pytest.mark.parametrize(
    ("said", "sentence"),
    [("“Turn left.”", "Turn left."), ("**turn left**", "turn left"), ("<think>x</think> go", "go"), ("don’t", "don't")],
)
def test_sentences_without_what_models_put_around_them(said: str, sentence: str) -> None:
    assert sentence_of(json.dumps({"choices": [{"message": {"content": said}}]})) == sentence


def test_it_answers_questions_back(tmp_path: Path) -> None:
    """An answer is kept where it chooses what is right; else that is said plainly."""
    choices = ["turn left", "turn right"]
    for reply, kept in (("I meant to the left", True), ("the right one", False), ("<b>left</b>", False), ("xyzzy", False)):
        with serving(lambda *_, reply=reply: completion(reply)) as server:
            bound = voice(server.url, tmp_path / reply[:3])
            answer = bound.answer(now(), 0, choices, 0)
            asked = server.seen[0][1]["messages"][1]["content"]
        assert answer == (reply if kept else "turn left") and "turn left; turn right" in asked
        assert bound.account == {"answers kept" if kept else "answers not kept": 1}


def test_the_account_counts_what_was_heard(tmp_path: Path) -> None:
    with serving(model(lambda plan: plan if "left" in plan else "xyzzy")) as server:
        bound = voice(server.url, tmp_path)
        all_told(bound)
    left = sum("left" in plan for plan in plans())
    assert Counter(bound.account) == Counter({"kept": left, "not kept, not understood": len(TASKS) - left})
