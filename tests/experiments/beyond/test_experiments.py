"""Which stages a comparison has, in which order and groups, and what decides whether they are done again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from cottage_run import write_cottage
from tiny_beyond import SCALE
from vnla.common.errors import InputError
from vnla.experiments.beyond.arms import chosen_arms
from vnla.experiments.beyond.experiments import FRESH_SEED, Comparison
from vnla.experiments.beyond.reporting import Source
from vnla.experiments.beyond.results import Layout, Plan
from vnla.experiments.beyond.run import run_comparison
from vnla.experiments.beyond.scales import SCALES
from vnla.houses.generate.world import SplitSizes
from vnla.pipeline.stages import Stage, StageGraph

SMALL = SCALES["small"]


def stages(
    out: Path, plan: Plan | None = None, world: Path | None = None, device: str = "cpu", beside: int = 20
) -> dict[str, Stage]:
    plan = plan or Plan(SMALL, chosen_arms(SMALL), trainings=2)
    source = Source(Layout(out, world or out / "world"), plan, "command")
    return {stage.name: stage for stage in Comparison(source, device=device, cores=2, beside=beside).stages()}


def kind(made: dict[str, Stage], first: str) -> list[str]:
    return [name.removeprefix(f"{first}/") for name in made if name.startswith(f"{first}/")]


def fingerprints(made: dict[str, Stage]) -> dict[str, str]:
    return StageGraph(list(made.values())).fingerprints


def test_phases_that_agents_share_are_trained_once(tmp_path: Path) -> None:
    made = stages(tmp_path)
    phases = ["learned", "start", "start-senses", "tuned", "senses", "reward", "best", "start-valued", "valued"]
    assert sorted(kind(made, "train")) == sorted(f"{phase}/seed{seed}" for phase in phases for seed in (0, 1))
    assert made["train/best/seed1"].after == ("features", "tasks/asknav", "train/start-senses/seed1")
    assert made["train/best/seed1"].given[1].training.seed == 1
    assert len(kind(made, "evaluate")) == 6 * 2 * 4 + 2 * 4  # two learn nothing
    assert kind(made, "sweep") == [arm.name for arm in chosen_arms(SMALL)]
    assert kind(made, "ceilings") == ["learned", "best"]
    assert set(made["report"].after) == set(made) - {"report"}


def test_on_a_gpu_a_phase_is_one_job(tmp_path: Path) -> None:
    made = stages(tmp_path, device="cuda")
    graph = StageGraph(list(made.values()))

    def beside(name: str) -> set[str]:
        return {stage.name.split("/")[1] for stage in graph.joined(made[name])}

    assert beside("train/start/seed0") == {"learned", "start", "start-senses"}
    assert beside("train/best/seed1") == {"tuned", "senses", "reward", "best", "start-valued"}
    assert beside("train/valued/seed0") == {"valued"}
    learning = {name for name in made if not name.startswith(("evaluate/scripted", "evaluate/planner"))}
    on_gpu = [each for name, each in made.items() if name.startswith(("train/", "evaluate/", "sweep/")) and name in learning]
    assert {each.device for each in on_gpu} == {"cuda"}


def test_a_gpu_has_no_more_trainings_at_a_time_than_it_is_given(tmp_path: Path) -> None:
    """Ten runs of the second phase, at most four at a time: three groups of three or four, in the order of the stages."""
    made = [each for name, each in stages(tmp_path, device="cuda", beside=4).items() if name.startswith("train/")]
    groups = [each.group for each in made]
    assert groups == sorted(groups)
    second = [group for group in groups if group.startswith("1-")]
    assert sorted(second.count(group) for group in set(second)) == [3, 3, 4]


def test_more_trainings_houses_or_agents_keep_what_is_done(tmp_path: Path) -> None:
    less = fingerprints(stages(tmp_path, Plan(SMALL, chosen_arms(SMALL, ["best"]))))
    more = fingerprints(stages(tmp_path, Plan(SMALL, chosen_arms(SMALL), trainings=3, fresh=5)))
    assert {name for name in less if less[name] != more[name]} == {"report"}
    moved = fingerprints(stages(tmp_path / "elsewhere", Plan(SMALL, chosen_arms(SMALL, ["best"])), device="cuda"))
    assert moved == less


def test_more_iterations_train_again(tmp_path: Path) -> None:
    before, after = (fingerprints(stages(tmp_path, Plan(each, chosen_arms(each)))) for each in (SMALL, longer()))
    changed = {name.partition("/")[0] for name in before if before[name] != after[name]}
    assert changed == {"train", "evaluate", "sweep", "ceilings", "report"}


def longer() -> object:
    return replace(SMALL, preset=SMALL.preset.given(iterations=SMALL.iterations + 10))


def test_fresh_houses_are_others_seen_and_timed_as_those_of_the_training(tmp_path: Path) -> None:
    made = stages(tmp_path, Plan(SMALL, chosen_arms(SMALL, ["best"]), fresh=7))
    _, _, _, seed, parts, _ = made["fresh/world"].given
    assert (seed, parts) == (FRESH_SEED, SplitSizes(0, 0, 7))
    world, out, like, known, *_ = made["fresh/tasks"].given
    assert (like, known) == (tmp_path / "tasks" / "asknav", tmp_path / "world")
    assert made["fresh/features"].given[:4] == (world, "efficientnet-lite0", 128, tmp_path / "world")
    trial = made["evaluate/best/seed0/fresh"].given[1]
    assert (trial.config.world, trial.config.tasks, trial.tasks, trial.split) == (str(world), str(out), None, "test_unseen")
    assert trial.run == tmp_path / "runs" / "best" / "seed0" and trial.checkpoint == "val_unseen"
    assert {"fresh/tasks", "fresh/features", "train/best/seed0"} == set(made["evaluate/best/seed0/fresh"].after)


def test_noroom_is_given_to_agents_trained_on_asknav(tmp_path: Path) -> None:
    trial = stages(tmp_path)["evaluate/best/seed0/noroom_test_seen"].given[1]
    assert trial.tasks == tmp_path / "tasks" / "noroom" and Path(trial.config.tasks).name == "asknav"
    assert trial.checkpoint == "val_seen"


def test_a_world_of_ones_own_is_neither_made_nor_encoded(tmp_path: Path) -> None:
    made = stages(tmp_path / "out", world=tmp_path / "matterport")
    assert not {"world", "features"} & set(made)
    assert made["train/best/seed0"].after == ("tasks/asknav", "train/start-senses/seed0")


def test_what_can_be_left_out_is(tmp_path: Path) -> None:
    made = stages(tmp_path, Plan(SMALL, chosen_arms(SMALL), sweeps=False, ceilings=False))
    assert not kind(made, "sweep") and not kind(made, "ceilings") and not kind(made, "fresh")


def test_fresh_houses_must_be_like_the_others(tmp_path: Path) -> None:
    def run(scale: object, world: Path | None) -> None:
        plan = Plan(scale, chosen_arms(SCALE), fresh=3)  # type: ignore[arg-type]
        run_comparison(tmp_path / "out", plan, command="", console=Console(), world=world)

    with pytest.raises(InputError, match="symbolic features differ from world to world; give --fresh 0"):
        run(SCALE, None)
    cottage, _ = write_cottage(tmp_path)
    (cottage / "features" / "pixels").mkdir(parents=True)
    seen = replace(SCALE, preset=replace(SCALE.preset, features="pixels"))
    with pytest.raises(InputError, match="was not generated, and houses like its own cannot be; give --fresh 0"):
        run(seen, cottage)
    assert not (tmp_path / "out").exists()
