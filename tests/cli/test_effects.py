"""What each option of a command does to what comes out.

`DIFFER` has two sets of words for an option; the command is run with both, and what it prints and writes must differ, while
it is the same when it is run twice with the same words. `ELSEWHERE` names the test that shows the effect of another option,
`NONE` and `ANYWHERE` say why one has no effect to be seen, and `OPEN` has those that no test shows yet. Every option of
every command is in one of them.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest

from command import Vnla, every_command
from cottage_run import SPLITS, cottage_records, write_cottage
from fake_servers import Say, agent, serving
from vnla import cli
from vnla.camera import VIEWS
from vnla.common.errors import InputError
from vnla.houses.cottage import cottage
from vnla.houses.folder import read_world, write_world
from vnla.training.checkpoints import LAST
from vnla.vision.encoders import EncoderOptions, Size
from vnla.vision.store import Header, StoreWriter, store_path, viewpoints_of, world_checksum
from vnla.world.compiled import World

COMMANDS = every_command()
ROOT = Path(__file__).parents[2]
RUN = (
    "--features", "symbolic", "--help-policy", "first", "--iterations", "2", "--batch", "4", "--hidden", "8",
    "--learning-rate", "0.01",
)  # fmt: skip
PARTS = {"train": "test", "dev": "dev", "test": "train"}  # the other way round
BASES = {
    "evaluate": ("{run}", "--split", "test_seen", "--seeds", "1", "--csv", "{out}/e.csv"),
    "score": ("{results}/test_seen.json", "--world", "{world}", "--tasks", "{tasks}", "--json", "{out}/s.json"),
    "compare": (
        "a={results}/test_seen.json", "b={results}/test_seen.json", "--world", "{world}", "--tasks", "{tasks}",
        "--json", "{out}/c.json",
    ),
    "ceilings": ("{run}", "--split", "test_seen", "--limit", "1", "--schedules", "4", "--states", "1",
        "--json", "{out}/c.json"),
    "watch": ("{run}", "--split", "test_seen"),
    "advice say": ("{world}", "--count", "8"),
    "listen": ("{run}", "--split", "test_seen", "--listener", "parser", "--says", "usual", "--json", "{out}/l.json"),
    "episodes export": ("{run}", "--split", "test_seen", "--format", "json", "--out", "{out}/data"),
    "evaluate: a chat model": (
        "--agent", "openai:tiny", "--base-url", "http://127.0.0.1:9/v1", "--world", "{village}", "--tasks", "{fresh}",
        "--split", "test_seen", "--dry-run",
    ),
    "calibrate": ("{run}", "--world", "{village}", "--tasks", "{fresh}", "--risk", "0.9", "--confidence", "0.1",
        "--check", "1"),
    "listen: an agent": ("{run}", "--split", "test_seen", "--says", "usual", "--json", "{out}/l.json"),
    "episodes export: what is seen": (
        "{run}", "--world", "{village}", "--tasks", "{fresh}", "--split", "test_seen", "--limit", "1",
        "--format", "parquet", "--out", "{out}/data",
    ),
    "speaker": (
        "{out}/s.safetensors", "--world", "{village}", "--iterations", "2", "--batch", "4", "--width", "8",
        "--tried", "4",
    ),
    "tasks make": ("{village}", "{out}/tasks", "--fewest", "1", "--size", "1"),
    "world make": ("{out}/world", "--houses", "3", "--shard", "1/3", "--workers", "1"),
    "features make": ("{copied_lodge}", "--encoder", "pixels", "--size", "32x32", "--workers", "1"),
    "features make: of one's own": ("{copied_lodge}", "--encoder", "examples.encoder:Colours", "--workers", "1"),
    "features check": ("{village}", "--encoder", "some"),
    "features reduce": ("{copied_village}", "--encoder", "some", "--size", "2"),
    "features export": ("{village}", "{out}/f.tsv", "--encoder", "some"),
    "features import": ("{copied_village}", "{file}", "--name", "theirs"),
    "features probe": ("{village}", "--encoder", "some", "--views", "100"),
    "tasks stats": ("{both}", "--task", "asknav"),
    "world export": ("{village}", "{out}/files"),
    "world show": ("{village}",),
    "world set": ("{copied_village}",),
    "world import matterport": ("{files}", "{out}/world"),
    "world import json": ("examples/world.json", "{out}/world"),
    "world import from": ("examples.world_source:Hotels", "{out}/world"),
    "walk": ("--out", "{out}"),
    "list": (),
    "study power": ("--difference", "10", "--tasks", "4"),
}  # fmt: skip
"""What each command is run with; what an option says in `DIFFER` comes after it. A command may be run in several ways, each
of which is named after a colon."""
PAINTED = "examples.pictures:Painted"
METRIC = "examples.metric:steps_after_help"
DIFFER: dict[str, dict[str, tuple[str, str]]] = {
    "evaluate": {
        "--split": ("", "--split test_unseen"), "--seeds": ("", "--seeds 2"), "--subset": ("", "--subset 3"),
        "--help-policy": ("", "--help-policy none"), "--ratio": ("--ratio 0", "--ratio 1"), "--k": ("--k 1", "--k 3"),
        "--tasks": ("", "--tasks {other}"), "--world": ("", "--world {nowhere}"),
        "--checkpoint": ("", "--checkpoint last"), "--json": ("", "--json {out}/more.json"),
        "--csv": ("", "--csv {out}/more.csv"), "--npz": ("", "--npz {out}/npz"),
        "--results": ("", "--results {out}/results"), "--metric": ("", f"--metric {METRIC}"),
        "--advisor-language": ("--results {out}/r", "--results {out}/r --advisor-language grammar"),
        "--advisor-option": (
            "--results {out}/r --advisor-language grammar --advisor-option says=landmarks",
            "--results {out}/r --advisor-language grammar --advisor-option says=synonyms",
        ),
    },
    "evaluate: a chat model": {"--observe": ("", "--observe text")},
    "score": {
        "--split": ("", "--split test_unseen"), "--world": ("", "--world {nowhere}"), "--tasks": ("", "--tasks {other}"),
        "--csv": ("", "--csv {out}/e.csv"), "--json": ("", "--json {out}/more.json"), "--schema": ("", "--schema"),
        "--metric": ("", f"--metric {METRIC}"),
    },
    "compare": {
        "--split": ("", "--split test_unseen"), "--world": ("", "--world {nowhere}"), "--tasks": ("", "--tasks {other}"),
        "--json": ("", "--json {out}/more.json"), "--out": ("", "--out {out}/report"),
        "--metric": ("", f"--metric {METRIC}"), "--lenient": ("c={wrong} --lenient", "c={wrong}"),
    },
    "ceilings": {
        "--split": ("", "--split test_unseen"), "--limit": ("", "--limit 3"), "--seeds": ("", "--seeds 2"),
        "--schedules": ("", "--schedules 8"), "--states": ("", "--states 2"), "--ratio": ("--ratio 0", "--ratio 1"),
        "--tasks": ("", "--tasks {other}"), "--world": ("", "--world {nowhere}"), "--checkpoint": ("", "--checkpoint last"),
        "--json": ("", "--json {out}/more.json"),
    },
    "watch": {
        "--split": ("", "--split test_unseen"), "--tasks": ("", "--tasks {other}"), "--world": ("", "--world {nowhere}"),
        "--checkpoint": ("", "--checkpoint last"),
    },
    "advice say": {
        "--count": ("", "--count 9"), "--seed": ("--seed 1", "--seed 2"), "--k": ("--k 1", "--k 3"),
        "--advisor-language": ("", "--advisor-language template"), "--out": ("", "--out {out}/a.html"),
        "--advisor-option": ("--advisor-option says=synonyms", "--advisor-option says=landmarks"),
        "--split": ("", "--split nope"),
    },
    "listen": {
        "--split": ("", "--split test_unseen"), "--says": ("", "--says mirrored"),
        "--json": ("", "--json {out}/more.json"), "--tasks": ("", "--tasks {other}"),
        "--world": ("", "--world {nowhere}"), "--subset": ("", "--subset 2"),
    },
    "listen: an agent": {
        "--seeds": ("", "--seeds 0"), "--reference": ("", "--reference {rival}"),
        "--checkpoint": ("", "--checkpoint last"),
    },
    "calibrate": {"--other-world": ("", "--other-world {nowhere}"), "--checkpoint": ("", "--checkpoint last")},
    "episodes export": {
        "--split": ("", "--split test_unseen"), "--limit": ("", "--limit 2"), "--ratio": ("--ratio 0", "--ratio 1"),
        "--format": ("", "--format parquet"), "--tasks": ("", "--tasks {other}"),
        "--checkpoint": ("", "--checkpoint last"), "--seed": ("--ratio 0.3 --seed 1", "--ratio 0.3 --seed 2"),
        "--out": ("", "--out {out}/elsewhere"), "--world": ("", "--world {nowhere}"),
    },
    "episodes export: what is seen": {
        "--observations": ("", "--observations poses"),
        "--features": ("--observations features --features symbolic", "--observations features --features some"),
        "--size": ("--observations pictures", "--observations pictures --size 32x24"),
    },
    "speaker": {
        "--iterations": ("", "--iterations 3"), "--batch": ("", "--batch 5"), "--k": ("", "--k 2"),
        "--learning-rate": ("", "--learning-rate 0.1"), "--width": ("", "--width 12"), "--tried": ("", "--tried 6"),
        "--seed": ("", "--seed 1"), "--world": ("", "--world {nowhere}"),
    },
    "tasks make": {"--splits": ("", "--splits {splits}"), "--fewest": ("", "--fewest 4")},
    "tasks stats": {"--task": ("--json", "--json --task noroom")},
    "world make": {
        "--seed": ("", "--seed 1"), "--preset": ("--rooms 8..9", "--rooms 8..9 --preset paper"),
        "--storeys": ("--storeys 1..1", "--storeys 2..2"), "--rooms": ("--rooms 8..9", "--rooms 14..16"),
        "--area": ("--area 90..100", "--area 150..180"), "--json": ("", "--json"),
        "--programme": ("--programme home", "--programme workplace"),
        "--mirrored": ("--shard 2/3", "--shard 2/3 --mirrored"),
    },
    "world export": {"--json": ("", "--json")},
    "world show": {
        "--house": ("", "--house second"), "--pictures": ("", "--pictures {out}/pictures"), "--json": ("", "--json"),
    },
    "world set": {
        "--pictures": ("", "--pictures default"), "--features": ("", "--features some"), "--json": ("", "--json"),
        "--option": (f"--pictures {PAINTED}", f"--pictures {PAINTED} --option contrast=0"),
    },
    "world import matterport": {
        "--connectivity": ("", "--connectivity {nowhere}"), "--scans": ("", "--scans {nowhere}"),
        "--scan": ("", "--scan second"), "--json": ("", "--json"),
    },
    "world import json": {"--pictures": ("", "--pictures {nowhere}"), "--json": ("", "--json")},
    "world import from": {"--option": ("", "--option rooms=8"), "--json": ("", "--json")},
    "features make": {
        "--encoder": ("", "--encoder pictures"), "--name": ("", "--name mine"), "--size": ("", "--size 40x32"),
        "--shard": ("", "--shard 1/1"), "--weights": ("", "--weights {nowhere}"), "--views": ("", "--views level"),
    },
    "features make: of one's own": {"--encoder-option": ("", "--encoder-option bins=3")},
    "features check": {"--encoder": ("", "--encoder other"), "--json": ("", "--json")},
    "features reduce": {"--encoder": ("", "--encoder other"), "--size": ("", "--size 3"), "--json": ("", "--json")},
    "features export": {"--encoder": ("", "--encoder other"), "--json": ("", "--json")},
    "features import": {
        "--name": ("", "--name ours"), "--columns": ("", "--columns 2"), "--views": ("", "--views level"),
        "--json": ("", "--json"),
    },
    "features probe": {
        "--encoder": ("", "--encoder other"), "--views": ("", "--views 300"), "--seed": ("", "--seed 1"),
        "--json": ("", "--json"),
    },
    "walk": {
        "--task": ("", "--task 1"), "--seed": ("", "--seed 1"), "--house": ("{village}", "{village} --house nowhere"),
        "--tasks": ("{world}", "{world} --tasks {tasks}"), "--out": ("", "--out {out}/maps"),
    },
    "list": {"--json": ("", "--json")},
    "study power": {
        "--success": ("", "--success 60"), "--difference": ("", "--difference 12"), "--tasks": ("", "--tasks 5"),
        "--spread": ("", "--spread 30"), "--correlation": ("", "--correlation 0.9"), "--level": ("", "--level 0.01"),
        "--chance": ("", "--chance 0.95"), "--cells": ("", "--cells 7"),
    },
}  # fmt: skip
GUESTS, SCORE, CALIBRATE = "cli/test_guests.py", "cli/test_score.py", "cli/test_calibrate.py"
TUNE, MCP = "cli/test_tune.py", "remote/test_mcp_command.py"
LISTEN, MAKE, SHARDS, WATCH = (
    "cli/test_listen.py",
    "cli/test_tasks.py",
    "pipeline/shards/test_commands.py",
    "cli/test_watch.py",
)
EVALUATE, CHAT, CALLER, WALK = "cli/test_evaluate.py", "remote/test_chat.py", "remote/test_caller.py", "remote/test_walk.py"
WIRING, TRAIN, POWER = "training/test_wiring.py", "cli/test_train.py", "serve/study/test_power.py"
STUDY, SERVE, BENCH, HERE = "serve/study/test_commands.py", "cli/test_serve.py", "cli/test_bench.py", "cli/test_effects.py"
PAPER, BEYOND, FORWARD = "cli/test_paper.py", "cli/test_beyond.py", "test_forward.py"
PARTS_OF_PAPER = "experiments/paper/test_parts.py"
OF_A_RUN = (
    "--features", "--help-policy", "--help-option", "--agent", "--agent-option", "--sensor", "--feature-dropout", "--fold",
    "--timed", "--objective", "--objective-option", "--begins-with", "--iterations", "--batch", "--learning-rate",
    "--cooldown", "--weight-decay", "--dropout", "--hidden", "--layers", "--ratio", "--k", "--advisor", "--advisor-language",
    "--advisor-option", "--easy", "--following", "--practice", "--strange", "--anywhere", "--contrast",
    "--rules", "--deviation", "--uncertainty",
    "--non-moving", "--forward", "--beta", "--keeps-ended", "--validate-every", "--precision", "--seed",
)  # fmt: skip
BENCHMARK = "cli/test_benchmark.py"
OF_ASKED = dict.fromkeys(
    (
        "--agent-option", "--timeout", "--retries", "--give-up", "--max-wait", "--key-variable", "--base-url", "--observe",
        "--replies", "--prompt", "--max-calls", "--max-tokens",
    ),
    f"{BENCHMARK}::test_the_options_of_a_chat_model_reach_it",
)  # fmt: skip
ELSEWHERE: dict[str, dict[str, str]] = {
    "demo": {
        "--encoder": f"{PAPER}::test_the_demo_is_trained_on_the_features_of_the_encoder_that_was_chosen",
        **dict.fromkeys(
            ("--make-features", "--seed"), f"{PAPER}::test_features_that_do_not_come_with_the_package_are_made"
        ),
    },
    "advice export": {"--record": "serve/test_contributions.py::test_the_command"},
    "train": {
        **dict.fromkeys(OF_A_RUN, f"{WIRING}::test_an_option_of_the_command_is_in_the_configuration"),
        **dict.fromkeys(
            ("--world", "--tasks"), f"{TRAIN}::test_what_is_wrong_is_said_in_one_line_and_leaves_nothing"
        ),
        "--variant": f"{TRAIN}::test_variants_have_options_of_their_own",
        "--shard": f"{SHARDS}::test_a_grid_of_trainings_and_its_evaluations",
    },
    "paper": {
        **dict.fromkeys(("--preset", "--world", "--features"), f"{PAPER}::test_wrong_input_is_one_line"),
        **dict.fromkeys(
            ("--only", "--gather", "--allow-uncommitted", "--pack"), f"{PARTS_OF_PAPER}::test_wrong_parts_are_one_line"
        ),
    },
    "beyond": {
        **dict.fromkeys(
            (
                "--preset", "--arm", "--trainings", "--iterations", "--learned-iterations", "--precision", "--ceilings",
                "--seed",
            ),
            f"{BEYOND}::test_options_reach_the_plan_and_the_command_is_noted",
        ),
        **dict.fromkeys(("--world", "--features"), f"{BEYOND}::test_wrong_input_is_one_line"),
        **dict.fromkeys(
            ("--houses", "--mirrored"), "experiments/beyond/test_training_houses.py::test_the_plan_of_the_command"
        ),
    },
    "serve": {
        **dict.fromkeys(
            ("--public", "--name", "--proxy", "--keep", "--visitors", "--per-address"),
            f"{SERVE}::test_the_public_is_believed_by_its_proxy_alone",
        ),
        "--port": f"{SERVE}::test_a_port_that_is_taken_is_named",
        "--world": f"{SERVE}::test_what_cannot_be_served_ends_with_a_line",
    },
    "benchmark make": {
        **dict.fromkeys(("--preset", "--houses", "--json"), f"{BENCHMARK}::test_the_houses_are_those_that_were_published"),
        "--encoder": f"{BENCHMARK}::test_a_trained_agent_enters_with_features_of_its_own_houses",
    },
    "benchmark run": {
        **dict.fromkeys(
            ("--name", "--author", "--summary", "--trained", "--card", "--beacon", "--key", "--preset", "--houses"),
            f"{BENCHMARK}::test_an_entry_is_made_signed_and_verified",
        ),
        **dict.fromkeys(
            ("--help-policy", "--help-option"), f"{BENCHMARK}::test_a_trained_agent_enters_with_features_of_its_own_houses"
        ),
        "--forward": f"{BENCHMARK}::test_plain_forward_is_another_track",
        "--common-only": f"{BENCHMARK}::test_a_reference_line_may_have_the_common_houses_alone",
        "--file": f"{BENCHMARK}::test_what_decides_how_a_policy_acts_is_in_its_digest",
        "--on-error": f"{BENCHMARK}::test_a_wrong_answer_ends_the_episode_where_that_is_wanted",
        **OF_ASKED,
    },
    "benchmark draw": {
        **dict.fromkeys(
            ("--kind", "--beacon", "--preset", "--houses"), f"{BENCHMARK}::test_a_digest_draws_houses_and_a_beacon_others"
        ),
        **dict.fromkeys(("--help-policy", "--help-option", "--on-error"), f"{BENCHMARK}::test_what_is_wrong_is_one_line"),
        "--forward": f"{BENCHMARK}::test_plain_forward_is_another_track",
        "--file": f"{BENCHMARK}::test_what_decides_how_a_policy_acts_is_in_its_digest",
        **OF_ASKED,
    },
    "benchmark verify": {
        **dict.fromkeys(
            ("--houses", "--rerun", "--agent", "--json"), f"{BENCHMARK}::test_an_entry_is_made_signed_and_verified"
        ),
        **dict.fromkeys(("--help-policy", "--help-option", "--on-error"), f"{BENCHMARK}::test_what_is_wrong_is_one_line"),
        "--forward": f"{BENCHMARK}::test_plain_forward_is_another_track",
        "--file": f"{BENCHMARK}::test_what_decides_how_a_policy_acts_is_in_its_digest",
        **OF_ASKED,
    },
    "benchmark pack": {
        **dict.fromkeys(
            ("--kind", "--digest", "--shown", "--around", "--forward", "--name", "--preset", "--houses"),
            f"{BENCHMARK}::test_results_of_a_container_are_packed",
        ),
        **dict.fromkeys(
            ("--author", "--summary", "--trained", "--card", "--beacon", "--key"),
            f"{BENCHMARK}::test_an_entry_is_made_signed_and_verified",
        ),
    },
    "benchmark board": dict.fromkeys(("--out", "--houses", "--beacons"), f"{BENCHMARK}::test_entries_become_a_board"),
    "benchmark sign": {"--key": f"{BENCHMARK}::test_an_entry_is_made_signed_and_verified"},
    "mcp": {
        **dict.fromkeys(
            (
                "--world", "--tasks", "--split", "--subset", "--seed", "--observe", "--picture-width", "--ratio", "--k",
                "--advisor-language", "--advisor-option", "--forward",
            ),
            f"{MCP}::test_options_reach_what_is_offered",
        ),
        "--out": f"{MCP}::test_a_whole_walk_over_stdio_and_a_process_that_is_killed",
        **dict.fromkeys(
            ("--http", "--allow-host"), f"{MCP}::test_requests_for_other_hosts_and_from_pages_of_others_are_refused"
        ),
    },
    "study new": {
        **dict.fromkeys(
            ("--conditions", "--each", "--practice", "--catch"), f"{STUDY}::test_a_new_study_has_what_its_readme_says"
        ),
        **dict.fromkeys(("--split", "--world"), f"{STUDY}::test_a_study_that_cannot_be_made"),
        "--passes": "serve/study/test_process.py::test_from_new_to_numbers",
    },
    "study serve": {"--port": f"{STUDY}::test_a_port_that_is_taken"},
    "study rehearse": dict.fromkeys(("--out", "--people"), f"{STUDY}::test_a_rehearsal_reads_like_a_study"),
    "study export": dict.fromkeys(
        ("--out", "--skip-damaged"), "serve/study/test_export.py::test_the_command_refuses_damaged_records_or_names_them"
    ),
    "bench compare": {
        "--tolerance": f"{BENCH}::test_compare_marks_what_got_slower_and_says_so_in_the_exit_status",
    },
    **{
        f"bench {name}": {"--json": f"{BENCH}::test_a_benchmark_prints_a_table_and_writes_what_it_measured"}
        for name in ("world", "train", "evaluate")
    },
    "world import matterport": {"--verbose": "cli/test_world.py::test_import_groups_notes_and_lists_them_when_asked"},
    "features make": {
        **dict.fromkeys(("--seed", "--half"), f"{HERE}::test_an_encoder_is_made_with_what_was_asked_for"),
        "--json": "vision/test_probe.py::test_make_and_probe_commands",
    },
    "tasks stats": dict.fromkeys(("--figures", "--json"), f"{MAKE}::test_json"),
    "evaluate": {
        "--agent": f"{GUESTS}::test_a_script_has_a_table_and_files",
        "--help-option": f"{EVALUATE}::test_an_option_of_the_help_policy_is_given_and_said",
        "--forward": f"{FORWARD}::test_a_run_keeps_its_rule_and_is_evaluated_by_it_or_another",
        "--agent-option": f"{GUESTS}::test_the_planner_takes_options",
        "--sweep": f"{EVALUATE}::test_success_against_help_is_drawn", "--threads": f"{EVALUATE}::test_so_many_threads",
        "--shard": f"{SHARDS}::test_a_grid_of_trainings_and_its_evaluations",
        "--out": f"{GUESTS}::test_without_out_it_is_kept_where_it_was_run",
        "--prompt": f"{GUESTS}::test_a_prompt_of_ones_own", "--dry-run": f"{GUESTS}::test_a_chat_model",
        "--recorded": "serve/study/test_study.py::test_a_whole_study",
        **dict.fromkeys(("--timeout", "--key-variable"), f"{HERE}::test_an_agent_is_called_as_was_asked_for"),
        "--base-url": f"{GUESTS}::test_a_chat_model", "--on-error": f"{WALK}::test_or_it_ends_the_episode",
        "--max-wait": f"{GUESTS}::test_a_busy_server_is_no_error_and_one_that_stays_so_is_one_line",
        "--replies": "remote/test_replies.py::test_a_form_that_was_asked_for_is_the_one",
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
    "episodes export": {"--forward": f"{FORWARD}::test_recordings_of_the_teacher_go_by_the_rule_and_say_so"},
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
    "tune": {
        **dict.fromkeys(("--limit", "--seeds", "--json"), f"{TUNE}::test_what_is_chosen_is_kept_and_used"),
        "--help-policy": f"{TUNE}::test_another_help_policy_can_be_chosen",
        "--grid": f"{TUNE}::test_values_of_ones_own_are_tried",
        **dict.fromkeys(("--split", "--checkpoint"), f"{TUNE}::test_where_and_with_whom_it_is_chosen"),
    },
    "watch": {
        "--episode": f"{WATCH}::test_an_episode_is_told_in_its_own_house",
        "--seed": f"{WATCH}::test_the_seed_is_that_of_the_help_budget",
        "--ratio": f"{WATCH}::test_an_episode_has_the_budget_that_was_asked_for",
        "--out": f"{EVALUATE}::test_watching_draws_what_it_tells",
        "--forward": f"{FORWARD}::test_a_run_keeps_its_rule_and_is_evaluated_by_it_or_another",
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
    "world import json": {"--strict": "houses/test_plain.py::test_what_is_odd_is_a_line_of_each_kind_or_refused"},
    "world make": {
        **dict.fromkeys(
            ("--houses", "--train", "--dev", "--test"), "cli/test_world.py::test_as_many_houses_are_made_as_are_wanted"
        ),
        "--shard": f"{SHARDS}::test_a_world_of_shards_is_that_of_one_machine",
        "--style": "houses/generate/test_wishes.py::test_a_world_of_wishes_can_be_made_again",
    },
}  # fmt: skip
ANYWHERE = {
    "--device": "the same numbers come out of every device; a name that is wrong is refused",
    "--threads": "the same numbers come out of however many",
    "--workers": "the same files come out of however many",
    "--cores": "the same files come out of however many",
}
"""Options that change nothing in any command, and why."""
NONE: dict[str, dict[str, str]] = {
    "evaluate": {"--concurrency": "the same answers come out of however many calls at a time"},
    **{
        command: {"--concurrency": "the same answers come out of however many calls at a time"}
        for command in ("benchmark run", "benchmark draw", "benchmark verify")
    },
    "features make": {"--batch": "the same features come out of every batch"},
    "watch": {
        "--video": "needs ffmpeg",
        "--ask": "is about a person at a terminal",
        "--price": "is about a person at a terminal",
    },
    "train": {"--eager": "the same agent comes out of it", "--feature-cache": "the same agent comes out of every size"},
    "world export": {"--format": "there is one format; another name is refused"},
    "serve": {"--no-open": "is about a browser"},
    "study serve": {"--no-open": "is about a browser"},
    **{command: {"--peers": "is about a network", "--cluster": "is about a cluster", "--wait": "is about when it returns"}
        for command in ("paper", "beyond")},
}  # fmt: skip
"""Options that change nothing in a command, and why."""
OPEN: dict[str, set[str]] = {
    "paper": {"--table", "--iterations", "--validate-every", "--precision", "--seed", "--shard"},
    "beyond": {"--validate-every", "--fresh", "--sweep", "--limit", "--beside", "--shard"},
    "serve": {"--tasks", "--host", "--record", "--beside", "--collect-advice"},
    "features probe": {"--drawn"},
    "study new": {"--arrangement", "--tasks", "--groups", "--seed"},
    "study serve": {"--host", "--name"},
    "study rehearse": {"--seed"},
    "bench all": {"--seed", "--quick", "--json"},
    "bench world": {"--houses", "--seed", "--seconds"},
    "bench tasks": {"--preset", "--seed", "--json"},
    "bench render": {"--viewpoints", "--seed", "--seconds", "--json"},
    "bench train": {
        "--batch", "--hidden", "--view-size", "--precision", "--eager", "--iterations", "--agent", "--agent-option",
        "--sensor", "--objective", "--advisor-language", "--practice", "--seconds", "--seed",
    },
    "bench evaluate": {"--points", "--seeds", "--hidden", "--view-size", "--precision", "--seed"},
    "bench scale": {
        "--entries", "--houses", "--cache", "--processes", "--batch", "--hidden", "--view-size", "--iterations", "--folder",
        "--cluster", "--seed", "--json",
    },
    "bench serve": {"--world", "--tasks", "--visitors", "--seconds", "--modes", "--hostile", "--seed", "--json"},
    "bench compare": {"--any-machine"},
}  # fmt: skip
"""Options whose effect no test shows through the command; each that is mended leaves this list."""


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_has_an_effect_that_a_test_shows_or_a_reason_why_not(command: str) -> None:
    options = {each.opts[0] for each in COMMANDS[command].params if each.opts[0].startswith("--")}
    differ = {option for way, each in DIFFER.items() if command_of(way) == command for option in each}
    shown, none, still = {*differ, *ELSEWHERE.get(command, {})}, {*NONE.get(command, {})}, OPEN.get(command, set())
    assert options - shown - none - still - ANYWHERE.keys() == set(), "put these into one of the tables"
    assert (shown | none | still) - options == set(), "these are no options of it"
    assert (shown & still, shown & none, none & still) == (set(), set(), set())


@pytest.mark.parametrize("words", [("--observations", "poses"), ("--features", "symbolic"), ("--size", "32x24")])
def test_the_authors_json_has_no_use_for_what_is_seen(vnla: Vnla, tmp_path: Path, words: tuple[str, str]) -> None:
    answer = vnla("episodes", "export", "teacher", "--format", "json", "--out", tmp_path / "data", *words)
    assert answer.status == 2
    assert answer.err == f"vnla: error: {words[0]}: the authors' JSON holds poses alone; try --format parquet\n"


def test_the_tables_are_of_commands() -> None:
    assert {*map(command_of, DIFFER), *ELSEWHERE, *NONE, *OPEN} <= COMMANDS.keys()
    assert DIFFER.keys() <= BASES.keys()


@pytest.mark.parametrize("place", sorted({place for each in ELSEWHERE.values() for place in each.values()}))
def test_the_tests_that_are_named_exist(place: str) -> None:
    file, name = place.split("::")
    assert f"def {name}(" in (Path(__file__).parents[1] / file).read_text()


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    return places_in(tmp_path_factory.mktemp("effects"))


def places_in(folder: Path) -> dict[str, object]:
    """A run of two cottages, what it did, and a data set whose tasks are fewer; test_unseen is in one house.

    And a village of three others, whose rooms are painted, with tasks of its own.
    """
    world, tasks = write_cottage(folder, houses=2)
    (tasks / "asknav_test_unseen.json").write_text(json.dumps(cottage_records("cottage1")[1:5]))
    other = shutil.copytree(tasks, folder / "other")
    for file in other.iterdir():
        file.write_text(json.dumps(json.loads(file.read_text())[3:5]))
    run, results, rival = folder / "run", folder / "results", folder / "rival"
    for words in (
        ("train", run, "--world", world, "--tasks", tasks, *RUN, "--seed", 1),
        ("train", rival, "--world", world, "--tasks", tasks, *RUN, "--seed", 0),
        ("evaluate", run, "--split", "test_seen", "--seeds", 1, "--results", results),
    ):
        do(*words)
    shutil.copy(rival / LAST, run / LAST)  # its last checkpoint does something else than its best ones
    records = json.loads((results / "test_seen.json").read_text())
    records[2]["trajectory"][1][0] = "attic"
    (wrong := folder / "wrong.json").write_text(json.dumps(records))
    where = {"run": run, "rival": rival, "world": world, "tasks": tasks, "other": other, "results": results, "wrong": wrong}
    return {**where, **village_in(folder), "nowhere": folder / "nowhere"}


def village_in(folder: Path) -> dict[str, object]:
    names, village, fresh, lodge = ["first", "second", "third"], folder / "village", folder / "fresh", folder / "lodge"
    parts = dict(zip(("train", "dev", "test"), ([name] for name in names), strict=True))
    houses = [replace(cottage(), name=name) for name in names]
    write_world(village, houses, source="drawn", splits=parts)
    write_world(lodge, houses[:1], source="drawn", splits={"train": names[:1]})
    for world in (village, lodge):
        do("world", "set", world, "--pictures", PAINTED)
    both = folder / "both"
    fresh.mkdir()
    both.mkdir()
    for split in SPLITS:
        records = cottage_records(*names)
        (fresh / f"asknav_{split}.json").write_text(json.dumps(records[::2]))
        (both / f"noroom_{split}.json").write_text(json.dumps(records[:9]))
        (both / f"asknav_{split}.json").write_text(json.dumps(records))
    (folder / "splits.json").write_text(json.dumps({part: parts[name] for part, name in PARTS.items()}))
    for number, name in enumerate(("some", "other")):
        write_features(village, name, number)
    do("features", "export", village, folder / "f.tsv", "--encoder", "some")
    do("world", "export", village, folder / "files")
    where = {"village": village, "fresh": fresh, "both": both, "lodge": lodge, "splits": folder / "splits.json"}
    return {**where, "file": folder / "f.tsv", "files": folder / "files"}


def write_features(world: Path, name: str, seed: int) -> None:
    """Four numbers of every view, of nothing in particular."""
    folder = read_world(world)
    places = viewpoints_of(World.compile(folder.houses))
    header = Header(name, "v1", 4, Size(64, 48), 60.0, world_checksum(folder), places)
    with StoreWriter(store_path(world, name), header, durable=False) as store:
        store.write(0, np.random.default_rng(seed).random((len(places), VIEWS, 4)))
        store.finish()


def do(*words: object) -> None:
    with pytest.raises(SystemExit) as left:
        cli.main([str(word) for word in words])
    assert left.value.code == 0, words


def command_of(way: str) -> str:
    """The command that is run in this way."""
    return way.partition(":")[0]


def outcome(vnla: Vnla, command: str, words: str, places: dict[str, object], out: Path) -> dict[str, object]:
    """All that is printed and written, less what only repeats what was asked for."""
    out.mkdir()
    copies = {f"copied_{name}": out / name for name in ("village", "lodge")}
    for name, copy in copies.items():
        if f"{{{name}}}" in BASES[command]:
            shutil.copytree(str(places[copy.name]), copy)
    given = [word.format(**places, **copies, out=out) for word in (*BASES[command], *words.split())]
    answer = vnla(*command_of(command).split(), *given)
    written = [path for path in out.rglob("*") if path.is_file() and path.name != "shard.json"]
    files = {str(path.relative_to(out)): path.read_bytes() for path in written}
    return {"status": answer.status, "out": answer.out, **files}


LONG = {"features make", "features make: of one's own", "speaker", "ceilings", "calibrate", "walk", "world make"}
"""Commands with so many options, or such long ones, that trying them all takes six seconds to a quarter of a minute each."""


@pytest.mark.parametrize("command", [pytest.param(each, marks=[pytest.mark.slow] * (each in LONG)) for each in DIFFER])
def test_each_option_changes_what_comes_out(
    vnla: Vnla, command: str, places: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)  # for the examples
    found: dict[str, dict[str, object]] = {}
    for option, (one, other) in DIFFER[command].items():
        for words in (one, other):
            if words not in found:
                out = tmp_path / "out"
                found[words] = outcome(vnla, command, words, places, out)
                shutil.rmtree(out)
        assert found[one]["status"] == 0, (option, one)
        assert found[one] != found[other], f"{command} {option}: {one or 'without it'} and {other} do the same"
    words = "" if "" in found else next(iter(found))
    assert outcome(vnla, command, words, places, tmp_path / "out") == found[words], "the same words do the same"


def test_an_encoder_is_made_with_what_was_asked_for(
    vnla: Vnla, places: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which is a large network where there is a seed to it, and another precision where there is a GPU."""
    made: list[EncoderOptions] = []

    def make(_name: str, options: EncoderOptions, _own: object) -> NoReturn:
        made.append(options)
        raise InputError("enough")

    monkeypatch.setattr("vnla.vision.encoders.make_encoder", make)
    for words in ((), ("--seed", 7), ("--half",)):
        assert vnla("features", "make", places["lodge"], "--encoder", "random", *words).status == 2
    assert [(each.seed, each.half) for each in made] == [(0, False), (7, False), (0, True)]


def test_an_agent_is_called_as_was_asked_for(
    vnla: Vnla, places: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the key of the variable that is named, and as long as it may take."""
    monkeypatch.setenv("KEY_OF_A_TEST", "sk-other")
    where = ("--world", places["world"], "--tasks", places["tasks"], "--split", "test_seen", "--subset", 1)
    late = agent(lambda value: Say.json({"action": "stop"}, after=1.0 if value["step"] == 0 else 0.0))
    errors = {}
    for seconds in (0.2, 60):
        with serving(late) as server:
            words = (
                "--key-variable",
                "KEY_OF_A_TEST",
                "--timeout",
                seconds,
                "--retries",
                0,
                "--out",
                tmp_path / str(seconds),
            )
            answer = vnla("evaluate", "--agent", server.url, *where, *words)
            assert server.seen and all(headers["Authorization"] == "Bearer sk-other" for _, _, headers in server.seen)
            errors[seconds] = "answers: none" not in answer.out
    assert errors == {0.2: True, 60: False}
