"""Our agent as a guest does what it does in an evaluation, to the last column."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from cottage_run import write_cottage
from vnla import cli
from vnla.common.errors import InputError
from vnla.evaluation.evaluate import evaluate
from vnla.evaluation.trace import TENSORS
from vnla.remote.evaluation import evaluate_guest
from vnla.remote.protocol import VERSION, read_declared
from vnla.remote.resident import Resident
from vnla.remote.shown import Showing
from vnla.remote.walk import Rules
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


def rules_of(trained: Trained, ratio: float) -> Rules:
    advisor = trained.config.advisor
    bound_advisor = advisor.ready(vocabulary_of(trained.config, trained.material))
    return Rules(trained.material.evaluation_tasks("test_unseen"), advisor, bound_advisor, ratio, trained.config.teacher)


@pytest.fixture(scope="module")
def aware(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """One with all senses."""
    return train(tmp_path_factory.mktemp("aware"), "--sense", "clock,requests,advice,been,spotted", "--learning-rate", 0.03)


def slow(*values: object) -> Any:
    return pytest.param(*values, marks=pytest.mark.slow)


@pytest.mark.parametrize(
    ("who", "policy", "ratio"),
    [
        ("trained", "learned", 0.4),
        slow("trained", "learned", 1.0),
        slow("trained", "first", 1.0),
        ("trained", "none", 0.4),
        ("aware", "learned", 0.4),
        slow("aware", "learned", 1.0),
    ],
)
def test_all_that_happens_is_the_same(who: str, policy: str, ratio: float, request: pytest.FixtureRequest) -> None:
    trained: Trained = request.getfixturevalue(who)
    trained = replace(trained, config=trained.config.asking(policy))
    players = make_context(trained.config, trained.material, trained.agent("val_unseen"), training=False)
    rules, seeds = rules_of(trained, ratio), (123, 435)
    expected = evaluate(players, rules.tasks, seeds=seeds, ratio=ratio)
    guest = Resident(trained)
    show = Showing(guest.declared, trained.material.folder, trained.material.world)
    visit = evaluate_guest(guest, rules, show, seeds=seeds)
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
    assert "sense:been" in Resident(aware).declared.observes and "sense:spotted" not in Resident(aware).declared.observes
    with pytest.raises(InputError, match=r"observes is .*; expected a list of .* been$"):
        read_declared({"version": VERSION, "name": "somebody", "observes": ["sense:spotted"]}, "there")


def test_a_call_that_is_tried_again_has_the_same_answer(trained: Trained) -> None:
    guest, rules = Resident(trained), rules_of(trained, 1.0)
    show = Showing(guest.declared, trained.material.folder, trained.material.world)
    walk = rules.begin(0, 123)
    guest.begin([walk.beginning])
    while not walk.over:
        viewpoint = rules.tasks.environment.world.ids[walk.pose // 36]
        now = walk.observation(**show(walk.task.house, viewpoint, walk.pose))
        (first,), (again,) = guest.act([now]), guest.act([now])
        assert first == again
        walk.take(first)


def test_policies_that_need_more_than_the_agent_knows_are_refused(trained: Trained) -> None:
    with pytest.raises(InputError, match="the help policy teacher goes by what only an evaluation knows"):
        Resident(replace(trained, config=trained.config.asking("teacher")))


def test_senses_of_ones_own_are_not_lent(trained: Trained) -> None:
    with pytest.raises(
        InputError, match=r"its agent has the sense vnla.agents.sensors:Clock, which the protocol does not lend"
    ):
        Resident(replace(trained, config=replace(trained.config, sensors="vnla.agents.sensors:Clock")))
