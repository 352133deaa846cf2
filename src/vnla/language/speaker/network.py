"""The speaker network: it looks along a plan and says it.

What is seen at every pose of the plan, and each action, is a memory (`Looks`). A recurrent layer reads the words said so far
and looks twice into the memory for the next one. Looking does not change what the layer remembers, so that in training all
words of a sentence are worked out at once.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from vnla.language.speaker.looks import COLOURS, KINDS, NUMBERS, Looks
from vnla.language.speech import PlanBatch
from vnla.world.actions import NAV_ACTIONS


@dataclass(frozen=True)
class SpeakerSizes:
    """Of a network."""

    words: int
    """Words that it has, from 1; 0 begins a sentence, and fills it up."""
    k: int
    """Actions of a plan."""
    width: int = 96


class SpeakerMemory(NamedTuple):
    """What it looks into."""

    keys: Tensor  # (batch, entries, width)
    values: Tensor
    hidden: Tensor  # (batch, entries), whether there is nothing
    kind: Tensor  # (batch, entries)
    hue: Tensor
    gist: Tensor  # (batch, width)


class SpeakerNetwork(nn.Module):
    """From looks and actions to words."""

    def __init__(self, sizes: SpeakerSizes) -> None:
        super().__init__()
        self.sizes, width = sizes, sizes.width
        self.kind = nn.Embedding(KINDS, 2 * width)  # of a key and a value each
        self.hue = nn.Embedding(COLOURS, 2 * width)
        self.where = nn.Linear(NUMBERS, 2 * width)
        self.action = nn.Embedding(NAV_ACTIONS, 2 * width)
        self.before = nn.Embedding(NAV_ACTIONS + 1, 2 * width)  # the action that led to a pose; 0 at the first
        self.after = nn.Embedding(NAV_ACTIONS + 1, 2 * width)  # the one that follows; 0 at the last
        self.step = nn.Embedding(sizes.k + 1, 2 * width)
        self.mixes = nn.Linear(2 * width, 2 * width)
        self.gist = nn.Linear(sizes.k * 2 * width, width)
        self.word = nn.Embedding(sizes.words + 1, width)
        self.reads = nn.GRU(width, width, batch_first=True)
        self.asks = nn.ModuleList(nn.Linear(width, width) for _ in range(2))
        self.joins = nn.ModuleList(nn.Linear(2 * width, width) for _ in range(2))
        self.says = nn.Linear(width, sizes.words + 1)
        self.names = nn.Embedding(KINDS + COLOURS, sizes.words + 1)  # the words of what is looked at, near at hand
        nn.init.zeros_(self.names.weight)

    def config(self) -> dict[str, int]:
        """What it takes to make one like it."""
        return asdict(self.sizes)

    def look(self, looks: Looks, plan: PlanBatch) -> SpeakerMemory:
        """The memory of plans."""
        batch, k = plan.actions.shape
        seen = looks.rows(plan.poses)  # (batch, k + 1, SIZE)
        step = self.step.weight[: k + 1]
        led = self.before(pad(plan.actions + 1, (1, 0))) + self.after(pad(plan.actions + 1, (0, 1))) + step
        things = self.kind(seen.kind) + self.hue(seen.hue) + self.where(seen.where) + led[:, :, None]
        actions = self.action(plan.actions) + step[:k]
        entries = torch.cat([things.flatten(1, 2), actions], dim=1)
        keys, values = torch.tanh(self.mixes(entries.relu()) + entries).chunk(2, dim=-1)
        hidden = torch.cat([seen.kind.flatten(1) == 0, torch.zeros_like(plan.actions, dtype=torch.bool)], dim=1)
        kind, hue = (pad(each.flatten(1), (0, k)) for each in (seen.kind, seen.hue))
        return SpeakerMemory(keys, values, hidden, kind, hue, torch.tanh(self.gist(actions.reshape(batch, -1))))

    def forward(self, memory: SpeakerMemory, before: Tensor, wanted: Tensor) -> Tensor:
        """Logits of the next word after those before it, where it is `wanted` (batch, words): (wanted, all words)."""
        state, share = self._looked(memory, self.reads(self.word(before), memory.gist[None])[0])
        kind, hue = (each[:, None].expand_as(share)[wanted] for each in (memory.kind, memory.hue))
        return self._said(state[wanted], share[wanted], kind, hue)

    def _looked(self, memory: SpeakerMemory, state: Tensor) -> tuple[Tensor, Tensor]:
        share = state
        for ask, join in zip(self.asks, self.joins, strict=True):
            scores = ask(state) @ memory.keys.transpose(1, 2) / self.sizes.width**0.5  # (batch, words, entries)
            share = scores.masked_fill(memory.hidden[:, None], -torch.inf).softmax(dim=-1)
            state = torch.tanh(join(torch.cat([state, share @ memory.values], dim=-1))) + state
        return state, share

    def _said(self, state: Tensor, share: Tensor, kind: Tensor, hue: Tensor) -> Tensor:
        """Logits after looking at entries, for the one with words of its own: (…, all words)."""
        looked = torch.zeros(len(state), KINDS + COLOURS, device=state.device)
        looked = looked.scatter_add(1, kind, share).scatter_add(1, hue + KINDS, share)
        logits: Tensor = self.says(state) + looked @ self.names.weight
        return logits

    @torch.no_grad()
    def speak(self, memory: SpeakerMemory, longest: int, stop: int, drawn: Tensor, warmth: float) -> Tensor:
        """Sentences up to the word `stop`, filled up with 0: (batch, longest). With numbers `drawn` (batch, longest) for
        each word; without warmth the likeliest word is said."""
        state, word = memory.gist[None], torch.zeros(len(memory.gist), 1, dtype=torch.int64, device=memory.gist.device)
        said, ended = [], torch.zeros_like(word, dtype=torch.bool)
        for place in range(longest):
            out, state = self.reads(self.word(word), state)
            out, share = self._looked(memory, out)
            logits = self._said(out[:, 0], share[:, 0], memory.kind, memory.hue)
            if place == longest - 1:
                word = torch.full_like(word, stop)
            elif warmth > 0:
                sums = (logits / warmth).softmax(dim=-1).cumsum(dim=-1)
                word = (sums < drawn[:, place : place + 1] * sums[:, -1:]).sum(dim=1, keepdim=True)
            else:
                word = logits.argmax(dim=1, keepdim=True)
            said.append(word.masked_fill(ended, 0))
            ended = ended | (word == stop)
        return torch.cat(said, dim=1)
