"""Taking rows of everything that belongs to a batch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import pytest
import torch
from torch import Tensor

from agents.small import cottage_environment, drawn_episodes, players_of, small_agent
from vnla.assistance.help_policies import AtRandom
from vnla.bcui import begin
from vnla.common.selection import join_rows, row_shapes, take_rows

ROWS = torch.tensor([2, 0])


class Pair(NamedTuple):
    one: Tensor
    other: Tensor


@dataclass(frozen=True)
class Batch:
    SHARED: ClassVar[frozenset[str]] = frozenset({"table"})

    values: Tensor
    table: Tensor
    layers: list[Pair]
    pairs: tuple[Tensor, None]
    number: int = 5
    later: Tensor | None = field(default=None, init=False)


def test_tensors_are_reduced_wherever_they_are_and_the_rest_stays() -> None:
    values, table = torch.tensor([[1, 1], [2, 2], [3, 3]]), torch.arange(7)
    batch = Batch(values, table, [Pair(values, values * 2)] * 2, (values, None), number=8)
    taken = take_rows(batch, ROWS)
    assert taken.values.tolist() == [[3, 3], [1, 1]]
    assert taken.table is table
    assert type(taken.layers) is list and type(taken.layers[0]) is Pair
    assert [layer.other.tolist() for layer in taken.layers] == [[[6, 6], [2, 2]]] * 2
    assert type(taken.pairs) is tuple and taken.pairs[0].tolist() == [[3, 3], [1, 1]] and taken.pairs[1] is None
    assert taken.number == 8
    assert batch.values.tolist() == values.tolist(), "the whole is left as it was"


def test_a_type_is_not_taken_for_its_instances() -> None:
    assert take_rows(Batch, ROWS) is Batch
    assert take_rows("word", ROWS) == "word"


@pytest.mark.parametrize("seed", [5, torch.tensor([5, 6, 7, 8])])
def test_taking_rows_of_a_walk_is_beginning_with_fewer_episodes(seed: int | Tensor) -> None:
    """Everything of a batch is in the walk: memory, state, plan, budgets, seeds; shared tables stay whole."""
    environment, agent = cottage_environment(), small_agent(1, layers=2).eval()
    context, key = players_of(agent, environment, AtRandom()), torch.tensor([13, 4, 19, 9])  # end-goals of 4 or 5 words
    walk = take_rows(begin(drawn_episodes(environment, key, seed), context), ROWS)
    fewer_seeds = seed[ROWS] if isinstance(seed, Tensor) else seed
    fewer = begin(drawn_episodes(environment, key[ROWS], fewer_seeds), context)
    assert walk.row.tolist() == [2, 0]
    assert walk.state.episodes.environment is environment
    for name in ("nav", "ask", "plan"):
        assert torch.equal(getattr(walk, name), getattr(fewer, name)), name
    for name in ("pose", "active", "requests_left", "since_request", "unmoved"):
        assert torch.equal(getattr(walk.state, name), getattr(fewer.state, name)), name
    for name in ("key", "start", "goals", "time_budget", "help_budget", "start_paths"):
        assert torch.equal(getattr(walk.state.episodes, name), getattr(fewer.state.episodes, name)), name
    ours, theirs = walk.policy_state, fewer.policy_state
    assert ours.memory.end_goal_words == theirs.memory.end_goal_words
    for one, other in (
        (ours.memory.context, theirs.memory.context),
        (ours.memory.cover, theirs.memory.cover),
        (ours.memory.after_end_goal[1].cell, theirs.memory.after_end_goal[1].cell),
        (ours.state[1].hidden, theirs.state[1].hidden),
        (ours.coverage, theirs.coverage),
    ):
        torch.testing.assert_close(one, other)


def test_batches_that_are_alike_are_joined_one_after_the_other() -> None:
    one, other = ({"a": torch.tensor(rows), "b": (torch.ones(len(rows), 3), 7)} for rows in ([1, 2], [3]))
    assert row_shapes(one) == row_shapes(other) != row_shapes({**one, "b": (torch.ones(2, 4), 7)})
    joined = join_rows([one, other])
    assert joined["a"].tolist() == [1, 2, 3]
    assert joined["b"][0].shape == (3, 3) and joined["b"][1] == 7
