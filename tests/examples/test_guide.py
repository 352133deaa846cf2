"""The example of an advisor that speaks with frames, by the commands in its first lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from cottage_run import write_cottage
from vnla import cli
from vnla.training.checkpoints import CONFIG
from vnla.training.config import RunConfig

ROOT = Path(__file__).parents[2]
FRAMES = ("go to the ", "leave this room", "go up the stairs", "go down the stairs")


def test_it_says_where_plans_lead_and_an_agent_hears_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)

    def vnla(*arguments: object) -> list[str]:
        with pytest.raises(SystemExit) as left:
            cli.main([str(each) for each in arguments])
        assert left.value.code == 0
        return capsys.readouterr().out.splitlines()

    world, tasks = write_cottage(tmp_path)
    said = vnla("advice", world, "--advisor-language", "examples.guide:Guide", "--count", 40, "--k", 2)
    assert len(said) == 40
    assert any(text.startswith(FRAMES) for text in said) and any(text.startswith("turn ") for text in said)
    small = ["--features", "symbolic", "--iterations", 1, "--batch", 4, "--hidden", 8]
    run = tmp_path / "run"
    vnla("train", run, "--advisor", "examples.guide:Guide", "--world", world, "--tasks", tasks, *small)
    assert type(RunConfig.read(run / CONFIG).advisor).__name__ == "Guide"
    vnla("evaluate", run, "--split", "test_seen", "--seeds", "1")
