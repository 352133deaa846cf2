"""The navigation module (section 6.1): an LSTM decoder with multiplicative attention and coverage, run twice a step.

Both passes of a step start from the state of the last step's second pass and see the same view and last action; they differ
in the help-requesting action and, where help was given in between, in the memory. So the decoder's gates are one sum, to
which each pass adds its own term. Nothing learns from pass 1: it is computed without gradients and without coverage update.

With m' = m + W_c·v + b for a word's memory m and coverage v (`Attention`), neither m' nor the coverage input is ever made:

    score    m'·q = m·q + v·(W_cᵀq) + const       summary   Σa·m' = Σa·m + W_c·Σa·v + b
    coverage W_g·m' = W_g·m + (W_g·W_c)·v + W_g·b, whose first and last terms change only with the memory
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from vnla.agents.config import AgentConfig
from vnla.agents.encoder import InstructionEncoder
from vnla.agents.layers.cells import LSTMCell, Recurrent, advance, gru, initialise
from vnla.agents.layers.deferred import DeferredLinear, Deferring
from vnla.agents.layers.dropout import Dropout
from vnla.agents.policy_state import Decision
from vnla.agents.reading import DeferredReading
from vnla.assistance.words import Utterance
from vnla.common.capture import fused
from vnla.words import Words
from vnla.world.actions import ASK_ACTIONS, NAV_ACTIONS


@dataclass(frozen=True)
class AttentionMemory:
    """The attention memory of a batch. `words` counts the places of end-goal and tail together."""

    context: Tensor  # (batch, words, hidden)
    present: Tensor  # (batch, words)
    cover: Tensor  # (batch, words, 3·coverage), what the context adds to the coverage's gates
    end_goal_words: int
    after_end_goal: list[Recurrent]  # the encoder's state after the end-goal
    reading: DeferredReading | None = None  # where sizes are fixed
    again: Tensor | None = None  # W_g·W_c, there too

    SHARED: ClassVar[frozenset[str]] = frozenset({"reading", "again"})


class Decoded(NamedTuple):
    """What one pass computes."""

    logits: Tensor  # (batch, 6), not yet masked
    decoder: Tensor  # (batch, hidden), h^dec, after dropout
    attended: Tensor  # (batch, hidden), h^att
    weights: Tensor  # (batch, words), attention

    @property
    def decision(self) -> Decision:
        """As the algorithm takes it: the help module may look at both states."""
        return Decision(self.logits, (self.decoder, self.attended), self.weights)


@dataclass(frozen=True)
class SharedGates:
    """What the two passes of a step have in common."""

    gates: Tensor  # (batch, 4·hidden), from the view, the last action and the last state
    state: list[Recurrent]


class Attention(nn.Module):
    """Multiplicative attention over a memory with coverage."""

    def __init__(self, config: AgentConfig) -> None:
        super().__init__()
        self.query = DeferredLinear(config.hidden, config.hidden, bias=False)
        self.combine = DeferredLinear(2 * config.hidden, config.hidden, bias=False)
        self.uncover = nn.Linear(config.coverage, config.hidden)
        self.cover_context = nn.Linear(config.hidden, 3 * config.coverage)
        self.cover_hidden = DeferredLinear(config.hidden, 3 * config.coverage, bias=False)
        self.cover_weight = nn.Parameter(torch.empty(3 * config.coverage))
        self.cover_recurrent = nn.Linear(config.coverage, 3 * config.coverage)
        for part in (self.cover_context, self.cover_hidden, self.cover_recurrent):
            initialise(part, config.coverage)
        nn.init.uniform_(self.cover_weight, -(config.coverage**-0.5), config.coverage**-0.5)

    def prepare(self, context: Tensor) -> Tensor:
        """What a memory's context adds to the coverage's gates."""
        prepared: Tensor = self.cover_context(context + self.uncover.bias)
        return prepared

    def forward(self, hidden: Tensor, memory: AttentionMemory, coverage: Tensor) -> tuple[Tensor, Tensor]:
        """The attended state h^att (batch, hidden) and the attention weights (batch, words)."""
        looked, weights = self._look(self.query(hidden), hidden, memory, coverage)
        return torch.tanh(self.combine(looked)), weights

    @fused
    def _look(self, query: Tensor, hidden: Tensor, memory: AttentionMemory, coverage: Tensor) -> tuple[Tensor, Tensor]:
        """The summary of the memory with the decoder's state (batch, 2·hidden), and the attention weights."""
        covered = torch.bmm((query @ self.uncover.weight).unsqueeze(1), coverage.transpose(1, 2)).squeeze(1)
        weights, summary = attend(memory.context, query, covered.masked_fill(~memory.present, -torch.inf))
        summary = summary + self.uncover(torch.bmm(weights.unsqueeze(1), coverage).squeeze(1))
        return torch.cat([summary, hidden], dim=1), weights

    def cover(self, hidden: Tensor, weights: Tensor, memory: AttentionMemory, coverage: Tensor) -> Tensor:
        """The coverage after attending: a GRU over [m'; h; attention weight] for every word."""
        return self._cover(self.cover_hidden(hidden), weights, memory, coverage)

    def again(self) -> Tensor:
        """What coverage adds to its own gates by way of the memory: (3·coverage, coverage)."""
        return self.cover_context.weight @ self.uncover.weight

    @fused
    def _cover(self, by_hidden: Tensor, weights: Tensor, memory: AttentionMemory, coverage: Tensor) -> Tensor:
        again = self.again() if memory.again is None else memory.again
        inputs = memory.cover + coverage @ again.T + by_hidden.unsqueeze(1)
        inputs = inputs + weights.unsqueeze(2) * self.cover_weight
        return gru(inputs, self.cover_recurrent(coverage), coverage)


def attend(memory: Tensor, query: Tensor, added: Tensor) -> tuple[Tensor, Tensor]:
    """The weights softmax(memory·query + added) (batch, words) and the summary of the memory (batch, words, hidden)."""
    if torch.compiler.is_compiling():
        weights = torch.softmax(_by_row(query, memory.transpose(1, 2)) + added, dim=1)
        return weights, _by_row(weights, memory)
    weights, summary = _Attend.apply(memory, query, added)  # type: ignore[no-untyped-call]
    return weights, summary


class _Attend(torch.autograd.Function):
    """Attention as one operation. What it takes is to move the memory, which the backward pass by hand does least often."""

    @staticmethod
    def forward(ctx: Any, memory: Tensor, query: Tensor, added: Tensor) -> tuple[Tensor, Tensor]:
        weights = torch.softmax(_by_row(query, memory.transpose(1, 2)) + added, dim=1)
        ctx.save_for_backward(memory, query, weights)
        return weights, _by_row(weights, memory)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, Tensor, Tensor]:
        memory, query, weights = ctx.saved_tensors
        by_weights = gradients[0] + _by_row(gradients[1], memory.transpose(1, 2))
        by_scores = weights * (by_weights - (weights * by_weights).sum(dim=1, keepdim=True))
        by_memory = None
        if ctx.needs_input_grad[0]:
            by_memory = torch.bmm(torch.stack([by_scores, weights], dim=2), torch.stack([query, gradients[1]], dim=1))
        return by_memory, _by_row(by_scores, memory), by_scores


def _by_row(vectors: Tensor, matrices: Tensor) -> Tensor:
    """Each vector (batch, …) times its own matrix."""
    return torch.bmm(vectors.unsqueeze(1), matrices).squeeze(1)


class NavigationModule(nn.Module):
    """π_nav: instruction, view and last actions in, a distribution over six actions out."""

    def __init__(self, config: AgentConfig) -> None:
        super().__init__()
        self.config = config
        self.encoder = InstructionEncoder(config)
        self.nav_embedding = nn.Embedding(NAV_ACTIONS + 1, config.nav_embedding)
        self.ask_embedding = nn.Embedding(ASK_ACTIONS + 1, config.ask_embedding)
        self.view_input = DeferredLinear(config.view_size, 4 * config.hidden)
        self.nav_input = DeferredLinear(config.nav_embedding, 4 * config.hidden, bias=False)
        self.ask_input = DeferredLinear(config.ask_embedding, 4 * config.hidden, bias=False)
        self.recurrent = DeferredLinear(config.hidden, 4 * config.hidden)
        for part in (self.view_input, self.nav_input, self.ask_input, self.recurrent):
            initialise(part, config.hidden)
        self.upper_cells = nn.ModuleList(LSTMCell(config.hidden, config.hidden) for _ in range(config.layers - 1))
        self.attention = Attention(config)
        self.output = DeferredLinear(config.hidden, NAV_ACTIONS)
        self.dropout = Dropout(config.dropout)
        self._books: list[Deferring] = []

    def learn_from(self, book: Deferring) -> None:
        """Remember to collect the gradients of a book (`vnla.agents.fast.gpu.tape`)."""
        if book not in self._books:
            self._books.append(book)

    def collect(self) -> None:
        """Collect them."""
        for book in self._books:
            book.collect()
        self._books.clear()

    def remember(self, end_goal: Words, tail: Words, *, requests: int | None = None) -> AttentionMemory:
        """The memory of an instruction: the end-goal backwards, then its tail.

        Only the words that are there are read; or, where sizes are fixed and there are at most so many `requests`, every
        place of every sentence, and what is learned from that is put off (`vnla.agents.reading`).
        """
        reading = again = None
        if requests is None:
            context, state = self.encoder(end_goal, self.encoder.start(len(end_goal.length)))
            more, _ = self.encoder(tail, state)
            whole = torch.cat([context, more], dim=1)
            cover = self.attention.prepare(whole)
        else:
            reading = DeferredReading.begin(self.encoder, self.attention.prepare, end_goal, requests)
            parts, state, again = (reading.goal, reading.silence(tail)), reading.state, self.attention.again()
            whole, cover = (torch.cat(each, dim=1) for each in zip(*((p.context, p.cover) for p in parts), strict=True))
            if reading.learns:
                # When there is something to learn from, and not before.
                reading.goal.context.register_hook(lambda _: self.learn_from(reading))  # type: ignore[no-untyped-call]
        present = torch.cat([end_goal.mask(), tail.mask()], dim=1)
        return AttentionMemory(whole, present, cover, end_goal.tokens.shape[1], state, reading, again)

    def remember_tail(self, heard: Utterance, asked: Tensor, memory: AttentionMemory) -> tuple[Tensor, Tensor, Tensor]:
        """Context, coverage gates and presence of what those who asked heard after the memory's end-goal."""
        tail = heard.tails
        if memory.reading is not None:
            piece = memory.reading.hear(heard, asked)
            return piece.context, piece.cover, tail.mask()
        context, _ = self.encoder(tail, memory.after_end_goal)
        return context, self.attention.prepare(context), tail.mask()

    def start(self, batch: int) -> list[Recurrent]:
        """The decoder's initial state: zero vectors."""
        like = self.output.weight
        return [Recurrent.zeros(batch, self.config.hidden, like) for _ in range(self.config.layers)]

    def share(self, view: Tensor, last_nav: Tensor, state: list[Recurrent]) -> SharedGates:
        """The part of a step that both passes have in common."""
        gates = self.view_input(self.dropout(view)) + self.nav_input(self.dropout(self.nav_embedding(last_nav)))
        return SharedGates(gates + self.recurrent(state[0].hidden), state)

    def decode(
        self, shared: SharedGates, last_ask: Tensor, memory: AttentionMemory, coverage: Tensor
    ) -> tuple[Decoded, list[Recurrent]]:
        """One pass, and the decoder's state after it."""
        by_ask = self.ask_input(self.dropout(self.ask_embedding(last_ask)))
        state = [advance(shared.gates, by_ask, shared.state[0].cell)]
        for cell, before in zip(self.upper_cells, shared.state[1:], strict=True):
            state.append(cell(self.dropout(state[-1].hidden), before))
        hidden = self.dropout(state[-1].hidden)
        attended, weights = self.attention(hidden, memory, coverage)
        return Decoded(self.output(attended), hidden, attended, weights), state


def with_tail(memory: AttentionMemory, context: Tensor, cover: Tensor, present: Tensor) -> AttentionMemory:
    """The memory with another tail."""
    first = memory.end_goal_words
    return replace(
        memory,
        context=torch.cat([memory.context[:, :first], context], dim=1),
        cover=torch.cat([memory.cover[:, :first], cover], dim=1),
        present=torch.cat([memory.present[:, :first], present], dim=1),
    )
