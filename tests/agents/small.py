"""Small agents in the cottage, for tests of the agent and of Algorithm 1."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from vnla.agents.config import AgentConfig
from vnla.agents.paper import PaperAgent
from vnla.agents.policy_state import Decision, PolicyState, Start, Views
from vnla.assistance.acting import ALONE, Acting
from vnla.assistance.advisor import Advisor, BoundAdvisor, TemplateAdvisor
from vnla.assistance.help_policies import HelpPolicy, Never
from vnla.assistance.help_teacher import HelpTeacher
from vnla.assistance.words import Utterance
from vnla.camera import VIEWS, view_index
from vnla.common.batching import Batching
from vnla.episode import Episodes, StepContext
from vnla.houses.cottage import cottage
from vnla.rollout import Rollout, RolloutContext
from vnla.words import Words
from vnla.world.actions import ASK_ACTIONS, NAV_ACTIONS, Nav
from vnla.world.compiled import Environment, World

END_MARK = 1
FIRST_WORD = 2
GOALS = (["bathroom"], ["kitchen", "bedroom_west"], ["entryway"], ["living_west"])
END_GOAL_WORDS = 5
WORDS = 60


def small_agent(seed: int = 0, **sizes: float | bool) -> PaperAgent:
    """An agent with few parameters; its own distributions are made uneven, so that it does different things."""
    torch.manual_seed(seed)
    usual = {
        "view_size": 8, "hidden": 12, "word_embedding": 6, "nav_embedding": 3, "ask_embedding": 3, "budget_embedding": 4,
        "coverage": 3, "help_hidden": 10, "dropout": 0.0,
    }  # fmt: skip
    agent = PaperAgent(AgentConfig(words=WORDS, **{**usual, **sizes}))
    with torch.no_grad():
        for layer in (agent.navigation.output, agent.help.output):
            layer.weight *= 8
        for layer in (agent.navigation.view_input, agent.navigation.nav_input, agent.navigation.ask_input):
            layer.weight *= 4
    return agent


@dataclass(frozen=True)
class Numbered:
    """Numbers for an advisor's words; 0 is padding, 1 the end mark."""

    words: tuple[str, ...]
    padding: int = 0
    end: int = END_MARK

    def __contains__(self, word: object) -> bool:
        return word in self.words

    def __getitem__(self, word: str) -> int:
        return FIRST_WORD + self.words.index(word)


def voice_of(advisor: Advisor) -> BoundAdvisor:
    """The advisor's voice in numbers of its own words."""
    return advisor.ready(Numbered(tuple(advisor.words())))


def start_of(end_goals: Words, advisor: Advisor, steps: int = 25, requests: int = 25, *, fixed: bool = False) -> Start:
    """The start of a batch of episodes with these end-goals."""
    return Start(end_goals, voice_of(advisor).phrases, steps, requests, Batching(fixed=fixed))


def cottage_environment() -> Environment:
    """The cottage with a few goal sets."""
    return Environment.compile(World.compile([cottage()]), [("cottage", goals) for goals in GOALS])


def pose_at(environment: Environment, viewpoint: str, heading: int) -> Tensor:
    """A level pose in the cottage, as a batch of one."""
    return torch.tensor([environment.world.viewpoint("cottage", viewpoint) * VIEWS + view_index(1, heading)])


def views_of(environment: Environment, size: int = 8) -> dict[str, Tensor]:
    """Features of every view, drawn once."""
    drawn = torch.Generator().manual_seed(77)
    return {"drawn": torch.randn(len(environment.world.ids) * VIEWS, size, generator=drawn)}


def drawn_episodes(environment: Environment, key: Tensor, seed: int | Tensor = 5) -> Episodes:
    """Episodes that begin, end and last as their key says."""
    poses = len(environment.world.ids) * VIEWS
    return Episodes.begin(
        environment, key=key, start=key * 7919 % poses, goals=key % len(GOALS), time_budget=3 + key % 16, seed=seed,
        end_goals=end_goals_of(key),
    )  # fmt: skip


def end_goals_of(key: Tensor) -> Words:
    """An end-goal of one to five words for each key."""
    place = torch.arange(END_GOAL_WORDS)
    length = 1 + key % END_GOAL_WORDS
    tokens = FIRST_WORD + (key[:, None] * 31 + place * 17) % (WORDS - FIRST_WORD)
    return Words(torch.where(place < length[:, None], tokens, 0), length)


def players_of(
    agent: object,
    environment: Environment,
    policy: HelpPolicy | None = None,
    acting: Acting = ALONE,
    advisor: Advisor | None = None,
    keeps_ended: bool = False,
) -> RolloutContext:
    """Everybody, with defaults."""
    advisor = advisor or TemplateAdvisor()
    return RolloutContext(
        agent=agent,  # type: ignore[arg-type]
        views=views_of(environment),
        advisor=advisor,
        bound_advisor=voice_of(advisor),
        help_teacher=HelpTeacher(),
        help_policy=policy or Never(),
        acting=acting,
        batching=Batching(keeps_ended=keeps_ended),
    )


def with_budgets(episodes: Episodes, time: list[int], help_: list[int]) -> Episodes:
    """The episodes with other budgets."""
    return replace(episodes, time_budget=torch.tensor(time), help_budget=torch.tensor(help_))


def told(rollout: Rollout, name: str) -> list[list[int]]:
    """A field of the moments, one list an episode, as long as the episode was."""
    lists: list[list[int]] = [[] for _ in range(len(rollout.episodes))]
    for transition in rollout.transitions:
        for row, active, value in zip(
            transition.row.tolist(), transition.active.tolist(), getattr(transition, name), strict=True
        ):
            if active:
                lists[row].append(value.tolist())
    return lists


@dataclass(frozen=True)
class At(HelpPolicy):
    """A help policy that asks at given steps, whatever the budget."""

    steps: tuple[int, ...]

    def __call__(self, situation: StepContext) -> Tensor:
        """Everybody at those steps."""
        return torch.full_like(situation.budget, situation.step in self.steps, dtype=torch.bool)


@dataclass(frozen=True)
class ScriptedState(PolicyState):
    """What a scripted agent has in mind: which episode it is, the step, and what it heard last."""

    script: Scripted
    episode: Tensor
    step: Tensor
    heard: Tensor

    def see(self, view: Views, last_nav: Tensor) -> ScriptedState:  # noqa: ARG002
        """Nothing but the last action."""
        self.script.seen.append({"episode": self.episode.tolist(), "nav": last_nav.tolist()})
        return self

    def propose(self, last_ask: Tensor, may_ask: Tensor | None = None) -> Decision:  # noqa: ARG002
        """Pass 1."""
        self.script.seen[-1] |= {"ask 1": last_ask.tolist(), "heard 1": self.heard.tolist()}
        return self._decoded(self.script.tentative)

    def hear(self, asked: Tensor, heard: Utterance) -> ScriptedState:
        """What was said to those who asked."""
        return replace(self, heard=torch.where(asked, heard.index, self.heard))

    def decide(self, ask: Tensor) -> tuple[Decision, ScriptedState]:
        """Pass 2."""
        self.script.seen[-1] |= {"ask 2": ask.tolist(), "heard 2": self.heard.tolist()}
        return self._decoded(self.script.final), replace(self, step=self.step + 1)

    def _decoded(self, actions: Tensor) -> Decision:
        action = actions[self.episode, self.step]
        return Decision(self.script.sure * nn.functional.one_hot(action, NAV_ACTIONS).float())


class Scripted:
    """Stands in for an agent: does what a script says and writes down what it is given.

    `tentative` and `final` have one action for each episode and step. Where its logits are `sure`, the action has this much
    more than the other five, which have 0.
    """

    def __init__(self, final: list[list[Nav]], tentative: list[list[Nav]] | None = None, sure: float = 60.0) -> None:
        self.final, self.tentative, self.sure = torch.tensor(final), torch.tensor(tentative or final), sure
        self.seen: list[dict[str, list[int]]] = []

    def begin(self, start: Start) -> ScriptedState:
        """Nothing heard."""
        everybody = torch.arange(len(start.end_goals.length))
        silence = torch.full_like(everybody, start.phrases.silence)
        return ScriptedState(self, everybody, torch.zeros_like(everybody), silence)

    def ask_inputs(self, view: Views, tentative: Tensor, first: Decision) -> Tensor:  # noqa: ARG002
        """What it would do."""
        return tentative

    def ask(self, ask_features: Tensor, budget: Tensor) -> Tensor:  # noqa: ARG002
        """It would rather not."""
        return torch.tensor([1.0, 0.0]).expand(len(ask_features), ASK_ACTIONS)

    def told(self, name: str) -> list[int]:
        """What the only agent of a batch of one was given at every step."""
        return [each[name][0] for each in self.seen]
