"""An agent of your own: one GRU reads, one walks, nobody attends.
vnla train runs/gru --agent examples.agent:GruAgent --agent-option hidden=256 --world worlds/small --tasks tasks/small
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from vnla import Agent, Decision, Nav, PolicyState, Sizes, Start, Utterance, Words

NAVS, ASKS = len(Nav), 2  # how many actions there are; as the last action this number stands for none yet


class GruAgent(Agent):
    def __init__(self, sizes: Sizes, hidden: int = 512, embedding: int = 256) -> None:
        super().__init__()
        view = sum(sizes.views.values())
        self.words, self.reader = nn.Embedding(sizes.words, embedding), nn.GRU(embedding, hidden, batch_first=True)
        self.navs, self.asks = nn.Embedding(NAVS + 1, 32), nn.Embedding(ASKS + 1, 32)
        self.walker, self.decide = nn.GRUCell(view + 64 + 2 * hidden, hidden), nn.Linear(hidden, NAVS)
        self.help = nn.Linear(view + NAVS + hidden + 1, ASKS)

    def begin(self, start: Start) -> GruState:
        return GruState(self, goal := self.read(start.end_goals), goal * 0, goal * 0, goal)

    def read(self, words: Words) -> Tensor:  # the state after each sentence's last word: (batch, hidden)
        states: Tensor = self.reader(self.words(words.tokens))[0]
        return states[torch.arange(len(states), device=states.device), (words.length - 1).clamp(min=0)]

    def ask(self, ask_features: Tensor, budget: Tensor) -> Tensor:
        nothing, request = self.help(torch.cat([ask_features, budget[:, None].float()], dim=1)).unbind(dim=1)
        return torch.stack([nothing, request.masked_fill(budget <= 0, -torch.inf)], dim=1)


@dataclass(frozen=True)
class GruState(PolicyState):
    SHARED = frozenset({"agent"})  # all else has a row for each episode
    agent: GruAgent
    goal: Tensor
    told: Tensor
    state: Tensor
    seen: Tensor

    def see(self, view: Mapping[str, Tensor], last_nav: Tensor) -> GruState:
        return replace(self, seen=torch.cat([*view.values(), self.agent.navs(last_nav), self.goal], dim=1))

    def hear(self, asked: Tensor, heard: Utterance) -> GruState:
        return replace(self, told=torch.where(asked[:, None], self.agent.read(heard.words), self.told))

    def propose(self, last_ask: Tensor, may_ask: Tensor | None = None) -> Decision:  # noqa: ARG002
        return self.decide(last_ask)[0]

    def decide(self, ask: Tensor) -> tuple[Decision, GruState]:
        state = self.agent.walker(torch.cat([self.seen, self.agent.asks(ask), self.told], dim=1), self.state)
        return Decision(self.agent.decide(state), (state,)), replace(self, state=state)
