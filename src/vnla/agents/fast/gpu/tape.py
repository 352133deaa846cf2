"""All that a batch of episodes writes down on its way, for `vnla.agents.fast.gpu.state`: what was read, seen and decided,
and where gradients add up.

There is a slot for each request, and what the advisor says is read into the next one for all who may ask, beside pass 1;
asking means to take it. Nothing in a step waits for the encoder's gradients: its whole backward pass is one walk for all
that was read, in `CudaTape.collect`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import NamedTuple
from weakref import WeakKeyDictionary

import torch
from torch import Tensor, nn
from torch.nn.functional import one_hot, pad

from vnla.agents.fast.gpu.kernels.attend import Cover, InstructionMemory, MemoryPart
from vnla.agents.fast.gpu.kernels.cell import Gradients, Small, retreat
from vnla.agents.fast.gpu.kernels.reading import SentenceReader, read
from vnla.agents.fast.gpu.kernels.walk import Track
from vnla.agents.fast.gpu.kernels.words import SentenceBuffer
from vnla.agents.fast.packed import Packed, columns_of, packed_to_act, packed_to_read
from vnla.agents.layers.dropout import own, whole
from vnla.agents.navigation import NavigationModule
from vnla.agents.policy_state import Start, Views
from vnla.assistance.words import Utterance
from vnla.common.capture import beside, fused, join, second_stream
from vnla.words import Words
from vnla.world.actions import ASK_ACTIONS, NAV_ACTIONS

_SMALL_ROWS = NAV_ACTIONS + 1 + ASK_ACTIONS + 1

_Streams = tuple[torch.cuda.Stream | None, torch.cuda.Stream | None]
_streams: WeakKeyDictionary[nn.Module, _Streams] = WeakKeyDictionary()


_AFTER = (1, 1, 1, 2, 2, 2, 2)
"""How many sizes come after the episodes in the shapes of `Kept`."""


class Kept(NamedTuple):
    """What dropout keeps, for all of a batch of episodes."""

    view: Tensor  # (steps, batch, view_size)
    small: Tensor  # (2, steps, batch, 2·width), for each pass
    hidden: Tensor  # (2, steps, batch, hidden)
    goal_words: Tensor  # (batch, places, word_embedding)
    goal_context: Tensor  # (batch, places, hidden)
    tail_words: Tensor  # (slots·batch, places, word_embedding)
    tail_context: Tensor  # (slots·batch, places, hidden)

    @classmethod
    def draw(cls, share: float, shapes: list[tuple[int, ...]], device: torch.device) -> Kept:
        """Everything in one draw. What comes before the episodes in a shape is as if there were so many times more."""
        rows = [(prod(shape[:-last]), *shape[-last:]) for shape, last in zip(shapes, _AFTER, strict=True)]
        all_rows = [whole(shape) for shape in rows]
        sizes = [prod(shape) for shape in all_rows]
        drawn = torch.empty(sum(sizes), dtype=torch.bool, device=device).bernoulli_(share)
        parts = zip(torch.split(drawn, sizes), all_rows, rows, shapes, strict=True)
        return cls(*(own(part.view(many), few).view(shape) for part, many, few, shape in parts))


@dataclass(frozen=True)
class Text:
    """Sentences that were read: what was written on the way, and the gradients that come back."""

    page: SentenceBuffer
    track: Track
    part: MemoryPart

    @classmethod
    def blank(cls, rows: int, places: int, like: Packed, words_kept: Tensor | None, kept: Tensor | None) -> Text:
        """Room for so many sentences."""
        hidden, width, gates = like.words_again.shape[1], like.words.shape[1], len(like.context)
        sizes = (width, 4 * hidden, hidden, gates, hidden, gates)
        room = like.words.new_zeros(rows * (places * sum(sizes) + (places + 1) * 2 * hidden))  # at once
        parts = iter(torch.split(room, [rows * places * size for size in sizes] + 2 * [rows * (places + 1) * hidden]))
        embedded, active, context, cover, to_context, to_cover = (next(parts).view(rows, places, size) for size in sizes)
        hiddens, cells = (part.view(rows, places + 1, hidden) for part in parts)
        length = torch.zeros(rows, dtype=torch.int64, device=room.device)
        tokens = torch.zeros(rows, places, dtype=torch.int64, device=room.device)
        return cls(
            SentenceBuffer(tokens, length, embedded, words_kept),
            Track(hiddens, cells, active, context, kept),
            MemoryPart(context, cover, length, to_context, to_cover),
        )

    def back(
        self, weights: Packed, scale: float, rows: int, last: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Gradients of the gates (rows, places, 4·hidden) and of the state before the first word, for the first `rows`.

        `last` is what comes to the state after each sentence's last word.
        """
        track, part = self.track, self.part
        gates, cells, kept = track.gates[:rows], track.cell[:rows], None if track.kept is None else track.kept[:rows]
        to_gates = torch.empty_like(gates)
        reached = part.to_context[:rows].flatten(0, 1)
        to_context = torch.addmm(reached, part.to_cover[:rows].flatten(0, 1), weights.context)
        to_context = to_context.view_as(part.to_context[:rows])
        hidden: Tensor | None = None
        cell: Tensor | None = None
        for place in reversed(range(to_context.shape[1])):
            ends = part.length[:rows] == place + 1 if last else None
            given = Gradients(to_context[:, place], hidden, cell, ends, *(last or (None, None)))
            keeps = None if kept is None else kept[:, place]
            before, after = cells[:, place], cells[:, place + 1]
            cell = retreat(gates[:, place], before, after, keeps, scale, given, to_gates[:, place])
            hidden = to_gates[:, place] @ weights.words_again
        assert hidden is not None and cell is not None
        return to_gates, hidden, cell

    def gradients(self, to_gates: Tensor, weights: Packed, scale: float, vocabulary: int, rows: int) -> dict[str, Tensor]:
        """Of the encoder's parameters, from those of the gates of the first `rows`."""
        page, part = self.page, self.part
        gates, cover = to_gates.flatten(0, 1), part.to_cover[:rows].flatten(0, 1)
        kept = None if page.kept is None else page.kept[:rows].flatten(0, 1)
        to_words = _dropped(gates @ weights.words, kept, scale)
        chosen = one_hot(page.tokens[:rows].flatten(), vocabulary)[:, 1:].to(to_words.dtype)  # padding learns nothing
        return {
            "words": gates.T @ page.embedded[:rows].flatten(0, 1),
            "words_bias": gates.sum(dim=0),
            "words_again": gates.T @ self.track.hidden[:rows, :-1].flatten(0, 1),
            "context": cover.T @ part.context[:rows].flatten(0, 1),
            "context_bias": cover.sum(dim=0),
            "embedding": pad(chosen.T @ to_words, (0, 0, 1, 0)),
        }


class Lesson(NamedTuple):
    """What the weights learn from in one step."""

    hidden: Tensor  # (batch, hidden), before the step
    decoder: Tensor  # (batch, hidden), after it and after dropout
    small: Tensor
    nav: Tensor
    ask: Tensor
    to_query: Tensor


class CudaTape:
    """All that a batch of episodes writes down on its way."""

    def __init__(self, module: NavigationModule, start: Start) -> None:
        end_goal = start.end_goals.backwards()
        self.module, self.tails, self.steps, self.slots = module, start.phrases.tails, start.steps, start.requests + 1
        self.silence = start.phrases.silence
        self.learns = torch.is_grad_enabled()
        self.beside, self.ahead = _streams_of(module, end_goal.length.device)
        with beside(self.beside):
            to_read = packed_to_read(module)
        with beside(self.ahead):  # which the first step waits for
            to_act = packed_to_act(module)
            self.packed = Packed(**to_read, **to_act | {"view": _wide(to_act["view"])})
        self.words = module.encoder.embedding.weight
        with torch.no_grad():
            self._prepare(end_goal)

    def _prepare(self, end_goal: Words) -> None:
        module, steps = self.module, self.steps
        self.weights = Packed(*(each.detach() for each in self.packed))
        self.embedding = self.words.detach()
        self.scale = 1.0
        self.kept = self._draw(end_goal, module.dropout) if module.dropout.training and module.dropout.p > 0 else None
        self.batch = len(end_goal.length)
        self.everybody = torch.arange(self.batch, device=end_goal.length.device)
        self.meet = torch.zeros(steps + 2, self.batch, dtype=torch.int32, device=end_goal.length.device)
        self.read_so_far = 0
        self._read_end_goal(end_goal)
        hidden, columns = module.config.hidden, columns_of(module.config.coverage)
        self.to_matrix = self.embedding.new_zeros(self.batch, 4, columns, columns)
        self.cover = Cover(self.weights.matrix, self.to_matrix, module.config.coverage)
        recorded = steps if self.learns else 0
        self.seen = self.embedding.new_zeros(recorded, self.batch, self.weights.view.shape[1])
        self.to_gates = self.embedding.new_empty(recorded, self.batch, 4 * hidden)
        self.lessons: dict[int, Lesson] = {}
        self.decided: list[Tensor] = []
        self.lent: tuple[Tensor, ...] = ()  # what `ahead` may still read: kept until the next step, which waits for it

    def _draw(self, end_goal: Words, dropout: nn.Dropout) -> Kept:
        config, width = self.module.config, self.weights.small.shape[1]
        (batch, places), more = end_goal.tokens.shape, self.tails.tokens.shape[1]
        rows = (self.slots + 1) * batch
        self.scale = 1 / (1 - dropout.p)
        shapes: list[tuple[int, ...]] = [
            (self.steps, batch, config.view_size), (2, self.steps, batch, width), (2, self.steps, batch, config.hidden),
            (batch, places, config.word_embedding), (batch, places, config.hidden),
            (rows, more, config.word_embedding), (rows, more, config.hidden),
        ]  # fmt: skip
        return Kept.draw(1 - dropout.p, shapes, end_goal.tokens.device)

    def _read_end_goal(self, end_goal: Words) -> None:
        """The end-goal, and silence after it in the first slot."""
        kept, batch, all_read = self.kept, self.batch, torch.ones_like(self.everybody, dtype=torch.bool)
        words = (kept.goal_words, kept.tail_words) if kept else (None, None)
        context = (kept.goal_context, kept.tail_context) if kept else (None, None)
        self.goal = Text.blank(batch, end_goal.tokens.shape[1], self.weights, words[0], context[0])
        rows = (self.slots + 1) * batch  # the last slot is for what nobody needs
        self.tail = Text.blank(rows, self.tails.tokens.shape[1], self.weights, words[1], context[1])
        join(self.beside)  # where what reading takes is packed
        self.reader = SentenceReader.of(self.embedding, self.weights, self.scale)
        before = torch.full_like(self.everybody, -1)  # the slot before the first
        self._read(self.goal, self.everybody, end_goal, before, all_read)
        for mine, its in ((self.tail.track.hidden, self.goal.track.hidden), (self.tail.track.cell, self.goal.track.cell)):
            state = its[self.everybody, end_goal.length]
            mine.view(self.slots + 1, batch, *mine.shape[1:])[:, :, 0] = state
        silence = torch.full_like(self.everybody, self.silence)
        self._read(self.tail, silence, self.tails, before, all_read)

    def _read(self, text: Text, sentence: Tensor, table: Words, slot: Tensor, reads: Tensor) -> None:
        meet, room = self.meet[self.read_so_far], (text.page, text.track, text.part.cover)
        self.read_so_far += 1
        read(sentence, table, slot, reads, self.slots, self.reader, *room, self.everybody, meet)

    @torch.no_grad()
    def read(self, slot: Tensor, may_ask: Tensor, advice: Callable[[], Utterance]) -> Utterance:
        """Read what would be said to those who `may_ask`, each into the slot after their own, beside what comes next."""
        with beside(self.beside):
            heard = advice()
            if self.slots > 1:
                join(self.ahead)  # the slot is counted there
                self._read(self.tail, heard.index, heard.table.tails, slot, may_ask)
        return heard

    def heard(self) -> None:
        """Wait for what was read."""
        join(self.beside)

    def see(self, view: Views, step: int) -> Tensor:
        """What dropout leaves of a view, with zeros after it, written down if anybody learns."""
        parts, size = tuple(view.values()), self.module.config.view_size
        room = self.seen[step] if self.learns else self.embedding.new_zeros(self.batch, self.weights.view.shape[1])
        _drop_into(room[:, :size], parts, None if self.kept is None else self.kept.view[step], self.scale)
        return room

    def carry(self, hidden: Tensor) -> Tensor:
        """What a state adds to the next step's gates, and their bias; beside what comes next."""
        with beside(self.ahead):
            return torch.addmm(self.weights.bias, hidden, self.weights.again.T)

    def memory(self, slot: Tensor) -> InstructionMemory:
        """Everybody's instruction."""
        return InstructionMemory(self.goal.part, self.tail.part, slot)

    def small(self, nav: Tensor, ask: Tensor, number: int, step: int) -> Small:
        """The last actions, for pass 0 or 1."""
        kept = None if self.kept is None else self.kept.small[number, step]
        return Small(self.weights.table, NAV_ACTIONS + 1, self.weights.small, nav, ask, kept)

    def kept_hidden(self, number: int, step: int) -> Tensor | None:
        """What dropout keeps of the decoder's state."""
        return None if self.kept is None else self.kept.hidden[number, step]

    @torch.no_grad()
    def collect(self) -> None:
        """Give every parameter its gradient, after those of the steps are known.

        One branch walks back over what was said, then over the end-goals; the other multiplies.
        """
        weights, steps = self.weights, len(self.lessons)
        if sorted(self.lessons) != list(range(steps)):
            raise RuntimeError("gradients of some steps are missing")
        rows = self.slots * self.batch
        with beside(self.beside):
            to_tail, hidden, cell = self.tail.back(weights, self.scale, rows)
        with beside(self.ahead):
            self._give(self._of_steps(steps))
            join(self.beside)
            of_tail = self.tail.gradients(to_tail, weights, self.scale, len(self.embedding), rows)
        with beside(self.beside):
            last = tuple(each.view(self.slots, self.batch, -1).sum(dim=0) for each in (hidden, cell))
            to_goal, _, _ = self.goal.back(weights, self.scale, self.batch, (last[0], last[1]))
            of_goal = self.goal.gradients(to_goal, weights, self.scale, len(self.embedding), self.batch)
        join(self.beside)
        join(self.ahead)
        self._give({name: of_goal[name] + of_tail[name] for name in of_goal})

    def _give(self, gradients: dict[str, Tensor]) -> None:
        """To the parameters, by way of how they were packed."""
        packed = {"embedding": self.words, **self.packed._asdict()}
        torch.autograd.backward([packed[name] for name in gradients], list(gradients.values()))

    def _of_steps(self, steps: int) -> dict[str, Tensor]:
        """Gradients of the decoder's parameters, from all steps."""
        record = Lesson(*(torch.stack([self.lessons[i][k] for i in range(steps)]).flatten(0, 1) for k in range(6)))
        gates = self.to_gates[:steps].flatten(0, 1)
        kept = None if self.kept is None else self.kept.small[1, :steps].flatten(0, 1)
        return {
            "view": gates.T @ self.seen[:steps].flatten(0, 1),
            "bias": gates.sum(dim=0),
            "again": gates.T @ record.hidden,
            "small": gates.T @ record.small,
            "table": self._to_table(_dropped(gates @ self.weights.small, kept, self.scale), record),
            "ask": record.to_query.T @ record.decoder,
            "matrix": self.to_matrix.sum(dim=0),
        }

    def _to_table(self, to_small: Tensor, record: Lesson) -> Tensor:
        nav, ask = to_small.chunk(2, dim=1)
        chosen = torch.cat([record.nav, record.ask + (NAV_ACTIONS + 1)])
        return one_hot(chosen, _SMALL_ROWS).to(to_small.dtype).T @ torch.cat([nav, ask])


@fused
def _drop_into(room: Tensor, parts: tuple[Tensor, ...], kept: Tensor | None, scale: float) -> None:
    """Write what dropout leaves of the parts, one beside the other."""
    values = torch.cat(parts, dim=1)
    room.copy_(values if kept is None else torch.where(kept, values * scale, 0.0))


def _wide(weight: Tensor) -> Tensor:
    """With columns of zeros up to a multiple of eight: a GPU's matrix units want their rows so."""
    missing = -weight.shape[1] % 8
    return pad(weight, (0, missing)) if missing else weight


def _dropped(values: Tensor, kept: Tensor | None, scale: float) -> Tensor:
    return values if kept is None else torch.ops.aten.native_dropout_backward(values, kept.view_as(values), scale)


def _streams_of(module: NavigationModule, device: torch.device) -> _Streams:
    """Two more streams for a module, where there are streams: for what is waited for, and for what is not yet."""
    if module not in _streams:
        _streams[module] = second_stream(device, urgent=True), second_stream(device)
    return _streams[module]
