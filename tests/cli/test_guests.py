"""`vnla evaluate --agent`, as its user has it: what is printed, kept, refused, and taken up again after a kill."""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import vnla as package
from command import Answer, Vnla
from cottage_run import write_cottage
from fake_servers import Say, agent, serving
from vnla.houses.folder import read_world
from vnla.tasks.dataset import read_dataset
from vnla.tasks.sampling import subset

FOLDERS = ("killed", "whole")
Places = tuple[str, Path, str, Path, str, str]


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Places:
    world, tasks = write_cottage(tmp_path_factory.mktemp("cottage"))
    return "--world", world, "--tasks", tasks, "--split", "test_seen"


def turner(value: Any) -> Say:
    """Asks where it may, turns, and stops; the same every time."""
    if value["may_request"] and value["step"] == 1:
        return Say.json({"request": True})
    return Say.json({"action": "stop" if value["step"] == 6 else "right"})


def test_a_script_has_a_table_and_files(vnla: Vnla, places: Places, tmp_path: Path) -> None:
    answer = vnla("evaluate", "--agent", "scripted", *places, "--seeds", 2, "--json", tmp_path / "s.json", "--npz", tmp_path)
    assert answer.status == 0, answer.err
    assert "scripted, τ = 0.4" in answer.out and "success_rate, %" in answer.out
    assert "errors of the agent on test_seen, in " in answer.out and ": none" in answer.out
    summary = json.loads((tmp_path / "s.json").read_text())["test_seen"]
    assert summary["episodes"] == 6 and len(summary["seeds"]) == 2
    assert (tmp_path / "test_seen" / "evaluation.npz").is_file()


def test_every_advisor_answers_guests(vnla: Vnla, places: Places, tmp_path: Path) -> None:
    """The paper's, one that speaks of what is there, and one of one's own; what is kept says which it was."""
    said: dict[str, set[str]] = {}
    with serving(agent(turner)) as server:
        advisors = {"template": [], "grammar": ["says=landmarks"], "examples.advisor:Warmer": ["near=3"]}
        for name, options in (advisors | {"dialogue": ["shortened=true"]}).items():
            out = tmp_path / name.replace(":", ".")
            given = [each for option in options for each in ("--advisor-option", option)]
            answer = vnla("evaluate", "--agent", server.url, *places, "--out", out, "--advisor-language", name, *given)
            assert answer.status == 0, answer.err
            records = json.loads((out / "test_seen" / "results.json").read_text())
            said[name] = {text for record in records for text in record["subgoals"] if text is not None}
            kept = json.loads((out / "test_seen" / "settings.json").read_text())
            assert ("advisor" in str(kept)) == (name != "template")
    assert all(said.values()) and len({frozenset(said[name]) for name in advisors}) == 3
    assert said["examples.advisor:Warmer"] <= {"you are near .", "you are on the way .", "you are far away ."}


def test_the_planner_takes_options(vnla: Vnla, places: Places, tmp_path: Path) -> None:
    answer = vnla("evaluate", "--agent", "planner", *places, "--agent-option", "asks=false", "--json", tmp_path / "s.json")
    assert answer.status == 0, answer.err
    assert json.loads((tmp_path / "s.json").read_text())["test_seen"]["figures"]["requests"]["mean"] == 0


def test_a_guest_of_ones_own(vnla: Vnla, places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine_b2.py").write_text(
        "class Statue:\n"
        "    def __init__(self, steps=1):\n"
        "        self.steps = steps\n"
        "    def reset(self, instruction):\n"
        "        return 1\n"
        "    def act(self, observation, step):\n"
        "        return 'stop' if step == self.steps else 'up', step + 1\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    answer = vnla("evaluate", "--agent", "mine_b2:Statue", *places, "--agent-option", "steps=3", "--json", "s.json")
    assert answer.status == 0, answer.err
    assert json.loads(Path("s.json").read_text())["test_seen"]["figures"]["steps"]["mean"] == 3


EXPECTED = "expected one of left, right, up, down, forward, stop, its number, or 6 numbers"
ODD = {
    "text": ("", "", "return 'fly', state", f"Odd: act returned 'fly'; {EXPECTED}"),
    "a number": ("", "", "return 17, state", f"Odd: act returned '17'; {EXPECTED}"),
    "truth": ("", "", "return True, state", f"Odd: act returned 'True'; {EXPECTED}"),
    "nothing": ("", "", "return None", "Odd: act returned a NoneType; expected (navigation, ask), and a state"),
    "asks oddly": ("", "", "return ('left', 'please'), state", "'please' as ask; expected true, false or a number"),
    "raises": ("", "", "raise KeyError('two', 'words')", "Odd.act failed in mine_odd.py, line 9: KeyError: ('two',"),
    "does not reset": ("", "return 1 / 0", "", "Odd.reset failed in mine_odd.py, line 7: ZeroDivisionError: division by"),
    "unmade": ("raise RuntimeError('no model')", "", "", "agent mine_odd:Odd: cannot be made (RuntimeError: no model, "),
    "observes": ("self.observes = 'text'", "", "", "agent Odd: observes is 'text'; expected a list of view, view:NAME"),
    "its own sensor": ("self.observes = ['sensor:my:Own']", "", "", "agent mine_odd:Odd: observes is ['sensor:my:Own']"),
    "width": ("self.picture_width = 18", "", "", "agent mine_odd:Odd: picture_width is 18; expected pixels"),
    "looks for more": ("", "", "return observation['symbols']", "the observation has no 'symbols' (the things and exits in"),
}


@pytest.mark.parametrize("how", ODD)
def test_a_policy_of_ones_own_that_goes_wrong_is_one_line(
    vnla: Vnla, places: Places, how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, begun, acted, complaint = ODD[how]
    (tmp_path / "mine_odd.py").write_text(
        "class Odd:\n"
        "    observes = ('text',)\n"
        "    def __init__(self):\n"
        f"        {made or 'pass'}\n"
        "\n"
        "    def reset(self, instruction):\n"
        f"        {begun or 'return []'}\n"
        "    def act(self, observation, state):\n"
        f"        {acted or 'return 0, state'}\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "mine_odd", raising=False)
    importlib.invalidate_caches()
    answer = vnla("evaluate", "--agent", "mine_odd:Odd", *places, "--out", "out")
    last = answer.err.splitlines()[-1]
    assert answer.status == 2 and last.startswith("vnla: error: ") and "Traceback" not in answer.err, answer.err
    assert complaint in last


def test_errors_are_told_by_kind(vnla: Vnla, places: Places, tmp_path: Path) -> None:
    with serving(agent(lambda value: Say(b"oops") if value["step"] == 0 else turner(value))) as server:
        answer = vnla("evaluate", "--agent", server.url, *places, "--out", tmp_path / "out")
    assert answer.status == 0, answer.err
    assert "malformed 6" in answer.out
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["test_seen"]["errors"] == {"malformed": 6}
    results = json.loads((tmp_path / "out" / "test_seen" / "results.json").read_text())
    assert all(each["agent_nav"][:2] == [None, [0, 1, 0]] and len(each["trajectory"]) == 8 for each in results)


def test_without_out_it_is_kept_where_it_was_run(
    vnla: Vnla, places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with serving(agent(turner)) as server:
        assert vnla("evaluate", "--agent", server.url, *places).status == 0
        (kept,) = (tmp_path / "evaluations").iterdir()
        assert kept.name == server.url.removeprefix("http://").replace(":", "-")
        calls = len(server.seen)
        answer = vnla("evaluate", "--agent", server.url, *places)
        assert answer.status == 0 and len(server.seen) == calls + 1, "all was there"
        answer = vnla("evaluate", "--agent", server.url, *places, "--ratio", 0.1)
    assert answer.status == 2 and "was begun with ratio '0.4', not '0.1'; give another --out" in answer.err


@pytest.mark.slow
def test_killed_at_any_time_it_goes_on_to_the_same_bytes(vnla: Vnla, places: Places, tmp_path: Path) -> None:
    """Killed twice with no warning; episodes, results and summary are those of one that was left alone."""

    def slowly(value: Any) -> Say:
        time.sleep(0.02)
        return turner(value)

    def command(name: str) -> list[str]:
        options = ["--out", tmp_path / name, "--seeds", 3, "--concurrency", 2, "--json", tmp_path / name / "s.json"]
        return [str(each) for each in ["evaluate", "--agent", server.url, *places, *options]]

    environment = {**os.environ, "PYTHONPATH": str(Path(package.__file__).parents[1]), "OMP_NUM_THREADS": "1"}
    with serving(agent(slowly)) as server:
        assert vnla(*command("whole")).status == 0
        episodes = tmp_path / "killed" / "test_seen" / "episodes.jsonl"
        for wanted in (3, 10):
            program = [sys.executable, "-m", "vnla", *command("killed")]
            process = subprocess.Popen(program, env=environment, stderr=subprocess.DEVNULL)
            deadline = time.monotonic() + 120
            while not (episodes.exists() and episodes.read_bytes().count(b"\n") >= wanted):
                assert time.monotonic() < deadline and process.poll() is None
                time.sleep(0.005)
            process.send_signal(signal.SIGKILL)
            process.wait()
        done, begun = episodes.read_bytes().count(b"\n"), server.paths().count("/reset")
        assert begun <= 18 + done + 2 * 2, "at most two episodes were in hand each time"
        assert vnla(*command("killed")).status == 0
    for name in ("test_seen/results.json", "summary.json", "s.json", "test_seen/settings.json"):
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name
    lines = [sorted((tmp_path / each / "test_seen" / "episodes.jsonl").read_bytes().splitlines()) for each in FOLDERS]
    assert lines[0] == lines[1] and len(lines[0]) == 18


def completions(path: str, value: Any) -> Say:
    assert path == "/v1/chat/completions"
    stop = "you have just begun" not in value["messages"][-1]["content"]
    reply = json.dumps({"action": "stop" if stop else "left"})
    return Say.json({"choices": [{"message": {"content": reply}}], "usage": {"total_tokens": 50}})


def chat(vnla: Vnla, places: Places, url: str, out: Path, *options: object) -> Answer:
    where = ("--base-url", f"{url}/v1", "--observe", "text", "--replies", "text", "--out", out)
    return vnla("evaluate", "--agent", "openai:tiny", *places, *where, *options)


def test_a_chat_model(vnla: Vnla, places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An estimate first; a cap that holds; then the rest, and nothing twice; the key in no file."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    with serving(completions) as server:
        dry = chat(vnla, places, server.url, tmp_path / "out", "--dry-run")
        assert dry.status == 0 and not server.seen
        assert "at most 1" in dry.err and "tokens" in dry.err and "no --max-calls" in dry.err
        assert "[system]" in dry.out and "Your task: find a towel in the bathroom" in dry.out
        assert not (tmp_path / "out").exists()
        capped = chat(vnla, places, server.url, tmp_path / "out", "--max-calls", 5, "--concurrency", 1)
        assert capped.status == 2 and "--max-calls 5 is reached" in capped.err
        assert len(server.seen) == 5
        whole = chat(vnla, places, server.url, tmp_path / "out", "--max-calls", 500)
        assert whole.status == 0, whole.err
        assert "before now 5 calls and 250 tokens" in whole.err
        assert len(server.seen) == 12, "two for each task"
        assert all(headers["Authorization"] == "Bearer sk-very-secret" for _, _, headers in server.seen)
    kept = [file.read_bytes() for file in (tmp_path / "out").rglob("*") if file.is_file()]
    assert len(kept) > 12 and not any(b"sk-very-secret" in each for each in kept)
    settings = json.loads((tmp_path / "out" / "test_seen" / "settings.json").read_text())["settings"]
    assert settings["model"] == "tiny" and settings["options"] == {"temperature": 0} and "[system]" in settings["prompt"]
    calls = [json.loads(line) for line in (tmp_path / "out" / "calls.jsonl").read_text().splitlines()]
    assert sum("path" in each for each in calls) == 12
    assert all(each["request"]["body"]["model"] == "tiny" and each["reply"] for each in calls if "path" in each)


def refusing(path: str, value: Any) -> Say:
    """It refuses once, says nothing once, calls a function once, and goes to where it can; every time the same."""
    assert path == "/v1/chat/completions"
    time.sleep(0.03)
    left = int(value["messages"][-1]["content"].rpartition("Steps left: ")[2].partition(".")[0])
    function = (
        {"name": "go", "arguments": '{"number": 1}'} if left > 20 else {"name": "act", "arguments": '{"action": "stop"}'}
    )
    message: dict[str, Any] = {"content": None, "tool_calls": [{"type": "function", "function": function}]}
    if left in (24, 23):
        message = {"content": None, "refusal": "I cannot."} if left == 24 else {"content": ""}
    return Say.json({"choices": [] if left == 22 else [{"message": message}], "usage": {"total_tokens": 50}})


def test_a_chat_model_that_was_killed_asks_nothing_twice(vnla: Vnla, places: Places, tmp_path: Path) -> None:
    """Not for a refusal either, nor for which form of replies there is; what comes out is the same."""

    def command(name: str) -> list[str]:
        options = ("--observe", "text-around", "--seeds", 3, "--concurrency", 1, "--out", tmp_path / name)
        return [
            str(each) for each in ("evaluate", "--agent", "openai:m", *places, "--base-url", f"{server.url}/v1", *options)
        ]

    environment = {**os.environ, "PYTHONPATH": str(Path(package.__file__).parents[1]), "OMP_NUM_THREADS": "1"}
    with serving(refusing) as server:
        whole = vnla(*command("whole"))
        assert whole.status == 0, whole.err
        assert "replies: tools" in whole.err and "malformed" in whole.out
        asked, server.seen[:] = [json.dumps(value) for _, value, _ in server.seen], []
        process = subprocess.Popen(
            [sys.executable, "-m", "vnla", *command("killed")], env=environment, stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + 120
        while len(server.seen) < len(asked) // 2:
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.wait()
        again = vnla(*command("killed"))
        assert again.status == 0, again.err
        assert len(server.seen) <= len(asked) + 1, "but for the call that was in hand"
        assert {json.dumps(value) for _, value, _ in server.seen} == {*asked}
    for name in ("results.json", "settings.json"):
        kept = [(tmp_path / each / "test_seen" / name).read_bytes() for each in FOLDERS]
        assert kept[0] == kept[1]
    assert json.loads(kept[0])["settings"]["replies"] == "tools"


def test_a_busy_server_is_no_error_and_one_that_stays_so_is_one_line(vnla: Vnla, places: Places, tmp_path: Path) -> None:
    """Six calls in a second, as a limit that says nothing of how long to wait; then none any more, then all of them."""
    times: list[float] = []

    def limited(path: str, value: Any) -> Say:
        times.append(time.monotonic())
        if sum(each > times[-1] - 1 for each in times) > 6:
            times.pop()
            return Say.json({"error": "slow down"}, status=429)
        return completions(path, value)

    with serving(limited) as server:
        busy = chat(vnla, places, server.url, tmp_path / "out", "--retries", 0)
        assert busy.status == 0 and "errors of the agent on test_seen, in 12 answers: none" in busy.out, busy.err
        assert any(json.loads(line).get("fault") == "busy" for line in (tmp_path / "out" / "calls.jsonl").open())
    with serving(lambda *_: Say(b"full", status=503)) as server:
        given_up = chat(vnla, places, server.url, tmp_path / "more", "--max-wait", 0.5, "--concurrency", 2)
    line = given_up.err.splitlines()[-1]
    assert given_up.status == 2 and "busy, and --max-wait 0.5 seconds are not enough (HTTP 503: full)" in line
    with serving(completions) as server:
        assert chat(vnla, places, server.url, tmp_path / "more").status == 0


def test_requests_without_budget_can_be_scored(vnla: Vnla, places: Places, tmp_path: Path) -> None:
    """They are steps in which nothing was done, for whoever scores, compares and exports."""

    def asks(_path: str, value: Any) -> Say:
        left = int(value["messages"][-1]["content"].rpartition("Steps left: ")[2].partition(".")[0])
        content = json.dumps({"action": "stop"} if left < 15 else {"request": True})
        return Say.json({"choices": [{"message": {"content": content}}]})

    with serving(asks) as server:
        answer = chat(vnla, places, server.url, tmp_path / "out", "--npz", tmp_path)
    assert answer.status == 0, answer.err
    assert {*json.loads((tmp_path / "out" / "summary.json").read_text())["test_seen"]["errors"]} <= {
        "no_budget",
        "asked_twice",
    }
    results, npz = tmp_path / "out" / "test_seen" / "results.json", tmp_path / "test_seen" / "evaluation.npz"
    where = places[:4]
    scored = vnla("score", results, *where, "--json", tmp_path / "s.json")
    compared = vnla("compare", f"a={results}", f"b={npz}", *where)
    exported = vnla(
        "episodes", "export", results, *where, "--split", "test_seen", "--format", "json", "--out", tmp_path / "e"
    )
    assert [each.status for each in (scored, compared, exported)] == [0, 0, 0], scored.err + compared.err + exported.err


def test_a_prompt_of_ones_own(vnla: Vnla, places: Places, tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("[system]\nBe brief.\n[user]\nSteps left: $time_left. Find: $end_goal {0}")
    with serving(completions) as server:
        answer = chat(vnla, places, server.url, tmp_path / "out", "--prompt", tmp_path / "p.txt")
        assert answer.status == 0, answer.err
        assert server.seen[0][1]["messages"][1]["content"].endswith("{0}")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--agent", "nobody"], "agent nobody: unknown"),
        (["--agent", "ftp://x"], "agent ftp://x"),
        (["--agent", "openai:m"], "say where the server is"),
        (["--agent", "openai:", "--base-url", "http://x"], "say which model"),
        (["--agent", "openai:m", "--base-url", "http://me:pw@x"], "has a password in it"),
        (["--agent", "openai:m", "--base-url", "http://x", "--observe", "smells"], "--observe 'smells': choose from"),
        (["--agent", "openai:m", "--base-url", "http://x", "--observe", "text,smells"], "--observe 'smells': choose from"),
        (["--agent", "openai:m", "--base-url", "http://x", "--replies", "xml"], "--replies 'xml': choose from auto, tools"),
        (
            ["--agent", "openai:m", "--base-url", "http://x", "--agent-option", "pictures=0"],
            "pictures is 0; expected a whole",
        ),
        (["--agent", "openai:m", "--base-url", "http://x", "--key-variable", "NO_SUCH_KEY"], "has no such variable"),
        (["--agent", "openai:m", "--base-url", "http://x", "--agent-option", "width=wide"], "width is 'wide'"),
        (["--agent", "openai:m", "--base-url", "http://x", "--agent-option", "messages=[]"], "messages is no option"),
        (["--agent", "http://127.0.0.1:9", "--retries", "0"], "no agent answers there (no_answer)"),
        (["--agent", "scripted", "--on-error", "cry"], "--on-error cry: choose from stay, stop"),
        (["--agent", "scripted", "--help-policy", "none"], "--help-policy is for runs"),
        (["--agent", "scripted", "--agent-option", "x=1"], "has no option x"),
        (["runs/x", "--agent", "scripted"], "RUN is for runs"),
        (["runs/x", "--out", "y"], "--out needs --agent"),
        ([], "say which RUN to evaluate, or which --agent"),
    ],
)
def test_what_cannot_be_is_one_line(
    vnla: Vnla, places: Places, options: list[str], complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = vnla("evaluate", *options, *places)
    assert answer.status == 2
    assert complaint in answer.err
    assert len([line for line in answer.err.splitlines() if "error" in line]) == 1


def test_pictures_are_refused_where_there_are_none(vnla: Vnla, places: Places, tmp_path: Path) -> None:
    declared = {"version": 2, "name": "seer", "observes": ["pictures"]}
    with serving(agent(turner, declared)) as server:
        answer = vnla("evaluate", "--agent", server.url, *places, "--out", tmp_path / "out")
    assert answer.status == 2 and "there are no pictures of cottage" in answer.err


def test_a_subset_is_the_same_for_everybody_and_within_a_larger_one(places: Places) -> None:
    tasks = read_dataset(places[3]).split("test_seen")
    drawn: Callable[[int], set[str]] = lambda size: {task.id for task in subset(tasks, size)}  # noqa: E731
    assert [len(drawn(size)) for size in (1, 3, 6, 99)] == [1, 3, 6, 6]
    assert drawn(1) < drawn(3) < drawn(6)
    assert {task.id for task in subset(tasks[::-1], 3)} == drawn(3)
    assert read_world(places[1]).houses
