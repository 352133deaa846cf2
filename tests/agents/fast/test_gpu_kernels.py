"""Each Triton kernel against the plain version beside it, forward and backward.

On a machine without a GPU Triton's own interpreter runs them (`tests/conftest.py`).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest
import torch
from torch import Tensor

from vnla.agents.fast.gpu.kernels import attend, cell, head, reading, use_triton, walk, words
from vnla.agents.fast.packed import Packed
from vnla.training.trainer import matrix_units
from vnla.words import Words

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there is no Triton for this system")

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
BATCH, HIDDEN, WIDTH = 20, 64, 16
FEW_ROWS = 5
"""Rows of attention: each has a program of its own, so a few show what many would."""
COLUMNS, SIZE, SLOTS = 16, 10, 3  # of coverage: with padding, and without; of tails
SCALE = 1 / 0.7


@pytest.fixture(autouse=True)
def kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Triton's, and the same numbers in each test."""
    if DEVICE == "cpu":
        monkeypatch.setenv("TRITON_INTERPRET", "1")
    torch.manual_seed(3)
    assert use_triton(normal(1), HIDDEN), "Triton is missing"


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


@pytest.mark.parametrize(
    ("hidden", "width", "drops"),
    [(32, WIDTH, True), (32, WIDTH, False), (48, WIDTH, False), (32, 48, True), (512, 32, False)],
)
def test_the_cell_advances_like_the_plain_one(hidden: int, width: int, drops: bool) -> None:
    small = cell.Small(
        normal(10, width), 7, normal(4 * hidden, 2 * width) / 2, below(7, BATCH), below(3, BATCH),
        kept(BATCH, 2 * width) if drops else None,
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


@pytest.mark.parametrize(
    ("batch", "units", "drops", "half"),
    [(35, 16, True, False), (35, 16, False, True), (20, HIDDEN, True, True), (20, HIDDEN, False, False)],
)
def test_the_walk_is_the_plain_one(batch: int, units: int, drops: bool, half: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sentences of up to three words, written into some of many rows.

    A program that has all the units need not wait for others, so that the interpreter, too, can give it all words at once.
    """
    monkeypatch.setattr(walk, "_UNITS", units)
    places, rows = 3, 3 * batch
    matrix = normal(4 * HIDDEN, HIDDEN) / math.sqrt(HIDDEN)
    weight = walk.Halves(matrix, matrix.half(), None) if half else walk.Halves.of(matrix)
    tolerance = 5e-3 if half else 1e-4
    entering, row = normal(batch, places, 4 * HIDDEN), torch.randperm(rows, device=DEVICE)[:batch]
    length = below(places + 1, batch)
    entering[torch.arange(places, device=DEVICE) >= length[:, None]] = math.nan
    start = normal(2, rows, HIDDEN)
    keeps = kept(rows, places, HIDDEN) if drops else None

    def blank() -> walk.Track:
        states = [unwritten(rows, places + 1, HIDDEN) for _ in range(2)]
        for state, first in zip(states, start, strict=True):
            state[:, 0] = first
        return walk.Track(*states, unwritten(rows, places, 4 * HIDDEN), unwritten(rows, places, HIDDEN), keeps)

    mine, its = blank(), blank()
    meet = torch.zeros(batch, dtype=torch.int32, device=DEVICE)
    now = walk.walk(entering, weight, row, length, SCALE, mine, meet)
    now_plain = walk.walk_plain(entering, weight, row, length, SCALE, its)
    for one, other in zip(mine[:4], its[:4], strict=True):
        for sentence in range(batch):
            end = int(length[sentence]) + one.shape[1] - places
            close(one[row[sentence], :end], other[row[sentence], :end], tolerance)
    for sentence in range(batch):
        close(now[sentence, : length[sentence]], now_plain[sentence, : length[sentence]], tolerance)
    assert now_plain.isfinite().all(), "what comes after a sentence's end is not looked at"
    others = torch.ones(rows, dtype=torch.bool, device=DEVICE).index_fill(0, row, False)
    assert mine.context[others].isnan().all() and mine.hidden[others, 1:].isnan().all()


@pytest.mark.parametrize("hidden", [32, 192])
def test_a_walk_with_a_state_that_the_kernel_cannot_cut_in_four_is_the_plain_one(hidden: int) -> None:
    def walked(function: Callable[..., Tensor], *more: Tensor) -> Tensor:
        torch.manual_seed(3)
        track = walk.Track(*(torch.zeros(2, places, size, device=DEVICE) for places, size in sizes), None)
        weight, entering, row = walk.Halves.of(normal(4 * hidden, hidden)), normal(2, 3, 4 * hidden), below(1, 2)
        return function(entering, weight, row + torch.arange(2, device=DEVICE), row + 3, 1.0, track, *more)

    sizes = (4, hidden), (4, hidden), (3, 4 * hidden), (3, hidden)
    meet = torch.zeros(2, dtype=torch.int32, device=DEVICE)
    torch.testing.assert_close(walked(walk.walk, meet), walked(walk.walk_plain), rtol=0, atol=0)


class Looking(NamedTuple):
    """Everything that attention looks at."""

    query: Tensor
    memory: attend.InstructionMemory
    coverage: Tensor
    asked: Tensor
    cover: attend.Cover

    def copy(self) -> Looking:
        """With sums of gradients of its own."""
        parts = [
            part._replace(to_context=part.to_context.clone(), to_cover=part.to_cover.clone()) for part in self.memory[:2]
        ]
        memory = self.memory._replace(end_goal=parts[0], tail=parts[1])
        return self._replace(memory=memory, cover=self.cover._replace(to_matrix=self.cover.to_matrix.clone()))


def looking(first: int, more: int, hidden: int) -> Looking:
    """At instructions of up to `first` words and tails of up to `more`."""

    def part(rows: int, places: int) -> attend.MemoryPart:
        sizes = ((rows, places, hidden), (rows, places, 3 * COLUMNS))
        values, sums = ([normal(*size) for size in sizes] for _ in range(2))
        return attend.MemoryPart(values[0], values[1], 1 + below(places, rows), sums[0], sums[1])

    memory = attend.InstructionMemory(part(FEW_ROWS, first), part(SLOTS * FEW_ROWS, more), below(SLOTS - 1, FEW_ROWS))
    query = normal(FEW_ROWS, hidden + 4 * COLUMNS)
    query[:, hidden + SIZE : hidden + COLUMNS] = 0
    everybody = torch.arange(FEW_ROWS, device=DEVICE)
    lengths = ((first, memory.end_goal.length), (more, memory.tail.length[memory.slot * FEW_ROWS + everybody]))
    present = torch.cat([torch.arange(places, device=DEVICE) < length[:, None] for places, length in lengths], dim=1)
    coverage = normal(FEW_ROWS, first + more, COLUMNS) * real_columns() * present[:, :, None]
    matrix = normal(4, COLUMNS, COLUMNS) / 4
    matrix[:, SIZE:] = 0
    return Looking(
        query, memory, coverage, kept(FEW_ROWS), attend.Cover(matrix, normal(FEW_ROWS, 4, COLUMNS, COLUMNS), SIZE)
    )


def real_columns() -> Tensor:
    return torch.arange(COLUMNS, device=DEVICE) < SIZE


@pytest.mark.parametrize(
    ("first", "more", "hidden", "later"),
    [(11, 13, HIDDEN, True), (3, 4, 48, True), (3, 4, 48, False), (20, 20, HIDDEN, False), (11, 13, 512, True)],
)
def test_attention_and_coverage_are_the_plain_ones_forward_and_backward(
    first: int, more: int, hidden: int, later: bool
) -> None:
    mine = looking(first, more, hidden)
    its = mine.copy()
    out, its_out = (unwritten(FEW_ROWS, 2 * hidden + COLUMNS) for _ in range(2))
    weights, expected = attend.attend(*mine[:4], out), attend.attend_plain(*its[:4], its_out)
    close(weights, expected)
    close(attend.cover_on(*mine, weights), attend.cover_on_plain(*its, expected))
    torch.testing.assert_close(out, its_out, atol=2e-5, rtol=2e-5, equal_nan=True)
    assert out[:, hidden : 2 * hidden].isnan().all(), "the decoder's part is not the attention's"

    to_out = normal(FEW_ROWS, 2 * hidden + COLUMNS)
    to_out[:, 2 * hidden + SIZE :] = 0
    to_coverage = normal(*mine.coverage.shape) * real_columns() if later else None
    back = attend.attend_back(*mine, weights, to_out, to_coverage)
    expected_back = attend.attend_back_plain(*its, to_out, to_coverage)
    close(back[0], expected_back[0], 1e-4)
    close(back[1][..., :SIZE], expected_back[1][..., :SIZE], 1e-4)
    for part, its_part in zip(mine.memory[:2], its.memory[:2], strict=True):
        close(part.to_context, its_part.to_context, 1e-4)
        close(part.to_cover, its_part.to_cover, 1e-4)
    close(mine.cover.to_matrix, its.cover.to_matrix, 1e-4)


@pytest.mark.parametrize(("first", "more", "hidden"), [(11, 13, HIDDEN), (3, 4, 48), (11, 13, 512)])
def test_attention_of_a_first_pass_is_the_plain_one(first: int, more: int, hidden: int) -> None:
    """Nobody has asked: everybody's own tail is attended to, and its coverage goes on."""
    query, memory, coverage, *_ = looking(first, more, hidden)
    out, its_out = (unwritten(FEW_ROWS, 2 * hidden + COLUMNS) for _ in range(2))
    weights = attend.attend(query, memory, coverage, None, out)
    close(weights, attend.attend_plain(query, memory, coverage, None, its_out))
    torch.testing.assert_close(out, its_out, atol=2e-5, rtol=2e-5, equal_nan=True)
    assert out[:, :hidden].isfinite().all() and out[:, 2 * hidden :].isfinite().all()


@pytest.mark.parametrize("drops", [True, False])
def test_words_are_written_like_the_plain_ones(drops: bool) -> None:
    places, rows, table = 5, 3 * BATCH, below(30, 9, 5)
    length, embedding, row = 1 + below(places, 9), normal(30, WIDTH), torch.randperm(rows, device=DEVICE)[:BATCH]
    keeps = kept(rows, places, WIDTH) if drops else None

    def page() -> words.SentenceBuffer:
        whole = torch.full((rows, places), -1, device=DEVICE)
        return words.SentenceBuffer(whole, whole[:, 0].clone(), unwritten(rows, places, WIDTH), keeps)

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
        words.apply_layer(words_of, length, weight, bias, mine, row)
    words.apply_layer_plain(words_of, length, weight, bias, its, row)
    there = torch.zeros(rows, places, dtype=torch.bool, device=DEVICE)
    there[row] = torch.arange(places, device=DEVICE) < length[:, None]
    close(mine[there], its[there], 5e-3)
    assert mine[~there].isnan().all(), "what is not there is left as it was"


class Room(NamedTuple):
    """Where a reading is written down."""

    page: words.SentenceBuffer
    track: walk.Track
    cover: Tensor


class Sizes(NamedTuple):
    """Of a reading, and of its programs: how many sentences and hidden units one has."""

    batch: int
    rows: int = 16
    units: int = HIDDEN
    hidden: int = HIDDEN
    width: int = HIDDEN
    places: int = 5


IN_SEVERAL_PROGRAMS = [
    Sizes(100, units=16),
    Sizes(100, units=32, hidden=512, width=256, places=12),
    Sizes(100, 32, 16, 512, 256),
    Sizes(100, 32, 32, 512, 256, 12),
]
"""Which run at once: only a GPU does that."""


@pytest.mark.parametrize("drops", [True, False])
@pytest.mark.parametrize("sizes", [Sizes(20), Sizes(35)] + (IN_SEVERAL_PROGRAMS if DEVICE == "cuda" else []), ids=str)
def test_what_is_read_at_once_is_what_is_read_by_plain_operations(
    sizes: Sizes, drops: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sentences of which some are not read, and none of the last program's.

    In the interpreter, which runs one program after the other, one program has all the units, and one follows it.
    """
    batch, _, _, hidden, width, places = sizes
    rows, outer = 3 * batch, 3 * COLUMNS
    monkeypatch.setattr(reading, "_ROWS", sizes.rows)
    monkeypatch.setattr(reading, "_UNITS", sizes.units)
    monkeypatch.setattr(reading, "processors", lambda _: 132)
    table = Words(below(30, 9, places), 1 + below(places, 9))
    sentence, everybody = below(9, batch), torch.arange(batch, device=DEVICE)
    reads = kept(batch) & (everybody < sizes.rows * (batch // sizes.rows))
    slot = below(2, batch) - 1  # of three, the last of which is for those who do not read
    row = torch.where(reads, slot + 1, 2) * batch + everybody
    start, kept_words, kept_states = normal(2, rows, hidden), kept(rows, places, width), kept(rows, places, hidden)
    reader = reader_of(normal(30, width), hidden, outer, SCALE if drops else 1.0)

    def blank() -> Room:
        whole = torch.full((rows, places), -1, device=DEVICE)
        states = [unwritten(rows, places + 1, hidden) for _ in range(2)]
        for state, first in zip(states, start, strict=True):
            state[:, 0] = first
        page = words.SentenceBuffer(
            whole, whole[:, 0].clone(), unwritten(rows, places, width), kept_words if drops else None
        )
        gates, context = unwritten(rows, places, 4 * hidden), unwritten(rows, places, hidden)
        return Room(
            page, walk.Track(*states, gates, context, kept_states if drops else None), unwritten(rows, places, outer)
        )

    mine, its = blank(), blank()
    meet = torch.zeros(batch, dtype=torch.int32, device=DEVICE)
    assert reading._at_once(batch, table, reader, mine.track, mine.cover)
    reading.read(sentence, table, slot, reads, 2, reader, *mine, everybody, meet)
    read_plain(sentence, table, row, reads, reader, its, everybody)
    assert torch.equal(mine.page.length, its.page.length)
    there = torch.zeros(rows, places, dtype=torch.bool, device=DEVICE)
    there[row] = torch.arange(places, device=DEVICE) < its.page.length[row][:, None]
    assert torch.equal(mine.page.tokens[there], its.page.tokens[there])
    for one, other in (
        (mine.page.embedded, its.page.embedded), (mine.track.hidden[:, 1:], its.track.hidden[:, 1:]),
        (mine.track.cell[:, 1:], its.track.cell[:, 1:]), (mine.track.gates, its.track.gates),
        (mine.track.context, its.track.context), (mine.cover, its.cover),
    ):  # fmt: skip
        close(one[there], other[there], 1e-2)
    others = torch.ones(rows, dtype=torch.bool, device=DEVICE).index_fill(0, row, False)
    for written in (mine.page.embedded, mine.track.hidden[:, 1:], mine.track.context, mine.cover):
        assert written[others].isnan().all(), "nobody else's row is touched"


def reader_of(embedding: Tensor, hidden: int, outer: int, scale: float) -> reading.SentenceReader:
    """One that rounds, on a CPU too; of the packed parameters it has those that reading takes."""
    again, enters, covers = (normal(rows, size) / math.sqrt(size) for rows, size in (
        (4 * hidden, hidden), (4 * hidden, embedding.shape[1]), (outer, hidden)
    ))  # fmt: skip
    nothing = dict.fromkeys(Packed._fields, embedding.new_empty(0))
    biases = {"words_bias": normal(4 * hidden), "context_bias": normal(outer)}
    weights = Packed(**nothing | biases | {"words": enters, "words_again": again, "context": covers})
    rounded = (embedding * scale).half(), enters.half(), covers.half()
    return reading.SentenceReader(embedding, weights, walk.Halves(again, again.half(), None), scale, *rounded)


def read_plain(
    sentence: Tensor, table: Words, row: Tensor, reads: Tensor, reader: reading.SentenceReader, room: Room, everybody: Tensor
) -> None:
    (page, track, cover), weights = room, reader.weights
    embedded, length = words.write_words_plain(sentence, *table, reader.embedding, row, reads, reader.scale, page)
    entering = unwritten(*embedded.shape[:2], len(weights.words))
    words.apply_layer_plain(embedded, length, weights.words, weights.words_bias, entering, everybody)
    now = walk.walk_plain(entering, reader.halves, row, length, reader.scale, track)
    words.apply_layer_plain(now, length, weights.context, weights.context_bias, cover, row)


@pytest.mark.parametrize(("rows", "inner", "columns"), [(20, 64, 48), (35, 144, 80), (1, 16, 16), (17, 1040, 48)])
def test_a_thin_product_is_the_plain_one(rows: int, inner: int, columns: int) -> None:
    left, right = normal(rows, inner + 16)[:, :inner], normal(columns, inner).T
    for other, bias in ((right, None), (right.contiguous(), normal(columns))):
        with matrix_units("tf32"):
            product = head.multiply(left, other, bias)
        exact = left.double() @ other.double() + (0.0 if bias is None else bias)
        assert (product - exact).abs().max() < 5e-3 * math.sqrt(inner), "rounded to ten bits, added in float32"


def test_a_product_in_float32_is_left_to_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vnla.agents.fast.gpu.kernels.interpreted", lambda: False)
    left, right = normal(20, 64), normal(64, 48)
    with matrix_units("float32"):
        torch.testing.assert_close(head.multiply(left, right), left @ right, rtol=0, atol=0)


@pytest.mark.parametrize("hidden", [HIDDEN, 48, 512])
def test_the_last_layers_are_the_plain_ones(hidden: int) -> None:
    arguments = normal(BATCH, hidden), normal(6, hidden), normal(6)
    for one, other in zip(head.decide(*arguments), head.decide_plain(*arguments), strict=True):
        close(one, other)
