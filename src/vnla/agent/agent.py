"""The whole agent: its two modules, and the mind with which it begins a batch of episodes."""

from __future__ import annotations

import torch
from torch import nn

from vnla.agent.config import AgentConfig
from vnla.agent.fast.cpu import mind as ragged
from vnla.agent.fast.cpu.mind import RaggedMind
from vnla.agent.fast.gpu import mind as whole
from vnla.agent.fast.gpu.mind import WholeMind
from vnla.agent.help import HelpModule
from vnla.agent.mind import Mind
from vnla.agent.navigation import NavigationModule
from vnla.agent.plain import PlainMind
from vnla.roles.advisor import Subgoals
from vnla.roles.words import Words
from vnla.world.budgets import LONGEST_EPISODE


class Agent(nn.Module):
    """π_nav and π_ask."""

    def __init__(self, config: AgentConfig) -> None:
        super().__init__()
        self.config = config
        self.navigation = NavigationModule(config)
        self.help = HelpModule(config)

    def begin(self, end_goal: Words, tails: Words, steps: int = LONGEST_EPISODE, requests: int = LONGEST_EPISODE) -> Mind:
        """The mind at the start: the end-goal read, no subgoal. `tails` is the table that `tails` makes.

        There will be at most so many `steps` and answered `requests`. Who learns has a mind made for learning, where there
        is one for the agent and the device.
        """
        if torch.is_grad_enabled() and whole.suits(self.navigation):
            return WholeMind.begin(self.navigation, end_goal.backwards(), tails, steps, requests)
        if torch.is_grad_enabled() and ragged.suits(self.navigation):
            return RaggedMind.begin(self.navigation, end_goal.backwards(), tails)
        return PlainMind.begin(self.navigation, end_goal.backwards(), tails)


def tails(subgoals: Subgoals, end_mark: int) -> Words:
    """The tail of every subgoal code: its words and full stop backwards, then the end mark; for silence the mark alone."""
    backwards = Words(subgoals.tokens, subgoals.length).backwards()
    padded = torch.nn.functional.pad(backwards.tokens, (0, 1))
    marked = padded.scatter(1, subgoals.length[:, None], end_mark)
    return Words(marked, subgoals.length + 1)
