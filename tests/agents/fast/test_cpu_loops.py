"""The loops in machine code are the plain operations, forward and backward."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
import torch
from torch import Tensor

from vnla.agents.fast.cpu import loops
from vnla.agents.fast.cpu.loops import COLUMNS
from vnla.agents.fast.gpu.kernels import attend as plain
from vnla.agents.layers import loops as layer_loops
from vnla.agents.layers.cells import advance

ROWS, HIDDEN, SIZE, PLACES, TAILS = 19, 37, 5, 4, 3
LEAST, SCALE = np.int16(-6000), np.float32(1.7)


@pytest.fixture(autouse=True, params=[1, 3])
def threads(request: pytest.FixtureRequest) -> Iterator[None]:
    """So many threads share the rows."""
    torch.manual_seed(0)
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield
    torch.set_num_threads(before)


def dropout_seeds(*shape: int) -> Tensor:
    return torch.randint(-32768, 32768, shape, dtype=torch.int16)


def kept(drawn: Tensor) -> Tensor:
    return (drawn >= int(LEAST)) * float(SCALE)


def arrays(*tensors: Tensor) -> list[np.ndarray]:
    return [each.detach().numpy() for each in tensors]


def close(one: Tensor, other: Tensor) -> None:
    torch.testing.assert_close(one, other.detach(), rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize(
    ("ours", "theirs"), [(loops.exp, torch.exp), (loops.sigmoid, torch.sigmoid), (loops.tanh, torch.tanh)]
)
def test_functions_are_right_to_seven_digits(
    ours: Callable[[np.float32], float], theirs: Callable[[Tensor], Tensor]
) -> None:
    values = torch.cat([torch.linspace(-30, 30, 500), torch.tensor([-200.0, 200.0, 0.0])])
    values = values[values < 80] if ours is loops.exp else values
    one = torch.tensor([ours(np.float32(each)) for each in values.tolist()])
    torch.testing.assert_close(one, theirs(values), rtol=1e-6, atol=2e-7)


def test_random_words_are_those_of_splitmix64() -> None:
    """Worked out with Python's whole numbers; the first is in the tests of every implementation."""
    out = np.empty(5000, np.int64)
    layer_loops.draw(np.int64(1234567), out)
    state, mask, expected = 1234567, (1 << 64) - 1, []
    for _ in out:
        state = (state + 0x9E3779B97F4A7C15) & mask
        word = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & mask
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & mask
        expected.append(word ^ (word >> 31))
    assert expected[0] == 6457827717110365317
    assert out.view(np.uint64).tolist() == expected


def test_large_matrices_are_transposed_to_the_last_square() -> None:
    for shape in ((40, 33), (16, 16), (5, 70), (1, 1)):
        matrix = torch.randn(shape)
        out = torch.empty(shape[1], shape[0] + 3)[:, : shape[0]]
        layer_loops.transpose(*arrays(matrix, out))
        assert torch.equal(out, matrix.T)


def test_rows_of_a_table_are_looked_up_dropped_and_learned() -> None:
    table, index, drawn = torch.randn(9, 6).requires_grad_(), torch.tensor([0, 4, 4, 2]), dropout_seeds(4, 5)
    out = torch.full((4, 8), torch.nan)
    loops.look_up(*arrays(table, index), 3, drawn.numpy(), LEAST, SCALE, out.numpy())
    expected = table[3 + index, :5] * kept(drawn)
    close(out[:, :5], expected)
    assert not out[:, 5:].any()
    given = torch.randn(4, 5)
    expected.backward(given)
    assert table.grad is not None
    by_table = torch.ones(9, 6)
    loops.look_up_back(*arrays(given, index), 3, drawn.numpy(), LEAST, SCALE, by_table.numpy())
    close(by_table - 1, table.grad)


def test_values_are_dropped() -> None:
    values, drawn, out = torch.randn(ROWS, 9), dropout_seeds(ROWS, 9), torch.empty(ROWS, 9)
    loops.drop(values.numpy(), drawn.numpy(), LEAST, SCALE, out.numpy())
    close(out, values * kept(drawn))


def test_the_cell_advances_and_retreats_like_the_plain_one() -> None:
    """From rows of a step before; into the next step go some, in another order."""
    before, drawn = torch.randint(9, (ROWS,)), dropout_seeds(ROWS, HIDDEN)
    gates, cells = torch.randn(ROWS, 4 * HIDDEN).requires_grad_(), torch.randn(9, HIDDEN)
    own = cells[before].requires_grad_()
    state = advance(gates, torch.zeros_like(gates), own)
    opened, results = gates.detach().clone(), [torch.empty(ROWS, HIDDEN) for _ in range(3)]
    loops.advance(*arrays(opened, cells, before), drawn.numpy(), LEAST, SCALE, *arrays(*results))
    for one, other in zip(results, (state.cell, state.hidden, state.hidden * kept(drawn)), strict=True):
        close(one, other)
    after = torch.full((ROWS,), -1).index_copy(0, torch.randperm(ROWS)[:4], torch.tensor([1, 0, 3, 2]))
    by_dropped, by_hidden, by_cell = torch.randn(ROWS, HIDDEN), torch.randn(4, HIDDEN), torch.randn(4, HIDDEN)
    goes = (after >= 0)[:, None]
    loss = (state.hidden * kept(drawn) * by_dropped).sum()
    loss = loss + (state.hidden * by_hidden[after] * goes).sum() + (state.cell * by_cell[after] * goes).sum()
    loss.backward()
    assert gates.grad is not None and own.grad is not None
    by_gates, to_cell = torch.empty(ROWS, 4 * HIDDEN), torch.empty(ROWS, HIDDEN)
    loops.retreat(
        *arrays(opened, cells, before, results[0]), drawn.numpy(), LEAST, SCALE,
        *arrays(by_dropped, after, by_hidden, by_cell, by_gates, to_cell),
    )  # fmt: skip
    close(by_gates, gates.grad)
    close(to_cell, own.grad)


def instructions() -> tuple[plain.InstructionMemory, Tensor, Tensor, Tensor, Tensor]:
    """A memory in the plain form, and as a table of words: context, gates, each row's words, how many."""
    goal, tail = (
        plain.MemoryPart(
            torch.randn(ROWS, places, HIDDEN), torch.randn(ROWS, places, 3 * COLUMNS), torch.randint(1, places + 1, (ROWS,)),
            torch.zeros(ROWS, places, HIDDEN), torch.zeros(ROWS, places, 3 * COLUMNS),
        )
        for places in (PLACES, TAILS)
    )  # fmt: skip
    context, cover = (torch.cat([goal[k].flatten(0, 1), tail[k].flatten(0, 1)]) for k in (0, 1))
    place = torch.zeros(ROWS, PLACES + TAILS, dtype=torch.int64)
    for i in range(ROWS):
        words = [i * PLACES + w for w in range(goal.length[i])]
        words += [ROWS * PLACES + i * TAILS + w for w in range(tail.length[i])]
        place[i, : len(words)] = torch.tensor(words)
    slot = torch.zeros(ROWS, dtype=torch.int64)
    return plain.InstructionMemory(goal, tail, slot), context, cover, place, goal.length + tail.length


def by_word(values: Tensor, memory: plain.InstructionMemory) -> Tensor:
    """(rows, words, …) of the plain form, of which the words that are there, row for row."""
    goal, tail = memory.end_goal.length, memory.tail.length
    return torch.cat([torch.cat([row[: goal[i]], row[PLACES : PLACES + tail[i]]]) for i, row in enumerate(values)])


@pytest.mark.parametrize("later", [False, True])
def test_attention_and_coverage_are_the_plain_ones_forward_and_backward(later: bool) -> None:
    memory, context, cover, place, count = instructions()
    matrix = torch.randn(4, COLUMNS, COLUMNS) * 0.3
    matrix[:, SIZE:], matrix[:, :, SIZE + 2 :] = 0, 0
    query = torch.randn(ROWS, HIDDEN + 4 * COLUMNS) * 0.3
    query[:, HIDDEN + SIZE : HIDDEN + COLUMNS] = 0
    coverage = torch.randn(ROWS, PLACES + TAILS, COLUMNS) * (torch.arange(COLUMNS) < SIZE)
    asked = torch.arange(ROWS) % 3 == 0
    flat = torch.zeros_like(coverage)  # words without gaps
    for i in range(ROWS):
        flat[i, : count[i]] = by_word(coverage[i : i + 1], _row(memory, i))
    before = torch.where(asked, -1, torch.arange(ROWS))
    gru = plain.Cover(matrix, torch.zeros(ROWS, *matrix.shape), SIZE)
    expected_out, out = (torch.zeros(ROWS, 2 * HIDDEN + COLUMNS) for _ in range(2))
    slots = _twice(memory)
    expected = plain.attend_plain(query, slots, coverage, asked, expected_out)
    expected_after = plain.cover_on_plain(query, slots, coverage, asked, gru, expected)
    weights, after = torch.empty(ROWS, PLACES + TAILS), torch.empty(ROWS, PLACES + TAILS, COLUMNS)
    arranged = matrix.permute(2, 0, 1).flatten(1).contiguous()
    loops.attend(
        *arrays(query, context, cover, place, count, flat, before, arranged), SIZE, True, *arrays(out, weights, after)
    )
    close(out, expected_out)
    there = torch.arange(PLACES + TAILS) < count[:, None]
    close(weights[there], by_word(expected, memory))
    close(after[there], by_word(expected_after, memory))
    by_out = torch.randn_like(out)
    by_out[:, 2 * HIDDEN + SIZE :] = 0
    by_after = torch.randn(ROWS, PLACES + TAILS, COLUMNS) * (torch.arange(COLUMNS) < SIZE)
    flat_after = torch.zeros_like(by_after)
    for i in range(ROWS):
        flat_after[i, : count[i]] = by_word(by_after[i : i + 1], _row(memory, i))
    by_query, by_before = plain.attend_back_plain(query, slots, coverage, asked, gru, by_out, by_after if later else None)
    own_query, own_before = torch.empty_like(query), torch.empty_like(flat)
    to_context, to_cover = torch.zeros_like(context), torch.zeros_like(cover)
    to_matrix = torch.zeros(torch.get_num_threads(), *arranged.shape)
    goes = torch.arange(ROWS) if later else torch.full((ROWS,), -1)
    loops.attend_back(
        *arrays(query, context, cover, place, count, flat, before, arranged), SIZE,
        *arrays(weights, by_out, goes, flat_after, own_query, own_before, to_context, to_cover, to_matrix),
    )  # fmt: skip
    close(own_query, by_query)
    kept_rows = there & ~asked[:, None]
    close(own_before[kept_rows][:, :SIZE], by_word(by_before, memory)[~asked.repeat_interleave(count)][:, :SIZE])
    goal, tail = slots.end_goal, slots.tail
    for one, of_goal, of_tail in ((to_context, goal.to_context, tail.to_context), (to_cover, goal.to_cover, tail.to_cover)):
        either_slot = of_tail[:ROWS] + of_tail[ROWS:]
        close(one, torch.cat([of_goal.flatten(0, 1), either_slot.flatten(0, 1)]))
    expected_matrix = gru.to_matrix.sum(dim=0)
    own_matrix = to_matrix.sum(dim=0).view(COLUMNS, 4, COLUMNS).permute(1, 2, 0)
    close(own_matrix[:, :SIZE, : SIZE + 2], expected_matrix[:, :SIZE, : SIZE + 2])


def _twice(memory: plain.InstructionMemory) -> plain.InstructionMemory:
    """The same with every tail in two slots, the second for those who ask."""
    return memory._replace(tail=plain.MemoryPart(*(torch.cat([each, each]) for each in memory.tail)))


def _row(memory: plain.InstructionMemory, i: int) -> plain.InstructionMemory:
    goal, tail = (plain.MemoryPart(*(each[i : i + 1] for each in part)) for part in (memory.end_goal, memory.tail))
    return plain.InstructionMemory(goal, tail, memory.slot[i : i + 1])
