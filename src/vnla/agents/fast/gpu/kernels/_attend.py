"""The Triton side of `vnla.agents.fast.gpu.kernels.attend`. What can be loaded at once is loaded first: a kernel's time is
latency."""

# mypy: ignore-errors
# ruff: noqa: N803, N806
import triton
import triton.language as tl

from vnla.agents.fast.gpu.kernels._cell import tanh


@triton.jit
def places(episode, slot, anew, batch, FIRST: tl.constexpr, MORE: tl.constexpr, WORDS: tl.constexpr):
    """Of every word: its place in the table of end-goals, that in the table of tails, whether it is of the one or the other,
    and which tail it is: the one after `slot` if it is heard `anew`."""
    word = tl.arange(0, WORDS)
    chosen = (tl.load(slot + episode) + anew) * batch + episode
    is_goal = word < FIRST
    is_tail = (word >= FIRST) & (word < FIRST + MORE)
    return episode * FIRST + word, chosen * MORE + word - FIRST, is_goal, is_tail, chosen


@triton.jit
def either(first, more, place, other, is_goal, is_tail, column, inside, WIDTH: tl.constexpr):
    """Rows of two tables, (words, columns)."""
    one = tl.load(first + place[:, None] * WIDTH + column[None, :], mask=is_goal[:, None] & inside[None, :], other=0.0)
    two = tl.load(more + other[:, None] * WIDTH + column[None, :], mask=is_tail[:, None] & inside[None, :], other=0.0)
    return tl.where(is_goal[:, None], one, two)


@triton.jit
def add(first, more, place, other, is_goal, is_tail, column, inside, values, WIDTH: tl.constexpr):
    """Add to rows of two tables."""
    goal = is_goal[:, None] & inside[None, :]
    goal_at = first + place[:, None] * WIDTH + column[None, :]
    tail = is_tail[:, None] & inside[None, :]
    tail_at = more + other[:, None] * WIDTH + column[None, :]
    one, two = tl.load(goal_at, mask=goal, other=0.0), tl.load(tail_at, mask=tail, other=0.0)
    tl.store(goal_at, one + values, mask=goal)
    tl.store(tail_at, two + values, mask=tail)


@triton.jit
def extend(covered, weights, COLUMNS: tl.constexpr, SIZE: tl.constexpr):
    """The coverage vectors, a 1 and the attention weight."""
    column = tl.arange(0, COLUMNS)
    one = tl.where(column == SIZE, 1.0, 0.0)
    return covered + one[None, :] + weights[:, None] * tl.where(column == SIZE + 1, 1.0, 0.0)[None, :]


@triton.jit
def given_gates(decoder, first_cover, more_cover, place, other, is_goal, is_tail, COLUMNS: tl.constexpr):
    """What decoder and context add to the three gates of every word's coverage."""
    column = tl.arange(0, COLUMNS)
    everything = column >= 0
    WIDTH: tl.constexpr = 3 * COLUMNS
    reset = tl.load(decoder + column)[None, :]
    update = tl.load(decoder + COLUMNS + column)[None, :]
    candidate = tl.load(decoder + 2 * COLUMNS + column)[None, :]
    reset += either(first_cover, more_cover, place, other, is_goal, is_tail, column, everything, WIDTH)
    update += either(first_cover + COLUMNS, more_cover + COLUMNS, place, other, is_goal, is_tail, column, everything, WIDTH)
    candidate += either(
        first_cover + 2 * COLUMNS, more_cover + 2 * COLUMNS, place, other, is_goal, is_tail, column, everything, WIDTH
    )
    return reset, update, candidate


@triton.jit
def product(one, other, PRECISION: tl.constexpr):
    """A product of small matrices."""
    return tl.dot(one, other, input_precision=PRECISION)


@triton.jit
def forward(
    query, first_context, first_length, more_context, more_length, slot, coverage, asked, out, weights_out, batch,
    HEARS: tl.constexpr, FIRST: tl.constexpr, MORE: tl.constexpr, WORDS: tl.constexpr, HIDDEN: tl.constexpr,
    UNITS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """One program: one episode. Unless it `HEARS`, nobody asks."""
    episode = tl.program_id(0).to(tl.int64)
    anew = tl.load(asked + episode) != 0 if HEARS else False
    place, other, is_goal, is_tail, chosen = places(episode, slot, anew, batch, FIRST, MORE, WORDS)
    unit, column, word = tl.arange(0, UNITS), tl.arange(0, COLUMNS), tl.arange(0, WORDS)
    of_word, known = word < FIRST + MORE, unit < HIDDEN
    asking_at = query + episode * (HIDDEN + 4 * COLUMNS)
    covered_at = (episode * (FIRST + MORE) + word)[:, None] * COLUMNS + column[None, :]
    length, more = tl.load(first_length + episode), tl.load(more_length + chosen)
    context = either(first_context, more_context, place, other, is_goal, is_tail, unit, known, HIDDEN)
    asking = tl.load(asking_at + unit, mask=known, other=0.0)
    of_coverage = tl.load(asking_at + HIDDEN + column)
    covered = tl.load(coverage + covered_at, mask=of_word[:, None], other=0.0)
    if HEARS:
        covered = tl.where(anew, 0.0, covered)
    present = (is_goal & (word < length)) | (is_tail & (word - FIRST < more))
    scores = tl.sum(context * asking[None, :], 1) + tl.sum(covered * of_coverage[None, :], 1)
    scores = tl.where(present, scores, -float("inf"))
    weights = tl.exp(scores - tl.max(scores, 0))
    weights = weights / tl.sum(weights, 0)
    row = out + episode * (2 * HIDDEN + COLUMNS)
    tl.store(row + unit, tl.sum(context * weights[:, None], 0), mask=known)
    tl.store(row + 2 * HIDDEN + column, tl.sum(covered * weights[:, None], 0))
    tl.store(weights_out + episode * (FIRST + MORE) + word, weights, mask=of_word)


@triton.jit
def cover(
    query, first_cover, first_length, more_cover, more_length, slot, coverage, asked, matrix, weights_in, after_out, batch,
    FIRST: tl.constexpr, MORE: tl.constexpr, WORDS: tl.constexpr, HIDDEN: tl.constexpr, COLUMNS: tl.constexpr,
    SIZE: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """One program: the coverage of one episode."""
    episode = tl.program_id(0).to(tl.int64)
    anew = tl.load(asked + episode) != 0
    place, other, is_goal, is_tail, chosen = places(episode, slot, anew, batch, FIRST, MORE, WORDS)
    column, word = tl.arange(0, COLUMNS), tl.arange(0, WORDS)
    of_word = word < FIRST + MORE
    STEP: tl.constexpr = COLUMNS * COLUMNS
    covered_at = (episode * (FIRST + MORE) + word)[:, None] * COLUMNS + column[None, :]
    length, more = tl.load(first_length + episode), tl.load(more_length + chosen)
    covered = tl.load(coverage + covered_at, mask=of_word[:, None], other=0.0)
    weights = tl.load(weights_in + episode * (FIRST + MORE) + word, mask=of_word, other=0.0)
    at = matrix + column[None, :] * COLUMNS + column[:, None]  # transposed: (in, out)
    by_reset, by_update = tl.load(at), tl.load(at + STEP)
    by_candidate, by_again = tl.load(at + 2 * STEP), tl.load(at + 3 * STEP)
    decoder = query + episode * (HIDDEN + 4 * COLUMNS) + HIDDEN + COLUMNS
    reset, update, candidate = given_gates(decoder, first_cover, more_cover, place, other, is_goal, is_tail, COLUMNS)
    covered = tl.where(anew, 0.0, covered)
    present = (is_goal & (word < length)) | (is_tail & (word - FIRST < more))
    extended = extend(covered, weights, COLUMNS, SIZE)
    reset = tl.sigmoid(reset + product(extended, by_reset, PRECISION))
    update = tl.sigmoid(update + product(extended, by_update, PRECISION))
    candidate = tanh(candidate + product(extended, by_candidate, PRECISION) + reset * product(extended, by_again, PRECISION))
    after = candidate + update * (covered - candidate)
    after = tl.where((column < SIZE)[None, :] & present[:, None], after, 0.0)
    tl.store(after_out + covered_at, after, mask=of_word[:, None])


@triton.jit
def backward(
    query, first_context, first_cover, first_length, to_first_context, to_first_cover, more_context, more_cover, more_length,
    to_more_context, to_more_cover, slot, coverage, asked, matrix, to_matrix, weights_in, to_out, to_after, to_query,
    to_before, batch, HAS_COVERAGE: tl.constexpr, FIRST: tl.constexpr, MORE: tl.constexpr, WORDS: tl.constexpr,
    HIDDEN: tl.constexpr, UNITS: tl.constexpr, COLUMNS: tl.constexpr, SIZE: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """One program: one episode."""
    episode = tl.program_id(0).to(tl.int64)
    anew = tl.load(asked + episode) != 0
    place, other, is_goal, is_tail, chosen = places(episode, slot, anew, batch, FIRST, MORE, WORDS)
    unit, column, word = tl.arange(0, UNITS), tl.arange(0, COLUMNS), tl.arange(0, WORDS)
    of_word, known, everything = word < FIRST + MORE, unit < HIDDEN, column >= 0
    ALL: tl.constexpr = HIDDEN + 4 * COLUMNS
    OUT: tl.constexpr = 2 * HIDDEN + COLUMNS
    WIDTH: tl.constexpr = 3 * COLUMNS
    STEP: tl.constexpr = COLUMNS * COLUMNS
    asking_at, to_query_at = query + episode * ALL, to_query + episode * ALL
    covered_at = (episode * (FIRST + MORE) + word)[:, None] * COLUMNS + column[None, :]
    length, more = tl.load(first_length + episode), tl.load(more_length + chosen)
    covered = tl.where(anew, 0.0, tl.load(coverage + covered_at, mask=of_word[:, None], other=0.0))
    weights = tl.load(weights_in + episode * (FIRST + MORE) + word, mask=of_word, other=0.0)
    to_seen = tl.load(to_out + episode * OUT + 2 * HIDDEN + column)
    of_coverage = tl.load(asking_at + HIDDEN + column)
    present = (is_goal & (word < length)) | (is_tail & (word - FIRST < more))
    to_covered = tl.zeros((WORDS, COLUMNS), tl.float32)
    to_weights = tl.sum(covered * to_seen[None, :], 1)
    of_reset = tl.zeros((COLUMNS,), tl.float32)
    of_update = tl.zeros((COLUMNS,), tl.float32)
    of_candidate = tl.zeros((COLUMNS,), tl.float32)
    if HAS_COVERAGE:
        counts = (column < SIZE)[None, :] & present[:, None]
        given = tl.load(to_after + covered_at, mask=counts, other=0.0)
        at = column[:, None] * COLUMNS + column[None, :]  # (out, in)
        m_reset, m_update = tl.load(matrix + at), tl.load(matrix + STEP + at)
        m_candidate, m_again = tl.load(matrix + 2 * STEP + at), tl.load(matrix + 3 * STEP + at)
        reset, update, candidate = given_gates(
            asking_at + HIDDEN + COLUMNS, first_cover, more_cover, place, other, is_goal, is_tail, COLUMNS
        )
        extended = extend(covered, weights, COLUMNS, SIZE)
        reset = tl.sigmoid(reset + product(extended, tl.trans(m_reset), PRECISION))
        update = tl.sigmoid(update + product(extended, tl.trans(m_update), PRECISION))
        again = product(extended, tl.trans(m_again), PRECISION)
        candidate = tanh(candidate + product(extended, tl.trans(m_candidate), PRECISION) + reset * again)
        in_update = given * (covered - candidate) * update * (1 - update)
        in_candidate = given * (1 - update) * (1 - candidate * candidate)
        # Where there is no word the gates may be anything, and nothing times anything is not always nothing.
        in_update, in_candidate = tl.where(counts, in_update, 0.0), tl.where(counts, in_candidate, 0.0)
        in_reset = tl.where(counts, in_candidate * again * reset * (1 - reset), 0.0)
        in_again = tl.where(counts, in_candidate * reset, 0.0)
        to_extended = product(in_reset, m_reset, PRECISION) + product(in_update, m_update, PRECISION)
        to_extended += product(in_candidate, m_candidate, PRECISION) + product(in_again, m_again, PRECISION)
        to_covered += tl.where(counts, given * update, 0.0) + tl.where((column < SIZE)[None, :], to_extended, 0.0)
        to_weights += tl.sum(tl.where((column == SIZE + 1)[None, :], to_extended, 0.0), 1)
        own = to_matrix + episode * (4 * STEP) + at
        tl.store(own, tl.load(own) + product(tl.trans(in_reset), extended, PRECISION))
        tl.store(own + STEP, tl.load(own + STEP) + product(tl.trans(in_update), extended, PRECISION))
        tl.store(own + 2 * STEP, tl.load(own + 2 * STEP) + product(tl.trans(in_candidate), extended, PRECISION))
        tl.store(own + 3 * STEP, tl.load(own + 3 * STEP) + product(tl.trans(in_again), extended, PRECISION))
        add(to_first_cover, to_more_cover, place, other, is_goal, is_tail, column, everything, in_reset, WIDTH)
        add(
            to_first_cover + COLUMNS, to_more_cover + COLUMNS, place, other, is_goal, is_tail, column, everything, in_update,
            WIDTH,
        )  # fmt: skip
        add(
            to_first_cover + 2 * COLUMNS, to_more_cover + 2 * COLUMNS, place, other, is_goal, is_tail, column, everything,
            in_candidate, WIDTH,
        )  # fmt: skip
        of_reset, of_update, of_candidate = tl.sum(in_reset, 0), tl.sum(in_update, 0), tl.sum(in_candidate, 0)
    tl.store(to_query_at + HIDDEN + COLUMNS + column, of_reset)
    tl.store(to_query_at + HIDDEN + 2 * COLUMNS + column, of_update)
    tl.store(to_query_at + HIDDEN + 3 * COLUMNS + column, of_candidate)
    context = either(first_context, more_context, place, other, is_goal, is_tail, unit, known, HIDDEN)
    asking = tl.load(asking_at + unit, mask=known, other=0.0)
    to_summary = tl.load(to_out + episode * OUT + unit, mask=known, other=0.0)
    to_weights += tl.sum(context * to_summary[None, :], 1)
    to_scores = weights * (to_weights - tl.sum(weights * to_weights, 0))
    tl.store(to_query_at + unit, tl.sum(context * to_scores[:, None], 0), mask=known)
    tl.store(to_query_at + HIDDEN + column, tl.sum(covered * to_scores[:, None], 0))
    to_covered += to_scores[:, None] * of_coverage[None, :] + weights[:, None] * to_seen[None, :]
    tl.store(to_before + covered_at, tl.where(anew, 0.0, to_covered), mask=of_word[:, None])
    more_context_gradient = to_scores[:, None] * asking[None, :] + weights[:, None] * to_summary[None, :]
    add(to_first_context, to_more_context, place, other, is_goal, is_tail, unit, known, more_context_gradient, HIDDEN)
