"""The Triton side of `vnla.agents.fast.gpu.kernels.walk`.

Everything is transposed, (gates or units, sentences): the weights are then the operand with enough rows for the matrix
units. They lie in shared memory as four blocks of columns; a quarter of the hidden state is in registers at a time.
"""

# mypy: ignore-errors
# ruff: noqa: N803, N806
import triton
import triton.language as tl

from vnla.agents.fast.gpu.kernels._cell import tanh


@triton.jit
def add_parts(total, upper, lower, state, HALF: tl.constexpr):
    """Add the product of a block of weights and a quarter of the hidden state, (units, sentences)."""
    up = state.to(upper.dtype)
    total = tl.dot(upper, up, total)
    if not HALF:
        low = (state - up.to(tl.float32)).to(upper.dtype)
        total = tl.dot(lower, up, total)
        total = tl.dot(upper, low, total)
    return total


@triton.jit
def add_product(
    total, up_0, low_0, up_1, low_1, up_2, low_2, up_3, low_3, before, here, QUARTER: tl.constexpr, HALF: tl.constexpr
):  # fmt: skip
    """Add the product of the weights and the hidden state at `before`, all of which is asked for first.

    Others have just written that state: it is read past the nearest cache.
    """
    state_0 = tl.load(before, mask=here, other=0.0, cache_modifier=".cg")
    state_1 = tl.load(before + QUARTER, mask=here, other=0.0, cache_modifier=".cg")
    state_2 = tl.load(before + 2 * QUARTER, mask=here, other=0.0, cache_modifier=".cg")
    state_3 = tl.load(before + 3 * QUARTER, mask=here, other=0.0, cache_modifier=".cg")
    total = add_parts(total, up_0, low_0, state_0, HALF)
    total = add_parts(total, up_1, low_1, state_1, HALF)
    total = add_parts(total, up_2, low_2, state_2, HALF)
    return add_parts(total, up_3, low_3, state_3, HALF)


@triton.jit
def walk(
    entering, upper, lower, row, length, kept, scale, hidden, cell, gates, context, now, passing, meet, place, batch, places,
    pieces, HIDDEN: tl.constexpr, ROWS: tl.constexpr, UNITS: tl.constexpr, DROPS: tl.constexpr, TOGETHER: tl.constexpr,
    HALF: tl.constexpr,
):  # fmt: skip
    """One program: `UNITS` hidden units of `ROWS` sentences. Those with the same sentences meet after every word."""
    group, piece = tl.program_id(0) // pieces, tl.program_id(0) % pieces
    sentence = group * ROWS + tl.arange(0, ROWS)
    inside = sentence < batch
    to = tl.load(row + sentence, mask=inside, other=0).to(tl.int32)
    QUARTER: tl.constexpr = HIDDEN // 4
    inner = tl.arange(0, QUARTER)
    unit = piece * UNITS + tl.arange(0, UNITS)
    part = tl.arange(0, 4 * UNITS)  # the four gates of each unit, gate by gate
    output = (part // UNITS) * HIDDEN + piece * UNITS + part % UNITS
    weight = output[:, None] * HIDDEN + inner[None, :]  # (4·units, quarter)
    up_0, low_0 = tl.load(upper + weight), tl.load(lower + weight)
    up_1, low_1 = tl.load(upper + weight + QUARTER), tl.load(lower + weight + QUARTER)
    up_2, low_2 = tl.load(upper + weight + 2 * QUARTER), tl.load(lower + weight + 2 * QUARTER)
    up_3, low_3 = tl.load(upper + weight + 3 * QUARTER), tl.load(lower + weight + 3 * QUARTER)
    here = inside[None, :]
    first = to * ((places + 1) * HIDDEN)
    enters = entering + (sentence * (places * 4 * HIDDEN))[None, :] + output[:, None]
    state = hidden + first[None, :] + inner[:, None]
    if TOGETHER:
        words = tl.load(length + sentence, mask=inside, other=0).to(tl.int32)
        end = tl.max(words, 0)
        carried = tl.load(cell + first[None, :] + unit[:, None], mask=here, other=0.0)  # (units, sentences)
        total = tl.load(enters, mask=(words > 0)[None, :], other=0.0)
        passed = passing + (sentence * (2 * HIDDEN))[None, :]
        if end > 0:
            total = add_product(total, up_0, low_0, up_1, low_1, up_2, low_2, up_3, low_3, state, here, QUARTER, HALF)
            total, carried = finish_word(
                total, carried, 0, words, end, enters, passed, kept, scale, hidden, cell, gates, context, now, meet + group,
                places, pieces, sentence, to, unit, here, HIDDEN, ROWS, UNITS, DROPS, HALF,
            )  # fmt: skip
        for each in range(1, end):
            before = passed + (each % 2) * HIDDEN + inner[:, None] if HALF else state + each * HIDDEN
            total = add_product(total, up_0, low_0, up_1, low_1, up_2, low_2, up_3, low_3, before, here, QUARTER, HALF)
            total, carried = finish_word(
                total, carried, each, words, end, enters, passed, kept, scale, hidden, cell, gates, context, now,
                meet + group, places, pieces, sentence, to, unit, here, HIDDEN, ROWS, UNITS, DROPS, HALF,
            )  # fmt: skip
    else:
        carried = tl.load(cell + (first + place * HIDDEN)[None, :] + unit[:, None], mask=here, other=0.0)
        before = state + place * HIDDEN
        words = tl.load(length + sentence, mask=inside, other=0)
        total = tl.load(enters + place * (4 * HIDDEN), mask=(place < words)[None, :], other=0.0)
        total = add_product(total, up_0, low_0, up_1, low_1, up_2, low_2, up_3, low_3, before, here, QUARTER, HALF)
        reached, carried, enter, forget, candidate, leave = advance(total, carried, UNITS, ROWS)
        note(
            kept, scale, hidden, cell, gates, context, now, place, places, sentence, to, unit, here, reached, carried, enter,
            forget, candidate, leave, HIDDEN, DROPS,
        )  # fmt: skip


@triton.jit
def finish_word(
    total, carried, each, words, end, enters, passed, kept, scale, hidden, cell, gates, context, now, meet, places, pieces,
    sentence, to, unit, here, HIDDEN: tl.constexpr, ROWS: tl.constexpr, UNITS: tl.constexpr, DROPS: tl.constexpr,
    HALF: tl.constexpr,
):  # fmt: skip
    """The state after a word, passed on to the others and written down; what the next word adds to the gates, and the cell.

    In half precision a state is passed on in two places in turn: nobody writes into one before all have read it.
    """
    reached, carried, enter, forget, candidate, leave = advance(total, carried, UNITS, ROWS)
    if HALF:
        shown = passed + ((each + 1) % 2) * HIDDEN + unit[:, None]
        tl.store(shown, reached.to(shown.dtype.element_ty), mask=here)
    else:
        tl.store(hidden + (to * (places + 1) + each + 1)[None, :] * HIDDEN + unit[:, None], reached, mask=here)
    tl.debug_barrier()
    tl.atomic_add(meet, 1, sem="release")
    note(
        kept, scale, hidden, cell, gates, context, now, each, places, sentence, to, unit, here, reached, carried, enter,
        forget, candidate, leave, HIDDEN, DROPS,
    )  # fmt: skip
    total = tl.load(enters + (each + 1) * (4 * HIDDEN), mask=(each + 1 < words)[None, :], other=0.0)
    if each + 1 < end:
        arrived = tl.atomic_add(meet, 0, sem="acquire")
        while arrived < pieces * (each + 1):
            arrived = tl.atomic_add(meet, 0, sem="acquire")
    return total, carried


@triton.jit
def advance(total, carried, UNITS: tl.constexpr, ROWS: tl.constexpr):
    """Hidden state, cell and active gates after `total` (4·units, sentences)."""
    parts = tl.permute(tl.reshape(total, (2, 2, UNITS, ROWS)), (2, 3, 0, 1))
    even, odd = tl.split(parts)
    enter, candidate = tl.split(even)
    forget, leave = tl.split(odd)
    enter, forget, leave = tl.sigmoid(enter), tl.sigmoid(forget), tl.sigmoid(leave)
    candidate = tanh(candidate)
    carried = forget * carried + enter * candidate
    return leave * tanh(carried), carried, enter, forget, candidate, leave


@triton.jit
def note(
    kept, scale, hidden, cell, gates, context, now, place, places, sentence, to, unit, here, reached, carried, enter, forget,
    candidate, leave, HIDDEN: tl.constexpr, DROPS: tl.constexpr,
):  # fmt: skip
    """Write everything down."""
    note_state(hidden, cell, gates, place, places, to, unit, here, reached, carried, enter, forget, candidate, leave, HIDDEN)
    word = to * places + place
    if DROPS:
        keeps = tl.load(kept + (word * HIDDEN)[None, :] + unit[:, None], mask=here, other=0) != 0
        reached = tl.where(keeps, reached * scale, 0.0)
    tl.store(context + (word * HIDDEN)[None, :] + unit[:, None], reached, mask=here)
    tl.store(now + ((sentence * places + place) * HIDDEN)[None, :] + unit[:, None], reached, mask=here)


@triton.jit
def note_state(
    hidden, cell, gates, place, places, to, unit, here, reached, carried, enter, forget, candidate, leave,
    HIDDEN: tl.constexpr,
):  # fmt: skip
    """Write down the state after a word, and the gates that led there."""
    after = ((to * (places + 1) + place + 1) * HIDDEN)[None, :] + unit[:, None]
    tl.store(hidden + after, reached, mask=here)
    tl.store(cell + after, carried, mask=here)
    active = gates + ((to * places + place) * (4 * HIDDEN))[None, :] + unit[:, None]
    tl.store(active, enter, mask=here)
    tl.store(active + HIDDEN, forget, mask=here)
    tl.store(active + 2 * HIDDEN, candidate, mask=here)
    tl.store(active + 3 * HIDDEN, leave, mask=here)
