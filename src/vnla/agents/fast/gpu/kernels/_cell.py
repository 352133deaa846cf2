"""The Triton side of `vnla.agents.fast.gpu.kernels.cell`."""

# mypy: ignore-errors
# ruff: noqa: N803
import triton
import triton.language as tl


@triton.jit
def tanh(x):
    """tanh by way of the logistic function."""
    return 2 * tl.sigmoid(2 * x) - 1


@triton.jit
def forward(
    gates, table, weight, nav, ask, small_kept, cell, kept, scale, hidden_out, cell_out, gates_out, small_out, out,
    out_stride, batch, HIDDEN: tl.constexpr, WIDTH: tl.constexpr, ROWS: tl.constexpr, UNITS: tl.constexpr,
    DROPS: tl.constexpr, FIRST_ASK: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """One program: `ROWS` episodes and `UNITS` hidden units. What can be loaded at once is loaded first."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    unit = tl.program_id(1) * UNITS + tl.arange(0, UNITS)
    column = tl.arange(0, 2 * WIDTH)
    inside, known = row < batch, (unit < HIDDEN)[None, :]
    here = inside[:, None] & known
    state = row[:, None] * HIDDEN + unit[None, :]
    at = row[:, None] * (4 * HIDDEN) + unit[None, :]
    into = unit[None, :] * (2 * WIDTH) + column[:, None]  # weights of a gate, (2·width, units)
    place = row[:, None] * (2 * WIDTH) + column[None, :]
    step = HIDDEN * 2 * WIDTH
    last_nav = tl.load(nav + row, mask=inside, other=0)
    last_ask = tl.load(ask + row, mask=inside, other=0) + FIRST_ASK
    to_enter = tl.load(weight + into, mask=known, other=0.0)
    to_forget = tl.load(weight + into + step, mask=known, other=0.0)
    to_candidate = tl.load(weight + into + 2 * step, mask=known, other=0.0)
    to_leave = tl.load(weight + into + 3 * step, mask=known, other=0.0)
    enter = tl.load(gates + at, mask=here, other=0.0)
    forget = tl.load(gates + at + HIDDEN, mask=here, other=0.0)
    candidate = tl.load(gates + at + 2 * HIDDEN, mask=here, other=0.0)
    leave = tl.load(gates + at + 3 * HIDDEN, mask=here, other=0.0)
    earlier = tl.load(cell + state, mask=here, other=0.0)
    if DROPS:
        keeps = tl.load(kept + state, mask=here, other=0) != 0
        keeps_small = tl.load(small_kept + place, mask=inside[:, None], other=0) != 0
    action = tl.where(column[None, :] < WIDTH, last_nav[:, None], last_ask[:, None])
    small = tl.load(table + action * WIDTH + (column % WIDTH)[None, :], mask=inside[:, None], other=0.0)
    if DROPS:
        small = tl.where(keeps_small, small * scale, 0.0)
    enter = tl.sigmoid(enter + tl.dot(small, to_enter, input_precision=PRECISION))
    forget = tl.sigmoid(forget + tl.dot(small, to_forget, input_precision=PRECISION))
    candidate = tanh(candidate + tl.dot(small, to_candidate, input_precision=PRECISION))
    leave = tl.sigmoid(leave + tl.dot(small, to_leave, input_precision=PRECISION))
    after = forget * earlier + enter * candidate
    hidden = leave * tanh(after)
    tl.store(gates_out + at, enter, mask=here)
    tl.store(gates_out + at + HIDDEN, forget, mask=here)
    tl.store(gates_out + at + 2 * HIDDEN, candidate, mask=here)
    tl.store(gates_out + at + 3 * HIDDEN, leave, mask=here)
    tl.store(cell_out + state, after, mask=here)
    tl.store(hidden_out + state, hidden, mask=here)
    if tl.program_id(1) == 0:
        tl.store(small_out + place, small, mask=inside[:, None])
    if DROPS:
        hidden = tl.where(keeps, hidden * scale, 0.0)
    tl.store(out + row[:, None] * out_stride + unit[None, :], hidden, mask=here)


@triton.jit
def backward(
    gates, gates_stride, before, before_stride, after, after_stride, kept, kept_stride, scale, dropped, dropped_stride,
    direct, direct_stride, hidden, cell, ends, last_hidden, last_cell, out, out_stride, result,
    HIDDEN: tl.constexpr, UNITS: tl.constexpr, DROPS: tl.constexpr, HAS_HIDDEN: tl.constexpr, HAS_CELL: tl.constexpr,
    HAS_ENDS: tl.constexpr, HAS_DIRECT: tl.constexpr,
):  # fmt: skip
    """One program: one episode and `UNITS` hidden units. `hidden`, `cell`, `last_…` and `result` are dense."""
    row = tl.program_id(0).to(tl.int64)
    unit = tl.program_id(1) * UNITS + tl.arange(0, UNITS)
    here = unit < HIDDEN
    state = row * HIDDEN + unit
    at = gates + row * gates_stride + unit
    enter = tl.load(at, mask=here, other=0.0)
    forget = tl.load(at + HIDDEN, mask=here, other=0.0)
    candidate = tl.load(at + 2 * HIDDEN, mask=here, other=0.0)
    leave = tl.load(at + 3 * HIDDEN, mask=here, other=0.0)
    to_hidden = tl.load(dropped + row * dropped_stride + unit, mask=here, other=0.0)
    if HAS_DIRECT:
        to_hidden += tl.load(direct + row * direct_stride + unit, mask=here, other=0.0)
    if DROPS:
        to_hidden = tl.where(tl.load(kept + row * kept_stride + unit, mask=here, other=0) != 0, to_hidden * scale, 0.0)
    to_cell = tl.zeros((UNITS,), tl.float32)
    if HAS_HIDDEN:
        to_hidden += tl.load(hidden + state, mask=here, other=0.0)
    if HAS_CELL:
        to_cell += tl.load(cell + state, mask=here, other=0.0)
    if HAS_ENDS:
        ending = unit < HIDDEN * tl.load(ends + row).to(tl.int32)  # all of a sentence that ends, or nothing
        to_hidden += tl.load(last_hidden + state, mask=ending, other=0.0)
        to_cell += tl.load(last_cell + state, mask=ending, other=0.0)
    shown = tanh(tl.load(after + row * after_stride + unit, mask=here, other=0.0))
    to_cell += to_hidden * leave * (1 - shown * shown)
    earlier = tl.load(before + row * before_stride + unit, mask=here, other=0.0)
    to = out + row * out_stride + unit
    tl.store(to, to_cell * candidate * enter * (1 - enter), mask=here)
    tl.store(to + HIDDEN, to_cell * earlier * forget * (1 - forget), mask=here)
    tl.store(to + 2 * HIDDEN, to_cell * enter * (1 - candidate * candidate), mask=here)
    tl.store(to + 3 * HIDDEN, to_hidden * shown * leave * (1 - leave), mask=here)
    tl.store(result + state, to_cell * forget, mask=here)
