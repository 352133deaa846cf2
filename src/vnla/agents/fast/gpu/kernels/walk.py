"""The encoder's walk over the words of a batch of sentences, each with a fixed number of places.

On a GPU it is one kernel for all words, its programs waiting for each other between two words: each keeps its share of the
recurrent weights in shared memory, where the batch is small enough for all programs to run at once. Larger batches take a
kernel a word. Where tf32 will do, weights and hidden states are multiplied in float16, which has as many digits; otherwise
products are sums of three in bfloat16, of the operands' upper and lower halves, which is as good as float32 to about 1e-5.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import torch
from torch import Tensor

from vnla.agents.fast.gpu.kernels import interpreted, power_of_2, tf32_will_do, triton_side, use_triton

_ROWS, _UNITS, _WARPS = 32, 16, 4
_FEWEST_UNITS = 64  # of which a quarter is enough for the matrix units
_MOST_NUMBERS = 2**31  # that the kernel can count


class Halves(NamedTuple):
    """Recurrent weights (4·hidden, hidden), and their upper and lower halves in bfloat16; or, if one part will do, that."""

    weight: Tensor
    upper: Tensor
    lower: Tensor | None

    @classmethod
    def of(cls, weight: Tensor) -> Halves:
        """The halves of a weight; in float16 alone where a GPU may round float32 to tf32."""
        if weight.is_cuda and tf32_will_do():
            return cls(weight, weight.to(torch.float16), None)
        upper = weight.to(torch.bfloat16)
        return cls(weight, upper, (weight - upper.to(weight.dtype)).to(torch.bfloat16))


class Track(NamedTuple):
    """Where a walk writes: rows of sentences, of which it takes one for each of its batch."""

    hidden: Tensor  # (rows, places + 1, hidden), the first place is the state that the walk begins with
    cell: Tensor  # (rows, places + 1, hidden), likewise
    gates: Tensor  # (rows, places, 4·hidden), after their non-linearities
    context: Tensor  # (rows, places, hidden), hidden states after dropout
    kept: Tensor | None  # (rows, places, hidden), what dropout keeps


def walk(entering: Tensor, weight: Halves, row: Tensor, length: Tensor, scale: float, track: Track, meet: Tensor) -> Tensor:
    """Walk over sentences of `length` words, which add `entering` (batch, places, 4·hidden) to the gates, in rows `row`.

    The result is the new part of `track.context`, (batch, places, hidden). Places after a sentence's end hold anything
    finite; what they would add is not looked at. `meet` are zeros (batch,) of int32, for the programs to meet at.
    """
    (batch, places, _), hidden = entering.shape, weight.weight.shape[1]
    fits = hidden >= _FEWEST_UNITS and hidden == power_of_2(hidden) and track.gates.numel() < _MOST_NUMBERS
    if not (fits and use_triton(entering)):
        return walk_plain(entering, weight, row, length, scale, track)
    now = entering.new_empty(batch, places, hidden)
    groups, pieces = -(-batch // _ROWS), hidden // _UNITS
    half = weight.lower is None
    upper, lower = weight.upper, weight.upper if weight.lower is None else weight.lower
    passing = upper.new_empty(batch, 2, hidden)
    if interpreted():  # its products in bfloat16 are wrong
        upper, lower = upper.float(), lower.float()
    together = groups * pieces <= processors(entering.device)
    for place in range(1 if together else places):
        triton_side("walk").walk[groups * pieces,](
            entering, upper, lower, row, length, track.kept, scale, track.hidden, track.cell, track.gates,
            track.context, now, passing, meet, place, batch, places, pieces,
            HIDDEN=hidden, ROWS=_ROWS, UNITS=_UNITS, DROPS=track.kept is not None, TOGETHER=together, HALF=half,
            num_warps=_WARPS, launch_cooperative_grid=together,
        )  # fmt: skip
    return now


def walk_plain(entering: Tensor, weight: Halves, row: Tensor, length: Tensor, scale: float, track: Track) -> Tensor:
    """The same in PyTorch."""
    outputs = []
    entering = entering.masked_fill((torch.arange(entering.shape[1], device=row.device) >= length[:, None])[:, :, None], 0)
    for place in range(entering.shape[1]):
        gates = entering[:, place] + track.hidden[row, place] @ weight.weight.T
        enter, forget, candidate, leave = gates.chunk(4, dim=1)
        enter, forget, leave, candidate = enter.sigmoid(), forget.sigmoid(), leave.sigmoid(), candidate.tanh()
        cell = forget * track.cell[row, place] + enter * candidate
        hidden = leave * cell.tanh()
        dropped = hidden if track.kept is None else hidden * track.kept[row, place] * scale
        track.cell[row, place + 1] = cell
        track.hidden[row, place + 1] = hidden
        track.gates[row, place] = torch.cat([enter, forget, candidate, leave], dim=1)
        track.context[row, place] = dropped
        outputs.append(dropped)
    return torch.stack(outputs, dim=1)


@cache
def processors(device: torch.device) -> int:
    """How many programs run at once; the interpreter runs one after the other."""
    return 1 if device.type == "cpu" else int(torch.cuda.get_device_properties(device).multi_processor_count)
