"""What a graph is made of: functions that are compiled for it, and, where there is a GPU, the graph itself."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
import torch

from agents.small import cottage_environment, drawn_episodes, players_of, small_agent, views_of
from benchmarks.setting import Setting, bare_setting
from lanes import losses_read
from vnla.agents.fast.gpu.state import CudaGraphState
from vnla.agents.sensor_registry import sensors_named
from vnla.assistance.acting import BCUI
from vnla.assistance.following import Following, Led
from vnla.assistance.help_policies import AsTaught, AtFirst, AtRandom, HelpPolicy
from vnla.assistance.valued import Tried, Valued
from vnla.bcui import bcui
from vnla.common import capture
from vnla.common.batching import Batching
from vnla.common.capture import CACHES, fused, fusing, load_compilers
from vnla.common.errors import InputError
from vnla.evaluation.confidence import Estimate
from vnla.evaluation.evaluate import evaluate
from vnla.training.config import TrainingConfig
from vnla.training.objectives.registry import objective
from vnla.training.practice import SubgoalPractice
from vnla.training.trainer import Trainer

NAMES = ("pose", "nav", "request", "reason", "heard", "taught", "budget", "active")


@cache
def traced(function: Callable[..., object]) -> Callable[..., object]:
    """As `torch.compile` traces it, and run as it is: no compiler is needed."""
    return torch.compile(function, backend="eager", dynamic=False, fullgraph=True)


@pytest.mark.parametrize(
    ("policy", "sensors"),
    [
        pytest.param(AsTaught(), "", marks=pytest.mark.slow),
        pytest.param(AtRandom(), "", marks=pytest.mark.slow),
        (Tried(AtFirst(), 0.5), ""),
        (AsTaught(), "clock,requests,advice,been,views,panorama,exits,places"),
    ],
)
def test_what_is_traced_for_a_graph_does_what_the_plain_functions_do(
    policy: HelpPolicy, sensors: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole walk, in one piece, with the same trace for every step; with all sensors, through a veil, half of the
    subgoals followed by the agent itself."""
    monkeypatch.setattr("vnla.common.capture._compiled", traced)
    environment, key = cottage_environment(), torch.arange(40, 52)
    torch._dynamo.reset()
    tables = []
    for compiled in (False, True):
        named, seen = sensors_named(sensors), views_of(environment)
        agent = small_agent(9, view_size=8 + sum(sense.size_with(seen) for sense in named.values())).eval()
        context = players_of(agent, environment, policy, BCUI)
        noticed = {name: sense.ready(agent, environment.world, seen) for name, sense in named.items()}
        following = Following.within(environment.world) if sensors else Led()
        following.advance(0.5)
        veil = 0.3 if sensors else 0.0
        context = replace(context, batching=Batching(fixed=True), sensors=noticed, feature_dropout=veil, following=following)
        with torch.no_grad():
            if compiled:
                with fusing(torch.device("cpu")), torch._dynamo.config.patch(error_on_recompile=True):
                    rollout = bcui(drawn_episodes(environment, key), context)
            else:
                rollout = bcui(drawn_episodes(environment, key), context)
        tables.append({name: rollout.table(name) for name in NAMES})
    for name in NAMES:
        assert torch.equal(tables[0][name], tables[1][name]), name


@pytest.mark.slow
def test_one_run_compiles_all_that_an_iteration_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    """So a graph can be captured after it: compiling in a capture would break it."""
    monkeypatch.setattr("vnla.common.capture._compiled", traced)
    monkeypatch.setattr("vnla.agents.paper.state_for", lambda _: CudaGraphState)
    setting = bare_setting(12, hidden=16, view_size=8, seed=0, device="cpu", houses=2)
    context = replace(setting.context, batching=Batching(fixed=True))
    trainer = Trainer(context, setting.tasks, TrainingConfig(batch=4), learns_to_ask=True)
    trainer.compare()
    torch._dynamo.reset()
    with fusing(torch.device("cpu")):
        trainer.iterate()
        compiled = torch._dynamo.utils.counters["stats"]["unique_graphs"]
        with torch._dynamo.config.patch(error_on_recompile=True):
            trainer.iterate()
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == compiled > 0


def test_a_fused_function_is_plain_outside_of_a_graph() -> None:
    given = []

    @fused
    def noted(number: int) -> None:
        given.append(number)

    noted(3)
    assert given == [3] and isinstance(given[0], int)


def test_without_a_c_compiler_there_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    with pytest.raises(InputError, match="there is no C compiler: install gcc"):
        load_compilers()


def test_a_place_for_kernels_is_chosen_before_compilers_are_loaded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The place is where a person's programs keep such things."""
    for name in CACHES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("CC", "cc")
    loaded: list[tuple[str, str | None]] = []
    monkeypatch.setattr(capture, "import_module", lambda name: loaded.append((name, os.environ.get(CACHES[0]))))
    monkeypatch.setattr(capture, "_sum_compilers", lambda: None)
    load_compilers()
    assert loaded == [("torch._inductor.compile_fx", str(tmp_path / "vnla" / "kernels"))]


@pytest.mark.slow
def test_kernels_are_kept_where_a_persons_programs_keep_such_things(tmp_path: Path) -> None:
    """PyTorch's compilers choose a place of their own when they are loaded, unless they were told of one."""
    asked = "from vnla.common.capture import load_compilers, keep_kernels as kept; load_compilers(); print(kept())"
    without = {name: value for name, value in os.environ.items() if name not in CACHES}
    told = subprocess.run(
        [sys.executable, "-c", asked], env={**without, "XDG_CACHE_HOME": str(tmp_path)}, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert told.stdout.strip() == str(tmp_path / "vnla" / "kernels")


def success(setting: Setting, trainer: Trainer) -> Estimate:
    """How often the agent succeeds, under the authors' five seeds."""
    judged = setting.of_evaluation()
    with trainer.stream.entered():
        trainer.context.agent.eval()
        return evaluate(judged.context, setting.tasks).summary()["success_rate"]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("precision", ["float32", "tf32"])
def test_graph_and_eager_have_the_same_losses_and_end_with_the_same_parameters_and_success(precision: str) -> None:
    losses, agents, successes = [], [], []
    for eager in (False, True):
        setting = bare_setting(500, hidden=64, view_size=128, seed=0, device="cuda", houses=4)
        config = TrainingConfig(batch=20, precision=precision)
        trainer = Trainer(setting.context, setting.tasks, config, learns_to_ask=True, eager=eager)
        losses.append([losses_read(trainer, trainer.iterate()) for _ in range(200)])
        agents.append(trainer.context.agent)
        successes.append(success(setting, trainer))
    torch.testing.assert_close(torch.tensor(losses[0]), torch.tensor(losses[1]), rtol=1e-3, atol=1e-3)
    for one, other in zip(*(agent.parameters() for agent in agents), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-2, atol=1e-4)
    one, other = successes
    assert abs(one.mean - other.mean) <= max(one.margin, other.margin, 0.2), "of 2,500 episodes five may differ"


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("language", ["template", "grammar"])
def test_so_have_those_who_follow_by_themselves(language: str) -> None:
    """Each iteration from the same state, as below; how many subgoals are the agent's own changes from one to the next."""

    def trainer(*, eager: bool) -> Trainer:
        setting = bare_setting(500, hidden=64, view_size=128, seed=0, device="cuda", houses=4, language=language)
        world = setting.tasks.environment.world
        context = replace(setting.context, following=Following.within(world), acting=BCUI)
        return Trainer(context, setting.tasks, TrainingConfig(iterations=30, batch=20), learns_to_ask=True, eager=eager)

    whole, plain, losses = trainer(eager=False), trainer(eager=True), []
    for _ in range(30):
        losses.append([losses_read(each, each.iterate()) for each in (plain, whole)])
        _align(whole, plain)
    one, other = torch.tensor(losses).unbind(dim=1)
    assert (torch.isclose(one, other, rtol=1e-3, atol=1e-3).all(dim=1)).float().mean() > 0.8


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("language", ["template", "grammar"])
def test_so_have_those_who_practise(language: str) -> None:
    """Each iteration from the same state has nearly the same gradients, of episodes and practice together."""

    def trainer(*, eager: bool) -> Trainer:
        setting = bare_setting(500, hidden=64, view_size=128, seed=0, device="cuda", houses=4, language=language)
        config, practice = TrainingConfig(batch=20), SubgoalPractice(3)
        return Trainer(setting.context, setting.tasks, config, learns_to_ask=True, practice=practice, eager=eager)

    def gradients(each: Trainer) -> torch.Tensor:
        each.iterate()
        with each.stream.entered():
            parts = [value.grad.flatten() for value in each.context.agent.parameters() if value.grad is not None]
            return torch.cat(parts).cpu()

    whole, plain, alike = trainer(eager=False), trainer(eager=True), []
    for _ in range(20):
        one, other = gradients(plain), gradients(whole)
        alike.append(float(torch.cosine_similarity(one, other, dim=0)) > 0.99)
        _align(whole, plain)
    assert sum(alike) > 16


def _align(one: Trainer, other: Trainer) -> None:
    """Give one what the other has learned, where it lies: a graph knows places."""
    with torch.no_grad():
        for name, part in one.parts.items():
            for mine, theirs in zip(part.parameters(), other.parts[name].parameters(), strict=True):
                mine.copy_(theirs)
                for moment, value in one.optimiser.state.get(mine, {}).items():
                    value.copy_(other.optimiser.state[theirs][moment])


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("name", ["reward", "worth", "asking"])
def test_so_have_other_objectives_with_all_senses(name: str) -> None:
    """Each iteration from the same state: actions are drawn, so that a last digit may send an episode elsewhere, and Adam's
    first steps make much of it. So the losses of most iterations are nearly the same."""

    def trainer(*, eager: bool) -> Trainer:
        aim = objective(name)
        setting = bare_setting(
            500, hidden=64, view_size=128, seed=0, device="cuda", houses=4, sensors="clock,requests,advice,been"
        ).learning(aim, Valued())
        config = TrainingConfig(batch=200)
        return Trainer(setting.context, setting.tasks, config, learns_to_ask=True, objective=aim, eager=eager)

    whole, plain, losses = trainer(eager=False), trainer(eager=True), []
    for _ in range(30):
        losses.append([losses_read(plain, plain.iterate()), losses_read(whole, whole.iterate())])
        _align(whole, plain)
    one, other = torch.tensor(losses).unbind(dim=1)
    assert (torch.isclose(one, other, rtol=0.03, atol=0.03).all(dim=1)).float().mean() > 0.8
