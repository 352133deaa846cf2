"""The floor of a training iteration: how long the machine's own matrix products take for the arithmetic in it.

The arithmetic is counted from episodes that were run: the steps taken, the requests made, the words read; nothing for ended
episodes, for padding or for gradients that nobody needs, and nothing twice. Products of one step follow each other, so they
are as thin as the batch is; the gradient of a weight is one product over all steps. Every product is then computed with
`torch.matmul` on operands that lie in memory as it likes them, and with nothing in between. An iteration also draws random
numbers, adds, multiplies, gathers and updates: no program comes down to its floor, but how far it is from it says what
there is to gain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from benchmarks.measure import Measurement
from vnla.agents.config import AgentConfig
from vnla.rollout import Rollout
from vnla.world.actions import ASK_ACTIONS, NAV_ACTIONS

_GAP = 16
"""A cache line between the rows of a matrix: products are faster where these are not a power of two apart."""


@dataclass(frozen=True)
class Product:
    """(rows, inner) times (inner, columns); `batch` of them at once, each with operands of its own."""

    rows: int
    inner: int
    columns: int
    batch: int = 1

    @property
    def operations(self) -> int:
        """Multiplications and additions."""
        return 2 * self.batch * self.rows * self.inner * self.columns


@dataclass(frozen=True)
class Counts:
    """What happened in a batch of episodes."""

    steps: tuple[int, ...]
    """Episodes that were going on, step by step."""
    present: tuple[int, ...]
    """Words that these had in mind together, step by step."""
    deciding: tuple[int, ...]
    """Those of them who had a request left and decided whether to ask, step by step."""
    readings: tuple[tuple[int, ...], ...]
    """Lengths of the sentences that were read together: the end-goals first, then the subgoals of every step."""

    @classmethod
    def of(cls, rollout: Rollout) -> Counts:
        """Counted from a rollout."""
        end_goal = rollout.episodes.end_goals.length.cpu()
        in_mind = end_goal + 1  # (batch,), with the end mark that silence is read as
        steps, present, deciding = [], [], []
        readings = [tuple(in_mind.tolist())]
        for transition in rollout.transitions:
            row, active = transition.row.cpu(), transition.active.cpu()
            asking = active & transition.request.cpu()
            told = transition.phrases.tails.length.cpu()[transition.heard.cpu()[asking]]
            in_mind = in_mind.index_copy(0, row[asking], end_goal[row[asking]] + told)
            steps.append(int(active.sum()))
            deciding.append(int((active & (transition.budget.cpu() > 0)).sum()))
            present.append(int(in_mind[row[active]].sum()))
            if len(told):
                readings.append(tuple(told.tolist()))
        return cls(tuple(steps), tuple(present), tuple(deciding), tuple(readings))

    @property
    def words(self) -> int:
        """Words read."""
        return sum(map(sum, self.readings))


def arithmetic(config: AgentConfig, counts: Counts) -> dict[str, list[Product]]:
    """The products of one iteration, by part. Pass 1 of a step is computed forward only, for those who may ask; the rest is
    learned from."""
    hidden, gates = config.hidden, 4 * config.hidden
    steps, first, deciding = counts.steps, counts.deciding, (sum(counts.deciding),)
    upper = [product for _ in range(config.layers - 1) for product in 2 * _layer(steps, hidden, gates, first)]
    help_sizes = [_help_inputs(config), *[config.help_hidden] * (config.help_layers - 1)]
    return {
        "view projection": _layer(steps, config.view_size, gates, inputs_learn=False),
        "recurrence": [
            *_layer(steps, hidden, gates),
            *_layer(steps, config.nav_embedding, gates),
            *_layer(steps, config.ask_embedding, gates, first),
            *upper,
        ],
        "attention": [
            *_layer(steps, hidden, hidden, first),
            *_layer(steps, 2 * hidden, hidden, first),
            *_layer(steps, hidden, NAV_ACTIONS, first),
            *_attending(counts, hidden),
            *_covering(counts, config),
        ],
        "help module": [
            *_layer(deciding, help_sizes[0], config.help_hidden, inputs_learn=False),
            *(product for size in help_sizes[1:] for product in _layer(deciding, size, config.help_hidden)),
            *_layer(deciding, config.help_hidden, ASK_ACTIONS),
        ],
        "encoder": list(_encoding(counts, config)),
    }


def _layer(
    steps: Sequence[int], inputs: int, outputs: int, first: Sequence[int] = (), *, inputs_learn: bool = True
) -> list[Product]:
    """A linear layer applied to so many rows one time after the other, its inputs' gradients and its weight's; and before
    to the rows `first`, without gradients."""
    forward = [Product(rows, inputs, outputs) for rows in (*first, *steps)]
    backward = [Product(rows, outputs, inputs) for rows in steps] if inputs_learn else []
    return [*forward, *backward, Product(outputs, sum(steps), inputs)]


def _help_inputs(config: AgentConfig) -> int:
    return config.view_size + config.budget_embedding + NAV_ACTIONS + 2 * config.hidden


def _attending(counts: Counts, hidden: int) -> Iterator[Product]:
    """Scores and summary of both passes, and the gradients of the query, the weights and twice the memory."""
    for rows, words, first in zip(counts.steps, counts.present, counts.deciding, strict=True):
        mean = max(1, round(words / rows)) if rows else 1
        for times in (first, rows, rows):
            yield from [Product(1, hidden, mean, times), Product(1, mean, hidden, times)]
        yield from [Product(mean, 1, hidden, rows)] * 2


def _covering(counts: Counts, config: AgentConfig) -> list[Product]:
    """The coverage of every word in mind, and what the words and the state add to its gates."""
    size, gates = config.coverage, 3 * config.coverage
    return [
        *_layer(counts.steps, config.hidden, gates),
        *_layer([sum(lengths) for lengths in counts.readings], config.hidden, gates),
        *(2 * _layer(counts.present, size, gates)),
    ]


def _encoding(counts: Counts, config: AgentConfig) -> Iterator[Product]:
    """An LSTM over every reading: its inputs word for word at once, its state one place after the other."""
    places = [sum(length > place for length in lengths) for lengths in counts.readings for place in range(max(lengths))]
    for size in [config.word_embedding, *[config.hidden] * (config.layers - 1)]:
        yield from _layer([sum(lengths) for lengths in counts.readings], size, 4 * config.hidden)
        yield from _layer(places, config.hidden, 4 * config.hidden)


def report(parts: dict[str, list[Product]], spent: Mapping[str, float]) -> Iterator[Measurement]:
    """The time and the number of operations of every part."""
    for name, products in parts.items():
        operations = sum(product.operations for product in products) / 1e9
        note = f"{operations:.1f} GFLOP, {operations / spent[name]:,.0f} GFLOP/s"
        yield Measurement(f"  {name}", spent[name], "s", note=note, judged=False)


def computed(products: Sequence[Product], dtype: torch.dtype, device: str) -> Callable[[], object]:
    """A call that computes all products; on a GPU as one graph, so that it is not the launching that is measured."""
    pool = torch.rand(max(map(_largest, products), default=1), device=device).to(dtype)
    operands = [
        (_shaped(pool, each.batch, each.rows, each.inner), _shaped(pool, each.batch, each.inner, each.columns, _GAP))
        for each in products
        if each.operations
    ]

    def compute() -> None:
        for left, right in operands:
            torch.matmul(left, right)

    if device == "cpu":
        return compute
    compute()
    torch.cuda.synchronize(device)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        compute()
    return partial(_replay, graph, pool)


def _replay(graph: torch.cuda.CUDAGraph, pool: Tensor) -> None:  # noqa: ARG001
    """Compute a graph's products. It knows only where their operands lie: `pool` has to stay as long as the graph."""
    graph.replay()


def _largest(product: Product) -> int:
    return product.batch * max(product.rows * product.inner, product.inner * (product.columns + _GAP))


def _shaped(pool: Tensor, batch: int, rows: int, columns: int, gap: int = 0) -> Tensor:
    """A matrix in the pool with so much room between its rows, or a batch of them without."""
    if batch > 1:
        return pool[: batch * rows * columns].view(batch, rows, columns)
    return pool[: rows * (columns + gap)].view(rows, columns + gap)[:, :columns]
