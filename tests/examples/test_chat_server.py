"""The example of a server of chat completions: a script that replies in every form walks the same walks."""

from __future__ import annotations

import json
import runpy
import threading
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

from cottage_run import write_cottage
from vnla import cli

HANDLER = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "chat_server.py"))["Handler"]


def test_a_script_goes_to_candidates_in_every_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world, tasks = write_cottage(tmp_path)
    server = ThreadingHTTPServer(("localhost", 0), HANDLER)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    results = {}
    try:
        for form in ("auto", "text"):
            out = tmp_path / form
            given = [
                "--base-url",
                f"http://localhost:{server.server_address[1]}/v1",
                "--observe",
                "text-around",
                "--out",
                out,
            ]
            words = ["evaluate", "--agent", "openai:scripted", "--world", world, "--tasks", tasks, "--replies", form, *given]
            with pytest.raises(SystemExit) as left:
                cli.main([str(each) for each in [*words, "--split", "test_unseen"]])
            assert left.value.code == 0
            assert ("replies: tools" in capsys.readouterr().err) is (form == "auto")
            summary = json.loads((out / "summary.json").read_text())["test_unseen"]
            assert summary["errors"] == {} and summary["figures"]["success_rate"]["mean"] >= 50
            calls = [json.loads(line) for line in (out / "calls.jsonl").open()]
            assert sum("path" in each for each in calls) < summary["answers"], "a walk to a candidate is one call"
            results[form] = (out / "test_unseen" / "results.json").read_bytes()
    finally:
        server.shutdown()
        server.server_close()
    assert results["auto"] == results["text"]


def test_the_script_advises_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What it says is counted, a cap is one line, and a higher one goes on in the same folder."""
    world, tasks = write_cottage(tmp_path)
    server = ThreadingHTTPServer(("localhost", 0), HANDLER)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    place = f"base_url=http://localhost:{server.server_address[1]}/v1"
    words = [
        "evaluate",
        "--agent",
        "scripted",
        "--world",
        world,
        "--tasks",
        tasks,
        "--split",
        "test_unseen",
        "--out",
        tmp_path / "e",
    ]
    words += ["--advisor-language", "openai:scripted", "--json", tmp_path / "s.json"]
    try:
        for most, status in ((1, 2), (100, 0)):
            options = [place, f"out={tmp_path / 'advice'}", f"max_calls={most}"]
            given = [each for option in options for each in ("--advisor-option", option)]
            with pytest.raises(SystemExit) as left:
                cli.main([str(each) for each in [*words, *given]])
            said = capsys.readouterr()
            assert left.value.code == status
            assert ("--advisor-option max_calls 1 is reached after 1 calls" in said.err) is (status == 2)
    finally:
        server.shutdown()
        server.server_close()
    counts = json.loads((tmp_path / "s.json").read_text())["test_unseen"]["advisor_counts"]
    assert counts["kept"] > 0 and f"the advisor on test_unseen: kept {counts['kept']}" in said.out
    sentences = [json.loads(line) for line in (tmp_path / "advice" / "advice.jsonl").open()]
    assert all(each["model"] == each["answered_by"] == "scripted" and each["reply"] for each in sentences)
    settings = (tmp_path / "e" / "test_unseen" / "settings.json").read_text()
    assert "openai:scripted" in settings and "max_calls" not in settings and "localhost" not in settings
