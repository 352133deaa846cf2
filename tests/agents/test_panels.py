"""Products with a weight in panels are products."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from torch import Tensor

from vnla.agents.layers import panels
from vnla.agents.layers.arranged import InPanels

SIZES = [(1, 1, 1), (6, 64, 64), (7, 5, 70), (13, 300, 528), (101, 64, 130)]


@pytest.fixture(autouse=True, params=[1, 3])
def threads(request: pytest.FixtureRequest) -> Iterator[None]:
    """So many threads share the panels."""
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield
    torch.set_num_threads(before)


def layer(inputs: int, outputs: int, *, bias: bool = True) -> tuple[InPanels, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(inputs)
    weight, added = torch.randn(outputs, inputs, generator=generator), torch.randn(outputs, generator=generator) * bias
    memory = {name: torch.full((200_000,), torch.nan) for name in ("forth", "back")}
    products = InPanels(
        weight, added if bias else None, lambda name, *shape: memory[name][: shape[0] * shape[1]].view(shape)
    )
    return products, weight, added


def apart(rows: int, columns: int, gap: int = 3) -> Tensor:
    """Rows that do not lie next to each other."""
    return torch.randn(rows, columns + gap, generator=torch.Generator().manual_seed(rows))[:, :columns]


@pytest.mark.parametrize(("rows", "inputs", "outputs"), SIZES)
@pytest.mark.parametrize("bias", [False, True])
def test_a_layer_in_panels_is_a_layer(rows: int, inputs: int, outputs: int, bias: bool) -> None:
    products, weight, added = layer(inputs, outputs, bias=bias)
    values = apart(rows, inputs)
    expected = values @ weight.T + added
    torch.testing.assert_close(products.forward(values), expected, rtol=1e-4, atol=1e-4)
    room = apart(rows, outputs + 2)
    beside, out = room[:, outputs:].clone(), room[:, :outputs]
    assert products.forward(values, out=out) is out
    torch.testing.assert_close(out, expected, rtol=1e-4, atol=1e-4)
    assert torch.equal(room[:, outputs:], beside), "what lies behind a row is somebody else's"


@pytest.mark.parametrize(("rows", "inputs", "outputs"), SIZES)
def test_products_are_added_in_place_or_elsewhere(rows: int, inputs: int, outputs: int) -> None:
    products, weight, _ = layer(inputs, outputs)
    values, sums = apart(rows, inputs), apart(rows, outputs)
    before, expected = sums.clone(), sums + values @ weight.T
    other = torch.empty(rows, outputs)
    torch.testing.assert_close(products.add(values, sums, out=other), expected, rtol=1e-4, atol=1e-4)
    assert torch.equal(sums, before)
    assert products.add(values, sums) is sums
    assert torch.equal(sums, other)


@pytest.mark.parametrize(("rows", "inputs", "outputs"), SIZES)
def test_the_gradient_of_the_inputs(rows: int, inputs: int, outputs: int) -> None:
    products, weight, _ = layer(inputs, outputs)
    gradient = apart(rows, outputs)
    torch.testing.assert_close(products.backward(gradient, 0), gradient @ weight, rtol=1e-4, atol=1e-4)


def test_a_row_is_computed_like_any_other() -> None:
    """Whatever stands beside it, whoever computes it: or a training would depend on how many episodes are going on."""
    products, _, _ = layer(300, 528)
    values = apart(20, 300)
    together = products.forward(values)
    for row in range(len(values)):
        assert torch.equal(products.forward(values[row : row + 1]), together[row : row + 1])


def test_arrays_that_do_not_fit_are_refused() -> None:
    """Rather than to write where somebody else's numbers are."""
    products, _, _ = layer(64, 70)
    with pytest.raises(ValueError, match="do not fit"):
        products.forward(apart(5, 63))
    with pytest.raises(ValueError, match="do not fit"):
        products.forward(apart(5, 64), out=torch.empty(4, 70))
    with pytest.raises(ValueError, match="do not fit"):
        products.forward(apart(64, 5).T)


def test_more_rows_than_pay_are_multiplied_otherwise() -> None:
    products, weight, added = layer(64, 70)
    values = apart(600, 64)
    torch.testing.assert_close(products.forward(values), values @ weight.T + added, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(products.backward(products.forward(values), 0), products.forward(values) @ weight)


def test_panels_are_for_machines_that_have_wide_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "AVX2")
    assert not panels.available()
