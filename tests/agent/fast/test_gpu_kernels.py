"""Each Triton kernel against the plain version beside it, forward and backward.

On a machine without a GPU Triton's own interpreter runs them; without Triton there is nothing to test.
"""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from vnla.agent.fast.gpu.kernels import attend, cell, head, sentences, thin, use_triton, walk, words
from vnla.training.trainer import matrix_units

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
with pytest.MonkeyPatch.context() as _patch:
    if DEVICE == "cpu":
        _patch.setenv("TRITON_INTERPRET", "1")  # Triton looks at it when it is imported
    pytest.importorskip("triton")

BATCH, HIDDEN, WIDTH = 20, 64, 16
SCALE = 1 / 0.7


@pytest.fixture(autouse=True)
def kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Triton's, and the same numbers in each test."""
    if DEVICE == "cpu":
        monkeypatch.setenv("TRITON_INTERPRET", "1")
    torch.manual_seed(3)
    assert use_triton(normal(1), HIDDEN)


def normal(*shape: int) -> Tensor:
    return torch.randn(*shape, device=DEVICE)


def below(most: int, *shape: int) -> Tensor:
    return torch.randint(most, shape, device=DEVICE)


def kept(*shape: int) -> Tensor:
    return torch.rand(*shape, device=DEVICE) < 0.7


def unwritten(*shape: int) -> Tensor:
    return torch.full(shape, math.nan, device=DEVICE)


def close(one: Tensor, other: Tensor, tolerance: float = 2e-5) -> None:
    torch.testing.assert_close(one, other, atol=tolerance, rtol=tolerance)


@pytest.mark.parametrize("drops", [True, False])
@pytest.mark.parametrize("hidden", [32, 48])
def test_the_cell_advances_like_the_plain_one(drops: bool, hidden: int) -> None:
    small = cell.Small(
        normal(10, WIDTH), 7, normal(4 * hidden, 2 * WIDTH), below(7, BATCH), below(3, BATCH),
        kept(BATCH, 2 * WIDTH) if drops else None,
    )  # fmt: skip
    arguments = (normal(BATCH, 4 * hidden), small, normal(BATCH, hidden), kept(BATCH, hidden) if drops else None, SCALE)
    mine, its = (unwritten(BATCH, 3 * hidden)[:, hidden : 2 * hidden] for _ in range(2))
    for one, other in zip(cell.advance(*arguments, mine), cell.advance_plain(*arguments, its), strict=True):
        close(one, other)
    close(mine, its)


@pytest.mark.parametrize("given", ["all", "none"])
def test_the_cell_retreats_like_the_plain_one(given: str) -> None:
    places, extra = 3, given == "all"
    gates, state = normal(BATCH, places, 4 * HIDDEN).sigmoid(), normal(BATCH, places + 1, HIDDEN)
    gradients = cell.Gradients(
        normal(BATCH, places, HIDDEN)[:, 1],
        *(
            normal(BATCH, HIDDEN),
            normal(BATCH, HIDDEN),
            kept(BATCH),
            normal(BATCH, HIDDEN),
            normal(BATCH, HIDDEN),
            normal(BATCH, 2 * HIDDEN)[:, HIDDEN:],
        )
        if extra
        else (),
    )
    keeps = kept(BATCH, places, HIDDEN)[:, 1] if extra else None
    mine, its = (unwritten(BATCH, places, 4 * HIDDEN) for _ in range(2))
    results = [
        function(gates[:, 1], state[:, 1], state[:, 2], keeps, SCALE, gradients, out[:, 1])
        for function, out in ((cell.retreat, mine), (cell.retreat_plain, its))
    ]
    close(*results)
    close(mine[:, 1], its[:, 1])
    assert mine[:, 0].isnan().all() and mine[:, 2].isnan().all(), "nobody else's place is touched"


def test_the_plain_cell_retreats_as_differentiation_says() -> None:
    gates = normal(BATCH, 4 * HIDDEN).double().requires_grad_()
    before = normal(BATCH, HIDDEN).double().requires_grad_()
    keeps, to_dropped, to_cell = kept(BATCH, HIDDEN), normal(BATCH, HIDDEN).double(), normal(BATCH, HIDDEN).double()
    enter, forget, candidate, leave = gates.chunk(4, dim=1)
    after = forget.sigmoid() * before + enter.sigmoid() * candidate.tanh()
    dropped = leave.sigmoid() * after.tanh() * keeps * SCALE
    expected = torch.autograd.grad([dropped, after], [gates, before], [to_dropped, to_cell])
    active = torch.cat([enter.sigmoid(), forget.sigmoid(), candidate.tanh(), leave.sigmoid()], dim=1).detach()
    out = torch.empty_like(gates).detach()
    gradients = cell.Gradients(to_dropped, None, to_cell)
    to_before = cell.retreat_plain(active, before.detach(), after.detach(), keeps, SCALE, gradients, out)
    torch.testing.assert_close((out, to_before), expected)


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("drops", [True, False])
def test_the_walk_is_the_plain_one(drops: bool, half: bool) -> None:
    """Twenty sentences of up to five words, written into some of sixty rows."""
    places, rows = 5, 3 * BATCH
    matrix = normal(4 * HIDDEN, HIDDEN) / math.sqrt(HIDDEN)
    weight = walk.Halves(matrix, matrix.half(), None) if half else walk.Halves.of(matrix)
    tolerance = 5e-3 if half else 1e-4
    entering, row = normal(BATCH, places, 4 * HIDDEN), torch.randperm(rows, device=DEVICE)[:BATCH]
    length = below(places + 1, BATCH)
    entering[torch.arange(places, device=DEVICE) >= length[:, None]] = math.nan
    start = normal(2, rows, HIDDEN)
    keeps = kept(rows, places, HIDDEN) if drops else None

    def blank() -> walk.Track:
        states = [unwritten(rows, places + 1, HIDDEN) for _ in range(2)]
        for state, first in zip(states, start, strict=True):
            state[:, 0] = first
        return walk.Track(*states, unwritten(rows, places, 4 * HIDDEN), unwritten(rows, places, HIDDEN), keeps)

    mine, its = blank(), blank()
    meet = torch.zeros(BATCH, dtype=torch.int32, device=DEVICE)
    now = walk.walk(entering, weight, row, length, SCALE, mine, meet)
    now_plain = walk.walk_plain(entering, weight, row, length, SCALE, its)
    for one, other in zip(mine[:4], its[:4], strict=True):
        for sentence in range(BATCH):
            end = int(length[sentence]) + one.shape[1] - places
            close(one[row[sentence], :end], other[row[sentence], :end], tolerance)
    for sentence in range(BATCH):
        close(now[sentence, : length[sentence]], now_plain[sentence, : length[sentence]], tolerance)
    others = torch.ones(rows, dtype=torch.bool, device=DEVICE).index_fill(0, row, False)
    assert mine.context[others].isnan().all() and mine.hidden[others, 1:].isnan().all()


def memory_of(first: int, more: int, slots: int, columns: int) -> attend.Memory:
    def part(rows: int, places: int) -> attend.Part:
        sizes = ((rows, places, HIDDEN), (rows, places, 3 * columns))
        values, sums = ([normal(*size) for size in sizes] for _ in range(2))
        return attend.Part(values[0], values[1], 1 + below(places, rows), sums[0], sums[1])

    return attend.Memory(part(BATCH, first), part(slots * BATCH, more), below(slots - 1, BATCH))


@pytest.mark.parametrize(("first", "more"), [(11, 13), (3, 4), (20, 20)])
@pytest.mark.parametrize("later", [True, False])
def test_attention_and_coverage_are_the_plain_ones_forward_and_backward(first: int, more: int, later: bool) -> None:
    columns, size = 16, 10
    query, memory = normal(BATCH, HIDDEN + 4 * columns), memory_of(first, more, 3, columns)
    query[:, HIDDEN + size : HIDDEN + columns] = 0
    present = torch.cat(
        [
            torch.arange(first, device=DEVICE) < memory.end_goal.length[:, None],
            torch.arange(more, device=DEVICE)
            < memory.tail.length[memory.slot * BATCH + torch.arange(BATCH, device=DEVICE)][:, None],
        ],
        dim=1,
    )
    coverage = normal(BATCH, first + more, columns) * (torch.arange(columns, device=DEVICE) < size) * present[:, :, None]
    asked = kept(BATCH)
    matrix = normal(4, columns, columns) / 4
    matrix[:, size:] = 0
    cover = attend.Cover(matrix, normal(BATCH, 4, columns, columns), size)
    mine, its = (unwritten(BATCH, 2 * HIDDEN + columns) for _ in range(2))
    result = attend.attend(query, memory, coverage, asked, cover, mine)
    expected = attend.attend_plain(query, memory, coverage, asked, cover, its)
    close(result.weights, expected.weights)
    close(result.coverage, expected.coverage)
    close(mine[:, :HIDDEN], its[:, :HIDDEN])
    close(mine[:, 2 * HIDDEN :], its[:, 2 * HIDDEN :])
    assert mine[:, HIDDEN : 2 * HIDDEN].isnan().all(), "the decoder's part is not the attention's"
    for function, out in ((attend.attend, mine), (attend.attend_plain, its)):
        function(query, memory, coverage, None, cover, out)
    close(mine, its, 2e-5) if not mine.isnan().any() else close(mine[:, :HIDDEN], its[:, :HIDDEN])

    to_out = normal(BATCH, 2 * HIDDEN + columns)
    to_out[:, 2 * HIDDEN + size :] = 0
    to_coverage = normal(*coverage.shape) * (torch.arange(columns, device=DEVICE) < size) if later else None
    sums = [[each.clone() for each in (*part[3:],)] for part in memory[:2]]
    other = memory._replace(
        end_goal=memory.end_goal._replace(to_context=sums[0][0], to_cover=sums[0][1]),
        tail=memory.tail._replace(to_context=sums[1][0], to_cover=sums[1][1]),
    )
    cover_too = cover._replace(to_matrix=cover.to_matrix.clone())
    back = attend.attend_back(query, memory, coverage, asked, cover, result.weights, to_out, to_coverage)
    expected_back = attend.attend_back_plain(query, other, coverage, asked, cover_too, to_out, to_coverage)
    close(back[0], expected_back[0], 1e-4)
    close(back[1][..., :size], expected_back[1][..., :size], 1e-4)
    for part, its_part in zip(memory[:2], other[:2], strict=True):
        close(part.to_context, its_part.to_context, 1e-4)
        close(part.to_cover, its_part.to_cover, 1e-4)
    close(cover.to_matrix, cover_too.to_matrix, 1e-4)


@pytest.mark.parametrize("drops", [True, False])
def test_words_are_written_like_the_plain_ones(drops: bool) -> None:
    places, rows, table = 5, 3 * BATCH, below(30, 9, 5)
    length, embedding, row = 1 + below(places, 9), normal(30, WIDTH), torch.randperm(rows, device=DEVICE)[:BATCH]
    keeps = kept(rows, places, WIDTH) if drops else None

    def page() -> words.Page:
        whole = torch.full((rows, places), -1, device=DEVICE)
        return words.Page(whole, whole[:, 0].clone(), unwritten(rows, places, WIDTH), keeps)

    mine, its, sentence, reads = page(), page(), below(9, BATCH), kept(BATCH)
    arguments = (sentence, table, length, embedding, row, reads, SCALE)
    for one, other in zip(words.write_words(*arguments, mine), words.write_words_plain(*arguments, its), strict=True):
        close(one, other)
    for one, other in zip(mine[:3], its[:3], strict=True):
        torch.testing.assert_close(one, other, equal_nan=True)


@pytest.mark.parametrize(("inner", "outer"), [(64, 48), (16, 512)])
def test_a_layer_for_the_words_of_sentences_is_the_plain_one_where_there_are_words(inner: int, outer: int) -> None:
    places, rows = 5, 3 * BATCH
    words_of, row = normal(BATCH, places, inner), torch.randperm(rows, device=DEVICE)[:BATCH]
    length = below(places + 1, BATCH) * (torch.arange(BATCH, device=DEVICE) < 17)
    weight, bias = normal(outer, inner) / math.sqrt(inner), normal(outer)
    mine, its = unwritten(rows, places, outer), unwritten(rows, places, outer)
    with matrix_units("tf32"):
        sentences.apply_layer(words_of, length, weight, bias, mine, row)
    sentences.apply_layer_plain(words_of, length, weight, bias, its, row)
    there = torch.zeros(rows, places, dtype=torch.bool, device=DEVICE)
    there[row] = torch.arange(places, device=DEVICE) < length[:, None]
    close(mine[there], its[there], 5e-3)
    assert mine[~there].isnan().all(), "what is not there is left as it was"


@pytest.mark.parametrize(("rows", "inner", "columns"), [(20, 64, 48), (100, 576, 512), (1, 16, 16)])
def test_a_thin_product_is_the_plain_one(rows: int, inner: int, columns: int) -> None:
    left, right = normal(rows, inner + 16)[:, :inner], normal(columns, inner).T
    for other in (right, right.contiguous()):
        with matrix_units("tf32"):
            product = thin.multiply(left, other)
        exact = left.double() @ other.double()
        assert (product - exact).abs().max() < 5e-3 * math.sqrt(inner), "rounded to ten bits, added in float32"


def test_a_product_in_float32_is_left_to_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vnla.agent.fast.gpu.kernels.interpreted", lambda: False)
    left, right = normal(20, 64), normal(64, 48)
    with matrix_units("float32"):
        torch.testing.assert_close(thin.multiply(left, right), left @ right, rtol=0, atol=0)


def test_the_last_layers_are_the_plain_ones() -> None:
    arguments = normal(BATCH, HIDDEN), normal(6, HIDDEN), normal(6)
    for one, other in zip(head.decide(*arguments), head.decide_plain(*arguments), strict=True):
        close(one, other)
