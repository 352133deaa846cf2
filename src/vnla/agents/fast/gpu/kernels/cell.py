"""An LSTM cell from its gates: the decoder's, with the embedded last actions' contribution and dropout in the same kernel.

The two small embeddings (last navigation action, last help-requesting action) lie in one table, the second one's rows after
the first one's; so do their weights, side by side. `advance` is one kernel, `retreat` (its backward pass) another.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from vnla.agents.fast.gpu.kernels import power_of_2, triton_side, use_triton

_ROWS, _UNITS = 16, 32


class Small(NamedTuple):
    """What the last actions add to the gates."""

    table: Tensor  # (7 + 3, width), the embeddings
    first_ask: int  # where the second part begins
    weight: Tensor  # (4·hidden, 2·width)
    nav: Tensor  # (batch,), row of the table
    ask: Tensor  # (batch,), row of its part of the table
    kept: Tensor | None  # (batch, 2·width), what dropout keeps


class Advanced(NamedTuple):
    """A cell's new state and what its backward pass needs."""

    hidden: Tensor  # (batch, hidden)
    cell: Tensor  # (batch, hidden)
    gates: Tensor  # (batch, 4·hidden), after their non-linearities
    small: Tensor  # (batch, 2·width), the embedded actions after dropout


def advance(gates: Tensor, small: Small, cell: Tensor, kept: Tensor | None, scale: float, out: Tensor) -> Advanced:
    """The state after `gates` (batch, 4·hidden); `out` (batch, hidden) gets the hidden state after dropout."""
    (batch, hidden), width = cell.shape, small.table.shape[1]
    if not (use_triton(gates, hidden, width) and width == power_of_2(width)):
        return advance_plain(gates, small, cell, kept, scale, out)
    result = Advanced(
        torch.empty_like(cell),
        torch.empty_like(cell),
        torch.empty_like(gates),
        gates.new_empty(batch, small.weight.shape[1]),
    )
    grid = (-(-batch // _ROWS), -(-hidden // _UNITS))
    triton_side("cell").forward[grid](
        gates, small.table, small.weight, small.nav, small.ask, small.kept, cell, kept, scale,
        result.hidden, result.cell, result.gates, result.small, out, out.stride(0), batch,
        HIDDEN=hidden, WIDTH=width, ROWS=_ROWS, UNITS=_UNITS, DROPS=kept is not None,
        FIRST_ASK=small.first_ask, PRECISION="tf32x3",
    )  # fmt: skip
    return result


def advance_plain(gates: Tensor, small: Small, cell: Tensor, kept: Tensor | None, scale: float, out: Tensor) -> Advanced:
    """The same in PyTorch."""
    embedded = torch.cat([small.table[small.nav], small.table[small.first_ask + small.ask]], dim=1)
    if small.kept is not None:
        embedded = embedded * small.kept * scale
    enter, forget, candidate, leave = (gates + embedded @ small.weight.T).chunk(4, dim=1)
    enter, forget, leave = enter.sigmoid(), forget.sigmoid(), leave.sigmoid()
    candidate = candidate.tanh()
    after = forget * cell + enter * candidate
    hidden = leave * after.tanh()
    out.copy_(hidden if kept is None else hidden * kept * scale)
    return Advanced(hidden, after, torch.cat([enter, forget, candidate, leave], dim=1), embedded)


class Gradients(NamedTuple):
    """Of what follows a cell. None stands for zeros."""

    dropped: Tensor  # (batch, hidden), of the hidden state after dropout
    hidden: Tensor | None = None  # of the hidden state itself
    cell: Tensor | None = None
    ends: Tensor | None = None  # (batch,), whether a sentence ends here, where the next two are added
    last_hidden: Tensor | None = None
    last_cell: Tensor | None = None
    direct: Tensor | None = None  # more of the hidden state after dropout


def retreat(
    gates: Tensor, before: Tensor, after: Tensor, kept: Tensor | None, scale: float, gradients: Gradients, out: Tensor
) -> Tensor:
    """`out` (batch, 4·hidden) gets the gradient of the gates; the result is that of the cell before.

    All but the result may be strided in their first dimension.
    """
    if not use_triton(gates, before.shape[1]):
        return retreat_plain(gates, before, after, kept, scale, gradients, out)
    batch, hidden = before.shape
    result = torch.empty(batch, hidden, dtype=gates.dtype, device=gates.device)
    given = gradients
    grid = (batch, -(-hidden // 512))
    triton_side("cell").backward[grid](
        gates, gates.stride(0), before, before.stride(0), after, after.stride(0),
        kept, 0 if kept is None else kept.stride(0), scale, given.dropped, given.dropped.stride(0),
        given.direct, 0 if given.direct is None else given.direct.stride(0), given.hidden, given.cell, given.ends,
        given.last_hidden, given.last_cell, out, out.stride(0), result,
        HIDDEN=hidden, UNITS=512, DROPS=kept is not None, HAS_HIDDEN=given.hidden is not None,
        HAS_CELL=given.cell is not None, HAS_ENDS=given.ends is not None,
        HAS_DIRECT=given.direct is not None,
    )  # fmt: skip
    return result


def retreat_plain(
    gates: Tensor, before: Tensor, after: Tensor, kept: Tensor | None, scale: float, gradients: Gradients, out: Tensor
) -> Tensor:
    """The same in PyTorch."""
    enter, forget, candidate, leave = gates.chunk(4, dim=1)
    dropped = gradients.dropped if gradients.direct is None else gradients.dropped + gradients.direct
    hidden = dropped if kept is None else dropped * kept * scale
    cell = torch.zeros_like(hidden)
    if gradients.hidden is not None:
        hidden = hidden + gradients.hidden
    if gradients.cell is not None:
        cell = cell + gradients.cell
    if gradients.ends is not None and gradients.last_hidden is not None and gradients.last_cell is not None:
        ends = gradients.ends[:, None]
        hidden = hidden + gradients.last_hidden * ends
        cell = cell + gradients.last_cell * ends
    shown = after.tanh()
    cell = cell + hidden * leave * (1 - shown * shown)
    out.copy_(
        torch.cat(
            [
                cell * candidate * enter * (1 - enter),
                cell * before * forget * (1 - forget),
                cell * enter * (1 - candidate * candidate),
                hidden * shown * leave * (1 - leave),
            ],
            dim=1,
        )
    )
    return cell * forget
