"""An agent of one's own in its simplest form: any PyTorch module that can begin and act.

vnla train runs/mine --agent examples.simple_agent:Mine --agent-option hidden=256 --world worlds/small --tasks tasks/small
vnla evaluate runs/mine
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from vnla import Observation, Sizes, Words


class State(NamedTuple):
    """What it carries from step to step; every tensor has a row for each episode."""

    goal: Tensor
    told: Tensor
    walk: Tensor


class Mine(nn.Module):
    """Reads with one GRU and walks with another."""

    sees = ("features", "requests")

    def __init__(self, sizes: Sizes, hidden: int = 512, embedding: int = 256) -> None:
        super().__init__()
        self.words, self.reader = nn.Embedding(sizes.words, embedding), nn.GRU(embedding, hidden, batch_first=True)
        self.actions = nn.Embedding(7, 32)
        self.walker = nn.GRUCell(sum(sizes.views.values()) + 32 + 2 * hidden, hidden)
        self.decide, self.help = nn.Linear(hidden, 6), nn.Linear(hidden, 1)

    def begin(self, instructions: Words) -> State:
        goal = self.read(instructions)
        return State(goal, torch.zeros_like(goal), goal)

    def hear(self, told: Words, state: State) -> State:
        return state._replace(told=self.read(told))

    def act(self, seen: Observation, state: State) -> tuple[tuple[Tensor, Tensor], State]:
        ask_features = torch.cat([seen.everything, self.actions(seen.last_action), state.goal, state.told], dim=1)
        walk = self.walker(ask_features, state.walk)
        return (self.decide(walk), self.help(walk.detach())), state._replace(walk=walk)

    def read(self, words: Words) -> Tensor:
        states: Tensor = self.reader(self.words(words.tokens))[0]
        return states[torch.arange(len(states), device=states.device), (words.length - 1).clamp(min=0)]
