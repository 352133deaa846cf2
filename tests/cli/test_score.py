"""`vnla score`, `vnla compare` and `vnla episodes export`, from a run of the cottage to tables, reports and data sets."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet
import pytest

from command import Vnla
from cottage_run import write_cottage
from vnla import cli
from vnla.evaluation.metrics import ENDINGS


class Made(NamedTuple):
    """What a person has: a world, tasks, runs, and what they did."""

    world: Path
    tasks: Path
    runs: Path
    results: Path
    npz: Path

    @property
    def where(self) -> tuple[object, ...]:
        return "--world", self.world, "--tasks", self.tasks


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("cottage")
    found = Made(*write_cottage(folder), folder / "runs", folder / "results", folder / "npz")
    options = ["--features", "symbolic", "--help-policy", "first,none", "--iterations", 2, "--batch", 4, "--hidden", 8]
    for words in (
        ["train", found.runs, *found.where, *options],
        ["evaluate", found.runs, "--split", "test_seen", "--results", found.results, "--npz", found.npz],
    ):
        with pytest.raises(SystemExit) as left:
            cli.main([str(each) for each in words])
        assert left.value.code == 0
    return found


def test_a_run_of_ours_is_scored(vnla: Vnla, made: Made, tmp_path: Path) -> None:
    file = made.results / "first" / "test_seen.json"
    outputs = "--json", tmp_path / "scores.json", "--csv", tmp_path / "episodes.csv"
    answer = vnla("score", file, *made.where, "--split", "test_seen", "--seed", 123, *outputs)
    assert answer.status == 0, answer.err
    assert "Scores on test seen" in answer.out
    assert "budget_used, %" in answer.out
    [found] = json.loads((tmp_path / "scores.json").read_text())
    assert (found["name"], found["split"], found["tasks"], found["wrong_records"]) == ("first", "test_seen", 6, [])
    assert all(claim["differ"] == 0 for claim in found["claims"])
    assert len((tmp_path / "episodes.csv").read_text().splitlines()) == 7


def test_a_wrong_file_is_one_line_and_status_2(vnla: Vnla, made: Made, tmp_path: Path) -> None:
    records = json.loads((made.results / "first" / "test_seen.json").read_text())
    records[2]["trajectory"][1][0] = "attic"
    records[3]["is_success"] = not records[3]["is_success"]
    wrong = tmp_path / "wrong.json"
    wrong.write_text(json.dumps(records))
    answer = vnla("score", wrong, *made.where)
    assert (answer.status, answer.out) == (2, "")
    errors = [line for line in answer.err.splitlines() if line.startswith("vnla: error:")]
    assert errors == [f"vnla: error: {wrong}: record 2: task 2_0: step 1: house cottage has no viewpoint 'attic'"]
    answer = vnla("score", wrong, *made.where, "--lenient")
    assert answer.status == 0
    assert "wrong records, counted as failures" in answer.out
    assert "counted as a failure: " in answer.err
    assert "is_success is wrong in 1 of 5 records: task 3_0 says" in answer.err


def test_a_declared_subset(vnla: Vnla, made: Made, tmp_path: Path) -> None:
    records = json.loads((made.results / "first" / "test_seen.json").read_text())
    some = tmp_path / "some.json"
    some.write_text(json.dumps(records[:2]))
    assert vnla("score", some, *made.where).status == 2
    answer = vnla("score", f"mine={some}", *made.where, "--partial")
    assert answer.status == 0
    assert "2 of 6" in answer.out
    assert "mine" in answer.out


def test_the_schema_is_printed(vnla: Vnla) -> None:
    answer = vnla("score", "--schema")
    assert answer.status == 0
    assert answer.out == files("vnla.evaluation").joinpath("results.schema.json").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("score", "none.json"), "say in which --world and on which --tasks"),
        (("score",), "Missing argument 'RESULTS'"),
        (("compare", "one.json"), "name at least two agents"),
        (("score", "=x"), "expected a file, or NAME=FILE"),
        (("score", "none.json"), "no such file"),
        (("compare", "none.json", "neither.json"), "no such file"),
    ],
)
def test_what_was_not_said_right(vnla: Vnla, made: Made, words: tuple[str, ...], message: str) -> None:
    where = made.where if "--world" not in message and "Missing" not in message else ()
    answer = vnla(*words, *where)
    assert answer.status == 2
    assert message in answer.err


def test_agents_are_compared(vnla: Vnla, made: Made, tmp_path: Path) -> None:
    entries = made.npz / "first", f"nobody={made.npz / 'none'}", made.results / "none" / "test_seen.json"
    out = tmp_path / "compared"
    answer = vnla("compare", *entries, *made.where, "--split", "test_seen", "--out", out, "--json", tmp_path / "all.json")
    assert answer.status == 0, answer.err
    assert "first → nobody (6 tasks)" in answer.out
    found = json.loads((tmp_path / "all.json").read_text())
    assert [entry["name"] for entry in found["agents"]] == ["first", "nobody", "none"]
    assert len(found["pairs"]) == 3
    same = found["pairs"][2]  # without help a seed changes nothing
    assert (same["one"], same["other"], same["other_minus_one"]["success_rate"]["value"]) == ("nobody", "none", 0)
    written = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    figures = {f"figures/figure-contest.{end}" for end in ("png", "svg", "json")}
    tables = {f"tables/{name}.{end}" for name in ("scores", "differences") for end in ("csv", "tex", "json")}
    assert figures | tables | {"report.html", "document.json"} == written
    assert b"<svg" in (out / "figures" / "figure-contest.svg").read_bytes()[:2048]


def test_how_failures_end_is_shown_of_each_agent_without_a_verdict(vnla: Vnla, made: Made, tmp_path: Path) -> None:
    """Of an evaluation and of a results file alike; with several pairs too, since somebody asked for it."""
    entries = made.npz / "first", f"a={made.npz / 'none'}", f"b={made.results / 'none' / 'test_seen.json'}"
    out, file = tmp_path / "out", tmp_path / "all.json"
    words = "compare", *entries, *made.where, "--split", "test_seen", "--metric", "endings", "--out", out, "--json", file
    answer = vnla(*words)
    assert answer.status == 0, answer.err
    for entry in json.loads(file.read_text())["agents"]:
        shares = [entry["figures"][name]["value"] for name in ("success_rate", *ENDINGS)]
        assert sum(shares) == pytest.approx(100), entry["name"]
    _, packed, written = json.loads(file.read_text())["agents"]
    assert [packed["figures"][name]["value"] for name in ENDINGS] == [written["figures"][name]["value"] for name in ENDINGS]
    lines = [line.split() for line in answer.out.splitlines() if line.strip().startswith("out_of_time, points")]
    assert len(lines) == 3
    assert {line[-1] for line in lines} == {"–"}
    assert "--metric endings" in (out / "report.html").read_text()


def test_two_of_the_same_name_are_told_apart(vnla: Vnla, made: Made, tmp_path: Path) -> None:
    entry = made.npz / "first"
    file = tmp_path / "all.json"
    assert vnla("compare", entry, entry, *made.where, "--split", "test_seen", "--json", file).status == 0
    assert [each["name"] for each in json.loads(file.read_text())["agents"]] == ["first", "first (2)"]


@pytest.mark.parametrize("form", ["minari", "parquet", "json"])
def test_episodes_of_a_run_are_exported(vnla: Vnla, made: Made, tmp_path: Path, form: str) -> None:
    out = tmp_path / "data"
    answer = vnla("episodes", "export", made.runs / "first", "--split", "test_seen", "--format", form, "--out", out)
    assert answer.status == 0, answer.err
    assert answer.out.startswith("6 episodes of test_seen: ")
    assert out.is_dir()
    again = vnla("episodes", "export", made.runs / "first", "--format", form, "--out", out)
    assert (again.status, "exists already" in again.err) == (2, True)
    if form == "json":
        scored = vnla("score", out / "test_seen.json", *made.where, "--split", "test_seen", "--seed", 123)
        assert scored.status == 0, scored.err
        ours = vnla("score", made.results / "first" / "test_seen.json", *made.where, "--split", "test_seen", "--seed", 123)
        assert scored.out.splitlines()[4:] == ours.out.splitlines()[4:]


def test_the_teacher_needs_to_know_where(vnla: Vnla, made: Made, tmp_path: Path) -> None:
    out = tmp_path / "data"
    answer = vnla("episodes", "export", "teacher", "--format", "parquet", "--out", out)
    assert (answer.status, "say in which --world" in answer.err) == (2, True)
    words = "--limit", 3, "--observations", "features", "--features", "symbolic"
    answer = vnla("episodes", "export", "teacher", *made.where, "--format", "parquet", "--out", out, *words)
    assert answer.status == 0, answer.err
    table = pyarrow.parquet.read_table(out / "data")
    assert (table.num_rows, "features_symbolic" in table.column_names) == (3, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nowhere", "--format", "json"), "is neither a run, a results file"),
        (("teacher", "--format", "json", "--ratio", 0.5), "--ratio and --checkpoint are for runs"),
        (("teacher", "--format", "parquet", "--size", "big"), "expected width and height"),
        (("teacher", "--format", "parquet", "--observations", "smells"), "is none of tokens, poses"),
        (("teacher", "--format", "pickle"), "pickle"),
    ],
)
def test_what_cannot_be_exported(vnla: Vnla, made: Made, tmp_path: Path, words: tuple[object, ...], message: str) -> None:
    answer = vnla("episodes", "export", *words, *made.where, "--out", tmp_path / "out")
    assert answer.status == 2
    assert message in answer.err
    assert list(tmp_path.iterdir()) == []


def test_budgets_are_those_that_were_asked_for(vnla: Vnla, made: Made) -> None:
    """Who asks at every step as long as it may has used the whole of its budget: a smaller one it cannot have kept."""
    file = made.results / "first" / "test_seen.json"
    for verb in (("score", file), ("compare", file, file)):
        assert vnla(*verb, *made.where, "--seed", 123).status == 0
        assert vnla(*verb, *made.where, "--ratio", 1, "--k", 1, "--seed", "any").status == 0
        for options in (("--ratio", 0.1), ("--ratio", 0), ("--k", 7), ("--ratio", 1, "--k", 1), ("--seed", 983)):
            answer = vnla(*verb, *made.where, *options)
            assert answer.status == 2 and "field help_budget is" in answer.err, (verb, options)


def test_any_budget_is_said_on_the_terminal_and_in_the_report(vnla: Vnla, made: Made, tmp_path: Path) -> None:
    file = made.results / "first" / "test_seen.json"
    held = vnla("score", file, *made.where)
    assert held.status == 0 and "budget seeds" in held.out and "any budget" not in held.out + held.err
    words = f"a={file}", f"b={made.results / 'none' / 'test_seen.json'}", *made.where, "--seed", "any"
    for verb in ("score", "compare"):
        loose = vnla(verb, *words)
        assert loose.status == 0, loose.err
        assert "any budget; not comparable" in " ".join(loose.out.split())
        assert "--seed any: any budget; not comparable" in loose.err
    assert vnla("compare", *words, "--out", tmp_path / "out").status == 0
    page = (tmp_path / "out" / "report.html").read_text()
    assert "any budget; not comparable" in page and "--seed any" in page
    for wrong in ("some", "1.5", "9" * 30, ""):
        answer = vnla("score", file, *made.where, f"--seed={wrong}")
        assert (answer.status, "expected a whole number, or: any" in answer.err) == (2, True), wrong


def test_a_pair_is_compared_task_by_task_in_whatever_order(vnla: Vnla, made: Made, tmp_path: Path) -> None:
    """The other file has all tasks but the first, the last of them first, and the same walks: nothing differs."""
    records = json.loads((made.results / "none" / "test_seen.json").read_text())
    some = records[:0:-1]
    whole, part, file = tmp_path / "whole.json", tmp_path / "part.json", tmp_path / "all.json"
    whole.write_text(json.dumps(records))
    part.write_text(json.dumps(some))
    words = "compare", f"whole={whole}", f"part={part}", *made.where, "--json", file
    assert vnla(*words).status == 2, "not all tasks are there"
    answer = vnla(*words, "--partial")
    assert answer.status == 0, answer.err
    assert "whole → part (5 of 6 tasks)" in answer.out
    assert "leaves out tasks on which its agent fails looks better than the agent is" in " ".join(answer.out.split())
    [pair] = json.loads(file.read_text())["pairs"]
    assert (pair["tasks"], pair["tasks_of_the_split"]) == (5, 6)
    assert (pair["one_alone_succeeds"], pair["other_alone_succeeds"]) == (0, 0)
    assert {name: each["value"] for name, each in pair["other_minus_one"].items() if each["value"]} == {}


def test_agents_of_other_tasks_are_not_compared(vnla: Vnla, made: Made, tmp_path: Path) -> None:
    records = json.loads((made.results / "none" / "test_seen.json").read_text())
    for name, some in (("one", records[:3]), ("other", records[3:])):
        (tmp_path / f"{name}.json").write_text(json.dumps(some))
    answer = vnla("compare", tmp_path / "one.json", tmp_path / "other.json", *made.where, "--partial")
    assert (answer.status, answer.out) == (2, "")
    assert "one.json and " in answer.err and "have no task in common" in answer.err
    records[0]["instr_id"] = "strange_0"
    (tmp_path / "other.json").write_text(json.dumps(records))
    answer = vnla("compare", made.npz / "none", tmp_path / "other.json", *made.where)
    assert answer.status == 2 and "strange_0" in answer.err


def test_failures_that_a_file_leaves_out_are_counted(vnla: Vnla, made: Made, tmp_path: Path) -> None:
    """A file without the tasks on which its agent fails is the whole file to --lenient, alone and in a comparison."""
    records = json.loads((made.results / "first" / "test_seen.json").read_text())
    whole, flattering, file = tmp_path / "whole.json", tmp_path / "flattering.json", tmp_path / "found.json"
    whole.write_text(json.dumps(records))
    flattering.write_text(json.dumps(records[:2]))
    where = *made.where, "--split", "test_seen", "--lenient", "--json", file
    assert vnla("score", flattering, *where).status == 0
    [scored] = json.loads(file.read_text())
    assert (scored["tasks"], len(scored["missing_tasks"])) == (6, 4)
    assert vnla("compare", f"whole={whole}", f"flattering={flattering}", *where).status == 0
    found = json.loads(file.read_text())
    assert [agent["tasks"] for agent in found["agents"]] == [6, 6] and found["pairs"][0]["tasks"] == 6
    assert found["agents"][1]["figures"]["success_rate"] == scored["figures"]["success_rate"]
