"""Who takes part in a run: the agent, the advisor and the policies that its configuration names."""

from __future__ import annotations

from collections.abc import Iterable

import torch

from vnla.agents.agent import Agent, Sizes
from vnla.agents.registry import agent_named
from vnla.agents.sensor_registry import sensors_named, with_spotter
from vnla.assistance.acting import BCUI, at_test_time
from vnla.assistance.advisor import Lexicon
from vnla.assistance.following import Following, Led
from vnla.common.batching import Batching
from vnla.common.errors import InputError
from vnla.language.advisor import GrammarAdvisor
from vnla.rollout import RolloutContext
from vnla.tasks.vocabulary import Forgiving, Vocabulary
from vnla.training.config import RunConfig
from vnla.training.contrasts import Contrasts
from vnla.training.data import RunData
from vnla.training.part_checks import check_parts
from vnla.training.practice import Elsewhere, Strange, SubgoalPractice
from vnla.world.compiled import Environment


def vocabulary_of(config: RunConfig, data: RunData) -> Vocabulary:
    """The words of a run: those of the data set, and what else its advisor may say."""
    return data.dataset.vocabulary.with_words(config.advisor.words())


def lexicon_for(agent: Agent, vocabulary: Vocabulary, words: Iterable[str]) -> Lexicon:
    """Numbers for words that an agent may never have met: of their own if it can read any word, else that of the unknown."""
    wider = vocabulary.with_words(words)
    return wider if agent.meets(wider.words) else Forgiving(vocabulary)


def make_agent(config: RunConfig, data: RunData) -> Agent:
    """An agent with fresh parameters drawn for the run's seed."""
    torch.manual_seed(config.training.seed)
    views = {name: table.shape[1] for name, table in data.views.items()}
    sensors = sensors_named(config.sensors)
    noticed = {name: sensor.size_with(data.views) for name, sensor in sensors.items()}
    words = vocabulary_of(config, data).words
    sizes = Sizes(len(words), views | noticed, tuple(noticed), words)
    agent = agent_named(config.agent, config.agent_options, sizes)
    return with_spotter(agent, sensors).to(data.world.device)


def make_practice(config: RunConfig, data: RunData, agent: Agent) -> SubgoalPractice | None:
    """How the agent practises understanding, if it does; it has met all words that it will hear."""
    if not config.practice:
        return None
    elsewhere = make_elsewhere(config, data) if config.anywhere or config.contrast else None
    if not config.strange:
        return SubgoalPractice(config.practice, elsewhere=elsewhere)
    words = vocabulary_of(config, data).words
    if not agent.meets(Strange.met(words)):
        raise InputError(
            "strange words: can only be read by an agent that knows words by their pieces; give --agent-option pieces=2048"
        )
    return SubgoalPractice(config.practice, Strange(config.strange, len(words)), elsewhere)


def make_elsewhere(config: RunConfig, data: RunData) -> Elsewhere:
    """Where practice walks lead that do not lead to the goal of an episode."""
    everywhere, contrasts = Environment.everywhere(data.world), None
    if config.contrast:
        if not isinstance(config.advisor, GrammarAdvisor):
            raise InputError("contrast: is about things that the grammar names; give --advisor-language grammar, too")
        own = data.folder, data.world, vocabulary_of(config, data), data.world.device
        landmarks, wrong = (GrammarAdvisor(k=config.advisor.k, says=says).ready_in(*own) for says in ("landmarks", "wrong"))
        contrasts = Contrasts.found(everywhere, landmarks, wrong)
    return Elsewhere(config.anywhere, config.contrast, everywhere, contrasts)


def make_context(
    config: RunConfig, data: RunData, agent: Agent, *, training: bool, lexicon: Lexicon | None = None
) -> RolloutContext:
    """Everybody, in the roles they have in training or in evaluation. `lexicon` is what the agent has for words, if it may
    lack some of the advisor's."""
    advisor = config.help(training=training).advisor
    policy = config.policy.in_training() if training else config.policy
    device = data.world.device
    context = RolloutContext(
        agent=agent,
        views=data.views,
        advisor=advisor,
        bound_advisor=advisor.ready_in(data.folder, data.world, lexicon or vocabulary_of(config, data), device),
        help_teacher=config.teacher,
        help_policy=policy,
        acting=BCUI if training else at_test_time(advisor.direct),
        batching=Batching.on(device, keeps_ended=config.keeps_ended and training),
        deliberate=policy.deliberates or not training,
        sensors={
            name: each.ready_in(data.folder, agent, data.world, data.views)
            for name, each in sensors_named(config.sensors).items()
        },
        following=Following.within(data.world) if config.following and training else Led(),
        feature_dropout=config.feature_dropout if training else 0.0,
        keeps_ask_features=training,
    )
    context = config.aim.rollout_context(context, config.policy) if training else context
    check_parts(context, data)
    return context
