"""Loops in machine code that PyTorch's own threads share.

Other threads would compete with them for the processor: between two products they wait by running in circles. So a loop
here is handed to the same team, by the call that a C compiler puts where it finds `#pragma omp parallel`. PyTorch says how
large the team is (`torch.set_num_threads`). Where it has no such team, one thread does all.

Kernels kept on disk are not renewed when this file changes (`vnla.common.native`).
"""

# mypy: ignore-errors
from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import torch
from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_FORK, _MEMBER, _MEMBERS = "vnla_team_fork", "vnla_team_member", "vnla_team_members"

_WORD, _NUMBER, _ADDRESS = ir.IntType(64), ir.IntType(32), ir.IntType(8).as_pointer()

_Work = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_Fork = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint)
_Number = ctypes.CFUNCTYPE(ctypes.c_int)

_ALONE = _Fork(lambda work, given, *_: _Work(work)(given)), _Number(lambda: 0), _Number(lambda: 1)
"""What stands in for a team."""


def _team():
    """Return the functions of the OpenMP library that LibTorch is linked with: a name is looked for in that one, too."""
    ending = "dylib" if sys.platform == "darwin" else "so"
    try:
        library = ctypes.CDLL(str(Path(torch.__file__).parent / "lib" / f"libtorch_cpu.{ending}"))
        return library.GOMP_parallel, library.omp_get_thread_num, library.omp_get_num_threads
    except (OSError, AttributeError):
        return _ALONE


for _name, _function in zip((_FORK, _MEMBER, _MEMBERS), _team(), strict=True):
    binding.add_symbol(_name, ctypes.cast(_function, ctypes.c_void_p).value)


@intrinsic
def member(typing_context):  # noqa: ARG001
    """The number of this thread in the team, from 0, for a loop that is shared."""

    def generate(context, builder, signature, values):  # noqa: ARG001
        return _asked(builder, _MEMBER)

    return types.intp(), generate


@intrinsic
def share(typing_context, loop, count, least, arguments):  # noqa: ARG001
    """Call the kernel `loop(*arguments, first, last)` once in each thread, with its share of the numbers below `count`.

    One thread does all if there are fewer than `least`. The kernel has to be `inlined`: of one that is compiled by itself
    there would be two versions, which may add up in another order, and which one is called would depend on whether the
    caller was kept on disk.
    """
    called = loop.get_call_type(typing_context, (*arguments, types.intp, types.intp), {})

    def generate(context, builder, signature, values):  # noqa: ARG001
        _, total, fewest, given = values
        compiled = loop.dispatcher.overloads[called.args]
        context.add_linking_libs([compiled.library])
        luggage = ir.LiteralStructType([_WORD, given.type])
        place = cgutils.alloca_once(builder, luggage)
        for index, value in enumerate((total, given)):
            builder.store(value, cgutils.gep_inbounds(builder, place, 0, index))
        work = _work(context, builder.module, luggage, compiled.fndesc, called)
        threads = builder.select(builder.icmp_signed("<", total, fewest), _NUMBER(1), _NUMBER(0))  # 0: as many as there are
        fork = _declared(builder, _FORK, ir.VoidType(), work.type, _ADDRESS, _NUMBER, _NUMBER)
        builder.call(fork, [work, builder.bitcast(place, _ADDRESS), threads, _NUMBER(0)])
        return context.get_dummy_value()

    return types.void(loop, types.intp, types.intp, arguments), generate


def _work(context, module, luggage, loop, called):
    """A function of the address of `luggage`, (count, arguments), that does a thread's share of a loop."""
    work = ir.Function(module, ir.FunctionType(ir.VoidType(), [_ADDRESS]), module.get_unique_name("share"))
    work.linkage = "internal"
    builder = ir.IRBuilder(work.append_basic_block("entry"))
    total, given = cgutils.unpack_tuple(builder, builder.load(builder.bitcast(work.args[0], luggage.as_pointer())))
    own, all_ = _asked(builder, _MEMBER), _asked(builder, _MEMBERS)
    first, last = (builder.sdiv(builder.mul(total, each), all_) for each in (own, builder.add(own, _WORD(1))))
    arguments = [*cgutils.unpack_tuple(builder, given), first, last]
    function = context.declare_function(module, loop)
    context.call_conv.call_function(builder, function, called.return_type, called.args, arguments)
    builder.ret_void()
    return work


def _asked(builder, name):
    """What a function without arguments says, as a word."""
    return builder.zext(builder.call(_declared(builder, name, _NUMBER), []), _WORD)


def _declared(builder, name, result, *given):
    return cgutils.get_or_insert_function(builder.module, ir.FunctionType(result, given), name)
