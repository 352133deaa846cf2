"""What each option of a command does to what comes out.

`DIFFER` has two sets of words for an option; the command is run with both, and what it prints and writes must differ, while
it is the same when it is run twice with the same words. `ELSEWHERE` names the test that shows the effect of another option,
`NONE` says why one has no effect to be seen, and `OPEN` has those that no test shows yet. A new option of these commands
has to be put into one of them.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from command import Vnla, every_command
from cottage_run import cottage_records, write_cottage
from vnla import cli

COMMANDS = every_command()
RUN = ("--features", "symbolic", "--help-policy", "first", "--iterations", "2", "--batch", "4", "--hidden", "8")
BASES = {
    "evaluate": ("{run}", "--split", "test_seen", "--seeds", "1", "--csv", "{out}/e.csv"),
    "score": ("{results}/test_seen.json", "--world", "{world}", "--tasks", "{tasks}", "--json", "{out}/s.json"),
    "compare": (
        "a={results}/test_seen.json", "b={results}/test_seen.json", "--world", "{world}", "--tasks", "{tasks}",
        "--json", "{out}/c.json",
    ),
    "ceilings": ("{run}", "--split", "test_seen", "--limit", "2", "--schedules", "4", "--states", "1",
        "--json", "{out}/c.json"),
    "watch": ("{run}", "--split", "test_seen"),
    "advice": ("{world}", "--count", "8"),
    "listen": ("{run}", "--split", "test_seen", "--listener", "parser", "--says", "usual", "--json", "{out}/l.json"),
    "episodes export": ("{run}", "--split", "test_seen", "--format", "json", "--out", "{out}/data"),
}  # fmt: skip
"""What each command is run with; what an option says in `DIFFER` comes after it."""
DIFFER: dict[str, dict[str, tuple[str, str]]] = {
    "evaluate": {
        "--split": ("", "--split test_unseen"), "--seeds": ("", "--seeds 2"), "--subset": ("", "--subset 3"),
        "--help-policy": ("", "--help-policy none"), "--ratio": ("--ratio 0", "--ratio 1"), "--k": ("--k 1", "--k 6"),
        "--tasks": ("", "--tasks {other}"), "--world": ("", "--world {nowhere}"),
        "--checkpoint": ("", "--checkpoint nope"), "--json": ("", "--json {out}/more.json"),
        "--csv": ("", "--csv {out}/more.csv"), "--npz": ("", "--npz {out}/npz"),
        "--results": ("", "--results {out}/results"),
    },
    "score": {
        "--split": ("", "--split test_unseen"), "--world": ("", "--world {nowhere}"), "--tasks": ("", "--tasks {other}"),
        "--csv": ("", "--csv {out}/e.csv"), "--json": ("", "--json {out}/more.json"), "--schema": ("", "--schema"),
    },
    "compare": {
        "--split": ("", "--split test_unseen"), "--world": ("", "--world {nowhere}"), "--tasks": ("", "--tasks {other}"),
        "--json": ("", "--json {out}/more.json"), "--out": ("", "--out {out}/report"),
    },
    "ceilings": {
        "--split": ("", "--split test_unseen"), "--limit": ("", "--limit 3"), "--seeds": ("", "--seeds 2"),
        "--schedules": ("", "--schedules 8"),  "--ratio": ("--ratio 0", "--ratio 1"),
        "--tasks": ("", "--tasks {other}"), "--world": ("", "--world {nowhere}"), "--checkpoint": ("", "--checkpoint nope"),
        "--json": ("", "--json {out}/more.json"),
    },
    "watch": {
        "--split": ("", "--split test_unseen"), "--tasks": ("", "--tasks {other}"), "--world": ("", "--world {nowhere}"),
        "--checkpoint": ("", "--checkpoint nope"),
    },
    "advice": {
        "--count": ("", "--count 9"), "--seed": ("--seed 1", "--seed 2"), "--k": ("--k 1", "--k 6"),
        "--advisor-language": ("", "--advisor-language template"), "--out": ("", "--out {out}/a.html"),
        "--advisor-option": ("--advisor-option says=synonyms", "--advisor-option says=landmarks"),
        "--split": ("", "--split nope"),
    },
    "listen": {
        "--split": ("", "--split test_unseen"), "--says": ("", "--says mirrored"),
        "--json": ("", "--json {out}/more.json"), "--tasks": ("", "--tasks {other}"),
        "--world": ("", "--world {nowhere}"),
    },
    "episodes export": {
        "--split": ("", "--split test_unseen"), "--limit": ("", "--limit 2"), "--ratio": ("--ratio 0", "--ratio 1"),
        "--format": ("", "--format parquet"), "--tasks": ("", "--tasks {other}"),
        "--checkpoint": ("", "--checkpoint nope"), "--seed": ("--ratio 0.3 --seed 1", "--ratio 0.3 --seed 2"),
        "--out": ("", "--out {out}/elsewhere"), "--world": ("", "--world {nowhere}"),
    },
}  # fmt: skip
GUESTS, SCORE, CALIBRATE = "cli/test_guests.py", "cli/test_score.py", "cli/test_calibrate.py"
LISTEN, MAKE, SHARDS, WATCH = "cli/test_listen.py", "cli/test_tasks.py", "pipeline/shards/test_commands.py", "cli/test_watch.py"
EVALUATE, CHAT, CALLER, WALK = "cli/test_evaluate.py", "remote/test_chat.py", "remote/test_caller.py", "remote/test_walk.py"
ELSEWHERE: dict[str, dict[str, str]] = {
    "evaluate": {
        "--agent": f"{GUESTS}::test_a_script_has_a_table_and_files",
        "--agent-option": f"{GUESTS}::test_the_planner_takes_options",
        "--sweep": f"{EVALUATE}::test_success_against_help_is_drawn", "--threads": f"{EVALUATE}::test_so_many_threads",
        "--shard": f"{SHARDS}::test_a_grid_of_trainings_and_its_evaluations",
        "--out": f"{GUESTS}::test_without_out_it_is_kept_where_it_was_run",
        "--prompt": f"{GUESTS}::test_a_prompt_of_ones_own",
        "--base-url": f"{GUESTS}::test_a_chat_model", "--on-error": f"{WALK}::test_or_it_ends_the_episode",
        "--give-up": f"{CALLER}::test_after_so_many_in_a_row_it_is_no_use",
        "--retries": f"{CALLER}::test_what_may_change_is_tried_again",
        "--max-calls": f"{CHAT}::test_caps_hold_over_all_times_it_goes_on",
        "--max-tokens": f"{CHAT}::test_tokens_are_capped_before_they_are_spent",
    },
    "score": {
        "--ratio": f"{SCORE}::test_budgets_are_those_that_were_asked_for",
        "--k": f"{SCORE}::test_budgets_are_those_that_were_asked_for",
        "--seed": f"{SCORE}::test_budgets_are_those_that_were_asked_for", "--partial": f"{SCORE}::test_a_declared_subset",
        "--lenient": f"{SCORE}::test_a_wrong_file_is_one_line_and_status_2",
    },
    "compare": {
        "--ratio": f"{SCORE}::test_budgets_are_those_that_were_asked_for",
        "--k": f"{SCORE}::test_budgets_are_those_that_were_asked_for",
        "--seed": f"{SCORE}::test_budgets_are_those_that_were_asked_for",
        "--partial": f"{SCORE}::test_a_pair_is_compared_task_by_task_in_whatever_order",
    },
    "ceilings": {"--out": "cli/test_ceilings.py::test_several_runs_have_one_report"},
    "calibrate": {
        **dict.fromkeys(
            ("--risk", "--confidence", "--split", "--world", "--tasks", "--json"),
            f"{CALIBRATE}::test_what_is_calibrated_is_what_was_asked_for",
        ),
        "--check": f"{CALIBRATE}::test_a_check_calibrates_often_and_keeps_nothing",
        "--other-tasks": f"{CALIBRATE}::test_a_check_may_look_elsewhere",
        "--seed": f"{CALIBRATE}::test_the_same_seed_draws_the_same_tasks",
    },
    "watch": {
        "--episode": f"{WATCH}::test_an_episode_is_told_in_its_own_house",
        "--seed": f"{WATCH}::test_the_seed_is_that_of_the_help_budget",
        "--ratio": f"{WATCH}::test_an_episode_has_the_budget_that_was_asked_for",
        "--out": f"{EVALUATE}::test_watching_draws_what_it_tells",
    },
    "listen": {
        "--listener": f"{LISTEN}::test_the_parser_in_the_place_of_an_agent",
        "--handwritten": f"{LISTEN}::test_all_that_can_be_heard",
    },
    "tasks make": {
        "--task": f"{MAKE}::test_make_and_stats", "--seed": f"{MAKE}::test_make_and_stats", "--size": f"{MAKE}::test_json",
        "--most-train": f"{MAKE}::test_options_reach_the_recipe", "--starts": f"{MAKE}::test_options_reach_the_recipe",
        "--per": f"{MAKE}::test_options_reach_the_recipe", "--gzip": f"{MAKE}::test_json", "--json": f"{MAKE}::test_json",
        "--shard": f"{SHARDS}::test_a_data_set_of_shards_is_that_of_one_machine",
    },
    "world make": {
        **dict.fromkeys(
            ("--houses", "--train", "--dev", "--test"), "cli/test_world.py::test_as_many_houses_are_made_as_are_wanted"
        ),
        "--shard": f"{SHARDS}::test_a_world_of_shards_is_that_of_one_machine",
    },
}  # fmt: skip
NONE = {
    "--device": "the same numbers come out of every device; a name that is wrong is refused",
    "--threads": "the same numbers come out of however many",
    "--workers": "the same files come out of however many",
    "--concurrency": "the same answers come out of however many calls at a time",
    "--batch": "the same features come out of every batch",
    "--video": "needs ffmpeg",
    "--ask": "is about a person at a terminal",
}
OPEN: dict[str, set[str]] = {
    "evaluate": {
        "--advisor-language", "--advisor-option", "--metric", "--recorded", "--timeout", "--key-variable", "--observe",
        "--dry-run",
    },
    "score": {"--metric"},
    "compare": {"--metric", "--lenient"},
    "ceilings": {"--states"},  # an agent of two iterations stops at once: there is one state
    "calibrate": {"--other-world", "--checkpoint"},
    "speaker": {"--world", "--iterations", "--batch", "--learning-rate", "--k", "--width", "--tried", "--seed"},
    "listen": {"--reference", "--seeds", "--subset", "--checkpoint"},
    "episodes export": {"--observations", "--features", "--size"},
    "tasks make": {"--splits", "--fewest"},
    "world make": {"--preset", "--seed", "--storeys", "--rooms", "--area", "--style", "--programme", "--json"},
    "features make": {
        "--encoder", "--encoder-option", "--name", "--weights", "--size", "--half", "--seed", "--shard", "--json",
    },
}  # fmt: skip
"""Options whose effect no test shows through the command; each that is mended leaves this list."""
HELD = sorted({*DIFFER, *ELSEWHERE, *OPEN})


@pytest.mark.parametrize("command", HELD)
def test_every_option_has_an_effect_that_a_test_shows_or_a_reason_why_not(command: str) -> None:
    options = {each.opts[0] for each in COMMANDS[command].params if each.opts[0].startswith("--")}
    shown = {*DIFFER.get(command, {}), *ELSEWHERE.get(command, {})}
    assert options - shown - OPEN.get(command, set()) - NONE.keys() == set(), "put these into one of the tables"
    assert (shown | OPEN.get(command, set())) - options == set(), "these are no options of it"
    assert shown & OPEN.get(command, set()) == set()


@pytest.mark.parametrize("place", sorted({place for each in ELSEWHERE.values() for place in each.values()}))
def test_the_tests_that_are_named_exist(place: str) -> None:
    file, name = place.split("::")
    assert f"def {name}(" in (Path(__file__).parents[1] / file).read_text()


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """A run of two cottages, what it did, and a data set whose tasks are fewer; test_unseen is in one house."""
    folder = tmp_path_factory.mktemp("effects")
    world, tasks = write_cottage(folder, houses=2)
    (tasks / "asknav_test_unseen.json").write_text(json.dumps(cottage_records("cottage1")[1:5]))
    other = shutil.copytree(tasks, folder / "other")
    for file in other.iterdir():
        file.write_text(json.dumps(json.loads(file.read_text())[3:5]))
    run, results = folder / "run", folder / "results"
    for words in (
        ("train", run, "--world", world, "--tasks", tasks, *RUN),
        ("evaluate", run, "--split", "test_seen", "--seeds", 1, "--results", results),
    ):
        with pytest.raises(SystemExit) as left:
            cli.main([str(word) for word in words])
        assert left.value.code == 0
    where = {"run": run, "world": world, "tasks": tasks, "other": other, "results": results}
    return {**where, "nowhere": folder / "nowhere"}


def outcome(vnla: Vnla, command: str, words: str, places: dict[str, object], out: Path) -> dict[str, object]:
    """All that is printed and written."""
    out.mkdir()
    given = [word.format(**places, out=out) for word in (*BASES[command], *words.split())]
    answer = vnla(*command.split(), *given)
    files = {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}
    return {"status": answer.status, "out": answer.out, **files}


@pytest.mark.parametrize("command", DIFFER)
def test_each_option_changes_what_comes_out(vnla: Vnla, command: str, places: dict[str, object], tmp_path: Path) -> None:
    found: dict[str, dict[str, object]] = {}
    for option, (one, other) in DIFFER[command].items():
        for words in (one, other):
            if words not in found:
                out = tmp_path / "out"
                found[words] = outcome(vnla, command, words, places, out)
                shutil.rmtree(out)
        assert found[one]["status"] == 0, (option, one)
        assert found[one] != found[other], f"{command} {option}: {one or 'without it'} and {other} do the same"
    again = outcome(vnla, command, "", places, tmp_path / "out")
    assert again == found.get("", again), "the same words do the same"
