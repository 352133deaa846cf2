"""Deferred linear layers give the gradients of plain ones."""

from __future__ import annotations

import copy

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from vnla.agents.layers.deferred import DeferredLinear, collect_gradients


def pair(inputs: int, outputs: int, bias: bool = True, seed: int = 0) -> tuple[DeferredLinear, nn.Linear]:
    torch.manual_seed(seed)
    deferred = DeferredLinear(inputs, outputs, bias).double()
    plain = nn.Linear(inputs, outputs, bias).double()
    plain.load_state_dict(deferred.state_dict())
    return deferred, plain


def some_loss(layer: nn.Module, calls: list[Tensor]) -> Tensor:
    """Every call's output counts differently."""
    return torch.stack([(layer(values).sin() * (i + 1)).sum() for i, values in enumerate(calls)]).sum()


shapes = st.lists(st.lists(st.integers(1, 4), min_size=1, max_size=3), min_size=1, max_size=4)


@given(shapes, st.booleans(), st.lists(st.booleans(), min_size=4, max_size=4), st.integers(0, 1000))
@settings(deadline=None, max_examples=60)
def test_the_gradients_are_those_of_a_plain_layer(
    leading: list[list[int]], bias: bool, wanted: list[bool], seed: int
) -> None:
    """Any number of calls of any shapes, with inputs that need a gradient and inputs that do not."""
    deferred, plain = pair(3, 5, bias, seed)
    given_inputs = [torch.randn(*shape, 3, dtype=torch.float64) for shape in leading]
    ours, theirs = (
        [each.clone().requires_grad_(need) for each, need in zip(given_inputs, wanted, strict=False)] for _ in range(2)
    )
    loss, expected = some_loss(deferred, ours), some_loss(plain, theirs)
    torch.testing.assert_close(loss, expected)
    loss.backward()
    expected.backward()
    collect_gradients(deferred)
    for mine, other in zip([*deferred.parameters(), *ours], [*plain.parameters(), *theirs], strict=True):
        assert (mine.grad is None) == (other.grad is None)
        if other.grad is not None:
            torch.testing.assert_close(mine.grad, other.grad)


def test_collecting_leaves_nothing_behind_and_adds_to_what_is_there() -> None:
    deferred, plain = pair(3, 2)
    values = torch.randn(4, 3, dtype=torch.float64)
    for _ in range(2):
        for layer in (deferred, plain):
            some_loss(layer, [values, values * 2]).backward()
        collect_gradients(deferred)
        assert not deferred.pending
        torch.testing.assert_close(deferred.weight.grad, plain.weight.grad)
    before = deferred.weight.grad.clone()
    collect_gradients(deferred)
    assert torch.equal(deferred.weight.grad, before)
    deferred.zero_grad()
    plain.zero_grad()
    for layer in (deferred, plain):
        some_loss(layer, [values]).backward()
    collect_gradients(deferred)
    torch.testing.assert_close(deferred.bias.grad, plain.bias.grad)


def test_without_gradients_nothing_is_kept() -> None:
    deferred, plain = pair(3, 2)
    values = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
    with torch.no_grad():
        assert torch.equal(deferred(values), plain(values))
    assert not deferred.pending
    deferred.requires_grad_(False)
    deferred(values).sum().backward()
    assert not deferred.pending
    assert deferred.weight.grad is None and values.grad is not None


def test_a_call_that_the_loss_does_not_use_adds_nothing() -> None:
    deferred, plain = pair(3, 2)
    values = torch.randn(4, 3, dtype=torch.float64)
    for layer in (deferred, plain):
        layer(values * 3)
        some_loss(layer, [values]).backward()
    collect_gradients(deferred)
    torch.testing.assert_close(deferred.weight.grad, plain.weight.grad)


def test_collecting_reaches_layers_inside_layers() -> None:
    torch.manual_seed(1)
    nest = nn.Sequential(DeferredLinear(3, 4), nn.Tanh(), nn.Sequential(DeferredLinear(4, 2))).double()
    plain = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Sequential(nn.Linear(4, 2))).double()
    plain.load_state_dict(nest.state_dict())
    values = torch.randn(5, 3, dtype=torch.float64)
    for network in (nest, plain):
        network(values).pow(2).sum().backward()
    collect_gradients(nest)
    for mine, other in zip(nest.parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(mine.grad, other.grad)


def test_collected_gradients_are_plain_numbers_without_a_history() -> None:
    """The inputs of later layers have a history, which would keep a whole episode alive in the gradient."""
    nest = nn.Sequential(DeferredLinear(3, 4), DeferredLinear(4, 2))
    nest(torch.ones(1, 3)).sum().backward()
    collect_gradients(nest)
    assert not any(each.grad.requires_grad for each in nest.parameters())


def test_a_copy_of_a_layer_has_its_own_list() -> None:
    deferred, _ = pair(3, 2)
    other = copy.deepcopy(deferred)
    other(torch.ones(1, 3, dtype=torch.float64)).sum().backward()
    collect_gradients(deferred)
    assert deferred.weight.grad is None
    assert len(other.pending) == 1
