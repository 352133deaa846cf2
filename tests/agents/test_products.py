"""The fast ways of a CPU give what the plain ways give."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from vnla.agents.config import AgentConfig
from vnla.agents.encoder import InstructionEncoder
from vnla.agents.layers.cells import LSTMCell, Recurrent, advance
from vnla.agents.layers.deferred import DeferredLinear, collect_gradients
from vnla.agents.layers.products import products_in
from vnla.agents.navigation import attend
from vnla.words import Words


def drawn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).requires_grad_()


def test_a_cell_has_the_gradients_of_its_formula() -> None:
    assert torch.autograd.gradcheck(advance, (drawn(3, 8), drawn(3, 8, seed=1), drawn(3, 2)))
    gates, cell = drawn(3, 8), drawn(3, 2)
    enter, forget, candidate, leave = gates.chunk(4, dim=1)
    reached = forget.sigmoid() * cell + enter.sigmoid() * candidate.tanh()
    expected = Recurrent(leave.sigmoid() * reached.tanh(), reached)
    torch.testing.assert_close(advance(gates, torch.zeros_like(gates), cell), expected)


def test_attention_has_the_gradients_of_its_formula() -> None:
    memory, query, added = drawn(2, 4, 3), drawn(2, 3), drawn(2, 4)
    assert torch.autograd.gradcheck(attend, (memory, query, added))
    weights, summary = attend(memory, query, added)
    expected = torch.softmax((memory * query[:, None]).sum(dim=2) + added, dim=1)
    torch.testing.assert_close(weights, expected)
    torch.testing.assert_close(summary, (expected[:, :, None] * memory).sum(dim=1))


def words(lengths: list[int], width: int) -> Words:
    tokens = torch.randint(1, 9, (len(lengths), width), generator=torch.Generator().manual_seed(len(lengths)))
    length = torch.tensor(lengths)
    return Words(tokens.masked_fill(torch.arange(width) >= length[:, None], 0), length)


def encoder(layers: int) -> InstructionEncoder:
    torch.manual_seed(1)
    return InstructionEncoder(AgentConfig(words=9, hidden=4, word_embedding=3, layers=layers, dropout=0.0)).double()


@given(st.lists(st.integers(1, 5), min_size=1, max_size=6), st.integers(0, 2), st.sampled_from([1, 2]))
@settings(deadline=None, max_examples=40)
def test_words_that_are_not_there_need_not_be_read(lengths: list[int], more: int, layers: int) -> None:
    """Contexts, states and every gradient, sentences in any order, with more or less room behind them."""
    read, given_state = words(lengths, max(lengths) + more), [
        Recurrent(drawn(len(lengths), 4, seed=i), drawn(len(lengths), 4, seed=9 + i)) for i in range(layers)
    ]  # fmt: skip
    results = []
    for way in ("forward", "read_everywhere"):
        module = encoder(layers)
        module.ready_for_reading()
        state = [Recurrent(*(each.detach().clone().requires_grad_() for each in layer)) for layer in given_state]
        context, after = getattr(module, way)(read, state)
        context = context * read.mask()[:, :, None]
        loss = context.sin().sum() + sum((each.cos() * (i + 1)).sum() for i, layer in enumerate(after) for each in layer)
        loss.backward()
        collect_gradients(module)
        module.end_of_reading()
        gradients = [each.grad for each in (*module.parameters(), *(part for layer in state for part in layer))]
        results.append((context, after, gradients))
    torch.testing.assert_close(*results)


def test_a_reading_is_that_of_pytorchs_lstm() -> None:
    module, read = encoder(1), words([2, 5, 1, 3], 5)
    theirs = nn.LSTM(3, 4, batch_first=True).double()
    (cell,) = module.cells
    assert isinstance(cell, LSTMCell)
    with torch.no_grad():
        for name, part in (("ih", cell.input), ("hh", cell.recurrent)):
            getattr(theirs, f"weight_{name}_l0").copy_(part.weight)
            getattr(theirs, f"bias_{name}_l0").copy_(part.bias)
    context, (state,) = module(read, module.start(4))
    packed = pack_padded_sequence(module.embedding(read.tokens), read.length, batch_first=True, enforce_sorted=False)
    outputs, (hidden, last) = theirs(packed)
    torch.testing.assert_close(context, pad_packed_sequence(outputs, batch_first=True)[0])
    torch.testing.assert_close(state, Recurrent(hidden[0], last[0]))


def test_fixed_inputs_are_inputs_without_a_gradient() -> None:
    torch.manual_seed(0)
    layer, plain = DeferredLinear(5, 3).double(), nn.Linear(5, 3).double()
    plain.load_state_dict(layer.state_dict())
    fixed, values = drawn(4, 3).detach(), drawn(4, 2)
    other = values.detach().clone().requires_grad_()
    layer(values, fixed=fixed).sin().sum().backward()
    plain(torch.cat([fixed, other], dim=1)).sin().sum().backward()
    collect_gradients(layer)
    torch.testing.assert_close((layer.weight.grad, values.grad), (plain.weight.grad, other.grad))


@pytest.mark.parametrize("rows", [1, 16, 37])
def test_bfloat16_is_right_to_its_three_digits(rows: int) -> None:
    torch.manual_seed(0)
    layer, plain = DeferredLinear(512, 256), nn.Linear(512, 256)
    plain.load_state_dict(layer.state_dict())
    values = torch.randn(rows, 512)
    ours, theirs = values.clone().requires_grad_(), values.clone().requires_grad_()
    with products_in(torch.bfloat16):
        out = layer(ours)
        assert not torch.equal(out, plain(values)), "in bfloat16 the last digits differ"
        out.sin().sum().backward()
    collect_gradients(layer)
    expected = plain(theirs)
    expected.sin().sum().backward()
    torch.testing.assert_close(out, expected, atol=0.02, rtol=0.02)
    pairs = [(layer.weight.grad, plain.weight.grad), (layer.bias.grad, plain.bias.grad), (ours.grad, theirs.grad)]
    for mine, other in pairs:
        assert mine.dtype == torch.float32
        torch.testing.assert_close(mine, other, atol=0.02 * float(other.abs().max()), rtol=0.02)


def test_weights_that_an_optimiser_changed_are_seen() -> None:
    """A fused optimiser changes parameters without raising their version."""
    layer, values = DeferredLinear(3, 2), torch.ones(4, 3)
    optimiser = torch.optim.Adam(layer.parameters(), lr=0.5, fused=True)
    before = layer(values)
    before.sum().backward()
    collect_gradients(layer)
    optimiser.step()
    torch.testing.assert_close(layer(values), nn.functional.linear(values, layer.weight, layer.bias))
    assert not torch.equal(layer(values), before)
