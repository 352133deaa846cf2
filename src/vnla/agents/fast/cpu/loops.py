"""Loops over the rows of a batch in machine code, for a CPU (`vnla.agents.fast.cpu.state`).

What PyTorch does here in dozens of operations is little arithmetic and much moving of memory; each of these loops goes over
its data once. They are what `vnla.agents.layers.cells` and `vnla.agents.fast.gpu.kernels.attend` have in plain PyTorch, and
the tests hold them against those, forward and backward. All numbers are float32, one row is computed like any other, and
sums are taken in an order that depends on the number of threads alone. Those which are long are shared among PyTorch's
threads by rows (`vnla.common.openmp`): of each there is one that does rows from `first` to `last`, and one that shares.

Dropout is decided by `dropout_seeds` (rows, columns), 16 bits each: a value is kept where its lot is at least `least`, and
then scaled.
"""

# mypy: ignore-errors
from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from vnla.common.native import compiled, inlined
from vnla.common.openmp import member, share

_f = np.float32
COLUMNS = 16
"""Places for a coverage vector, a 1 and an attention weight: a line of the processor's cache."""
_LEAST = 8
"""Rows that are worth to be shared."""


@intrinsic
def _from_bits(typing_context, bits):  # noqa: ARG001
    def generate(context, builder, signature, arguments):  # noqa: ARG001
        return builder.bitcast(arguments[0], ir.FloatType())

    return types.float32(types.int32), generate


@inlined
def exp(x):
    """e^x to the last bit or two (the polynomial of Cephes), in operations that are done on many numbers at once."""
    x = min(max(x, _f(-87.0)), _f(88.0))
    whole = np.floor(x * _f(1.44269504) + _f(0.5))
    rest = x - whole * _f(0.693359375) + whole * _f(2.12194440e-4)
    sum_ = _f(1.9875691500e-4)
    sum_ = sum_ * rest + _f(1.3981999507e-3)
    sum_ = sum_ * rest + _f(8.3334519073e-3)
    sum_ = sum_ * rest + _f(4.1665795894e-2)
    sum_ = sum_ * rest + _f(1.6666665459e-1)
    sum_ = sum_ * rest + _f(5.0000001201e-1)
    sum_ = sum_ * rest * rest + rest + _f(1.0)
    return sum_ * _from_bits(np.int32((np.int32(whole) + np.int32(127)) << np.int32(23)))


@inlined
def sigmoid(x):
    """1 / (1 + e^-x)."""
    return _f(1.0) / (_f(1.0) + exp(-x))


@inlined
def tanh(x):
    """The hyperbolic tangent."""
    return _f(1.0) - _f(2.0) / (_f(1.0) + exp(x + x))


@compiled
def drop(values, dropout_seeds, least, scale, out):
    """What dropout leaves of `values` (rows, columns)."""
    share(_drop, values.shape[0], _LEAST, (values, dropout_seeds, least, scale, out))


@inlined
def _drop(values, dropout_seeds, least, scale, out, first, last):
    for i in range(first, last):
        value, lot, to = values[i], dropout_seeds[i], out[i]
        for j in range(value.shape[0]):
            to[j] = value[j] * (scale if lot[j] >= least else _f(0.0))


@compiled
def look_up(table, index, first, dropout_seeds, least, scale, out):
    """What dropout leaves of the rows `first + index` of a table; zeros in the columns for which there are no lots."""
    columns = dropout_seeds.shape[1]
    for i in range(index.shape[0]):
        value, lot, to = table[first + index[i]], dropout_seeds[i], out[i]
        for j in range(columns):
            to[j] = value[j] * (scale if lot[j] >= least else _f(0.0))
        for j in range(columns, to.shape[0]):
            to[j] = _f(0.0)


@compiled
def look_up_back(by_out, index, first, dropout_seeds, least, scale, by_table):
    """The gradient of `look_up`'s table, added to what it has."""
    columns = dropout_seeds.shape[1]
    for i in range(index.shape[0]):
        value, lot, to = by_out[i], dropout_seeds[i], by_table[first + index[i]]
        for j in range(columns):
            to[j] += value[j] * (scale if lot[j] >= least else _f(0.0))


@compiled
def advance(gates, cells, before, dropout_seeds, least, scale, reached, hidden, dropped):
    """An LSTM cell. Row i goes on from row `before[i]` of `cells`; its gates (input, forget, candidate, output) are opened
    in place. Fills in the cell `reached`, the hidden state, and what dropout leaves of that."""
    share(_advance, gates.shape[0], _LEAST, (gates, cells, before, dropout_seeds, least, scale, reached, hidden, dropped))


@inlined
def _advance(gates, cells, before, dropout_seeds, least, scale, reached, hidden, dropped, first, last):
    size = reached.shape[1]
    for i in range(first, last):
        enter, forget, candidate, leave = (
            gates[i, :size], gates[i, size : 2 * size], gates[i, 2 * size : 3 * size], gates[i, 3 * size :],
        )  # fmt: skip
        cell, cell_to, hidden_to = cells[before[i]], reached[i], hidden[i]
        for j in range(size):
            a, b, c, d = sigmoid(enter[j]), sigmoid(forget[j]), tanh(candidate[j]), sigmoid(leave[j])
            enter[j], forget[j], candidate[j], leave[j] = a, b, c, d
            now = b * cell[j] + a * c
            cell_to[j] = now
            hidden_to[j] = d * tanh(now)
        lot, to = dropout_seeds[i], dropped[i]
        for j in range(size):
            to[j] = hidden_to[j] * (scale if lot[j] >= least else _f(0.0))


@compiled
def retreat(*arguments):
    """Back through `advance`: the gradients of the gates and of the cell before. `_retreat` has the arguments' names.

    The gradients that come to hidden state and cell from later are in row `after[i]` of `by_hidden` and `by_reached`; none
    come where that is negative. `by_cell` may be `by_reached` itself where `after` names each row's own place.
    """
    share(_retreat, len(arguments[0]), _LEAST, arguments)


@inlined
def _retreat(
    gates, cells, before, reached, dropout_seeds, least, scale, by_dropped, after, by_hidden, by_reached, by_gates, by_cell,
    first, last,
):  # fmt: skip
    size = reached.shape[1]
    nothing, come, change = np.zeros(size, np.float32), np.empty(size, np.float32), np.empty(size, np.float32)
    for i in range(first, last):
        enter, forget, candidate, leave = (
            gates[i, :size], gates[i, size : 2 * size], gates[i, 2 * size : 3 * size], gates[i, 3 * size :],
        )  # fmt: skip
        to_enter, to_forget, to_candidate, to_leave = (
            by_gates[i, :size], by_gates[i, size : 2 * size], by_gates[i, 2 * size : 3 * size], by_gates[i, 3 * size :],
        )  # fmt: skip
        cell, now, lot, given, to = cells[before[i]], reached[i], dropout_seeds[i], by_dropped[i], by_cell[i]
        later = after[i]
        more, further = (by_hidden[later], by_reached[later]) if later >= 0 else (nothing, nothing)
        # Short loops: with more than a handful of arrays in one, numbers are not computed many at a time.
        for j in range(size):
            come[j] = more[j] + given[j] * (scale if lot[j] >= least else _f(0.0))
        for j in range(size):
            squashed, d = tanh(now[j]), leave[j]
            change[j] = come[j] * d * (_f(1.0) - squashed * squashed) + further[j]
            to_leave[j] = come[j] * squashed * d * (_f(1.0) - d)
        for j in range(size):
            a, c = enter[j], candidate[j]
            to_candidate[j] = change[j] * a * (_f(1.0) - c * c)
            to_enter[j] = change[j] * c * a * (_f(1.0) - a)
        for j in range(size):
            b = forget[j]
            to_forget[j] = change[j] * cell[j] * b * (_f(1.0) - b)
            to[j] = change[j] * b


@inlined
def _extended(covered, known, weight, size, extended):
    """A word's coverage, a 1 and its attention weight."""
    for c in range(COLUMNS):
        extended[c] = covered[c] if known and c < size else _f(0.0)
    extended[size] = _f(1.0)
    extended[size + 1] = weight


@inlined
def _gates(matrix, extended, size, of_word, of_decoder, gates):
    """The gates of a word's coverage: M·[coverage; 1; weight], and what word and decoder add to the first three; opened."""
    for o in range(3 * COLUMNS):
        gates[o] = of_word[o] + of_decoder[o]
    for o in range(3 * COLUMNS, 4 * COLUMNS):
        gates[o] = _f(0.0)
    for c in range(size + 2):
        value, row = extended[c], matrix[c]
        for o in range(4 * COLUMNS):
            gates[o] += value * row[o]
    for o in range(2 * COLUMNS):
        gates[o] = sigmoid(gates[o])
    for o in range(COLUMNS):
        gates[2 * COLUMNS + o] = tanh(gates[2 * COLUMNS + o] + gates[o] * gates[3 * COLUMNS + o])


@compiled
def attend(*arguments):
    """Attention and coverage; `_attend` has the arguments' names. Row i has in mind the `count[i]` words `place[i]` of
    `context` (words, hidden) and `cover` (words, 3·columns), and of its coverage what is in row `before[i]` of `coverage`,
    nothing if that is negative.

    `query` and `out` are those of `vnla.agents.fast.gpu.kernels.attend`, and so is `matrix`, but as (in, 4·out). Fills in
    summary and coverage in `out`, and if it `covers` the attention weights and the next coverage.
    """
    share(_attend, len(arguments[0]), _LEAST, arguments)


@inlined
def _attend(
    query, context, cover, place, count, coverage, before, matrix, size, covers, out, weights, coverage_after, first, last
):  # fmt: skip
    hidden = context.shape[1]
    scores = np.empty(place.shape[1], np.float32)
    extended, gates = np.empty(COLUMNS, np.float32), np.empty(4 * COLUMNS, np.float32)
    for i in range(first, last):
        asking, of_coverage, of_decoder = (
            query[i, :hidden], query[i, hidden : hidden + COLUMNS], query[i, hidden + COLUMNS :],
        )  # fmt: skip
        known = before[i] >= 0
        covered = coverage[before[i] if known else 0]
        largest = _f(-3e38)
        for w in range(count[i]):
            memory = context[place[i, w]]
            score = _f(0.0)
            for j in range(hidden):
                score += memory[j] * asking[j]
            if known:
                for c in range(COLUMNS):
                    score += covered[w, c] * of_coverage[c]
            scores[w] = score
            largest = max(largest, score)
        total = _f(0.0)
        for w in range(count[i]):
            scores[w] = exp(scores[w] - largest)
            total += scores[w]
        summary, seen = out[i, :hidden], out[i, 2 * hidden :]
        for j in range(hidden):
            summary[j] = _f(0.0)
        for c in range(COLUMNS):
            seen[c] = _f(0.0)
        for w in range(count[i]):
            scores[w] /= total
            weight = scores[w]
            memory = context[place[i, w]]
            for j in range(hidden):
                summary[j] += weight * memory[j]
            if known:
                for c in range(COLUMNS):
                    seen[c] += weight * covered[w, c]
        if covers:
            for w in range(count[i]):
                weights[i, w] = scores[w]
                _extended(covered[w], known, scores[w], size, extended)
                _gates(matrix, extended, size, cover[place[i, w]], of_decoder, gates)
                after = coverage_after[i, w]
                for c in range(COLUMNS):
                    candidate = gates[2 * COLUMNS + c]
                    now = candidate + gates[COLUMNS + c] * (extended[c] - candidate)
                    after[c] = now if c < size else _f(0.0)


@compiled
def attend_back(*arguments):
    """Back through `attend`: the gradients of the query and of the coverage before. Those of the memory and of the matrix
    are added to what they have; no two rows have a word in common, and each thread has a matrix of its own. `_attend_back`
    has the arguments' names.

    The gradient of the next coverage is in row `after[i]` of `by_after`; there is none where that is negative.
    """
    share(_attend_back, len(arguments[0]), _LEAST, arguments)


@inlined
def _attend_back(
    query, context, cover, place, count, coverage, before, matrix, size, weights, by_out, after, by_after, by_query,
    by_before, by_context, by_cover, by_matrices, first, last,
):  # fmt: skip
    hidden = context.shape[1]
    to_weights = np.empty(place.shape[1], np.float32)
    extended, gates = np.empty(COLUMNS, np.float32), np.empty(4 * COLUMNS, np.float32)
    inside, to_extended = np.empty(4 * COLUMNS, np.float32), np.empty(COLUMNS, np.float32)
    by_matrix = by_matrices[member()]
    for i in range(first, last):
        asking, of_coverage, of_decoder = (
            query[i, :hidden], query[i, hidden : hidden + COLUMNS], query[i, hidden + COLUMNS :],
        )  # fmt: skip
        to_asking, to_coverage, to_decoder = (
            by_query[i, :hidden], by_query[i, hidden : hidden + COLUMNS], by_query[i, hidden + COLUMNS :],
        )  # fmt: skip
        known, later = before[i] >= 0, after[i]
        covered = coverage[before[i] if known else 0]
        to_summary, to_seen = by_out[i, :hidden], by_out[i, 2 * hidden :]
        for c in range(3 * COLUMNS):
            to_decoder[c] = _f(0.0)
        for c in range(COLUMNS):
            to_coverage[c] = _f(0.0)
        for j in range(hidden):
            to_asking[j] = _f(0.0)
        mean = _f(0.0)
        for w in range(count[i]):
            weight, to_covered = weights[i, w], by_before[i, w]
            memory = context[place[i, w]]
            come = _f(0.0)
            for j in range(hidden):
                come += memory[j] * to_summary[j]
            _extended(covered[w], known, weight, size, extended)
            for c in range(COLUMNS):
                come += to_seen[c] * extended[c] if c < size else _f(0.0)
                to_covered[c] = weight * to_seen[c]
            if later >= 0:
                given, to_cover = by_after[later, w], by_cover[place[i, w]]
                _gates(matrix, extended, size, cover[place[i, w]], of_decoder, gates)
                for o in range(COLUMNS):
                    here = given[o] if o < size else _f(0.0)
                    reset, update, candidate = gates[o], gates[COLUMNS + o], gates[2 * COLUMNS + o]
                    in_candidate = here * (_f(1.0) - update) * (_f(1.0) - candidate * candidate)
                    inside[o] = in_candidate * gates[3 * COLUMNS + o] * reset * (_f(1.0) - reset)
                    inside[COLUMNS + o] = here * (extended[o] - candidate) * update * (_f(1.0) - update)
                    inside[2 * COLUMNS + o] = in_candidate
                    inside[3 * COLUMNS + o] = in_candidate * reset
                    to_covered[o] += here * update
                for o in range(3 * COLUMNS):
                    to_cover[o] += inside[o]
                    to_decoder[o] += inside[o]
                for c in range(size + 2):
                    value, back, row, to_row = extended[c], _f(0.0), matrix[c], by_matrix[c]
                    for o in range(4 * COLUMNS):
                        back += inside[o] * row[o]
                    for o in range(4 * COLUMNS):
                        to_row[o] += value * inside[o]
                    to_extended[c] = back
                for c in range(COLUMNS):
                    to_covered[c] += to_extended[c] if c < size else _f(0.0)
                come += to_extended[size + 1]
            to_weights[w] = come
            mean += weight * come
        for w in range(count[i]):
            weight, to_covered = weights[i, w], by_before[i, w]
            to_score = weight * (to_weights[w] - mean)
            memory, to_memory = context[place[i, w]], by_context[place[i, w]]
            for j in range(hidden):
                to_asking[j] += to_score * memory[j]
            for j in range(hidden):
                to_memory[j] += to_score * asking[j] + weight * to_summary[j]
            for c in range(COLUMNS):
                to_covered[c] += to_score * of_coverage[c]
            if known:
                for c in range(COLUMNS):
                    to_coverage[c] += to_score * covered[w, c]
