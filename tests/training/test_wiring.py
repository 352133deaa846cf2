"""From an option to the object that it sets, and from there to what happens: nothing that can be chosen has no effect."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor

from cottage_run import write_cottage
from tiny_paper import TINY
from vnla import cli
from vnla.assistance.advisor import TemplateAdvisor
from vnla.assistance.help_teacher import HelpTeacher, Reason
from vnla.bcui import bcui
from vnla.cli.train import train as train_command
from vnla.evaluation.confidence import over_seeds
from vnla.evaluation.evaluation_file import EVALUATION, read_evaluation
from vnla.evaluation.metrics import METRICS
from vnla.evaluation.scores import Scores
from vnla.experiments.evaluations import EvaluationJob, run_evaluation
from vnla.experiments.layout import ExperimentLayout
from vnla.experiments.paper.paper_report import Contents, PaperReport
from vnla.experiments.paper.paper_stages import PaperStages
from vnla.language.advisor import GrammarAdvisor
from vnla.rollout import Rollout
from vnla.training import run as running
from vnla.training import spotting, together
from vnla.training.checkpoints import LAST, LOG, VALIDATION, checkpoint, open_run
from vnla.training.config import RunConfig, TrainingConfig
from vnla.training.context import make_agent, make_context
from vnla.training.data import RunData
from vnla.training.together import train

SIZES = {"hidden": 16, "help_hidden": 16, "word_embedding": 8}
BATCH = 6


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> RunConfig:
    """A short training in the cottage."""
    world, tasks = write_cottage(tmp_path_factory.mktemp("cottage"))
    training = TrainingConfig(iterations=2, batch=BATCH, learning_rate=1e-2)
    return RunConfig(str(world), str(tasks), "symbolic", training=training, agent_options=SIZES)


@pytest.fixture(scope="module")
def data(base: RunConfig) -> RunData:
    return RunData.load(base)


SET_BY: dict[str, tuple[str, Callable[[RunConfig], object], object]] = {
    "features": ("symbolic", lambda run: run.features, "symbolic"),
    "help_policy": ("random", lambda run: run.help_policy, "random"),
    "iterations": ("7", lambda run: run.training.iterations, 7),
    "batch": ("3", lambda run: run.training.batch, 3),
    "learning_rate": ("0.25", lambda run: run.training.learning_rate, 0.25),
    "cooldown": ("0.25", lambda run: run.training.cooldown, 0.25),
    "weight_decay": ("0.25", lambda run: run.training.weight_decay, 0.25),
    "dropout": ("0.25", lambda run: run.agent_options["dropout"], 0.25),
    "hidden": ("24", lambda run: (run.agent_options["hidden"], run.agent_options["help_hidden"]), (24, 24)),
    "layers": ("2", lambda run: run.agent_options["layers"], 2),
    "ratio": ("0.25", lambda run: run.training.ratio, 0.25),
    "k": ("3", lambda run: run.advisor, TemplateAdvisor(k=3)),
    "advisor": ("direct", lambda run: run.advisor, TemplateAdvisor(direct=True)),
    "advisor_language": ("grammar", lambda run: run.advisor, GrammarAdvisor()),
    "easy": ("", lambda run: run.advisor, TemplateAdvisor(aggregate=False)),
    "rules": ("ae", lambda run: run.teacher, HelpTeacher("ae")),
    "deviation": ("3", lambda run: run.teacher, HelpTeacher(deviation=3.0)),
    "uncertainty": ("0.5", lambda run: run.teacher, HelpTeacher(uncertainty=0.5)),
    "non_moving": ("5", lambda run: run.teacher, HelpTeacher(non_moving=5)),
    "beta": ("0.2 --help-policy imitation", lambda run: run.help_options, {"beta": 0.2}),
    "keeps_ended": ("", lambda run: run.keeps_ended, True),
    "validate_every": ("5", lambda run: run.validate_every, 5),
    "precision": ("bfloat16", lambda run: run.training.precision, "bfloat16"),
    "seed": ("4", lambda run: run.training.seed, 4),
    "help_option": ("beta=0.2 --help-policy imitation", lambda run: run.help_options, {"beta": 0.2}),
    "agent": ("examples.agent:GruAgent", lambda run: (run.agent, run.agent_options), ("examples.agent:GruAgent", {})),
    "agent_option": ("coverage=5", lambda run: run.agent_options["coverage"], 5),
    "sensor": ("clock,been", lambda run: run.sensors, "clock,been"),
    "feature_dropout": ("0.25", lambda run: run.feature_dropout, 0.25),
    "fold": ("-2/3", lambda run: run.fold, "-2/3"),
    "timed": ("", lambda run: run.timed, True),
    "following": ("", lambda run: run.following, True),
    "practice": ("3", lambda run: run.practice, 3),
    "strange": ("0.25 --practice 2", lambda run: run.strange, 0.25),
    "anywhere": ("0.25 --practice 2", lambda run: run.anywhere, 0.25),
    "contrast": ("0.25 --practice 2 --advisor-language grammar", lambda run: run.contrast, 0.25),
    "objective": ("worth --help-policy valued", lambda run: run.objective, "worth"),
    "objective_option": ("metres=0.2 --objective reward", lambda run: run.objective_options, {"metres": 0.2}),
    "forward": ("plain", lambda run: run.forward, "plain"),
    "begins_with": ("other", lambda run: Path(run.begins_with).name, "other"),
    "advisor_option": (
        "near=3 --advisor examples.advisor:Warmer",
        lambda run: (type(run.advisor).__name__, vars(run.advisor)),
        ("Warmer", {"k": 2, "near": 3, "far": 10.0}),
    ),
}
"""Option of `vnla train` → what is typed after it, where the configuration has it, and what is there then."""

NOT_OF_A_RUN = {"context", "run", "world", "tasks", "feature_cache", "device", "eager", "threads", "shard", "variant"}
"""What it works on, and how; not what it does."""


def given(base: RunConfig, out: Path, options: str, monkeypatch: pytest.MonkeyPatch) -> RunConfig:
    """The configuration that the command makes of options."""
    trained: list[Any] = []
    monkeypatch.setattr(together, "train_together", lambda runs, *_, **__: trained.extend(runs))
    with pytest.raises(SystemExit) as left:
        cli.main(["train", str(out), "--world", base.world, "--tasks", base.tasks, *options.split()])
    assert left.value.code == 0
    ((_, config),) = trained
    assert isinstance(config, RunConfig)
    return config


@pytest.mark.parametrize("name", SET_BY)
def test_an_option_of_the_command_is_in_the_configuration(
    name: str, base: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])  # for the examples
    typed, where, expected = SET_BY[name]
    config = given(base, tmp_path / "run", f"--{name.replace('_', '-')} {typed}", monkeypatch)
    assert where(config) == expected
    (tmp_path / "config.json").write_text(config.text(tmp_path))
    assert RunConfig.read(tmp_path / "config.json") == config


def test_no_option_of_the_command_is_forgotten_here() -> None:
    assert set(inspect.signature(train_command).parameters) == {*SET_BY, *NOT_OF_A_RUN}


def test_the_silent_advisor_acts_and_says_nothing(base: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = given(base, tmp_path / "run", "--advisor silent", monkeypatch)
    assert config.advisor == TemplateAdvisor(direct=True, speaks=False)


def training(**values: object) -> Callable[[RunConfig], RunConfig]:
    return lambda config: replace(config, training=replace(config.training, **values))  # type: ignore[arg-type]


CHANGES: dict[str, Callable[[RunConfig], RunConfig]] = {
    "weight decay": training(weight_decay=0.5),
    "no weight decay": training(weight_decay=0.0),
    "cooldown": training(cooldown=1.0),
    "learning rate": training(learning_rate=2e-2),
    "ratio": training(ratio=1.0),
    "batch": training(batch=3),
    "dropout": lambda config: replace(config, agent_options={**SIZES, "dropout": 0.1}),
    "random": lambda config: config.asking("random"),
    "cloning": lambda config: config.asking("cloning"),
    "imitation": lambda config: config.asking("imitation"),
    "imitation, another β": lambda config: config.asking("imitation", {"beta": 0.9}),
    "rules": lambda config: replace(config, teacher=HelpTeacher("a")),
    "another k": lambda config: replace(config, advisor=TemplateAdvisor(k=2)),
    "silence": lambda config: replace(config, advisor=TemplateAdvisor(direct=True, speaks=False)),
    "easy": lambda config: replace(config, advisor=TemplateAdvisor(aggregate=False)),
    "keeps ended": lambda config: replace(config, keeps_ended=True),
    "timed": lambda config: replace(config, timed=True),
    "veil": lambda config: replace(config, feature_dropout=0.5),
    "practice": lambda config: replace(config, practice=1),
}
"""What makes another training of one."""


def learned(folder: Path, config: RunConfig, data: RunData) -> dict[str, Tensor]:
    """The navigation module after a training; how the agent does is nobody's question here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running.Run, "_evaluated", lambda *_: dict.fromkeys(running.FIGURES, 0.0))
        assert train(folder, open_run(folder, config), data) is None
    saved = load_file(folder / LAST)
    return {name: value for name, value in saved.items() if name.startswith("agent.navigation.")}


def same(one: dict[str, Tensor], other: dict[str, Tensor]) -> bool:
    return all(torch.equal(one[name], other[name]) for name in one)


@pytest.fixture(scope="module")
def plain(base: RunConfig, data: RunData, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Tensor]:
    return learned(tmp_path_factory.mktemp("plain") / "run", base, data)


@pytest.mark.parametrize("name", CHANGES)
def test_whatever_is_chosen_changes_what_is_learned(
    name: str, base: RunConfig, data: RunData, plain: dict[str, Tensor], tmp_path: Path
) -> None:
    assert not same(learned(tmp_path / "run", CHANGES[name](base), data), plain)


def test_a_direct_advisor_that_speaks_has_the_training_of_an_indirect_one(
    base: RunConfig, data: RunData, plain: dict[str, Tensor], tmp_path: Path
) -> None:
    direct = replace(base, advisor=TemplateAdvisor(direct=True))
    assert same(learned(tmp_path / "run", direct, data), plain)


def test_an_objective_that_is_timed_gives_the_time_of_evaluation(base: RunConfig, data: RunData, tmp_path: Path) -> None:
    """Reward is: whether it is said as well makes no difference, though there would be one in time."""
    short, long = (data.training_tasks(timed=timed).time_budget for timed in (False, True))
    assert not torch.equal(short, long)
    reward = replace(base, objective="reward")
    said, unsaid = (learned(tmp_path / str(timed), replace(reward, timed=timed), data) for timed in (True, False))
    assert same(said, unsaid)


@pytest.fixture(scope="module")
def street(base: RunConfig, tmp_path_factory: pytest.TempPathFactory) -> RunConfig:
    """The same in a world of two cottages, the first of which has the tasks of the one."""
    world, tasks = write_cottage(tmp_path_factory.mktemp("street"), houses=2)
    return replace(base, world=str(world), tasks=str(tasks))


def test_a_fold_is_all_that_is_trained_in(street: RunConfig, plain: dict[str, Tensor], tmp_path: Path) -> None:
    """In the first half of two houses an agent learns what it learns where there is no other; elsewhere something else."""
    data = RunData.load(street)
    found = {fold: learned(tmp_path / f"run{len(fold)}", replace(street, fold=fold), data) for fold in ("1/2", "-1/2", "")}
    assert [same(each, plain) for each in found.values()] == [True, False, False]


def test_an_agent_learns_to_read_views_in_its_fold_alone(
    street: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class LookedError(Exception):
        """With the houses."""

    def look(_folder: object, _world: object, _views: object, houses: set[str], _progress: object) -> None:
        raise LookedError(houses)

    monkeypatch.setattr(spotting, "learn_to_read", look)
    with pytest.raises(LookedError) as looked:
        train(tmp_path / "run", replace(street, sensors="spotted", fold="2/2"), RunData.load(street))
    assert looked.value.args == ({"cottage1"},)


@pytest.mark.parametrize("name", ["cloning", "imitation"])
def test_a_baseline_has_its_teacher_all_the_time_whatever_the_budget(
    name: str, base: RunConfig, data: RunData, tmp_path: Path
) -> None:
    none, all_of_it = (
        learned(tmp_path / str(ratio), training(ratio=ratio)(base.asking(name)), data) for ratio in (0.0, 1.0)
    )
    assert same(none, all_of_it)


def walked(config: RunConfig, data: RunData, *, in_training: bool) -> Rollout:
    """What an agent that has learned nothing does in every task."""
    players = make_context(config, data, make_agent(config, data), training=in_training)
    tasks = data.training_tasks()
    ratio = config.help(training=in_training).ratio
    episodes = tasks.episodes(torch.arange(len(tasks)), seed=5, ratio=ratio, k=players.advisor.k)
    with torch.no_grad():
        return bcui(episodes, players)


def led(rollout: Rollout, k: int) -> tuple[Tensor, Tensor]:
    """At which steps somebody had asked in the last k, and at which the agent did as the navigation teacher would."""
    request = rollout.table("request")
    since = torch.nn.functional.pad(request.float(), (k - 1, 0)).unfold(1, k, 1).amax(dim=2) > 0
    active = rollout.table("active")
    return since & active, (rollout.table("nav") == rollout.table("taught")) & active


@pytest.mark.parametrize(
    ("advisor", "in_training", "acts"),
    [
        (TemplateAdvisor(), False, False),
        (TemplateAdvisor(direct=True), False, True),
        (TemplateAdvisor(direct=True, speaks=False), False, True),
        (TemplateAdvisor(), True, True),
        (TemplateAdvisor(k=2, direct=True), False, True),
    ],
)
def test_who_acts_after_a_request(
    advisor: TemplateAdvisor, in_training: bool, acts: bool, base: RunConfig, data: RunData
) -> None:
    rollout = walked(replace(base.asking("first"), advisor=advisor), data, in_training=in_training)
    helped, as_taught = led(rollout, advisor.k)
    assert helped.any()
    assert bool(as_taught[helped].all()) == acts


@pytest.mark.parametrize(
    ("name", "options", "share"), [("cloning", {}, 1.0), ("imitation", {}, 0.5), ("imitation", {"beta": 0.0}, 0.0)]
)
def test_how_often_the_teacher_acts_in_a_baseline(
    name: str, options: dict[str, Any], share: float, base: RunConfig, data: RunData
) -> None:
    config = training(ratio=0.0)(base.asking(name, options))
    rollout = walked(config, data, in_training=True)
    request, active = rollout.table("request"), rollout.table("active")
    assert request[active].float().mean().item() == pytest.approx(share, abs=0.2 if 0 < share < 1 else 0)
    at_test = walked(config, data, in_training=False)
    assert not at_test.table("request").any() and not at_test.episodes.help_budget.any()


@pytest.mark.parametrize(
    ("rules", "reasons"),
    [
        ("b", {Reason.CONFUSED}),
        ("d", {Reason.USE_IT_UP}),
        ("", {Reason.NO_NEED}),
    ],
)
def test_the_help_teacher_keeps_to_its_rules(rules: str, reasons: set[Reason], base: RunConfig, data: RunData) -> None:
    """An agent that has learned nothing is never sure, and with a request for every step there is always one to spare."""
    config = replace(training(ratio=1.0)(base), teacher=HelpTeacher(rules), advisor=TemplateAdvisor(k=1))
    rollout = walked(config, data, in_training=True)
    found = rollout.table("reason")[rollout.table("active")]
    assert {Reason(int(each)) for each in found.unique()} == reasons


def test_ended_episodes_are_kept_in_training_alone(base: RunConfig, data: RunData) -> None:
    kept = replace(base, keeps_ended=True)
    for config, in_training, stays in ((base, True, False), (kept, True, True), (kept, False, False)):
        rollout = walked(config, data, in_training=in_training)
        ended = [not transition.active.all() for transition in rollout.transitions]
        assert any(ended) == stays, (config.keeps_ended, in_training)


@dataclass
class Judged:
    """Evaluations that find what they are told to."""

    rates: dict[str, list[float]]
    ratios: list[float]

    def __call__(self, _players: object, _tasks: object, *, ratio: float, **_: object) -> Judged:
        self.ratios.append(ratio)
        return self

    def summary(self) -> dict[str, Any]:
        split = VALIDATION[(len(self.ratios) - 1) % len(VALIDATION)]
        rate = self.rates[split][(len(self.ratios) - 1) // len(VALIDATION)]
        return dict.fromkeys(METRICS, over_seeds([rate]))


@pytest.mark.parametrize(("policy", "expected"), [("first", 0.75), ("cloning", 0.0)])
def test_the_best_agent_is_kept_and_judged_with_the_help_it_will_have(
    policy: str, expected: float, base: RunConfig, data: RunData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One is best at the second of three validations; the other at the first, which the third does not beat."""
    judged = Judged({"val_seen": [10.0, 30.0, 20.0], "val_unseen": [40.0, 10.0, 40.0]}, [])
    monkeypatch.setattr(running, "evaluate", judged)
    config = training(ratio=0.75, iterations=3)(base.asking(policy))
    config = replace(config, validate_every=1, keeps_checkpoints=True)
    train(tmp_path / "run", open_run(tmp_path / "run", config), data)
    assert judged.ratios == [expected] * 6
    for split, iteration in (("val_seen", 2), ("val_unseen", 1)):
        best, then = (load_file(checkpoint(tmp_path / "run", which)) for which in (split, iteration))
        assert same(best, then), split
    assert not same(load_file(checkpoint(tmp_path / "run", 2)), load_file(checkpoint(tmp_path / "run", 3)))


@pytest.mark.parametrize(("ratio", "asks"), [(0.0, False), (1.0, True)])
def test_validation_gives_help_for_the_share_of_the_time_that_was_chosen(
    ratio: float, asks: bool, base: RunConfig, data: RunData, tmp_path: Path
) -> None:
    train(tmp_path / "run", open_run(tmp_path / "run", training(ratio=ratio)(base.asking("first"))), data)
    lines = [json.loads(line) for line in (tmp_path / "run" / LOG).read_text().splitlines()]
    requests = [line[split]["requests"] for line in lines for split in VALIDATION if split in line]
    assert requests and all((each > 0) == asks for each in requests)


MEASURED = {
    "success_rate": "success",
    "room_success_rate": "room_success",
    "nav_error": "nav_error",
    "oracle_rate": "oracle_success",
    "oracle_error": "oracle_error",
    "spl": "spl",
    "ndtw": "ndtw",
    "steps": "steps",
    "length": "path_length",
    "requests": "requests",
}
"""Figure → the score that it is the mean of."""


@pytest.mark.parametrize("name", MEASURED)
def test_a_figure_is_of_the_score_that_it_is_named_after(name: str) -> None:
    """Every score is another number."""
    names = sorted({each for metric in METRICS.values() for each in metric.needs})
    scores = Scores({each: np.full(3, number / 100) for number, each in enumerate(names, start=1)})
    scale = 100 if METRICS[name].unit == "%" else 1
    assert METRICS[name](scores) == pytest.approx(scale * getattr(scores, MEASURED[name])[0])


@pytest.fixture(scope="module")
def trained(base: RunConfig, data: RunData, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained") / "run"
    train(folder, open_run(folder, base), data)
    return folder


def trial_of(name: str, out: Path) -> EvaluationJob:
    """What the experiments' stage of that name evaluates."""
    source = PaperReport(ExperimentLayout.of(out), "command", TINY, Contents("title"))
    stages = PaperStages(source, seed=0, cores=1).stages()
    trial = next(stage for stage in stages if stage.name == name).given[1]
    assert isinstance(trial, EvaluationJob)
    return trial


def nobody(_done: float, _of: float, _note: str) -> None:
    """Hears how far it is."""


@pytest.mark.parametrize(
    ("row", "speaks", "acts"), [("direct-silent", False, True), ("direct", True, True), ("indirect", True, False)]
)
def test_the_rows_of_table_3_differ_in_who_acts_and_who_speaks(
    row: str, speaks: bool, acts: bool, base: RunConfig, data: RunData, trained: Path, tmp_path: Path
) -> None:
    trial = trial_of(f"evaluate/{row}/test_seen", tmp_path)
    config = replace(base.asking("first"), advisor=trial.config.advisor)
    run_evaluation(tmp_path / "out", replace(trial, run=trained, config=config, iterations=None), nobody)
    tasks = data.evaluation_tasks("test_seen")
    trace = read_evaluation(tmp_path / "out" / EVALUATION, tasks, config.advisor).trace
    goals = tasks.goals.repeat(len(trial.seeds))
    taught = tasks.environment.nav_teacher(trace.pose[:, :-1], goals[:, None].expand_as(trace.nav))
    assert trace.request.any()
    assert bool((trace.nav == taught)[trace.request].all()) == acts
    assert any(trace.texts) == speaks


def test_table_4_tries_the_agent_of_asknav_on_noroom(base: RunConfig, trained: Path, tmp_path: Path) -> None:
    trial = trial_of("evaluate/transferred/test_seen", tmp_path)
    layout = ExperimentLayout.of(tmp_path)
    assert (trial.config.tasks, trial.tasks) == (str(layout.tasks("asknav").absolute()), layout.tasks("noroom"))
    other = tmp_path / "fewer"
    other.mkdir()
    for path in Path(base.tasks).glob("*.json"):
        (other / path.name).write_text(json.dumps(json.loads(path.read_text())[:2]))
    run_evaluation(tmp_path / "out", replace(trial, run=trained, config=base, tasks=other), nobody)
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["episodes"] == 2
