"""A run's configuration: what it refuses, and where it says its world is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from vnla.agents.config import AgentConfig
from vnla.assistance.advisor import TemplateAdvisor
from vnla.assistance.help_teacher import HelpTeacher
from vnla.assistance.registry import help_policy
from vnla.common.errors import InputError
from vnla.training.config import RunConfig, TrainingConfig, found_from, seen_from
from vnla.training.options import AdvisorOptions, ImitationOptions, TeacherOptions
from vnla.world.budgets import HELP_RATIO, SUBGOAL_ACTIONS


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"learning_rate": -1.0}, "learning rate -1.0"),
        ({"learning_rate": 0.0}, "learning rate 0.0"),
        ({"learning_rate": float("nan")}, "learning rate nan"),
        ({"weight_decay": -1.0}, "weight decay -1.0"),
        ({"precision": "float8"}, "precision float8: unknown; choose from float32, tf32, bfloat16"),
    ],
)
def test_numbers_that_nothing_can_be_trained_with(wrong: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        TrainingConfig(**wrong)


def test_places_are_noted_from_the_run_where_they_may_move_with_it(tmp_path: Path) -> None:
    run, world = tmp_path / "runs" / "one", tmp_path / "worlds" / "small"
    config = RunConfig(world=str(world), tasks="/elsewhere/tasks")
    run.mkdir(parents=True)
    (run / "config.json").write_text(config.text(run))
    saved = json.loads((run / "config.json").read_text())
    assert saved["world"] == "../../worlds/small"
    assert saved["tasks"] == "/elsewhere/tasks"  # nothing but the root holds both
    assert RunConfig.read(run / "config.json") == config
    (tmp_path / "runs").rename(tmp_path / "moved")
    assert RunConfig.read(tmp_path / "moved" / "one" / "config.json") == config


def test_a_link_to_a_run_finds_the_same_world(tmp_path: Path) -> None:
    run, world = tmp_path / "disk" / "runs" / "one", tmp_path / "disk" / "world"
    run.mkdir(parents=True)
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "runs").symlink_to(tmp_path / "disk" / "runs")
    linked = tmp_path / "here" / "runs" / "one"
    assert seen_from(linked, str(world)) == seen_from(run, str(world)) == "../../world"
    assert found_from(linked, "../../world") == str(world)


def test_absolute_and_empty_places_stay_as_they_are(tmp_path: Path) -> None:
    assert found_from(tmp_path, "/data/world") == "/data/world"
    assert found_from(tmp_path, "") == seen_from(tmp_path, "") == ""


ODD = (None, True, -1, 0, 1.5, "7", "", [], {}, [1], {"x": 1}, 1e999, 10**400, -(10**400), "\ud800")


def test_a_configuration_with_an_odd_value_is_refused_in_one_line_or_sound(tmp_path: Path) -> None:
    """Whatever stands in the place of a value: nothing but `InputError` comes, and what is taken is what is declared."""
    path = tmp_path / "config.json"
    whole = json.loads(RunConfig(world="w", tasks="t", help_policy="imitation", help_options={"beta": 0.5}).text(tmp_path))
    places = [(name,) for name in whole] + [
        (name, each) for name in ("training", "advisor", "teacher", "help_options") for each in whole[name]
    ]
    refused = 0
    for place in places:
        for odd in ODD:
            value = json.loads(json.dumps(whole))
            inner = value if len(place) == 1 else value[place[0]]
            inner[place[-1]] = odd
            path.write_text(json.dumps(value))
            try:
                config = RunConfig.read(path)
            except InputError as error:
                assert "\n" not in str(error)
                refused += 1
            else:
                training = config.training
                assert 1 <= training.batch <= 10**6 and type(training.batch) is type(config.validate_every) is int
                assert all(isinstance(each, str) for each in (config.world, config.tasks, config.features, config.agent))
    assert refused > 0.8 * len(places) * len(ODD)


@pytest.mark.parametrize(
    "wrong", [{"batch": -1}, {"batch": 0}, {"batch": 10**13}, {"batch": True}, {"iterations": 1.5}, {"ratio": float("nan")}]
)
def test_numbers_that_would_never_end_are_refused(wrong: dict[str, Any]) -> None:
    name = next(iter(wrong))
    with pytest.raises(InputError, match=f"^{name} .*: must be a"):
        TrainingConfig(**wrong)


@pytest.mark.parametrize(
    "wrong", [{"hidden": 0}, {"hidden": "8"}, {"layers": 10**9}, {"dropout": 1.0}, {"hidden": 10**30}, {"coverage": None}]
)
def test_sizes_that_no_agent_can_have_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=f"^{next(iter(wrong))} .*: must be a"):
        AgentConfig(words=10, **wrong)


def test_a_field_whose_name_has_two_lines_is_told_in_one(tmp_path: Path) -> None:
    """Found by fuzzing."""
    path = tmp_path / "config.json"
    path.write_text(RunConfig("world", "tasks", "symbolic").text(tmp_path).replace("help_options", "help_opti\\ns"))
    with pytest.raises(InputError, match="is not the configuration of a run") as refused:
        RunConfig.read(path)
    assert "help_opti s" in str(refused.value) and len(str(refused.value).splitlines()) == 1


def test_files_with_earlier_names_are_read(tmp_path: Path) -> None:
    config = RunConfig("world", "tasks", "symbolic", sensors="clock", feature_dropout=0.5)
    written = json.loads(config.text(tmp_path))
    assert (written["sensors"], written["feature_dropout"]) == ("clock", 0.5)
    assert "senses" not in written and "veil" not in written
    for names in ({}, {"sensors": "senses", "feature_dropout": "veil"}):
        (tmp_path / "config.json").write_text(json.dumps({names.get(name, name): each for name, each in written.items()}))
        read = RunConfig.read(tmp_path / "config.json")
        assert (read.sensors, read.feature_dropout) == ("clock", 0.5)


def test_defaults_are_those_of_the_parts_that_options_stand_for() -> None:
    assert TrainingConfig().ratio == HELP_RATIO
    assert AdvisorOptions().make() == TemplateAdvisor(k=SUBGOAL_ACTIONS)
    assert HelpTeacher(**vars(TeacherOptions())) == HelpTeacher()
    assert help_policy("imitation", vars(ImitationOptions())) == help_policy("imitation")


@pytest.mark.parametrize("beta", ["often", None, [1]])
def test_a_beta_that_is_no_number_is_one_line(beta: object) -> None:
    with pytest.raises(InputError, match=r"^beta .*: must be a number"):
        RunConfig(help_policy="imitation", help_options={"beta": beta})
