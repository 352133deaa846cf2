"""Who takes part in an episode."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from vnla.agent.agent import Agent
from vnla.roles.acting import Acting
from vnla.roles.advisor import Advisor
from vnla.roles.help_policies import HelpPolicy
from vnla.roles.help_teacher import HelpTeacher
from vnla.roles.words import Words


@dataclass(frozen=True)
class Players:
    """Everybody who takes part in an episode."""

    agent: Agent
    views: Tensor  # (poses, view size), the feature vector of every view of the world
    advisor: Advisor
    tails: Words  # all that the advisor may say, as the agent reads it
    help_teacher: HelpTeacher
    help_policy: HelpPolicy
    acting: Acting
    keeps_ended: bool = False
    """Let ended episodes walk on and learn until they are at a goal, as the authors' code does."""
    deliberate: bool = True
    """Do pass 1, which records show. Without it the help policy has to be one that does not look at it."""
