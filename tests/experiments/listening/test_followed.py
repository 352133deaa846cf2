"""Whether an agent does what it is told: with agents that do, and with one that does something else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from cottage_players import TASKS, VOCABULARY, WORLD, context
from vnla.bcui import bcui
from vnla.common.errors import InputError
from vnla.evaluation.confidence import retained_over_houses
from vnla.experiments.listening.followed import (
    ListeningOutcome,
    ReadOutAdvisor,
    _is_exact,
    followed,
    given_walks,
    in_commonest_order,
    listened,
    reading,
    walks_of,
)
from vnla.language.handwritten import handwritten, words_of, written_world
from vnla.rollout import Rollout
from vnla.tasks.task_set import teacher_trajectories
from vnla.words import Words
from vnla.world.actions import NAV_ACTIONS, Nav
from vnla.world.compiled import Environment

L, R, U, D, F, S = Nav


def test_what_exactly_means() -> None:
    """Up to the stop of the plan; an episode that ended has -1."""
    plan = torch.tensor([[L, F, R, F], [F, S, S, S], [F, S, S, S], [L, L, S, S], [R, R, R, R]])
    done = torch.tensor([[L, F, R, F], [F, S, -1, -1], [F, F, S, -1], [L, S, -1, -1], [R, R, R, L]])
    assert _is_exact(done, plan).tolist() == [True, True, False, False, False]
    assert _is_exact(done[:, :2], plan).tolist() == [False, True, False, False, False], "nobody went on after two steps"


def test_whoever_does_not_know_the_order_takes_the_commonest() -> None:
    plan = torch.tensor([[L, F, F, F], [F, L, F, F], [L, F, F, F], [S, S, S, S], [F, F, S, S]])
    guess = in_commonest_order(walks_of(TASKS, 4)._replace(plan=plan))
    assert guess.exact.tolist() == [True, False, True, True, True] == guess.there.tolist()


def test_whoever_does_what_the_teacher_says_follows_every_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    walks = walks_of(TASKS, 4)
    pose = walks.episodes.start
    for step, action in enumerate(walks.plan.unbind(dim=1)):
        assert torch.equal(action, TASKS.environment.nav_teacher(pose, TASKS.goals)), step
        pose = TASKS.environment.step(pose, action, TASKS.goals)
    assert torch.equal(pose, walks.end)
    monkeypatch.setattr("vnla.experiments.listening.followed.ALONE", context().acting)  # does what is taught
    found = followed(context(), walks)
    assert found.exact.all() and found.there.all() and len(found.exact) == len(TASKS)


def test_walks_begin_on_the_way_to_the_goal_and_not_all_at_the_start() -> None:
    """Of six tasks and twenty seeds; each on the teacher's way, the same again, whoever else is asked."""
    way, _ = teacher_trajectories(TASKS.environment, TASKS.start, TASKS.goals)
    poses = [TASKS.start]
    for action in way.unbind(dim=1):
        poses.append(TASKS.environment.step(poses[-1], action, TASKS.goals))
    along = torch.stack(poses, dim=1)
    starts = torch.stack([walks_of(TASKS, 4, seed).episodes.start for seed in range(20)])
    assert (starts[:, :, None] == along).any(dim=2).all()
    assert (starts != TASKS.start).float().mean() > 0.5 and (starts == TASKS.start).any()
    ends = [walks_of(TASKS, 4, seed).plan[:, 0] == S for seed in range(20)]
    assert torch.stack(ends).any(), "some begin at the goal"
    assert walks_of(TASKS.rows([4, 1]), 4, 3).episodes.start.tolist() == starts[3, [4, 1]].tolist()


def test_whoever_is_told_something_hears_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """At its first step, and its own sentence; nobody hears anything in silence."""
    seen: list[Rollout] = []
    monkeypatch.setattr(
        "vnla.experiments.listening.followed.bcui", lambda *given, **named: seen.append(bcui(*given, **named)) or seen[-1]
    )
    walks = walks_of(TASKS, 4)
    keyed = walks._replace(episodes=replace(walks.episodes, key=torch.arange(len(TASKS))))
    sentences = [["turn", "left", "."], *[["go", "forward", "."]] * (len(TASKS) - 1)]
    who = reading(context(), ReadOutAdvisor.of(sentences, VOCABULARY, "cpu"), 4)
    followed(who, keyed)
    followed(who, keyed, told=False)
    told, silent = (rollout.table("request") for rollout in seen)
    assert told[:, 0].all() and not told[:, 1:].any() and not silent.any()
    first = seen[0].transitions[0]
    assert [first.phrases.text(row) for row in first.heard.tolist()[:2]] == ["turn left .", "go forward ."]


def test_walks_by_plans_alone_have_no_goal() -> None:
    """From the hall's south end facing north: forward to its north end, and there nothing attracts or stops anybody."""
    environment = Environment.aimless(WORLD)
    pose = torch.arange(len(WORLD.ids) * 36)
    house = torch.zeros_like(pose)
    for action in Nav:
        done = environment.step(pose, torch.full_like(pose, int(action)), house)
        assert torch.equal(done, WORLD.after[pose * NAV_ACTIONS + int(action)])
    assert not environment.at_goal(pose, house).any()
    start = WORLD.viewpoint("cottage", "hall_south") * 36 + 12
    words = Words(torch.ones(1, 2, dtype=torch.int64), torch.tensor([2]))
    walks = given_walks(WORLD, [start], [[F, R]], ["cottage"], words)
    assert walks.end.tolist() == [WORLD.viewpoint("cottage", "hall_north") * 36 + 13]


def test_what_is_retained() -> None:
    """Silence 1 of 4, as in training 3 of 4, this 2 of 4: half. In houses where one is like the other, always."""
    houses = ["a", "a", "b", "b", "c", "c", "d", "d"]
    none, some, most = ([int(c) for c in each] for each in ("01000100", "01010101", "11010111"))
    kept = retained_over_houses(some, none, most, houses=houses)
    assert kept.value == pytest.approx((4 - 2) / (6 - 2)) and kept.low <= kept.value <= kept.high
    assert retained_over_houses(most, none, most, houses=houses)[:3] == (1, 1, 1)
    assert np.isnan(retained_over_houses(some, none, none, houses=houses).value), "it brought nothing"
    assert np.isnan(retained_over_houses(some, none, most, houses=["a"] * 8).low), "one house tells nothing of others"
    outcomes = [ListeningOutcome({"exact": np.array(each)}, {"exact": houses}) for each in (some, none, most)]
    found = listened("some", *outcomes)
    assert (found.walks, found.houses) == (8, 4)
    assert found.figures["exact"].value == 50 and found.retained["exact"] == kept
    assert found.as_dict()["retained"]["exact"]["value"] == 0.5


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ("Turn left.", "turn left ."),
        ("go on — then,   LEFT!!", "go on , then , left ."),
        ("You’ll see it; 2 steps, ok?", "you'll see it , 2 steps , ok ? ."),
        ("второй поворот", "второй поворот ."),
        ("...", "."),
        ("", "."),
    ],
)
def test_a_sentence_as_it_is_heard(said: str, heard: str) -> None:
    assert words_of(said) == heard.split()


def test_the_walks_by_hand() -> None:
    lines = handwritten()
    assert len(lines) == 300 and len({line.house_name for line in lines}) == 60
    assert all(1 < len(words_of(line.sentence)) < 80 for line in lines)
    assert all(S not in line.plan[:-1] for line in lines)


def test_another_world_is_not_that_of_the_walks(tmp_path: Path) -> None:
    from cottage_run import write_cottage

    world, _ = write_cottage(tmp_path)
    with pytest.raises(InputError, match="another world than that of the handwritten walks"):
        written_world(world)


def test_their_world_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two houses here; each walk begins at a viewpoint of its own house."""
    few = [line for line in handwritten() if line.house[0] == "small"]
    few = [line for line in few if line.house_name in sorted({each.house_name for each in few})[:2]]
    monkeypatch.setattr("vnla.language.handwritten.handwritten", lambda: few)
    made: list[int] = []
    folder = written_world(tmp_path / "written", made.append)
    assert len(folder.houses) == 2 and made == [1, 1]
    assert written_world(tmp_path / "written", made.append).houses == folder.houses and made == [1, 1]
    from vnla.world.compiled import World

    world = World.compile(folder.houses)
    for line in few:
        _walk(world.after, line.pose(world), line.plan)


def _walk(after: Tensor, pose: int, plan: tuple[Nav, ...]) -> None:
    for action in plan:
        moved = int(after[pose * NAV_ACTIONS + int(action)])
        assert (moved != pose) == (action is not Nav.STOP)
        pose = moved
