"""The paper's agent (section 6.1): its two modules, and the state with which it begins a batch of episodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, ClassVar

import torch
from torch import Tensor

from vnla.agents.agent import Agent, Sizes
from vnla.agents.config import AgentConfig
from vnla.agents.fast.registry import state_for
from vnla.agents.help import HelpModule
from vnla.agents.navigation import NavigationModule
from vnla.agents.plain import PlainState
from vnla.agents.policy_state import PolicyState, Start
from vnla.agents.spelling import SpelledEmbedding
from vnla.common.errors import InputError


class PaperAgent(Agent):
    """Encoder, decoder with attention and coverage; help-requesting module."""

    draws_by_episode: ClassVar[bool] = True

    def __init__(
        self, config: AgentConfig, navigation: NavigationModule | None = None, help_module: HelpModule | None = None
    ) -> None:
        """With the paper's modules, unless others are given."""
        super().__init__()
        self.config = config
        self.navigation = navigation or NavigationModule(config)
        self.help = help_module or HelpModule(config)

    def extra_repr(self) -> str:
        """What it was made with."""
        return repr(self.config)

    def begin(self, start: Start) -> PolicyState:
        """Choose a state made for learning, where there is one for exactly these equations and for the device."""
        policy_state = state_for(self.navigation) if torch.is_grad_enabled() else PlainState
        return policy_state.begin(self.navigation, start)

    def ask(self, ask_features: Tensor, budget: Tensor) -> Tensor:
        """π_ask."""
        logits: Tensor = self.help(ask_features, budget)
        return logits

    def meets(self, words: Sequence[str]) -> bool:
        """It can read any word if it knows words by their pieces."""
        embedding = self.navigation.encoder.embedding
        if not isinstance(embedding, SpelledEmbedding) or len(words) < self.config.words:
            return False
        embedding.spell(words)
        return True

    def footprint(self, words: int, steps: int) -> int:
        """What the rollout keeps for the help module, and three states: the last step's, this step's and what is between."""
        config = self.config
        kept = steps * (config.view_size + 2 * config.hidden)
        return kept + 3 * words * (2 * config.hidden + config.coverage)


def paper_agent(sizes: Sizes, **options: Any) -> PaperAgent:
    """The paper's agent, with other sizes than the paper's where options say so: fields of `AgentConfig`."""
    settable = {each.name for each in fields(AgentConfig)} - {"words", "view_size"}
    unknown = sorted(set(options) - settable)
    if unknown:
        raise InputError(f"agent paper: has no option {unknown[0]}; its options are {', '.join(sorted(settable))}")
    agent = PaperAgent(AgentConfig(words=sizes.words, view_size=sum(sizes.views.values()), **options))
    if agent.config.pieces and not agent.meets(sizes.vocabulary):
        raise InputError("agent paper: pieces of words need to know how the words are spelled")
    return agent
