"""Who is compared: nobody has more iterations than LEARNED, and what two agents are compared for is all they differ in."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import pytest

from tiny_beyond import SCALE
from vnla.agents.sensor_registry import ONE_VIEW
from vnla.common.errors import InputError
from vnla.experiments.beyond.arms import LEARNED, PARTS, SCALES, ComparisonScale, all_arms, chosen_arms, scale_of
from vnla.experiments.beyond.comparison_report import ComparisonReport
from vnla.experiments.beyond.comparison_stages import ComparisonStages
from vnla.experiments.beyond.plan import ComparisonPlan
from vnla.experiments.layout import ExperimentLayout
from vnla.experiments.paper.candidates import TRAININGS
from vnla.experiments.paper.paper_report import Contents, PaperReport
from vnla.experiments.paper.paper_stages import PaperStages
from vnla.training.config import RunConfig

EVERY_SCALE = pytest.mark.parametrize("scale", [*SCALES.values(), SCALE], ids=lambda scale: scale.preset.name)


def configs(scale: ComparisonScale, out: Path) -> dict[str, list[RunConfig]]:
    """Arm → the configurations of its phases, all arms."""
    plan = ComparisonPlan(scale, list(all_arms(scale).values()), ceilings=False)
    comparison = ComparisonStages(ComparisonReport(ExperimentLayout.of(out), "", scale.preset, plan), cores=2)
    steps = comparison.steps
    return {arm.name: [comparison.config(steps[f"{phase.name}/seed0"]) for phase in arm.phases] for arm in plan.arms}


def test_learned_may_be_trained_longer_than_the_others() -> None:
    arms = {arm.name: arm for arm in chosen_arms(scale_of("small"), ("best",))}
    assert replace(arms["learned"], iterations=1000).lengths(100) == [1000]
    assert sum(arms["best"].lengths(100)) == 100 == sum(arms["learned"].lengths(100))


@EVERY_SCALE
def test_all_agents_have_the_same_number_of_iterations(scale: ComparisonScale, tmp_path: Path) -> None:
    for name, phases in configs(scale, tmp_path).items():
        assert sum(config.training.iterations for config in phases) == scale.iterations, name


@EVERY_SCALE
def test_learned_is_trained_as_the_paper_says(scale: ComparisonScale, tmp_path: Path) -> None:
    paper = PaperStages(PaperReport(ExperimentLayout.of(tmp_path), "", scale.preset, Contents("")), cores=2)
    expected = replace(paper.config(TRAININGS["learned"]), keeps_checkpoints=False)  # those are for Table 3
    assert configs(scale, tmp_path)[LEARNED] == [expected]


@EVERY_SCALE
def test_tuning_is_no_advantage(scale: ComparisonScale, tmp_path: Path) -> None:
    """Phase by phase, whoever is compared with TUNED has its batches, rates, dropout and number of episodes."""
    found = configs(scale, tmp_path)
    for name in found.keys() - {"learned", "valued", "mistaken", "best-mistaken", "asking", "best-asking"}:
        for config, tuned in zip(found[name], found["tuned"], strict=True):
            assert config.training == tuned.training and config.agent_options == tuned.agent_options, name
    assert [config.objective for config in found["tuned"]] == ["imitation", "imitation"]


@EVERY_SCALE
def test_two_agents_differ_in_what_they_are_compared_for(scale: ComparisonScale, tmp_path: Path) -> None:
    found = configs(scale, tmp_path)

    def differences(better: str, worse: str) -> set[str]:
        pairs = zip(found[better], found[worse], strict=True)
        return {name for one, other in pairs for name, value in asdict(one).items() if value != asdict(other)[name]} - {
            "begins_with"
        }

    assert differences("senses", "tuned") == differences("best", "reward") == {"sensors", "timed"}
    assert differences("timed", "tuned") == {"timed"}
    for one, other in [("senses", "timed"), ("senses-spotted", "senses"), ("best-spotted", "best")]:
        assert differences(one, other) == {"sensors"}
    for sense in ONE_VIEW:
        assert differences(f"tuned-{sense}", "timed") == {"sensors"} and differences(sense, "reward") == {"sensors", "timed"}
        assert {config.sensors for config in found[f"tuned-{sense}"]} == {sense}
    assert {config.sensors for config in found["best-spotted"]} == {",".join(ONE_VIEW)}

    assert differences("reward", "tuned") == differences("best", "senses") == {"objective", "objective_options"}


@EVERY_SCALE
def test_a_phase_of_one_name_is_one_training(scale: ComparisonScale) -> None:
    named: dict[str, object] = {}
    for arm in all_arms(scale).values():
        assert arm.phases[-1].name == arm.name
        before = None
        for phase, iterations in zip(arm.phases, arm.lengths(scale.iterations), strict=True):
            assert named.setdefault(phase.name, (phase, iterations, before)) == (phase, iterations, before)
            before = phase.name


def test_the_papers_sizes(tmp_path: Path) -> None:
    first, second = configs(SCALES["paper"], tmp_path)["best"]
    assert (first.training.iterations, first.training.batch, first.training.learning_rate) == (10_000, 100, 1e-4)
    assert (second.training.iterations, second.training.batch, second.training.learning_rate) == (15_000, 300, 2e-4)
    assert (first.agent_options, second.agent_options) == ({"dropout": 0.5}, {"dropout": 0.2})
    assert (second.training.cooldown, second.objective, second.objective_options) == (0.3, "reward", {"imitation": 0.05})
    assert first.sensors == second.sensors == "clock,requests,advice,been" and first.timed
    assert second.begins_with == str(tmp_path / "runs" / "start-senses" / "seed0")


def test_tables_compare_all_agents_that_there_are() -> None:
    arms = all_arms(SCALE).keys()
    assert {worse for _, worse, _ in PARTS} <= arms
    assert {better for better, _, _ in PARTS} == arms - {LEARNED}, "each is compared with somebody"


def test_who_asks_by_worth_is_trained_so_last(tmp_path: Path) -> None:
    *_, last = configs(SCALES["paper"], tmp_path)["valued"]
    assert (last.objective, last.help_policy) == ("worth", "valued")


@pytest.mark.parametrize(
    ("name", "objective", "base"),
    [
        ("mistaken", "mistakes", "tuned"),
        ("best-mistaken", "mistakes", "best"),
        ("asking", "asking", "tuned"),
        ("best-asking", "asking", "best"),
    ],
)
def test_when_to_ask_is_learned_in_houses_that_the_navigator_does_not_know(
    name: str, objective: str, base: str, tmp_path: Path
) -> None:
    found = configs(SCALES["paper"], tmp_path)
    *navigators, last = found[name]
    assert [config.fold for config in found[name]] == ["-1/5", "-1/5", "1/5"]
    assert (last.objective, last.help_policy, last.sensors) == (objective, "threshold", navigators[-1].sensors)
    assert [config.objective for config in navigators] == [config.objective for config in found[base]]
    assert last.training.batch * {"mistakes": 1, "asking": 4}[objective] == found[base][-1].training.batch, (
        "as many episodes"
    )


def test_the_policy_of_who_learned_its_mistakes_is_tuned_before_it_is_evaluated(tmp_path: Path) -> None:
    plan = ComparisonPlan(SCALE, chosen_arms(SCALE, ["mistaken"]), ceilings=False)
    source = ComparisonReport(ExperimentLayout.of(tmp_path), "", SCALE.preset, plan)
    stages = {stage.name: stage for stage in ComparisonStages(source, cores=2).stages()}
    assert [name for name in stages if name.startswith("tune/")] == ["tune/mistaken/seed0"]
    assert stages["tune/mistaken/seed0"].after == ("train/mistaken/seed0",)
    evaluations = [stage for name, stage in stages.items() if name.startswith("evaluate/mistaken/")]
    assert evaluations and all("tune/mistaken/seed0" in stage.after for stage in evaluations)


def test_learned_is_always_among_those_that_are_named() -> None:
    assert [arm.name for arm in chosen_arms(SCALE, ["been", "best"])] == ["learned", "best", "been"]
    assert [arm.name for arm in chosen_arms(SCALE)] == ["learned", "tuned", "senses", "reward", "best", "valued"]
    with pytest.raises(InputError, match="arm worst: unknown; choose from learned, tuned"):
        chosen_arms(SCALE, ["worst"])
    with pytest.raises(InputError, match="preset huge: unknown; choose from small, paper"):
        scale_of("huge")


def test_every_phase_needs_an_iteration() -> None:
    with pytest.raises(InputError, match="1 iterations: too few for the 2 phases of TUNED"):
        all_arms(SCALE)["tuned"].lengths(1)
