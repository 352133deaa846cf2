"""Attention with coverage over an instruction in two parts: the end-goal's places, then those of one of several tails.

Beside the equations of `vnla.agents.navigation`, with u for the coverage vectors followed by a 1 and the attention weight,
padded to `columns`, the four sums of the coverage's GRU (reset, update, the candidate's input and its recurrent part) are
M·u for one matrix M each, plus what context and decoder add to the first three.

`attend` is one kernel, a program for each episode, and `cover_on` another, since nobody waits for the coverage before the
next step; `attend_back` is the way back through both. Gradients of the memory are added in place: an episode's last layers
of instruction are read by many steps, and only the sum matters.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from vnla.agents.fast.gpu.kernels import power_of_2, triton_side, use_triton


class MemoryPart(NamedTuple):
    """One part of the memory, and where its gradients add up. Tails have a row for each slot and episode, slot by slot."""

    context: Tensor  # (rows, places, hidden)
    cover: Tensor  # (rows, places, 3·columns), what the context adds to the coverage's gates
    length: Tensor  # (rows,)
    to_context: Tensor
    to_cover: Tensor


class InstructionMemory(NamedTuple):
    """An instruction for each episode."""

    end_goal: MemoryPart
    tail: MemoryPart
    slot: Tensor  # (batch,), which tail; those who ask go on to the next


class Cover(NamedTuple):
    """The coverage's GRU."""

    matrix: Tensor  # (4, columns, columns), M
    to_matrix: Tensor  # (batch, 4, columns, columns), its gradient, for each episode
    size: int  # of a coverage vector


def attend(query: Tensor, memory: InstructionMemory, coverage: Tensor, asked: Tensor | None, out: Tensor) -> Tensor:
    """Attend with `query` (batch, hidden + columns + 3·columns): for the context, for the coverage, and the decoder's part
    of the coverage's gates, which is for `cover_on`. The result is the attention weights, (batch, words).

    Where the agent `asked`, if that is known, it is about the next tail, and coverage begins anew. `out` (batch, 2·hidden +
    columns) gets the summary of the context at its beginning and that of the coverage at its end.
    """
    hidden = memory.end_goal.context.shape[2]
    if not use_triton(query, hidden):
        return attend_plain(query, memory, coverage, asked, out)
    batch, words, _ = coverage.shape
    weights, (goal, tail, slot) = query.new_empty(batch, words), memory
    triton_side("attend").forward[batch,](
        query, goal.context, goal.length, tail.context, tail.length, slot, coverage, asked, out, weights, batch,
        HEARS=asked is not None, UNITS=power_of_2(hidden), num_warps=4 if words <= 32 else 8, **_sizes(memory, coverage),
    )  # fmt: skip
    return weights


def attend_plain(query: Tensor, memory: InstructionMemory, coverage: Tensor, asked: Tensor | None, out: Tensor) -> Tensor:
    """The same in PyTorch."""
    context, _, present = _instruction(memory, _chosen(memory, asked))
    if asked is not None:
        coverage = coverage.masked_fill(asked[:, None, None], 0)
    hidden = context.shape[2]
    out[:, :hidden], out[:, 2 * hidden :], weights = _attend(query, context, present, coverage)
    return weights


def cover_on(
    query: Tensor, memory: InstructionMemory, coverage: Tensor, asked: Tensor, cover: Cover, weights: Tensor
) -> Tensor:
    """The coverage (batch, words, columns) after attending with these weights."""
    if not use_triton(query, memory.end_goal.context.shape[2]):
        return cover_on_plain(query, memory, coverage, asked, cover, weights)
    (batch, words, _), (goal, tail, slot) = coverage.shape, memory
    after = torch.empty_like(coverage)
    triton_side("attend").cover[batch,](
        query, goal.cover, goal.length, tail.cover, tail.length, slot, coverage, asked, cover.matrix, weights, after, batch,
        SIZE=cover.size, PRECISION="tf32x3", num_warps=4 if words <= 32 else 8, **_sizes(memory, coverage),
    )  # fmt: skip
    return after


def cover_on_plain(
    query: Tensor, memory: InstructionMemory, coverage: Tensor, asked: Tensor, cover: Cover, weights: Tensor
) -> Tensor:
    """The same in PyTorch."""
    context, gates, present = _instruction(memory, _chosen(memory, asked))
    before = coverage.masked_fill(asked[:, None, None], 0)
    return _cover(query[:, context.shape[2] + before.shape[2] :], gates, present, before, cover, weights)


def attend_back(
    query: Tensor, memory: InstructionMemory, coverage: Tensor, asked: Tensor, cover: Cover, weights: Tensor, to_out: Tensor,
    to_coverage: Tensor | None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The gradients of query and coverage, from those of `out` and of the coverage after; those of the memory and of M are
    added to where they belong."""
    hidden = memory.end_goal.context.shape[2]
    if not use_triton(query, hidden):
        return attend_back_plain(query, memory, coverage, asked, cover, to_out, to_coverage)
    batch, words, _ = coverage.shape
    to_query, to_before = torch.empty_like(query), torch.empty_like(coverage)
    triton_side("attend").backward[batch,](
        query, *memory.end_goal, *memory.tail, memory.slot, coverage, asked, cover.matrix, cover.to_matrix, weights, to_out,
        to_coverage, to_query, to_before, batch, HAS_COVERAGE=to_coverage is not None, PRECISION="ieee",
        num_warps=8 if words <= 32 else 16, UNITS=power_of_2(hidden), SIZE=cover.size, **_sizes(memory, coverage),
    )  # fmt: skip
    return to_query, to_before


def attend_back_plain(
    query: Tensor,
    memory: InstructionMemory,
    coverage: Tensor,
    asked: Tensor,
    cover: Cover,
    to_out: Tensor,
    to_coverage: Tensor | None,
) -> tuple[Tensor, Tensor]:
    """The same by PyTorch's own differentiation."""
    batch, chosen = len(query), _chosen(memory, asked)
    context, gates, present = _instruction(memory, chosen)
    hidden, first = context.shape[2], memory.end_goal.context.shape[1]
    matrix = cover.matrix.expand(batch, *cover.matrix.shape)
    before = coverage.masked_fill(asked[:, None, None], 0)
    inputs = [each.detach().requires_grad_() for each in (query, context, gates, before, matrix)]
    with torch.enable_grad():
        query, context, gates, before, matrix = inputs
        summary, seen, weights = _attend(query, context, present, before)
        covers, by_decoder = cover._replace(matrix=matrix), query[:, hidden + before.shape[2] :]
        after = _cover(by_decoder, gates, present, before, covers, weights)
    given = [to_out[:, :hidden], to_out[:, 2 * hidden :], torch.zeros_like(after) if to_coverage is None else to_coverage]
    to_query, to_context, to_gates, to_before, to_matrix = torch.autograd.grad([summary, seen, after], inputs, given)
    memory.end_goal.to_context.add_(to_context[:, :first])
    memory.end_goal.to_cover.add_(to_gates[:, :first])
    memory.tail.to_context.index_add_(0, chosen, to_context[:, first:])
    memory.tail.to_cover.index_add_(0, chosen, to_gates[:, first:])
    cover.to_matrix.add_(to_matrix)
    return to_query, to_before.masked_fill(asked[:, None, None], 0)


def _chosen(memory: InstructionMemory, asked: Tensor | None) -> Tensor:
    """The row of everybody's tail."""
    batch = len(memory.slot)
    slot = memory.slot if asked is None else memory.slot + asked
    return slot * batch + torch.arange(batch, device=slot.device)


def _instruction(memory: InstructionMemory, chosen: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Context, coverage gates and presence of all words of both parts."""
    goal, tail = memory.end_goal, memory.tail
    present = [
        torch.arange(part.context.shape[1], device=length.device) < length[:, None]
        for part, length in ((goal, goal.length), (tail, tail.length[chosen]))
    ]
    return (
        torch.cat([goal.context, tail.context[chosen]], dim=1),
        torch.cat([goal.cover, tail.cover[chosen]], dim=1),
        torch.cat(present, dim=1),
    )


def _attend(query: Tensor, context: Tensor, present: Tensor, coverage: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Summaries of context and coverage, and attention weights."""
    hidden, columns = context.shape[2], coverage.shape[2]
    asking, of_coverage, _ = torch.split(query, [hidden, columns, 3 * columns], dim=1)
    scores = torch.einsum("bwh,bh->bw", context, asking) + torch.einsum("bwc,bc->bw", coverage, of_coverage)
    weights = torch.softmax(scores.masked_fill(~present, -torch.inf), dim=1)
    summary = torch.einsum("bw,bwh->bh", weights, context)
    return summary, torch.einsum("bw,bwc->bc", weights, coverage), weights


def _cover(by_decoder: Tensor, gates: Tensor, present: Tensor, coverage: Tensor, cover: Cover, weights: Tensor) -> Tensor:
    """The coverage after attending with these weights."""
    columns, matrix = coverage.shape[2], cover.matrix
    matrix = matrix.expand(len(weights), *matrix.shape[-3:])  # (batch, 4, columns, columns)
    place = torch.arange(columns, device=weights.device)
    extended = coverage + (place == cover.size) + weights.unsqueeze(2) * (place == cover.size + 1)
    sums = torch.einsum("bgok,bwk->bgwo", matrix, extended)
    more = (gates + by_decoder.unsqueeze(1)).view(*gates.shape[:2], 3, columns).transpose(1, 2)  # (batch, 3, words, columns)
    reset, update = (sums[:, :2] + more[:, :2]).sigmoid().unbind(1)
    candidate = torch.tanh(sums[:, 2] + more[:, 2] + reset * sums[:, 3])
    return (candidate + update * (coverage - candidate)) * (place < cover.size) * present.unsqueeze(2)


def _sizes(memory: InstructionMemory, coverage: Tensor) -> dict[str, Any]:
    _, words, columns = coverage.shape
    goal, tail, _ = memory
    _, first, hidden = goal.context.shape
    padded = max(16, power_of_2(words))
    return {"FIRST": first, "MORE": tail.context.shape[1], "WORDS": padded, "HIDDEN": hidden, "COLUMNS": columns}
