"""The mind that a CPU trains is the plain one: the same decisions and gradients, with the same dropout."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from agents.small import cottage_environment, drawn_episodes, players_of, small_agent
from vnla.agents.fast.cpu.state import CpuState
from vnla.agents.layers.deferred import collect_gradients
from vnla.agents.paper import PaperAgent
from vnla.assistance.acting import BCUI
from vnla.assistance.help_policies import AsTaught
from vnla.bcui import bcui
from vnla.rollout import Rollout

KEYS = torch.arange(200, 230)


def trained_once(agent: PaperAgent, keeps_ended: bool = False) -> Rollout:
    torch.manual_seed(3)
    environment = cottage_environment()
    context = players_of(agent.train(), environment, AsTaught(), BCUI, keeps_ended=keeps_ended)
    rollout = bcui(drawn_episodes(environment, KEYS), context)
    (rollout.nav_loss() + rollout.ask_loss(agent.ask)).backward()
    collect_gradients(agent)
    return rollout


def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CpuState, "suits", lambda _: False)


@pytest.mark.parametrize("keeps_ended", [False, True])
@pytest.mark.parametrize(("dropout", "nav_embedding", "coverage"), [(0.0, 3, 3), (0.5, 20, 10), (0.3, 3, 14)])
def test_the_same_is_decided_and_learned_as_in_the_plain_way(
    dropout: float, nav_embedding: int, coverage: int, keeps_ended: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With episodes that end at different steps, that ask at some and hear something else every time."""
    sizes = {"dropout": dropout, "nav_embedding": nav_embedding, "coverage": coverage, "hidden": 20}
    ours, theirs = (small_agent(4, **sizes) for _ in range(2))
    rollout = trained_once(ours, keeps_ended)
    plain(monkeypatch)
    expected = trained_once(theirs, keeps_ended)
    assert rollout.logits is not None and expected.logits is None
    assert sum(int(transition.request.sum()) for transition in rollout.transitions) > 20
    assert len({len(transition.row) for transition in rollout.transitions}) > 3 or keeps_ended
    deciding = [int((transition.active & (transition.budget > 0)).sum()) for transition in rollout.transitions]
    assert 0 in deciding and any(
        0 < each < len(transition.row) for each, transition in zip(deciding, rollout.transitions, strict=True)
    )
    for own, transition in zip(rollout.transitions, expected.transitions, strict=True):
        may_ask = own.active & (own.budget > 0)
        for name, rows in (("tentative", may_ask), ("ask_features", may_ask), ("final", torch.ones_like(may_ask))):
            torch.testing.assert_close(
                getattr(own, name)[rows], getattr(transition, name)[rows].detach(), rtol=1e-4, atol=1e-5, msg=name
            )
        assert torch.equal(own.nav, transition.nav) and torch.equal(own.request, transition.request)
    for (name, one), other in zip(ours.named_parameters(), theirs.parameters(), strict=True):
        assert one.grad is not None and other.grad is not None, name
        torch.testing.assert_close(one.grad, other.grad, rtol=1e-4, atol=1e-4 * float(other.grad.abs().max()), msg=name)


def test_a_second_batch_finds_the_room_of_the_first_and_two_at_once_do_not_share_one() -> None:
    agent = small_agent(4, dropout=0.3)
    before = _gradients(trained_once, agent)
    again = _gradients(trained_once, agent)
    assert all(torch.equal(before[name], again[name]) for name in before)
    environment = cottage_environment()
    context = players_of(agent, environment, AsTaught(), BCUI)
    losses = []
    for _ in range(2):
        torch.manual_seed(3)
        losses.append(bcui(drawn_episodes(environment, KEYS), context).nav_loss())
    agent.zero_grad()
    for loss in losses:
        loss.backward()
    for name, each in agent.navigation.named_parameters():
        assert each.grad is not None
        torch.testing.assert_close(each.grad, 2 * before[f"navigation.{name}"], msg=name)


def test_gradients_are_taken_once() -> None:
    agent = small_agent(4)
    environment = cottage_environment()
    rollout = bcui(drawn_episodes(environment, KEYS), players_of(agent, environment, AsTaught(), BCUI))
    loss = rollout.nav_loss()
    loss.backward(retain_graph=True)
    with pytest.raises(RuntimeError, match="once"):
        loss.backward()


@pytest.mark.parametrize("sizes", [{"layers": 2}, {"coverage": 15}])
def test_agents_that_do_not_suit_think_in_the_plain_way(sizes: dict[str, int]) -> None:
    agent = small_agent(4, **sizes)
    assert not CpuState.suits(agent.navigation)
    assert trained_once(agent).logits is None
    assert not CpuState.suits(small_agent(4).double().navigation)


def _gradients(train: object, agent: PaperAgent) -> dict[str, Tensor]:
    agent.zero_grad()
    assert callable(train)
    train(agent)
    return {name: each.grad.clone() for name, each in agent.named_parameters() if each.grad is not None}
