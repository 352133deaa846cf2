"""A policy of your own: any PyTorch module with reset, act and hear.

vnla train runs/mine --agent examples.simple_agent:Mine --agent-option hidden=256 --world worlds/small --tasks tasks/small
vnla evaluate runs/mine
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from vnla import Observation, Sizes, Utterance, Words


class State(NamedTuple):
    """What it carries from step to step; every tensor has a row for each episode."""

    goal: Tensor
    advice: Tensor
    walk: Tensor


class Mine(nn.Module):
    """Reads with one GRU and walks with another."""

    observes = ("view", "sensor:requests")

    def __init__(self, sizes: Sizes, hidden: int = 512, embedding: int = 256) -> None:
        super().__init__()
        self.words, self.reader = nn.Embedding(sizes.words, embedding), nn.GRU(embedding, hidden, batch_first=True)
        self.actions = nn.Embedding(7, 32)
        self.walker = nn.GRUCell(sum(sizes.views.values()) + 32 + 2 * hidden, hidden)
        self.decide, self.help = nn.Linear(hidden, 6), nn.Linear(hidden, 1)

    def reset(self, instructions: Words) -> State:
        goal = self.read(instructions)
        return State(goal, torch.zeros_like(goal), goal)

    def hear(self, utterance: Utterance, state: State) -> State:
        return state._replace(advice=self.read(utterance.words))

    def act(self, observation: Observation, state: State) -> tuple[tuple[Tensor, Tensor], State]:
        last = self.actions(observation["last_action"])
        walk = self.walker(torch.cat([observation.vector, last, state.goal, state.advice], dim=1), state.walk)
        return (self.decide(walk), self.help(walk.detach())), state._replace(walk=walk)

    def read(self, words: Words) -> Tensor:
        states: Tensor = self.reader(self.words(words.tokens))[0]
        return states[torch.arange(len(states), device=states.device), (words.length - 1).clamp(min=0)]
