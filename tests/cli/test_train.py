"""`vnla train` as a person meets it: one run, several at once, and what it says to bad input."""

from __future__ import annotations

import inspect
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from unittest.mock import ANY

import pytest
import torch
from torch.cuda import is_available

import command
from cottage_run import write_cottage
from vnla import cli
from vnla.cli import train
from vnla.cli.options import names_in
from vnla.training.checkpoints import CONFIG, LAST, LOG
from vnla.training.config import RunConfig
from vnla.training.options import FREE, kept_options

Vnla = Callable[..., tuple[int, str]]
SHORT = ["--features", "symbolic", "--iterations", "2", "--batch", "4", "--hidden", "8"]


@pytest.fixture
def vnla(vnla: command.Vnla) -> Vnla:
    def run(*arguments: object) -> tuple[int, str]:
        answer = vnla(*arguments)
        return answer.status, answer.err

    return run


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    world, tasks = write_cottage(tmp_path_factory.mktemp("cottage"))
    return ["--world", str(world), "--tasks", str(tasks), *SHORT]


def runs_in(folder: Path) -> dict[str, RunConfig]:
    return {path.parent.name: RunConfig.read(path) for path in folder.glob(f"*/{CONFIG}")}


def test_several_policies_each_get_a_folder(vnla: Vnla, data: list[str], tmp_path: Path) -> None:
    status, said = vnla("train", tmp_path / "runs", *data, "--help-policy", "none,learned")
    assert status == 0, said
    runs = runs_in(tmp_path / "runs")
    assert {name: config.help_policy for name, config in runs.items()} == {"none": "none", "learned": "learned"}
    assert all((tmp_path / "runs" / name / LAST).exists() for name in runs)
    assert "learned   iteration 2" in said


def test_several_seeds_of_several_policies(vnla: Vnla, data: list[str], tmp_path: Path) -> None:
    status, said = vnla("train", tmp_path / "runs", *data, "--help-policy", "none,first", "--seed", "3,4")
    assert status == 0, said
    found = {name: (config.help_policy, config.training.seed) for name, config in runs_in(tmp_path / "runs").items()}
    assert found == {
        "none-seed3": ("none", 3), "none-seed4": ("none", 4), "first-seed3": ("first", 3), "first-seed4": ("first", 4),
    }  # fmt: skip


def test_variants_have_options_of_their_own(vnla: Vnla, data: list[str], tmp_path: Path) -> None:
    variants = [
        "--variant",
        "plain=",
        "--variant",
        "timely=--sense clock --agent-option coverage=4",
        "--variant",
        "two=--seed 3,4",
    ]
    command = ["train", tmp_path / "runs", *data, "--agent-option", "word_embedding=12", *variants]
    assert vnla(*command) == (0, ANY)
    runs = {
        str(path.parent.relative_to(tmp_path / "runs")): RunConfig.read(path) for path in tmp_path.glob(f"runs/**/{CONFIG}")
    }
    assert {name: (config.sensors, config.training.seed) for name, config in runs.items()} == {
        "plain": ("", 0), "timely": ("clock", 0), "two/seed3": ("", 3), "two/seed4": ("", 4),
    }  # fmt: skip
    assert {config.agent_options["word_embedding"] for config in runs.values()} == {12}
    assert runs["timely"].agent_options["coverage"] == 4 and "coverage" not in runs["plain"].agent_options
    (tmp_path / "runs" / "timely" / LAST).unlink()
    assert vnla(*command) == (0, ANY)
    assert (tmp_path / "runs" / "timely" / LAST).exists()
    assert "two/seed3: --k: this run has 4, you gave 2" in vnla(*command[:-1], "two=--seed 3,4 --k 2")[1]


def test_of_several_runs_the_one_that_diverges_is_said_at_the_end(vnla: Vnla, data: list[str], tmp_path: Path) -> None:
    variants = ["--variant", "wild=--learning-rate 1e30", "--variant", "good="]
    status, said = vnla("train", tmp_path / "runs", *data, *variants)
    lost = f"{tmp_path / 'runs' / 'wild'}: at iteration 2 or before its losses are no longer numbers"
    assert status == 2 and said.splitlines()[-1].startswith(f"vnla: error: {lost}")
    assert sum(f"%  {lost}" in line and line.endswith("; the others go on") for line in said.splitlines()) == 1
    assert f"{tmp_path / 'runs' / 'good'}: 2 iterations are done" in said and "wild: 2 iterations" not in said
    assert (tmp_path / "runs" / "good" / LAST).exists() and not (tmp_path / "runs" / "wild" / LAST).exists()


def test_a_folder_of_runs_goes_on(vnla: Vnla, data: list[str], tmp_path: Path) -> None:
    vnla("train", tmp_path / "runs", *data, "--seed", "1,2")
    for name in ("seed1", "seed2"):
        (tmp_path / "runs" / name / LAST).unlink()
    assert vnla("train", tmp_path / "runs")[0] == 0
    assert (tmp_path / "runs" / "seed2" / LAST).exists()
    (tmp_path / "runs" / "seed1" / LAST).unlink()
    assert vnla("train", tmp_path / "runs" / "seed1", tmp_path / "runs" / "seed2")[0] == 0
    assert (tmp_path / "runs" / "seed1" / LAST).exists()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--help-policy", "none,shouting"], "help policy shouting: unknown"),
        (["--seed", "1,two"], "--seed 1,two: give whole numbers"),
        (["--seed", "-1"], "--seed -1: give whole numbers"),
        (["--seed", "1" * 23], "1: give whole numbers from 0 to 9223372036854775807"),
        (["--world", "nowhere"], "nowhere: no such directory; expected a world folder"),
        (["--tasks", "nowhere"], "nowhere: no such directory; expected a data set folder"),
        (["--features", "nothing"], "features/nothing: no features; make them with: vnla features make"),
        (["--precision", "float8"], "precision float8: unknown; choose from float32, tf32, bfloat16"),
        (["--learning-rate", "-1"], "learning rate -1.0: must be a number above 0"),
        (["--weight-decay", "-1"], "weight decay -1.0: must be 0 or a number above it"),
        (["--strange", "0.1"], "strange words: are met in practice; give --practice, too"),
        (["--practice", "1", "--strange", "0.1"], "strange words: can only be read by an agent that knows words by"),
        (["--practice", "1", "--advisor", "silent"], "practice: is about what the advisor says, but it says nothing"),
        (["--variant", "clock"], '--variant clock: give a name and options, such as "clock=--sensor clock"'),
        (["--variant", "../x="], "--variant ../x=: give a name and options"),
        (["--variant", "a=--no-such-thing"], "--variant a: No such option: --no-such-thing"),
        (["--variant", "a=--sense 'clock"], "--variant a: No closing quotation"),
        (["--variant", "a=--help"], "--variant a: No such option: --help"),
        (["--variant", "a=--dropout 7"], "--variant a: Invalid value for '--dropout'"),
        (["--variant", "a=", "--variant", "a=--timed"], "--variant a: was given twice"),
        (["--variant", "a=--device cuda"], "--variant a: --device is for all of them; give it outside"),
        (["--variant", "a=another"], "--variant a: another is for all of them; give it outside"),
        (["--variant", "a=--sense smell"], "sensor smell: unknown"),
        (["--device", "nope"], "device nope: unknown; choose cpu, cuda"),
        pytest.param(["--device", "cuda"], "there is no GPU", marks=pytest.mark.skipif(is_available(), reason="a GPU")),
        (["--help-policy", "none,learned", "--world", "nowhere"], "nowhere: no such directory"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_and_leaves_nothing(
    vnla: Vnla, data: list[str], tmp_path: Path, options: list[str], complaint: str
) -> None:
    status, said = vnla("train", tmp_path / "runs", *data, *options)
    assert status == 2
    assert complaint in said
    assert len([line for line in said.splitlines() if "loading" not in line]) == 1
    assert not (tmp_path / "runs").exists()


def test_new_runs_go_to_one_folder(vnla: Vnla, data: list[str], tmp_path: Path) -> None:
    status, said = vnla("train", tmp_path / "a", tmp_path / "b", *data)
    assert status == 2
    assert "give one folder for new runs" in said
    assert "there is no run yet" in vnla("train", tmp_path / "a")[1]
    assert "needs both --world and --tasks" in vnla("train", tmp_path / "a", *data[:2])[1]


@pytest.fixture(scope="module")
def finished(data: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("finished") / "run"
    with pytest.raises(SystemExit):
        cli.main(["train", str(run), *data])
    return run


@pytest.fixture
def begun(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "begun"))


def test_a_finished_run_says_so(finished: Path, data: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    for options in ([], data, ["--device", "cpu", "--threads", "1", "--eager"]):
        with pytest.raises(SystemExit) as left:
            cli.main(["train", str(finished), *options])
        assert left.value.code == 0
        assert capfd.readouterr().out == f"{finished}: has done its 2 iterations; --iterations N goes further\n"


def test_an_advisor_may_describe_more_actions_than_the_data_set_has_words_for(
    vnla: Vnla, data: list[str], tmp_path: Path
) -> None:
    """With five turns in a row it says "150", which no end-goal has and nobody says with k = 4."""
    assert vnla("train", tmp_path / "run", *data, "--k", 5)[0] == 0
    assert vnla("evaluate", tmp_path / "run", "--split", "test_seen", "--seeds", 1)[0] == 0


def test_a_run_is_given_more_iterations(vnla: Vnla, begun: Path, data: list[str]) -> None:
    assert vnla("train", begun, "--iterations", 3)[0] == 0
    assert RunConfig.read(begun / CONFIG).training.iterations == 3
    assert vnla("train", begun, *data, "--iterations", 4)[0] == 0
    assert json.loads((begun / LOG).read_text().splitlines()[-1])["iteration"] == 4
    status, said = vnla("train", begun, "--iterations", 3)
    assert (status, said) == (2, f"vnla: error: {begun}: has done 4 iterations; --iterations 3 is fewer\n")
    assert RunConfig.read(begun / CONFIG).training.iterations == 4


OTHERS = {
    "--features": ("symbolic", "efficientnet-lite0"), "--help-policy": ("learned", "none"), "--batch": ("4", "5"),
    "--learning-rate": ("0.0001", "0.1"), "--cooldown": ("0.0", "0.5"), "--weight-decay": ("0.0005", "0.1"),
    "--dropout": ("0.5", "0.25"), "--hidden": ("8", "16"), "--layers": ("1", "2"), "--ratio": ("0.4", "0.5"),
    "--k": ("4", "3"), "--advisor": ("indirect", "silent"), "--rules": ("abcde", "ae"), "--deviation": ("8.0", "2.0"),
    "--uncertainty": ("1.0", "2.0"), "--non-moving": ("9", "5"),
    "--validate-every": ("1000", "7"), "--precision": ("float32", "bfloat16"), "--seed": ("0", "1"),
    "--objective": ("imitation", "reward"), "--feature-dropout": ("0.0", "0.5"),
    "--advisor-language": ("template", "grammar"), "--practice": ("0", "2"),
}  # fmt: skip
"""What the run has of each option, and something else."""


@pytest.mark.parametrize("option", OTHERS)
def test_an_option_that_a_run_keeps_is_refused_by_name_where_it_differs(vnla: Vnla, finished: Path, option: str) -> None:
    has, other = OTHERS[option]
    status, said = vnla("train", finished, option, other)
    complaint = f"vnla: error: {finished}: {option}: this run has {has}, you gave {other}; give a new folder\n"
    assert (status, said) == (2, complaint)
    assert vnla("train", finished, option, has) == (0, "")


def test_so_are_flags(vnla: Vnla, finished: Path) -> None:
    assert "--easy: this run has False, you gave True" in vnla("train", finished, "--easy")[1]
    assert "--timed: this run has False, you gave True" in vnla("train", finished, "--timed")[1]
    assert "--keeps-ended: this run has False, you gave True" in vnla("train", finished, "--keeps-ended")[1]


def test_every_option_is_either_kept_or_free() -> None:
    others = {"easy", "keeps_ended", "timed", "beta", "agent", "agent_option", "help_option", "advisor_option"}
    others |= {"fold", "forward", "sensor", "objective_option", "begins_with", "following"}
    others |= {"strange", "anywhere", "contrast"}
    kept = {name[2:].replace("-", "_") for name in OTHERS} | others
    assert kept == {*kept_options(RunConfig())} - FREE
    free = FREE | {"context", "run", *names_in(train.TrainCommandOptions)}
    assert {*inspect.signature(train.train).parameters} == kept | free


def test_the_older_names_of_options_work(vnla: Vnla, finished: Path) -> None:
    older = (("--veil", "--feature-dropout", "0.5"), ("--sense", "--sensor", "clock"), ("--tau", "--ratio", "1"))
    for option, name, other in older:
        assert f"{name}: this run has" in vnla("train", finished, option, other)[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--beta", "0.25"], "--beta: belongs to the help policy imitation"),
        (["--agent", "examples.agent:GruAgent"], "--agent: this run has paper, you gave examples.agent:GruAgent"),
        (["--agent", "examples.agent:GruAgent", "--layers", "2"], "--layers: belongs to the agents paper and panorama"),
        (["--agent-option", "coverage=3"], "--agent-option: this run has"),
        (["--help-option", "eagerness=3"], "help policy learned: has no option eagerness; it has no options"),
        (["--advisor-option", "k=3"], "--advisor-option: is for advisors of one's own; the paper's has --k and --easy"),
        (["--advisor", "examples.advisor:Warmer", "--k", "3"], "--k: belongs to the paper's advisor"),
        (["--advisor", "nobody"], "advisor nobody: unknown; choose from indirect, direct, silent, or name your own"),
    ],
)
def test_what_would_be_ignored_is_refused(
    vnla: Vnla, finished: Path, options: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    status, said = vnla("train", finished, *options)
    assert status == 2 and message in said


def test_a_run_whose_world_was_moved_goes_on_where_it_is_now(vnla: Vnla, begun: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    world, tasks = write_cottage(tmp_path / "elsewhere")
    config = replace(RunConfig.read(begun / CONFIG), world=str(tmp_path / "no"), tasks=str(tmp_path / "none"))
    (begun / CONFIG).write_text(config.text(begun))
    assert vnla("train", begun) == (0, "")  # it is finished and needs none
    status, said = vnla("train", begun, "--iterations", 3)
    assert status == 2 and said.count("\n") == 1
    assert f"was trained on {tmp_path / 'no'}, which is not there; say where it is now with --world" in said
    status, said = vnla("train", begun, "--iterations", 3, "--world", world, "--tasks", tasks)
    assert status == 0, said
    assert json.loads((begun / CONFIG).read_text())["world"] == "../elsewhere/world"


def test_without_a_terminal_there_are_lines(vnla: Vnla, data: list[str], tmp_path: Path) -> None:
    status, said = vnla("train", tmp_path / "run", *data)
    assert status == 0
    words = [line.split("%  ", 1)[1] for line in said.splitlines()]
    assert words[0] == "loading …"
    assert words[1].startswith("loaded in ")
    assert words[2].startswith("iteration 2/2, ") and "it/s, navigation " in words[2] and words[2].endswith(" left")
    assert words[3:5] == ["validating val_seen 0/6", "validating val_unseen 0/6"]
    assert words[5].startswith("iteration 2   val_seen: success ") and "(validated in " in words[5]
    assert words[6].startswith(f"{tmp_path / 'run'}: 2 iterations are done; this took ")
    assert len(words) == 7
    assert said.splitlines()[0].startswith("  0:00    0%") and "100%" in said.splitlines()[-1]


def test_the_number_of_threads_is_what_was_asked_for(vnla: Vnla, finished: Path) -> None:
    before = torch.get_num_threads()
    try:
        vnla("train", finished, "--threads", before + 1)
        assert torch.get_num_threads() == before + 1
        for count in (0, 99_999_999):
            said = f"vnla: error: {count} threads: give 1 to 1,024\n"
            assert vnla("train", finished, "--threads", count) == (2, said)
        assert torch.get_num_threads() == before + 1
    finally:
        torch.set_num_threads(before)


BROKEN = """
from vnla.assistance.help_policies import HelpPolicy
class Torn(HelpPolicy):
    def __call__(self, situation):
        return self.halves(situation)
    def halves(self, situation):
        raise KeyError("half")
class Forgetful(HelpPolicy):
    def __call__(self, situation):
        return situation.tentative.amax(dim=1) < 0.5
"""


def test_an_error_in_a_part_of_ones_own_is_one_line(
    vnla: Vnla, data: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_of_a_test.py").write_text(BROKEN)
    monkeypatch.syspath_prepend(tmp_path)
    train = ["train", tmp_path / "run", *data, "--help-policy"]
    line = "help policy broken_of_a_test:Torn: Torn.__call__ raised KeyError: 'half' (broken_of_a_test.py, line 7)"
    status, said = vnla(*train, "broken_of_a_test:Torn")
    assert status == 2 and said.endswith(f"vnla: error: {line}; vnla --debug shows the traceback\n")
    assert "Traceback" not in said
    status, said = vnla("--debug", *train, "broken_of_a_test:Torn")
    assert status == 2 and "\nTraceback (most recent call last)" in said and said.endswith(f"vnla: error: {line}\n")
    status, said = vnla(*train, "broken_of_a_test:Forgetful")
    assert status == 2 and said.splitlines()[-1].startswith(
        "vnla: error: Forgetful.__call__ looks at the tentative decision"
    )
    assert not (tmp_path / "run").exists()
