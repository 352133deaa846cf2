"""The example of an advisor that speaks with frames, by the commands in its first lines."""

from __future__ import annotations

import json
from pathlib import Path

from command import Vnla
from cottage_run import write_cottage

FRAMES = ("go to the ", "leave this room", "go up the stairs", "go down the stairs")


def test_it_says_where_plans_lead_and_an_agent_hears_it(vnla: Vnla, tmp_path: Path) -> None:
    assert len((Path(__file__).parents[2] / "examples" / "guide.py").read_text().splitlines()) < 60
    world, tasks = write_cottage(tmp_path)
    answer = vnla("advice", world, "--advisor-language", "examples.guide:Guide", "--count", 40, "--k", 2)
    said = answer.out.splitlines()
    assert answer.status == 0 and len(said) == 40
    assert any(text.startswith(FRAMES) for text in said) and any(text.startswith("turn ") for text in said)
    places = ["--world", world, "--tasks", tasks]
    small = ["--features", "symbolic", "--iterations", 1, "--batch", 4, "--hidden", 8]
    assert vnla("train", tmp_path / "run", "--advisor", "examples.guide:Guide", *places, *small).status == 0
    assert json.loads((tmp_path / "run" / "config.json").read_text())["advisor"]["name"] == "examples.guide:Guide"
    assert vnla("evaluate", tmp_path / "run", "--split", "test_seen", "--seeds", "1").status == 0
