"""The mind that learns is compared with the plain one, and chosen for exactly the equations that it contains."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from benchmarks.setting import Setting, bare_setting
from vnla.agents.fast import registry
from vnla.agents.fast.cpu.state import CpuState
from vnla.agents.fast.cpu.tape import CpuTape
from vnla.agents.fast.gpu.state import CudaGraphState
from vnla.agents.layers.deferred import DeferredLinear, collect_gradients
from vnla.agents.navigation import Attention, NavigationModule
from vnla.agents.paper import PaperAgent
from vnla.agents.plain import PlainState
from vnla.agents.policy_state import PolicyState
from vnla.bcui import bcui
from vnla.common.batching import Batching
from vnla.common.errors import InputError
from vnla.training import fast_check
from vnla.training.config import TrainingConfig
from vnla.training.fast_check import check_fast, compare_fast
from vnla.training.trainer import Trainer


def setting_of(agent: str = "paper", **options: object) -> Setting:
    return bare_setting(12, hidden=16, view_size=8, seed=0, device="cpu", houses=2, agent=agent, options=options)


@pytest.fixture
def setting() -> Setting:
    return setting_of()


def agent_of(setting: Setting) -> PaperAgent:
    assert isinstance(setting.context.agent, PaperAgent)
    return setting.context.agent


def fixed(setting: Setting) -> Setting:
    return replace(setting, context=replace(setting.context, batching=Batching(fixed=True)))


@pytest.mark.parametrize("policy_state", [CpuState, CudaGraphState])
def test_both_fast_minds_decide_as_the_plain_one(
    policy_state: type[PolicyState], setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vnla.agents.paper.state_for", lambda _: policy_state)
    where = fixed(setting) if policy_state is CudaGraphState else setting
    agent_of(where).train()
    assert 0 < compare_fast(where.context, where.tasks) < 1e-5
    assert agent_of(where).training


AT_THE_PAPERS_SIZES = [("cuda", 512, 1280, 100, "float32", 0.02), ("cuda", 512, 1280, 100, "tf32", 0.2)]
"""A last digit may send one episode of a hundred elsewhere, and products in tf32 have three."""


@pytest.mark.parametrize(
    ("device", "hidden", "view_size", "batch", "precision", "apart"),
    [("cpu", 16, 8, 12, "float32", 1e-4), *(AT_THE_PAPERS_SIZES if torch.cuda.is_available() else [])],
)
def test_the_mind_of_a_gpu_has_the_plain_gradients(
    device: str, hidden: int, view_size: int, batch: int, precision: str, apart: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of every parameter, after an iteration; what is between them, as a part of their length."""

    def slopes(policy_state: type[PolicyState], precision: str) -> dict[str, Tensor]:
        monkeypatch.setattr("vnla.agents.paper.state_for", lambda _: policy_state)
        given = {"hidden": hidden, "view_size": view_size, "seed": 0, "device": device, "options": {"dropout": 0.0}}
        setting = fixed(bare_setting(2 * batch, houses=4, **given))
        config = TrainingConfig(batch=batch, precision=precision)
        trainer = Trainer(setting.context, setting.tasks, config, learns_to_ask=True, eager=True)
        trainer.iterate()
        with trainer.stream.entered():
            parameters = dict(setting.context.agent.named_parameters())
            return {name: each.grad.cpu() for name, each in parameters.items() if each.grad is not None}

    mine, plain = slopes(CudaGraphState, precision), slopes(PlainState, "float32")
    assert mine.keys() == plain.keys()
    for name, slope in plain.items():
        assert (mine[name] - slope).norm() < apart * slope.norm(), name


def test_a_fast_mind_that_computes_something_else_is_refused(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = CpuTape.see

    def dimmed(self: CpuTape, view: Tensor, last: Tensor) -> object:
        return plain(self, view * 0.9, last)

    monkeypatch.setattr(CpuTape, "see", dimmed)
    trainer = Trainer(setting.context, setting.tasks, TrainingConfig(batch=6), learns_to_ask=True)
    with pytest.raises(InputError, match=r"PaperAgent: the state it would learn with and the plain one differ by"):
        trainer.iterate()
    assert trainer.done == 0


def asked(difference: float, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Have comparisons counted that are made, in place of making them."""
    made: list[object] = []
    monkeypatch.setattr(fast_check, "compare_fast", lambda *given: made.append(given) or difference)
    return made


def test_a_comparison_that_went_well_is_kept_until_something_changes(
    setting: Setting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, where = asked(2e-6, monkeypatch), (setting.context, setting.tasks)
    for _ in range(2):
        check_fast(*where, "float32", tmp_path)
    assert len(made) == 1
    (file,) = (tmp_path / "minds").iterdir()
    assert json.loads(file.read_text())["difference"] == 2e-6

    check_fast(*where, "tf32", tmp_path)
    larger = bare_setting(12, hidden=24, view_size=8, seed=0, device="cpu", houses=2)
    check_fast(larger.context, larger.tasks, "float32", tmp_path)
    other = setting_of(dropout=0.25)
    check_fast(other.context, other.tasks, "float32", tmp_path)
    monkeypatch.setattr("vnla.common.checksums.of_program", lambda: "changed")
    check_fast(*where, "float32", tmp_path)
    assert len(made) == 5 == len(list((tmp_path / "minds").iterdir()))


@pytest.mark.parametrize("damage", ["", "{", "[]", "{}", '{"compared": {}}', "\udcff"])
def test_a_damaged_one_is_made_again(damage: str, setting: Setting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made, where = asked(0.0, monkeypatch), (setting.context, setting.tasks, "float32", tmp_path)
    check_fast(*where)
    (file,) = (tmp_path / "minds").iterdir()
    good = file.read_bytes()
    file.write_bytes(damage.encode("utf-8", "surrogateescape"))
    check_fast(*where)
    assert len(made) == 2 and file.read_bytes() == good


def test_what_differs_is_not_kept(setting: Setting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_check, "TOLERANCE", {"float32": 0.0})
    for _ in range(2):
        with pytest.raises(InputError, match="differ by"):
            check_fast(setting.context, setting.tasks, "float32", tmp_path)
    assert not list(tmp_path.iterdir())


def test_where_nothing_can_be_kept_it_is_compared_every_time(
    setting: Setting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, file = asked(0.0, monkeypatch), tmp_path / "no folder"
    file.write_text("")
    for kept in (file, file, None, None):
        check_fast(setting.context, setting.tasks, "float32", kept)
    assert len(made) == 4


def test_of_code_that_is_not_ours_nothing_is_kept(setting: Setting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = asked(0.0, monkeypatch)
    somebodys = replace(setting.context, agent=Somebodys(agent_of(setting).config))
    for _ in range(2):
        check_fast(somebodys, setting.tasks, "float32", tmp_path)
    assert len(made) == 2 and not list(tmp_path.iterdir())


class Somebodys(PaperAgent):
    """Made elsewhere."""


def test_what_has_one_mind_has_nothing_to_compare() -> None:
    two = setting_of(layers=2)
    assert compare_fast(two.context, two.tasks) == 0.0


class Squashed(nn.Linear):
    """Another last layer."""

    def forward(self, values: Tensor) -> Tensor:
        return torch.tanh(super().forward(values)) * 3


class Own(NavigationModule):
    """A subclass that changes nothing, or so one says."""


def other_output(module: NavigationModule) -> NavigationModule:
    module.output = Squashed(16, 6)  # type: ignore[assignment]
    return module


def subclass(module: NavigationModule) -> NavigationModule:
    return Own(module.config)


def hooked(module: NavigationModule) -> NavigationModule:
    module.attention.register_forward_hook(lambda *_: None)
    return module


def forward_replaced(module: NavigationModule) -> NavigationModule:
    module.output.forward = lambda values: values[:, :6] * 2  # type: ignore[method-assign]
    return module


class OtherAttention(Attention):
    """Another part of a part."""


def other_part(module: NavigationModule) -> NavigationModule:
    module.attention = OtherAttention(module.config)
    return module


def wider(module: NavigationModule) -> NavigationModule:
    module.view_input = DeferredLinear(9, 64)
    return module


@pytest.mark.parametrize("change", [other_output, subclass, hooked, forward_replaced, other_part, wider])
def test_a_changed_module_learns_in_the_plain_way(
    change: Callable[[NavigationModule], NavigationModule], setting: Setting
) -> None:
    agent = agent_of(setting)
    assert registry.state_for(agent.navigation) is CpuState
    assert registry.state_for(change(agent.navigation)) is PlainState


def test_another_output_layer_is_the_one_that_learns(setting: Setting) -> None:
    agent = agent_of(setting).train()
    other_output(agent.navigation)
    rollout = bcui(setting.tasks.episodes(torch.arange(6), seed=1), setting.context)
    rollout.nav_loss().backward()
    collect_gradients(agent)
    assert agent.navigation.output.weight.grad is not None and agent.navigation.output.weight.grad.any()


@pytest.mark.parametrize(
    ("agent", "options"),
    [("paper", {"layers": 2, "dropout": 0.0}), ("examples.agent:GruAgent", {"hidden": 16, "embedding": 8})],
)
def test_agents_without_a_fast_mind_learn_the_same_where_sizes_are_fixed(agent: str, options: dict[str, float]) -> None:
    """As for a GPU graph: everything read everywhere, and learned from at the end."""
    results = []
    for prepare in (lambda each: each, fixed):
        setting = prepare(setting_of(agent, **options))
        trainer = Trainer(setting.context, setting.tasks, TrainingConfig(batch=6, learning_rate=1e-2), learns_to_ask=True)
        losses = [trainer.iterate().both() for _ in range(3)]
        results.append((torch.stack(losses), dict(setting.context.agent.named_parameters())))
    (losses, weights), (fixed_losses, fixed_weights) = results
    torch.testing.assert_close(fixed_losses, losses, rtol=1e-4, atol=1e-4)
    for name, weight in weights.items():  # a step is 1e-2, and where a gradient is nearly 0 its last digits decide on a part
        torch.testing.assert_close(fixed_weights[name], weight, rtol=1e-3, atol=5e-4, msg=name)
