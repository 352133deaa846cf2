"""Products of a few rows with a weight that lies in panels, for a CPU with vectors of 512 bits.

A step multiplies a hundred rows, or twenty, with weights of megabytes. A library cannot know that the same weight comes
again with the next step, and arranges it anew each time, which takes as long as the product of so few rows. Here it is
arranged once an iteration: in panels of `WIDTH` columns, in which what is needed next lies next. Then six rows at a time go
down a panel with their sums in registers.
"""

# mypy: ignore-errors
from __future__ import annotations

import numpy as np
import torch
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from vnla.common.native import compiled, inlined
from vnla.common.openmp import share

_LANES, _VECTORS, _ROWS = 16, 4, 6
"""Sums of 6 rows times 4 vectors of 16 numbers are 24 registers of the 32 that there are."""
WIDTH = _LANES * _VECTORS
"""Columns of a panel."""
_BYTES = 4
_AHEAD = 16
"""Rows of a panel that are fetched before they are needed: as many as a page of memory holds."""

_ENOUGH = 1 << 19
"""Multiplications that are worth to be shared among threads."""


def available() -> bool:
    """Return whether this machine has vectors of 512 bits."""
    return torch.backends.cpu.get_cpu_capability() == "AVX512"


def _tile(rows):
    """A function of addresses: `rows` rows down a panel."""

    @intrinsic
    def tile(typing_context, left, left_step, panel, depth, start, start_step, out, out_step):  # noqa: ARG001
        word, number, lane = ir.IntType(64), ir.IntType(32), ir.FloatType()
        vector, address = ir.VectorType(lane, _LANES), ir.IntType(8).as_pointer()
        nothing = ir.Constant(vector, ir.Undefined)
        everywhere = ir.Constant(ir.VectorType(number, _LANES), [0] * _LANES)

        def generate(context, builder, signature, values):  # noqa: ARG001
            left, left_step, panel, depth, start, start_step, out, out_step = values
            multiply_add = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(vector, [vector] * 3), f"llvm.fma.v{_LANES}f32"
            )
            fetch = builder.module.declare_intrinsic(
                "llvm.prefetch", [address], ir.FunctionType(ir.VoidType(), [address, number, number, number])
            )

            def at(place, type_):
                return builder.inttoptr(place, type_.as_pointer())

            def load(place, type_):
                loaded = builder.load(at(place, type_))
                loaded.align = _BYTES
                return loaded

            def by_vector(first, step):
                """Addresses of the vectors of each row."""
                beginnings = [builder.add(first, builder.mul(step, word(row))) for row in range(rows)]
                return [[builder.add(one, word(_BYTES * _LANES * i)) for i in range(_VECTORS)] for one in beginnings]

            steps = [builder.mul(left_step, word(row)) for row in range(rows)]
            before = [[load(place, vector) for place in row] for row in by_vector(start, start_step)]
            entry, body, end = builder.block, builder.append_basic_block("down"), builder.append_basic_block("done")
            builder.branch(body)
            builder.position_at_end(body)
            counter, from_left, from_panel = (builder.phi(word) for _ in range(3))
            sums = [[builder.phi(vector) for _ in range(_VECTORS)] for _ in range(rows)]
            columns = []
            for i in range(_VECTORS):
                later = builder.add(from_panel, word(_BYTES * (_AHEAD * WIDTH + _LANES * i)))
                builder.call(fetch, [builder.inttoptr(later, address), number(0), number(3), number(1)])  # to read, to keep
                columns.append(load(builder.add(from_panel, word(_BYTES * _LANES * i)), vector))
            after = []
            for row in range(rows):
                value = load(builder.add(from_left, steps[row]), lane)
                value = builder.insert_element(nothing, value, number(0))
                value = builder.shuffle_vector(value, nothing, everywhere)
                after.append([builder.call(multiply_add, [value, columns[i], sums[row][i]]) for i in range(_VECTORS)])
            moving = ((counter, word(0), 1), (from_left, left, _BYTES), (from_panel, panel, _BYTES * WIDTH))
            for each, first, step in moving:
                each.add_incoming(first, entry)
                each.add_incoming(builder.add(each, word(step)), body)
            for row in range(rows):
                for each, first, then in zip(sums[row], before[row], after[row], strict=True):
                    each.add_incoming(first, entry)
                    each.add_incoming(then, body)
            builder.cbranch(builder.icmp_unsigned("<", counter.incomings[1][0], depth), body, end)
            builder.position_at_end(end)
            for row, places in enumerate(by_vector(out, out_step)):
                for place, value in zip(places, after[row], strict=True):
                    builder.store(value, at(place, vector)).align = _BYTES
            return context.get_dummy_value()

        return types.void(*(types.intp,) * 8), generate

    return tile


_one, _two, _three, _four, _five, _six = (_tile(rows) for rows in range(1, _ROWS + 1))


@inlined
def _down(left, panels, start, out, first, last):
    """The panels from `first` to `last`."""
    rows, depth = left.shape
    step, start_step, out_step = left.strides[0], start.strides[0] if len(start) > 1 else 0, out.strides[0]
    edge = np.empty((2, _ROWS, WIDTH), np.float32)  # start and out of the last panel, if it is wider than what is left
    for number in range(first, last):
        panel, column = np.intp(panels[number].ctypes.data), number * WIDTH
        width = min(WIDTH, out.shape[1] - column)
        for row in range(0, rows, _ROWS):
            here = np.intp(left.ctypes.data) + row * step
            begin, begin_step = np.intp(start.ctypes.data) + row * start_step + column * _BYTES, start_step
            to, to_step = np.intp(out.ctypes.data) + row * out_step + column * _BYTES, out_step
            count = min(_ROWS, rows - row)
            if width < WIDTH:
                for i in range(count):
                    for j in range(width):
                        edge[0, i, j] = start[row + i if start_step else 0, column + j]
                begin, to = np.intp(edge[0].ctypes.data), np.intp(edge[1].ctypes.data)
                begin_step = to_step = WIDTH * _BYTES
            if count == 6:
                _six(here, step, panel, depth, begin, begin_step, to, to_step)
            elif count == 5:
                _five(here, step, panel, depth, begin, begin_step, to, to_step)
            elif count == 4:
                _four(here, step, panel, depth, begin, begin_step, to, to_step)
            elif count == 3:
                _three(here, step, panel, depth, begin, begin_step, to, to_step)
            elif count == 2:
                _two(here, step, panel, depth, begin, begin_step, to, to_step)
            else:
                _one(here, step, panel, depth, begin, begin_step, to, to_step)
            if width < WIDTH:
                for i in range(count):
                    for j in range(width):
                        out[row + i, column + j] = edge[1, i, j]


@compiled
def multiply(left, panels, start, out):
    """`out` = `start` + `left` (rows, depth) times what `panels` hold. `start` has as many rows as `out`, or one for all; it
    may be `out` itself. Rows may lie apart, columns not."""
    fits = left.shape[1] == panels.shape[1] and out.shape[1] <= panels.shape[0] * WIDTH and panels.shape[2] == WIDTH
    fits = fits and left.shape[0] == out.shape[0] and start.shape[1] == out.shape[1] and len(start) in (1, len(out))
    if not (fits and left.strides[1] == start.strides[1] == out.strides[1] == _BYTES):
        raise ValueError("a product of arrays that do not fit")
    enough = 2 if left.shape[0] * panels.size >= _ENOUGH else panels.shape[0] + 1
    share(_down, panels.shape[0], enough, (left, panels, start, out))


@inlined
def _arrange(matrix, panels, first, last):
    for number in range(first, last):
        column, panel = number * WIDTH, panels[number]
        width = min(WIDTH, matrix.shape[1] - column)
        for row in range(matrix.shape[0]):
            for j in range(width):
                panel[row, j] = matrix[row, column + j]
            for j in range(width, WIDTH):
                panel[row, j] = np.float32(0.0)


@compiled
def arrange(matrix, panels):
    """Fill `panels` (⌈columns / WIDTH⌉, rows, WIDTH) with a matrix (rows, columns)."""
    share(_arrange, panels.shape[0], 2, (matrix, panels))


@inlined
def _arrange_transposed(matrix, panels, first, last):
    square = np.empty((_LANES, _LANES), np.float32)
    rows, columns = matrix.shape
    for number in range(first, last):
        panel = panels[number]
        for beginning in range(0, WIDTH, _LANES):
            at = number * WIDTH + beginning
            height = max(0, min(_LANES, rows - at))
            for left in range(0, columns, _LANES):
                width = min(_LANES, columns - left)
                square[:] = np.float32(0.0)
                for i in range(height):
                    for j in range(width):
                        square[j, i] = matrix[at + i, left + j]
                for j in range(width):
                    for i in range(_LANES):
                        panel[left + j, beginning + i] = square[j, i]


@compiled
def arrange_transposed(matrix, panels):
    """Fill `panels` (⌈rows / WIDTH⌉, columns, WIDTH) with a matrix (rows, columns), transposed."""
    share(_arrange_transposed, panels.shape[0], 2, (matrix, panels))
