"""Practice in understanding: walks that begin with something said."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from cottage_run import practice_gradients, write_cottage
from vnla.agents.fast.cpu.state import CpuState
from vnla.agents.fast.gpu.state import CudaGraphState
from vnla.agents.plain import PlainState
from vnla.agents.policy_state import PolicyState
from vnla.assistance.acting import BCUI
from vnla.assistance.advisor import TemplateAdvisor
from vnla.assistance.help_policies import AtFirst
from vnla.bcui import bcui
from vnla.common.errors import InputError
from vnla.episode import beginning
from vnla.evaluation.evaluate import greedy
from vnla.language.advisor import GrammarAdvisor
from vnla.language.speech import plan_of
from vnla.rollout import Rollout, RolloutContext
from vnla.training.config import RunConfig, TrainingConfig
from vnla.training.context import make_agent, make_context, make_practice, vocabulary_of
from vnla.training.data import RunData
from vnla.training.practice import NONE, Strange, SubgoalPractice, prepend_subgoal, strangely
from vnla.words import Words
from vnla.world.actions import STOP
from vnla.world.compiled import viewpoint_of

SIZES = {"hidden": 16, "help_hidden": 16, "word_embedding": 8, "dropout": 0.0}


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> RunConfig:
    world, tasks = write_cottage(tmp_path_factory.mktemp("cottages"), houses=3)
    return RunConfig(
        world=str(world), tasks=str(tasks), features="symbolic", training=TrainingConfig(iterations=2, batch=4),
        agent_options=SIZES, practice=3,
    )  # fmt: skip


@pytest.fixture(scope="module")
def data(config: RunConfig) -> RunData:
    return RunData.load(config)


@pytest.fixture(scope="module")
def context(config: RunConfig, data: RunData) -> RolloutContext:
    return make_context(config, data, make_agent(config, data), training=True)


def walked(data: RunData, context: RolloutContext, which: list[int], seed: int = 5) -> Rollout:
    tasks = torch.tensor(which)
    return SubgoalPractice(3).rollout(data.training_tasks(), tasks, torch.full_like(tasks, seed), context)


def test_an_instruction_begins_with_what_was_said() -> None:
    said = Words(torch.tensor([[7, 8, 9], [7, 0, 0], [0, 0, 0]]), torch.tensor([3, 1, 0]))
    goals = Words(torch.tensor([[4, 5], [4, 0], [4, 5]]), torch.tensor([2, 1, 2]))
    told = prepend_subgoal(said, goals)
    assert told.tokens.tolist() == [[7, 8, 9, 4, 5], [7, 4, 0, 0, 0], [4, 5, 0, 0, 0]]
    assert told.length.tolist() == [5, 2, 2]


@pytest.mark.parametrize("advisor", [GrammarAdvisor(k=8), TemplateAdvisor(k=3)])
def test_it_decides_as_one_who_asked_and_was_told(config: RunConfig, data: RunData, advisor: Any) -> None:
    """The same walks as episodes in which the agent asks at once, and hears the same sentences."""
    asked = replace(config, advisor=advisor)
    agent, bound_advisor = make_agent(asked, data), advisor.ready(vocabulary_of(asked, data))
    context = replace(make_context(config, data, agent, training=True), advisor=advisor, bound_advisor=bound_advisor)
    with greedy(context.agent):
        practised = walked(data, context, list(range(8)))
        episodes = replace(practised.episodes, end_goals=data.training_tasks().end_goals.rows(torch.arange(8).repeat(3)))
        hearing = replace(context, help_policy=AtFirst(), acting=BCUI, deliberate=False)
        heard = bcui(episodes, hearing, longest=advisor.k)
    assert torch.equal(practised.every("nav"), heard.every("nav"))
    torch.testing.assert_close(practised.every("final"), heard.every("final"), rtol=1e-4, atol=1e-5)


def test_the_teacher_leads_through_what_was_said(data: RunData, context: RolloutContext) -> None:
    rollout = walked(data, context, list(range(18)))
    plan = plan_of(beginning(rollout.episodes), 4).actions
    done = rollout.table("nav", STOP)
    assert torch.equal(done, plan[:, : done.shape[1]])
    assert rollout.transitions[0].request.all() and len(rollout.transitions) == 4
    assert len(set(plan.flatten().tolist())) > 3, "not only turns"


def test_a_walk_is_in_the_house_of_its_episode_and_its_own(data: RunData, context: RolloutContext) -> None:
    """Whoever else is in the batch."""
    both, one = walked(data, context, [2, 8]).episodes, walked(data, context, [8]).episodes
    for field in ("start", "goals", "seed", "key"):
        assert torch.equal(getattr(both, field)[1::2], getattr(one, field))
    world = data.world
    starts, tasks = both.start.view(3, 2), data.training_tasks().start[torch.tensor([2, 8])]
    houses = torch.bucketize(viewpoint_of(starts), world.first, right=True)
    assert (houses == torch.bucketize(viewpoint_of(tasks), world.first, right=True)).all()
    assert len(set(both.start.tolist())) > 3, "not where the tasks begin"


def test_walks_may_lead_anywhere(config: RunConfig, data: RunData, context: RolloutContext) -> None:
    """Of a share of them the goal is drawn; the others are the same walks as without."""
    wandering = replace(config, anywhere=0.5)
    practice = make_practice(wandering, data, context.agent)
    assert practice is not None and practice.elsewhere is not None and practice.elsewhere.anywhere == 0.5
    tasks, which = data.training_tasks(), torch.arange(18)
    here, there = (
        SubgoalPractice(3, elsewhere=each).rollout(tasks, which, torch.full_like(which, 5), context)
        for each in (None, practice.elsewhere)
    )
    goals = there.episodes.goals
    aims = (tasks.environment.goal_viewpoints[tasks.goals.repeat(3)] == goals[:, None]).any(dim=1)
    assert 0.3 < float(aims.float().mean()) < 0.9 and len(set(goals.tolist())) > 6
    world = data.world
    assert torch.equal(
        *(torch.bucketize(each, world.first, right=True) for each in (goals, viewpoint_of(here.episodes.start)))
    )
    alike = (there.table("nav", STOP) == here.table("nav", STOP)).all(dim=1) & (there.episodes.start == here.episodes.start)
    assert alike[aims].float().mean() > 0.9 > 0.5 > alike[~aims].float().mean()
    plan = plan_of(beginning(there.episodes), 4).actions
    assert torch.equal(there.table("nav", STOP), plan[:, : len(there.transitions)]), "the teacher leads there"
    goals_alone = SubgoalPractice(3, elsewhere=replace(practice.elsewhere, anywhere=0.0))
    nowhere = goals_alone.rollout(tasks, which, torch.full_like(which, 5), context)
    assert torch.equal(nowhere.table("nav"), here.table("nav"))
    assert torch.equal(nowhere.episodes.start, here.episodes.start)


def test_practice_alone_runs_no_episodes(config: RunConfig, data: RunData) -> None:
    """The same gradients of the navigator as the walks have, and nobody learns to ask."""
    alone = replace(config, objective="practice")
    found, agent = learned(alone, data, PlainState, fixed=False), make_agent(alone, data)
    context = make_context(alone, data, agent, training=True)
    agent.train()
    which = torch.arange(4)
    SubgoalPractice(3).rollout(data.training_tasks(), which, torch.full_like(which, 3), context).nav_loss().backward()
    assert not alone.aim.teaches_asking(alone.policy)
    assert found and not any(name.startswith("help.") for name in found)
    for name, gradient in found.items():
        torch.testing.assert_close(gradient, agent.get_parameter(name).grad, rtol=1e-3, atol=1e-5, msg=name)


def test_strange_words_are_met_by_their_spelling_or_are_none(config: RunConfig, data: RunData) -> None:
    spelled = replace(config, strange=0.4, agent_options=SIZES | {"pieces": 64})
    agent = make_agent(spelled, data)
    practice, words = make_practice(spelled, data, agent), vocabulary_of(spelled, data).words
    assert practice is not None and practice.strange == Strange(0.4, len(words))
    said = Words(torch.randint(3, len(words), (200, 10)), torch.randint(1, 11, (200,)))
    heard = strangely(said, torch.arange(200), torch.zeros(200, dtype=torch.int64), practice.strange)
    changed, there = heard.tokens != said.tokens, said.mask()
    assert not changed[~there].any() and torch.equal(heard.length, said.length)
    twins = heard.tokens == said.tokens + len(words)
    none = (heard.tokens >= 2 * len(words)) & (heard.tokens < 2 * len(words) + len(NONE))
    assert torch.equal(changed, twins | none)
    for kind in (twins, none):
        assert 0.15 < float(kind[there].float().mean()) < 0.25
    embedding = agent.navigation.encoder.embedding  # type: ignore[union-attr]
    assert len(embedding.weight) == 2 * len(words) + len(NONE)
    torch.testing.assert_close(embedding.weight[len(words) + 9], embedding.share[9] @ embedding.pieces)


def test_words_that_mean_nothing_are_none_of_the_grammars() -> None:
    assert len(set(NONE)) == len(NONE) and not set(NONE) & set(GrammarAdvisor().words())


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"practice": -1}, "practice -1: must be"),
        ({"practice": 0, "strange": 0.1}, "strange words: are met in practice"),
        ({"strange": 1.5}, "strange 1.5: is a share of words"),
        ({"practice": 0, "anywhere": 0.5}, "anywhere: is about practice walks; give --practice"),
        ({"anywhere": 1.5}, "anywhere 1.5: is a share of walks"),
        ({"practice": 0, "objective": "practice"}, "objective practice: learns from practice walks alone; give --practice"),
        ({"objective": "worth", "help_policy": "valued"}, "with the objective worth the navigator stays"),
        ({"advisor": TemplateAdvisor(direct=True, speaks=False)}, "is about what the advisor says, but it says nothing"),
    ],
)
def test_what_cannot_be_practised_is_refused(config: RunConfig, changes: dict[str, Any], line: str) -> None:
    with pytest.raises(InputError, match=line):
        replace(config, **changes)


def test_strange_words_want_an_agent_that_can_read_them(config: RunConfig, data: RunData) -> None:
    strange = replace(config, strange=0.1)
    with pytest.raises(InputError, match="strange words: can only be read by an agent that knows words by their pieces"):
        make_practice(strange, data, make_agent(strange, data))


def test_contrasts_want_an_advisor_who_names_things(config: RunConfig, data: RunData) -> None:
    """An agent that practised so may still be told other things."""
    told = replace(config, contrast=0.5)
    with pytest.raises(InputError, match="contrast: is about things that the grammar names; give --advisor-language"):
        make_practice(told, data, make_agent(told, data))
    practice = make_practice(replace(told, advisor=GrammarAdvisor()), data, make_agent(told, data))
    assert practice is not None and practice.elsewhere is not None and practice.elsewhere.contrasts is not None


def test_nothing_is_practised_unless_asked_for(config: RunConfig, data: RunData) -> None:
    plain = replace(config, practice=0)
    assert make_practice(plain, data, make_agent(plain, data)) is None


MINDS = [(CpuState, False), (CudaGraphState, True), (PlainState, True)]
"""And whether the batch has a fixed size, as on a GPU."""


def learned(config: RunConfig, data: RunData, policy_state: type[PolicyState], *, fixed: bool) -> dict[str, Tensor]:
    """The gradients of an iteration with strange words in practice."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("vnla.agents.paper.state_for", lambda _: policy_state)
        return practice_gradients(config, data, fixed=fixed)


def test_all_minds_learn_alike_from_episodes_and_practice_together(config: RunConfig, data: RunData) -> None:
    strange = replace(config, strange=0.3, agent_options=SIZES | {"pieces": 64})
    plain = learned(strange, data, PlainState, fixed=False)
    without = learned(replace(strange, practice=0, strange=0.0), data, PlainState, fixed=False)
    name = "navigation.encoder.embedding.pieces"
    assert plain[name].any() and not torch.allclose(plain[name], without[name])
    for policy_state, fixed in MINDS:
        found = learned(strange, data, policy_state, fixed=fixed)
        assert found.keys() == plain.keys()
        for each, gradient in found.items():
            torch.testing.assert_close(gradient, plain[each], rtol=1e-3, atol=1e-5, msg=f"{policy_state.__name__} {each}")
