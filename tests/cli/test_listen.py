"""`vnla listen`: all kinds of advice in one table, and one line for what is wrong."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from command import Vnla
from cottage_run import write_cottage
from vnla.assistance.phrases import FULL_STOP, every_subgoal
from vnla.experiments.listening.followed import ReadOutAdvisor
from vnla.language.advisor import GrammarAdvisor
from vnla.language.handwritten import Written, handwritten
from vnla.language.interpreter import Interpreter

SMALL = ["--features", "symbolic", "--iterations", "1", "--batch", "4", "--hidden", "8", "--validate-every", "1"]


def train(vnla: Vnla, folder: Path, name: str, *options: object) -> Path:
    if not (folder / "world").exists():
        write_cottage(folder)
    run = folder / name
    assert vnla("train", run, "--world", folder / "world", "--tasks", folder / "tasks", *SMALL, *options).status == 0
    return run


def have_by_hand(few: list[Written], monkeypatch: pytest.MonkeyPatch) -> None:
    """No other walks by hand than these."""
    for module in ("language.handwritten", "experiments.listening.listeners"):
        monkeypatch.setattr(f"vnla.{module}.handwritten", lambda: few)


def test_all_that_can_be_heard(vnla: Vnla, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent that reads words by their pieces; of the walks by hand those in two houses."""
    names = sorted({line.house_name for line in handwritten() if line.house[0] == "small"})[:2]
    few = [line for line in handwritten() if line.house_name in names]
    have_by_hand(few, monkeypatch)
    run = train(vnla, tmp_path, "talk", "--advisor-language", "grammar", "--following", "--agent-option", "pieces=16")
    out = tmp_path / "heard.json"
    answer = vnla("listen", run, "--handwritten", tmp_path / "written", "--json", out)
    assert answer.status == 0, answer.err
    found = json.loads(out.read_text())
    assert found["k"] == 4 and found["split"] == "test_unseen"
    kinds = ["combinations", "templates", "synonyms", "landmarks", "mirrored", "wrong", "shuffled"]
    told = ["silence", "as in training", "template", *(f"grammar: {kind}" for kind in kinds)]
    by_hand = [f"handwritten: {name}" for name in ("silence", "template", "sentences")]
    sets = {"a left or right": ("usual", "mirrored"), "different actions": ("usual", "shuffled")}
    sets["alone tell the way"] = "landmarks", "wrong"
    sets["commonest order"] = ("those actions in the",)
    contrast = [name for name in found["heard"] if name not in told + by_hand]
    assert list(found["heard"]) == told + contrast + by_hand
    assert all(name in answer.out for name in told + by_hand)
    for name in contrast:
        assert any(name.startswith(("silence", *pair)) and name.endswith(end) for end, pair in sets.items())
        assert set(found["heard"][name]["figures"]) == {"exact", "there"} and 0 < found["heard"][name]["walks"] <= 6
    for name in told:
        figures = found["heard"][name]["figures"]
        assert set(figures) == {"exact", "there", "success"} and found["heard"][name]["walks"] == 6
        assert all(0 <= each["value"] <= 100 for each in figures.values())
    four = [line for line in few if len(line.plan) == 4]
    assert all(found["heard"][name]["walks"] == len(four) and found["heard"][name]["houses"] == 2 for name in by_hand)
    assert not any(found["heard"][name]["retained"] for name in by_hand), "it has not learned the paper's phrases"
    kept = found["heard"]["silence"]["retained"]["there"]["value"]
    assert kept is None or math.isclose(kept, 0, abs_tol=1e-9)


def test_the_parser_in_the_place_of_an_agent(vnla: Vnla, tmp_path: Path) -> None:
    """It does what is said, and left for right takes it elsewhere."""
    run, out = train(vnla, tmp_path, "talk", "--advisor-language", "grammar"), tmp_path / "heard.json"
    answer = vnla("listen", run, "--listener", "parser", "--json", out)
    assert answer.status == 0, answer.err
    found = json.loads(out.read_text())
    assert found["listener"] == "parser"
    there = {name: each["figures"]["there"]["value"] for name, each in found["heard"].items()}
    assert there["as in training"] > there["silence"] and there["as in training"] > there["grammar: mirrored"]
    assert there["template"] > there["silence"]
    answer = vnla("listen", run, "--listener", "parser", "--reference", run)
    assert answer.status == 2 and "--reference: belongs to agents" in answer.err
    for words in (("--checkpoint", "last"), ("--seeds", 2)):
        answer = vnla("listen", run, "--listener", "parser", *words)
        assert answer.status == 2 and f"{words[0]}: belongs to agents" in answer.err
    answer = vnla("listen", run, "--listener", "parser", "--says", "mirrored, templates", "--json", out)
    few = json.loads(out.read_text())["heard"]
    assert {"grammar: mirrored", "grammar: templates", "mirrored, with a left or right"} < few.keys() < there.keys()
    assert few["grammar: mirrored"] == found["heard"]["grammar: mirrored"]
    answer = vnla("listen", run, "--listener", "careful", "--says", "shuffled", "--seeds", 0, "--json", out)
    assert answer.status == 0 and json.loads(out.read_text())["listener"] == "careful", answer.err
    answer = vnla("listen", run, "--says", "usual,sung")
    assert answer.status == 2 and "--says sung: unknown; choose from usual, combinations" in answer.err
    answer = vnla("listen", run, "--listener", "dog")
    assert answer.status == 2 and "--listener dog: unknown; choose from agent, interpreted, careful, parser" in answer.err


@pytest.mark.parametrize("language", ["template", pytest.param("grammar", marks=pytest.mark.slow)])
def test_an_interpreter_says_what_was_meant_in_the_agents_own_words(
    language: str, vnla: Vnla, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On walks and in episodes, and of what is written by hand; what the agent knows it is told as it is."""
    few = [line for line in handwritten() if line.house_name == "small-6107-0"]
    have_by_hand(few, monkeypatch)
    run = train(vnla, tmp_path, "talk", "--advisor-language", language)
    interpreted, read = [], []
    interpret, read_out = Interpreter._in_own_words, ReadOutAdvisor.of
    monkeypatch.setattr(
        Interpreter, "_in_own_words", lambda *given: interpreted.append(interpret(*given)) or interpreted[-1]
    )
    monkeypatch.setattr(ReadOutAdvisor, "of", lambda words, *rest: read.append(words) or read_out(words, *rest))
    out = tmp_path / "heard.json"
    answer = vnla("listen", run, "--listener", "interpreted", "--handwritten", tmp_path / "written", "--json", out)
    assert answer.status == 0, answer.err
    found = json.loads(out.read_text())
    assert found["listener"] == "interpreted" and "talk, interpreted" in " ".join(answer.out.split())
    assert all("success" in found["heard"][name]["figures"] for name in ("silence", "as in training", "grammar: templates"))
    _, by_hand = read
    assert len(by_hand) == sum(len(line.plan) == 4 for line in few) > 0
    knows = {word for plan in every_subgoal(4) for word in plan} if language == "template" else set(GrammarAdvisor().words())
    words = {word for sentence in (*interpreted, *by_hand) for word in sentence}
    assert FULL_STOP in words <= knows | {FULL_STOP} and len(interpreted) > 7 * 6


def test_a_person_is_asked_elsewhere(vnla: Vnla, tmp_path: Path) -> None:
    run = train(vnla, tmp_path, "plain")
    for command in (
        ("evaluate", run),
        ("train", tmp_path / "other", "--world", tmp_path / "world", "--tasks", tmp_path / "tasks"),
    ):
        answer = vnla(*command, "--advisor-language", "person")
        assert answer.status == 2 and answer.err.count("\n") == 1
        assert "vnla watch RUN --ask" in answer.err and "vnla serve RUN" in answer.err
    assert "person" in vnla("list", "advisors").out


def test_what_is_wrong_is_said_in_one_line(vnla: Vnla, tmp_path: Path) -> None:
    led = train(vnla, tmp_path, "led", "--advisor", "direct", "--help-policy", "first")
    answer = vnla("listen", led, "--seeds", 0)
    assert answer.status == 2 and "its advisor acts for it" in answer.err
    two = train(vnla, tmp_path, "two", "--k", 2, "--help-policy", "first")
    three = train(vnla, tmp_path, "three", "--k", 3, "--help-policy", "first")
    answer = vnla("listen", two, "--reference", three)
    assert answer.status == 2 and "its subgoals have 3 actions" in answer.err
    answer = vnla("listen", two, "--seeds", 0, "--handwritten", tmp_path / "world")
    assert answer.status == 2 and "no walk by hand has 2 actions" in answer.err
    answer = vnla("train", tmp_path / "both", "--world", tmp_path / "world", "--tasks", tmp_path / "tasks", *SMALL,
                  "--advisor", "direct", "--following")  # fmt: skip
    assert answer.status == 2 and "following: is to learn to act" in answer.err
