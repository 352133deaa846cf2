"""`vnla tune`: what is chosen is kept in the run, and whoever evaluates it asks by that."""

from __future__ import annotations

import json
from pathlib import Path

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
        assert vnla("evaluate", run, "--split", "test_seen", "--json", trained / "e.json").status == 0
        requests.append(json.loads((trained / "e.json").read_text())["test_seen"]["figures"]["requests"]["mean"])
    assert requests[0] > 0 and requests[1] == 0
    (run / TUNED).unlink()


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
