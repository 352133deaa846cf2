"""Our agent as a guest does what it does in an evaluation, to the last column."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from cottage_run import write_cottage
from vnla import cli
from vnla.assistance.help_policies import Learned
from vnla.common.errors import InputError
from vnla.episode import StepContext
from vnla.evaluation.evaluate import evaluate
from vnla.evaluation.trace import TENSORS
from vnla.observation import Observation
from vnla.remote.episode import EvaluationRules
from vnla.remote.evaluated_agent import LocalPolicy, UnknownEpisodeError
from vnla.remote.evaluation import evaluate_policy
from vnla.remote.observer import WorldObserver
from vnla.remote.protocol import VERSION, read_declaration
from vnla.remote.trained_policy import TrainedPolicy
from vnla.training.context import make_context, vocabulary_of
from vnla.training.trained import Trained, open_trained


def train(folder: Path, *options: object) -> Trained:
    world, tasks = write_cottage(folder)
    given = ["--world", world, "--tasks", tasks, "--features", "symbolic", "--iterations", 4, "--batch", 6, "--hidden", 8]
    with pytest.raises(SystemExit) as left:
        cli.main([str(each) for each in ["train", folder / "run", *given, *options]])
    assert left.value.code == 0
    return open_trained(folder / "run")


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    return train(tmp_path_factory.mktemp("run"), "--help-policy", "learned", "--learning-rate", 0.03)


def rules_of(trained: Trained, ratio: float) -> EvaluationRules:
    advisor = trained.config.advisor
    bound_advisor = advisor.ready(vocabulary_of(trained.config, trained.material))
    return EvaluationRules(
        trained.material.evaluation_tasks("test_unseen"), advisor, bound_advisor, ratio, trained.config.teacher
    )


@pytest.fixture(scope="module")
def aware(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """One with all senses."""
    return train(tmp_path_factory.mktemp("aware"), "--sense", "clock,requests,advice,been,spotted", "--learning-rate", 0.03)


@pytest.fixture(scope="module")
def surrounded(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """One with all that is around it."""
    senses = "requests,panorama,spotted-around,exits,places,views"
    return train(tmp_path_factory.mktemp("surrounded"), "--sensor", senses, "--learning-rate", 0.03)


def slow(*values: object) -> Any:
    return pytest.param(*values, marks=pytest.mark.slow)


@pytest.mark.parametrize(
    ("who", "policy", "ratio"),
    [
        ("trained", "learned", 0.4),
        slow("trained", "learned", 1.0),
        slow("trained", "first", 1.0),
        ("trained", "spaced", 1.0),
        ("trained", "entropy", 1.0),
        ("trained", "none", 0.4),
        ("aware", "learned", 0.4),
        slow("aware", "learned", 1.0),
        ("surrounded", "learned", 0.4),
    ],
)
def test_all_that_happens_is_the_same(who: str, policy: str, ratio: float, request: pytest.FixtureRequest) -> None:
    trained: Trained = request.getfixturevalue(who)
    trained = replace(trained, config=trained.config.asking(policy))
    context = make_context(trained.config, trained.material, trained.agent("val_unseen"), training=False)
    rules, seeds = rules_of(trained, ratio), (123, 435) if policy == "entropy" else (435,)
    expected = evaluate(context, rules.tasks, seeds=seeds, ratio=ratio)
    guest = LocalPolicy(TrainedPolicy(trained))
    show = WorldObserver(guest.declaration, trained.material.folder, trained.material.world)
    visit = evaluate_policy(guest, rules, show, seeds=seeds)
    assert not visit.errors
    steps = visit.evaluation.trace.nav.shape[1]
    for name in TENSORS:
        found, wanted = getattr(visit.evaluation.trace, name), getattr(expected.trace, name)
        wanted = wanted if wanted.dim() == 1 else wanted[:, : steps + (name == "pose")]
        assert torch.equal(found, wanted), name
    assert visit.evaluation.trace.texts == expected.trace.texts
    assert (expected.trace.request.any()) == (policy != "none")
    figures: Any = expected.scores
    for name, array in visit.evaluation.scores.items():
        assert array.tolist() == figures[name].tolist(), name


def test_it_spots_things_itself(aware: Trained) -> None:
    assert "sensor:been" in TrainedPolicy(aware).observes and "sensor:spotted" not in TrainedPolicy(aware).observes
    with pytest.raises(InputError, match=r"observes is .*; expected a list of .* places$"):
        read_declaration({"version": VERSION, "name": "somebody", "observes": ["sensor:spotted"]}, "there")


def test_it_is_lent_what_is_around_and_spots_things_there_itself(surrounded: Trained) -> None:
    lent = ("sensor:requests", "sensor:panorama", "sensor:exits", "sensor:places")
    assert TrainedPolicy(surrounded).observes == ("view:symbolic", "views", *lent)


def test_a_call_that_is_tried_again_has_the_same_answer(trained: Trained) -> None:
    guest, rules = LocalPolicy(TrainedPolicy(trained)), rules_of(trained, 1.0)
    show = WorldObserver(guest.declaration, trained.material.folder, trained.material.world)
    walk = rules.begin(0, 123)
    guest.start([walk.observation()])
    while not walk.over:
        viewpoint = rules.tasks.environment.world.ids[walk.pose // 36]
        now = walk.observation(**show(walk.task.house, viewpoint, walk.pose))
        (first,), (again,) = guest.act([now]), guest.act([now])
        assert first == again
        walk.take(first)
    with pytest.raises(UnknownEpisodeError, match=r"episode 'another': has not begun here"):
        guest.act([Observation(now, episode="another")])


class Homesick(Learned):
    """Looks at where it is."""

    def __call__(self, situation: StepContext) -> torch.Tensor:
        return super().__call__(situation) & (situation.pose > 0)


def test_a_help_policy_that_looks_at_the_house_is_told_that_there_is_none(trained: Trained) -> None:
    policy = TrainedPolicy(trained)
    policy._players = replace(policy._players, help_policy=Homesick())
    guest, rules = LocalPolicy(policy), rules_of(trained, 1.0)
    show = WorldObserver(guest.declaration, trained.material.folder, trained.material.world)
    with pytest.raises(InputError, match=r"Homesick\.__call__ looks at what only an evaluation knows"):
        evaluate_policy(guest, rules, show, seeds=(123,))


def test_policies_that_need_more_than_the_agent_knows_are_refused(trained: Trained) -> None:
    with pytest.raises(InputError, match="the help policy teacher goes by what only an evaluation knows"):
        TrainedPolicy(replace(trained, config=trained.config.asking("teacher")))


def test_sensors_of_ones_own_are_not_offered(trained: Trained) -> None:
    with pytest.raises(
        InputError, match=r"its agent has the sensor vnla.agents.sensors:Clock, which the protocol does not offer"
    ):
        TrainedPolicy(replace(trained, config=replace(trained.config, sensors="vnla.agents.sensors:Clock")))
