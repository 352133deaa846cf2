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
