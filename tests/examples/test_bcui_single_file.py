"""The paper in one file: with the weights of the package's agent it walks, loses and learns as the package does."""

from __future__ import annotations

import importlib.util
import json
import re
import runpy
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from agents.small import WORDS, cottage_environment, drawn_episodes, players_of, small_agent, told, views_of, voice_of
from cottage_run import write_cottage
from vnla.agents.layers.deferred import collect_gradients
from vnla.agents.paper import PaperAgent
from vnla.assistance.acting import ALONE, LED
from vnla.assistance.advisor import TemplateAdvisor
from vnla.assistance.help_policies import AsTaught, AtFirst, HelpPolicy, Learned, Never
from vnla.assistance.help_teacher import HelpTeacher
from vnla.bcui import bcui
from vnla.episode import Episodes, StepContext
from vnla.evaluation.allowance import Allowance
from vnla.evaluation.checked import check
from vnla.houses.folder import read_world
from vnla.rollout import Rollout
from vnla.tasks.dataset import read_dataset
from vnla.tasks.task_set import TaskSet
from vnla.world.budgets import help_budget
from vnla.world.compiled import World

FILE = Path(__file__).parents[2] / "examples" / "bcui_single_file.py"
TINY = {"hidden": 12, "help_hidden": 10, "word_embedding": 6}
RESTLESS: dict[str, Any] = {"deviation": 1.0, "uncertainty": 0.0, "non_moving": 2}
"""Thresholds with which the help teacher goes by the walk rather than by what the agent is sure of."""
TABLE = {"nav_embedding": 32, "ask_embedding": 32, "budget_embedding": 16, "coverage": 10}
EPISODES = 40


def loaded() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bcui_single_file", FILE)
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


single: Any = loaded()
ENVIRONMENT = cottage_environment()
ADVISOR = TemplateAdvisor()


def setting() -> Any:
    return single.Setting(views_of(ENVIRONMENT)["drawn"], WORDS, ADVISOR, voice_of(ADVISOR).phrases.tails)


def episodes_of(seed: int = 5) -> Episodes:
    return drawn_episodes(ENVIRONMENT, torch.arange(1, EPISODES + 1), seed)


def options(**changed: Any) -> Any:
    return single.Options(**{**TINY, "dropout": 0.0, **changed})


def pairs(ours: PaperAgent, theirs: Any) -> list[tuple[Tensor, list[Tensor]]]:
    """Each parameter of the file's agent, and those of the package's that it is put together from, side by side."""
    navigation, attention, cell = ours.navigation, ours.navigation.attention, ours.navigation.encoder.cells[0]
    assert isinstance(navigation.encoder.embedding, nn.Embedding)
    first = ours.help.hidden[0]
    nav, look = theirs.nav, theirs.nav.attention
    cover_input = [attention.cover_context.weight, attention.cover_hidden.weight, attention.cover_weight]
    return [
        (nav.word_embedding.weight, [navigation.encoder.embedding.weight]),
        (nav.encoder.weight_ih_l0, [cell.input.weight]),
        (nav.encoder.weight_hh_l0, [cell.recurrent.weight]),
        (nav.encoder.bias_ih_l0, [cell.input.bias]),
        (nav.encoder.bias_hh_l0, [cell.recurrent.bias]),
        (nav.nav_embedding.weight, [navigation.nav_embedding.weight]),
        (nav.ask_embedding.weight, [navigation.ask_embedding.weight]),
        (
            nav.decoder.weight_ih,
            [each.weight for each in (navigation.view_input, navigation.nav_input, navigation.ask_input)],
        ),
        (nav.decoder.bias_ih, [navigation.view_input.bias]),
        (nav.decoder.weight_hh, [navigation.recurrent.weight]),
        (nav.decoder.bias_hh, [navigation.recurrent.bias]),
        (nav.output.weight, [navigation.output.weight]),
        (nav.output.bias, [navigation.output.bias]),
        (look.query.weight, [attention.query.weight]),
        (look.combine.weight, [attention.combine.weight]),
        (look.uncover.weight, [attention.uncover.weight]),
        (look.uncover.bias, [attention.uncover.bias]),
        (look.cover.weight_ih, cover_input),
        (look.cover.bias_ih, [attention.cover_context.bias]),
        (look.cover.weight_hh, [attention.cover_recurrent.weight]),
        (look.cover.bias_hh, [attention.cover_recurrent.bias]),
        (theirs.ask.budget_embedding.weight, [ours.help.budget_embedding.weight]),
        (theirs.ask.inner.weight, [first.weight]),
        (theirs.ask.inner.bias, [first.bias]),
        (theirs.ask.output.weight, [ours.help.output.weight]),
        (theirs.ask.output.bias, [ours.help.output.bias]),
    ]


def side_by_side(parts: list[Tensor], like: Tensor) -> Tensor:
    return torch.cat([part.reshape(len(like), -1) for part in parts], dim=1).reshape(like.shape)


def both_agents(seed: int = 0) -> tuple[PaperAgent, Any]:
    """The package's agent, and the file's with the same weights."""
    ours = small_agent(seed, **TABLE)
    theirs = single.Agent(WORDS, 8, options())
    found = pairs(ours, theirs)
    assert {id(parameter) for parameter, _ in found} == {id(parameter) for parameter in theirs.parameters()}
    with torch.no_grad():
        for parameter, parts in found:
            parameter.copy_(side_by_side(parts, parameter))
    return ours, theirs


def requested(rollout: Any) -> list[list[bool]]:
    return [[said != -1 for said, nav in zip(*row, strict=True) if nav != -1] for row in zip(
        rollout.subgoals.tolist(), rollout.navs.tolist(), strict=True)]  # fmt: skip


def walked(rollout: Any) -> list[list[int]]:
    return [[nav for nav in row if nav != -1] for row in rollout.navs.tolist()]


class TestBesideThePackage:
    @pytest.mark.parametrize(
        ("name", "policy"), [("learned", Learned()), ("none", Never()), ("first", AtFirst()), ("teacher", AsTaught())]
    )
    def test_agents_with_equal_weights_do_the_same(self, name: str, policy: HelpPolicy) -> None:
        ours, theirs = both_agents()
        episodes = episodes_of()
        with torch.no_grad():
            context = players_of(ours.eval(), ENVIRONMENT, policy, ALONE)
            expected = bcui(episodes, replace(context, help_teacher=HelpTeacher(**RESTLESS)))
            found = single.run_episodes(theirs.eval(), setting(), episodes, options(policy=name, **RESTLESS))
        assert walked(found) == told(expected, "nav")
        assert requested(found) == told(expected, "request")
        assert found.poses[:, -1].tolist() == expected.last_pose().tolist()
        asked = [sum(row) for row in requested(found)]
        assert all(count <= budget for count, budget in zip(asked, episodes.help_budget.tolist(), strict=True))
        assert name == "none" or sum(asked) > 0

    @pytest.mark.parametrize("thresholds", [{}, RESTLESS], ids=["paper", "restless"])
    def test_they_lose_and_learn_the_same(self, thresholds: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
        """In training, the teachers taking part; the learned policy's best action stands for a sampled one."""
        monkeypatch.setattr(torch, "multinomial", lambda chances, _: chances.argmax(dim=1, keepdim=True))
        ours, theirs = both_agents()
        context = players_of(ours.train(), ENVIRONMENT, AsTaught(), LED)
        expected: Rollout = bcui(episodes_of(), replace(context, help_teacher=HelpTeacher(**thresholds)))
        losses = expected.nav_loss(), expected.ask_loss(ours.ask)
        sum(losses, torch.zeros(())).backward()
        collect_gradients(ours)
        found = single.run_episodes(theirs.train(), setting(), episodes_of(), options(**thresholds))
        (found.nav_loss + found.ask_loss).backward()
        assert walked(found) == told(expected, "nav")
        torch.testing.assert_close((found.nav_loss, found.ask_loss), losses)
        for parameter, parts in pairs(ours, theirs):
            gradients = [part.grad for part in parts if part.grad is not None]
            assert parameter.grad is not None and len(gradients) == len(parts)
            torch.testing.assert_close(parameter.grad, side_by_side(gradients, parameter), rtol=1e-4, atol=1e-5)

    @given(seed=st.integers(0, 1 << 30), step=st.integers(0, 18), sure=st.floats(0, 4))
    def test_the_help_teachers_agree(self, seed: int, step: int, sure: float) -> None:
        draw = torch.Generator().manual_seed(seed)
        episodes = episodes_of(seed)
        pose = torch.randint(len(setting().views), (EPISODES,), generator=draw)
        budget, unmoved = (torch.randint(most, (EPISODES,), generator=draw) for most in (4, 12))
        tentative = (sure * torch.randn(EPISODES, 6, generator=draw)).softmax(dim=1)
        thresholds = {"deviation": 3.0, "uncertainty": 0.7, "non_moving": 8}
        now = StepContext(episodes, step, pose, unmoved, budget, tentative, plan=pose)
        expected = HelpTeacher(**thresholds)(now).request  # type: ignore[arg-type]
        found = single.help_teacher(tentative, pose, budget, unmoved, step, episodes, options(**thresholds))
        assert found.tolist() == expected.tolist()

    @given(seed=st.integers(0, 1 << 30))
    def test_random_asks_as_often_as_it_may_within_its_time(self, seed: int) -> None:
        torch.manual_seed(seed)
        episodes = replace(episodes_of(seed), help_budget=torch.arange(EPISODES) % 25)
        planned = single.random_steps(episodes)
        wanted = torch.minimum(episodes.help_budget, episodes.time_budget)
        assert planned.sum(dim=1).tolist() == wanted.tolist()
        last = (planned * torch.arange(1, planned.shape[1] + 1)).amax(dim=1)
        assert bool((last <= episodes.time_budget).all())


def test_the_file_can_be_read_at_a_sitting() -> None:
    lines = FILE.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 350
    comments = [line.rsplit("  # ", 1)[1] for line in lines if "  # " in line]
    numbers = {int(each) for comment in comments for each in re.findall(r"^\d+|(?<=, )\d+|(?<=\d-)\d+", comment)}
    assert {3, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 21, 22, 26, 28, 29, 33} <= numbers, "lines of Algorithm 1"


def run_file(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> None:
    monkeypatch.setattr(sys, "argv", [str(FILE), *map(str, arguments)])
    runpy.run_path(str(FILE), run_name="__main__")


@pytest.mark.parametrize("policy", ["learned", "none", "first", "random", "teacher"])
def test_it_trains_and_its_results_pass_the_check(policy: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    world, tasks = write_cottage(tmp_path)
    out = tmp_path / "new" / "results.json"
    run_file(
        monkeypatch, "--world", world, "--tasks", tasks, "--features", "symbolic", "--iterations", 3, "--batch", 6,
        "--hidden", 16, "--help-hidden", 16, "--word-embedding", 8, "--policy", policy, "--out", out,
    )  # fmt: skip
    data = read_dataset(tasks)
    split = TaskSet.compile(World.compile(read_world(world).houses), data.split("test_unseen"), data.budgets)
    checked = check(out, split, Allowance(seed=123))
    assert not checked.wrong and not checked.missing and not any(claim.differ for claim in checked.claims)
    records = json.loads(out.read_text())
    asked = torch.tensor([sum(record["agent_ask"]) for record in records])
    budget = help_budget(split.time_budget, split.key, seed=123)
    assert [record["help_budget"] for record in records] == budget.tolist()
    if policy == "none":
        assert not asked.any()
    if policy == "first":
        assert asked.tolist() == torch.minimum(budget, checked.trace.length).tolist()


@pytest.mark.slow
def test_losses_fall(tmp_path: Path) -> None:
    world, tasks = write_cottage(tmp_path)
    compiled, data = World.compile(read_world(world).houses), read_dataset(tasks)
    views = single.world_views(read_world(world), compiled, "symbolic")["symbolic"]
    bound_advisor = ADVISOR.ready(data.vocabulary)
    place = single.Setting(torch.from_numpy(views), len(data.vocabulary), ADVISOR, bound_advisor.phrases.tails)
    split = TaskSet.compile(compiled, data.split("train"), vocabulary=data.vocabulary)
    given_options = options(iterations=50, batch=6, learning_rate=0.02, hidden=32, help_hidden=16)
    _, losses = single.train(place, split, given_options)
    first, last = (torch.tensor(part).mean(dim=0)[0] for part in (losses[:5], losses[-5:]))
    assert last < 0.8 * first


def test_several_splits_have_a_file_each(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    world, tasks = write_cottage(tmp_path)
    run_file(
        monkeypatch, "--world", world, "--tasks", tasks, "--features", "symbolic", "--iterations", 0, "--splits",
        "test_seen,test_unseen", "--out", tmp_path / "mine.json",
    )  # fmt: skip
    assert {path.name for path in tmp_path.glob("*.json")} == {"mine_test_seen.json", "mine_test_unseen.json"}


@pytest.mark.parametrize(
    ("wrong", "line"),
    [
        (("--batch", "0"), "batch 0: must be a whole number from 1"),
        (("--splits", "nowhere"), "has no split 'nowhere'"),
        (("--world", "nowhere"), "nowhere"),
        (("--features", "unmade"), "unmade"),
    ],
)
def test_bad_input_is_told_in_a_line(
    wrong: tuple[str, str], line: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world, tasks = write_cottage(tmp_path)
    places = ("--world", world, "--tasks", tasks, "--features", "symbolic", "--out", tmp_path / "results.json")
    with pytest.raises(SystemExit) as left:
        run_file(monkeypatch, *places, *wrong)
    assert left.value.code == 2
    told_there = capsys.readouterr().err
    assert line in told_there and told_there.count("\n") == 1
    assert not (tmp_path / "results.json").exists()
