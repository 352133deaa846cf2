"""Which stages the tables need, and what decides whether they are done again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tiny_paper import TINY
from vnla.common.errors import InputError
from vnla.experiments.layout import ExperimentLayout
from vnla.experiments.paper.paper_report import ALL_TABLES, Contents, PaperReport
from vnla.experiments.paper.paper_stages import PaperStages
from vnla.experiments.presets import DEMO, PAPER, SMALL, ExperimentPreset, preset_of
from vnla.pipeline.stages import Stage, StageGraph
from vnla.training.config import TrainingConfig


def stages(
    out: Path,
    preset: ExperimentPreset = SMALL,
    tables: tuple[int, ...] = ALL_TABLES,
    world: Path | None = None,
    device: str = "cpu",
    seed: int = 0,
    peers: bool = True,
) -> dict[str, Stage]:
    contents = Contents("title", tables, peers=peers)
    source = PaperReport(ExperimentLayout.of(out, world), "command", preset, contents, device=device)
    made = PaperStages(source, seed=seed, cores=2).stages()
    return {stage.name: stage for stage in made}


def kind(names: dict[str, Stage], first: str) -> list[str]:
    return [name.removeprefix(f"{first}/") for name in names if name.startswith(f"{first}/")]


def test_all_tables_need_eleven_trainings_and_one_of_ours(tmp_path: Path) -> None:
    made = stages(tmp_path)
    others = ["silent", "noroom-random", "noroom-learned", "rules-ae-2", "rules-ae-4", "rules-ae-8", "rules-bcd"]
    assert kind(made, "train") == ["learned", "none", "first", "random", *others, "spaced"]
    assert kind(made, "tasks") == ["asknav", "noroom"]
    # two test splits for five, one of ours, three, and four agents; three splits for the three of Table 3; one choice of
    # iterations; and two agents that learn nothing on two data sets
    assert len(kind(made, "evaluate")) == 2 * (5 + 1 + 3 + 4) + 3 * 3 + 1 + 2 * 2 * 2
    assert set(made["report"].after) == set(made) - {"report"}
    StageGraph(list(made.values()))


def test_who_asks_as_the_teacher_does_is_the_agent_that_learned_to(tmp_path: Path) -> None:
    stage = stages(tmp_path, tables=(2,))["evaluate/teacher/test_seen"]
    assert stage.given[1].run.name == "learned" and stage.given[1].help_policy == "teacher"
    assert "train/learned" in stage.after


def test_a_table_needs_no_more_than_it_shows(tmp_path: Path) -> None:
    demo = stages(tmp_path, tables=(1, 2), peers=False)
    assert kind(demo, "train") == ["none", "first", "random", "learned"]
    assert kind(stages(tmp_path, tables=(1, 2)), "train") == ["none", "first", "random", "learned", "spaced"]
    assert kind(demo, "tasks") == ["asknav"]
    assert kind(stages(tmp_path, tables=(3,)), "train") == ["silent", "learned"]
    assert kind(stages(tmp_path, tables=(6,)), "train") == ["learned"]
    assert kind(stages(tmp_path, tables=(5,)), "train") == []


def test_who_learns_nothing_waits_for_no_training_and_no_gpu(tmp_path: Path) -> None:
    made = stages(tmp_path, device="cuda")
    assert made["evaluate/planner/test_unseen"].after == ("tasks/asknav",)
    assert made["evaluate/noroom-scripted/test_seen"].after == ("tasks/noroom",)
    assert made["evaluate/planner/test_unseen"].device == ""
    assert not [name for name in stages(tmp_path, tables=(3, 6, 7)) if "planner" in name or "scripted" in name]


def test_stages_of_the_demo_are_those_of_the_paper(tmp_path: Path) -> None:
    demo, paper = (StageGraph(list(stages(tmp_path, tables=tables).values())) for tables in ((1, 2), ALL_TABLES))
    common = demo.fingerprints.keys() - {"report"}
    assert all(demo.fingerprints[name] == paper.fingerprints[name] for name in common)


def test_in_the_demo_two_trainings_continue_learned_after_half_of_its_iterations(tmp_path: Path) -> None:
    """And the two that are compared most stay what they are: they have the configuration of the paper's trainings."""
    demo, alone = (stages(tmp_path, preset, (1, 2), peers=False) for preset in (DEMO, replace(DEMO, continuing=())))
    assert kind(demo, "train") == ["shared", "none", "learned", "first", "random"]
    shared = tmp_path / "runs" / "shared" / "checkpoints" / "225.safetensors"
    for name in ("first", "random"):
        stage, config = demo[f"train/{name}"], demo[f"train/{name}"].given[1]
        assert "train/shared" in stage.after and config.begins_with == str(shared)
        rates = [config.training.rate(each) for each in range(config.training.iterations)]
        assert rates == pytest.approx([SMALL.training.rate(each) for each in range(225, 450)])
    for name in ("none", "learned"):
        assert demo[f"train/{name}"].config == alone[f"train/{name}"].config
    assert demo["train/shared"].given[1].keeps_checkpoints  # that of iteration 225 among them


def test_on_a_gpu_those_that_continue_are_a_job_of_their_own(tmp_path: Path) -> None:
    contents = Contents("title", (1, 2), peers=False)
    source = PaperReport(ExperimentLayout.of(tmp_path), "command", DEMO, contents, device="cuda")
    graph = StageGraph(PaperStages(source).stages())
    jobs = [[each.name for each in graph.joined(graph.stages[f"train/{name}"])] for name in ("learned", "first")]
    assert jobs == [["train/none", "train/learned"], ["train/first", "train/random"]]


def changed(before: dict[str, Stage], after: dict[str, Stage]) -> set[str]:
    """Kinds of stages whose fingerprints differ."""
    old, new = StageGraph(list(before.values())).fingerprints, StageGraph(list(after.values())).fingerprints
    return {name.partition("/")[0] for name in new if new[name] != old.get(name)}


def test_what_is_done_again_when_something_changes(tmp_path: Path) -> None:
    base = stages(tmp_path)
    longer = replace(SMALL, training=replace(SMALL.training, iterations=7))
    assert changed(base, stages(tmp_path, longer)) == {"train", "evaluate", "report"}
    assert changed(base, stages(tmp_path, replace(SMALL, seeds=(1, 2)))) == {"evaluate", "report"}
    assert changed(base, stages(tmp_path, replace(SMALL, fewest=9))) == {"tasks", "train", "evaluate", "report"}
    assert changed(base, stages(tmp_path, seed=1)) == {"world", "features", "tasks", "train", "evaluate", "report"}


def test_nothing_is_done_again_in_another_place_or_on_another_device(tmp_path: Path) -> None:
    base = stages(tmp_path / "here")
    assert changed(base, stages(tmp_path / "there")) == set()
    assert changed(base, stages(tmp_path / "here", device="cuda")) == set()


def test_on_a_gpu_trainings_are_one_job_and_evaluations_take_turns(tmp_path: Path) -> None:
    made = stages(tmp_path, device="cuda")
    trainings = [stage for name, stage in made.items() if name.startswith("train/")]
    assert {stage.joint for stage in trainings} == {trainings[0].joint} != {None}
    assert all(stage.device == "cuda" for name, stage in made.items() if name.startswith(("train/", "evaluate/learned")))


def test_a_world_of_ones_own_is_neither_made_nor_encoded(tmp_path: Path) -> None:
    made = stages(tmp_path / "out", world=tmp_path / "matterport")
    assert not {"world", "features"} & set(made)
    assert made["tasks/asknav"].given[0] == tmp_path / "matterport"
    assert "features" not in stages(tmp_path, TINY)  # symbolic features are not encoded


def test_the_papers_preset_has_the_papers_hyperparameters() -> None:
    assert PAPER.training == TrainingConfig()
    assert (PAPER.training.iterations, PAPER.training.batch, PAPER.training.learning_rate) == (100_000, 100, 1e-4)
    assert not PAPER.agent and (PAPER.houses.train, PAPER.houses.dev, PAPER.houses.test) == (61, 11, 18)
    assert preset_of("small") is SMALL
    with pytest.raises(InputError, match="preset huge: unknown; choose from small, paper"):
        preset_of("huge")


def test_no_core_is_idle_during_the_last_training(tmp_path: Path) -> None:
    """Eleven trainings on two cores run three at a time; four go two by two."""
    given = stages(tmp_path, tables=(2, 3, 4, 7), peers=False)
    eleven = [stage.cores or 9 for name, stage in given.items() if name.startswith("train/")]
    assert len(eleven) == 11
    assert sum(eleven[:3]) <= 2 < sum(eleven[:4])
    four = [stage.cores for name, stage in stages(tmp_path, tables=(1, 2), peers=False).items() if name.startswith("train/")]
    assert four == [1] * 4
