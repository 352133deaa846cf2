"""Who takes part in a run: the agent, the advisor and the policies that its configuration names."""

from __future__ import annotations

import torch

from vnla.agent.agent import Agent, tails
from vnla.agent.config import AgentConfig
from vnla.players import Players
from vnla.roles.acting import ALONE, BCUI, LED
from vnla.roles.advisor import Subgoals
from vnla.roles.help_policies import AsTaught, HelpPolicy, Learned, Mixture, Never, help_policy
from vnla.training.config import RunConfig
from vnla.training.data import RunData


def make_agent(config: RunConfig, material: RunData) -> Agent:
    """An agent with fresh parameters drawn for the run's seed."""
    torch.manual_seed(config.training.seed)
    sizes = {**config.agent, "words": len(material.dataset.vocabulary), "view_size": material.views.shape[1]}
    return Agent(AgentConfig(**sizes)).to(material.world.device)


def make_players(config: RunConfig, material: RunData, agent: Agent, *, training: bool) -> Players:
    """Everybody, in the roles they have in training or in evaluation."""
    config = config.for_training()
    vocabulary = material.dataset.vocabulary
    subgoals = Subgoals.table(config.advisor, vocabulary, vocabulary.padding).to(material.world.device)
    policy = _policy(config, training)
    return Players(
        agent=agent,
        views=material.views,
        advisor=config.advisor,
        tails=tails(subgoals, vocabulary.end),
        help_teacher=config.teacher,
        help_policy=policy,
        acting=BCUI if training else LED if config.advisor.direct and not config.unaided else ALONE,
        keeps_ended=config.keeps_ended and training,
        deliberate=policy.deliberates or not training,
    )


def _policy(config: RunConfig, training: bool) -> HelpPolicy:
    match config.help_policy:
        case "learned":
            return AsTaught() if training else Learned()
        case "teacher":
            return AsTaught()
        case "cloning":
            return Mixture(beta=1.0) if training else Never()
        case "imitation":
            return Mixture(beta=config.beta) if training else Never()
        case name:
            return help_policy(name)
