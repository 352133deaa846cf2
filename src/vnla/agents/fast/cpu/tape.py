"""All that a batch of episodes writes down on its way, for `vnla.agents.fast.cpu.state`, and the way back through it.

What is computed is written row by row, step behind step, into tables that are used again in the next iteration (`Arena`).
The words of all instructions are rows of one table. The backward pass goes back through all steps and readings by hand, the
last layers for all steps at once.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol
from weakref import WeakKeyDictionary

import numpy as np
import torch
from torch import Tensor, nn

from vnla.agents.encoder import by_place
from vnla.agents.fast.cpu import loops
from vnla.agents.fast.cpu.loops import COLUMNS
from vnla.agents.fast.packed import Packed
from vnla.agents.layers.dropout import Lots, dropout_seeds, lots_of_words
from vnla.agents.layers.products import Products, precision
from vnla.agents.layers.registry import make_products
from vnla.agents.navigation import Decoded, NavigationModule
from vnla.words import Words
from vnla.world.actions import NAV_ACTIONS


class Arena:
    """Tables that grow row by row, by name; emptied, they are there for the next batch of episodes."""

    def __init__(self) -> None:
        self._tables: dict[str, Tensor] = {}
        self._used: dict[str, int] = {}

    def take(self, name: str, rows: int, *shape: int) -> Tensor:
        """Return the next rows of a table, with whatever is in them."""
        used = self._used.get(name, 0)
        table = self._tables.get(name)
        if table is None or table.shape[0] < used + rows or table.shape[1:] != shape:
            # What was given out before keeps the old table.
            larger = torch.empty(max(2 * used, used + rows), *shape)
            if table is not None and used:
                larger[:used] = table[:used]
            self._tables[name] = table = larger
        self._used[name] = used + rows
        return table[used : used + rows]

    def all(self, name: str) -> Tensor:
        """Return the rows that were taken."""
        return self._tables[name][: self._used.get(name, 0)]

    def empty(self) -> None:
        """Begin again."""
        self._used.clear()


_arenas: WeakKeyDictionary[nn.Module, list[Arena]] = WeakKeyDictionary()


def _arena_of(module: nn.Module) -> Arena:
    """Return an empty arena that nobody needs any more, or a new one."""
    free = _arenas.get(module)
    arena = free.pop() if free else Arena()
    arena.empty()
    return arena


class CpuSharedGates(NamedTuple):
    """What the two passes of a step have in common."""

    last_nav: Tensor
    gates: Tensor  # (batch, 4·hidden), from the view and the last state
    of_nav: Lots


class PassInputs(Protocol):
    """Where the episodes of a batch stand, as a pass needs it: `vnla.agents.fast.cpu.state`."""

    @property
    def last(self) -> Tensor: ...
    @property
    def place(self) -> Tensor: ...
    @property
    def count(self) -> Tensor: ...
    @property
    def anew(self) -> Tensor: ...
    @property
    def shared(self) -> CpuSharedGates | None: ...


class _Weights(NamedTuple):
    """The products of an iteration."""

    words: Products
    words_again: Products
    context: Products
    view: Products
    again: Products
    small: Products
    ask: Products
    ask_first: Products  # without what the coverage's gates get
    combine: Products
    output: Products

    @classmethod
    def of(cls, packed: Packed, module: NavigationModule, arena: Arena) -> _Weights:
        """In the precision that is asked for, but for the smallest."""
        dtype, first = precision(packed.words.device), module.config.hidden + COLUMNS

        def made(name: str, weight: Tensor, bias: Tensor | None = None, dtype: torch.dtype | None = dtype) -> Products:
            return make_products(weight, bias, dtype, lambda kind, *shape: arena.take(f"{name} {kind}", *shape))

        return cls(
            words=made("words", packed.words, packed.words_bias),
            words_again=made("words again", packed.words_again),
            context=made("context", packed.context, packed.context_bias),
            view=made("view", packed.view, packed.bias),
            again=made("again", packed.again),
            small=made("small", packed.small, dtype=None),
            ask=made("ask", packed.ask),
            ask_first=made("ask first", packed.ask[:first]),
            combine=made("combine", packed.combine, packed.combine_bias),
            output=made("output", module.output.weight.detach(), module.output.bias.detach(), None),
        )


class _Reading(NamedTuple):
    """Sentences that were read together. Words are numbered place for place, in each place the longer sentences first."""

    order: Tensor  # (sentences,), the longest first
    counts: list[int]  # sentences that have a word in a place
    first: int  # the first word's row in the tables of words
    tokens: Tensor  # (words,)
    of_words: Lots
    of_context: Lots
    cell: Tensor  # (sentences, hidden), before, in `order`
    episode: Tensor  # (sentences,), whose


class _Step(NamedTuple):
    """What a step went on from, and what its attention read."""

    first: int  # its first row in the tables of steps
    rows: int
    last: Tensor  # (rows,), the row of the step before
    covered: Tensor  # (rows,), the same, but -1 where nothing is covered yet
    place: Tensor
    words: Tensor  # (rows,), how many
    nav: Tensor
    ask: Tensor
    of_small: tuple[Lots, Lots]
    of_hidden: Lots


class CpuTape:
    """All that a batch of episodes writes down on its way."""

    def __init__(self, module: NavigationModule) -> None:
        self.module, self.config = module, module.config
        self.packed = Packed.of(module)
        plain = Packed(*(each.detach() for each in self.packed))
        self.table, self.embedding = plain.table, module.encoder.embedding.weight.detach()
        self.matrix = plain.matrix.permute(2, 0, 1).flatten(1).contiguous()  # (in, 4·out)
        self.arena = _arena_of(module)
        self.weights = _Weights.of(plain, module, self.arena)
        self.readings: list[_Reading] = []
        self.steps: list[_Step] = []
        self.words = self.rows = 0
        self.nothing = torch.zeros(1, module.config.hidden)

    def take(self, name: str, rows: int, *shape: int) -> Tensor:
        """Room for so many rows."""
        return self.arena.take(name, rows, *shape)

    def dropout_seeds(self, rows: int, columns: int) -> Lots:
        """Return what decides about dropout."""
        return dropout_seeds(self.module.dropout, rows, columns)

    def read(self, words: Words, hidden: Tensor, cell: Tensor, episode: Tensor) -> Tensor:
        """Read sentences after a state (sentences, hidden): the rows (sentences, places) where their words are, from 0."""
        rows, places, counts = by_place(words)
        size, total, order = self.config.hidden, len(rows), rows[: len(words.length)]
        weights, tokens = self.weights, words.tokens[rows, places]
        with lots_of_words(rows, places):
            of_words, of_context = self.dropout_seeds(total, self.embedding.shape[1]), self.dropout_seeds(total, size)
        embedded = self.take("embedded", total, self.embedding.shape[1])
        loops.look_up(*_arrays(self.embedding, tokens), 0, *_dropping(of_words), embedded.numpy())
        gates = self.take("word gates", total, 4 * size)
        weights.words.forward(weights.words.inputs(embedded), out=gates)
        before, cells, hiddens, context = (
            self.take(name, total, size) for name in ("word before", "word cell", "word hidden", "context")
        )
        begun = cell[order]
        last_hidden, last_cell, everybody = _arrays(hidden[order], begun, torch.arange(len(order)))
        opened, earlier, reached, states, dropped = _arrays(gates, before, cells, hiddens, context)
        drawn, least, scale = _dropping(of_context)
        start = 0
        for count in counts:
            at = slice(start, start + count)
            earlier[at] = last_hidden[:count]
            weights.words_again.add(weights.words_again.inputs(before[at]), gates[at])
            loops.advance(
                opened[at], last_cell, everybody[:count], drawn[at], least, scale, reached[at], states[at], dropped[at]
            )
            last_hidden, last_cell, start = states[at], reached[at], start + count
        weights.context.forward(weights.context.inputs(context), out=self.take("cover", total, 3 * COLUMNS))
        where = torch.zeros(words.tokens.shape, dtype=torch.int64)
        where[rows, places] = torch.arange(self.words, self.words + total)
        self.readings.append(_Reading(order, counts, self.words, tokens, of_words, of_context, begun, episode))
        self.words += total
        return where

    def see(self, view: Tensor, last: Tensor) -> tuple[Tensor, Lots]:
        """Return what view and last state add to the gates, and what dropout leaves of the last action."""
        weights, rows = self.weights, len(last)
        seen = self.take("seen", rows, self.config.view_size)
        loops.drop(view.numpy(), *_dropping(self.dropout_seeds(rows, self.config.view_size)), seen.numpy())
        of_nav = self.dropout_seeds(rows, self.config.nav_embedding)
        gates = weights.view.forward(weights.view.inputs(seen))
        hidden = self.take("before", rows, self.config.hidden)
        if self.steps:
            torch.index_select(self._last("hidden"), 0, last, out=hidden)
            weights.again.add(weights.again.inputs(hidden), gates)
        else:
            hidden.zero_()
        return gates, of_nav

    def _last(self, name: str) -> Tensor:
        """Return the last step's rows of a table."""
        step = self.steps[-1]
        return self.arena.all(name)[step.first : step.first + step.rows]

    def chances(self, rows: int) -> tuple[Lots, Lots]:
        """Return what dropout leaves in a pass of the last help-requesting action and of the state."""
        return self.dropout_seeds(rows, self.config.ask_embedding), self.dropout_seeds(rows, self.config.hidden)

    def undecided(self, rows: int, words: int) -> Decoded:
        """Return what a pass would have found, in zeros."""
        size = self.config.hidden
        return Decoded(*(torch.zeros(rows, columns) for columns in (NAV_ACTIONS, size, size, words)))

    def decode(self, state: PassInputs, ask: Tensor, chances: tuple[Lots, Lots], *, learns: bool) -> Decoded:
        """Return a pass; the one that `learns` is written down."""
        assert state.shared is not None, "it has to see first"
        shared = state.shared
        size, rows, weights = self.config.hidden, len(ask), self.weights
        take = self.take if learns else _unwritten
        of_ask, of_hidden = chances
        small = take("small", rows, self.packed.small.shape[1])
        self._look_up(shared.last_nav, 0, shared.of_nav, small[:, : small.shape[1] // 2])
        self._look_up(ask, NAV_ACTIONS + 1, of_ask, small[:, small.shape[1] // 2 :])
        gates = weights.small.add(small, shared.gates, out=take("gates", rows, 4 * size))
        cells = self._last("cell") if self.steps else self.nothing
        coverages = self._last("coverage") if self.steps else torch.zeros(1, state.place.shape[1], COLUMNS)
        out = take("out", rows, 2 * size + COLUMNS)
        decoder = out[:, size : 2 * size]
        reached, hidden = take("cell", rows, size), take("hidden", rows, size)
        covered = torch.where(state.anew, -1, state.last)
        loops.advance(
            *_arrays(gates, cells, state.last if self.steps else torch.zeros_like(state.last)), *_dropping(of_hidden),
            *_arrays(reached, hidden, decoder),
        )  # fmt: skip
        asking = weights.ask if learns else weights.ask_first
        query = take("query", rows, size + (4 if learns else 1) * COLUMNS)
        asking.forward(asking.inputs(decoder), out=query)
        attention = take("weights", rows, state.place.shape[1])
        coverage = take("coverage", rows, state.place.shape[1], COLUMNS) if learns else coverages
        context, cover = (self.arena.all(name) for name in ("context", "cover"))
        loops.attend(
            *_arrays(query, context, cover, state.place, state.count, coverages, covered, self.matrix),
            self.config.coverage, learns, *_arrays(out, attention, coverage),
        )  # fmt: skip
        attended = take("attended", rows, size)
        torch.tanh(weights.combine.forward(weights.combine.inputs(out)), out=attended)
        logits = weights.output.forward(attended)
        if learns:
            take("logits", rows, NAV_ACTIONS).copy_(logits)
            self.steps.append(
                _Step(
                    self.rows, rows, state.last, covered, state.place, state.count, shared.last_nav, ask,
                    (shared.of_nav, of_ask), of_hidden,
                )
            )  # fmt: skip
            self.rows += rows
        return Decoded(logits, decoder, attended, attention)

    def _look_up(self, index: Tensor, first: int, chance: Lots, out: Tensor) -> None:
        loops.look_up(*_arrays(self.table, index), first, *_dropping(chance), out.numpy())

    def back(self, by_logits: Tensor) -> tuple[Packed, Tensor, Tensor, Tensor]:
        """The gradients of the packed parameters, of the words' embedding, and of the last layer's weight and bias."""
        arena, weights, size = self.arena, self.weights, self.config.hidden
        attended, out = arena.all("attended"), arena.all("out")
        by_sums = weights.output.backward(by_logits, 0) * (1 - attended * attended)
        by_out = weights.combine.backward(weights.combine.outputs(by_sums), 0)
        by_context, by_cover = torch.zeros(self.words, size), torch.zeros(self.words, 3 * COLUMNS)
        by_matrix = torch.zeros(torch.get_num_threads(), *self.matrix.shape)
        by_gates, by_query = (
            arena.take("by gates", self.rows, 4 * size),
            arena.take("by query", self.rows, size + 4 * COLUMNS),
        )
        self._steps_back(by_out, by_gates, by_query, by_context, by_cover, by_matrix)
        by_table = self._small_back(by_gates)
        by_context = by_context.add_(by_cover @ self.packed.context.detach())
        by_word_gates, by_embedding = self._readings_back(by_context)
        steps, words = (weights.view, weights.again, weights.small), (weights.words, weights.words_again)
        view, again, small = (
            each.learned(arena.all(name), by_gates) for each, name in zip(steps, ("seen", "before", "small"), strict=True)
        )
        of_words, of_state = (
            each.learned(arena.all(name), by_word_gates)
            for each, name in zip(words, ("embedded", "word before"), strict=True)
        )
        packed = Packed(
            words=of_words, words_bias=by_word_gates.sum(dim=0), words_again=of_state,
            context=weights.context.learned(arena.all("context"), by_cover), context_bias=by_cover.sum(dim=0),
            view=view, bias=by_gates.sum(dim=0), again=again, table=by_table, small=small,
            ask=weights.ask.learned(out[:, size : 2 * size], by_query),
            matrix=by_matrix.sum(dim=0).view(COLUMNS, 4, COLUMNS).permute(1, 2, 0),
            combine=weights.combine.learned(out, by_sums), combine_bias=by_sums.sum(dim=0),
        )  # fmt: skip
        output = weights.output.learned(attended, by_logits)
        _arenas.setdefault(self.module, []).append(arena)
        return packed, by_embedding, output, by_logits.sum(dim=0)

    def _steps_back(
        self, by_out: Tensor, by_gates: Tensor, by_query: Tensor, by_context: Tensor, by_cover: Tensor, by_matrix: Tensor
    ) -> None:
        """Fill in the gradients of all steps' gates and queries, and add to those of the memory and the coverage's GRU."""
        arena, weights, size = self.arena, self.weights, self.config.hidden
        words = self.steps[0].place.shape[1]
        gates, cells, query, attention, coverage = (
            arena.all(name) for name in ("gates", "cell", "query", "weights", "coverage")
        )
        memory = _arrays(arena.all("context"), arena.all("cover"))
        sums = _arrays(by_context, by_cover, by_matrix)
        by_hidden, by_cell, by_coverage = self.nothing, self.nothing, torch.zeros(1, words, COLUMNS)
        after = covers = torch.full((self.steps[-1].rows,), -1)
        for number, step in reversed(list(enumerate(self.steps))):
            at = slice(step.first, step.first + step.rows)
            earlier = self.steps[number - 1] if number else None
            before = slice(earlier.first, earlier.first + earlier.rows) if earlier else slice(0, 0)
            old_cells, old_coverage = (cells[before], coverage[before]) if earlier else (self.nothing, by_coverage)
            old = step.last if earlier else torch.zeros_like(step.last)
            to_coverage = torch.empty(step.rows, words, COLUMNS)
            loops.attend_back(
                query[at].numpy(), *memory, *_arrays(step.place, step.words, old_coverage, step.covered, self.matrix),
                self.config.coverage, *_arrays(attention[at], by_out[at], covers, by_coverage, by_query[at], to_coverage),
                *sums,
            )  # fmt: skip
            by_decoder = weights.ask.backward(weights.ask.outputs(by_query[at]), 0).add_(by_out[at, size : 2 * size])
            to_cell = torch.empty(step.rows, size)
            loops.retreat(
                *_arrays(gates[at], old_cells, old, cells[at]), *_dropping(step.of_hidden),
                *_arrays(by_decoder, after, by_hidden, by_cell, by_gates[at], to_cell),
            )  # fmt: skip
            if earlier is None:
                return
            by_hidden = weights.again.backward(weights.again.outputs(by_gates[at]), 0)
            by_cell, by_coverage = to_cell, to_coverage
            after = _where_gone(step.last, torch.ones_like(step.last, dtype=torch.bool), earlier.rows)
            covers = _where_gone(step.last, step.covered >= 0, earlier.rows)

    def _small_back(self, by_gates: Tensor) -> Tensor:
        """Return the gradient of the table of last actions."""
        by_small = by_gates @ self.packed.small.detach()
        half = by_small.shape[1] // 2
        by_table = torch.zeros_like(self.table)
        for step in self.steps:
            own = by_small[step.first : step.first + step.rows]
            parts = ((step.nav, 0, own[:, :half]), (step.ask, NAV_ACTIONS + 1, own[:, half:]))
            for (index, first, values), chance in zip(parts, step.of_small, strict=True):
                loops.look_up_back(*_arrays(values, index), first, *_dropping(chance), by_table.numpy())
        return by_table

    def _readings_back(self, by_context: Tensor) -> tuple[Tensor, Tensor]:
        """The gradients of the gates of all words, and of the words' embedding: from the last reading to the end-goals."""
        arena, size, weights = self.arena, self.config.hidden, self.weights
        by_gates = arena.take("by word gates", self.words, 4 * size)
        gates, cells, given, to_gates = _arrays(arena.all("word gates"), arena.all("word cell"), by_context, by_gates)
        by_state = torch.zeros(2, len(self.readings[0].order), size)  # after the end-goals
        for reading in reversed(self.readings):
            ends_here = reading is self.readings[0]
            by_hidden, by_cell = by_state[:, reading.order] if ends_here else torch.zeros(2, len(reading.order), size)
            everybody, began, to_hidden, to_cell = _arrays(
                torch.arange(len(reading.order)), reading.cell, by_hidden, by_cell
            )
            drawn, least, scale = _dropping(reading.of_context)
            ends = torch.tensor(reading.counts).cumsum(0).tolist()
            for place in reversed(range(len(ends))):
                count = reading.counts[place]
                own = slice(ends[place] - count, ends[place])
                at = slice(reading.first + own.start, reading.first + own.stop)
                earlier = at.start - reading.counts[place - 1]
                before = cells[earlier : earlier + count] if place else began
                loops.retreat(
                    gates[at], before, everybody[:count], cells[at], drawn[own], least, scale, given[at],
                    everybody[:count], to_hidden, to_cell, to_gates[at], to_cell[:count],
                )  # fmt: skip
                by_hidden[:count] = weights.words_again.backward(weights.words_again.outputs(by_gates[at]), 0)
            if not ends_here:
                whose = reading.episode[reading.order]
                by_state[0].index_add_(0, whose, by_hidden)
                by_state[1].index_add_(0, whose, by_cell)
        by_embedded = weights.words.backward(weights.words.outputs(by_gates), 0)
        by_embedding = torch.zeros_like(self.embedding)
        for reading in self.readings:
            learned = by_embedded[reading.first : reading.first + len(reading.tokens)]
            loops.look_up_back(*_arrays(learned, reading.tokens), 0, *_dropping(reading.of_words), by_embedding.numpy())
        by_embedding[0] = 0  # padding learns nothing
        return by_gates, by_embedding


def _where_gone(last: Tensor, goes: Tensor, rows: int) -> Tensor:
    """For each row of the step before, where it went, -1 if nowhere."""
    return torch.full((rows,), -1).index_copy(0, last, torch.where(goes, torch.arange(len(last)), -1))


def _unwritten(_: str, rows: int, *shape: int) -> Tensor:
    return torch.empty(rows, *shape)


def _arrays(*tensors: Tensor) -> tuple[Any, ...]:
    """Return the tensors as the loops take them."""
    return tuple(each.numpy() for each in tensors)


def _dropping(chance: Lots) -> tuple[Any, ...]:
    """Return what decides about dropout, likewise."""
    return chance.drawn.numpy(), np.int16(chance.least), np.float32(chance.scale)
