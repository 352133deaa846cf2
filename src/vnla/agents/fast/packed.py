"""The navigation module's parameters as the kernels take them.

With u for a word's coverage vector followed by a 1 and its attention weight, padded to a power of 2, the four sums of the
coverage's GRU are M·u for one matrix M each; what coverage adds to the memory is in the weights of query and last layer (see
`vnla.agents.navigation`). Packing is differentiable: gradients of what is packed become those of the parameters.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

from vnla.agents.layers.cells import LSTMCell
from vnla.agents.navigation import NavigationModule


class Packed(NamedTuple):
    """The navigation module's parameters as the kernels take them, made once for a batch of episodes."""

    words: Tensor  # (4·hidden, word_embedding), of the encoder
    words_bias: Tensor
    words_again: Tensor  # (4·hidden, hidden), the encoder's recurrent weights
    context: Tensor  # (3·columns, hidden), what context adds to the coverage's gates
    context_bias: Tensor
    view: Tensor  # (4·hidden, view_size), of the decoder
    bias: Tensor
    again: Tensor  # (4·hidden, hidden)
    table: Tensor  # (7 + 3, width), embeddings of the last actions
    small: Tensor  # (4·hidden, 2·width), their weights
    ask: Tensor  # (hidden + 4·columns, hidden), a query for context and coverage, and what the coverage's gates get
    matrix: Tensor  # (4, columns, columns), the coverage's GRU
    combine: Tensor  # (hidden, 2·hidden + columns)
    combine_bias: Tensor

    @classmethod
    def of(cls, module: NavigationModule) -> Packed:
        """Pack the parameters, differentiably."""
        return cls(**packed_to_read(module), **packed_to_act(module))


def packed_to_read(module: NavigationModule) -> dict[str, Tensor]:
    """Return what reading takes."""
    cell, attention = module.encoder.cells[0], module.attention
    assert isinstance(cell, LSTMCell)
    context, size = attention.cover_context, module.config.coverage
    return {
        "words": cell.input.weight,
        "words_bias": cell.input.bias + cell.recurrent.bias,
        "words_again": cell.recurrent.weight,
        "context": _by_gates(context.weight, size),
        "context_bias": _by_gates((context.bias + context.weight @ attention.uncover.bias)[:, None], size).squeeze(1),
    }


def packed_to_act(module: NavigationModule) -> dict[str, Tensor]:
    """Return what steps take."""
    attention, size, hidden = module.attention, module.config.coverage, module.config.hidden
    columns, uncover = columns_of(size), attention.uncover
    width = max(module.config.nav_embedding, module.config.ask_embedding)
    width += -width % 16
    recurrent = attention.cover_recurrent
    again = (attention.cover_context.weight @ uncover.weight).chunk(3)  # (coverage, coverage) each
    back, bias, weight = (each.chunk(3) for each in (recurrent.weight, recurrent.bias, attention.cover_weight))
    nothing = torch.zeros_like(bias[0])
    gates = [
        (again[0] + back[0], bias[0], weight[0]), (again[1] + back[1], bias[1], weight[1]),
        (again[2], nothing, weight[2]), (back[2], bias[2], nothing),
    ]  # fmt: skip
    rows = [torch.cat([square, one[:, None], other[:, None]], dim=1) for square, one, other in gates]
    from_summary = attention.combine.weight[:, :hidden]
    return {
        "view": module.view_input.weight,
        "bias": module.view_input.bias + module.recurrent.bias,
        "again": module.recurrent.weight,
        "table": torch.cat([_wide(module.nav_embedding.weight, width), _wide(module.ask_embedding.weight, width)]),
        "small": torch.cat([_wide(module.nav_input.weight, width), _wide(module.ask_input.weight, width)], dim=1),
        "ask": torch.cat(
            [
                attention.query.weight,
                pad(uncover.weight.T @ attention.query.weight, (0, 0, 0, columns - size)),
                _by_gates(attention.cover_hidden.weight, size),
            ]
        ),
        "matrix": pad(torch.stack(rows), (0, columns - size - 2, 0, columns - size)),
        "combine": torch.cat([attention.combine.weight, _wide(from_summary @ uncover.weight, columns)], dim=1),
        "combine_bias": from_summary @ uncover.bias,
    }


def columns_of(coverage: int) -> int:
    """Places for a coverage vector, a 1 and an attention weight: a power of 2 that kernels can take."""
    return max(16, 1 << (coverage + 1).bit_length())


def _wide(values: Tensor, width: int) -> Tensor:
    return pad(values, (0, width - values.shape[1]))


def _by_gates(values: Tensor, coverage: int) -> Tensor:
    """(3·coverage, …) to (3·columns, …)."""
    columns = columns_of(coverage)
    gates = values.reshape(3, coverage, -1)
    return pad(gates, (0, 0, 0, columns - coverage)).reshape(3 * columns, *values.shape[1:])
