"""Who takes part in an episode."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from torch import Tensor

from vnla.agent.agent import Agent
from vnla.agent.senses import Sense
from vnla.common.batching import Batching
from vnla.common.tables import Table
from vnla.roles.acting import Acting
from vnla.roles.advisor import Advisor, Voice
from vnla.roles.following import Led
from vnla.roles.help_policies import HelpPolicy
from vnla.roles.help_teacher import HelpTeacher


@dataclass(frozen=True)
class Players:
    """Everybody who takes part in an episode."""

    agent: Agent
    views: Mapping[str, Tensor | Table]  # what there is to see at every pose of the world, by name: (poses, size) each
    advisor: Advisor
    voice: Voice  # the advisor's, in the agent's words
    help_teacher: HelpTeacher
    help_policy: HelpPolicy
    acting: Acting
    batching: Batching = field(default_factory=Batching)
    deliberate: bool = True
    """Do pass 1, which records show. Without it the help policy has to be one that does not look at it."""
    senses: Mapping[str, Sense] = field(default_factory=dict)
    """What else the agent notices, by name."""
    following: Led = field(default_factory=Led)
    """What is taught, and who acts, while a subgoal lasts."""
    veil: float = 0.0
    """Share of each view's numbers that an episode never shows, others in each: so no house can be learned by heart."""
    keeps_known: bool = True
    """Record what the help module saw, for it to learn from."""

    @property
    def tables(self) -> list[Table]:
        """Those of the views that are not all in memory."""
        return [each for each in self.views.values() if isinstance(each, Table)]
