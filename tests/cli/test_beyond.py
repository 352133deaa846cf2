"""`vnla beyond` as a command: what it says about wrong input, and what it is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console

from cottage_run import write_cottage
from vnla.cli import main
from vnla.common.errors import InputError
from vnla.experiments.beyond.plan import ComparisonPlan


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--preset", "huge"], "preset huge: unknown; choose from small, paper"),
        (["--arm", "worst"], "arm worst: unknown; choose from learned, tuned, senses, reward, best, valued, clock"),
        (["--iterations", "2"], "2 iterations: too few for the 3 phases of VALUED"),
        (["--precision", "half"], "precision half: unknown; choose from float32, tf32, bfloat16"),
        (["--features", "symbolic", "--fresh", "2"], "symbolic features differ from world to world; give --fresh 0"),
        (["--world", "WORLD"], "has no features efficientnet-lite0-128"),
        (["--device", "nope"], "device nope: unknown; choose cpu, cuda"),
        (["--threads", "3", "--workers", "2"], "3 threads: there are 2 cores to work on"),
        (["--trainings", "0"], "Invalid value for '--trainings'"),
    ],
)
def test_wrong_input_is_one_line(
    arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world, _ = write_cottage(tmp_path)
    with pytest.raises(SystemExit) as left:
        main(["beyond", str(tmp_path / "out"), *(str(world) if each == "WORLD" else each for each in arguments)])
    assert left.value.code == 2
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_options_reach_the_plan_and_the_command_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[ComparisonPlan, str]] = []

    def run(_out: Path, plan: ComparisonPlan, *, command: str, console: Console, **_: object) -> None:  # noqa: ARG001
        asked.append((plan, command))
        raise InputError("enough")

    monkeypatch.setattr("vnla.experiments.beyond.comparison_stages.run_comparison", run)
    options = ["--preset", "paper", "--trainings", "3", "--iterations", "100", "--precision", "tf32", "--arm", "best"]
    with pytest.raises(SystemExit):
        main(["beyond", "out", *options, "--no-ceilings", "--seed", "4"])
    [(plan, command)] = asked
    assert [arm.name for arm in plan.arms] == ["learned", "best"]
    assert (plan.trainings, plan.fresh, plan.seed, plan.sweeps, plan.ceilings) == (3, 200, 4, True, False)
    assert plan.scale.iterations == 100 and plan.preset.training.precision == "tf32"
    asked.clear()
    with pytest.raises(SystemExit):
        main(["beyond", "out", "--arm", "best", "--learned-iterations", "1000"])
    [(longer, noted)] = asked
    assert [arm.iterations for arm in longer.arms] == [1000, None] and "--learned-iterations 1000" in noted
    assert longer.iterations_text == f"{longer.scale.iterations:,} of each agent, 1,000 of LEARNED"
    assert command == (
        "vnla beyond out --preset paper --trainings 3 --iterations 100 --precision tf32 --seed 4 --arm best --no-ceilings"
    )
