"""The example of a server: success over HTTP is success in process, task by task."""

from __future__ import annotations

import csv
import json
import runpy
import threading
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from cottage_run import write_cottage
from vnla import cli
from vnla.remote.participant import LocalPolicy
from vnla.remote.trained_policy import TrainedPolicy
from vnla.training.trained import open_trained

ROOT = Path(__file__).parents[2]


def vnla(*arguments: object) -> None:
    with pytest.raises(SystemExit) as left:
        cli.main([str(each) for each in arguments])
    assert left.value.code == 0


def test_success_over_http_is_success_in_process(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run, (world, tasks) = tmp_path / "run", write_cottage(tmp_path)
    places = ("--world", world, "--tasks", tasks)
    vnla("train", run, *places, "--features", "symbolic", "--iterations", 4, "--batch", 6, "--hidden", 8)
    server = runpy.run_path(str(ROOT / "examples" / "agent_server.py"))["server"](
        LocalPolicy(TrainedPolicy(open_trained(run)))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        address = f"http://localhost:{server.server_address[1]}"
        for body, status in ((b'{"episode": "never begun", "turn": 0}', 404), (b"{", 400), (b"[]", 400)):
            with pytest.raises(HTTPError) as refused:
                urlopen(f"{address}/act", body)
            assert refused.value.code == status and json.loads(refused.value.read())["error"]
        common = ("--split", "test_unseen", "--seeds", 2, "--subset", 5)
        vnla("evaluate", run, *common, "--csv", tmp_path / "run.csv", "--results", tmp_path / "run_results")
        vnla("evaluate", "--agent", address, *places, *common, "--out", tmp_path / "out", "--csv", tmp_path / "http.csv",
             "--results", tmp_path / "http_results", "--json", tmp_path / "http.json")  # fmt: skip
    finally:
        server.shutdown()
        server.server_close()
    ours, theirs = (list(csv.DictReader((tmp_path / name).open(newline=""))) for name in ("run.csv", "http.csv"))
    assert len(ours) == 10
    assert [{**row, "run": ""} for row in theirs] == [{**row, "run": ""} for row in ours]
    results = [(tmp_path / name / "test_unseen.json").read_bytes() for name in ("run_results", "http_results")]
    assert results[0] == results[1] == (tmp_path / "out" / "test_unseen" / "results.json").read_bytes()
    summary = json.loads((tmp_path / "http.json").read_text())["test_unseen"]
    assert (summary["agent"], summary["errors"], summary["tasks"]["subset"]) == ("run", {}, 5)
    assert "errors of the agent on test_unseen" in capsys.readouterr().out
