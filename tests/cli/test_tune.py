"""`vnla tune`: what is chosen is kept in the run, and whoever evaluates it asks by that."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from command import Vnla
from cottage_run import write_cottage
from vnla import cli
from vnla.training.checkpoints import CONFIG, TUNED
from vnla.training.trained import open_trained


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run that asks where it is probably mistaken."""
    folder = tmp_path_factory.mktemp("tuned")
    world, tasks = write_cottage(folder)
    options = ["--world", world, "--tasks", tasks, "--features", "symbolic", "--help-policy", "threshold"]
    sizes = ["--objective", "mistakes", "--iterations", 2, "--batch", 4, "--hidden", 8]
    with pytest.raises(SystemExit):
        cli.main([str(each) for each in ["train", folder / "run", *options, *sizes]])
    return folder


def test_what_is_chosen_is_kept_and_used(vnla: Vnla, trained: Path) -> None:
    run = trained / "run"
    before = (run / CONFIG).read_text()
    said = vnla("tune", run, "--json", trained / "found.json", "--limit", 4, "--seeds", 2)
    assert said.status == 0, said.err
    kept = json.loads((run / TUNED).read_text())
    assert kept == json.loads((trained / "found.json").read_text())
    assert kept["command"] == f"vnla tune {run} --split val_unseen --checkpoint val_unseen --limit 4 --seeds 2"
    assert (kept["tasks"], len(kept["seeds"])) == (4, 2) and "chosen" in said.out
    assert kept["help_options"] in [each["options"] for each in kept["tried"]]
    best = next(each for each in kept["tried"] if each["options"] == kept["help_options"])
    assert best["success"] == max(each["success"] for each in kept["tried"])
    assert (run / CONFIG).read_text() == before, "a training goes on as it was configured"
    (run / TUNED).write_text(json.dumps({**kept, "help_options": {"threshold": 0.0}}))
    assert open_trained(run).config.help_options == {"threshold": 0.0}
    requests = []
    for threshold in (0.0, 1.0):
        (run / TUNED).write_text(json.dumps({**kept, "help_options": {"threshold": threshold}}))
        summary, said_of_it = evaluated(vnla, run)
        requests.append(summary["figures"]["requests"]["mean"])
        assert f"help policy threshold (threshold {threshold}, spare 0.0, fall 0.0, chosen on val_unseen)" in said_of_it
        assert summary["help_options"] == {"threshold": threshold, "spare": 0.0, "fall": 0.0}
        assert (summary["help_policy"], summary["help_options_chosen_on"]) == ("threshold", "val_unseen")
    assert requests[0] > 0 and requests[1] == 0
    (run / TUNED).unlink()


def evaluated(vnla: Vnla, run: Path, *options: object) -> tuple[dict[str, Any], str]:
    """What an evaluation finds and says."""
    file = run.parent / "evaluated.json"
    said = vnla("evaluate", run, "--split", "test_seen", "--seeds", 1, "--json", file, *options)
    assert said.status == 0, said.err
    return json.loads(file.read_text())["test_seen"], " ".join(said.out.split())


def test_an_option_that_is_given_was_not_chosen(vnla: Vnla, trained: Path) -> None:
    run = trained / "run"
    assert vnla("tune", run, "--help-policy", "entropy", "--grid", "threshold=1.79").status == 0
    for options, threshold in (((), 1.79), (("--help-option", "threshold=0.5"), 0.5), (("--help-policy", "entropy"), 0.8)):
        summary, said = evaluated(vnla, run, *options)
        assert summary["help_policy"] == "entropy" and summary["help_options"] == {"threshold": threshold}
        assert summary["help_options_chosen_on"] == (None if options else "val_unseen")
        assert ("chosen on val_unseen" in said) == (not options)
    (run / TUNED).unlink()
    assert evaluated(vnla, run)[0]["help_options_chosen_on"] is None


def test_where_and_with_whom_it_is_chosen(vnla: Vnla, trained: Path) -> None:
    run = trained / "run"
    for words in (("--split", "val_seen"), ("--checkpoint", "last")):
        assert vnla("tune", run, *words).status == 0
        assert json.loads((run / TUNED).read_text())[words[0].removeprefix("--")] == words[1]
    (run / TUNED).unlink()


def test_another_help_policy_can_be_chosen(vnla: Vnla, trained: Path) -> None:
    run = trained / "run"
    assert vnla("tune", run, "--help-policy", "valued").status == 0
    config = open_trained(run).config
    (run / TUNED).unlink()
    assert config.help_policy == "valued" and config.help_options.keys() == {"margin"}


@pytest.mark.parametrize(
    ("policy", "grid", "tried"),
    [
        ("entropy", ["threshold=1.2,0.4"], [{"threshold": 1.2}, {"threshold": 0.4}]),
        ("valued", ["margin=-0.1,0"], [{"margin": -0.1}, {"margin": 0}]),
        ("random", ["longest=2,30"], [{"longest": 2}, {"longest": 30}]),
        (
            "threshold",
            ["threshold=0.5", "fall=0", "spare=0,0.05"],
            [{"threshold": 0.5, "fall": 0, "spare": 0}, {"threshold": 0.5, "fall": 0, "spare": 0.05}],
        ),
    ],
)
def test_values_of_ones_own_are_tried(
    vnla: Vnla, trained: Path, policy: str, grid: list[str], tried: list[dict[str, float]]
) -> None:
    run, words = trained / "run", [word for each in grid for word in ("--grid", each)]
    said = vnla("tune", run, "--help-policy", policy, *words, "--limit", 4)
    assert said.status == 0, said.err
    kept = json.loads((run / TUNED).read_text())
    assert [each["options"] for each in kept["tried"]] == tried and kept["help_options"] in tried
    assert f"--help-policy {policy} --grid {grid[0]}" in kept["command"]
    assert evaluated(vnla, run)[0]["help_options"].items() >= kept["help_options"].items()
    (run / TUNED).unlink()


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ("threshold", "--grid 'threshold': expected an option with numbers to try, e.g. threshold=0.4,0.8"),
        ("threshold=,", "expected an option with numbers to try"),
        ("threshold=0.4,much", "expected an option with numbers to try"),
        ("=0.4", "expected name=value"),
        ("threshold=0.4,9", "threshold 9: must be a number from 0 to 1.79"),
        ("margin=1", "help policy Entropy: has no option margin"),
    ],
)
def test_values_that_cannot_be_tried_are_one_line(vnla: Vnla, trained: Path, grid: str, message: str) -> None:
    said = vnla("tune", trained / "run", "--help-policy", "entropy", "--grid", grid)
    complaint = [line for line in said.err.splitlines() if "loading" not in line]
    assert said.status == 2 and len(complaint) == 1 and message in complaint[0]
    assert not (trained / "run" / TUNED).exists()


def test_what_cannot_be_chosen_is_one_line(vnla: Vnla, trained: Path) -> None:
    run = trained / "run"
    said = vnla("tune", run, "--split", "test_unseen")
    assert said.status == 2
    assert said.err == "vnla: error: split test_unseen: is no dev set; choose from val_seen, val_unseen\n"
    other = vnla("tune", run, "--help-policy", "first")
    assert other.status == 2 and "help policy AtFirst: has no options that are chosen on a dev set" in other.err
    assert not (run / TUNED).exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"help_policy": "nobody", "help_options": {}}', "help policy nobody: unknown"),
        ('{"help_policy": "threshold", "help_options": {"threshold": "high"}}', "option threshold"),
        ('{"help_policy": "threshold"}', "is damaged"),
        ("[]", "is damaged"),
    ],
)
def test_a_damaged_choice_is_one_line(vnla: Vnla, trained: Path, text: str, message: str) -> None:
    path = trained / "run" / TUNED
    path.write_text(text)
    said = vnla("evaluate", trained / "run", "--split", "test_seen")
    path.unlink()
    complaint = [line for line in said.err.splitlines() if "loading" not in line]
    assert said.status == 2 and len(complaint) == 1 and message in complaint[0]
