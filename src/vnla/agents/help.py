"""The help-requesting module (section 6.1): a feed-forward network over what the agent knows before it decides to ask.

Its inputs but the budget come without gradient (`Agent.ask_inputs`): its errors do not reach them. The budget's embedding
belongs to this module and learns, unless the configuration says otherwise.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from vnla.agents.config import AgentConfig
from vnla.agents.layers.deferred import DeferredLinear
from vnla.agents.layers.dropout import Dropout
from vnla.world.actions import ASK_ACTIONS, NAV_ACTIONS


class HelpModule(nn.Module):
    """π_ask: [view; budget; tentative distribution; h^dec; h^att] in, logits of (do nothing, request) out."""

    def __init__(self, config: AgentConfig) -> None:
        super().__init__()
        self.largest = config.largest_budget
        self.budget_embedding = nn.Embedding(config.largest_budget + 1, config.budget_embedding)
        self.budget_embedding.weight.requires_grad_(config.trains_budget_embedding)
        size = config.view_size + config.budget_embedding + NAV_ACTIONS + 2 * config.hidden
        layers: list[nn.Module] = []
        for inputs in [size] + [config.help_hidden] * (config.help_layers - 1):
            layers += [DeferredLinear(inputs, config.help_hidden), nn.ReLU(), Dropout(config.dropout)]
        self.hidden = nn.Sequential(*layers)
        self.output = nn.Linear(config.help_hidden, ASK_ACTIONS)

    def forward(self, features: Tensor, budget: Tensor) -> Tensor:
        """Logits (batch, 2); `request` is impossible without budget."""
        left = budget.clamp(max=self.largest)
        hidden = self._hidden_whole(features, left) if features.is_cuda else self._hidden(features, left)
        logits: Tensor = self.output(hidden)
        impossible = torch.stack([torch.zeros_like(budget, dtype=torch.bool), budget <= 0], dim=1)
        return logits.masked_fill(impossible, -torch.inf)

    def _hidden(self, features: Tensor, budget: Tensor) -> Tensor:
        first, others = self.hidden[0], self.hidden[1:]
        hidden: Tensor = others(first(self.budget_embedding(budget), fixed=features))
        return hidden

    def _hidden_whole(self, features: Tensor, budget: Tensor) -> Tensor:
        """The same for a GPU, which wants rows of a multiple of eight numbers, and products rather than look-ups."""
        table = self.budget_embedding.weight
        embedded = nn.functional.one_hot(budget, len(table)).to(table.dtype) @ table
        first, *others = self.hidden
        assert isinstance(first, nn.Linear)
        missing = -first.in_features % 8
        ask_features = torch.cat([features, embedded, features.new_zeros(len(features), missing)], dim=1)
        hidden = nn.functional.linear(ask_features, nn.functional.pad(first.weight, (0, missing)), first.bias)
        for layer in others:
            hidden = layer(hidden)
        return hidden
